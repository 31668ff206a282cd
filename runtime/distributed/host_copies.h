/* host_copies.h: copies of a GPU's tensors: on the host for engines that reach its memory alone, packed on the GPU for the
 * others. */
#ifndef TOCHA_HOST_COPIES_H
#define TOCHA_HOST_COPIES_H

#include "distributed/work.h"

/* Copies `count` tensors of a GPU to page-locked memory (their values if `reads`), which takes their place in the operation. If
 * `writes`, tocha_copies_return copies the values back. Returns the copies, an array that the operation keeps; NULL with an
 * error. */
tocha_tensor **tocha_copies_of(tocha_context *cx, tocha_work *work, int count,
                               tocha_tensor *const *tensors, bool reads, bool writes);
/* Does the same, but the copies lie one after the other in memory of the GPU. */
tocha_tensor **tocha_packed_copies_of(tocha_context *cx, tocha_work *work, int count,
                                      tocha_tensor *const *tensors, bool reads, bool writes);
/* Copies values back to the GPU after the operation has succeeded. Returns false with an error. */
bool tocha_copies_return(tocha_context *cx, tocha_work *work);
/* Lets the memory of packed copies be used again only after what the stream does now. Returns false with an error. */
bool tocha_copies_use_on(tocha_context *cx, tocha_work *work, struct tocha_stream *stream);
/* Releases the copies. The script's thread calls it. */
void tocha_copies_free(tocha_work *work);

#endif
