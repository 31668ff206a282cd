/* npy.c: NumPy's .npy files. The format: numpy.lib.format, "NumPy Enhancement Proposal 1".
 *
 *   "\x93NUMPY" major minor   length (2 bytes; 4 from version 2 on)   a Python dictionary, padded
 *   the elements */
#include "io/npy.h"

#include <string.h>

#include "io/source.h"
#include "tocha/ops/contiguous.h"

static const char magic[6] = "\x93NUMPY";
enum { MAGIC = 8, MAX_HEAD = 10000, ALIGN = 64, GROWTH_DIGITS = 21 };

bool tocha_npy_is_magic(const char *bytes, size_t length) {
  return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

/* --- reading bytes ------------------------------------------------------------------------------ */

/* Reads up to `length` bytes of the source and returns the number of bytes read. */
static size_t take(tocha_context *cx, tocha_npy_source *source, void *to, size_t length) {
  if (source->left >= 0 && length > (size_t)source->left) length = (size_t)source->left;
  size_t got = length;
  if (source->reader)
    got = tocha_read_some(cx, source->reader, to, length);
  else if (source->bytes)
    memcpy(to, source->bytes, length), source->bytes += length;
  if (source->left >= 0) source->left -= (int64_t)got;
  return got;
}

static bool take_all(tocha_context *cx, tocha_npy_source *source, void *to, size_t length,
                     const char *what) {
  size_t got = take(cx, source, to, length);
  if (got < length)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "EOF: reading %s, expected %zu bytes got %zu", what, length,
               got);
  return !tocha_failed(cx);
}

/* --- the head: a Python dictionary -------------------------------------------------------------- */

/* The unread rest of the dictionary's text. */
typedef struct literal {
  const char *at, *end;
} literal;

static void skip_blanks(literal *l) {
  while (l->at < l->end && (*l->at == ' ' || *l->at == '\n' || *l->at == '\t' || *l->at == '\r'))
    l->at++;
}

static bool accept(literal *l, char c) {
  skip_blanks(l);
  if (l->at == l->end || *l->at != c) return false;
  l->at++;
  return true;
}

/* Reads a string literal without escapes. */
static bool read_string(literal *l, literal *text) {
  skip_blanks(l);
  if (l->at == l->end || (*l->at != '\'' && *l->at != '"')) return false;
  const char *end = memchr(l->at + 1, *l->at, (size_t)(l->end - l->at - 1));
  if (!end) return false;
  *text = (literal){l->at + 1, end};
  l->at = end + 1;
  return true;
}

/* Skips one value of any kind. Counts brackets without checking that their kinds match. */
static bool skip_value(literal *l, literal *value) {
  int depth = 0;
  skip_blanks(l);
  value->at = l->at;
  for (literal text; l->at < l->end; l->at++) {
    char c = *l->at;
    if (depth == 0 && (c == ',' || c == '}')) break;
    if (c == '\'' || c == '"') {
      if (!read_string(l, &text)) return false;
      l->at--;
    }
    if (c == '(' || c == '[' || c == '{') depth++;
    if (c == ')' || c == ']' || c == '}') depth--;
    if (depth < 0) return false;
  }
  value->end = l->at;
  while (value->end > value->at && (value->end[-1] == ' ' || value->end[-1] == '\n')) value->end--;
  return depth == 0 && value->end > value->at;
}

static bool is_text(literal text, const char *word) {
  size_t length = (size_t)(text.end - text.at);
  return length == strlen(word) && memcmp(text.at, word, length) == 0;
}

static void *fail_with(tocha_context *cx, const char *message, literal text) {
  size_t length = (size_t)(text.end - text.at);
  return tocha_fail(cx, TOCHA_VALUE_ERROR, "%s%.*s", message, (int)(length < 200 ? length : 200),
                    text.at);
}

