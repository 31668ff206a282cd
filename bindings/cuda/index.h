/* index.h: arguments of torch._cuda's functions. */
#ifndef TOCHA_CUDA_INDEX_H
#define TOCHA_CUDA_INDEX_H

#include "lua/binding.h"

/* Returns the index of a device that is given as an integer or a device ("cuda:1"), or -1 for
 * the current device (nil). Raises for another value. [-0, +0, e] */
int check_device_index(lua_State *L, int index);
/* Returns the stream at `index`. Raises for another value. [-0, +0, e] */
tocha_stream *check_stream(lua_State *L, int index);
/* Pushes the object of a stream, or raises the context's error if it is NULL. [-0, +1, e] */
int push_stream(lua_State *L, tocha_stream *stream);

#endif
