/* elementwise.c: result types, outputs and the walk of every elementwise operator. */
#include "ops/pointwise/elementwise.h"
#include "tensor/copy.h"
#include "tensor/strided.h"
#include "ops/pointwise/kernels.h"

#include <string.h>

#include "device/devices.h"
#include "tensor/convert.h"
#include "tensor/iterator.h"
#include "tocha/ops/index_add_.h"

enum { MAX_INPUTS = 3, MAX_NUMBERS = 4 };

/* --- rows and kernels ------------------------------------------------------------------------------ */

enum { OUTPUT_SAME, OUTPUT_BOOL };
/* Whether a class of types computes bool as int64 where it has no loop for it. */
enum {
  BOOL_FLOATS = 0,
  BOOL_SLOW = 0,
  BOOL_VECTORS = 0,
  BOOL_TAILED = 0,
  BOOL_NUMBERS = 1,
  BOOL_REALS = 0,
  BOOL_SLOW_REALS = 0,
  BOOL_POWERS = 0,
  BOOL_ALL = 1,
  BOOL_INTS = 1
};
static const struct row_facts {
  uint8_t inputs, policy, output, takes_bool;
} facts[TOCHA_ROW_COUNT] = {
#define ROW(name, inputs, policy, output, types, formula)                                          \
  {inputs, TOCHA_POLICY_##policy, OUTPUT_##output, BOOL_##types},
#include "ops/pointwise/elementwise.def"
#undef ROW
};

extern const tocha_cpu_loops tocha_cpu_loops_baseline;
#ifdef TOCHA_X86_KERNELS
extern const tocha_cpu_loops tocha_cpu_loops_avx2, tocha_cpu_loops_avx512;
#endif

const tocha_cpu_loops *tocha_select_loops(void) {
#ifdef TOCHA_X86_KERNELS
  __builtin_cpu_init();
#ifdef TOCHA_AVX512_KERNELS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return &tocha_cpu_loops_avx512;
#endif
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &tocha_cpu_loops_avx2;
#endif
  return &tocha_cpu_loops_baseline;
}

static const tocha_dtype compute_dtype[TOCHA_COMPUTE_COUNT] = {TOCHA_FLOAT32, TOCHA_FLOAT64,
                                                               TOCHA_INT64, TOCHA_BOOL};

static tocha_compute compute_of(const tocha_cpu_loops *kernels, tocha_row_id row,
                                tocha_dtype type) {
  if (type == TOCHA_FLOAT64) return TOCHA_COMPUTE_FLOAT64;
  if (tocha_dtype_is_floating(type)) return TOCHA_COMPUTE_FLOAT32;
  if (type == TOCHA_BOOL && kernels->rows[row][TOCHA_COMPUTE_BOOL]) return TOCHA_COMPUTE_BOOL;
  return TOCHA_COMPUTE_INT64;
}

/* --- types ----------------------------------------------------------------------------------------- */

static int category(tocha_dtype d) {
  return d == TOCHA_NO_DTYPE ? -1 : d == TOCHA_BOOL ? 0 : tocha_dtype_is_floating(d) ? 2 : 1;
}

static tocha_dtype join(tocha_dtype a, tocha_dtype b) {
  return a == TOCHA_NO_DTYPE ? b : b == TOCHA_NO_DTYPE ? a : tocha_promote_types(a, b);
}

/* A lower class of operands (0-dim tensors, numbers) matters only where its category is higher. */
static tocha_dtype promote(tocha_dtype upper, tocha_dtype lower) {
  return category(lower) > category(upper) ? join(upper, lower) : upper;
}

tocha_dtype tocha_result_type(const tocha_context *cx, int count, const tocha_operand *operands) {
  tocha_dtype dimensioned = TOCHA_NO_DTYPE, zero = TOCHA_NO_DTYPE, number = TOCHA_NO_DTYPE;
  for (int i = 0; i < count; i++) {
    const tocha_tensor *t = operands[i].tensor;
    if (!t) {
      static const tocha_dtype of_kind[] = {TOCHA_BOOL, TOCHA_INT64};
      tocha_scalar_kind kind = operands[i].scalar.kind;
      number = join(number, kind == TOCHA_SCALAR_FLOAT ? cx->default_dtype : of_kind[kind]);
    } else if (t->ndim == 0) {
      zero = join(zero, t->dtype);
    } else {
      dimensioned = join(dimensioned, t->dtype);
    }
  }
  return promote(promote(dimensioned, zero), number);
}

/* The type the formula's operands are converted to. NO_DTYPE, with an error, where none fits. */
static tocha_dtype common_type(tocha_context *cx, tocha_row_id row, int count,
                               const tocha_operand *operands, int numbers, const tocha_scalar *p) {
  tocha_dtype type;
  if (facts[row].policy == TOCHA_POLICY_WIDENED) {
    tocha_operand all[MAX_INPUTS + MAX_NUMBERS];
    for (int i = 0; i < count; i++) all[i] = operands[i];
    for (int i = 0; i < numbers; i++) all[count + i] = tocha_number(p[i]);
    return tocha_result_type(cx, count + numbers, all);
  }
  type = tocha_result_type(cx, count, operands);
  if (facts[row].policy == TOCHA_POLICY_FLOATING && !tocha_dtype_is_floating(type))
    return cx->default_dtype;
  return type;
}

static bool check_castable(tocha_context *cx, tocha_dtype from, tocha_dtype to) {
  if (category(from) <= category(to)) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "result type %s can't be cast to the desired output type %s",
             tocha_dtype_scalar_type(from), tocha_dtype_scalar_type(to));
  return false;
}

