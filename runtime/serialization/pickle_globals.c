/* pickle_globals.c: the classes and functions of Python that a pickle may name, and the results
 * of calling them. A pickle cannot reach any function outside of this list. */
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

/* Creates OrderedDict(), or OrderedDict([[key, value], ...]) as Python 2 wrote it. */
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

/* Creates a dict for Counter({...}). */
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

/* Encodes a text in latin1, where code points are bytes. Returns the length, or -1 if the text
 * has other characters. */
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

/* Creates bytes for encode(text, "latin1"), by which protocol 2 writes them, and for bytes() and
 * bytearray(). */
static tocha_value *encode(tocha_loader *l, int64_t count, const tocha_value *a) {
  size_t length;
  char *content;
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
  tocha_value *v = tocha_value_unfilled(l->out, TOCHA_VALUE_BYTES, length, &content);
  int64_t n = v ? latin1(text, length, content) : 0;
  if (n < 0) return fail_arguments(l, "encode");
  if (v) {
    content[n] = '\0';
    ((size_t *)(void *)content)[-1] = (size_t)n;
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

/* Creates a tensor from (storage, offset, size, stride[, requires_grad, backward_hooks[,
 * metadata]]). */
static tocha_value *rebuild_tensor(tocha_loader *l, int64_t count, const tocha_value *a) {
  if (count < 4 || item(a, 0)->kind != VALUE_STORAGE) return fail_arguments(l, "_rebuild_tensor");
  const tocha_storage_view *view = item(a, 0)->as.other;
  const tocha_value *metadata = count > 6 ? item(a, 6) : NULL;
  if (metadata && tocha_is_dict(metadata) && is_true(tocha_value_find(metadata, "neg")))
    return tocha_missing_tensor(l, "negative view", item(a, 2));
  return tocha_tensor_over(l, item(a, 0), view->element, item(a, 1), item(a, 2), item(a, 3),
                           is_true(item(a, 4)));
}

/* Returns the element type that a dtype names, or -1. */
static tocha_element element_of(const tocha_value *v) {
  const char *name = tocha_object_name(v);
  if (v->kind == TOCHA_VALUE_DTYPE) return (tocha_element)v->as.dtype;
  if (strncmp(name, "torch.", 6) != 0) return -1;
  int foreign = tocha_find_foreign(name + 6);
  return foreign == TOCHA_FOREIGN_NONE ? -1 : TOCHA_DTYPE_COUNT + foreign;
}

/* Creates a tensor from (storage, offset, size, stride, requires_grad, backward_hooks, dtype[,
 * metadata]). */
static tocha_value *rebuild_typed_tensor(tocha_loader *l, int64_t count, const tocha_value *a) {
  tocha_element element = count < 7 ? -1 : element_of(item(a, 6));
  if (element < 0 || item(a, 0)->kind != VALUE_STORAGE)
    return fail_arguments(l, "_rebuild_tensor_v3");
  return tocha_tensor_over(l, item(a, 0), element, item(a, 1), item(a, 2), item(a, 3),
                           is_true(item(a, 4)));
}

/* Creates a parameter from (data, requires_grad, backward_hooks[, state]). */
static tocha_value *rebuild_parameter(tocha_loader *l, int64_t count, const tocha_value *a) {
  if (count >= 2 && item(a, 0)->kind == TOCHA_VALUE_MISSING)
    return (tocha_value *)(uintptr_t)item(a, 0);
  if (count < 2 || item(a, 0)->kind != TOCHA_VALUE_TENSOR)
    return fail_arguments(l, "_rebuild_parameter");
  tocha_tensor *t = tocha_parameter_new(l->cx, item(a, 0)->as.tensor, is_true(item(a, 1)));
  return t ? tocha_new_tensor(l->out, t) : NULL;
}

/* Creates a tensor from (function, class, arguments, state), without its attributes. */
static tocha_value *rebuild_from_type(tocha_loader *l, int64_t count, const tocha_value *a) {
  const tocha_value *function = item(a, 0), *type = item(a, 1), *arguments = item(a, 2);
  bool known =
      count >= 3 && type->kind == VALUE_GLOBAL && strncmp(type->as.bytes, "torch.", 6) == 0;
  if (count < 3 || function->kind != VALUE_GLOBAL || arguments->kind != TOCHA_VALUE_TUPLE ||
      (!known && type->kind != TOCHA_VALUE_OBJECT) || strstr(function->as.bytes, "from_type"))
    return fail_arguments(l, "_rebuild_from_type_v2");
  return tocha_call_global(l, function, arguments, NULL);
}

/* Creates a meta tensor from (dtype, size, stride, requires_grad). */
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
  if (t && is_true(item(a, 3))) t = tocha_set_requires_grad(l->cx, t, true);
  return t ? tocha_new_tensor(l->out, t) : NULL;
}

/* Returns the value for a tensor that Tocha lacks. Arguments of the quantized ones: (storage,
 * offset, size, ...), of the sparse ones: (layout, (indices, values, size, ...)), of the nested
 * ones: (buffer, sizes, ...). */
static tocha_value *quantized(tocha_loader *l, int64_t count, const tocha_value *a) {
  if (count < 4 || item(a, 0)->kind != VALUE_STORAGE) return fail_arguments(l, "_rebuild_qtensor");
  const tocha_storage_view *view = item(a, 0)->as.other;
  tocha_element e = view->element;
  return tocha_missing_tensor(
      l, e < TOCHA_DTYPE_COUNT ? "quantized" : tocha_foreign_types[e - TOCHA_DTYPE_COUNT].name,
      item(a, 2));
}

static tocha_value *sparse(tocha_loader *l, int64_t count, const tocha_value *a) {
  const tocha_value *data = count >= 2 ? item(a, 1) : NULL, *size = NULL;
  int64_t parts = tocha_value_count(data);
  for (int64_t i = 0; data && !size && !tocha_is_dict(data) && i < parts; i++)
    if (is_sequence(item(data, i))) size = item(data, i);
  return tocha_missing_tensor(l, "sparse", size);
}

static tocha_value *nested(tocha_loader *l, int64_t count, const tocha_value *a) {
  (void)count, (void)a;
  return tocha_missing_tensor(l, "nested", NULL);
}

/* Returns an object for a class that PyTorch loads by default and that has no counterpart in
 * Lua. */
static tocha_value *foreign_object(tocha_loader *l, const char *name,
                                   const tocha_value *arguments) {
  tocha_value *v = tocha_new_object(l, "class", tocha_new_string(l->out, name, strlen(name)));
  return v && tocha_object_set(l, v, "args", arguments) ? v : NULL;
}
static tocha_value *complex_number(tocha_loader *l, int64_t count, const tocha_value *a) {
  (void)count;
  return foreign_object(l, "builtins.complex", a);
}
static tocha_value *layout(tocha_loader *l, int64_t count, const tocha_value *a) {
  (void)count;
  return foreign_object(l, "torch.layout", a);
}

/* --- the list ------------------------------------------------------------------------------------------------------ */

static const struct {
  const char *name; /* with its module; Python 2's __builtin__ becomes builtins */
  call *call;       /* NULL: a class that can only be named */
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
    {"torch._utils._rebuild_qtensor", quantized},
    {"torch._utils._rebuild_sparse_tensor", sparse},
    {"torch._utils._rebuild_sparse_csr_tensor", sparse},
    {"torch._utils._rebuild_nested_tensor", nested},
    {"torch.serialization._get_layout", layout},
    {"builtins.complex", complex_number},
    {"torch.Tensor", NULL},
    {"torch.nn.parameter.Parameter", NULL},
};

/* Returns true if `name` ends with "Storage", and sets *length to the length without that ending. */
static bool is_storage_name(const char *name, size_t *length) {
  size_t suffix = strlen("Storage");
  *length = strlen(name);
  if (*length <= suffix || strcmp(name + *length - suffix, "Storage") != 0) return false;
  *length -= suffix;
  return true;
}

static bool is_word(const char *word, const char *text, size_t length) {
  return word && strlen(word) == length && strncmp(word, text, length) == 0;
}

/* Returns the element type of a storage class such as torch.FloatStorage, or -1 if `name` is no such class. The elements of
 * UntypedStorage are bytes. */
static tocha_element storage_element(const char *name) {
  size_t length;
  if (!is_storage_name(name, &length)) return -1;
  if (strcmp(name, "UntypedStorage") == 0) return TOCHA_UINT8;
  for (int d = 0; d < TOCHA_DTYPE_COUNT; d++)
    if (!tocha_is_float8(d) && is_word(tocha_dtype_scalar_type((tocha_dtype)d), name, length))
      return d;
  for (int i = 0; i < tocha_foreign_count; i++)
    if (is_word(tocha_foreign_types[i].scalar_type, name, length)) return TOCHA_DTYPE_COUNT + i;
  return -1;
}

/* Returns true if `name` is a type or a quantization scheme that PyTorch allows by default and that Tocha does not use. */
static bool is_foreign(const char *name) {
  static const char *const parts[] = {"torch.complex", "torch.uint", "torch.float8",
                                      "torch.float4",  "torch.qint", "torch.quint",
                                      "torch.bits",    "torch.per_"};
  bool narrow = strncmp(name, "torch.int", 9) == 0 && name[9] >= '1' && name[9] <= '7' && !name[10];
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strncmp(name, parts[i], strlen(parts[i])) == 0) return true;
  return narrow;
}

