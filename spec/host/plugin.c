/* plugin.c: a Lua module in C with operators: plugin.scale with its gradient as an expression, plugin.squares with its gradient
 * in C, shapes for meta tensors, and two results. It is linked to nothing. */
#include <tocha/lua.h>
#include <tocha/tocha.h>

/* result = x * by + offset, for float32 and float64. */
static bool scale(tocha_context *cx, const tocha_arg *args, tocha_tensor **results) {
  tocha_tensor *x = tocha_contiguous(cx, args[0].tensor);
  double by = args[1].value.real, offset = args[2].value.real;
  tocha_dtype dtype = tocha_dtype_of(x);
  if (dtype != TOCHA_FLOAT32 && dtype != TOCHA_FLOAT64)
    return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"scale\" not implemented for '%s'",
                      tocha_dtype_name(dtype));
  tocha_tensor *y = tocha_new(cx, tocha_ndim(x), tocha_sizes(x), dtype, tocha_cpu());
  if (!y) return false;
  for (int64_t i = 0; i < tocha_numel(x); i++) {
    if (dtype == TOCHA_FLOAT32)
      ((float *)tocha_data(y))[i] = (float)(((const float *)tocha_data(x))[i] * by + offset);
    else
      ((double *)tocha_data(y))[i] = ((const double *)tocha_data(x))[i] * by + offset;
  }
  results[0] = y;
  return true;
}

static bool scale_shape(tocha_context *cx, const tocha_arg *args, tocha_tensor **results) {
  const tocha_tensor *x = args[0].tensor;
  tocha_device meta = {TOCHA_META, -1};
  results[0] = tocha_new(cx, tocha_ndim(x), tocha_sizes(x), tocha_dtype_of(x), meta);
  return results[0] != NULL;
}

/* Returns x * x and the sum of x, made of operators. */
static bool squares(tocha_context *cx, const tocha_arg *args, tocha_tensor **results) {
  results[0] = tocha_mul(cx, args[0].tensor, args[0].tensor);
  results[1] = tocha_sum(cx, args[0].tensor);
  return results[0] && results[1];
}

static bool squares_backward(tocha_context *cx, const tocha_gradient_call *call,
                             tocha_tensor **out) {
  tocha_tensor *x = call->args[0].tensor, *g = NULL;
  if (call->grads[0]) g = tocha_mul(cx, call->grads[0], tocha_add(cx, x, x));
  if (call->grads[1]) {
    tocha_tensor *spread = tocha_expand_as(cx, call->grads[1], x);
    g = g ? tocha_add(cx, g, spread) : spread;
  }
  out[0] = g;
  return g != NULL;
}

static bool fail(tocha_context *cx, const tocha_arg *args, tocha_tensor **results) {
  (void)cx, (void)args, (void)results;
  return false;
}

static int define_wrong(lua_State *L) {
  tocha_definition d = {.name = luaL_checkstring(L, 1),
                        .signature = luaL_checkstring(L, 2),
                        .gradient = luaL_optstring(L, 3, NULL),
                        .kernel = fail};
  tocha_lua_define(L, &d);
  return 0;
}

int luaopen_plugin(lua_State *L);
TOCHA_EXPORT int luaopen_plugin(lua_State *L) {
  tocha_lua_define(
      L, &(tocha_definition){.name = "plugin.scale",
                             .signature = "(Tensor x, float by=2.0, *, float offset=0.0) -> Tensor",
                             .doc = "x * by + offset.",
                             .kernel = scale,
                             .shape = scale_shape,
                             .gradient = "x = grad * by",
                             .autocast = "float32"});
  tocha_lua_define(L,
                   &(tocha_definition){.name = "plugin.squares",
                                       .signature = "(Tensor x) -> (Tensor squares, Tensor total)",
                                       .kernel = squares,
                                       .backward = squares_backward});
  lua_pushcfunction(L, define_wrong);
  return 1;
}