/* --- loops ----------------------------------------------------------------------------------------- */

enum { BLOCK = 512 };

typedef struct loop_args {
  tocha_loop loop;
  const void *numbers;
  int operands;                            /* output and inputs */
  tocha_converter convert[1 + MAX_INPUTS]; /* NULL: the type is right already */
  int64_t item[1 + MAX_INPUTS];            /* bytes of the converted element */
} loop_args;

static void run_direct(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const loop_args *j = user;
  j->loop(data, strides, n, j->numbers);
}

/* Operands of another type pass through a small buffer that stays in the cache. */
static void run_converting(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const loop_args *j = user;
  _Alignas(64) char buffers[1 + MAX_INPUTS][BLOCK * 8];
  for (int64_t at = 0; at < n; at += BLOCK) {
    int64_t count = n - at < BLOCK ? n - at : BLOCK;
    char *block[1 + MAX_INPUTS];
    int64_t steps[1 + MAX_INPUTS];
    for (int k = 0; k < j->operands; k++) {
      block[k] = data[k] + at * strides[k];
      steps[k] = strides[k];
      if (!j->convert[k]) continue;
      if (k > 0) {
        int64_t needed = strides[k] ? count : 1;
        j->convert[k](buffers[k], j->item[k], block[k], strides[k], needed);
        steps[k] = strides[k] ? j->item[k] : 0;
      } else {
        steps[k] = j->item[k];
      }
      block[k] = buffers[k];
    }
    j->loop(block, steps, count, j->numbers);
    if (j->convert[0])
      j->convert[0](data[0] + at * strides[0], strides[0], buffers[0], j->item[0], count);
  }
}

typedef struct dense_args {
  const loop_args *j;
  char *data[1 + MAX_INPUTS];
  int64_t strides[1 + MAX_INPUTS];
} dense_args;

static void run_dense(void *user, int64_t begin, int64_t end) {
  const dense_args *d = user;
  char *data[1 + MAX_INPUTS];
  for (int k = 0; k < d->j->operands; k++) data[k] = d->data[k] + begin * d->strides[k];
  d->j->loop(data, d->strides, end - begin, d->j->numbers);
}

static tocha_loop find_loop(tocha_context *cx, tocha_row_id row, tocha_dtype type,
                            tocha_compute *compute) {
  if (!cx->loops) cx->loops = tocha_select_loops();
  *compute = compute_of(cx->loops, row, type);
  tocha_loop loop = cx->loops->rows[row][*compute];
  if (!loop || (type == TOCHA_BOOL && !facts[row].takes_bool))
    return (tocha_row_not_implemented(cx, row, type), (tocha_loop)NULL);
  return loop;
}

/* Beside float16 and bfloat16 tensors, the number of a sum or product keeps float32's precision. */
static bool keeps_precision(tocha_row_id row) {
  return row == TOCHA_ROW_add || row == TOCHA_ROW_sub || row == TOCHA_ROW_mul ||
         row == TOCHA_ROW_true_divide;
}

