/* safetensors_write.c: writes .safetensors files byte for byte as the Python package does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "serialization/safetensors.h"
#include "tocha/ops/to.h"

typedef struct item {
  const char *name;
  tocha_tensor *tensor;
  const tocha_safetensors_type *type;
} item;

static bool fail_value(tocha_context *cx, const char *format, const char *name) {
  tocha_fail(cx, TOCHA_VALUE_ERROR, format, name); // NOLINT: the formats are the constants below
  return false;
}

/* --- checks ----------------------------------------------------------------------------------- */

static bool read_item(tocha_context *cx, const tocha_value *key, const tocha_value *value,
                      item *to) {
  size_t length;
  to->name = key->kind == TOCHA_VALUE_STRING ? tocha_value_text(key, &length) : NULL;
  if (!to->name || strlen(to->name) != length)
    return fail_value(cx, "the names of tensors are strings, not %s", tocha_value_type(key));
  to->tensor = tocha_value_tensor(value);
  if (!to->tensor)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Key `%.200s` is invalid, expected torch.Tensor but received <class '%s'>",
                      to->name, tocha_value_type(value));
  if (tocha_is_forgotten(to->tensor) || tocha_is_uninitialized(to->tensor) ||
      to->tensor->device.type == TOCHA_META)
    return fail_value(cx, "the tensor `%.200s` has no data", to->name);
  if (!tocha_is_contiguous(to->tensor)) {
    fail_value(cx,
               "You are trying to save a non contiguous tensor: `%.200s` which is not allowed. It "
               "either means you are trying to save tensors which are reference of each other in "
               "which case it's recommended to save only the full tensors, and reslice at load "
               "time, or simply call `.contiguous()` on your tensor to pack it before saving.",
               to->name);
    return false;
  }
  for (int i = 0; i < tocha_safetensors_type_count; i++)
    if ((int)tocha_safetensors_types[i].dtype == (int)to->tensor->dtype)
      to->type = &tocha_safetensors_types[i];
  return to->type || fail_value(cx, "the dtype of `%.200s` has no name in .safetensors", to->name);
}

static int by_storage(const void *a, const void *b) {
  const void *x = ((const item *)a)->tensor->storage, *y = ((const item *)b)->tensor->storage;
  return x == y ? 0 : x < y ? -1 : 1;
}

static int by_type(const void *a, const void *b) {
  const item *x = a, *y = b;
  if (x->type != y->type) return y->type->rank - x->type->rank;
  return strcmp(x->name, y->name);
}

/* Fails if two tensors share memory, which a file cannot express, or have the same name. */
static bool check_items(tocha_context *cx, item *items, size_t count) {
  if (!count) return true;
  qsort(items, count, sizeof *items, by_storage);
  for (size_t i = 1; i < count; i++)
    if (items[i - 1].tensor->numel && items[i].tensor->numel &&
        items[i - 1].tensor->storage == items[i].tensor->storage) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                 "Some tensors share memory, this will lead to duplicate memory on disk and "
                 "potential differences when loading them again: [{'%.200s', '%.200s'}].",
                 items[i - 1].name, items[i].name);
      return tocha_hint(cx, "save one of them, or a clone; torch.save keeps what is shared");
    }
  qsort(items, count, sizeof *items, by_type);
  for (size_t i = 1; i < count; i++)
    if (items[i - 1].type == items[i].type && strcmp(items[i - 1].name, items[i].name) == 0)
      return fail_value(cx, "two tensors have the name `%.200s`", items[i].name);
  return true;
}

/* --- the head ------------------------------------------------------------------------------------------------------- */

static void put_json(tocha_text *t, const char *text) {
  tocha_text_string(t, "\"");
  for (; *text; text++) {
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *special = strchr(from, *text);
    if (special)
      tocha_text_format(t, "\\%c", to[special - from]);
    else if ((unsigned char)*text < ' ')
      tocha_text_format(t, "\\u%04x", (unsigned)*text);
    else
      tocha_text_append(t, text, 1);
  }
  tocha_text_string(t, "\"");
}

