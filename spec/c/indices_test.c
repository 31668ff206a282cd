/* indices_test.c: kernels that index, with indices, flags and offsets as another thread may leave them between their check and
 * their use. The kernels must touch nothing outside their tensors, and report the change. */
#include <string.h>

#include "check.h"
#include "core/internal.h"
#include "device/devices.h"
#include "ops/indexing/index.h"
#include "tocha/context.h"
#include "tocha/reflect.h"
#include "tocha/tensor.h"

enum { SIZE = 8, GUARD = 8 };

static const tocha_device cpu = {TOCHA_CPU, 0};

static bool says(tocha_context *cx, const char *words) {
  bool said = tocha_failed(cx) && strstr(tocha_error(cx)->message, words);
  tocha_clear_error(cx);
  return said;
}

static bool all_are(const float *x, int from, int to, float value) {
  for (int i = from; i < to; i++)
    if (x[i] != value) return false;
  return true;
}

/* Returns a tensor over elements 0..SIZE of memory with guards around them. All elements are `value`. */
static tocha_tensor *guarded(tocha_context *cx, float *memory, float value) {
  const int64_t size = SIZE;
  for (int i = 0; i < SIZE + 2 * GUARD; i++) memory[i] = value;
  return tocha_from_memory(cx, memory + GUARD, 1, &size, TOCHA_FLOAT32, NULL, NULL);
}

static bool is_untouched(const float *memory, float value) {
  return all_are(memory, 0, GUARD, value) && all_are(memory, GUARD + SIZE, SIZE + 2 * GUARD, value);
}

static void elements(tocha_context *cx, const int64_t *positions, bool fails) {
  float memory[SIZE + 2 * GUARD], given[4] = {5, 6, 7, 8};
  const int64_t four = 4;
  tocha_tensor *self = guarded(cx, memory, 1);
  tocha_tensor *index = tocha_from_values(cx, positions, 1, &four, TOCHA_INT64);
  tocha_tensor *values = tocha_from_values(cx, given, 1, &four, TOCHA_FLOAT32);
  tocha_indexed x;
  tocha_index_elements("test", self, 0, index, &x);
  CHECK(tocha_index_put_values(cx, &x, values) == !fails);
  CHECK(says(cx, "index out of range") == fails);
  CHECK(tocha_index_add_values(cx, &x, values, tocha_int(1)) == !fails);
  CHECK(says(cx, "index out of range") == fails);
  CHECK((tocha_index_get(cx, &x) != NULL) == !fails);
  CHECK(says(cx, "index out of range") == fails);
  CHECK(is_untouched(memory, 1));
}

/* Tests rows of a matrix by an index that does not move along them. */
static void rows(tocha_context *cx, int64_t position, bool fails) {
  const int64_t one = 1, row[2] = {1, 2}, sizes[2] = {4, 2}, strides[2] = {2, 1};
  float memory[SIZE + 2 * GUARD], given[2] = {5, 6};
  tocha_tensor *self = tocha_alias(cx, guarded(cx, memory, 1), 2, sizes, strides, 0);
  tocha_tensor *index = tocha_from_values(cx, &position, 1, &one, TOCHA_INT64);
  tocha_tensor *values = tocha_from_values(cx, given, 2, row, TOCHA_FLOAT32);
  tocha_indexed x;
  int64_t bad;
  bool checked = tocha_index_dimension(cx, "test", self, 0, index, true, &x, &bad);
  CHECK(checked == !fails && (!fails || bad == position));
  CHECK(tocha_index_put_values(cx, &x, values) == !fails);
  CHECK(says(cx, "index out of range") == fails);
  CHECK(is_untouched(memory, 1));
}

