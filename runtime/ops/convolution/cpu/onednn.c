/* onednn.c: convolutions by oneDNN. Each shape has a primitive, with reorders that bring tensors into the primitive's layouts
 * and back. Large convolutions are cut into pieces for our own threads (convolution_pieces.h). */
#include "ops/convolution/cpu/onednn.h"

#include <string.h>

#include "core/library.h"
#include "device/devices.h"
#include "ops/convolution/cpu/digits/order.h"
#include "ops/convolution/cpu/convolution_pieces.h"
#include "ops/matmul/cpu/onednn.h"
#include "ops/matmul/cpu/onednn_primitive.h"
#include "tensor/parallel.h"

/* Constants of dnnl_types.h, the same in versions 2 and 3. */
enum {
  SUCCESS = TOCHA_ONEDNN_SUCCESS,
  DIRECT = 1,
  TRAINING = 64,
  INFERENCE = 96,
  FLOAT32 = 3,
  ANY = 1,
  MAX_DIMS = 12
};

/* For each task: the library's argument number of each operand, the query for its description, and the operand that is written. */
static const int arguments[3][OPERANDS] = {{1, 33, 17, 41}, {129, 33, 145, 0}, {1, 161, 145, 0}};
static const int queries[3][OPERANDS] = {
    {129, 131, 133, 0}, {130, 131, 134, 0}, {129, 132, 134, 0}};
static const int written[3] = {RESULT, IMAGE, WEIGHT};
enum { FROM = 1, TO = 17 }; /* arguments of a reorder */

typedef struct functions {
  tocha_onednn_functions common;
  int (*memory_desc_equal)(const void *a, const void *b);
  int (*reorder)(void **description, const void *from, void *from_engine, const void *to,
                 void *to_engine, const void *attributes);
  /* version 3 */
  int (*desc_by_strides_3)(void **description, int ndim, const int64_t *sizes, int type,
                           const int64_t *strides);
  int (*desc_by_tag_3)(void **description, int ndim, const int64_t *sizes, int type, int tag);
  int (*desc_destroy_3)(void *description);
  int (*forward_3)(void **description, void *engine, int kind, int algorithm, const void *image,
                   const void *weight, const void *bias, const void *result, const int64_t *strides,
                   const int64_t *dilates, const int64_t *before, const int64_t *after,
                   const void *attributes);
  int (*back_data_3)(void **description, void *engine, int algorithm, const void *image,
                     const void *weight, const void *result, const int64_t *strides,
                     const int64_t *dilates, const int64_t *before, const int64_t *after,
                     const void *hint, const void *attributes);
  int (*back_weights_3)(void **description, void *engine, int algorithm, const void *image,
                        const void *weight, const void *bias, const void *result,
                        const int64_t *strides, const int64_t *dilates, const int64_t *before,
                        const int64_t *after, const void *hint, const void *attributes);
  /* version 2 */
  int (*desc_by_strides_2)(void *description, int ndim, const int64_t *sizes, int type,
                           const int64_t *strides);
  int (*desc_by_tag_2)(void *description, int ndim, const int64_t *sizes, int type, int tag);
  int (*forward_2)(void *operation, int kind, int algorithm, const void *image, const void *weight,
                   const void *bias, const void *result, const int64_t *strides,
                   const int64_t *dilates, const int64_t *before, const int64_t *after);
  int (*back_data_2)(void *operation, int algorithm, const void *image, const void *weight,
                     const void *result, const int64_t *strides, const int64_t *dilates,
                     const int64_t *before, const int64_t *after);
  int (*back_weights_2)(void *operation, int algorithm, const void *image, const void *weight,
                        const void *bias, const void *result, const int64_t *strides,
                        const int64_t *dilates, const int64_t *before, const int64_t *after);
  int (*primitive_desc_create_2)(void **description, const void *operation, const void *attributes,
                                 void *engine, const void *hint);
} functions;

/* An operand in our layout and in the primitive's. */
typedef struct operand {
  void *own,
      *wanted;   /* memory objects without memory; wanted is NULL if the layouts are the same */
  void *reorder; /* from own to wanted, or back if the operand is written */
  size_t bytes;  /* of the memory for wanted */
} operand;

