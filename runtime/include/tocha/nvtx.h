/* nvtx.h: ranges and marks with names for the tool that watches the process (Nsight Systems and the
 * like), which names its library in NVTX_INJECTION64_PATH. Without a tool the functions do nothing. */
#ifndef TOCHA_NVTX_H
#define TOCHA_NVTX_H

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Begins a range of this thread within those that are open, or ends the last. Returns the range's
 * depth from 0, or -2 without a tool. */
TOCHA_API int tocha_nvtx_push(tocha_context *cx, const char *text);
TOCHA_API int tocha_nvtx_pop(tocha_context *cx);
/* Begins a range that any thread may end, by the number that is returned (0 without a tool). */
TOCHA_API uint64_t tocha_nvtx_start(tocha_context *cx, const char *text);
TOCHA_API void tocha_nvtx_end(tocha_context *cx, uint64_t range);
TOCHA_API void tocha_nvtx_mark(tocha_context *cx, const char *text);

#ifdef __cplusplus
}
#endif

#endif