/* Tests flags of which two are set, with room for `counted` positions. */
static void flags(tocha_context *cx, int64_t counted, bool fails) {
  const uint8_t set[SIZE] = {0, 1, 0, 0, 1, 0, 0, 0};
  const int64_t tiles[2] = {0, counted};
  float source[SIZE] = {0, 1, 2, 3, 4, 5, 6, 7}, memory[SIZE + 2 * GUARD];
  guarded(cx, memory, -1);
  tocha_write_nonzero_args args = {.flags = set,
                                   .source = source,
                                   .tiles = tiles,
                                   .out = memory + GUARD,
                                   .n = SIZE,
                                   .count = counted,
                                   .dtype = TOCHA_BOOL,
                                   .item = sizeof(float)};
  tocha_stream *s = tocha_stream_of(cx, cpu);
  CHECK(s->kernels->indexing->write_nonzero(s, &args) == !fails);
  CHECK(says(cx, "count mismatch") == fails);
  CHECK(all_are(memory, GUARD + (fails ? 0 : 2), SIZE + 2 * GUARD, -1));
  CHECK(is_untouched(memory, -1));
}

/* Tests bags with arbitrary indices and offsets. An index out of range must add nothing. */
static void bags(tocha_context *cx) {
  const int64_t indices[4] = {0, 1000000, -5, 1}, offsets[3] = {-7, 2, 9000000};
  float table[4] = {1, 2, 3, 4}, memory[SIZE + 2 * GUARD];
  int64_t sizes[3] = {-1, -1, -1};
  guarded(cx, memory, -1);
  tocha_bag_args args = {.indices = indices,
                         .offsets = offsets,
                         .table = table,
                         .out = memory + GUARD,
                         .sizes = sizes,
                         .n = 4,
                         .bags = 3,
                         .rows = 2,
                         .columns = 2,
                         .padding = -1,
                         .mode = TOCHA_BAG_SUM,
                         .dtype = TOCHA_FLOAT32};
  tocha_stream *s = tocha_stream_of(cx, cpu);
  CHECK(s->kernels->indexing->embed_bags(s, &args));
  const float wanted[6] = {1, 2, 3, 4, 0, 0};
  CHECK(memcmp(memory + GUARD, wanted, sizeof wanted) == 0);
  CHECK(sizes[2] == 0);
  CHECK(is_untouched(memory, -1));
}

/* Tests host memory with bools that are other bytes than 0 and 1. */
static void bools(tocha_context *cx) {
  uint8_t bytes[4] = {0, 1, 2, 255};
  const int64_t four = 4;
  tocha_tensor *t = tocha_from_memory(cx, bytes, 1, &four, TOCHA_BOOL, NULL, NULL);
  const tocha_op *sum = tocha_find_operator("sum"), *eq = tocha_find_operator("eq");
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  tocha_results results;
  tocha_scalar value = tocha_int(0);
  memset(args, 0, sizeof args);
  args[0].tensor = t;
  CHECK(sum && tocha_call(cx, sum, args, &results) && tocha_item(cx, results.fixed[0], &value));
  CHECK(value.value.integer == 3);
  args[1].value.scalar = tocha_boolean(true);
  args[1].given = true;
  CHECK(eq && tocha_call(cx, eq, args, &results));
  args[0].tensor = results.fixed[0];
  args[1] = (tocha_arg){0};
  CHECK(tocha_call(cx, sum, args, &results) && tocha_item(cx, results.fixed[0], &value));
  CHECK(value.value.integer == 3);
  CHECK(bytes[2] == 2 && bytes[3] == 255); /* the host's memory stays as it is */
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  tocha_scope scope = tocha_scope_begin(cx);
  elements(cx, (const int64_t[]){0, 3, 7, 1}, false);
  elements(cx, (const int64_t[]){0, 8, 7, 1}, true);
  elements(cx, (const int64_t[]){INT64_MAX, INT64_MIN, -9, 1}, true);
  elements(cx, (const int64_t[]){(int64_t)1 << 40, -1, 0, 1}, true);
  rows(cx, 3, false);
  rows(cx, 4, true);
  rows(cx, -5, true);
  flags(cx, 2, false);
  flags(cx, 1, true);
  flags(cx, 0, true);
  flags(cx, 5, true);
  bags(cx);
  bools(cx);
  tocha_scope_end(cx, scope, NULL);
  tocha_close(cx);
  return finish();
}