/* Reads a shape: "(3, 4)", "(5,)", "()", and Python 2's "(3L,)". */
static bool read_shape(tocha_context *cx, literal value, tocha_npy_head *head) {
  literal l = value;
  if (!accept(&l, '(')) return fail_with(cx, "shape is not valid: ", value);
  head->ndim = 0;
  while (!accept(&l, ')')) {
    int64_t size = 0;
    skip_blanks(&l);
    const char *digits = l.at;
    for (; l.at < l.end && *l.at >= '0' && *l.at <= '9'; l.at++)
      if (__builtin_mul_overflow(size, 10, &size) ||
          __builtin_add_overflow(size, *l.at - '0', &size))
        return fail_with(cx, "shape is not valid: ", value);
    if (l.at == digits) return fail_with(cx, "shape is not valid: ", value);
    if (l.at < l.end && *l.at == 'L') l.at++;
    if (head->ndim == TOCHA_MAX_DIMS)
      return tocha_fail(cx, TOCHA_VALUE_ERROR,
                        "maximum supported dimension for an ndarray is currently %d",
                        TOCHA_MAX_DIMS);
    head->sizes[head->ndim++] = size;
    bool comma = accept(&l, ',');
    skip_blanks(&l);
    bool last = l.at < l.end && *l.at == ')';
    if ((!comma && !last) || (last && !comma && head->ndim == 1))
      return fail_with(cx, "shape is not valid: ", value);
  }
  return true;
}

static const char *head_name(tocha_dtype dtype) {
  static const char *const names[TOCHA_DTYPE_COUNT] = {
      [TOCHA_BOOL] = "|b1",    [TOCHA_UINT8] = "|u1",   [TOCHA_INT8] = "|i1",
      [TOCHA_INT16] = "<i2",   [TOCHA_INT32] = "<i4",   [TOCHA_INT64] = "<i8",
      [TOCHA_FLOAT16] = "<f2", [TOCHA_FLOAT32] = "<f4", [TOCHA_FLOAT64] = "<f8"};
  return names[dtype];
}

static bool read_dtype(tocha_context *cx, literal value, tocha_npy_head *head,
                       tocha_npy_type *type) {
  literal l = value, text;
  if (*value.at == '[' || *value.at == '(') return tocha_npy_refuse(cx, "void");
  if (!read_string(&l, &text) || l.at != value.end ||
      !tocha_npy_read_type(text.at, (size_t)(text.end - text.at), type))
    return fail_with(cx, "descr is not a valid dtype descriptor: ", value);
  head->dtype = type->dtype;
  head->foreign = type->foreign;
  head->swapped = type->swapped;
  return true;
}

/* Fails if no dtype of a tensor can represent the elements. */
static bool check_numbers(tocha_context *cx, const tocha_npy_type *type) {
  if (type->dtype != TOCHA_NO_DTYPE) return true;
  if (type->kind != 'O') return tocha_npy_refuse(cx, type->name);
  tocha_fail(cx, TOCHA_VALUE_ERROR, "Object arrays cannot be loaded when allow_pickle=False");
  return tocha_hint(cx, "np.load(path, {allow_pickle = true}) reads them; nothing is executed");
}

static bool read_order(tocha_context *cx, literal value, tocha_npy_head *head) {
  head->fortran_order = is_text(value, "True");
  return head->fortran_order || is_text(value, "False") ||
         fail_with(cx, "fortran_order is not a valid bool: ", value);
}

enum { MAX_KEYS = 16 };

/* Fails with an error that lists the keys found, in alphabetical order: "['descr', 'shape']". */
static bool fail_keys(tocha_context *cx, literal *keys, int count) {
  char text[512] = "";
  size_t used = 0;
  for (int i = 0; i < count; i++) {
    int smallest = i;
    for (int k = i + 1; k < count; k++) {
      ptrdiff_t a = keys[k].end - keys[k].at, b = keys[smallest].end - keys[smallest].at;
      int order = memcmp(keys[k].at, keys[smallest].at, (size_t)(a < b ? a : b));
      if (order < 0 || (order == 0 && a < b)) smallest = k;
    }
    literal key = keys[smallest];
    keys[smallest] = keys[i];
    ptrdiff_t length = key.end - key.at < 25 ? key.end - key.at : 25;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s'%.*s'", i ? ", " : "",
                             (int)length, key.at);
  }
  return tocha_fail(cx, TOCHA_VALUE_ERROR, "Header does not contain the correct keys: [%s]", text);
}

/* Returns the number of a required key, or 3 for any other key. */
static int key_number(literal key) {
  static const char *const names[] = {"descr", "fortran_order", "shape"};
  int i = 0;
  while (i < 3 && !is_text(key, names[i])) i++;
  return i;
}

