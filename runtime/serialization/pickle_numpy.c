/* pickle_numpy.c: NumPy's arrays and numbers in pickles. An array is created by calling
 * _reconstruct, and gets its data from the state (version, shape, dtype, is column-major, bytes
 * or a list). Its dtype is an object too: dtype("f8", ...) with the state (version, "<", ...). */
#include <string.h>

#include "io/npy.h"
#include "io/unpack.h"
#include "serialization/pickle.h"

/* The parts of an array. */
typedef struct array {
  tocha_npy_type type;
  tocha_npy_head head;
  const tocha_value *data; /* bytes, or a list of objects */
  int64_t count;           /* elements */
} array;

/* --- its parts --------------------------------------------------------------------------------------------------- */

/* Reads the type that an object of class numpy.dtype describes. Returns false if it describes no
 * type that has a name. */
static bool read_type(const tocha_value *v, tocha_npy_type *type) {
  size_t length;
  if (strcmp(tocha_object_name(v), "numpy.dtype") != 0) return false;
  const char *text = tocha_value_text(tocha_value_item(tocha_object_part(v, "args"), 0), &length);
  const char *order = tocha_value_text(tocha_value_item(tocha_object_part(v, "state"), 1), NULL);
  if (!text || !tocha_npy_read_type(text, length, type)) return false;
  if (order) type->swapped = *order == (tocha_is_little_endian() ? '>' : '<');
  return true;
}

static bool read_shape(const tocha_value *v, array *a) {
  int64_t ndim = tocha_value_count(v);
  if (!v || v->kind != TOCHA_VALUE_TUPLE || ndim > TOCHA_MAX_DIMS) return false;
  a->head.ndim = (int)ndim;
  a->count = 1;
  for (int i = 0; i < a->head.ndim; i++) {
    const tocha_value *size = tocha_value_item(v, i);
    if (size->kind != TOCHA_VALUE_INT || size->as.integer < 0) return false;
    a->head.sizes[i] = size->as.integer;
    if (__builtin_mul_overflow(a->count, size->as.integer, &a->count)) return false;
  }
  return true;
}

/* Returns true if the data has as many elements as the shape. */
static bool has_all(const array *a) {
  size_t length;
  int64_t bytes;
  if (a->type.kind == 'O')
    return a->data->kind == TOCHA_VALUE_LIST && tocha_value_count(a->data) == a->count;
  int64_t item = (a->type.kind == 'U' ? 4 : 1) * (int64_t)a->type.size;
  return tocha_value_text(a->data, &length) && !__builtin_mul_overflow(item, a->count, &bytes) &&
         (uint64_t)bytes == length;
}

/* Reads the parts of an array, whose data must have as many elements as its shape. Returns false
 * if they do not match. */
static bool read_array(const tocha_value *shape, const tocha_value *type, bool fortran,
                       const tocha_value *data, array *a) {
  if (!type || !data || !read_type(type, &a->type) || !read_shape(shape, a)) return false;
  a->data = data;
  a->head.dtype = a->type.dtype;
  a->head.foreign = a->type.foreign;
  a->head.swapped = a->type.swapped;
  a->head.fortran_order = fortran && a->head.ndim > 1;
  return has_all(a);
}

/* --- texts and objects -------------------------------------------------------------------------------------------- */

/* Returns a text of `size` characters of 4 bytes, without zeros at its end. */
static tocha_value *wide_text(tocha_loader *l, const char *from, int size, bool swapped) {
  char *content;
  size_t used = 0;
  while (size && memcmp(from + 4 * ((size_t)size - 1), "\0\0\0\0", 4) == 0) size--;
  tocha_value *v = tocha_value_unfilled(l->out, TOCHA_VALUE_STRING, 4 * (size_t)size, &content);
  for (int i = 0; v && i < size; i++) {
    uint32_t c;
    memcpy(&c, from + 4 * (size_t)i, sizeof c);
    if (swapped) tocha_swap_bytes(&c, 1, sizeof c);
    used += tocha_put_utf8(content + used, c < 0x110000 ? c : 0xfffd);
  }
  if (v) {
    content[used] = '\0';
    memcpy(content - sizeof used, &used, sizeof used);
  }
  return v;
}

/* Returns element i of an array of texts or objects. */
static const tocha_value *element(tocha_loader *l, const array *a, int64_t i) {
  const char *bytes = tocha_value_text(a->data, NULL);
  if (a->type.kind == 'O') return tocha_value_item(a->data, i);
  if (a->type.kind == 'U')
    return wide_text(l, bytes + 4 * i * a->type.size, a->type.size, a->type.swapped);
  size_t length = (size_t)a->type.size;
  bytes += i * a->type.size;
  while (length && !bytes[length - 1]) length--;
  return tocha_new_bytes(l->out, bytes, length);
}

/* Returns the elements of dimension d and below, from element `at` on in steps of `step`, as lists in lists. */
static const tocha_value *lists(tocha_loader *l, const array *a, int d, int64_t at,
                                const int64_t *steps) {
  if (d == a->head.ndim) return element(l, a, at);
  tocha_value *v = tocha_new_collection(l->out, TOCHA_VALUE_LIST);
  for (int64_t i = 0; v && i < a->head.sizes[d]; i++) {
    const tocha_value *item = lists(l, a, d + 1, at + i * steps[d], steps);
    if (!item || !tocha_value_append(l->out, v, item)) return NULL;
  }
  return v;
}