typedef struct entry {
  tocha_convolution_shape shape;
  uint64_t used;   /* the clock at the last use; 0: the entry is free */
  void *primitive; /* NULL: oneDNN does not compute this shape */
  operand operands[OPERANDS];
  void *scratchpad; /* a memory object; NULL if the primitive needs none */
  size_t scratch;   /* bytes of all wanted operands, and of the scratchpad */
} entry;

enum { SETS = 32, WAYS = 4, ALIGNMENT = TOCHA_ONEDNN_ALIGNMENT };

typedef struct tocha_onednn_convolutions {
  bool found;
  tocha_onednn_handles handles;
  functions f;
  uint64_t clock;
  entry entries[SETS][WAYS];
} tocha_onednn_convolutions;

/* --- loading -------------------------------------------------------------------------------------- */

/* The functions of both versions, of version 3 and of version 2. */
static const tocha_symbol of_all[] = {
    {"dnnl_memory_desc_equal", offsetof(functions, memory_desc_equal)},
    {"dnnl_reorder_primitive_desc_create", offsetof(functions, reorder)},
};
static const tocha_symbol of_3[] = {
    {"dnnl_memory_desc_create_with_strides", offsetof(functions, desc_by_strides_3)},
    {"dnnl_memory_desc_create_with_tag", offsetof(functions, desc_by_tag_3)},
    {"dnnl_memory_desc_destroy", offsetof(functions, desc_destroy_3)},
    {"dnnl_convolution_forward_primitive_desc_create", offsetof(functions, forward_3)},
    {"dnnl_convolution_backward_data_primitive_desc_create", offsetof(functions, back_data_3)},
    {"dnnl_convolution_backward_weights_primitive_desc_create",
     offsetof(functions, back_weights_3)},
};
static const tocha_symbol of_2[] = {
    {"dnnl_memory_desc_init_by_strides", offsetof(functions, desc_by_strides_2)},
    {"dnnl_memory_desc_init_by_tag", offsetof(functions, desc_by_tag_2)},
    {"dnnl_dilated_convolution_forward_desc_init", offsetof(functions, forward_2)},
    {"dnnl_dilated_convolution_backward_data_desc_init", offsetof(functions, back_data_2)},
    {"dnnl_dilated_convolution_backward_weights_desc_init", offsetof(functions, back_weights_2)},
    {"dnnl_primitive_desc_create", offsetof(functions, primitive_desc_create_2)},
};

static bool find_all(const tocha_onednn_handles *h, functions *f) {
  return tocha_onednn_find_functions(h->library, &f->common) &&
         tocha_find_functions(h->library, of_all, TOCHA_COUNT(of_all), f) &&
         (h->major == 3
              ? tocha_find_functions(h->library, of_3, TOCHA_COUNT(of_3), f)
              : h->major == 2 && tocha_find_functions(h->library, of_2, TOCHA_COUNT(of_2), f));
}

/* Returns the context's convolutions, made on the first call. Returns NULL, with the error set, only if memory ran out. */
static tocha_onednn_convolutions *convolutions_of(tocha_context *cx) {
  if (cx->onednn_convolutions) return cx->onednn_convolutions;
  tocha_onednn_convolutions *d = tocha_allocate_zeroed(cx, sizeof *d);
  if (!d) return NULL;
  tocha_onednn_handles *h = &d->handles;
  d->found = tocha_onednn_find(cx, h) && find_all(h, &d->f);
  return cx->onednn_convolutions = d;
}

static void clear(const functions *f, entry *e) {
  for (int i = 0; i < OPERANDS; i++) {
    operand *o = &e->operands[i];
    if (o->own) f->common.memory_destroy(o->own);
    if (o->wanted) f->common.memory_destroy(o->wanted);
    if (o->reorder) f->common.primitive_destroy(o->reorder);
  }
  if (e->scratchpad) f->common.memory_destroy(e->scratchpad);
  if (e->primitive) f->common.primitive_destroy(e->primitive);
  memset(e, 0, sizeof *e);
}

