/* pickle_globals.c: the classes and functions of Python that a pickle may name, and what calling them gives. There are no
 * others: a pickle cannot reach anything that is not in this list. */
#include <stdio.h>
#include <string.h>

#include "serialization/pickle.h"

typedef tocha_value *call(tocha_loader *l, int64_t count, const tocha_value *arguments);

static tocha_value *fail_arguments(tocha_loader *l, const char *name) {
  return tocha_fail(l->cx, TOCHA_RUNTIME_ERROR,
                    "Weights only load failed. WeightsUnpickler error: %s is called with arguments "
                    "that it does not take",
                    name);
}

static const tocha_value *item(const tocha_value *arguments, int64_t i) {
  return tocha_value_item(arguments, i);
}

static bool is_sequence(const tocha_value *v) {
  return v && (v->kind == TOCHA_VALUE_LIST || v->kind == TOCHA_VALUE_TUPLE ||
               v->kind == TOCHA_VALUE_SIZE);
}

/* --- collections ------------------------------------------------------------------------------------------- */

/* OrderedDict(), or OrderedDict([[key, value], ...]) as Python 2 wrote it. */
static tocha_value *ordered_dict(tocha_loader *l, int64_t count, const tocha_value *a) {
  tocha_value *v = tocha_new_collection(l->out, TOCHA_VALUE_ORDERED_DICT);
  if (count > 1 || (count && !is_sequence(item(a, 0)))) return fail_arguments(l, "OrderedDict");
  for (int64_t i = 0; v && count && i < tocha_value_count(item(a, 0)); i++) {
    const tocha_value *pair = item(item(a, 0), i);
    if (!is_sequence(pair) || tocha_value_count(pair) != 2) return fail_arguments(l, "OrderedDict");
    if (!tocha_value_set(l->out, v, item(pair, 0), item(pair, 1))) return NULL;
  }
  return v;
}

/* Counter({...}): a dict. */
static tocha_value *counter(tocha_loader *l, int64_t count, const tocha_value *a) {
  tocha_value *v = tocha_new_collection(l->out, TOCHA_VALUE_DICT);
  const tocha_value *from = count ? item(a, 0) : NULL;
  if (count > 1 || (from && !tocha_is_dict(from))) return fail_arguments(l, "Counter");
  for (int64_t i = 0; v && i < tocha_value_count(from); i++)
    if (!tocha_value_set(l->out, v, tocha_value_key(from, i), tocha_value_item(from, i)))
      return NULL;
  return v;
}

static tocha_value *set(tocha_loader *l, int64_t count, const tocha_value *a) {
  tocha_value *v = tocha_new_collection(l->out, TOCHA_VALUE_SET);
  if (count > 1 || (count && !is_sequence(item(a, 0)))) return fail_arguments(l, "set");
  for (int64_t i = 0; v && count && i < tocha_value_count(item(a, 0)); i++)
    if (!tocha_value_append(l->out, v, item(item(a, 0), i))) return NULL;
  return v;
}

static tocha_value *size(tocha_loader *l, int64_t count, const tocha_value *a) {
  tocha_value *v = tocha_new_collection(l->out, TOCHA_VALUE_SIZE);
  if (count > 1 || (count && !is_sequence(item(a, 0))) ||
      tocha_value_count(item(a, 0)) > TOCHA_MAX_DIMS)
    return fail_arguments(l, "torch.Size");
  for (int64_t i = 0; v && count && i < tocha_value_count(item(a, 0)); i++) {
    if (item(item(a, 0), i)->kind != TOCHA_VALUE_INT) return fail_arguments(l, "torch.Size");
    if (!tocha_value_append(l->out, v, item(item(a, 0), i))) return NULL;
  }
  return v;
}

/* --- bytes and devices ---------------------------------------------------------------------------------------- */

/* A text whose code points are bytes: what latin1 makes of it. -1: it has others. */
static int64_t latin1(const char *text, size_t length, char *out) {
  int64_t n = 0;
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c >= 0x80) {
      unsigned char next = i + 1 < length ? (unsigned char)text[i + 1] : 0;
      if ((c != 0xc2 && c != 0xc3) || (next & 0xc0) != 0x80) return -1;
      c = (unsigned char)((c & 3) << 6 | (next & 0x3f));
      i++;
    }
    out[n++] = (char)c;
  }
  return n;
}

/* encode(text, "latin1"): how protocol 2 writes bytes; bytes() and bytearray() are like it. */
static tocha_value *encode(tocha_loader *l, int64_t count, const tocha_value *a) {
  size_t length;
  char *room;
  const char *text = count ? tocha_value_text(item(a, 0), &length) : "";
  if (!count) return tocha_new_bytes(l->out, "", 0);
  if (!text || count > 2) return fail_arguments(l, "encode");
  if (item(a, 0)->kind == TOCHA_VALUE_BYTES) return tocha_new_bytes(l->out, text, length);
  const char *code = count == 2 ? tocha_value_text(item(a, 1), NULL) : "utf-8";
  if (!code) return fail_arguments(l, "encode");
  if (strcmp(code, "utf-8") == 0 || strcmp(code, "utf8") == 0)
    return tocha_new_bytes(l->out, text, length);
  if (strcmp(code, "latin1") != 0 && strcmp(code, "latin-1") != 0)
    return fail_arguments(l, "encode");
  tocha_value *v = tocha_value_room(l->out, TOCHA_VALUE_BYTES, length, &room);
  int64_t n = v ? latin1(text, length, room) : 0;
  if (n < 0) return fail_arguments(l, "encode");
  if (v) {
    room[n] = '\0';
    ((size_t *)(void *)room)[-1] = (size_t)n;
  }
  return v;
}

