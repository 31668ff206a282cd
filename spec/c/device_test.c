/* device_test.c: a GPU used from C, without Lua: two contexts in one process, closing with work under
 * way, tensors that outlive their context, streams and events, memory that lacks at every point.
 * On a GPU, else on the simulated GPU where it was built; skipped where there is neither. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "core/internal.h"
#include "tocha/device_memory.h"
#include "tocha/amp.h"
#include "tocha/graph.h"
#include "tocha/context.h"
#include "tocha/nn.h"
#include "tocha/optim.h"
#include "tocha/tensor.h"
#include "tocha/ops/add.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/mul.h"
#include "tocha/ops/sum.h"
#include "tocha/ops/to_copy.h"

static const tocha_device gpu = {TOCHA_CUDA, -1};

/* n numbers on the gpu: value, value, ... */
static tocha_tensor *filled(tocha_context *cx, int64_t n, double value) {
  float *values = malloc((size_t)n * sizeof *values);
  for (int64_t i = 0; values && i < n; i++) values[i] = (float)value;
  tocha_tensor *here = values ? tocha_from_values(cx, values, 1, &n, TOCHA_FLOAT32) : NULL;
  free(values);
  return here ? tocha_to_copy_full(cx, here, TOCHA_NO_DTYPE, gpu, false) : NULL;
}

static double number(tocha_context *cx, tocha_tensor *t) {
  tocha_scalar value;
  if (!t || !tocha_item(cx, t, &value)) return -1;
  return value.kind == TOCHA_SCALAR_FLOAT ? value.value.real : (double)value.value.integer;
}

/* 3 * (x + x)[0..n) summed, by way of several launches; -1 on failure. */
static double work(tocha_context *cx, int64_t n, double x) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *a = filled(cx, n, x), *three = filled(cx, 1, 3);
  tocha_tensor *sum = a && three ? tocha_sum(cx, tocha_mul(cx, tocha_add(cx, a, a), three)) : NULL;
  double answer = number(cx, sum);
  tocha_scope_end(cx, scope, NULL);
  return answer;
}

/* A bad index is on its way when this returns. */
static void ask_too_far(tocha_context *cx) {
  int64_t one = 1, far = 9;
  tocha_tensor *index = tocha_from_values(cx, &far, 1, &one, TOCHA_INT64);
  index = index ? tocha_to_copy_full(cx, index, TOCHA_NO_DTYPE, gpu, false) : NULL;
  tocha_tensor *x = filled(cx, 4, 1);
  EXPECT(x && index && tocha_index_select(cx, x, 0, index), "the launch itself is no error");
}

static void test_two_contexts(void) {
  tocha_context *a = tocha_open(NULL), *b = tocha_open(NULL);
  tocha_device_memory memory;
  EXPECT(work(a, 1000, 2) == 12000 && work(b, 1000, 3) == 18000, "both work");
  tocha_tensor *kept = tocha_retain(filled(a, 1000, 1));
  EXPECT(tocha_get_device_memory(a, 0, &memory) && memory.allocated >= 4000, "figures of one");
  EXPECT(tocha_get_device_memory(b, 0, &memory) && memory.allocated == 0, "and of the other");
  EXPECT(tocha_memory(a, gpu).allocated >= 4000 && tocha_memory(b, gpu).allocated == 0,
         "the same by the general question");
  ask_too_far(a);
  EXPECT(tocha_synchronize(b, 0), "a mistake of one is not the other's");
  EXPECT(!tocha_synchronize(a, 0) && strstr(tocha_error(a)->message, "index 9 is out of bounds"),
         "it is its own");
  tocha_clear_error(a);
  EXPECT(tocha_synchronize(a, 0) && work(a, 10, 1) == 60, "and once");
  tocha_close(b);
  EXPECT(work(a, 1000, 2) == 12000, "one goes on without the other");
  tocha_close(a);
  tocha_release(kept); /* the last of its context */
}

static void test_closing(void) {
  for (int i = 0; i < 30; i++) {
    tocha_context *cx = tocha_open(NULL);
    tocha_tensor *x = filled(cx, 100000, 1);
    for (int k = 0; x && k < 10; k++) x = tocha_add(cx, x, x);
    EXPECT(x != NULL, "work is started");
    if (i % 3 == 1) ask_too_far(cx);
    if (i % 3 == 2) EXPECT(tocha_synchronize(cx, -1), "work is done");
    tocha_close(cx);
  }
}

