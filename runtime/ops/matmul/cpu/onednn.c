/* onednn.c: opens oneDNN, makes one primitive for each shape, and runs it.
 *
 * Handles are opaque here, so that no header of the library is needed. Version 3 keeps descriptors behind pointers. Version 2
 * writes them into memory of ours, which is larger than any of its releases needs. Everything belongs to the context: contexts
 * share only the library. */
#include "ops/matmul/cpu/onednn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/library.h"
#include "core/process.h"
#include "ops/matmul/cpu/half.h"
#include "ops/matmul/cpu/onednn_primitive.h"
#include "tensor/parallel.h"

/* Constants of dnnl_types.h, the same in versions 2 and 3. */
enum { SUCCESS = TOCHA_ONEDNN_SUCCESS, CPU_ENGINE = 1, IN_ORDER = 1, QUERY_IMPLEMENTATION = 8 };
enum { ARGUMENT_A = 1, ARGUMENT_B = 33, ARGUMENT_BIAS = 41, ARGUMENT_OUT = 17 };
enum { TYPE_FLOAT16 = 1, TYPE_BFLOAT16 = 2, MAX_DIMS = 12 };

typedef struct version {
  int major, minor, patch;
} version;

typedef struct functions {
  tocha_onednn_functions common;
  const version *(*version)(void);
  int (*set_verbose)(int level);
  tocha_onednn_sgemm *sgemm;
  int (*engine_create)(void **engine, int kind, size_t index);
  int (*engine_destroy)(void *engine);
  int (*stream_create)(void **stream, void *engine, unsigned flags);
  int (*stream_destroy)(void *stream);
  int (*primitive_desc_query)(const void *description, int what, int index, void *result);
  /* version 3 */
  int (*memory_desc_create)(void **description, int ndim, const int64_t *sizes, int type,
                            const int64_t *strides);
  int (*memory_desc_destroy)(void *description);
  int (*matmul_create_3)(void **description, void *engine, const void *a, const void *b,
                         const void *bias, const void *out, const void *attributes);
  /* version 2 */
  int (*memory_desc_init)(void *description, int ndim, const int64_t *sizes, int type,
                          const int64_t *strides);
  int (*matmul_init)(void *operation, const void *a, const void *b, const void *bias,
                     const void *out);
  int (*primitive_desc_create_2)(void **description, const void *operation, const void *attributes,
                                 void *engine, const void *hint);
} functions;

/* The shape that a primitive was made for. The struct has no padding bytes, because it is compared as bytes. */
typedef struct shape {
  int64_t batch, m, n, k;
  int64_t a_batch, a_row, a_column, b_batch, b_row, b_column;
  int64_t dtype, bias;
} shape;

enum { A, B, BIAS, OUT, OPERANDS };

typedef struct entry {
  shape shape;
  uint64_t used;   /* the clock at the last use; 0: the entry is free */
  void *primitive; /* NULL: oneDNN does not compute this shape */
  void *memory[OPERANDS];
  void *scratchpad; /* a memory object; NULL if the primitive needs none */
  size_t scratch;   /* bytes of the scratchpad */
} entry;

enum { SETS = 64, WAYS = 4 };

typedef struct tocha_onednn {
  bool found;
  functions f;
  tocha_openmp openmp;
  void *library, *engine, *stream;
  uint64_t clock;
  entry entries[SETS][WAYS];
} tocha_onednn;

/* --- loading ------------------------------------------------------------------------------------ */

