/* files.h: files and folders. A file that is open is a number, as in POSIX; programs that Tocha
 * starts do not inherit it. */
#ifndef TOCHA_PLATFORM_FILES_H
#define TOCHA_PLATFORM_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- what a path or a file is (status.c) ------------------------------------------------------- */

typedef enum platform_kind { PLATFORM_FILE, PLATFORM_FOLDER, PLATFORM_OTHER } platform_kind;

typedef struct platform_status {
  platform_kind kind;
  int64_t size;
  uint64_t device, number; /* two files differ in one of them */
  uint32_t owner, group, permissions;
} platform_status;

/* Follows links. Returns false if there is nothing at the path. */
bool platform_path_status(const char *path, platform_status *status);
bool platform_file_status(int file, platform_status *status);
/* Gives the file an owner, a group and permissions, as far as this process may. */
void platform_set_owner(int file, const platform_status *like);
/* Writes the target of a link, and returns its length, or -1 if the path is not a link. No zero is written at the end. */
int64_t platform_read_link(const char *path, char *target, size_t capacity);
/* Returns the path without links and relative parts, which the caller frees by free, or NULL. */
char *platform_real_path(const char *path);

/* --- files by number (files.c) ----------------------------------------------------------------- */

enum { PLATFORM_STDIN, PLATFORM_STDOUT, PLATFORM_STDERR };

enum {
  PLATFORM_READ = 1,
  PLATFORM_WRITE = 2,
  PLATFORM_CREATE = 4,
  PLATFORM_NEW = 8,       /* with PLATFORM_CREATE: fails if the path exists */
  PLATFORM_EMPTY = 16,    /* removes the content */
  PLATFORM_APPEND = 32,   /* each write goes to the end */
  PLATFORM_NO_LINK = 64,  /* fails if the path is a link */
  PLATFORM_AT_ONCE = 128, /* does not wait for the other end of a pipe or a device */
  PLATFORM_PRIVATE = 256, /* a new file is for its owner only */
};

/* Opens a file. how: a sum of the numbers above. Returns -1 if it fails. */
int platform_open(const char *path, int how);
/* Returns the system's own sum for such a sum, for the files of posix/. */
int platform_open_flags(int how);
bool platform_close(int file);
/* Returns how many files this process may have open, INT64_MAX if there is no limit. */
int64_t platform_most_files(void);
/* Reads at most `capacity` bytes, and returns their number, 0 at the end, or -1 (errno is EINTR if a signal came). */
int64_t platform_read(int file, void *to, size_t capacity);
/* Does the same from a position. */
int64_t platform_read_at(int file, void *to, size_t capacity, int64_t position);
/* Writes all bytes, also if signals come. */
bool platform_write(int file, const void *from, size_t length);
bool platform_resize_file(int file, int64_t size);
/* Waits until the content is on the disk. */
bool platform_flush_to_disk(int file);
/* Locks the file for this process until it is closed. Unless it waits, fails with EWOULDBLOCK if
 * another process has it. */
bool platform_lock_file(int file, bool waits);
/* Waits until there is something to read, at most `milliseconds`. */
bool platform_wait_for_input(int file, int milliseconds);

/* A range of a file in memory. */
typedef struct platform_mapping {
  void *start;
  size_t length;
} platform_mapping;

/* Maps `length` bytes of a file from `offset` on, which may then be closed. shared: writing changes
 * the file. Returns the address of the first byte, or NULL. */
void *platform_map_file(int file, int64_t offset, size_t length, bool shared,
                        platform_mapping *mapping);
void platform_unmap(const platform_mapping *mapping);

/* --- C's streams (streams.c) ------------------------------------------------------------------- */

/* Makes a stream of an open file, which fclose closes. */
FILE *platform_stream_of(int file, const char *mode);
int platform_file_of(FILE *stream);
/* ftell and fseek for files of any size. */
int64_t platform_tell(FILE *stream);
bool platform_seek(FILE *stream, int64_t offset, int origin);
/* Opens a stream that reads by calls of `read`, which returns the number of bytes, 0 at the end, or -1. Returns NULL if the C
 * library has no such streams. */
FILE *platform_open_reader(int64_t (*read)(void *user, char *to, size_t capacity), void *user);
/* Opens a stream that writes by calls of `write`, which returns the number of bytes, 0 if it fails. Returns NULL if the C library
 * has no such streams. */
FILE *platform_open_writer(int64_t (*write)(void *user, const char *from, size_t length),
                           void *user);
/* Makes a stream of an open file, which asks `may_grow` before a write makes the file `size` bytes long. If that is refused, the
 * write fails with EFBIG. fclose closes the file. Returns NULL if the C library has no such streams; then the file stays open. */
FILE *platform_bounded_stream(int file, const char *mode,
                              bool (*may_grow)(void *user, int64_t size), void *user);
/* Forgets what such a stream has read ahead. */
void platform_discard_input(FILE *stream);

/* --- folders (folders.c) ----------------------------------------------------------------------- */

typedef struct platform_folder platform_folder;

platform_folder *platform_open_folder(const char *path);
/* Returns the next name, in any order, without "." and "..", or NULL at the end. It is valid until
 * the next call. */
const char *platform_next_name(platform_folder *folder);
void platform_close_folder(platform_folder *folder);
/* Makes a folder, for its owner only if it is private. */
bool platform_make_folder(const char *path, bool is_private);
/* Opens a folder by its number, which platform_close_folder closes. */
platform_folder *platform_folder_of_file(int file);
bool platform_change_folder(const char *path);
bool platform_current_folder(char *path, size_t capacity);

/* --- files beneath an open folder (beneath.c) -------------------------------------------------- */

/* These do the same as their namesakes, but for paths that lead out of the folder: those fail with
 * EACCES. */
int platform_open_beneath(int folder, const char *path, int how);
bool platform_move_beneath(int folder, const char *from, const char *to);
bool platform_remove_beneath(int folder, const char *path);
bool platform_make_folder_beneath(int folder, const char *path);

#endif