static void test_streams(void) {
  tocha_context *cx = tocha_open(NULL);
  tocha_event event = {NULL, 0, false}, start = {NULL, 0, true}, stop = {NULL, 0, true};
  double milliseconds = -1;
  tocha_stream *first = tocha_current_stream(cx, -1), *side = tocha_new_stream(cx, -1, -1);
  EXPECT(first && side && first != side && first == tocha_default_stream(cx, 0), "streams");
  tocha_tensor *x = filled(cx, 1000, 5);
  EXPECT(tocha_event_record(cx, &event, first) && tocha_event_wait(cx, &event, side), "an event");
  EXPECT(tocha_set_stream(cx, side) == first, "the stream that was current");
  EXPECT(tocha_event_record(cx, &start, side), "a start");
  tocha_tensor *y = tocha_add(cx, x, x);
  EXPECT(tocha_event_record(cx, &stop, side) && tocha_record_stream(cx, x, side), "a stop");
  EXPECT(tocha_set_stream(cx, first) == side, "back");
  EXPECT(tocha_stream_wait_stream(cx, first, side), "the first waits");
  EXPECT(number(cx, tocha_sum(cx, y)) == 10000, "the sum");
  EXPECT(tocha_event_synchronize(cx, &stop) && tocha_event_query(cx, &stop) == 1 &&
             tocha_event_elapsed(cx, &start, &stop, &milliseconds) && milliseconds >= 0,
         "the time between");
  EXPECT(tocha_stream_synchronize(cx, side) && tocha_stream_query(cx, side) == 1, "all is done");
  tocha_event_free(cx, &event);
  tocha_event_free(cx, &event); /* a second time is harmless */
  tocha_event_free(cx, &start);
  tocha_event_free(cx, &stop);
  tocha_close(cx);
}

static void test_mistakes(void) {
  tocha_context *cx = tocha_open(NULL);
  tocha_device_properties p;
  const int wrong[] = {16, 127, 40000, 65536, 1 << 30};
  for (int i = 0; i < 5; i++) {
    bool refused = !tocha_set_current_device(cx, wrong[i]) && tocha_failed(cx);
    tocha_clear_error(cx);
    refused = refused && !tocha_get_device_properties(cx, wrong[i], &p) && tocha_failed(cx);
    tocha_clear_error(cx);
    refused = refused && !tocha_current_stream(cx, wrong[i]) && tocha_failed(cx);
    tocha_clear_error(cx);
    refused = refused && !tocha_new_stream(cx, wrong[i], 0) && tocha_failed(cx);
    tocha_clear_error(cx);
    refused = refused && !tocha_device_generator(cx, wrong[i]) && tocha_failed(cx);
    tocha_clear_error(cx);
    EXPECT(refused && !tocha_synchronize(cx, wrong[i]), "a GPU that is not there");
    tocha_clear_error(cx);
  }
  EXPECT(work(cx, 10, 1) == 60, "the context goes on");
  tocha_close(cx);
}

/* Each allocation of the host in turn fails, from the plug-in's loading on. */
static void test_lack_of_memory(void) {
  bool finished = false;
  for (int n = 0; n < 500 && !finished; n++) {
    tocha_context *cx = tocha_open(NULL);
    if (n % 2) work(cx, 10, 1); /* with what is loaded, and without */
    tocha_empty_cache(cx);
    cx->allocator.fail_after = n / 2;
    double answer = work(cx, 5000, 2);
    finished = n % 2 == 0 && answer == 60000 && cx->allocator.fail_after >= 0;
    cx->allocator.fail_after = -1;
    EXPECT(answer == 60000 || tocha_failed(cx), "an error is said");
    tocha_clear_error(cx);
    EXPECT(work(cx, 10, 1) == 60, "and over");
    tocha_close(cx);
  }
  EXPECT(finished, "there are fewer than 250 allocations");
}