/* A number as one element of the compute type, having passed (and wrapped) through the operands'
 * common type. */
static void place_number(void *element, tocha_compute compute, tocha_scalar s, tocha_dtype type,
                         tocha_row_id row) {
  char narrow[8];
  if (type != compute_dtype[compute] && !(tocha_dtype_is_floating(type) && keeps_precision(row))) {
    tocha_store_scalar(narrow, type, s);
    s = tocha_load_scalar(narrow, type);
  }
  tocha_store_scalar(element, compute_dtype[compute], s);
}

/* 0-dim tensors of another type, or beside tensors of a device, count as numbers: they are converted
 * once, and to the common type. */
static const tocha_operand *unwrap_scalars(const tocha_operand *operands, int count,
                                           tocha_dtype type, tocha_operand *unwrapped) {
  bool any = false, elsewhere = false;
  for (int i = 0; i < count; i++)
    elsewhere = elsewhere || (operands[i].tensor && tocha_is_on_device(operands[i].tensor));
  for (int i = 0; i < count; i++) {
    tocha_tensor *t = operands[i].tensor;
    unwrapped[i] = operands[i];
    if (!t || t->ndim || t->device.type != TOCHA_CPU || (t->dtype == type && !elsewhere)) continue;
    unwrapped[i] = tocha_number(tocha_load_scalar(tocha_bytes(t), t->dtype));
    any = true;
  }
  return any ? unwrapped : operands;
}

/* Everything about one call that its three stages share. */
typedef struct call {
  tocha_context *cx;
  tocha_row_id row;
  int inputs;
  const tocha_operand *in;
  tocha_tensor *tensors[1 + MAX_INPUTS]; /* output, inputs (numbers become 0-dim stand-ins) */
  tocha_tensor stand_in[MAX_INPUTS];
  tocha_storage stand_in_storage[MAX_INPUTS];
  int64_t values[MAX_INPUTS]; /* the numbers' elements */
  int64_t numbers[MAX_NUMBERS];
  tocha_dtype type; /* operands' common type */
} call;

/* All tensors dense with one shape, nothing to convert: the output is one run. */
static bool is_dense(const call *c, tocha_dtype compute_type, tocha_dtype result_type,
                     const tocha_tensor **shape) {
  *shape = NULL;
  if (compute_type != result_type && facts[c->row].output != OUTPUT_BOOL) return false;
  for (int i = 0; i < c->inputs; i++) {
    const tocha_tensor *t = c->in[i].tensor;
    if (!t) continue;
    if (t->dtype != compute_type || !tocha_is_contiguous(t)) return false;
    if (*shape && !tocha_same_sizes(*shape, t)) return false;
    *shape = t;
  }
  return *shape != NULL;
}

/* Numbers join the walk as 0-dim tensors that live on the stack. */
static void make_stand_ins(call *c, tocha_compute compute) {
  for (int i = 0; i < c->inputs; i++) {
    c->tensors[i + 1] = c->in[i].tensor;
    if (c->in[i].tensor) continue;
    tocha_tensor *t = &c->stand_in[i];
    memset(t, 0, sizeof *t);
    c->stand_in_storage[i].data = &c->values[i];
    t->storage = &c->stand_in_storage[i];
    t->dtype = (uint8_t)compute_dtype[compute];
    t->numel = 1;
    t->sizes = t->strides = t->dims;
    c->tensors[i + 1] = t;
  }
}

static bool launch(tocha_stream *stream, const tocha_strided_layout *layout, void *user) {
  tocha_elementwise_args *work = user;
  work->layout = *layout;
  return stream->kernels->pointwise->elementwise(stream, work);
}

/* The kernel converts each operand's type itself. Stand-ins have no data: they go as values. */
static bool run_on_device(call *c, tocha_compute compute, tocha_tensor *out) {
  tocha_elementwise_args work = {.row = c->row, .compute = compute};
  for (int i = 0; i < c->inputs; i++) {
    if (c->in[i].tensor) continue;
    memcpy(&work.values[i + 1], &c->values[i], sizeof c->values[i]);
    c->stand_in_storage[i].data = NULL;
  }
  memcpy(work.numbers, c->numbers, sizeof work.numbers);
  return tocha_launch_strided(c->cx, out->ndim, out->sizes, c->inputs + 1, c->tensors, launch,
                              &work);
}