static bool put_metadata(tocha_context *cx, tocha_text *t, const tocha_value *metadata) {
  tocha_text_string(t, "\"__metadata__\":{");
  for (int64_t i = 0; i < tocha_value_count(metadata); i++) {
    const char *name = tocha_value_text(tocha_value_key(metadata, i), NULL);
    const char *text = tocha_value_text(tocha_value_item(metadata, i), NULL);
    if (!name || !text)
      return tocha_fail(cx, TOCHA_TYPE_ERROR,
                        "the metadata of a .safetensors file must be strings");
    if (i) tocha_text_string(t, ",");
    put_json(t, name);
    tocha_text_string(t, ":");
    put_json(t, text);
  }
  tocha_text_string(t, "}");
  return true;
}

static char *make_head(tocha_context *cx, const item *items, size_t count,
                       const tocha_value *metadata, size_t *length) {
  tocha_text t = {0};
  int64_t at = 0;
  tocha_text_string(&t, "{");
  if (metadata && !put_metadata(cx, &t, metadata)) {
    tocha_text_free(&t);
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    const tocha_tensor *x = items[i].tensor;
    int64_t end = at + x->numel * tocha_item_size((tocha_dtype)x->dtype);
    if (i || metadata) tocha_text_string(&t, ",");
    put_json(&t, items[i].name);
    tocha_text_format(&t, ":{\"dtype\":\"%s\",\"shape\":[", items[i].type->name);
    for (int k = 0; k < x->ndim; k++)
      tocha_text_format(&t, k ? ",%lld" : "%lld", (long long)x->sizes[k]);
    tocha_text_format(&t, "],\"data_offsets\":[%lld,%lld]}", (long long)at, (long long)end);
    at = end;
  }
  tocha_text_string(&t, "}");
  tocha_text_repeat(&t, ' ', -t.length & 7);
  *length = t.length;
  return tocha_text_finish(cx, &t);
}

/* --- writing --------------------------------------------------------------------------------------------------------- */

static bool write_tensor(tocha_context *cx, tocha_tensor *t, tocha_sink *sink) {
  tocha_scope scope = tocha_scope_begin(cx);
  t = tocha_shallow(cx, t);
  const tocha_tensor *host = t && t->device.type != TOCHA_CPU
                                 ? tocha_to(cx, t, tocha_cpu(), TOCHA_NO_DTYPE, false, false)
                                 : t;
  size_t length = host ? (size_t)(host->numel * tocha_item_size((tocha_dtype)host->dtype)) : 0;
  bool done = host && (!length || tocha_sink_write(cx, sink, tocha_bytes(host), length));
  tocha_scope_end(cx, scope, NULL);
  return done;
}

static bool write_all(tocha_context *cx, item *items, size_t count, const tocha_value *metadata,
                      tocha_sink *sink) {
  size_t length;
  char raw[8], *head = make_head(cx, items, count, metadata, &length);
  if (!head) return false;
  for (int i = 0; i < 8; i++) raw[i] = (char)((uint64_t)length >> 8 * i & 255);
  bool done =
      tocha_sink_write(cx, sink, raw, sizeof raw) && tocha_sink_write(cx, sink, head, length);
  for (size_t i = 0; done && i < count; i++) done = write_tensor(cx, items[i].tensor, sink);
  free(head);
  return done;
}

bool tocha_save_safetensors(tocha_context *cx, const tocha_value *root, tocha_sink *sink) {
  if (!tocha_is_dict(root))
    return fail_value(cx, "Expected a dict of [str, torch.Tensor] but received <class '%s'>",
                      tocha_value_type(root));
  const tocha_value *metadata = tocha_value_attributes(root);
  if (tocha_value_find(metadata, "_metadata")) metadata = NULL; /* it belongs to a state dict */
  size_t count = (size_t)tocha_value_count(root);
  item *items = tocha_allocate_zeroed(cx, (count + 1) * sizeof *items);
  bool done = items != NULL;
  for (size_t i = 0; done && i < count; i++)
    done = read_item(cx, tocha_value_key(root, (int64_t)i), tocha_value_item(root, (int64_t)i),
                     &items[i]);
  done = done && check_items(cx, items, count) && write_all(cx, items, count, metadata, sink);
  tocha_deallocate(cx, items, items ? (count + 1) * sizeof *items : 0);
  return done;
}