/* The functions of both versions, of version 3 and of version 2. */
static const tocha_symbol of_all[] = {
    {"dnnl_version", offsetof(functions, version)},
    {"dnnl_set_verbose", offsetof(functions, set_verbose)},
    {"dnnl_engine_create", offsetof(functions, engine_create)},
    {"dnnl_engine_destroy", offsetof(functions, engine_destroy)},
    {"dnnl_stream_create", offsetof(functions, stream_create)},
    {"dnnl_stream_destroy", offsetof(functions, stream_destroy)},
    {"dnnl_primitive_desc_query", offsetof(functions, primitive_desc_query)},
};
static const tocha_symbol of_3[] = {
    {"dnnl_memory_desc_create_with_strides", offsetof(functions, memory_desc_create)},
    {"dnnl_memory_desc_destroy", offsetof(functions, memory_desc_destroy)},
    {"dnnl_matmul_primitive_desc_create", offsetof(functions, matmul_create_3)},
};
static const tocha_symbol of_2[] = {
    {"dnnl_memory_desc_init_by_strides", offsetof(functions, memory_desc_init)},
    {"dnnl_matmul_desc_init", offsetof(functions, matmul_init)},
    {"dnnl_primitive_desc_create", offsetof(functions, primitive_desc_create_2)},
};

static bool find_all(void *library, functions *f) {
  if (!tocha_onednn_find_functions(library, &f->common) ||
      !tocha_find_functions(library, of_all, TOCHA_COUNT(of_all), f))
    return false;
  tocha_find_function(library, "dnnl_sgemm", &f->sgemm); /* NULL: this build of oneDNN has none */
  int major = f->version()->major;
  return major == 3 ? tocha_find_functions(library, of_3, TOCHA_COUNT(of_3), f)
                    : major == 2 && tocha_find_functions(library, of_2, TOCHA_COUNT(of_2), f);
}

/* Opens the library, an engine and a stream. Returns false if one of them is missing. */
static bool open_library(const tocha_context *cx, tocha_onednn *d) {
  static const char *const files[] = {"libdnnl.so.3", "libdnnl.so.2", NULL};
  void *library = tocha_open_library(cx, "TOCHA_ONEDNN", files);
  functions *f = &d->f;
  if (!library || !find_all(library, f)) return false;
  if (!tocha_environment(cx, "ONEDNN_VERBOSE") && !tocha_environment(cx, "DNNL_VERBOSE"))
    f->set_verbose(0);
  d->library = library;
  d->openmp = tocha_openmp_of(library);
  if (f->engine_create(&d->engine, CPU_ENGINE, 0) != SUCCESS) return false;
  if (f->stream_create(&d->stream, d->engine, IN_ORDER) == SUCCESS) return true;
  f->engine_destroy(d->engine);
  return false;
}

/* Returns the context's oneDNN, opened on the first call. Returns NULL, with the error set, only if memory ran out. */
static tocha_onednn *onednn_of(tocha_context *cx) {
  if (cx->onednn) return cx->onednn;
  tocha_onednn *d = tocha_allocate_zeroed(cx, sizeof *d);
  if (!d) return NULL;
  d->found = open_library(cx, d);
  return cx->onednn = d;
}

bool tocha_onednn_find(tocha_context *cx, tocha_onednn_handles *handles) {
  tocha_onednn *d = onednn_of(cx);
  if (!d || !d->found) return false;
  *handles = (tocha_onednn_handles){d->library, d->engine,  d->stream,
                                    &d->openmp, d->f.sgemm, d->f.version()->major};
  return true;
}

static void clear(const functions *f, entry *e) {
  for (int i = 0; i < OPERANDS; i++)
    if (e->memory[i]) f->common.memory_destroy(e->memory[i]);
  if (e->scratchpad) f->common.memory_destroy(e->scratchpad);
  if (e->primitive) f->common.primitive_destroy(e->primitive);
  memset(e, 0, sizeof *e);
}

void tocha_onednn_close(tocha_context *cx) {
  tocha_onednn *d = cx->onednn;
  if (!d) return;
  cx->onednn = NULL;
  if (d->found) {
    for (int i = 0; i < SETS * WAYS; i++) clear(&d->f, &d->entries[i / WAYS][i % WAYS]);
    d->f.stream_destroy(d->stream);
    d->f.engine_destroy(d->engine);
  }
  tocha_deallocate(cx, d, sizeof *d);
}

