/* files.c: files by number. */
#define _DEFAULT_SOURCE /* flock */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "platform/platform.h"

int platform_open_flags(int how) {
  static const struct {
    int ours, theirs;
  } options[] = {{PLATFORM_CREATE, O_CREAT},     {PLATFORM_NEW, O_EXCL},
                 {PLATFORM_EMPTY, O_TRUNC},      {PLATFORM_APPEND, O_APPEND},
                 {PLATFORM_NO_LINK, O_NOFOLLOW}, {PLATFORM_AT_ONCE, O_NONBLOCK}};
  int flags = how & PLATFORM_WRITE ? how & PLATFORM_READ ? O_RDWR : O_WRONLY : O_RDONLY;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (how & options[i].ours) flags |= options[i].theirs;
  return flags | O_CLOEXEC;
}

int platform_open(const char *path, int how) {
  return open(path, platform_open_flags(how), how & PLATFORM_PRIVATE ? 0600 : 0666);
}

bool platform_close(int file) { return close(file) == 0; }

int64_t platform_most_files(void) {
  long files = sysconf(_SC_OPEN_MAX);
  return files < 0 ? INT64_MAX : files;
}

int64_t platform_read(int file, void *to, size_t capacity) { return read(file, to, capacity); }

int64_t platform_read_at(int file, void *to, size_t capacity, int64_t position) {
  return pread(file, to, capacity, (off_t)position);
}

bool platform_write(int file, const void *from, size_t length) {
  for (size_t done = 0; done < length;) {
    ssize_t n = write(file, (const char *)from + done, length - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += (size_t)n;
  }
  return true;
}

bool platform_resize_file(int file, int64_t size) { return ftruncate(file, (off_t)size) == 0; }

bool platform_flush_to_disk(int file) { return fsync(file) == 0; }

bool platform_lock_file(int file, bool waits) {
  return flock(file, waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0;
}

bool platform_wait_for_input(int file, int milliseconds) {
  struct pollfd polled = {file, POLLIN, 0};
  return poll(&polled, 1, milliseconds) > 0;
}

/* A mapping begins at a page of the file. */
void *platform_map_file(int file, int64_t offset, size_t length, bool shared,
                        platform_mapping *mapping) {
  size_t before = (size_t)(offset % sysconf(_SC_PAGESIZE));
  mapping->length = length + before;
  mapping->start = mmap(NULL, mapping->length, PROT_READ | PROT_WRITE,
                        shared ? MAP_SHARED : MAP_PRIVATE, file, (off_t)(offset - (int64_t)before));
  return mapping->start == MAP_FAILED ? NULL : (char *)mapping->start + before;
}

void platform_unmap(const platform_mapping *mapping) { munmap(mapping->start, mapping->length); }