void tocha_onednn_convolutions_close(tocha_context *cx) {
  tocha_onednn_convolutions *d = cx->onednn_convolutions;
  if (!d) return;
  cx->onednn_convolutions = NULL;
  for (int i = 0; d->found && i < SETS * WAYS; i++) clear(&d->f, &d->entries[i / WAYS][i % WAYS]);
  tocha_deallocate(cx, d, sizeof *d);
}

/* --- a primitive for a shape -------------------------------------------------------------------------- */

/* A description of an operand: a pointer to the library's object (version 3), or its bytes (version 2). */
typedef struct description {
  void *handle;
  _Alignas(16) char bytes[1024];
} description;

static const void *described(const functions *f, const description *d) {
  return f->desc_by_strides_3 ? d->handle : d->bytes;
}

/* Returns the first dimension of space that oneDNN sees: at least two are described, as in PyTorch. */
static int64_t first_dimension(const tocha_convolution_shape *s) {
  return s->space < 2 ? 1 : 3 - s->space;
}

/* Writes the sizes and strides of an operand in the library's order of dimensions, and returns their number. */
static int dimensions(const tocha_convolution_shape *s, int which, int64_t *sizes,
                      int64_t *strides) {
  const int64_t *space = which == IMAGE    ? s->windows.in
                         : which == WEIGHT ? s->windows.kernel
                                           : s->windows.out;
  int n = 0;
  if (which == BIAS) {
    sizes[n++] = s->out_channels;
  } else if (which == WEIGHT) {
    if (s->groups > 1) sizes[n++] = s->groups;
    sizes[n++] = s->out_channels / s->groups;
    sizes[n++] = s->in_channels / s->groups;
  } else {
    sizes[n++] = s->images;
    sizes[n++] = which == IMAGE ? s->in_channels : s->out_channels;
  }
  for (int64_t d = first_dimension(s); which != BIAS && d < 3; d++) sizes[n++] = space[d];
  int64_t step = 1;
  for (int d = n - 1; d >= 0; d--) {
    strides[d] = step;
    step *= sizes[d];
  }
  if (which == IMAGE) strides[0] = s->image_stride, strides[1] = s->image_plane;
  if (which == RESULT) strides[0] = s->result_stride, strides[1] = s->result_plane;
  if (which == WEIGHT && s->groups == 1) strides[0] = s->weight_stride;
  return n;
}

/* Makes two descriptions of an operand: `own` has our layout, and `any` leaves the layout to the library. */
static bool describe(const functions *f, const tocha_convolution_shape *s, int which,
                     description *own, description *any) {
  int64_t sizes[MAX_DIMS] = {0}, strides[MAX_DIMS] = {0};
  int n = dimensions(s, which, sizes, strides);
  if (f->desc_by_strides_3)
    return f->desc_by_strides_3(&own->handle, n, sizes, FLOAT32, strides) == SUCCESS &&
           f->desc_by_tag_3(&any->handle, n, sizes, FLOAT32, ANY) == SUCCESS;
  return f->desc_by_strides_2(own->bytes, n, sizes, FLOAT32, strides) == SUCCESS &&
         f->desc_by_tag_2(any->bytes, n, sizes, FLOAT32, ANY) == SUCCESS;
}

typedef struct geometry {
  int64_t strides[3], dilates[3], before[3], after[3];
  int kind;
} geometry;

static geometry geometry_of(const tocha_convolution_shape *s) {
  geometry g;
  memset(&g, 0, sizeof g);
  const tocha_windows *w = &s->windows;
  for (int64_t d = first_dimension(s), i = 0; d < 3; d++, i++) {
    g.strides[i] = w->stride[d];
    g.dilates[i] = w->dilation[d] - 1;
    g.before[i] = w->padding[d];
    int64_t covered = (w->out[d] - 1) * w->stride[d] + w->dilation[d] * (w->kernel[d] - 1) + 1;
    /* below 0 if the windows do not reach the end of the input */
    g.after[i] = covered - w->in[d] - w->padding[d];
  }
  g.kind = s->channels_last ? INFERENCE : TRAINING;
  return g;
}