const char *tocha_onednn_version(tocha_context *cx, char *text, size_t capacity) {
  tocha_onednn *d = cx ? onednn_of(cx) : NULL;
  if (!d || !d->found || !text) return NULL;
  const version *v = d->f.version();
  snprintf(text, capacity, "%d.%d.%d", v->major, v->minor, v->patch);
  return text;
}

/* --- a primitive for a shape -------------------------------------------------------------------------- */

/* A description of one operand: a pointer to the library's object (version 3), or its bytes (version 2). */
typedef struct description {
  void *handle;
  _Alignas(16) char bytes[4096];
} description;

static const void *described(const functions *f, const description *d) {
  return f->memory_desc_create ? d->handle : d->bytes;
}

static bool describe(const functions *f, description *d, int64_t dtype, int64_t batch, int64_t rows,
                     int64_t columns, int64_t batch_stride, int64_t row, int64_t column,
                     bool batched) {
  int64_t sizes[MAX_DIMS] = {batch, rows, columns}, strides[MAX_DIMS] = {batch_stride, row, column};
  int type = dtype == TOCHA_FLOAT16 ? TYPE_FLOAT16 : TYPE_BFLOAT16, skip = batched ? 0 : 1;
  if (f->memory_desc_create)
    return f->memory_desc_create(&d->handle, 3 - skip, sizes + skip, type, strides + skip) ==
           SUCCESS;
  return f->memory_desc_init(d->bytes, 3 - skip, sizes + skip, type, strides + skip) == SUCCESS;
}

static bool describe_all(const functions *f, description *d, const shape *s) {
  bool batched = s->batch > 1;
  int64_t a_count = s->a_batch ? s->batch : 1, b_count = s->b_batch ? s->batch : 1;
  int64_t a_batch = s->a_batch ? s->a_batch : s->m * s->k;
  int64_t b_batch = s->b_batch ? s->b_batch : s->k * s->n;
  return describe(f, &d[A], s->dtype, a_count, s->m, s->k, a_batch, s->a_row, s->a_column,
                  batched) &&
         describe(f, &d[B], s->dtype, b_count, s->k, s->n, b_batch, s->b_row, s->b_column,
                  batched) &&
         (!s->bias || describe(f, &d[BIAS], s->dtype, 1, 1, s->n, s->n, s->n, 1, batched)) &&
         describe(f, &d[OUT], s->dtype, s->batch, s->m, s->n, s->m * s->n, s->n, 1, batched);
}

/* Returns true if an implementation uses an instruction for the 16-bit type. Such implementations are named for the
 * instruction. Others convert to float32 number by number. */
static bool has_instruction(const char *name) {
  return strstr(name, "bf16") || strstr(name, "fp16") || strstr(name, "amx") ||
         strstr(name, "avx10");
}

static void *describe_product(const tocha_onednn *d, const description *all, const shape *s,
                              const void *attributes) {
  const functions *f = &d->f;
  const void *a = described(f, &all[A]), *b = described(f, &all[B]);
  const void *bias = s->bias ? described(f, &all[BIAS]) : NULL, *out = described(f, &all[OUT]);
  void *pd = NULL;
  bool ok;
  if (f->matmul_create_3) {
    ok = f->matmul_create_3(&pd, d->engine, a, b, bias, out, attributes) == SUCCESS;
  } else {
    _Alignas(16) char operation[16384];
    ok = f->matmul_init(operation, a, b, bias, out) == SUCCESS &&
         f->primitive_desc_create_2(&pd, operation, attributes, d->engine, NULL) == SUCCESS;
  }
  return ok ? pd : NULL;
}

