/* confine.h: confines a context, so that what runs in it reaches nothing of the process but what
 * the host allows: for scripts and files of somebody else. */
#ifndef TOCHA_CONFINE_H
#define TOCHA_CONFINE_H

#include <stdio.h>

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* READ: an existing file. WRITE: a new file, or an old one that is emptied first. */
typedef enum tocha_file_use { TOCHA_FILE_READ, TOCHA_FILE_WRITE } tocha_file_use;

typedef struct tocha_confinement {
  void *user; /* passed to the functions */
  /* Opens the file that a script or a checkpoint names. Returns NULL with errno set if there is none,
   * or if it is not allowed. NULL: there are no files. */
  FILE *(*open)(void *user, const char *path, tocha_file_use use);
  /* Renames a file that `open` made. NULL: files are written in place. */
  bool (*move)(void *user, const char *from, const char *to);
  bool (*remove)(void *user, const char *path);
  /* Counts bytes that the context takes from the system, or, if negative, gives back. Returns false
   * if it may not have them. May be called from any thread. NULL: there is no limit. */
  bool (*count)(void *user, int64_t bytes);
  /* Called when the context's memory is freed, after every other function; may be NULL. */
  void (*close)(void *user);
  int threads; /* the most that tocha_set_threads sets; 0: no limit */
} tocha_confinement;

/* Confines a context for the rest of its life:
 *   - files are opened by the functions of `confinement`, and never mapped,
 *   - there are no devices but the CPU and "meta", and no plug-in is loaded,
 *   - memory begins as zeros (torch.empty, resize_), so that nothing of the process can be read in it,
 *   - memory and threads have the limits of `confinement`.
 * Call it at once after tocha_open. The struct is copied. Fails if the context is confined already. */
TOCHA_API bool tocha_confine(tocha_context *cx, const tocha_confinement *confinement);
TOCHA_API bool tocha_is_confined(const tocha_context *cx);

#ifdef __cplusplus
}
#endif
#endif
