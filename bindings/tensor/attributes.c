/* attributes.c: the attributes of tensors, such as t.shape, read and assigned. */
#include "lua/binding.h"

/* --- getters: each pushes one value [-0, +1, e] ---------------------------------------------- */

static void get_shape(lua_State *L, tocha_tensor *t) {
  tocha_lua_push_size(L, tocha_ndim(t), tocha_sizes(t));
}
static void get_ndim(lua_State *L, tocha_tensor *t) { lua_pushinteger(L, tocha_ndim(t)); }
static void get_dtype(lua_State *L, tocha_tensor *t) { tocha_lua_push_dtype(L, tocha_dtype_of(t)); }
static void get_device(lua_State *L, tocha_tensor *t) {
  tocha_lua_push_device(L, tocha_device_of(t));
}
/* Pushes t.grad. As in PyTorch, warns if t was computed and does not retain its gradient.
 * [-0, +1, e] */
static void get_grad(lua_State *L, tocha_tensor *t) {
  tocha_tensor *grad = tocha_grad(t);
  if (!grad && tocha_requires_grad(t) && !tocha_is_leaf(t) && !tocha_retains_grad(t))
    show_warning(
        L, "UserWarning",
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
        ".grad attribute won't be populated during autograd.backward(). If you indeed want "
        "the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the "
        "non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you "
        "access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for "
        "more information.");
  tocha_lua_push_tensor(L, grad);
}
static void get_grad_fn(lua_State *L, tocha_tensor *t) {
  tocha_node *node = tocha_grad_fn(CX(L), t);
  if (tocha_failed(CX(L))) raise_error(L);
  binding_of(L)->hooks->push_node_of(L, node, 1);
}
static void get_requires_grad(lua_State *L, tocha_tensor *t) {
  lua_pushboolean(L, tocha_requires_grad(t));
}
static void get_is_leaf(lua_State *L, tocha_tensor *t) { lua_pushboolean(L, tocha_is_leaf(t)); }
static void push_is_of(lua_State *L, tocha_tensor *t, tocha_device_type type) {
  lua_pushboolean(L, tocha_device_of(t).type == type);
}
static void get_is_cpu(lua_State *L, tocha_tensor *t) { push_is_of(L, t, TOCHA_CPU); }
static void get_is_cuda(lua_State *L, tocha_tensor *t) { push_is_of(L, t, TOCHA_CUDA); }
static void get_is_meta(lua_State *L, tocha_tensor *t) { push_is_of(L, t, TOCHA_META); }
static void get_is_mps(lua_State *L, tocha_tensor *t) { push_is_of(L, t, TOCHA_MPS); }
static void get_false(lua_State *L, tocha_tensor *t) {
  (void)t;
  lua_pushboolean(L, 0);
}
static void get_data(lua_State *L, tocha_tensor *t) {
  tocha_context *cx = CX(L);
  tocha_scope s = tocha_scope_begin(cx);
  tocha_tensor *data = tocha_untracked(cx, t);
  if (data) push_tensor(L, data);
  tocha_scope_end(cx, s, NULL);
  if (!data) raise_error(L);
}
static void get_itemsize(lua_State *L, tocha_tensor *t) {
  lua_pushinteger(L, (lua_Integer)tocha_dtype_size(tocha_dtype_of(t)));
}
static void get_nbytes(lua_State *L, tocha_tensor *t) {
  lua_pushinteger(L, tocha_numel(t) * (int64_t)tocha_dtype_size(tocha_dtype_of(t)));
}
static void get_version(lua_State *L, tocha_tensor *t) {
  if (tocha_is_inference(t))
    raise_message(L, TOCHA_RUNTIME_ERROR, "Inference tensors do not track version counter.");
  lua_pushinteger(L, tocha_version_of(t));
}
static void get_retains_grad(lua_State *L, tocha_tensor *t) {
  lua_pushboolean(L, tocha_retains_grad(t));
}
static void get_base(lua_State *L, tocha_tensor *t) { tocha_lua_push_tensor(L, tocha_base(t)); }
static void get_layout(lua_State *L, tocha_tensor *t) {
  (void)t;
  lua_getfield(L, LUA_REGISTRYINDEX, "tocha.torch");
  lua_getfield(L, -1, "strided");
}

