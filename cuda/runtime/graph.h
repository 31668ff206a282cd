/* graph.h: captures of streams, and graphs that replay them.
 *
 * One capture at a time is under way in a context (state->capture). A call that CUDA does not permit
 * during it fails, and ends it. */
#pragma once

#include "runtime/state.h"

namespace tocha {

enum { MAX_DRAWERS = 16 };

/* Lets this thread do what is unsafe during captures of others, such as cudaMalloc, because it
 * concerns no captured stream. */
class Relaxed {
public:
  Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode); }
  ~Relaxed() { cudaThreadExchangeStreamCaptureMode(&mode); }
  Relaxed(const Relaxed &) = delete;
  Relaxed &operator=(const Relaxed &) = delete;

private:
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
};

/* Returns true if the stream takes part in the capture that is under way. */
bool is_captured(const Stream *stream);
/* Ends the capture that is under way and returns true, if `status` says that it cannot go on. */
bool end_failed_capture(tocha_backend_state *state, cudaError_t status);
/* Returns true, and fails as a call that a capture does not permit, if a call of a library has broken
 * the stream's capture. The library's own status does not tell. */
bool refused_in_capture(Stream *stream);
/* Keeps a block of pinned memory for the graph of the capture, whose replays use it. Returns false
 * if it does already. */
bool keep_pinned(Graph *graph, void *block);

/* The place at which the random words of a launch begin. */
struct Words {
  uint64_t seed, offset;
  const unsigned long long
      *position; /* of a captured launch: on the device, a seed, which counts in
                                       * place of `seed`, and an offset, to which `offset` is added */
};
/* Takes up to `words` random words per thread from a generator. In a capture, each replay takes as
 * many. */
Words take_words(Stream *stream, tocha_generator *generator, uint64_t words);

/* The words that a replay takes from each of its generators. */
struct Taken {
  unsigned long long words[MAX_DRAWERS];
};
/* Write a position on the device, and move `count` positions on (random/position.cu). */
bool launch_set_position(Stream *stream, unsigned long long *position, uint64_t seed,
                         uint64_t offset);
bool launch_advance(Stream *stream, unsigned long long *positions, const Taken &taken, int count);

tocha_graph *new_graph(tocha_backend_state *state, bool keep);
void free_graph(tocha_graph *graph);
bool capture_begin(tocha_graph *graph, tocha_stream *stream, uint64_t pool, int mode);
bool capture_end(tocha_graph *graph, tocha_stream *stream);
bool instantiate(tocha_graph *graph);
bool replay(tocha_graph *graph, tocha_stream *stream);
void reset_graph(tocha_graph *graph);
void debug_graph(tocha_graph *graph);
bool dump_graph(tocha_graph *graph, const char *path);
bool is_capturing(tocha_stream *stream);
void forget_generator(tocha_backend_state *state, const tocha_generator *generator);

uint64_t new_pool(tocha_backend_state *state);
bool hold_pool(tocha_backend_state *state, int device, uint64_t pool, bool hold);
bool use_pool(tocha_backend_state *state, int device, uint64_t pool, bool use);
bool configure_pool(tocha_backend_state *state, int device, uint64_t pool, bool use_on_oom,
                    bool no_split);
int users_of_pool(tocha_backend_state *state, int device, uint64_t pool);

} // namespace tocha