static tocha_value *device(tocha_loader *l, int64_t count, const tocha_value *a) {
  const char *text = count ? tocha_value_text(item(a, 0), NULL) : NULL;
  tocha_device d;
  if (!text || count > 2 || !tocha_read_device(text, &d)) return fail_arguments(l, "torch.device");
  if (count == 2) {
    const tocha_value *index = item(a, 1);
    if (index->kind == TOCHA_VALUE_INT && (index->as.integer < -1 || index->as.integer > 127))
      return fail_arguments(l, "torch.device");
    if (index->kind == TOCHA_VALUE_INT) d.index = (int16_t)index->as.integer;
  }
  return tocha_new_device(l->out, d);
}

/* --- tensors ----------------------------------------------------------------------------------------------------- */

static bool is_true(const tocha_value *v) { return v && v->kind == TOCHA_VALUE_BOOL && v->as.flag; }

static tocha_value *finish(tocha_loader *l, tocha_tensor *t, bool requires_grad) {
  if (t && requires_grad) t = tocha_set_requires_grad(l->cx, t, true);
  return t ? tocha_new_tensor(l->out, t) : NULL;
}

/* (storage, offset, size, stride[, requires_grad, backward_hooks[, metadata]]) */
static tocha_value *rebuild_tensor(tocha_loader *l, int64_t count, const tocha_value *a) {
  if (count < 4 || item(a, 0)->kind != VALUE_STORAGE) return fail_arguments(l, "_rebuild_tensor");
  const tocha_storage_view *view = item(a, 0)->as.other;
  return finish(l,
                tocha_tensor_over(l, item(a, 0), view->dtype, item(a, 1), item(a, 2), item(a, 3)),
                is_true(item(a, 4)));
}

/* (storage, offset, size, stride, requires_grad, backward_hooks, dtype[, metadata]) */
static tocha_value *rebuild_typed_tensor(tocha_loader *l, int64_t count, const tocha_value *a) {
  if (count < 7 || item(a, 0)->kind != VALUE_STORAGE || item(a, 6)->kind != TOCHA_VALUE_DTYPE)
    return fail_arguments(l, "_rebuild_tensor_v3");
  return finish(
      l, tocha_tensor_over(l, item(a, 0), item(a, 6)->as.dtype, item(a, 1), item(a, 2), item(a, 3)),
      is_true(item(a, 4)));
}

/* (data, requires_grad, backward_hooks[, state]) */
static tocha_value *rebuild_parameter(tocha_loader *l, int64_t count, const tocha_value *a) {
  tocha_tensor *t = count >= 2 ? tocha_value_tensor(item(a, 0)) : NULL;
  if (!t) return fail_arguments(l, "_rebuild_parameter");
  t = tocha_parameter_new(l->cx, t, is_true(item(a, 1)));
  return t ? tocha_new_tensor(l->out, t) : NULL;
}

/* (function, class, arguments, state): a tensor with attributes, which are left out. */
static tocha_value *rebuild_from_type(tocha_loader *l, int64_t count, const tocha_value *a) {
  const tocha_value *function = item(a, 0), *type = item(a, 1), *arguments = item(a, 2);
  if (count < 3 || function->kind != VALUE_GLOBAL || type->kind != VALUE_GLOBAL ||
      arguments->kind != TOCHA_VALUE_TUPLE || strncmp(type->as.bytes, "torch.", 6) != 0 ||
      strstr(function->as.bytes, "from_type"))
    return fail_arguments(l, "_rebuild_from_type_v2");
  return tocha_call_global(l, function, arguments);
}

/* (dtype, size, stride, requires_grad) */
static tocha_value *rebuild_meta(tocha_loader *l, int64_t count, const tocha_value *a) {
  int64_t sizes[TOCHA_MAX_DIMS], strides[TOCHA_MAX_DIMS];
  if (count < 4 || item(a, 0)->kind != TOCHA_VALUE_DTYPE || !is_sequence(item(a, 1)) ||
      !is_sequence(item(a, 2)))
    return fail_arguments(l, "_rebuild_meta_tensor_no_storage");
  int64_t n = tocha_value_count(item(a, 1));
  if (n > TOCHA_MAX_DIMS || n != tocha_value_count(item(a, 2)))
    return fail_arguments(l, "_rebuild_meta_tensor_no_storage");
  for (int64_t i = 0; i < n; i++) {
    sizes[i] = tocha_value_int(item(item(a, 1), i));
    strides[i] = tocha_value_int(item(item(a, 2), i));
    if (sizes[i] < 0 || strides[i] < 0) return fail_arguments(l, "_rebuild_meta_tensor_no_storage");
  }
  tocha_device meta = {TOCHA_META, -1};
  tocha_tensor *t = tocha_new(l->cx, (int)n, sizes, item(a, 0)->as.dtype, meta);
  if (t) t = tocha_alias(l->cx, t, (int)n, sizes, strides, 0);
  return finish(l, t, is_true(item(a, 3)));
}

