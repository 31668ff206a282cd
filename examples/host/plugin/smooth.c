/* smooth.c: a Lua module in C with an operator that no other operators make fast: a recursive filter over the last dimension,
 * y[t] = weight x[t] + (1 - weight) y[t - 1]. Backwards in time the same filter gives its gradient. */
#include <tocha/lua.h>
#include <tocha/tocha.h>

/* Filters the n numbers at x into y; step 1 from the first on, step -1 from the last on. */
static void filter(const float *x, float *y, int64_t n, float weight, int64_t step) {
  float state = 0;
  for (int64_t i = 0, t = step > 0 ? 0 : n - 1; i < n; i++, t += step)
    y[t] = state = weight * x[t] + (1 - weight) * state;
}

/* Filters all rows of a float32 tensor. Returns NULL with an error if it fails. */
static tocha_tensor *filter_rows(tocha_context *cx, tocha_tensor *x, double weight, int64_t step) {
  x = tocha_contiguous(cx, x);
  if (!x) return NULL;
  if (tocha_dtype_of(x) != TOCHA_FLOAT32 || tocha_ndim(x) == 0)
    return tocha_fail(cx, TOCHA_TYPE_ERROR,
                      "smooth(): x must be float32 with at least one dimension");
  tocha_tensor *y = tocha_new(cx, tocha_ndim(x), tocha_sizes(x), TOCHA_FLOAT32, tocha_cpu());
  int64_t n = tocha_sizes(x)[tocha_ndim(x) - 1];
  for (int64_t row = 0; y && row < tocha_numel(x); row += n)
    filter((const float *)tocha_data(x) + row, (float *)tocha_data(y) + row, n, (float)weight,
           step);
  return y;
}

static bool smooth(tocha_context *cx, const tocha_arg *args, tocha_tensor **results) {
  double weight = args[1].value.real;
  if (!(weight > 0 && weight <= 1))
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "smooth(): weight must be in (0, 1], but got %g",
                      weight);
  results[0] = filter_rows(cx, args[0].tensor, weight, 1);
  return results[0] != NULL;
}

static bool smooth_backward(tocha_context *cx, const tocha_gradient_call *call,
                            tocha_tensor **out) {
  out[0] = filter_rows(cx, call->grads[0], call->args[1].value.real, -1);
  return out[0] != NULL;
}

static bool smooth_shape(tocha_context *cx, const tocha_arg *args, tocha_tensor **results) {
  const tocha_tensor *x = args[0].tensor;
  tocha_device meta = {TOCHA_META, -1};
  results[0] = tocha_new(cx, tocha_ndim(x), tocha_sizes(x), tocha_dtype_of(x), meta);
  return results[0] != NULL;
}

/* Called by require "smooth", after torch is open. */
TOCHA_API int luaopen_smooth(lua_State *L);
int luaopen_smooth(lua_State *L) {
  static const tocha_definition definition = {
      .name = "signal.smooth",
      .signature = "(Tensor x, float weight=0.5) -> Tensor",
      .doc = "Smooths x over its last dimension: y[t] = weight x[t] + (1 - weight) y[t - 1].",
      .kernel = smooth,
      .backward = smooth_backward,
      .shape = smooth_shape,
      .autocast = "float32"};
  tocha_lua_define(L, &definition);
  return 0;
}
