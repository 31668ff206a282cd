/* graph.h: CUDA graphs: work of a GPU that is captured once and replayed by one call, on the same
 * memory. And pools of memory.
 *
 *   tocha_graph *g = tocha_graph_new(cx, false);
 *   tocha_stream *old = tocha_set_stream(cx, tocha_new_stream(cx, -1, 0));
 *   tocha_synchronize(cx, -1);
 *   tocha_graph_capture_begin(cx, g, 0, TOCHA_CAPTURE_GLOBAL);
 *   tocha_tensor *y = tocha_matmul(cx, x, w);  (nothing is computed yet; keep x, w and y)
 *   tocha_graph_capture_end(cx, g);
 *   tocha_set_stream(cx, old);
 *   tocha_graph_replay(cx, g);                 (y = x @ w, with what x and w contain now)
 *
 * During a capture nothing may wait for the GPU, or copy from or to pageable memory of the host: that
 * is an error, "CUDA error: operation not permitted when stream is capturing", which ends the capture.
 * Before it, run the work once, so that what is made on the first call is there. */
#ifndef TOCHA_GRAPH_H
#define TOCHA_GRAPH_H

#include "tocha/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_graph tocha_graph;

/* The threads that may not call what is unsafe during a capture, such as cudaMalloc: all, the thread
 * that captures, or none. It concerns code beside Tocha, which never does. */
typedef enum tocha_capture_mode {
  TOCHA_CAPTURE_GLOBAL,
  TOCHA_CAPTURE_THREAD_LOCAL,
  TOCHA_CAPTURE_RELAXED
} tocha_capture_mode;

/* Returns a graph without work, which the caller frees before the context. keep_graph: the capture
 * stays as it was recorded beside its executable form, for tocha_graph_dump, and is made executable
 * by tocha_graph_instantiate or the first replay. */
TOCHA_API tocha_graph *tocha_graph_new(tocha_context *cx, bool keep_graph);
TOCHA_API void tocha_graph_free(tocha_context *cx, tocha_graph *graph);
/* Begins to capture the current stream of the current device, and streams that wait for its events.
 * pool: 0, or the number of a pool: another graph's if the two are replayed in the order of their
 * captures and none needs results of an earlier one after the next. */
TOCHA_API bool tocha_graph_capture_begin(tocha_context *cx, tocha_graph *graph, uint64_t pool,
                                         tocha_capture_mode mode);
/* Ends the capture, on the stream on which it began. Fails if an error has ended it before. */
TOCHA_API bool tocha_graph_capture_end(tocha_context *cx, tocha_graph *graph);
/* Makes the graph executable again; only with keep_graph. */
TOCHA_API bool tocha_graph_instantiate(tocha_context *cx, tocha_graph *graph);
/* Queues the captured work in the current stream of the current device. Operators that draw random
 * numbers draw the generator's next ones. */
TOCHA_API bool tocha_graph_replay(tocha_context *cx, tocha_graph *graph);
/* Forgets the captured work, and gives its memory back. Ends the graph's capture. */
TOCHA_API void tocha_graph_reset(tocha_graph *graph);
/* Returns the number of the pool that the capture took memory from, 0 before the first one. */
TOCHA_API uint64_t tocha_graph_pool(const tocha_graph *graph);
/* Makes later captures keep what tocha_graph_dump needs. */
TOCHA_API void tocha_graph_enable_debug_mode(tocha_graph *graph);
/* Writes the captured work as a graph in the language of Graphviz. */
TOCHA_API bool tocha_graph_dump(tocha_context *cx, tocha_graph *graph, const char *path);
/* Returns true if the current stream of the current device takes part in a capture. */
TOCHA_API bool tocha_is_capturing(tocha_context *cx);

/* --- pools. A pool's memory serves only graphs captured with its number, and what is allocated while
 * it is used. */
/* Returns the number of a new pool, 0 if it fails. */
TOCHA_API uint64_t tocha_new_memory_pool(tocha_context *cx);
/* Adds, or takes away, a user of the pool on GPU `index`. A graph with memory of it is a user, too. The
 * memory of a pool that loses its last user becomes ordinary cached memory. */
TOCHA_API bool tocha_memory_pool_retain(tocha_context *cx, int index, uint64_t pool);
TOCHA_API bool tocha_memory_pool_release(tocha_context *cx, int index, uint64_t pool);
/* Sets what the pool does with its memory. use_on_oom: free memory of it serves other allocations that would
 * fail without it. no_split: a segment serves one allocation at a time. Fails if the pool has no user on that
 * GPU. */
TOCHA_API bool tocha_memory_pool_configure(tocha_context *cx, int index, uint64_t pool,
                                           bool use_on_oom, bool no_split);
TOCHA_API int tocha_memory_pool_users(tocha_context *cx, int index, uint64_t pool);
/* Begin, and end, to take all memory of GPU `index` from the pool. */
TOCHA_API bool tocha_memory_pool_enter(tocha_context *cx, int index, uint64_t pool);
TOCHA_API bool tocha_memory_pool_leave(tocha_context *cx, int index, uint64_t pool);

#ifdef __cplusplus
}
#endif
#endif
