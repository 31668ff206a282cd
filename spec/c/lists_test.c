/* lists_test.c: operators whose result is a list of tensors or a bool: their C functions, the owner of the list,
 * failures. */
#include <string.h>

#include "check.h"
#include "tocha/reflect.h"
#include "tocha/tocha.h"

/* Returns 0.0, 1.0, 2.0, ... as a matrix. */
static tocha_tensor *range(tocha_context *cx, int64_t rows, int64_t columns) {
  tocha_tensor *t = tocha_arange(cx, tocha_float((double)(rows * columns)));
  return tocha_reshape(cx, t, 2, (const int64_t[]){rows, columns});
}

/* Returns true if the list has this many tensors, with sizes[i] rows each, and frees it. */
static bool has_rows(tocha_context *cx, tocha_tensors *list, int count, const int64_t *rows) {
  bool right = list->count == count;
  for (int i = 0; right && i < count; i++) right = tocha_sizes(list->items[i])[0] == rows[i];
  tocha_tensors_free(cx, list);
  return right && !list->items && list->count == 0;
}

static void test_pieces(tocha_context *cx) {
  tocha_tensor *x = range(cx, 7, 2);
  tocha_tensors list;
  CHECK(tocha_split(cx, x, 3, 0, &list) && has_rows(cx, &list, 3, (const int64_t[]){3, 3, 1}));
  CHECK(tocha_split_sizes(cx, x, 2, (const int64_t[]){2, 5}, 0, &list) &&
        has_rows(cx, &list, 2, (const int64_t[]){2, 5}));
  CHECK(tocha_chunk(cx, x, 2, 0, &list) && has_rows(cx, &list, 2, (const int64_t[]){4, 3}));
  CHECK(tocha_tensor_split(cx, x, 3, 0, &list) &&
        has_rows(cx, &list, 3, (const int64_t[]){3, 2, 2}));
  CHECK(tocha_vsplit_indices(cx, x, 2, (const int64_t[]){1, 3}, &list) &&
        has_rows(cx, &list, 3, (const int64_t[]){1, 2, 4}));
  CHECK(tocha_hsplit(cx, x, 2, &list) && has_rows(cx, &list, 2, (const int64_t[]){7, 7}));
  CHECK(tocha_unbind(cx, tocha_transpose(cx, x, 0, 1), 0, &list) && list.count == 2);
  CHECK(((float *)tocha_data(list.items[1]))[0] == 1); /* a view of x */
  CHECK(tocha_same_storage(list.items[0], x));
  tocha_tensors_free(cx, &list);
}

static void test_many(tocha_context *cx) { /* more than a call has results in its own struct */
  tocha_tensor *x = range(cx, 100, 1);
  tocha_tensors list;
  CHECK(tocha_unbind(cx, x, 0, &list) && list.count == 100);
  CHECK(((float *)tocha_data(list.items[99]))[0] == 99);
  tocha_tensors_free(cx, &list);
  tocha_tensors_free(cx, &list); /* empty */
  tocha_tensors_free(cx, NULL);
}

static void test_several_inputs(tocha_context *cx) {
  tocha_tensor *both[] = {range(cx, 3, 1), range(cx, 1, 4)};
  tocha_tensors list;
  CHECK(tocha_broadcast_tensors(cx, 2, both, &list) && list.count == 2 &&
        tocha_sizes(list.items[0])[1] == 4 && tocha_sizes(list.items[1])[0] == 3);
  tocha_tensors_free(cx, &list);
  both[0] = tocha_select(cx, both[0], 1, 0);
  both[1] = tocha_select(cx, both[1], 0, 0);
  CHECK(tocha_meshgrid(cx, 2, both, &list) && list.count == 2 &&
        tocha_sizes(list.items[1])[0] == 3 && tocha_sizes(list.items[1])[1] == 4);
  tocha_tensors_free(cx, &list);
  CHECK(tocha_atleast_2d_list(cx, 2, both, &list) && list.count == 2 &&
        tocha_ndim(list.items[0]) == 2);
  tocha_tensors_free(cx, &list);
}

static void test_places(tocha_context *cx) {
  tocha_tensor *x = range(cx, 2, 2);
  tocha_tensors list;
  CHECK(tocha_where_condition(cx, x, &list) && list.count == 2 && tocha_numel(list.items[0]) == 3);
  tocha_tensors_free(cx, &list);
  CHECK(tocha_nonzero_tuple(cx, x, true, &list) && list.count == 2 &&
        tocha_numel(list.items[1]) == 3);
  tocha_tensors_free(cx, &list);
}

static void test_values(tocha_context *cx) {
  tocha_tensor *x = range(cx, 2, 2),
               *y = tocha_add_full(cx, x, tocha_number(tocha_float(1e-9)), tocha_int(1));
  bool is = false;
  CHECK(tocha_equal(cx, x, tocha_clone(cx, x), &is) && is);
  CHECK(tocha_equal(cx, x, range(cx, 1, 4), &is) && !is);
  CHECK(tocha_allclose(cx, x, y, 1e-5, 1e-8, false, &is) && is);
  CHECK(tocha_allclose(cx, x, tocha_neg(cx, x), 1e-5, 1e-8, false, &is) && !is);
}

static void test_gradients(tocha_context *cx) {
  tocha_tensor *x = tocha_set_requires_grad(cx, range(cx, 4, 2), true);
  tocha_tensors list;
  CHECK(tocha_chunk(cx, x, 2, 0, &list));
  CHECK(tocha_backward(cx, tocha_sum(cx, list.items[1]), NULL, false, false));
  const float *grad = tocha_data(tocha_grad(x));
  CHECK(grad[0] == 0 && grad[7] == 1);
  tocha_tensors_free(cx, &list);
}

static void test_failures(tocha_context *cx) {
  tocha_tensor *x = range(cx, 2, 2);
  tocha_tensors list = {7, (tocha_tensor **)&x}; /* values that a call replaces */
  bool is = true;
  CHECK(!tocha_chunk(cx, x, 0, 0, &list) && list.count == 0 && !list.items);
  CHECK(strstr(tocha_error(cx)->message, "chunk expects `chunks` to be greater than 0") != NULL);
  CHECK(!tocha_split(cx, x, 1, 0, &list) && list.count == 0); /* an error is pending */
  CHECK(!tocha_equal(cx, x, x, &is) && !is);
  tocha_clear_error(cx);
}

/* Every operator is found under its name by who calls by reflection, with its results. */
static void test_reflection(tocha_context *cx) {
  const tocha_op *op = tocha_find_operator("chunk");
  tocha_arg args[TOCHA_MAX_PARAMETERS] = {{.tensor = range(cx, 4, 1), .given = true},
                                          {.value.integer = 3, .given = true},
                                          {.value.integer = 0, .given = true}};
  tocha_results results;
  CHECK(op && tocha_call(cx, op, args, &results) && results.count == 2);
  tocha_results_free(cx, &results);
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  static void (*const tests[])(tocha_context * cx) = {
      test_pieces, test_many,      test_several_inputs, test_places,
      test_values, test_gradients, test_failures,       test_reflection};
  for (int i = 0; i < (int)(sizeof tests / sizeof *tests); i++) {
    tocha_scope scope = tocha_scope_begin(cx);
    tests[i](cx);
    if (tocha_failed(cx)) printf("%s\n", tocha_error(cx)->message);
    tocha_clear_error(cx);
    tocha_scope_end(cx, scope, NULL);
  }
  tocha_close(cx);
  return finish();
}