/* Returns the primitive's description of a task, or NULL if the library has none. hint: the description of the forward task,
 * for the gradients. The scratchpad is ours, because the library's belongs to the thread that made the primitive. */
static void *describe_task(const tocha_onednn_convolutions *d, int64_t task, const geometry *g,
                           const description *any, bool bias, void *hint, void *attributes) {
  const functions *f = &d->f;
  void *pd = NULL, *engine = d->handles.engine;
  const void *image = described(f, &any[IMAGE]), *weight = described(f, &any[WEIGHT]);
  const void *result = described(f, &any[RESULT]), *added = bias ? described(f, &any[BIAS]) : NULL;
  _Alignas(16) char operation[8192];
  bool ok;
  if (f->forward_3) {
    if (task == TOCHA_CONVOLVE)
      ok = f->forward_3(&pd, engine, g->kind, DIRECT, image, weight, added, result, g->strides,
                        g->dilates, g->before, g->after, attributes) == SUCCESS;
    else if (task == TOCHA_CONVOLVE_BACK_INPUT)
      ok = f->back_data_3(&pd, engine, DIRECT, image, weight, result, g->strides, g->dilates,
                          g->before, g->after, hint, attributes) == SUCCESS;
    else
      ok = f->back_weights_3(&pd, engine, DIRECT, image, weight, NULL, result, g->strides,
                             g->dilates, g->before, g->after, hint, attributes) == SUCCESS;
    return ok ? pd : NULL;
  }
  if (task == TOCHA_CONVOLVE)
    ok = f->forward_2(operation, g->kind, DIRECT, image, weight, added, result, g->strides,
                      g->dilates, g->before, g->after) == SUCCESS;
  else if (task == TOCHA_CONVOLVE_BACK_INPUT)
    ok = f->back_data_2(operation, DIRECT, image, weight, result, g->strides, g->dilates, g->before,
                        g->after) == SUCCESS;
  else
    ok = f->back_weights_2(operation, DIRECT, image, weight, NULL, result, g->strides, g->dilates,
                           g->before, g->after) == SUCCESS;
  ok = ok && f->primitive_desc_create_2(&pd, operation, attributes, engine, hint) == SUCCESS;
  return ok ? pd : NULL;
}

