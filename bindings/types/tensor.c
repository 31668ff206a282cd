/* tensor.c: the userdata of tensors and their ownership. */
#include "lua/binding.h"
#include "sandbox/confined.h"

/* Every userdata of a tensor begins with this tag, so that a check is two comparisons. */
typedef struct box {
  const void *tag;
  tocha_tensor *tensor; /* NULL until set, and after collection */
} box;
static const char tensor_tag = 0;

tocha_tensor *to_tensor(lua_State *L, int index) {
  box *b = lua_touserdata(L, index); /* a light one has no length */
  return b && lua_rawlen(L, index) >= sizeof *b && b->tag == &tensor_tag ? b->tensor : NULL;
}

tocha_tensor *check_tensor(lua_State *L, int index, const char *op, const char *name,
                           int position) {
  tocha_tensor *t = to_tensor(L, index);
  if (!t)
    raise_hinted(L, TOCHA_TYPE_ERROR, tensor_hint(L, index),
                 "%s(): argument '%s' (position %d) must be Tensor, not %s", op, name, position,
                 python_type(L, index));
  return t;
}

static void push_box(lua_State *L, binding *b, tocha_tensor *t) {
  box *u = lua_newuserdatauv(L, sizeof *u, 0); /* the userdata exists before its resource */
  u->tag = &tensor_tag;
  u->tensor = NULL;
  lua_rawgeti(L, LUA_REGISTRYINDEX, b->tensor_metatable);
  lua_setmetatable(L, -2);
  u->tensor = tocha_retain(t);
}

void push_new_tensor(lua_State *L, binding *b, tocha_tensor *t) {
  push_box(L, b, t);
  if (b->stress) collect_garbage(L, b);
}

void push_tensor(lua_State *L, tocha_tensor *t) { push_new_tensor(L, binding_of(L), t); }

void share_tensor(lua_State *L, int index) {
  tocha_tensor *t = to_tensor(L, index);
  if (t) remember_object(L, index, t);
}

void tocha_lua_push_tensor(lua_State *L, tocha_tensor *t) {
  if (!t) {
    lua_pushnil(L);
    return;
  }
  if (push_remembered(L, t) && to_tensor(L, -1) == t) return;
  lua_pop(L, 1);
  binding *b = binding_of(L);
  push_box(L, b, t);
  if (tocha_is_uninitialized(t)) b->hooks->mark_uninitialized(L);
  remember_object(L, -1, t);
}

int collect_tensor(lua_State *L) {
  tocha_tensor *t = to_tensor(L, 1);
  if (!t) return 0;
  box *b = lua_touserdata(L, 1);
  b->tensor = NULL;
  tocha_release(t);
  return 0;
}

const char *tensor_hint(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return NULL;
  lua_rawgeti(L, index, 1);
  bool tensors = to_tensor(L, -1) != NULL;
  lua_pop(L, 1);
  return tensors
             ? "a table of tensors: x, y = table.unpack(sample) takes it apart, torch.stack(list) "
               "makes one of it"
             : "make a tensor of it: torch.tensor{...}";
}

void push_format(lua_State *L, int index) {
  tocha_tensor *t = to_tensor(L, index);
  tocha_scalar s;
  if (!t || tocha_ndim(t) != 0 || tocha_device_of(t).type == TOCHA_META) {
    show_value(L, index, NULL);
  } else if (!tocha_item(CX(L), t, &s)) {
    raise_error(L);
  } else if (s.kind == TOCHA_SCALAR_FLOAT) {
    char text[32];
    lua_pushstring(L, tocha_format_float(s.value.real, text));
  } else if (s.kind == TOCHA_SCALAR_BOOL) {
    lua_pushstring(L, s.value.integer ? "True" : "False");
  } else {
    lua_pushfstring(L, "%I", (LUAI_UACINT)s.value.integer);
  }
}