static const tocha_value *nested(tocha_loader *l, const array *a) {
  int64_t steps[TOCHA_MAX_DIMS], step = 1;
  for (int i = 0; i < a->head.ndim; i++) {
    int d = a->head.fortran_order ? i : a->head.ndim - 1 - i;
    steps[d] = step;
    step = tocha_wrapping_product(step, a->head.sizes[d]);
  }
  if (!a->count && a->head.ndim) return tocha_new_collection(l->out, TOCHA_VALUE_LIST);
  return lists(l, a, 0, 0, steps);
}

/* --- numbers ------------------------------------------------------------------------------------------------------- */

static tocha_tensor *tensor_of(tocha_loader *l, const array *a) {
  size_t length;
  const char *bytes = tocha_value_text(a->data, &length);
  tocha_npy_source source = {NULL, bytes, (int64_t)length};
  if (a->type.foreign !=
          TOCHA_FOREIGN_NONE && /* swapped elements of 8 bytes are treated as not fitting */
      ((a->type.swapped && a->type.size == 8) ||
       !tocha_foreign_fits(a->type.foreign, bytes, a->count)))
    return NULL;
  if (!tocha_checkpoint_charge(l->out, 2 * length)) return NULL;
  return tocha_npy_take(l->cx, &source, &a->head);
}

/* Returns the value of an array of this shape: an array, lists, or a missing tensor. */
static const tocha_value *value_of(tocha_loader *l, const array *a, const tocha_value *shape) {
  if (strchr("SUO", a->type.kind)) return nested(l, a);
  tocha_tensor *t = a->type.dtype == TOCHA_NO_DTYPE ? NULL : tensor_of(l, a);
  if (!t && !tocha_failed(l->cx)) return tocha_missing_tensor(l, a->type.name, shape);
  tocha_value *v = t ? tocha_new_tensor(l->out, t) : NULL;
  if (v) v->kind = TOCHA_VALUE_ARRAY;
  return v;
}

tocha_value *tocha_numpy_scalar(tocha_loader *l, const tocha_value *arguments) {
  array a = {.count = 1};
  tocha_value shape = {.kind = TOCHA_VALUE_TUPLE};
  tocha_collection none = {.number = -1};
  shape.as.collection = &none;
  const tocha_value *type = tocha_value_item(arguments, 0), *bytes = tocha_value_item(arguments, 1);
  if (!read_array(&shape, type, false, bytes, &a) || a.type.kind == 'O' ||
      (a.type.dtype == TOCHA_NO_DTYPE && !strchr("SU", a.type.kind)))
    return NULL;
  if (strchr("SU", a.type.kind)) return (tocha_value *)(uintptr_t)element(l, &a, 0);
  tocha_tensor *t = tensor_of(l, &a);
  tocha_scalar s;
  if (!t || !tocha_item(l->cx, t, &s)) return NULL;
  if (s.kind == TOCHA_SCALAR_BOOL) return tocha_new_bool(l->out, s.value.integer != 0);
  return s.kind == TOCHA_SCALAR_INT ? tocha_new_int(l->out, s.value.integer)
                                    : tocha_new_float(l->out, s.value.real);
}

tocha_value *tocha_numpy_frombuffer(tocha_loader *l, const tocha_value *arguments) {
  array a = {.count = 0};
  const char *order = tocha_value_text(tocha_value_item(arguments, 3), NULL);
  if (!order || !read_array(tocha_value_item(arguments, 2), tocha_value_item(arguments, 1),
                            *order == 'F', tocha_value_item(arguments, 0), &a))
    return NULL;
  return (tocha_value *)(uintptr_t)value_of(l, &a, tocha_value_item(arguments, 2));
}

bool tocha_numpy_build(tocha_loader *l, tocha_value *object, const tocha_value *state) {
  array a = {.count = 0};
  int64_t first = tocha_value_count(state) - 4; /* before NumPy 1 the state has no version */
  if (state->kind != TOCHA_VALUE_TUPLE || first < 0) return true;
  if (!read_array(tocha_value_item(state, first), tocha_value_item(state, first + 1),
                  tocha_value_bool(tocha_value_item(state, first + 2)),
                  tocha_value_item(state, first + 3), &a))
    return true;
  const tocha_value *v = value_of(l, &a, tocha_value_item(state, first));
  if (v) *object = *v;
  return !tocha_failed(l->cx);
}

const tocha_value *tocha_numpy_file(tocha_loader *l, const char *bytes, size_t length) {
  array a = {.count = 0};
  tocha_npy_source source = {NULL, bytes, (int64_t)length};
  if (!tocha_npy_begin(l->cx, &source, &a.head, &a.type)) return NULL;
  int64_t at = a.head.bytes;
  if (a.type.kind == 'O') return tocha_unpickle(l, l->source, &at, l->source->size);
  tocha_value *shape = tocha_new_collection(l->out, TOCHA_VALUE_TUPLE);
  for (int i = 0; shape && i < a.head.ndim; i++)
    if (!tocha_value_append(l->out, shape, tocha_new_int(l->out, a.head.sizes[i]))) return NULL;
  a.data = tocha_new_bytes(l->out, bytes + at, length - (size_t)at);
  if (!shape || !a.data) return NULL;
  if (read_shape(shape, &a) && strchr("SU", a.type.kind) && has_all(&a)) return nested(l, &a);
  return tocha_fail(l->cx, TOCHA_VALUE_ERROR,
                    "Failed to read all data for array. (file seems not fully written?)");
}