static bool run_general_call(call *c, loop_args *j, tocha_compute compute, tocha_tensor *out) {
  tocha_iterator it;
  bool converts = false;
  make_stand_ins(c, compute);
  c->tensors[0] = out;
  if (tocha_is_on_device(out)) return run_on_device(c, compute, out);
  for (int k = 0; k <= c->inputs; k++) {
    tocha_dtype wanted = compute_dtype[compute];
    if (k == 0 && facts[c->row].output == OUTPUT_BOOL) wanted = TOCHA_BOOL;
    tocha_dtype have = c->tensors[k]->dtype;
    j->convert[k] = NULL;
    j->item[k] = (int64_t)tocha_dtype_size(wanted);
    if (have != wanted) {
      converts = true;
      j->convert[k] = k ? tocha_conversion(wanted, have) : tocha_conversion(have, wanted);
    }
  }
  tocha_iterator_begin(&it, c->cx, out->ndim, out->sizes, c->inputs + 1, c->tensors);
  return tocha_iterator_run(&it, converts ? run_converting : run_direct, j);
}

static bool run_dense_call(call *c, loop_args *j, tocha_compute compute, tocha_tensor *out) {
  if (tocha_is_on_device(out)) return run_general_call(c, j, compute, out);
  dense_args d = {.j = j};
  d.data[0] = tocha_bytes(out);
  d.strides[0] = (int64_t)tocha_dtype_size(out->dtype);
  for (int i = 0; i < c->inputs; i++) {
    const tocha_tensor *t = c->in[i].tensor;
    d.data[i + 1] = t ? tocha_bytes(t) : (char *)&c->values[i];
    d.strides[i + 1] = t ? (int64_t)tocha_dtype_size(t->dtype) : 0;
  }
  if (out->numel <= TOCHA_GRAIN) {
    run_dense(&d, 0, out->numel);
    return true;
  }
  return tocha_parallel_for(c->cx, out->numel, TOCHA_GRAIN, run_dense, &d);
}

/* The output's sizes against a given out: an in-place operand may not grow. */
static bool check_out(call *c, tocha_tensor *out, int ndim, const int64_t *sizes,
                      tocha_dtype result_type) {
  if (!check_castable(c->cx, result_type, out->dtype)) return false;
  if (out->ndim != ndim || memcmp(out->sizes, sizes, (size_t)ndim * sizeof *sizes) != 0) {
    char a[256], b[256];
    tocha_fail(c->cx, TOCHA_RUNTIME_ERROR,
               "output with shape %s doesn't match the broadcast shape %s",
               tocha_shape_text(out->ndim, out->sizes, a, sizeof a),
               tocha_shape_text(ndim, sizes, b, sizeof b));
    return false;
  }
  return tocha_check_no_overlap(c->cx, out);
}

/* Whether no input shares out's memory other than element by element (all are dense). */
static bool disjoint_or_same(const call *c, const tocha_tensor *out) {
  for (int i = 0; i < c->inputs; i++) {
    const tocha_tensor *t = c->in[i].tensor;
    if (t && t->storage == out->storage && t->offset != out->offset) return false;
  }
  return true;
}

/* Whether t's elements fill a stretch of memory without gaps; *end: behind its last byte. */
static bool fills_stretch(const tocha_tensor *t, int64_t *begin, int64_t *end) {
  int64_t last = 0, item = (int64_t)tocha_dtype_size((tocha_dtype)t->dtype);
  for (int i = 0; i < t->ndim; i++) last += (t->sizes[i] - 1) * t->strides[i];
  *begin = t->offset * item;
  *end = (t->offset + last + 1) * item;
  return last + 1 == t->numel;
}

/* PyTorch's rule: two gapless stretches of one storage that meet without being the same layout. */
static bool overlaps_partially(const tocha_tensor *a, const tocha_tensor *b) {
  int64_t a_begin, a_end, b_begin, b_end;
  if (!fills_stretch(a, &a_begin, &a_end) || !fills_stretch(b, &b_begin, &b_end)) return false;
  return a_begin < b_end && b_begin < a_end;
}

