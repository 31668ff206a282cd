/* unpack_module.c: unpacks modules of torch.nn from a parcel (pack_module.c). */
#include <string.h>

#include "data/unpacking.h"
#include "nn/module.h"

static bool is_list(const tocha_parameter *p, const tocha_arg *o) {
  return p->kind != TOCHA_KIND_STRING && o->count > 0;
}

static void unpack_option(unpacking *u, tocha_module *m, int index) {
  lua_State *L = u->L;
  const tocha_parameter *p = &tocha_module_class_of(m)->parameters[index];
  tocha_arg o;
  size_t size = 0;
  int top = lua_gettop(L);
  get(u, &o, sizeof o);
  if (p->kind == TOCHA_KIND_STRING) {
    const char *text = get_text(u, &size);
    o.value.string = size ? text : NULL;
  } else if (is_list(p, &o)) {
    const char *numbers = get_text(u, &size);
    void *aligned = lua_newuserdatauv(L, size, 0);
    memcpy(aligned, numbers, size);
    o.value.ints = aligned;
  }
  unpack_value(u);
  o.tensor = to_tensor(L, -1);
  bool lacks = p->kind == TOCHA_KIND_STRING && !o.value.string; /* NULL when it was packed */
  if (!lacks && !tocha_module_set_option(CX(L), m, index, &o)) raise_error(L);
  lua_settop(L, top);
}

static void unpack_tensors(unpacking *u, tocha_module *m, tocha_member_kind kind) {
  lua_State *L = u->L;
  for (uint64_t n = get_number(u); n > 0; n--) {
    size_t size;
    const char *name = get_text(u, &size);
    bool persistent = get_number(u) != 0;
    unpack_value(u);
    tocha_tensor *t = to_tensor(L, -1);
    bool ok = kind == TOCHA_MEMBER_PARAMETER ? tocha_register_parameter(CX(L), m, name, t)
                                             : tocha_register_buffer(CX(L), m, name, t, persistent);
    if (!ok) raise_error(L);
    if (t) share_tensor(L, -1);
    lua_pop(L, 1);
  }
}

static void unpack_children(unpacking *u, tocha_module *m) {
  lua_State *L = u->L;
  for (uint64_t n = get_number(u); n > 0; n--) {
    size_t size;
    const char *name = get_text(u, &size);
    unpack_value(u);
    if (!tocha_register_module(CX(L), m, name, to_module(L, -1))) raise_error(L);
    lua_pop(L, 1);
  }
}

static void set_host_object(lua_State *L, tocha_module *m, unsigned flags) {
  tocha_host_object host = {0};
  if (flags & PARCEL_FORWARD) host.forward = host_object_forward;
  if (flags & PARCEL_FORWARD) host.call = host_object_call;
  if (flags & PARCEL_EXTRA_REPR) host.extra_repr = host_object_extra_repr;
  if (flags & PARCEL_EXTRA_REPR) host.repr = host_object_repr;
  if (flags & PARCEL_ATTRIBUTE) host.attribute = host_object_attribute;
  set_lua_object(L, m, host);
}

/* Pushes a module without members. It gets its number before its contents are unpacked, because
 * they may contain it. [-0, +1, e] */
static module_box *push_empty(unpacking *u) {
  lua_State *L = u->L;
  size_t size;
  unsigned char flags;
  u->at++; /* PARCEL_CLASS */
  const tocha_module_class *class = get_class(u);
  const char *name = get_text(u, &size);
  get(u, &flags, 1);
  lua_pushnil(L);
  module_box *box = push_module_box(L, -1);
  lua_remove(L, -2);
  box->module =
      tocha_module_new(CX(L), class, strcmp(name, tocha_module_class_name(class)) ? name : NULL);
  if (!box->module) raise_error(L);
  remember_module(L, box);
  box->hooks = flags & PARCEL_HOOKS;
  tocha_module_set_training(box->module, flags & PARCEL_TRAINING);
  set_host_object(L, box->module, flags);
  note_unpacked(u);
  return box;
}

void unpack_module(unpacking *u) {
  lua_State *L = u->L;
  luaL_checkstack(L, 16, "too deeply nested");
  module_box *box = push_empty(u);
  int index = lua_gettop(L);
  tocha_module *m = box->module;
  for (int i = 0; i < tocha_module_class_of(m)->parameter_count; i++) unpack_option(u, m, i);
  unpack_value(u);
  lua_setiuservalue(L, index, MODULE_CLASS);
  unpack_tensors(u, m, TOCHA_MEMBER_PARAMETER);
  unpack_tensors(u, m, TOCHA_MEMBER_BUFFER);
  unpack_children(u, m);
  unpack_value(u);
  box->own_forward = lua_getfield(L, -1, "forward") != LUA_TNIL;
  lua_pop(L, 1);
  lua_setiuservalue(L, index, MODULE_FIELDS);
  unpack_value(u);
  lua_setiuservalue(L, index, MODULE_HOOKS);
  refresh_module_parts(L, index, box);
}
