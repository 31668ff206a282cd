/* graph.cpp: captures the work of streams as CUDA graphs, and replays it.
 *
 * A capture takes memory from a pool, which the graph keeps until it is reset, so that the addresses
 * in it stay valid. What a graph holds is freed after the capture that is under way, because CUDA
 * permits it only then.
 *
 * Random numbers: the kernels of a graph read the position of their generator (seed, offset) on the
 * device, and the last kernel of the graph moves it on by the words that a replay takes. The host
 * writes it again only if the generator was used or seeded elsewhere. */
#include "runtime/graph.h"

#include <new>
#include <vector>

#include "matmul/blas.h"
#include "random/random.h"
#include "runtime/allocator.h"
#include "runtime/events.h"
#include "runtime/pinned.h"
#include "runtime/pools.h"

namespace tocha {

/* A generator that a graph draws from. */
struct Drawer {
  tocha_generator
      *generator; /* nullptr: it was freed, and the numbers go on from the device's position */
  uint64_t taken; /* words per thread in a replay */
  uint64_t seed, offset; /* of the device's position after the replays so far */
  bool written;
};

/* The results of a capture. */
struct Captured {
  tocha_backend_state *state;
  int device;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Pool *pool;
  std::vector<Pool *> borrowed; /* whose memory work within the capture took by use_pool */
  tocha_block *positions;       /* MAX_DRAWERS pairs of seed and offset */
  std::vector<Drawer> drawers;
  std::vector<void *> pinned;
  Stream *last;  /* that it was replayed on last */
  bool given_up; /* freed after the capture that is under way */
  Captured *following;
};

struct Graph : tocha_graph {
  bool keep;     /* the graph stays beside its executable form */
  bool debug;    /* so, too, for debug_dump */
  bool failed;   /* the capture was ended by a failure */
  bool overflow; /* more than MAX_DRAWERS generators */
  Stream *stream;
  Captured *captured;
};

static Graph *own(tocha_graph *graph) { return static_cast<Graph *>(graph); }

static Allocator *allocator_of(const Captured *c) { return c->state->devices[c->device].allocator; }

bool is_captured(const Stream *stream) {
  cudaStreamCaptureStatus status;
  return stream->state->capture && cudaStreamIsCapturing(stream->cuda(), &status) == cudaSuccess &&
         status == cudaStreamCaptureStatusActive;
}

/* --- what a graph holds ------------------------------------------------------------------------- */

static Captured *new_captured(tocha_backend_state *state, int device, uint64_t pool) {
  auto *c = new (std::nothrow) Captured();
  if (!c) {
    fail(state, "memory is exhausted");
    return nullptr;
  }
  c->state = state;
  c->device = device;
  c->pool = retain_pool(pools_of(allocator_of(c)), pool);
  c->following = state->captured;
  return state->captured = c;
}

/* Frees it, or gives it up if a capture is under way. */
static void dispose(Captured *c) {
  tocha_backend_state *state = c->state;
  c->given_up = true;
  if (state->capture || !use_device(state, c->device)) return;
  Captured **link = &state->captured;
  while (*link != c) link = &(*link)->following;
  *link = c->following;
  if (c->exec) cudaGraphExecDestroy(c->exec);
  if (c->graph) cudaGraphDestroy(c->graph);
  cudaGetLastError();
  for (void *block : c->pinned) forget_pinned(state, block, c->last);
  if (c->positions) release(c->positions);
  release_pool(c->pool);
  for (Pool *pool : c->borrowed) release_pool(pool);
  settle_pools(allocator_of(c));
  delete c;
}

static void dispose_given_up(tocha_backend_state *state) {
  for (Captured *c = state->captured, *next; c; c = next) {
    next = c->following;
    if (c->given_up) dispose(c);
  }
}

tocha_graph *new_graph(tocha_backend_state *state, bool keep) {
  auto *g = new (std::nothrow) Graph();
  if (!g) {
    fail(state, "memory is exhausted");
    return nullptr;
  }
  g->backend = &backend;
  g->state = state;
  g->keep = keep;
  return g;
}

void debug_graph(tocha_graph *graph) { own(graph)->debug = true; }

void reset_graph(tocha_graph *graph) {
  Graph *g = own(graph);
  if (g->state->capture == g) end_failed_capture(g->state, cudaErrorStreamCaptureInvalidated);
  if (g->captured) dispose(g->captured);
  g->captured = nullptr;
  g->failed = false;
}

void free_graph(tocha_graph *graph) {
  reset_graph(graph);
  delete own(graph);
}

bool keep_pinned(Graph *graph, void *block) {
  for (void *kept : graph->captured->pinned)
    if (kept == block) return false;
  graph->captured->pinned.push_back(block);
  return true;
}

/* --- capturing ---------------------------------------------------------------------------------- */

/* Ends what the capture changed beside its stream. */
static void leave(Graph *g) {
  tocha_backend_state *state = g->state;
  Device &device = g->stream->home();
  state->capture = nullptr;
  remove_route(pools_of(device.allocator), g->captured->pool, true);
  leave_workspaces(device.blas);
  for (int i = 0; i < state->device_count; i++)
    if (state->devices[i].ready) settle_pools(state->devices[i].allocator);
}

bool end_failed_capture(tocha_backend_state *state, cudaError_t status) {
  Graph *g = state->capture;
  if (!g || status < cudaErrorStreamCaptureUnsupported ||
      status > cudaErrorStreamCaptureWrongThread)
    return false;
  cudaGraph_t partial = nullptr;
  cudaStreamEndCapture(g->stream->cuda(), &partial);
  if (partial) cudaGraphDestroy(partial);
  cudaGetLastError();
  leave(g);
  dispose(g->captured);
  g->captured = nullptr;
  g->failed = true;
  dispose_given_up(state);
  return true;
}

bool refused_in_capture(Stream *stream) {
  cudaStreamCaptureStatus status;
  if (!stream->state->capture || cudaStreamIsCapturing(stream->cuda(), &status) != cudaSuccess ||
      status != cudaStreamCaptureStatusInvalidated)
    return false;
  check(stream->state, cudaErrorStreamCaptureUnsupported);
  return true;
}

/* Gives the capture its pool, and makes what must be there before it begins. */
static bool enter(Graph *g, Stream *stream, uint64_t pool) {
  tocha_backend_state *state = g->state;
  g->captured = new_captured(state, stream->device, pool ? pool : new_pool(state));
  if (!g->captured) return false;
  g->stream = stream;
  g->failed = g->overflow = false;
  g->pool = g->captured->pool->number;
  prepare_blas(stream);
  add_route(pools_of(stream->home().allocator), g->captured->pool, true);
  return true;
}

bool capture_begin(tocha_graph *graph, tocha_stream *tocha, uint64_t pool, int mode) {
  Graph *g = own(graph);
  tocha_backend_state *state = g->state;
  Stream *stream = own(tocha);
  if (g->captured)
    return fail(state, "This CUDAGraph instance already owns a captured graph. To capture a new "
                       "graph, create a new instance.");
  if (tocha == state->devices[stream->device].streams)
    return fail(state, "CUDA graphs must be captured on a non-default stream. (However, after "
                       "capture, it's ok to replay them on the default stream.)");
  if (state->capture) return fail(state, "a capture is under way: there may be only one at a time");
  if (!use_device(state, stream->device) || !enter(g, stream, pool)) return false;
  bool begun = check(
      state, cudaStreamBeginCapture(stream->cuda(), static_cast<cudaStreamCaptureMode>(mode)));
  state->capture = g;
  bool exhausted = false;
  if (begun)
    g->captured->positions =
        allocate(stream->home().allocator, stream, sizeof(uint64_t) * 2 * MAX_DRAWERS, &exhausted);
  if (g->captured && g->captured->positions) return true;
  if (exhausted) fail(state, "CUDA out of memory: no room for a capture");
  end_failed_capture(state, cudaErrorStreamCaptureInvalidated);
  return false;
}

/* Adds the kernel that moves the generators' positions on. */
static bool advance(Graph *g) {
  const std::vector<Drawer> &drawers = g->captured->drawers;
  Taken taken = {};
  for (size_t i = 0; i < drawers.size(); i++) taken.words[i] = drawers[i].taken;
  return drawers.empty() ||
         launch_advance(g->stream, static_cast<unsigned long long *>(g->captured->positions->data),
                        taken, static_cast<int>(drawers.size()));
}

/* Makes the executable form of what was captured. */
static bool make_executable(Graph *g) {
  Captured *c = g->captured;
  if (c->exec) cudaGraphExecDestroy(c->exec);
  c->exec = nullptr;
  if (!check(g->state, cudaGraphInstantiateWithFlags(&c->exec, c->graph, 0))) return false;
  if (g->keep || g->debug) return true;
  cudaGraphDestroy(c->graph);
  c->graph = nullptr;
  return true;
}

/* Looks at what the end of a capture gave. */
static bool accept(Graph *g, cudaError_t status) {
  size_t nodes = 0;
  if (!check(g->state, status) ||
      !check(g->state, cudaGraphGetNodes(g->captured->graph, nullptr, &nodes)))
    return false;
  if (g->overflow) return fail(g->state, "a graph draws from at most %d generators", MAX_DRAWERS);
  g->is_empty = nodes == 0;
  return g->keep || make_executable(g);
}

bool capture_end(tocha_graph *graph, tocha_stream *stream) {
  Graph *g = own(graph);
  tocha_backend_state *state = g->state;
  if (g->failed || state->capture != g) {
    cudaError_t why = g->failed ? cudaErrorStreamCaptureInvalidated : cudaErrorIllegalState;
    g->failed = false;
    return fail(state, "CUDA error: %s", cudaGetErrorString(why));
  }
  if (stream != g->stream) return fail(state, "Capture must end on the same stream it began on.");
  if (!use_device(state, stream->device) || !advance(g)) return false;
  const cudaError_t status = cudaStreamEndCapture(g->stream->cuda(), &g->captured->graph);
  leave(g);
  const bool ok = accept(g, status);
  if (!ok) {
    dispose(g->captured);
    g->captured = nullptr;
  }
  dispose_given_up(state);
  return ok;
}

bool is_capturing(tocha_stream *stream) { return is_captured(own(stream)); }

/* --- replaying ---------------------------------------------------------------------------------- */

bool instantiate(tocha_graph *graph) {
  Graph *g = own(graph);
  if (!g->captured || g->state->capture == g)
    return fail(g->state, "capture_end() must have been called before calling instantiate");
  if (!g->captured->graph)
    return fail(g->state,
                "instantiate() is intended to be called by the user only when keep_graph=true");
  return use_device(g->state, g->captured->device) && make_executable(g);
}

/* Writes the positions of generators that have moved since the last replay, and moves all of them
 * past the words of this one. */
static bool locate(Captured *c, Stream *stream) {
  for (size_t i = 0; i < c->drawers.size(); i++) {
    Drawer &d = c->drawers[i];
    if (tocha_generator *generator = d.generator) {
      if (!d.written || d.seed != generator->initial_seed || d.offset != generator->offset) {
        auto *positions = static_cast<unsigned long long *>(c->positions->data);
        if (!launch_set_position(stream, positions + 2 * i, generator->initial_seed,
                                 generator->offset))
          return false;
      }
      d.written = true;
      d.seed = generator->initial_seed;
      d.offset = generator->offset += d.taken;
    }
  }
  return true;
}

bool replay(tocha_graph *graph, tocha_stream *tocha) {
  Graph *g = own(graph);
  tocha_backend_state *state = g->state;
  Captured *c = g->captured;
  Stream *stream = own(tocha);
  if (!c || state->capture == g)
    return fail(state, "Called CUDAGraph::replay without a preceding successful capture.");
  if (state->capture) return fail(state, "a graph cannot be replayed during a capture");
  if (!use_device(state, c->device) || (!c->exec && !make_executable(g))) return false;
  if (c->last && c->last != stream) { /* the positions are written in the order of replays */
    cudaEvent_t event = event_after(c->last);
    if (event && !check(state, cudaStreamWaitEvent(stream->cuda(), event, 0))) return false;
    if (event) cudaEventDestroy(event);
  }
  c->last = stream;
  return locate(c, stream) && check(state, cudaGraphLaunch(c->exec, stream->cuda()));
}

bool dump_graph(tocha_graph *graph, const char *path) {
  Graph *g = own(graph);
  if (!g->captured || !g->captured->graph)
    return fail(g->state, "the graph is not there: keep_graph = true or enable_debug_mode() keeps "
                          "it after the capture");
  return check(g->state,
               cudaGraphDebugDotPrint(g->captured->graph, path, cudaGraphDebugDotFlagsVerbose));
}

/* --- random numbers ----------------------------------------------------------------------------- */

/* Returns the drawer of a generator, or MAX_DRAWERS if there are too many. */
static size_t drawer_of(Captured *c, tocha_generator *generator) {
  size_t i = 0;
  while (i < c->drawers.size() && c->drawers[i].generator != generator) i++;
  if (i == c->drawers.size() && i < MAX_DRAWERS) c->drawers.push_back({generator, 0, 0, 0, false});
  return i;
}

Words take_words(Stream *stream, tocha_generator *generator, uint64_t words) {
  if (!is_captured(stream))
    return {generator->initial_seed, tocha_philox_take(generator, words), nullptr};
  Graph *g = stream->state->capture;
  const size_t i = drawer_of(g->captured, generator);
  if (i == MAX_DRAWERS) {
    g->overflow = true;
    return {};
  }
  Drawer &d = g->captured->drawers[i];
  const uint64_t offset = d.taken;
  d.taken += (words + 3) / 4 * 4;
  return {0, offset, static_cast<const unsigned long long *>(g->captured->positions->data) + 2 * i};
}

void forget_generator(tocha_backend_state *state, const tocha_generator *generator) {
  for (Captured *c = state->captured; c; c = c->following)
    for (Drawer &d : c->drawers)
      if (d.generator == generator) d.generator = nullptr;
}

/* --- pools -------------------------------------------------------------------------------------- */

uint64_t new_pool(tocha_backend_state *state) { return ++state->last_pool; }

/* Returns the pool, or nullptr if it has no users. */
static Pool *pool_in_use(Allocator *a, uint64_t number) {
  for (Pool *pool : pools_of(a).all)
    if (pool->number == number && pool->users > 0) return pool;
  return nullptr;
}

bool hold_pool(tocha_backend_state *state, int device, uint64_t number, bool hold) {
  if (!use_device(state, device)) return false;
  Allocator *a = state->devices[device].allocator;
  if (hold) {
    retain_pool(pools_of(a), number);
  } else if (Pool *pool = pool_in_use(a, number)) {
    release_pool(pool);
    settle_pools(a);
  }
  return true;
}

bool use_pool(tocha_backend_state *state, int device, uint64_t number, bool use) {
  if (!use_device(state, device)) return false;
  Allocator *a = state->devices[device].allocator;
  if (use) {
    Captured *c = state->capture ? state->capture->captured : nullptr;
    if (c && c->device == device) c->borrowed.push_back(retain_pool(pools_of(a), number));
    add_route(pools_of(a), retain_pool(pools_of(a), number), false);
  } else if (Pool *pool = pool_in_use(a, number)) {
    remove_route(pools_of(a), pool, false);
    release_pool(pool);
    settle_pools(a);
  }
  return true;
}

bool configure_pool(tocha_backend_state *state, int device, uint64_t number, bool use_on_oom,
                    bool no_split) {
  if (!use_device(state, device)) return false;
  Pool *pool = pool_in_use(state->devices[device].allocator, number);
  if (!pool) return fail(state, "the pool has no user");
  pool->use_on_oom = use_on_oom;
  pool->no_split = no_split;
  return true;
}

int users_of_pool(tocha_backend_state *state, int device, uint64_t number) {
  const Device &d = state->devices[device];
  return d.ready ? pool_users(pools_of(d.allocator), number) : 0;
}

} // namespace tocha