/* Writing a tensor while reading it through another view of it needs a copy of what is read. */
static bool separate_overlaps(call *c, tocha_operand *copies, const tocha_tensor *out) {
  bool any = false;
  for (int i = 0; i < c->inputs; i++) {
    tocha_tensor *t = c->in[i].tensor;
    copies[i] = c->in[i];
    if (!t || t->storage != out->storage || t->numel == 0) continue;
    bool same = t->offset == out->offset && tocha_same_sizes(t, out) &&
                memcmp(t->strides, out->strides, t->ndim * sizeof *t->strides) == 0;
    if (same) continue;
    if (overlaps_partially(t, out)) {
      tocha_fail(c->cx, TOCHA_RUNTIME_ERROR,
                 "unsupported operation: some elements of the input tensor and the written-to "
                 "tensor refer to a single memory location. Please clone() the tensor before "
                 "performing the operation.");
      return false;
    }
    tocha_tensor *copy = tocha_new_like(c->cx, t, t->dtype);
    if (!copy || !tocha_copy_data(c->cx, copy, t)) return false;
    copies[i].tensor = copy;
    any = true;
  }
  if (any) c->in = copies;
  return true;
}

/* The output's device: that of the operands, where a CPU scalar goes with every other device. */
static tocha_device device_of(const call *c) {
  tocha_device device = c->cx->default_device;
  bool found = false;
  for (int i = 0; i < c->inputs; i++) {
    const tocha_tensor *t = c->in[i].tensor;
    if (!t || (found && device.type != TOCHA_CPU)) continue;
    device = t->device;
    found = true;
  }
  return found ? device : tocha_cpu();
}

/* Whether a result of this type and these sizes can be written over `into`: no input may share its
 * memory, unless all are dense and it is the same place. */
static bool can_take(const call *c, const tocha_tensor *into, tocha_dtype result_type, int ndim,
                     const int64_t *sizes, bool dense) {
  if (!into || into->dtype != result_type || into->ndim != ndim || !into->storage->data ||
      memcmp(into->sizes, sizes, (size_t)ndim * sizeof *sizes) != 0)
    return false;
  if (dense) return tocha_is_contiguous(into) && disjoint_or_same(c, into);
  for (int i = 0; i < ndim; i++)
    if (into->strides[i] == 0 && into->sizes[i] > 1) return false;
  for (int i = 0; i < c->inputs; i++)
    if (c->in[i].tensor && c->in[i].tensor->storage == into->storage) return false;
  return true;
}

/* The walk over operands of any shape and type; out and into may be NULL. */
static tocha_tensor *general_call(call *c, loop_args *j, tocha_compute compute,
                                  tocha_dtype result_type, tocha_tensor *out, tocha_tensor *into) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *inputs[MAX_INPUTS];
  tocha_operand copies[MAX_INPUTS];
  for (int i = 0; i < c->inputs; i++) inputs[i] = c->in[i].tensor;
  if (!tocha_broadcast_sizes(c->cx, c->inputs, inputs, &ndim, sizes)) return NULL;
  if (out) {
    if (!check_out(c, out, ndim, sizes, result_type) || !separate_overlaps(c, copies, out))
      return NULL;
  } else if (can_take(c, into, result_type, ndim, sizes, false)) {
    out = into;
  } else {
    out = tocha_new_output(c->cx, ndim, sizes, result_type, device_of(c), c->inputs, inputs);
  }
  if (!out || out->device.type == TOCHA_META || out->numel == 0) return out;
  return run_general_call(c, j, compute, out) ? out : NULL;
}

/* PyTorch complains of shapes and of the output's type before it looks for the loop. */
static tocha_tensor *refuse_bitwise(tocha_context *cx, tocha_row_id row, tocha_dtype type,
                                    int count, const tocha_operand *operands,
                                    const tocha_tensor *out) {
  int ndim;
  int64_t sizes[TOCHA_MAX_DIMS];
  tocha_tensor *inputs[MAX_INPUTS];
  for (int i = 0; i < count; i++) inputs[i] = operands[i].tensor;
  if (!tocha_broadcast_sizes(cx, count, inputs, &ndim, sizes)) return NULL;
  if (out && !check_castable(cx, type, out->dtype)) return NULL;
  return tocha_row_not_implemented(cx, row, type);
}

