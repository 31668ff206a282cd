/* data_test.c: batches in C: of tensors, of a function, in any order; errors; memory. That the order is PyTorch's is seen by
 * lua_batches_test.c. */
#include "tocha/data.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tocha/tocha.h"

enum { SAMPLES = 10 };

static bool says(tocha_context *cx, tocha_error_code code, const char *words) {
  const tocha_error_info *error = tocha_error(cx);
  bool right = error->code == code && strstr(error->message, words);
  if (!right) printf("# code %d: %s\n", (int)error->code, error->message);
  tocha_clear_error(cx);
  return right;
}

/* A function that makes sample i: a row of 3 numbers i, and the number 2 i. */
typedef struct maker {
  int64_t calls, fails_at, interrupts_at, odd_at, missing_at; /* at these samples; -1: never */
} maker;

static maker usual(void) { return (maker){0, -1, -1, -1, -1}; }

static bool make(tocha_context *cx, void *user, int64_t index, tocha_tensor **parts) {
  maker *m = user;
  int64_t size = index == m->odd_at ? 4 : 3, label = 2 * index;
  m->calls++;
  if (index == m->fails_at)
    return tocha_fail(cx, TOCHA_KEY_ERROR, "there is no file %d", (int)index);
  if (index == m->interrupts_at) tocha_interrupt(cx);
  parts[0] = tocha_full(cx, 1, &size, tocha_float((double)index));
  parts[1] = tocha_from_values(cx, &label, 0, NULL, TOCHA_INT64);
  if (index == m->missing_at) parts[1] = NULL;
  return true;
}

static tocha_data_options of_function(maker *m) {
  return (tocha_data_options){
      .parts = 2, .sample = make, .user = m, .samples = SAMPLES, .batch_size = 4};
}

static int64_t label(tocha_tensor *batch, int64_t i) {
  return ((const int64_t *)tocha_data(batch))[i];
}

/* Reads a pass and returns its samples, each of which must come once; `seen` gets their order. */
static int64_t read_pass(tocha_context *cx, tocha_data_loader *l, int64_t *seen) {
  tocha_tensor *batch[2];
  int64_t count = 0;
  size_t before = tocha_scope_size(cx);
  for (;;) {
    tocha_scope scope = tocha_scope_begin(cx);
    bool more = tocha_data_loader_next(cx, l, batch);
    CHECK(tocha_scope_size(cx) == before + (more ? 2 : 0));
    for (int64_t i = 0; more && i < tocha_sizes(batch[0])[0]; i++) {
      const float *row = (const float *)tocha_data(batch[0]) + 3 * i;
      CHECK(2 * (int64_t)row[0] == label(batch[1], i) && row[0] == row[2]);
      seen[count++] = (int64_t)row[0];
    }
    tocha_scope_end(cx, scope, NULL);
    if (!more) return count;
  }
}

static bool is_each_once(const int64_t *seen, int64_t count) {
  bool found[SAMPLES] = {false};
  for (int64_t i = 0; i < count; i++) {
    if (found[seen[i]]) return false;
    found[seen[i]] = true;
  }
  return true;
}

static bool in_order(const int64_t *seen, int64_t count) {
  for (int64_t i = 0; i < count; i++)
    if (seen[i] != i) return false;
  return true;
}

/* Makes the data set of `make` as tensors. */
static void tensors_of(tocha_context *cx, tocha_tensor **tensors) {
  maker m = usual();
  tocha_data_options options = of_function(&m);
  options.batch_size = SAMPLES;
  tocha_data_loader *l = tocha_data_loader_new(cx, &options);
  CHECK(tocha_data_loader_next(cx, l, tensors));
  tocha_data_loader_free(l);
}

static void test_passes(tocha_context *cx, const tocha_data_options *options) {
  int64_t seen[SAMPLES], again[SAMPLES];
  tocha_data_options o = *options;
  tocha_data_loader *l = tocha_data_loader_new(cx, &o);
  CHECK(tocha_data_loader_length(l) == 3);
  for (int pass = 0; pass < 2; pass++)
    CHECK(read_pass(cx, l, seen) == SAMPLES && in_order(seen, SAMPLES));
  tocha_data_loader_free(l);
  o.shuffle = true;
  l = tocha_data_loader_new(cx, &o);
  CHECK(read_pass(cx, l, seen) == SAMPLES && is_each_once(seen, SAMPLES) &&
        !in_order(seen, SAMPLES));
  CHECK(read_pass(cx, l, again) == SAMPLES && memcmp(seen, again, sizeof seen) != 0);
  tocha_tensor *batch[2];
  tocha_scope scope = tocha_scope_begin(cx);
  CHECK(tocha_data_loader_next(cx, l, batch) && tocha_sizes(batch[0])[0] == 4);
  tocha_data_loader_rewind(l); /* the loop was left */
  tocha_scope_end(cx, scope, NULL);
  CHECK(read_pass(cx, l, seen) == SAMPLES && is_each_once(seen, SAMPLES));
  tocha_data_loader_free(l);
  o.drop_last = true;
  l = tocha_data_loader_new(cx, &o);
  CHECK(tocha_data_loader_length(l) == 2);
  CHECK(read_pass(cx, l, seen) == 8 && is_each_once(seen, 8));
  tocha_data_loader_free(l);
  CHECK(!tocha_failed(cx));
}

