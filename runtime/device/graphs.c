/* graphs.c: CUDA graphs and pools of memory: the calls of the plug-in, and their errors. */
#include "tocha/graph.h"

#include <stdio.h>
#include <string.h>

#include "device/devices.h"

static const char FORBIDDEN[] = " needs a value of the GPU, or memory of the host, which a capture "
                                "does not permit: do it before "
                                "the capture or after it";

void tocha_hint_capture(tocha_context *cx) { tocha_hint(cx, "this%s", FORBIDDEN); }

void tocha_name_in_capture(tocha_context *cx, const char *name) {
  if (!cx) return;
  char *hint = cx->error.hint;
  const size_t length = strlen(hint), tail = sizeof FORBIDDEN - 1;
  if (length > tail && strcmp(hint + length - tail, FORBIDDEN) == 0)
    snprintf(hint, sizeof cx->error.hint, "%s%s", name, FORBIDDEN);
}

tocha_graph *tocha_graph_new(tocha_context *cx, bool keep_graph) {
  tocha_devices *d = tocha_devices_ready(cx, -1);
  if (!d) return NULL;
  tocha_graph *graph = d->backend->new_graph(d->state, keep_graph);
  tocha_launched(cx, graph != NULL);
  return graph;
}

void tocha_graph_free(tocha_context *cx, tocha_graph *graph) {
  if (graph) cx->devices->backend->free_graph(graph);
}

/* Returns the current stream for a call about a graph. Fails if there is none, or no graph. */
static tocha_stream *stream_for(tocha_context *cx, const tocha_graph *graph, const char *function) {
  if (!graph) return tocha_refuse_none(cx, function, "graph", "CUDAGraph");
  return tocha_failed(cx) ? NULL : tocha_current_stream(cx, -1);
}

bool tocha_graph_capture_begin(tocha_context *cx, tocha_graph *graph, uint64_t pool,
                               tocha_capture_mode mode) {
  tocha_stream *s = stream_for(cx, graph, "graph_capture_begin");
  return s && tocha_launched(cx, s->backend->capture_begin(graph, s, pool, (int)mode));
}

bool tocha_graph_capture_end(tocha_context *cx, tocha_graph *graph) {
  tocha_stream *s = stream_for(cx, graph, "graph_capture_end");
  if (!s || !tocha_launched(cx, s->backend->capture_end(graph, s))) return false;
  if (graph->is_empty)
    tocha_warn(cx, "The CUDA Graph is empty. This usually means that the graph was attempted to be "
                   "captured on wrong device or stream.");
  return true;
}

bool tocha_graph_instantiate(tocha_context *cx, tocha_graph *graph) {
  tocha_stream *s = stream_for(cx, graph, "graph_instantiate");
  return s && tocha_launched(cx, s->backend->instantiate(graph));
}

bool tocha_graph_replay(tocha_context *cx, tocha_graph *graph) {
  tocha_stream *s = stream_for(cx, graph, "graph_replay");
  return s && tocha_launched(cx, s->backend->replay(graph, s));
}

void tocha_graph_reset(tocha_graph *graph) {
  if (graph) graph->backend->reset_graph(graph);
}

uint64_t tocha_graph_pool(const tocha_graph *graph) { return graph ? graph->pool : 0; }

void tocha_graph_enable_debug_mode(tocha_graph *graph) {
  if (graph) graph->backend->debug_graph(graph);
}

bool tocha_graph_dump(tocha_context *cx, tocha_graph *graph, const char *path) {
  if (!path) return tocha_refuse_none(cx, "graph_dump", "path", "str");
  tocha_stream *s = stream_for(cx, graph, "graph_dump");
  return s && tocha_launched(cx, s->backend->dump_graph(graph, path));
}

bool tocha_is_capturing(tocha_context *cx) {
  const tocha_devices *d = cx ? cx->devices : NULL;
  tocha_stream *s = d ? d->streams[d->current] : NULL;
  return s && s->backend->is_capturing(s);
}

/* --- pools ----------------------------------------------------------------------------------- */

/* Returns the devices, and gives *index the number of a GPU. */
static tocha_devices *place(tocha_context *cx, int *index) {
  tocha_devices *d = tocha_devices_ready(cx, *index);
  if (d) *index = tocha_concrete_device(cx, tocha_cuda_device(*index)).index;
  return d;
}

uint64_t tocha_new_memory_pool(tocha_context *cx) {
  tocha_devices *d = tocha_devices_ready(cx, -1);
  return d ? d->backend->new_pool(d->state) : 0;
}

bool tocha_memory_pool_retain(tocha_context *cx, int index, uint64_t pool) {
  tocha_devices *d = place(cx, &index);
  return d && tocha_launched(cx, d->backend->hold_pool(d->state, index, pool, true));
}

bool tocha_memory_pool_release(tocha_context *cx, int index, uint64_t pool) {
  tocha_devices *d = place(cx, &index);
  return d && tocha_launched(cx, d->backend->hold_pool(d->state, index, pool, false));
}

bool tocha_memory_pool_configure(tocha_context *cx, int index, uint64_t pool, bool use_on_oom,
                                 bool no_split) {
  tocha_devices *d = place(cx, &index);
  return d && tocha_launched(
                  cx, d->backend->configure_pool(d->state, index, pool, use_on_oom, no_split));
}

int tocha_memory_pool_users(tocha_context *cx, int index, uint64_t pool) {
  tocha_devices *d = place(cx, &index);
  return d ? d->backend->users_of_pool(d->state, index, pool) : 0;
}

bool tocha_memory_pool_enter(tocha_context *cx, int index, uint64_t pool) {
  tocha_devices *d = place(cx, &index);
  return d && tocha_launched(cx, d->backend->use_pool(d->state, index, pool, true));
}

bool tocha_memory_pool_leave(tocha_context *cx, int index, uint64_t pool) {
  tocha_devices *d = place(cx, &index);
  return d && tocha_launched(cx, d->backend->use_pool(d->state, index, pool, false));
}
