/* subscript.c: reads subscripts, and gets and sets elements through them. */
#include "tocha/subscript.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/copy.h"
#include "ops/indexing/index.h"
#include "tocha/ops/copy_.h"
#include "tocha/ops/expand.h"
#include "tocha/ops/fill_.h"
#include "tocha/ops/index.h"
#include "tocha/ops/index_fill_.h"
#include "tocha/ops/index_put_.h"
#include "tocha/ops/masked_fill_.h"
#include "tocha/ops/new_full.h"
#include "tocha/ops/reshape.h"
#include "tocha/ops/select.h"
#include "tocha/ops/slice.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/view.h"
#include "tocha/ops/view_alias.h"

/* --- reading -------------------------------------------------------------------------------------------- */

typedef struct reader {
  tocha_context *cx;
  const char *text, *at;
} reader;

static void skip_spaces(reader *r) {
  while (isspace((unsigned char)*r->at)) r->at++;
}

/* Returns true if the text from begin to end is an integer, perhaps with spaces around it. */
static bool is_integer(const char *begin, const char *end) {
  while (begin < end && isspace((unsigned char)*begin)) begin++;
  while (begin < end && isspace((unsigned char)end[-1])) end--;
  if (begin < end && (*begin == '-' || *begin == '+')) begin++;
  if (begin == end) return false;
  while (begin < end && isdigit((unsigned char)*begin)) begin++;
  return begin == end;
}

/* Finds the first piece, between colons, of the item at r->at that Python cannot read as a number. Returns false if there is
 * none. */
static bool find_wrong(const reader *r, const char **begin, const char **end) {
  const char *item = r->at, *last = r->at + strcspn(r->at, ",");
  while (item > r->text && item[-1] != ',') item--;
  while (item < last && isspace((unsigned char)*item)) item++;
  while (item < last && isspace((unsigned char)last[-1])) last--;
  bool slice = memchr(item, ':', (size_t)(last - item)) != NULL;
  for (*begin = item; *begin <= last; *begin = *end + 1) {
    const char *colon = memchr(*begin, ':', (size_t)(last - *begin));
    *end = colon ? colon : last;
    bool empty = strspn(*begin, " \t\n") >= (size_t)(*end - *begin);
    if (!is_integer(*begin, *end) && !(slice && empty)) return true;
  }
  return false;
}

static bool fail_syntax(const reader *r) {
  const char *begin, *end;
  if (find_wrong(r, &begin, &end))
    tocha_fail(r->cx, TOCHA_VALUE_ERROR, "invalid literal for int() with base 10: '%.*s'",
               (int)(end - begin), begin);
  else
    tocha_fail(r->cx, TOCHA_INDEX_ERROR, "invalid subscript \"%s\" (near \"%s\")", r->text, r->at);
  tocha_hint(r->cx,
             "a subscript is what Python has between brackets: x[\"0, 1:, ..., None, ::2\"]");
  return false;
}

/* Reads an integer if there is one, and sets *found. Fails if the text is not a valid integer. */
static bool read_integer(reader *r, int64_t *value, bool *found) {
  skip_spaces(r);
  const char *digits = r->at + (*r->at == '-' || *r->at == '+');
  *found = isdigit((unsigned char)*digits);
  if (!*found) return *r->at == '-' || *r->at == '+' ? fail_syntax(r) : true;
  char *end;
  errno = 0;
  *value = strtoll(r->at, &end, 10);
  if (errno) return fail_syntax(r);
  r->at = end;
  skip_spaces(r);
  return true;
}

static bool read_word(reader *r, const char *word) {
  size_t length = strlen(word);
  if (strncmp(r->at, word, length) != 0 || isalnum((unsigned char)r->at[length])) return false;
  r->at += length;
  return true;
}

static bool read_item(reader *r, tocha_subscript_item *item) {
  bool found;
  memset(item, 0, sizeof *item);
  item->step = 1;
  skip_spaces(r);
  if (strncmp(r->at, "...", 3) == 0) {
    r->at += 3;
    item->kind = TOCHA_SUBSCRIPT_ELLIPSIS;
  } else if (read_word(r, "None") || read_word(r, "nil")) {
    item->kind = TOCHA_SUBSCRIPT_NONE;
  } else if (read_word(r, "True") || read_word(r, "true")) {
    item->kind = TOCHA_SUBSCRIPT_BOOL;
    item->flag = true;
  } else if (read_word(r, "False") || read_word(r, "false")) {
    item->kind = TOCHA_SUBSCRIPT_BOOL;
  } else {
    if (!read_integer(r, &item->start, &item->has_start)) return false;
    item->kind = TOCHA_SUBSCRIPT_INDEX;
    if (*r->at == ':') {
      r->at++;
      item->kind = TOCHA_SUBSCRIPT_SLICE;
      if (!read_integer(r, &item->stop, &item->has_stop)) return false;
      if (*r->at == ':') {
        r->at++;
        if (!read_integer(r, &item->step, &found)) return false;
        if (!found) item->step = 1;
      }
    } else if (!item->has_start) {
      return fail_syntax(r);
    }
  }
  skip_spaces(r);
  return true;
}