static tocha_tensor *run_row(tocha_context *cx, tocha_row_id row, int count,
                             const tocha_operand *operands, int numbers, const tocha_scalar *p,
                             tocha_tensor *out, tocha_tensor *into) {
  call c;
  loop_args j;
  tocha_compute compute;
  tocha_operand unwrapped[MAX_INPUTS];
  c.cx = cx;
  c.type = common_type(cx, row, count, operands, numbers, p);
  if (c.type == TOCHA_NO_DTYPE) return NULL;
  if (facts[row].policy == TOCHA_POLICY_BITWISE && tocha_dtype_is_floating(c.type))
    return refuse_bitwise(cx, row, c.type, count, operands, out);
  if (!tocha_check_row(cx, row, c.type, count, operands, numbers, p)) return NULL;
  if (row == TOCHA_ROW_pow) row = tocha_cheaper_row(row, c.type, &count, operands);
  c.row = row;
  c.inputs = count;
  c.in = unwrap_scalars(operands, count, c.type, unwrapped);
  j.loop = find_loop(cx, row, c.type, &compute);
  if (!j.loop) return NULL;
  tocha_dtype result_type = facts[row].output == OUTPUT_BOOL ? TOCHA_BOOL : c.type;
  for (int i = 0; i < count; i++)
    if (!c.in[i].tensor) place_number(&c.values[i], compute, c.in[i].scalar, c.type, row);
  memset(c.numbers, 0, sizeof c.numbers); /* a device gets all of them */
  char *number = (char *)c.numbers;
  for (int i = 0; i < numbers; i++)
    tocha_store_scalar(number + (size_t)i * tocha_dtype_size(compute_dtype[compute]),
                       compute_dtype[compute], p[i]);
  j.numbers = c.numbers;
  j.operands = count + 1;

  const tocha_tensor *shape;
  if (!is_dense(&c, compute_dtype[compute], c.type, &shape) ||
      (out && (out->dtype != result_type || !tocha_is_contiguous(out) ||
               !tocha_same_sizes(out, shape) || !disjoint_or_same(&c, out))))
    return general_call(&c, &j, compute, result_type, out, into);
  if (!out && can_take(&c, into, result_type, shape->ndim, shape->sizes, true)) out = into;
  if (!out) out = tocha_new_like(cx, shape, result_type);
  if (!out || out->device.type == TOCHA_META || out->numel == 0) return out;
  return run_dense_call(&c, &j, compute, out) ? out : NULL;
}

tocha_tensor *tocha_elementwise_row(tocha_context *cx, tocha_row_id row, int count,
                                    const tocha_operand *operands, int numbers,
                                    const tocha_scalar *p, tocha_tensor *out) {
  return run_row(cx, row, count, operands, numbers, p, out, NULL);
}

tocha_tensor *tocha_elementwise(tocha_context *cx, tocha_row_id row, const tocha_op *op,
                                const tocha_arg *args, tocha_tensor *out, tocha_tensor *into) {
  tocha_operand operands[MAX_INPUTS];
  tocha_scalar p[MAX_NUMBERS];
  int count = 0, numbers = 0;
  for (int i = 0; i < op->parameter_count; i++) {
    const tocha_arg *a = &args[i];
    switch (op->parameters[i].kind) {
    case TOCHA_KIND_TENSOR:
    case TOCHA_KIND_OPERAND:
      operands[count++] = tocha_arg_operand(a);
      break;
    case TOCHA_KIND_SCALAR: /* an operand where the row has one more than there are tensors */
      if (count < facts[row].inputs && op->parameters[i].keyword_only == false)
        operands[count++] = tocha_number(a->value.scalar);
      else
        p[numbers++] = a->value.scalar;
      break;
    case TOCHA_KIND_FLOAT:
      p[numbers++] = tocha_float(a->value.real);
      break;
    case TOCHA_KIND_BOOL:
      p[numbers++] = tocha_boolean(a->value.flag);
      break;
    default:
      p[numbers++] = tocha_int(a->value.integer);
    }
  }
  return run_row(cx, row, count, operands, numbers, p, out, into);
}