static bool read_dictionary(tocha_context *cx, literal all, tocha_npy_head *head,
                            tocha_npy_type *type) {
  literal l = all, values[4] = {{NULL, NULL}}, keys[MAX_KEYS];
  int count = 0;
  while (all.end > all.at && strchr(" \n", all.end[-1])) all.end--;
  if (!accept(&l, '{')) return fail_with(cx, "Header is not a dictionary: ", all);
  while (!accept(&l, '}')) {
    literal key, value;
    if (count == MAX_KEYS || !read_string(&l, &key) || !accept(&l, ':') || !skip_value(&l, &value))
      return fail_with(cx, "Cannot parse header: ", all);
    keys[count++] = key;
    values[key_number(key)] = value;
    skip_blanks(&l);
    if (!accept(&l, ',') && (l.at == l.end || *l.at != '}'))
      return fail_with(cx, "Cannot parse header: ", all);
  }
  skip_blanks(&l);
  if (l.at != l.end) return fail_with(cx, "Cannot parse header: ", all);
  if (values[3].at || !values[0].at || !values[1].at || !values[2].at)
    return fail_keys(cx, keys, count);
  return read_shape(cx, values[2], head) && read_order(cx, values[1], head) &&
         read_dtype(cx, values[0], head, type);
}

bool tocha_npy_begin(tocha_context *cx, tocha_npy_source *source, tocha_npy_head *head,
                     tocha_npy_type *type) {
  unsigned char start[MAGIC], length[4] = {0};
  char text[MAX_HEAD];
  if (!take_all(cx, source, start, sizeof start, "magic string")) return false;
  if (!tocha_npy_is_magic((const char *)start, sizeof start))
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "the magic string is not correct; expected b'\\x93NUMPY'");
  int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "we only support format version (1,0), (2,0), and (3,0), not (%d, %d)", major,
                      minor);
  size_t width = major == 1 ? 2 : 4;
  if (!take_all(cx, source, length, width, "array header length")) return false;
  size_t bytes =
      length[0] | (size_t)length[1] << 8 | (size_t)length[2] << 16 | (size_t)length[3] << 24;
  if (bytes > MAX_HEAD)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Header info length (%zu) is large and may not be safe to load securely.",
                      bytes);
  if (!take_all(cx, source, text, bytes, "array header")) return false;
  head->bytes = (int64_t)(MAGIC + width + bytes);
  return read_dictionary(cx, (literal){text, text + bytes}, head, type);
}

static bool read_head(tocha_context *cx, tocha_npy_source *source, tocha_npy_head *head) {
  tocha_npy_type type;
  return tocha_npy_begin(cx, source, head, &type) && check_numbers(cx, &type);
}

/* --- the elements ------------------------------------------------------------------------------- */

static int64_t file_item(const tocha_npy_head *head) {
  return head->foreign == TOCHA_FOREIGN_NONE ? tocha_item_size(head->dtype)
                                             : tocha_foreign_types[head->foreign].size;
}

/* Fails if the source is too short for all elements. */
static bool check_count(tocha_context *cx, const tocha_npy_source *source,
                        const tocha_npy_head *head) {
  int64_t count = 1, bytes;
  bool overflow = false;
  for (int i = 0; i < head->ndim; i++)
    overflow |= __builtin_mul_overflow(count, head->sizes[i], &count);
  overflow |= __builtin_mul_overflow(count, file_item(head), &bytes);
  if (overflow || (source->left >= 0 && bytes > source->left)) {
    char text[1024];
    tocha_shape_text(head->ndim, head->sizes, text, sizeof text);
    size_t end = strlen(text) - 1;
    text[0] = '(', text[end] = ')';
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "Failed to read all data for array. Expected %s = %lld elements, could only "
                      "read %lld elements. (file seems not fully written?)",
                      text, overflow ? -1LL : (long long)count,
                      (long long)(source->left / file_item(head)));
  }
  return true;
}

/* Computes the strides for the order of elements in the file. */
static void find_strides(const tocha_npy_head *head, int64_t *strides) {
  if (head->fortran_order) {
    int64_t stride = 1;
    for (int i = 0; i < head->ndim; i++) {
      strides[i] = stride;
      stride = tocha_wrapping_product(stride, head->sizes[i] > 1 ? head->sizes[i] : 1);
    }
  } else {
    tocha_row_major_strides(head->ndim, head->sizes, strides);
  }
}