bool tocha_subscript_parse(tocha_context *cx, const char *text, tocha_subscript_item *items,
                           int max, int *count) {
  if (!text) return tocha_refuse_none(cx, "subscript_parse", "text", "str");
  if (!items || !count) return tocha_refuse_none(cx, "subscript_parse", "items", "a list");
  reader r = {cx, text, text};
  *count = 0;
  skip_spaces(&r);
  while (*r.at) {
    if (*count == max) {
      tocha_fail(cx, TOCHA_INDEX_ERROR, "too many indices: a subscript has at most %d", max);
      return false;
    }
    if (!read_item(&r, &items[*count])) return false;
    ++*count;
    if (*r.at == ',')
      r.at++;
    else if (*r.at)
      return fail_syntax(&r);
  }
  return *count > 0 || fail_syntax(&r);
}

/* --- views ---------------------------------------------------------------------------------------------- */

/* The rest of a subscript after its views are taken: index tensors by dimension. */
typedef struct selection {
  tocha_tensor *view;
  tocha_tensor *indices[TOCHA_MAX_DIMS]; /* NULL: the whole dimension */
  int count;                             /* number of indices; 0: the view is the result */
} selection;

static bool is_flag(const tocha_tensor *t) {
  return t->dtype == TOCHA_BOOL || t->dtype == TOCHA_UINT8;
}

static bool is_0dim_position(const tocha_tensor *t) {
  return t->ndim == 0 && !is_flag(t) && !tocha_dtype_is_floating((tocha_dtype)t->dtype);
}

/* Returns the number of the tensor's dimensions that item uses. */
static int dimensions_of(const tocha_subscript_item *item) {
  switch (item->kind) {
  case TOCHA_SUBSCRIPT_INDEX:
  case TOCHA_SUBSCRIPT_SLICE:
    return 1;
  case TOCHA_SUBSCRIPT_TENSOR:
    return is_flag(item->tensor) ? item->tensor->ndim : 1;
  default:
    return 0;
  }
}

/* Selects one position of dimension dim. place: the item's place in the subscript, which the message calls the dimension. */
static tocha_tensor *take_index(tocha_context *cx, tocha_tensor *view, int64_t dim, int64_t index,
                                int place) {
  int64_t size = view->sizes[dim];
  if (index < -size || index >= size)
    return tocha_fail(cx, TOCHA_INDEX_ERROR,
                      "index %lld is out of bounds for dimension %d with size %lld",
                      (long long)index, place, (long long)size);
  return tocha_select(cx, view, dim, index);
}

static bool check_step(tocha_context *cx, const tocha_subscript_item *item) {
  if (item->step > 0) return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             item->step == 0 ? "slice step cannot be zero" : "step must be greater than zero");
  if (item->step < 0) tocha_hint(cx, "torch.flip(x, dim) reverses a dimension");
  return false;
}

static tocha_tensor *take_slice(tocha_context *cx, tocha_tensor *view, int64_t dim,
                                const tocha_subscript_item *item, bool keep) {
  int64_t size = view->sizes[dim];
  if (!check_step(cx, item)) return NULL;
  bool whole = item->step == 1 && (!item->has_start || item->start == 0) &&
               (!item->has_stop || item->stop >= size);
  if (whole && !keep) return view;
  return tocha_slice(cx, view, dim, item->has_start ? &item->start : NULL,
                     item->has_stop ? &item->stop : NULL, item->step);
}

/* Applies True or False in a subscript: a new dimension of size 1, kept or emptied. */
static bool take_flag(tocha_context *cx, selection *s, int dim, bool flag) {
  int64_t length = flag;
  s->view = tocha_unsqueeze(cx, s->view, dim);
  tocha_tensor *index =
      tocha_new(cx, 1, &length, TOCHA_INT64, s->view ? s->view->device : tocha_cpu());
  if (!s->view || !index || !tocha_fill_data(cx, index, tocha_int(0))) return false;
  while (s->count < dim) s->indices[s->count++] = NULL;
  s->indices[s->count++] = index;
  return true;
}

