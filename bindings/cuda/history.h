/* history.h: records the requests for GPU memory with the lines of the program that made them. */
#ifndef TOCHA_CUDA_HISTORY_H
#define TOCHA_CUDA_HISTORY_H

#include "lua/binding.h"

/* torch._cuda.record_history(mode, context, limit, clear): mode nil ends the recording; "state" keeps
 * the lines for memory in use, "all" also the last `limit` requests. context: 0 no lines, 1 those of
 * memory in use, 2 of all allocations, 3 of frees, too. */
int record_history(lua_State *L);
/* torch._cuda.history() returns the recorded requests, oldest first, as a list of tables (action,
 * device, addr, size, stream, time_us, frames). */
int history(lua_State *L);
/* torch._cuda.frames_of(address) returns the lines that allocated memory in use, as a list of tables
 * (filename, line, name), or nil if they were not recorded. */
int frames_of(lua_State *L);

#endif