/* A graph of x + x, replayed with another x, and a capture that an error ends. */
static void test_graphs(void) {
  tocha_context *cx = tocha_open(NULL);
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *x = filled(cx, 10, 1), *three = filled(cx, 1, 3), *y = NULL;
  tocha_graph *g = tocha_graph_new(cx, false);
  tocha_stream *side = tocha_new_stream(cx, -1, 0), *before = tocha_set_stream(cx, side);
  EXPECT(!tocha_is_capturing(cx) && tocha_synchronize(cx, -1), "no capture is under way");
  EXPECT(tocha_graph_capture_begin(cx, g, 0, TOCHA_CAPTURE_GLOBAL), "a capture begins");
  EXPECT(tocha_is_capturing(cx), "and is under way");
  y = tocha_add(cx, x, x);
  EXPECT(y && tocha_graph_capture_end(cx, g), "and ends");
  EXPECT(tocha_graph_pool(g) > 0, "its memory is a pool's");
  tocha_set_stream(cx, before);
  EXPECT(tocha_mul_(cx, x, three) && tocha_graph_replay(cx, g), "it is replayed");
  EXPECT(number(cx, tocha_sum(cx, y)) == 60, "with what the tensors contain");
  tocha_graph_reset(g);
  EXPECT(!tocha_graph_replay(cx, g), "a graph that was reset is empty");
  tocha_clear_error(cx);
  tocha_set_stream(cx, side);
  EXPECT(tocha_graph_capture_begin(cx, g, 0, TOCHA_CAPTURE_RELAXED), "another capture");
  EXPECT(number(cx, tocha_sum(cx, x)) == -1, "may not read a value");
  EXPECT(strcmp(tocha_error(cx)->message,
                "CUDA error: operation not permitted when stream is capturing") == 0,
         "and says so");
  tocha_clear_error(cx);
  EXPECT(!tocha_is_capturing(cx) && !tocha_graph_capture_end(cx, g), "which ends it");
  tocha_clear_error(cx);
  EXPECT(tocha_stream_synchronize(cx, side), "the stream works");
  tocha_graph_free(cx, g);
  tocha_scope_end(cx, scope, NULL);
  tocha_close(cx);
}

static void add_bytes(void *user, uint64_t pool, const tocha_statistic *reserved) {
  if (pool) *(int64_t *)user += reserved[TOCHA_POOL_ALL].current;
}

/* Segments that grow, whose memory goes back when their context is closed; a pool has some of it. */
static void test_expandable(void) {
  size_t before = 0, during = 0, after = 0, all;
  int64_t in_pools = 0;
  setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", 1);
  tocha_context *other = tocha_open(NULL), *cx = tocha_open(NULL);
  EXPECT(work(other, 1000, 1) == 6000, "another context works");
  EXPECT(tocha_device_memory_info(other, -1, &before, &all), "and sees the free memory");
  uint64_t pool = tocha_new_memory_pool(cx);
  EXPECT(pool && tocha_memory_pool_enter(cx, -1, pool), "memory comes from a pool");
  EXPECT(work(cx, 1000000, 1) == 6000000, "a context works");
  EXPECT(tocha_visit_memory_pools(cx, -1, add_bytes, &in_pools), "its pools are there");
  EXPECT(tocha_device_memory_info(other, -1, &during, &all), "memory was taken");
  EXPECT(in_pools >= 4000000 && before - during >= (size_t)in_pools, "by the pool");
  EXPECT(tocha_memory_pool_leave(cx, -1, pool), "which is left");
  tocha_close(cx);
  EXPECT(tocha_device_memory_info(other, -1, &after, &all) && after == before, "all is back");
  tocha_close(other);
  unsetenv("PYTORCH_CUDA_ALLOC_CONF");
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  int count = tocha_device_count(cx);
  tocha_close(cx);
  if (!count && setenv("TOCHA_CUDA", "simulate", 0) == 0) {
    cx = tocha_open(NULL);
    count = tocha_device_count(cx);
    if (!count) printf("skipped, there is no gpu: %s\n", tocha_device_reason(cx));
    tocha_close(cx);
  }
  if (count) {
    test_two_contexts();
    test_closing();
    test_streams();
    test_graphs();
    test_expandable();
    test_mistakes();
    test_lack_of_memory();
  }
  return finish();
}