static bool take_tensor(tocha_context *cx, selection *s, int *dim, tocha_tensor *t, int place) {
  tocha_scalar value;
  if (is_0dim_position(t) && t->device.type != TOCHA_META) {
    if (!tocha_item(cx, t, &value)) return false;
    s->view = take_index(cx, s->view, *dim, value.value.integer, place);
    return s->view != NULL;
  }
  if (t->ndim == 0 && is_flag(t)) {
    if (!tocha_item(cx, t, &value) || !take_flag(cx, s, *dim, value.value.integer != 0))
      return false;
    ++*dim;
    return true;
  }
  while (s->count < *dim) s->indices[s->count++] = NULL;
  s->indices[s->count++] = t;
  *dim += is_flag(t) ? t->ndim : 1;
  return true;
}

/* Removes the padding after masks. In s->indices a mask of n dimensions has n entries, one for each dimension, but in the list
 * for `index` only one. */
static void close_masks(selection *s) {
  int n = 0;
  for (int i = 0; i < s->count; i++) {
    tocha_tensor *t = s->indices[i];
    s->indices[n++] = t;
    if (t && is_flag(t)) i += t->ndim - 1;
  }
  s->count = n;
}

static bool check_count(tocha_context *cx, const tocha_tensor *self, int count,
                        const tocha_subscript_item *items) {
  int taken = 0;
  for (int i = 0; i < count; i++) taken += dimensions_of(&items[i]);
  if (self->ndim == 0 && count == 1 && items[0].kind == TOCHA_SUBSCRIPT_INDEX) {
    tocha_fail(cx, TOCHA_INDEX_ERROR,
               "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
               "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number");
    return false;
  }
  if (self->ndim == 0 && count == 1 && items[0].kind == TOCHA_SUBSCRIPT_SLICE) {
    if (check_step(cx, &items[0]))
      tocha_fail(cx, TOCHA_INDEX_ERROR, "slice() cannot be applied to a 0-dim tensor.");
    return false;
  }
  if (taken <= self->ndim) return true;
  tocha_fail(cx, TOCHA_INDEX_ERROR, "too many indices for tensor of dimension %d", self->ndim);
  return false;
}

/* Applies all items that are views; index tensors are left in s. keeps_slice: a single slice makes a view even if it covers the
 * whole dimension. */
static bool take_views(tocha_context *cx, tocha_tensor *self, int count,
                       const tocha_subscript_item *items, bool keeps_slice, selection *s) {
  int dim = 0, taken = 0;
  s->view = self;
  s->count = 0;
  if (!check_count(cx, self, count, items)) return false;
  for (int i = 0; i < count; i++) taken += dimensions_of(&items[i]);
  for (int i = 0; i < count && s->view; i++) {
    const tocha_subscript_item *item = &items[i];
    switch (item->kind) {
    case TOCHA_SUBSCRIPT_INDEX:
      s->view = take_index(cx, s->view, dim, item->start, i);
      break;
    case TOCHA_SUBSCRIPT_SLICE:
      s->view = take_slice(cx, s->view, dim, item, keeps_slice && count == 1);
      dim++;
      break;
    case TOCHA_SUBSCRIPT_ELLIPSIS:
      dim += self->ndim - taken;
      taken = self->ndim; /* a second ellipsis covers no dimension */
      break;
    case TOCHA_SUBSCRIPT_NONE:
      s->view = tocha_unsqueeze(cx, s->view, dim++);
      break;
    case TOCHA_SUBSCRIPT_BOOL:
      if (!take_flag(cx, s, dim++, item->flag)) return false;
      break;
    case TOCHA_SUBSCRIPT_TENSOR:
      if (!take_tensor(cx, s, &dim, item->tensor, i)) return false;
      break;
    }
    if (dim >= TOCHA_MAX_DIMS) return s->view != NULL;
    /* Masks of several dimensions are padded, so that the number of an entry is its dimension. */
    while (s->count && s->count < dim && item->kind == TOCHA_SUBSCRIPT_TENSOR)
      s->indices[s->count++] = NULL;
  }
  close_masks(s);
  return s->view &&
         (!s->count || tocha_place_indices(cx, s->view, s->count, s->indices, s->indices));
}

