/* entry.h: wraps the launch of a kernel in the function that the runtime calls. */
#pragma once

#include "runtime/state.h"

namespace tocha {

/* Calls `launch` with the stream's device current. */
template <class Args, bool (*launch)(Stream *, const Args &)>
static bool entry(tocha_stream *stream, const Args *args) {
  return use_device(stream->state, stream->device) && launch(own(stream), *args);
}

/* Returns the bytes of scratch memory that args need. */
template <class Args, size_t (*bytes)(Stream *, const Args &)>
static size_t scratch_entry(tocha_stream *stream, const Args *args) {
  return bytes(own(stream), *args);
}

} // namespace tocha