static bool make_primitive(const tocha_onednn *d, entry *e, const description *all) {
  const functions *f = &d->f;
  const char *name = NULL;
  void *attributes = tocha_onednn_attributes(&f->common);
  void *pd = attributes ? describe_product(d, all, &e->shape, attributes) : NULL;
  bool ok = pd && f->primitive_desc_query(pd, QUERY_IMPLEMENTATION, 0, &name) == SUCCESS && name &&
            has_instruction(name) && f->common.primitive_create(&e->primitive, pd) == SUCCESS &&
            tocha_onednn_scratchpad(&f->common, d->engine, pd, &e->scratchpad, &e->scratch);
  for (int i = 0; ok && i < OPERANDS; i++)
    if (i != BIAS || e->shape.bias)
      ok =
          f->common.memory_create(&e->memory[i], described(f, &all[i]), d->engine, NULL) == SUCCESS;
  if (pd) f->common.primitive_desc_destroy(pd);
  if (attributes) f->common.attr_destroy(attributes);
  return ok;
}

static void make_entry(const tocha_onednn *d, entry *e, const shape *s) {
  const functions *f = &d->f;
  description all[OPERANDS];
  for (int i = 0; i < OPERANDS; i++) all[i].handle = NULL;
  clear(f, e);
  e->shape = *s;
  if (!describe_all(f, all, s) || !make_primitive(d, e, all)) {
    clear(f, e);
    e->shape = *s;
  }
  for (int i = 0; i < OPERANDS; i++)
    if (f->memory_desc_destroy && all[i].handle) f->memory_desc_destroy(all[i].handle);
}

