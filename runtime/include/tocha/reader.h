/* reader.h: bytes that functions of the host read and write: members of a game's archive, a socket,
 * a file system of its own. Every function that takes a FILE has a namesake that takes a reader
 * (..._from) or a writer (..._to).
 *
 * The functions are called on the thread that called Tocha, with `user`, and must return to it (no
 * longjmp, no C++ exception). They may use the same context, for other files too, but must not close
 * it. Each may set an error of its own by tocha_fail; the call then ends with it. A negative result
 * without one becomes an OSError: of errno ("[Errno 5] Input/output error"; it is 0 before each call)
 * if that was set, with a hint that names the operation. tocha_interrupt takes effect
 * between two calls. */
#ifndef TOCHA_READER_H
#define TOCHA_READER_H

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A source of bytes. The struct is copied; `user` must stay valid until the call returns, or until
 * the object that it opened (tocha_npz, tocha_safetensors) is closed. */
typedef struct tocha_reader {
  void *user;
  /* Reads at most `size` bytes, and returns their number: fewer are allowed, 0 is the end. A result
   * above `size` is an error. */
  int64_t (*read)(void *user, void *into, size_t size);
  /* Moves as fseek does (origin: SEEK_SET, SEEK_CUR or SEEK_END), and returns the new position, or a
   * negative number if it fails. The content begins at the position that the reader has at first.
   * Seeking finds the size, which sizes in the content are checked against. Checkpoints, .npz and
   * .safetensors are then read where it is needed; zip archives from their end. A size that turns out to
   * be wrong is an error. NULL: the reader cannot seek. Those formats are then read into memory up to the
   * end, others from the current position as far as they go. */
  int64_t (*seek)(void *user, int64_t offset, int origin);
} tocha_reader;

/* A target of bytes. It never seeks, and nothing is buffered: when the function has returned true,
 * every byte was passed to `write`, in the order of the file. If the function fails, those passed
 * are the beginning of a file, which the host should discard. */
typedef struct tocha_writer {
  void *user;
  /* Takes at most `size` bytes, often few, and returns their number: fewer are allowed, 0 is an
   * error. */
  int64_t (*write)(void *user, const void *from, size_t size);
} tocha_writer;

#ifdef __cplusplus
}
#endif
#endif