/* Returns true if the file may use a name that is not in the list. */
static bool is_allowed(const tocha_loader *l, const char *name) {
  const char *const *safe = l->options->safe_globals;
  if (l->options->any_class || is_foreign(name)) return true;
  for (; safe && *safe; safe++)
    if (strcmp(*safe, name) == 0) return true;
  return false;
}

static tocha_value *named_global(tocha_loader *l, const char *name, int extra) {
  tocha_value *v = tocha_value_raw(l->out, VALUE_GLOBAL, extra);
  if (v) v->as.bytes = name;
  return v;
}

tocha_value *tocha_find_global(tocha_loader *l, const char *module, const char *name) {
  char full[600];
  if (strcmp(module, "__builtin__") == 0) module = "builtins";
  snprintf(full, sizeof full, "%s.%s", module, name);
  for (char *c = full; *c; c++)
    if (*c < ' ' || *c == 127) *c = '?'; /* in messages */
  bool torch = strcmp(module, "torch") == 0 || strcmp(module, "torch.storage") == 0;
  tocha_element element = torch ? storage_element(name) : -1;
  if (element >= 0) return named_global(l, "storage", element + 1);
  for (int d = 0; torch && d < TOCHA_DTYPE_COUNT; d++)
    if (strcmp(name, tocha_dtype_name((tocha_dtype)d)) == 0)
      return tocha_new_dtype(l->out, (tocha_dtype)d);
  for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
    if (strcmp(full, globals[i].name) == 0) return named_global(l, globals[i].name, 0);
  const tocha_value *text = tocha_new_string(l->out, full, strlen(full));
  if (text && !l->refused && !is_allowed(l, full)) l->refused = text->as.bytes;
  return text ? tocha_new_object(l, "global", text) : NULL;
}

tocha_value *tocha_call_global(tocha_loader *l, const tocha_value *global,
                               const tocha_value *arguments, const tocha_value *keywords) {
  if (global->kind == TOCHA_VALUE_OBJECT) return tocha_call_object(l, global, arguments, keywords);
  for (size_t i = 0; i < sizeof globals / sizeof *globals; i++) {
    if (globals[i].name != global->as.bytes) continue;
    if (!globals[i].call || tocha_value_count(keywords)) break;
    tocha_value *v = globals[i].call(l, tocha_value_count(arguments), arguments);
    return tocha_failed(l->cx) ? NULL : v;
  }
  return fail_arguments(l, global->as.bytes);
}