/* Reads the elements of a type that Tocha lacks into t, which has their dtype. */
static bool take_foreign(tocha_context *cx, tocha_npy_source *source, const tocha_npy_head *head,
                         tocha_tensor *t) {
  const tocha_foreign *type = &tocha_foreign_types[head->foreign];
  tocha_byte_block block = {NULL, 0, 0};
  uint64_t bytes = (uint64_t)(t->numel * type->size);
  bool done = tocha_bytes_reserve(cx, &block, bytes) &&
              take_all(cx, source, block.data, bytes, "array data");
  if (done && head->swapped) tocha_swap_bytes(block.data, t->numel, type->size);
  if (done && !tocha_foreign_fits(head->foreign, block.data, t->numel))
    done = tocha_npy_refuse(cx, type->name);
  if (done) tocha_convert_foreign(head->foreign, block.data, t->numel, tocha_bytes(t));
  tocha_bytes_free(cx, &block);
  return done;
}

tocha_tensor *tocha_npy_take(tocha_context *cx, tocha_npy_source *source,
                             const tocha_npy_head *head) {
  int64_t strides[TOCHA_MAX_DIMS];
  if (!check_count(cx, source, head)) return NULL;
  find_strides(head, strides);
  tocha_tensor *t =
      tocha_new_strided(cx, head->ndim, head->sizes, strides, head->dtype, tocha_cpu());
  if (!t || !t->numel) return t;
  if (head->foreign != TOCHA_FOREIGN_NONE) return take_foreign(cx, source, head, t) ? t : NULL;
  size_t item = tocha_dtype_size(head->dtype);
  if (!take_all(cx, source, tocha_bytes(t), (size_t)t->numel * item, "array data")) return NULL;
  if (head->swapped) tocha_swap_bytes(tocha_bytes(t), t->numel, (int)item);
  tocha_tidy_bools(t);
  return t;
}

static void release_file(void *file, void *data) {
  (void)data;
  tocha_release(file);
}

/* Returns a tensor over the elements that follow the head in `file`. */
static tocha_tensor *share(tocha_context *cx, tocha_tensor *file, const tocha_npy_head *head) {
  tocha_tensor *t = tocha_from_memory(cx, tocha_bytes(file) + head->bytes, head->ndim, head->sizes,
                                      head->dtype, release_file, file);
  if (!t) return NULL;
  tocha_retain(file);
  find_strides(head, t->strides);
  tocha_tensor_finish(t);
  if (head->swapped) tocha_swap_bytes(tocha_bytes(t), t->numel, tocha_item_size(head->dtype));
  tocha_tidy_bools(t);
  return t;
}

tocha_tensor *tocha_npy_over(tocha_context *cx, tocha_tensor *file) {
  tocha_npy_source source = {NULL, tocha_bytes(file), file->numel};
  tocha_npy_head head;
  if (!read_head(cx, &source, &head) || !check_count(cx, &source, &head)) return NULL;
  bool aligned = head.bytes % tocha_item_size(head.dtype) == 0;
  if (head.foreign != TOCHA_FOREIGN_NONE || !aligned || !source.left)
    return tocha_npy_take(cx, &source, &head);
  return share(cx, file, &head);
}

bool tocha_npy_read_head_from(tocha_context *cx, const tocha_reader *reader, tocha_npy_head *head) {
  if (!tocha_check_reader(cx, "load", reader)) return false;
  if (!head) return tocha_refuse_none(cx, "load", "head", "a head");
  tocha_npy_source source = {reader, NULL, tocha_bytes_left(cx, reader)};
  return !tocha_failed(cx) && read_head(cx, &source, head);
}

bool tocha_npy_read_head(tocha_context *cx, FILE *file, tocha_npy_head *head) {
  if (!tocha_check_file(cx, "load", file)) return false;
  tocha_reader reader = tocha_reader_of_file(file);
  return tocha_npy_read_head_from(cx, &reader, head);
}

tocha_tensor *tocha_npy_read_from(tocha_context *cx, const tocha_reader *reader) {
  if (!tocha_check_reader(cx, "load", reader)) return NULL;
  tocha_npy_source source = {reader, NULL, tocha_bytes_left(cx, reader)};
  tocha_npy_head head;
  bool done = !tocha_failed(cx) && read_head(cx, &source, &head);
  return done ? tocha_npy_take(cx, &source, &head) : NULL;
}

