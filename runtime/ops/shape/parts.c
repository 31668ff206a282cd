/* parts.c: a tensor with a part replaced, which is how functional programs write; hsplit and the like. */
#include "shape/implementations.h"
#include "tensor/copy.h"

/* A copy of self into whose part src goes. view: the part of a tensor. */
static tocha_tensor *with_part(tocha_context *cx, tocha_tensor *copy, tocha_tensor *part,
                               tocha_tensor *src, const char *words) {
  char a[256], b[256];
  if (!copy || !part) return NULL;
  if (!tocha_same_sizes(part, src))
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "expected src to have a size equal to the %s of self. src size = %s, %s size "
                      "= %s",
                      words, tocha_shape_text(src->ndim, src->sizes, a, sizeof a), words,
                      tocha_shape_text(part->ndim, part->sizes, b, sizeof b));
  return tocha_copy_data(cx, part, src) ? copy : NULL;
}

static tocha_tensor *copied(tocha_context *cx, tocha_tensor *self) {
  return tocha_copy_as(cx, self, TOCHA_NO_DTYPE, tocha_its_device(), TOCHA_PRESERVE_FORMAT);
}

tocha_tensor *tocha_op_select_scatter(tocha_context *cx, tocha_tensor *self, tocha_tensor *src,
                                      int64_t dim, int64_t index) {
  tocha_tensor *copy = copied(cx, self);
  return with_part(cx, copy, copy ? tocha_op_select(cx, copy, dim, index) : NULL, src, "slice");
}

tocha_tensor *tocha_op_slice_scatter(tocha_context *cx, tocha_tensor *self, tocha_tensor *src,
                                     int64_t dim, const int64_t *start, const int64_t *end,
                                     int64_t step) {
  tocha_tensor *copy = copied(cx, self);
  return with_part(cx, copy, copy ? tocha_op_slice(cx, copy, dim, start, end, step) : NULL, src,
                   "slice");
}

tocha_tensor *tocha_op_diagonal_scatter(tocha_context *cx, tocha_tensor *self, tocha_tensor *src,
                                        int64_t offset, int64_t dim1, int64_t dim2) {
  tocha_tensor *copy = copied(cx, self);
  return with_part(cx, copy, copy ? tocha_op_diagonal(cx, copy, offset, dim1, dim2) : NULL, src,
                   "slice");
}

/* --- hsplit, vsplit, dsplit ---------------------------------------------------------------------- */

typedef struct split_call {
  const char *name;
  int least, dim; /* dimensions that self must have; the one that is cut */
} split_call;

static bool check_split(tocha_context *cx, const split_call *c, const tocha_tensor *self,
                        bool sections, int64_t count) {
  if (self->ndim < c->least)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.%s requires a tensor with at least %d dimension, but got a tensor "
                      "with %d dimensions!",
                      c->name, c->least, self->ndim);
  if (!sections) return true;
  if (count == 0 || self->sizes[c->dim] % count != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "torch.%s attempted to split along dimension %d, but the size of the "
                      "dimension %lld is not divisible by the split_size %lld!",
                      c->name, c->dim, (long long)self->sizes[c->dim], (long long)count);
  return true;
}

static split_call horizontal(const tocha_tensor *self) {
  return (split_call){"hsplit", 1, self->ndim > 1};
}

static bool cut_sections(tocha_context *cx, split_call c, tocha_tensor *self, int64_t sections,
                         tocha_results *results) {
  return check_split(cx, &c, self, true, sections) &&
         tocha_op_tensor_split(cx, self, sections, c.dim, results);
}

static bool cut_indices(tocha_context *cx, split_call c, tocha_tensor *self, int count,
                        const int64_t *indices, tocha_results *results) {
  return check_split(cx, &c, self, false, 0) &&
         tocha_op_tensor_split_indices(cx, self, count, indices, c.dim, results);
}

bool tocha_op_hsplit(tocha_context *cx, tocha_tensor *self, int64_t sections,
                     tocha_results *results) {
  return cut_sections(cx, horizontal(self), self, sections, results);
}

bool tocha_op_hsplit_indices(tocha_context *cx, tocha_tensor *self, int indices_count,
                             const int64_t *indices, tocha_results *results) {
  return cut_indices(cx, horizontal(self), self, indices_count, indices, results);
}

bool tocha_op_vsplit(tocha_context *cx, tocha_tensor *self, int64_t sections,
                     tocha_results *results) {
  return cut_sections(cx, (split_call){"vsplit", 2, 0}, self, sections, results);
}

bool tocha_op_vsplit_indices(tocha_context *cx, tocha_tensor *self, int indices_count,
                             const int64_t *indices, tocha_results *results) {
  return cut_indices(cx, (split_call){"vsplit", 2, 0}, self, indices_count, indices, results);
}

bool tocha_op_dsplit(tocha_context *cx, tocha_tensor *self, int64_t sections,
                     tocha_results *results) {
  return cut_sections(cx, (split_call){"dsplit", 3, 2}, self, sections, results);
}

bool tocha_op_dsplit_indices(tocha_context *cx, tocha_tensor *self, int indices_count,
                             const int64_t *indices, tocha_results *results) {
  return cut_indices(cx, (split_call){"dsplit", 3, 2}, self, indices_count, indices, results);
}