/* --- setters: each reads the value at index 3, and returns false with an error set ------------- */

static bool set_requires_grad(lua_State *L, tocha_tensor *t) {
  if (lua_type(L, 3) != LUA_TBOOLEAN)
    return raise_message(L, TOCHA_RUNTIME_ERROR, "requires_grad must be a bool");
  if (lua_toboolean(L, 3) && !tocha_dtype_is_floating(tocha_dtype_of(t)) && tocha_is_leaf(t))
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "only Tensors of floating point and complex dtype can require gradients");
  if (lua_toboolean(L, 3) && !tocha_is_leaf(t)) /* though requires_grad_() accepts it */
    return raise_message(L, TOCHA_RUNTIME_ERROR,
                         "you can only change requires_grad flags of leaf variables.");
  return tocha_set_requires_grad(CX(L), t, lua_toboolean(L, 3)) != NULL;
}

static bool set_grad(lua_State *L, tocha_tensor *t) {
  tocha_tensor *grad = to_tensor(L, 3);
  if (!grad && !lua_isnil(L, 3))
    return raise_message(L, TOCHA_TYPE_ERROR,
                         "assigned grad expected to be a Tensor or None but got grad of type %s",
                         python_type(L, 3));
  if (!tocha_set_grad(CX(L), t, grad)) return false;
  if (grad) share_tensor(L, 3);
  return true;
}

static bool set_data(lua_State *L, tocha_tensor *t) {
  if (!to_tensor(L, 3))
    return raise_message(L, TOCHA_TYPE_ERROR, "Variable data has to be a tensor, but got %s",
                         python_type(L, 3));
  return tocha_set_data(CX(L), t, to_tensor(L, 3));
}

/* --- the table ------------------------------------------------------------------------------- */

static const struct attribute {
  const char *name;
  void (*get)(lua_State *L, tocha_tensor *t);
  bool (*set)(lua_State *L, tocha_tensor *t); /* NULL: not writable */
} attributes[] = {
    {"shape", get_shape, NULL},
    {"ndim", get_ndim, NULL},
    {"dtype", get_dtype, NULL},
    {"device", get_device, NULL},
    {"grad", get_grad, set_grad},
    {"grad_fn", get_grad_fn, NULL},
    {"requires_grad", get_requires_grad, set_requires_grad},
    {"is_leaf", get_is_leaf, NULL},
    {"is_cpu", get_is_cpu, NULL},
    {"is_cuda", get_is_cuda, NULL},
    {"is_meta", get_is_meta, NULL},
    {"is_mps", get_is_mps, NULL},
    {"is_sparse", get_false, NULL},
    {"is_quantized", get_false, NULL},
    {"data", get_data, set_data},
    {"nbytes", get_nbytes, NULL},
    {"itemsize", get_itemsize, NULL},
    {"_version", get_version, NULL},
    {"retains_grad", get_retains_grad, NULL},
    {"_base", get_base, NULL},
    {"layout", get_layout, NULL},
};

int push_attribute(lua_State *L, tocha_tensor *t, int number) {
  attributes[number].get(L, t);
  return 1;
}

int push_attribute_of(lua_State *L, tocha_tensor *t, const tocha_op *op) {
  tocha_arg arg = {.tensor = t, .given = true};
  return call_and_push(L, binding_of(L), op, &arg);
}

int set_attribute(lua_State *L, tocha_tensor *t, int number, const char *name) {
  if (number < 0 || !attributes[number].set)
    return raise_message(L, TOCHA_ATTRIBUTE_ERROR,
                         "attribute '%s' of 'torch._C.TensorBase' objects is not writable", name);
  tocha_context *cx = CX(L);
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = attributes[number].set(L, t);
  tocha_scope_end(cx, scope, NULL);
  return ok ? 0 : raise_error(L);
}

void open_attributes(lua_State *L, int methods) {
  methods = lua_absindex(L, methods);
  for (int i = 0; i < TOCHA_COUNT(attributes); i++) {
    lua_pushinteger(L, i);
    lua_setfield(L, methods, attributes[i].name);
  }
}