/* A pass that fails ends, and the next one begins from the first sample. */
static void test_failing_function(tocha_context *cx) {
  int64_t seen[SAMPLES];
  maker m = usual();
  tocha_data_options options = of_function(&m);
  tocha_data_loader *l = tocha_data_loader_new(cx, &options);
  static const struct {
    size_t field;
    tocha_error_code code;
    const char *words;
  } ways[] = {
      {offsetof(maker, fails_at), TOCHA_KEY_ERROR, "there is no file 5"},
      {offsetof(maker, interrupts_at), TOCHA_INTERRUPTED, ""},
      {offsetof(maker, odd_at), TOCHA_RUNTIME_ERROR, "stack expects each tensor to be equal size"},
      {offsetof(maker, missing_at), TOCHA_RUNTIME_ERROR, "the function made no part 1 of sample 5"},
  };
  for (int i = 0; i < 4; i++) {
    m = usual();
    *(int64_t *)(void *)((char *)&m + ways[i].field) = 5;
    CHECK(read_pass(cx, l, seen) == 4);
    EXPECT(says(cx, ways[i].code, ways[i].words), ways[i].words);
    m = usual();
    CHECK(read_pass(cx, l, seen) == SAMPLES && in_order(seen, SAMPLES) && m.calls == SAMPLES);
  }
  tocha_data_loader_free(l);
}

static void test_options(tocha_context *cx) {
  tocha_tensor *tensors[2];
  maker m = usual();
  tocha_data_options good = of_function(&m), bad = good;
  CHECK(!tocha_data_loader_new(cx, NULL) && says(cx, TOCHA_TYPE_ERROR, "options"));
  bad.sample = NULL;
  CHECK(!tocha_data_loader_new(cx, &bad) && says(cx, TOCHA_TYPE_ERROR, "dataset"));
  bad = good, bad.parts = 0;
  CHECK(!tocha_data_loader_new(cx, &bad) && says(cx, TOCHA_VALUE_ERROR, "1 to 64 parts, not 0"));
  bad = good, bad.batch_size = -1;
  CHECK(!tocha_data_loader_new(cx, &bad) &&
        says(cx, TOCHA_VALUE_ERROR, "batch_size should be a positive"));
  bad = good, bad.samples = 0, bad.shuffle = true;
  CHECK(!tocha_data_loader_new(cx, &bad) && says(cx, TOCHA_VALUE_ERROR, "num_samples=0"));
  bad.shuffle = false;
  tocha_data_loader *l = tocha_data_loader_new(cx, &bad);
  CHECK(tocha_data_loader_length(l) == 0 && !tocha_data_loader_next(cx, l, tensors) &&
        !tocha_failed(cx));
  tocha_data_loader_free(l);
  tensors_of(cx, tensors);
  tensors[1] = tocha_narrow(cx, tensors[1], 0, 0, 3);
  bad = (tocha_data_options){.parts = 2, .tensors = tensors};
  CHECK(!tocha_data_loader_new(cx, &bad) &&
        says(cx, TOCHA_ASSERTION_ERROR, "Size mismatch between tensors"));
  CHECK(!tocha_data_loader_next(cx, NULL, tensors) && says(cx, TOCHA_TYPE_ERROR, "loader"));
}

/* Memory runs out at every allocation in turn. */
static void test_memory(tocha_context *cx, const tocha_data_options *options) {
  int64_t seen[SAMPLES], n = 0;
  for (bool done = false; !done; n++) {
    tocha_empty_cache(cx);
    tocha_fail_allocation(cx, n);
    tocha_data_loader *l = tocha_data_loader_new(cx, options);
    done = l && read_pass(cx, l, seen) == SAMPLES;
    tocha_fail_allocation(cx, -1);
    CHECK(done != tocha_failed(cx));
    tocha_clear_error(cx);
    tocha_data_loader_free(l);
  }
  CHECK(n > 3);
}

static size_t taken;

static void *allocate(void *user, void *pointer, size_t old_size, size_t new_size) {
  (void)user;
  void *result = NULL;
  if (new_size)
    result = realloc(pointer, new_size);
  else
    free(pointer);
  if (result || !new_size) taken += new_size - old_size;
  return result;
}

int main(void) {
  tocha_context *cx = tocha_open(&(tocha_options){.allocate = allocate, .threads = 1});
  tocha_tensor *tensors[2];
  maker m = usual();
  tocha_data_options of_samples = of_function(&m), of_tensors = of_samples;
  tensors_of(cx, tensors);
  of_tensors.tensors = tensors;
  test_passes(cx, &of_samples);
  test_passes(cx, &of_tensors);
  test_failing_function(cx);
  test_options(cx);
  of_samples.shuffle = of_tensors.shuffle = true;
  test_memory(cx, &of_samples);
  test_memory(cx, &of_tensors);
  tocha_close(cx);
  CHECK(taken == 0);
  return finish();
}