/* --- the list ------------------------------------------------------------------------------------------------------ */

static const struct {
  const char *name; /* with its module; Python 2's __builtin__ is builtins */
  call *call;       /* NULL: a class that is only named */
} globals[] = {
    {"collections.OrderedDict", ordered_dict},
    {"collections.Counter", counter},
    {"builtins.set", set},
    {"builtins.frozenset", set},
    {"builtins.bytes", encode},
    {"builtins.bytearray", encode},
    {"_codecs.encode", encode},
    {"torch.Size", size},
    {"torch.device", device},
    {"torch._utils._rebuild_tensor", rebuild_tensor},
    {"torch._utils._rebuild_tensor_v2", rebuild_tensor},
    {"torch._utils._rebuild_tensor_v3", rebuild_typed_tensor},
    {"torch._utils._rebuild_parameter", rebuild_parameter},
    {"torch._utils._rebuild_parameter_with_state", rebuild_parameter},
    {"torch._utils._rebuild_meta_tensor_no_storage", rebuild_meta},
    {"torch._tensor._rebuild_from_type_v2", rebuild_from_type},
    {"torch.Tensor", NULL},
    {"torch.nn.parameter.Parameter", NULL},
};

/* torch.float32 and torch.FloatStorage: *dtype; UntypedStorage is one of bytes. */
static bool find_dtype(const char *name, tocha_dtype *dtype, bool *storage) {
  size_t length = strlen(name), suffix = strlen("Storage");
  *storage = length > suffix && strcmp(name + length - suffix, "Storage") == 0;
  *dtype = TOCHA_UINT8;
  if (strcmp(name, "UntypedStorage") == 0) return true;
  for (int d = 0; d < TOCHA_DTYPE_COUNT; d++) {
    const char *type = tocha_dtype_scalar_type((tocha_dtype)d);
    *dtype = (tocha_dtype)d;
    if (*storage ? strlen(type) == length - suffix && strncmp(type, name, length - suffix) == 0
                 : strcmp(name, tocha_dtype_name(*dtype)) == 0)
      return true;
  }
  return false;
}

/* What PyTorch would open, and has no place here. */
static bool is_foreign(const char *name) {
  static const char *const parts[] = {"torch.complex",    "torch.Complex",    "torch.uint",
                                      "torch.float8",     "torch.Q",          "torch.qint",
                                      "torch.quint",      "_rebuild_qtensor", "_rebuild_sparse",
                                      "builtins.complex", "torch.bits",       "torch.int"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(name, parts[i])) return true;
  return false;
}

static tocha_value *refuse_global(tocha_loader *l, const char *name) {
  if (is_foreign(name))
    return tocha_fail(l->cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                      "Weights only load failed. The file holds %s: Tocha has no such tensors or "
                      "numbers",
                      name);
  tocha_fail(l->cx, TOCHA_RUNTIME_ERROR,
             "Weights only load failed. WeightsUnpickler error: Unsupported global: GLOBAL %s was "
             "not an allowed global by default.",
             name);
  return tocha_hint(l->cx, "nothing in a file is executed here; in Python, load it and save its "
                           "tensors, numbers and strings alone: torch.save(model.state_dict(), f)");
}

tocha_value *tocha_find_global(tocha_loader *l, const char *module, const char *name) {
  char full[600];
  tocha_dtype dtype;
  bool storage;
  if (strcmp(module, "__builtin__") == 0) module = "builtins";
  snprintf(full, sizeof full, "%s.%s", module, name);
  for (char *c = full; *c; c++)
    if (*c < ' ' || *c == 127) *c = '?'; /* for the message */
  bool torch = strcmp(module, "torch") == 0 || strcmp(module, "torch.storage") == 0;
  if (torch && find_dtype(name, &dtype, &storage)) {
    if (!storage) return tocha_new_dtype(l->out, dtype);
    tocha_value *v = tocha_value_raw(l->out, VALUE_GLOBAL, dtype + 1);
    if (v) v->as.bytes = "storage";
    return v;
  }
  for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
    if (strcmp(full, globals[i].name) != 0) continue;
    tocha_value *v = tocha_value_raw(l->out, VALUE_GLOBAL, 0);
    if (v) v->as.bytes = globals[i].name;
    return v;
  }
  return refuse_global(l, full);
}

tocha_value *tocha_call_global(tocha_loader *l, const tocha_value *global,
                               const tocha_value *arguments) {
  for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
    if (globals[i].name != global->as.bytes) continue;
    if (!globals[i].call) break;
    tocha_value *v = globals[i].call(l, tocha_value_count(arguments), arguments);
    return tocha_failed(l->cx) ? NULL : v;
  }
  return fail_arguments(l, global->as.bytes);
}