/* Makes the operand's memory objects, and the reorder if the primitive wants another layout. */
static bool make_operand(const tocha_onednn_convolutions *d, operand *o, const void *own,
                         const void *wanted, bool is_written) {
  const functions *f = &d->f;
  void *engine = d->handles.engine, *pd = NULL;
  if (f->common.memory_create(&o->own, own, engine, NULL) != SUCCESS) return false;
  if (f->memory_desc_equal(own, wanted)) return true;
  if (f->common.memory_create(&o->wanted, wanted, engine, NULL) != SUCCESS) return false;
  o->bytes = (f->common.memory_desc_get_size(wanted) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  const void *from = is_written ? wanted : own, *to = is_written ? own : wanted;
  if (f->reorder(&pd, from, engine, to, engine, NULL) != SUCCESS) return false;
  bool ok = f->common.primitive_create(&o->reorder, pd) == SUCCESS;
  f->common.primitive_desc_destroy(pd);
  return ok;
}

static bool make_operands(const tocha_onednn_convolutions *d, entry *e, const void *pd,
                          const description *own) {
  const functions *f = &d->f;
  const tocha_convolution_shape *s = &e->shape;
  for (int i = 0; i < OPERANDS; i++) {
    if (i == BIAS && !s->bias) continue;
    const void *mine = described(f, &own[i]), *wanted = mine;
    if (i != BIAS) wanted = f->common.primitive_desc_query_md(pd, queries[s->task][i], 0);
    if (!wanted || !make_operand(d, &e->operands[i], mine, wanted, written[s->task] == i))
      return false;
    e->scratch += e->operands[i].bytes;
  }
  size_t bytes;
  if (!tocha_onednn_scratchpad(&f->common, d->handles.engine, pd, &e->scratchpad, &bytes))
    return false;
  e->scratch += bytes;
  return true;
}

static bool make_all(const tocha_onednn_convolutions *d, entry *e, const description *own,
                     const description *any) {
  const functions *f = &d->f;
  const tocha_convolution_shape *s = &e->shape;
  geometry g = geometry_of(s);
  void *hint = NULL, *pd = NULL, *attributes = tocha_onednn_attributes(&f->common);
  bool ok = attributes != NULL;
  if (ok && s->task != TOCHA_CONVOLVE)
    ok = (hint = describe_task(d, TOCHA_CONVOLVE, &g, any, false, NULL, NULL)) != NULL;
  ok = ok && (pd = describe_task(d, s->task, &g, any, s->bias != 0, hint, attributes)) != NULL;
  ok = ok && f->common.primitive_create(&e->primitive, pd) == SUCCESS &&
       make_operands(d, e, pd, own);
  if (pd) f->common.primitive_desc_destroy(pd);
  if (hint) f->common.primitive_desc_destroy(hint);
  if (attributes) f->common.attr_destroy(attributes);
  return ok;
}

static void make_entry(const tocha_onednn_convolutions *d, entry *e,
                       const tocha_convolution_shape *s) {
  const functions *f = &d->f;
  description own[OPERANDS], any[OPERANDS];
  bool ok = true;
  for (int i = 0; i < OPERANDS; i++) own[i].handle = any[i].handle = NULL;
  clear(f, e);
  e->shape = *s;
  for (int i = 0; ok && i < OPERANDS; i++)
    ok = (i == BIAS && !s->bias) || describe(f, s, i, &own[i], &any[i]);
  if (!ok || !make_all(d, e, own, any)) {
    clear(f, e);
    e->shape = *s;
  }
  for (int i = 0; f->desc_destroy_3 && i < OPERANDS; i++) {
    if (own[i].handle) f->desc_destroy_3(own[i].handle);
    if (any[i].handle) f->desc_destroy_3(any[i].handle);
  }
}

/* Returns the entry of a shape. A new entry replaces the least recently used one of its set. */
static entry *entry_of(tocha_onednn_convolutions *d, const tocha_convolution_shape *s) {
  entry *set = d->entries[tocha_onednn_hash(s, sizeof *s) % SETS], *oldest = set;
  for (int i = 0; i < WAYS; i++) {
    if (set[i].used && memcmp(&set[i].shape, s, sizeof *s) == 0) {
      set[i].used = ++d->clock;
      return &set[i];
    }
    if (set[i].used < oldest->used) oldest = &set[i];
  }
  make_entry(d, oldest, s);
  oldest->used = ++d->clock;
  return oldest;
}

/* --- pieces ------------------------------------------------------------------------------------------- */

/* A convolution in pieces. first, whole, last: the entries of the first piece, of the inner ones and of the last. */
typedef struct pieces {
  tocha_onednn_convolutions *d;
  tocha_convolution_pieces parts;
  const entry *first, *whole, *last;
  char *scratch;
  uint64_t scratch_each; /* bytes for a piece */
  atomic_bool failed;
} pieces;

static bool run_primitive(const tocha_onednn_convolutions *d, const void *primitive, int count,
                          const int *which, void *const *objects, char *const *data) {
  return tocha_onednn_run(&d->f.common, d->handles.engine, d->handles.stream, primitive, count,
                          which, objects, data);
}

static bool reorder(const tocha_onednn_convolutions *d, const operand *o, char *own, char *wanted,
                    bool back) {
  static const int which[] = {FROM, TO};
  void *const objects[] = {back ? o->wanted : o->own, back ? o->own : o->wanted};
  char *const data[] = {back ? wanted : own, back ? own : wanted};
  return run_primitive(d, o->reorder, 2, which, objects, data);
}

static bool execute(const pieces *p, const entry *e, const tocha_convolution_piece *q,
                    char *scratch) {
  const tocha_convolution_args *a = p->parts.args;
  float *tensors[OPERANDS] = {a->input, a->weight, a->out, a->bias};
  char *own[OPERANDS], *data[OPERANDS + 1];
  void *objects[OPERANDS + 1];
  int which[OPERANDS + 1], target = written[a->task], count = e->shape.bias ? OPERANDS : BIAS;
  for (int i = 0; i < count; i++) {
    const operand *o = &e->operands[i];
    which[i] = arguments[a->task][i];
    own[i] = data[i] = (char *)(tensors[i] + q->offset[i]);
    if (o->wanted) {
      data[i] = scratch;
      scratch += o->bytes;
      if (i != target && !reorder(p->d, o, own[i], data[i], false)) return false;
    }
    objects[i] = o->wanted ? o->wanted : o->own;
  }
  const operand *o = &e->operands[target];
  if (e->scratchpad) {
    which[count] = TOCHA_ONEDNN_SCRATCHPAD;
    objects[count] = e->scratchpad;
    data[count++] = scratch;
  }
  if (!run_primitive(p->d, e->primitive, count, which, objects, data)) return false;
  return !o->wanted || reorder(p->d, o, own[target], data[target], true);
}

static void execute_pieces(void *user, int64_t begin, int64_t end) {
  pieces *p = user;
  int threads = tocha_use_one_thread(p->d->handles.openmp);
  for (int64_t i = begin; i < end; i++) {
    tocha_convolution_piece q = tocha_convolution_piece_at(&p->parts, i);
    char *scratch = p->scratch + (size_t)i * p->scratch_each;
    const entry *e = i == p->parts.count - 1 ? p->last : i ? p->whole : p->first;
    if (!execute(p, e, &q, scratch)) p->failed = true;
  }
  tocha_restore_threads(p->d->handles.openmp, threads);
}

/* Fills `p` with the pieces and their primitives. Returns false if oneDNN does not compute the convolution. */
static bool prepare(pieces *p, tocha_context *cx, const tocha_convolution_args *args) {
  *p = (pieces){.d = convolutions_of(cx), .parts = tocha_divide_convolution(args, cx->threads)};
  if (!p->d || !p->d->found) return false;
  tocha_convolution_piece kinds[3];
  for (int k = 0; k < 3; k++) {
    kinds[k] =
        tocha_convolution_piece_at(&p->parts, k < 2 ? k && p->parts.count > 1 : p->parts.count - 1);
    kinds[k].shape.channels_last = tocha_convolves_channels_last(cx, &kinds[k].shape);
  }
  int threads = tocha_use_one_thread(p->d->handles.openmp);
  p->first = entry_of(p->d, &kinds[0].shape);
  p->whole = p->parts.count > 2 ? entry_of(p->d, &kinds[1].shape) : p->first;
  p->last = entry_of(p->d, &kinds[2].shape);
  tocha_restore_threads(p->d->handles.openmp, threads);
  const entry *all[] = {p->first, p->whole, p->last};
  p->scratch_each = 0; /* a smaller piece may need more */
  for (int i = 0; i < TOCHA_COUNT(all); i++)
    if (p->scratch_each < all[i]->scratch) p->scratch_each = all[i]->scratch;
  return p->first->primitive && p->whole->primitive && p->last->primitive;
}

bool tocha_onednn_takes_convolution(tocha_stream *stream, const tocha_convolution_args *args) {
  pieces p;
  return prepare(&p, tocha_stream_context(stream), args);
}

bool tocha_onednn_convolve(tocha_stream *stream, const tocha_convolution_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  pieces p;
  if (!prepare(&p, cx, args)) {
    if (!tocha_failed(cx))
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "oneDNN could not do this convolution");
    return false;
  }
  uint64_t bytes = (uint64_t)p.parts.count * p.scratch_each + ALIGNMENT;
  char *scratch = tocha_allocate(cx, bytes);
  if (!scratch) return false;
  p.scratch = scratch + (ALIGNMENT - (uintptr_t)scratch % ALIGNMENT) % ALIGNMENT;
  bool ok = tocha_parallel_parts(cx, p.parts.count, INT64_MAX, execute_pieces, &p);
  tocha_deallocate(cx, scratch, bytes);
  if (ok && p.failed) tocha_fail(cx, TOCHA_RUNTIME_ERROR, "oneDNN could not do this convolution");
  return ok && !p.failed;
}
