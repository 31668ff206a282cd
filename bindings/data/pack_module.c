/* pack_module.c: packs modules of torch.nn into a parcel: the class, the constructor's
 * arguments, members, fields in Lua, hooks. */
#include <string.h>

#include "data/packing.h"
#include "nn/module.h"

/* Packs the value at the top as the field `name` of the object of f. [-1, +0, e] */
static void pack_under(packing *k, const char *name, const frame *f) {
  lua_State *L = k->L;
  lua_pushstring(L, name);
  int key = lua_gettop(L);
  frame inner = {f, FIELD, NULL, key, f->depth + 1};
  pack_value(k, key - 1, &inner);
  lua_settop(L, key - 2);
}

static void push_shared_or_nil(lua_State *L, tocha_tensor *t) {
  if (t)
    tocha_lua_push_tensor(L, t);
  else
    lua_pushnil(L);
}

/* Packs an option as it is in memory. The address of a text or a list in it is ignored when it
 * is unpacked. */
static void pack_option(packing *k, const tocha_parameter *p, const tocha_arg *o, const frame *f) {
  put(k, o, sizeof *o);
  if (p->kind == TOCHA_KIND_STRING)
    put_text(k, o->value.string ? o->value.string : "",
             o->value.string ? strlen(o->value.string) + 1 : 0);
  else if (o->count > 0)
    put_text(k, (const char *)o->value.ints, (size_t)o->count * sizeof *o->value.ints);
  push_shared_or_nil(k->L, o->tensor);
  pack_under(k, p->name, f);
}

static void pack_tensors(packing *k, const tocha_module *m, tocha_member_kind kind,
                         const frame *f) {
  int count = tocha_module_member_count(m, kind);
  put_number(k, (uint64_t)count);
  for (int i = 0; i < count; i++) {
    const char *name = tocha_module_member_name(m, kind, i);
    put_text(k, name, strlen(name) + 1);
    put_number(k, tocha_module_is_persistent(m, name));
    push_shared_or_nil(k->L, tocha_module_tensor(m, kind, i));
    pack_under(k, name, f);
  }
}

static void pack_children(packing *k, const tocha_module *m, const frame *f) {
  int count = tocha_module_child_count(m);
  put_number(k, (uint64_t)count);
  for (int i = 0; i < count; i++) {
    const char *name = tocha_module_child_name(m, i);
    put_text(k, name, strlen(name) + 1);
    push_module(k->L, tocha_module_child(m, i));
    pack_under(k, name, f);
  }
}

/* Packs a user value of a module. In error messages, its contents are named as the module's own. */
static void pack_user_value(packing *k, int index, int number, const frame *f) {
  lua_getiuservalue(k->L, index, number);
  pack_value(k, lua_gettop(k->L), f);
  lua_pop(k->L, 1);
}

static unsigned char flags_of(const module_box *box) {
  const tocha_host_object *host = tocha_module_get_host_object(box->module);
  unsigned flags = tocha_module_training(box->module) ? PARCEL_TRAINING : 0;
  if (host->forward) flags |= PARCEL_FORWARD;
  if (host->extra_repr) flags |= PARCEL_EXTRA_REPR;
  if (host->attribute) flags |= PARCEL_ATTRIBUTE;
  if (box->hooks) flags |= PARCEL_HOOKS;
  return (unsigned char)flags;
}

bool pack_module(packing *k, int index, const frame *f) {
  const module_box *box = to_module_box(k->L, index);
  if (!box) return false;
  luaL_checkstack(k->L, 16, "too deeply nested");
  const tocha_module *m = box->module;
  const tocha_module_class *class = tocha_module_class_of(m);
  const char *name = tocha_module_name(m);
  unsigned char flags = flags_of(box);
  put_tag(k, PARCEL_MODULE);
  if (!put_class(k, class)) luaL_error(k->L, "a module of a class without a name");
  put_text(k, name, strlen(name) + 1);
  put(k, &flags, 1);
  note_object(k, index);
  for (int i = 0; i < class->parameter_count; i++)
    pack_option(k, &class->parameters[i], tocha_module_option(m, class->parameters[i].name), f);
  pack_user_value(k, index, MODULE_CLASS, f);
  pack_tensors(k, m, TOCHA_MEMBER_PARAMETER, f);
  pack_tensors(k, m, TOCHA_MEMBER_BUFFER, f);
  pack_children(k, m, f);
  pack_user_value(k, index, MODULE_FIELDS, f);
  pack_user_value(k, index, MODULE_HOOKS, f);
  return true;
}