/* Returns the entry of a shape. A new entry replaces the least recently used one of its set. */
static entry *entry_of(tocha_onednn *d, const shape *s) {
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

/* --- running ----------------------------------------------------------------------------------------- */

static shape shape_of(const tocha_gemm_args *args) {
  tocha_matrix_strides a = tocha_strides_of(args->a_transposed, args->lda);
  tocha_matrix_strides b = tocha_strides_of(args->b_transposed, args->ldb);
  return (shape){
      args->batch,          args->m, args->n,  args->k,     args->a_batch_stride, a.row, a.column,
      args->b_batch_stride, b.row,   b.column, args->dtype, args->bias != NULL};
}

/* A product in panels of `each` rows, or of `each` matrices if the batch has several. The last panel may be smaller. */
typedef struct product {
  tocha_onednn *d;
  const tocha_gemm_args *args;
  const entry *whole, *last;
  int64_t each, panels;
  char *scratch;
  uint64_t scratch_each; /* bytes for a panel */
  atomic_bool failed;
} product;

static tocha_gemm_args panel_args(const product *p, int64_t i) {
  tocha_gemm_args panel = *p->args;
  int64_t begin = i * p->each, n = panel.batch > 1 ? panel.batch : panel.m;
  int64_t count = n - begin < p->each ? n - begin : p->each;
  int64_t a = begin * (panel.a_transposed ? 1 : panel.lda), b = 0, out = begin * panel.n;
  if (panel.batch > 1) {
    a = begin * panel.a_batch_stride;
    b = begin * panel.b_batch_stride;
    out *= panel.m;
    panel.batch = count;
  } else {
    panel.m = count;
  }
  if (panel.out) { /* NULL if the caller only asks about the shape */
    panel.a = (const uint16_t *)panel.a + a;
    panel.b = (const uint16_t *)panel.b + b;
    panel.out = (uint16_t *)panel.out + out;
  }
  return panel;
}

static bool execute(const tocha_onednn *d, const entry *e, const tocha_gemm_args *args,
                    char *scratch) {
  static const int names[OPERANDS] = {ARGUMENT_A, ARGUMENT_B, ARGUMENT_BIAS, ARGUMENT_OUT};
  const void *operands[OPERANDS] = {args->a, args->b, args->bias, args->out};
  int which[OPERANDS + 1], count = 0;
  void *objects[OPERANDS + 1];
  char *data[OPERANDS + 1];
  for (int i = 0; i < OPERANDS; i++) {
    if (!e->memory[i]) continue;
    which[count] = names[i];
    objects[count] = e->memory[i];
    data[count++] = (char *)(uintptr_t)operands[i];
  }
  if (e->scratchpad) {
    which[count] = TOCHA_ONEDNN_SCRATCHPAD;
    objects[count] = e->scratchpad;
    data[count++] = scratch;
  }
  return tocha_onednn_run(&d->f.common, d->engine, d->stream, e->primitive, count, which, objects,
                          data);
}

static void execute_panels(void *user, int64_t begin, int64_t end) {
  product *p = user;
  int threads = tocha_use_one_thread(&p->d->openmp);
  for (int64_t i = begin; i < end; i++) {
    tocha_gemm_args panel = panel_args(p, i);
    char *scratch = p->scratch + (size_t)i * p->scratch_each;
    if (!execute(p->d, i == p->panels - 1 ? p->last : p->whole, &panel, scratch)) p->failed = true;
  }
  tocha_restore_threads(&p->d->openmp, threads);
}

/* WORTH_PANELS: multiply-adds that are worth dividing. MAX_PANEL: multiply-adds of a panel, some 0.1 s, so that an interrupt is
 * answered. TILE: panels have a multiple of so many rows. */
enum { WORTH_PANELS = 1 << 23, TILE = 64 };
static const int64_t MAX_PANEL = (int64_t)1 << 32;

static void choose_panels(product *p, int64_t threads) {
  const tocha_gemm_args *args = p->args;
  int64_t n = args->batch > 1 ? args->batch : args->m, step = args->batch > 1 ? 1 : TILE;
  int64_t work = args->batch * args->m * args->n * args->k;
  int64_t enough = threads > 1 && work >= WORTH_PANELS ? threads : 1;
  if (enough < work / MAX_PANEL + 1) enough = work / MAX_PANEL + 1;
  p->each = ((n + enough - 1) / enough + step - 1) / step * step;
  if (p->each > n) p->each = n;
  p->panels = (n + p->each - 1) / p->each;
}

/* Divides the product and finds the primitives of its panels. Returns false if oneDNN does not compute the product. */
static bool prepare(product *p, tocha_context *cx, const tocha_gemm_args *args) {
  *p = (product){.d = onednn_of(cx), .args = args};
  if (!p->d || !p->d->found) return false;
  choose_panels(p, cx->threads);
  tocha_gemm_args first = panel_args(p, 0), last = panel_args(p, p->panels - 1);
  shape first_shape = shape_of(&first), last_shape = shape_of(&last);
  int threads = tocha_use_one_thread(&p->d->openmp);
  p->whole = entry_of(p->d, &first_shape);
  p->last = entry_of(p->d, &last_shape);
  tocha_restore_threads(&p->d->openmp, threads);
  size_t some = p->whole->scratch, others = p->last->scratch; /* the smaller panel may need more */
  p->scratch_each = some > others ? some : others;
  return p->whole->primitive && p->last->primitive;
}

bool tocha_onednn_takes(tocha_context *cx, const tocha_gemm_args *args) {
  product p;
  return prepare(&p, cx, args);
}

bool tocha_onednn_gemm(tocha_context *cx, const tocha_gemm_args *args) {
  product p;
  if (!prepare(&p, cx, args)) return false;
  uint64_t bytes = (uint64_t)p.panels * p.scratch_each + TOCHA_ONEDNN_ALIGNMENT;
  char *scratch = p.scratch_each ? tocha_allocate(cx, bytes) : NULL;
  if (p.scratch_each && !scratch) return false;
  if (scratch) p.scratch = scratch + -(uintptr_t)scratch % TOCHA_ONEDNN_ALIGNMENT;
  bool ok = tocha_parallel_parts(cx, p.panels, INT64_MAX, execute_panels, &p);
  tocha_deallocate(cx, scratch, bytes);
  return ok && !p.failed;
}