tocha_tensor *tocha_npy_read(tocha_context *cx, FILE *file) {
  if (!tocha_check_file(cx, "load", file)) return NULL;
  tocha_reader reader = tocha_reader_of_file(file);
  return tocha_npy_read_from(cx, &reader);
}

/* --- writing ------------------------------------------------------------------------------------ */

/* Returns true if the elements are column-major in memory and not also row-major. */
static bool is_fortran(const tocha_tensor *t) {
  int64_t expected = 1;
  if (tocha_is_contiguous(t)) return false;
  for (int i = 0; i < t->ndim; i++) {
    if (t->sizes[i] != 1 && t->strides[i] != expected) return false;
    expected = tocha_wrapping_product(expected, t->sizes[i]);
  }
  return true;
}

size_t tocha_npy_head_text(const tocha_tensor *t, char text[TOCHA_NPY_HEAD]) {
  char number[24] = "";
  bool fortran = is_fortran(t);
  char *at = text + MAGIC + 2, *end = text + TOCHA_NPY_HEAD - 2 * ALIGN;
  at += snprintf(at, (size_t)(end - at), "{'descr': '%s', 'fortran_order': %s, 'shape': (",
                 head_name(t->dtype), fortran ? "True" : "False");
  for (int i = 0; i < t->ndim; i++)
    at += snprintf(at, (size_t)(end - at), "%s%lld%s", i ? ", " : "", (long long)t->sizes[i],
                   t->ndim == 1 ? "," : "");
  at += snprintf(at, (size_t)(end - at), "), }");
  if (t->ndim) { /* spaces to enlarge the dimension along which more may be appended */
    long long size = t->sizes[fortran ? t->ndim - 1 : 0];
    int spaces = GROWTH_DIGITS - snprintf(number, sizeof number, "%lld", size);
    memset(at, ' ', (size_t)spaces);
    at += spaces;
  }
  size_t length = (size_t)(at - text) + 1, padding = ALIGN - length % ALIGN;
  memset(at, ' ', padding);
  at[padding] = '\n';
  size_t head = length + padding - MAGIC - 2;
  memcpy(text, magic, sizeof magic);
  text[6] = 1, text[7] = 0, text[8] = (char)(head & 255), text[9] = (char)(head >> 8);
  return length + padding;
}

const tocha_tensor *tocha_npy_elements(tocha_context *cx, tocha_tensor *t) {
  if (!t) return tocha_refuse_none(cx, "save", "arr", "Tensor");
  if (t->device.type != TOCHA_CPU)
    return tocha_fail(cx, TOCHA_TYPE_ERROR,
                      "can't convert %s device type tensor to numpy. Use Tensor.cpu() to copy the "
                      "tensor to host memory first.",
                      t->device.type == TOCHA_META ? "meta" : "cuda");
  if (!head_name(t->dtype))
    return tocha_fail(cx, TOCHA_TYPE_ERROR, "Got unsupported ScalarType %s",
                      tocha_dtype_scalar_type(t->dtype));
  return is_fortran(t) ? t : tocha_contiguous(cx, t);
}

bool tocha_npy_write_to(tocha_context *cx, const tocha_writer *writer, tocha_tensor *tensor) {
  char head[TOCHA_NPY_HEAD];
  if (!tocha_check_writer(cx, "save", writer)) return false;
  tocha_scope scope = tocha_scope_begin(cx);
  const tocha_tensor *t = tocha_npy_elements(cx, tensor);
  bool done = t && tocha_write_all(cx, writer, head, tocha_npy_head_text(t, head));
  if (done && t->numel)
    done =
        tocha_write_all(cx, writer, tocha_bytes(t), (size_t)t->numel * tocha_dtype_size(t->dtype));
  tocha_scope_end(cx, scope, NULL);
  return done;
}

bool tocha_npy_write(tocha_context *cx, FILE *file, tocha_tensor *tensor) {
  if (!tocha_check_file(cx, "save", file)) return false;
  tocha_writer writer = tocha_writer_of_file(file);
  return tocha_npy_write_to(cx, &writer, tensor);
}