tocha_tensor *tocha_subscript_get(tocha_context *cx, tocha_tensor *self, int count,
                                  const tocha_subscript_item *items) {
  if (!self) return tocha_refuse_none(cx, "subscript_get", "self", "Tensor");
  if (!items && count > 0) return tocha_refuse_none(cx, "subscript_get", "items", "a list");
  selection s;
  if (!self || tocha_failed(cx)) return NULL;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *result = NULL;
  if (take_views(cx, self, count, items, true, &s)) {
    if (s.count)
      result = tocha_index(cx, s.view, s.count, s.indices);
    else
      result = s.view == self ? tocha_view_alias(cx, self) : s.view;
  }
  return tocha_scope_end(cx, scope, result);
}

/* --- assignment ----------------------------------------------------------------------------------------- */

/* Returns value without its leading dimensions of size 1. */
static tocha_tensor *drop_leading(tocha_context *cx, tocha_tensor *value) {
  int extra = 0;
  while (extra < value->ndim && value->sizes[extra] == 1) extra++;
  if (!extra) return value;
  return tocha_view(cx, value, value->ndim - extra, value->sizes + extra);
}

static bool set_view(tocha_context *cx, tocha_tensor *target, tocha_operand value) {
  if (!value.tensor) return tocha_fill_(cx, target, value.scalar) != NULL;
  tocha_tensor *v = value.tensor;
  if (v->ndim == 0 && target->ndim && v->device.type == TOCHA_CPU)
    return tocha_fill_tensor_(cx, target, v) != NULL;
  if (!tocha_same_sizes(v, target)) {
    v = drop_leading(cx, v);
    if (v && !tocha_same_sizes(v, target)) v = tocha_expand(cx, v, target->ndim, target->sizes);
  }
  return v && tocha_copy_(cx, target, v, false) != NULL;
}

/* Returns the dimension of the only index if it is a tensor of positions, else -1. */
static int only_positions(const selection *s) {
  int found = -1;
  for (int i = 0; i < s->count; i++) {
    if (!s->indices[i]) continue;
    if (found >= 0 || s->indices[i]->dtype != TOCHA_INT64) return -1;
    found = i;
  }
  return found;
}

static bool set_indexed(tocha_context *cx, selection *s, tocha_operand value) {
  tocha_tensor *view = s->view, *v = value.tensor ? drop_leading(cx, value.tensor) : NULL;
  tocha_tensor *mask = NULL;
  if (value.tensor && !v) return false;
  if (!v && !tocha_only_mask(cx, view, s->count, s->indices, &mask)) return false;
  if (mask) return tocha_masked_fill_(cx, view, mask, value.scalar) != NULL;
  int dim = v || view->ndim == 0 ? -1 : only_positions(s);
  if (dim >= 0) {
    tocha_tensor *flat = tocha_reshape(cx, s->indices[dim], 1, (const int64_t[]){-1});
    if (flat && flat->device.type == TOCHA_CPU) flat = tocha_as_device(cx, flat, view->device);
    return flat && tocha_index_fill_(cx, view, dim, flat, value.scalar) != NULL;
  }
  if (!v) {
    v = tocha_new_full_full(cx, view, 0, NULL, value.scalar, TOCHA_NO_DTYPE,
                            (tocha_device){TOCHA_NO_DEVICE, -1}, false);
  }
  return v && tocha_index_put_(cx, view, s->count, s->indices, v, false) != NULL;
}

bool tocha_subscript_set(tocha_context *cx, tocha_tensor *self, int count,
                         const tocha_subscript_item *items, tocha_operand value) {
  if (!self) return tocha_refuse_none(cx, "subscript_set", "self", "Tensor");
  if (!items && count > 0) return tocha_refuse_none(cx, "subscript_set", "items", "a list");
  selection s;
  if (!self || tocha_failed(cx)) return false;
  if (count == 1 && items[0].kind == TOCHA_SUBSCRIPT_BOOL && !items[0].flag) return true;
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = false;
  bool whole = count == 1 && (items[0].kind == TOCHA_SUBSCRIPT_ELLIPSIS ||
                              (items[0].kind == TOCHA_SUBSCRIPT_SLICE && !items[0].has_start &&
                               !items[0].has_stop && items[0].step == 1 && self->ndim > 0) ||
                              (items[0].kind == TOCHA_SUBSCRIPT_BOOL && items[0].flag));
  if (whole)
    ok = set_view(cx, self, value);
  else if (take_views(cx, self, count, items, false, &s))
    ok = s.count ? set_indexed(cx, &s, value) : set_view(cx, s.view, value);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}
