/* ctc.c: connectionist temporal classification: the checks, and the reduction over sequences. */
#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "loss/implementations.h"
#include "ops/loss/cpu/ctc.h"
#include "ops/loss/reductions.h"
#include "tensor/copy.h"
#include "tensor/parallel.h"
#include "tensor/transfer.h"
#include "tocha/ops/private/ctc_loss.h"
#include "tocha/ops/ctc_loss.h"
#include "tocha/ops/div.h"
#include "tocha/ops/eq.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/to_copy.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/where.h"

typedef struct lengths {
  int count;
  const int64_t *values;
} lengths;

typedef long long ll;

/* --- checks ---------------------------------------------------------------------------------------------- */

static const char *const where = "(while checking arguments for ctc_loss_allocate_outputs)";

static bool check_count(tocha_context *cx, const char *name, lengths l, int64_t batch) {
  if (l.count == batch) return true;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be of size batch_size", name);
  return false;
}

static bool check_lengths(tocha_context *cx, const char *name, lengths l, int64_t maximum) {
  for (int64_t i = 0; i < l.count; i++) {
    if (l.values[i] >= 0 && (maximum < 0 || l.values[i] <= maximum)) continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected %s to have value at %s %lld, but got value %lld %s", name,
               l.values[i] < 0 ? "least" : "most", l.values[i] < 0 ? 0LL : (ll)maximum,
               (ll)l.values[i], where);
    return false;
  }
  return true;
}

static int64_t sum_of(lengths l) {
  int64_t sum = 0;
  for (int i = 0; i < l.count; i++) sum += l.values[i];
  return sum;
}

static int64_t largest_of(lengths l) {
  int64_t maximum = 0;
  for (int i = 0; i < l.count; i++)
    if (l.values[i] > maximum) maximum = l.values[i];
  return maximum;
}

static bool check_targets(tocha_context *cx, const tocha_tensor *targets, lengths l,
                          int64_t batch) {
  int64_t maximum = largest_of(l);
  if (targets->ndim == 1 && targets->sizes[0] != sum_of(l))
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "Expected tensor to have size %lld at dimension 0, but got size %lld for argument #2 "
        "'targets' %s",
        (ll)sum_of(l), (ll)targets->sizes[0], where);
  else if (targets->ndim == 2 && targets->sizes[0] != batch)
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "Expected tensor to have size %lld at dimension 0, but got size %lld for argument #2 "
        "'targets' %s",
        (ll)batch, (ll)targets->sizes[0], where);
  else if (targets->ndim == 2 && targets->sizes[1] < maximum)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected tensor to have size at least %lld at dimension 1, but got size %lld for "
               "argument #2 'targets' %s",
               (ll)maximum, (ll)targets->sizes[1], where);
  return !tocha_failed(cx);
}

static bool check(tocha_context *cx, const tocha_tensor *x, const tocha_tensor *targets,
                  lengths inputs, lengths labels, int64_t blank) {
  if (x->numel == 0)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "log_probs tensor must not be empty");
  else if (x->dtype != TOCHA_FLOAT32 && x->dtype != TOCHA_FLOAT64)
    tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "\"ctc_loss_cpu\" not implemented for '%s'",
               tocha_dtype_scalar_type(x->dtype));
  else if (x->ndim != 3)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected 3-dimensional tensor, but got %d-dimensional tensor for argument #1 "
               "'log_probs' %s",
               x->ndim, where);
  else if (targets->ndim < 1 || targets->ndim > 2)
    tocha_fail(
        cx, TOCHA_RUNTIME_ERROR,
        "Expected 1 to 2 dimensions, but got %d-dimensional tensor for argument #2 'targets' "
        "%s",
        targets->ndim, where);
  else if (blank < 0 || blank >= x->sizes[2])
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "blank must be in label range");
  if (tocha_failed(cx)) return false;
  int64_t batch = x->sizes[1];
  return check_count(cx, "input_lengths", inputs, batch) &&
         check_count(cx, "target_lengths", labels, batch) &&
         check_lengths(cx, "target_lengths", labels, -1) &&
         check_targets(cx, targets, labels, batch) &&
         check_lengths(cx, "input_lengths", inputs, x->sizes[0]);
}

/* Fails if a label is not a class, because the loops would read beyond log_probs. A GPU's kernels
 * report it. */
static bool check_labels(tocha_context *cx, const tocha_ctc_args *a) {
  for (int64_t n = 0; n < a->batch; n++)
    for (int64_t i = 0; i < a->target_lengths[n]; i++) {
      int64_t label = a->targets[a->first[n] + i * a->step];
      if (label >= 0 && label < a->classes) continue;
      tocha_fail(cx, TOCHA_INDEX_ERROR, "Target %lld is out of bounds.", (ll)label);
      return false;
    }
  return true;
}

/* --- sequences ------------------------------------------------------------------------------------------- */

typedef struct ctc_call {
  const tocha_ctc_args *args;
  const tocha_ctc_loops *loops;
  tocha_stop stop;
} ctc_call;

static void run_part(void *user, int64_t begin, int64_t end) {
  const ctc_call *c = user;
  (c->args->out ? c->loops->backward : c->loops->forward)(c->args, begin, end, c->stop);
}

static bool run(tocha_context *cx, const tocha_tensor *log_probs, const tocha_ctc_args *args) {
  tocha_stream *s = tocha_stream_of(cx, log_probs->device);
  if (!s) return false;
  if (s->kernels->loss->ctc) return tocha_launched(cx, s->kernels->loss->ctc(s, args));
  if (!check_labels(cx, args)) return false;
  ctc_call c = {args, tocha_ctc_loops_table[cx->isa][args->dtype], &cx->interrupted};
  int64_t work = 64 * args->times * (args->states + args->classes);
  return tocha_parallel_for(cx, args->batch, TOCHA_GRAIN / (work + 1) + 1, run_part, &c);
}

/* Returns a table (3, N) on the device: the index at which each sequence's targets begin, the
 * lengths of inputs and of targets. Returns NULL on failure. */
static const int64_t *tables(tocha_context *cx, const tocha_tensor *targets, lengths inputs,
                             lengths labels) {
  int64_t sizes[2] = {3, labels.count}, at = 0;
  tocha_device cpu = {TOCHA_CPU, -1};
  tocha_tensor *table = tocha_new(cx, 2, sizes, TOCHA_INT64, cpu);
  if (!table) return NULL;
  int64_t *values = (int64_t *)(void *)tocha_bytes(table);
  for (int64_t n = 0; n < sizes[1]; n++) {
    values[n] = at;
    values[sizes[1] + n] = inputs.values[n];
    values[2 * sizes[1] + n] = labels.values[n];
    at += targets->ndim == 2 ? targets->sizes[1] : labels.values[n];
  }
  table = tocha_as_device(cx, table, targets->device);
  return table ? (const int64_t *)(void *)tocha_bytes(table) : NULL;
}

static bool prepare(tocha_context *cx, tocha_ctc_args *args, tocha_tensor *log_probs,
                    tocha_tensor *targets, lengths inputs, lengths labels, int64_t blank) {
  log_probs = tocha_as_rows(cx, log_probs, (tocha_dtype)log_probs->dtype);
  targets = tocha_own_rows(cx, targets, TOCHA_INT64);
  if (!log_probs || !targets) return false;
  const int64_t *table = tables(cx, targets, inputs, labels);
  *args = (tocha_ctc_args){.log_probs = tocha_bytes(log_probs),
                           .targets = (const int64_t *)(void *)tocha_bytes(targets),
                           .first = table,
                           .input_lengths = table ? table + labels.count : NULL,
                           .target_lengths = table ? table + 2 * labels.count : NULL,
                           .step = 1,
                           .times = log_probs->sizes[0],
                           .batch = log_probs->sizes[1],
                           .classes = log_probs->sizes[2],
                           .states = 2 * largest_of(labels) + 1,
                           .blank = blank,
                           .dtype = log_probs->dtype};
  return table != NULL;
}

/* Allocates the scratch memory of devices. */
static bool add_scratch(tocha_context *cx, const tocha_tensor *log_alpha, tocha_ctc_args *args) {
  int64_t links = 2 * args->batch * args->states;
  tocha_tensor *sums = tocha_new_like(cx, log_alpha, (tocha_dtype)log_alpha->dtype);
  tocha_tensor *link = tocha_new(cx, 1, &links, TOCHA_INT32, log_alpha->device);
  if (!sums || !link) return false;
  args->sums = tocha_bytes(sums);
  args->links = tocha_bytes(link);
  return true;
}

bool tocha_op__ctc_loss(tocha_context *cx, tocha_tensor *log_probs, tocha_tensor *targets,
                        int input_lengths_count, const int64_t *input_lengths,
                        int target_lengths_count, const int64_t *target_lengths, int64_t blank,
                        bool zero_infinity, tocha_tensor **neg_log_likelihood,
                        tocha_tensor **log_alpha) {
  lengths inputs = {input_lengths_count, input_lengths};
  lengths labels = {target_lengths_count, target_lengths};
  (void)zero_infinity;
  if (!check(cx, log_probs, targets, inputs, labels, blank)) return false;
  tocha_dtype dtype = (tocha_dtype)log_probs->dtype;
  int64_t batch = log_probs->sizes[1];
  int64_t sizes[3] = {batch, log_probs->sizes[0], 2 * largest_of(labels) + 1};
  *neg_log_likelihood = tocha_new(cx, 1, &batch, dtype, log_probs->device);
  *log_alpha = tocha_new(cx, 3, sizes, dtype, log_probs->device);
  if (!*neg_log_likelihood || !*log_alpha) return false;
  if (!tocha_has_elements(log_probs)) return true;
  tocha_ctc_args args;
  if (!prepare(cx, &args, log_probs, targets, inputs, labels, blank)) return false;
  args.likelihood = tocha_bytes(*neg_log_likelihood);
  args.log_alpha = tocha_bytes(*log_alpha);
  return run(cx, log_probs, &args);
}

/* Fails unless the gradient's arguments have the sizes and dtypes of the loss's results. */
static bool check_results(tocha_context *cx, const tocha_tensor *x, const tocha_tensor *grad,
                          const tocha_tensor *likelihood, const tocha_tensor *alpha,
                          lengths labels) {
  int64_t batch = x->sizes[1], states = 2 * largest_of(labels) + 1;
  bool fits = grad->numel == batch && likelihood->numel == batch && likelihood->dtype == x->dtype &&
              alpha->dtype == x->dtype && alpha->numel == batch * x->sizes[0] * states &&
              tocha_is_contiguous(likelihood) && tocha_is_contiguous(alpha);
  if (!fits)
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "the gradient of ctc_loss takes the loss's own results");
  return fits;
}

tocha_tensor *tocha_op__ctc_loss_backward(tocha_context *cx, tocha_tensor *grad,
                                          tocha_tensor *log_probs, tocha_tensor *targets,
                                          int input_lengths_count, const int64_t *input_lengths,
                                          int target_lengths_count, const int64_t *target_lengths,
                                          tocha_tensor *neg_log_likelihood, tocha_tensor *log_alpha,
                                          int64_t blank, bool zero_infinity) {
  lengths inputs = {input_lengths_count, input_lengths};
  lengths labels = {target_lengths_count, target_lengths};
  tocha_dtype dtype = (tocha_dtype)log_probs->dtype;
  if (!check(cx, log_probs, targets, inputs, labels, blank) ||
      !check_results(cx, log_probs, grad, neg_log_likelihood, log_alpha, labels))
    return NULL;
  tocha_tensor *out = tocha_new_like(cx, log_probs, dtype);
  if (!out || !tocha_has_elements(out)) return out;
  tocha_ctc_args args;
  if (!prepare(cx, &args, log_probs, targets, inputs, labels, blank)) return NULL;
  int64_t size = 2 * args.states * args.batch;
  tocha_tensor *work = tocha_new(cx, 1, &size, dtype, log_probs->device);
  grad = tocha_as_rows(cx, grad, dtype);
  if (!work || !grad) return NULL;
  if (tocha_is_on_device(log_probs) && !add_scratch(cx, log_alpha, &args)) return NULL;
  args.likelihood = tocha_bytes(neg_log_likelihood);
  args.log_alpha = tocha_bytes(log_alpha);
  args.grad = tocha_bytes(grad);
  args.grad_step = 1;
  args.out = tocha_bytes(out);
  args.work = tocha_bytes(work);
  args.zero_infinity = zero_infinity;
  return run(cx, log_probs, &args) ? out : NULL;
}

/* --- torch.nn.functional's forms ---------------------------------------------------------------------------- */

/* Returns the lengths (N), at least 1 each, as a tensor in loss's dtype and on its device. */
static tocha_tensor *divisors(tocha_context *cx, const tocha_tensor *loss, lengths l) {
  int64_t count = l.count;
  tocha_device cpu = {TOCHA_CPU, -1};
  tocha_tensor *t = tocha_new(cx, 1, &count, TOCHA_INT64, cpu);
  if (!t) return NULL;
  int64_t *values = (int64_t *)(void *)tocha_bytes(t);
  for (int64_t i = 0; i < count; i++) values[i] = l.values[i] > 1 ? l.values[i] : 1;
  t = tocha_as_dtype(cx, t, (tocha_dtype)loss->dtype);
  return tocha_as_device(cx, t, loss->device);
}

tocha_tensor *tocha_op_ctc_loss_lists(tocha_context *cx, tocha_tensor *log_probs,
                                      tocha_tensor *targets, int input_lengths_count,
                                      const int64_t *input_lengths, int target_lengths_count,
                                      const int64_t *target_lengths, int64_t blank,
                                      const char *reduction, bool zero_infinity) {
  int kind = tocha_reduction_of(cx, NULL, NULL, reduction);
  if (kind < 0) return NULL;
  bool single = log_probs->ndim != 3;
  if (single) log_probs = tocha_unsqueeze(cx, log_probs, 1);
  if (targets->dtype != TOCHA_INT64)
    targets = tocha_to_copy_full(cx, targets, TOCHA_INT64, targets->device, false);
  tocha_tensor *loss, *log_alpha;
  if (!log_probs || !targets ||
      !tocha_private_ctc_loss(cx, log_probs, targets, input_lengths_count, input_lengths,
                              target_lengths_count, target_lengths, blank, zero_infinity, &loss,
                              &log_alpha))
    return NULL;
  if (zero_infinity) {
    tocha_tensor *endless = tocha_eq_full(cx, loss, tocha_number(tocha_float(INFINITY)));
    if (!endless) return NULL;
    loss = tocha_where_full(cx, endless, tocha_number(tocha_float(0)), tocha_operand_of(loss));
  }
  if (loss && kind == TOCHA_REDUCTION_MEAN)
    loss = tocha_div(cx, loss, divisors(cx, loss, (lengths){target_lengths_count, target_lengths}));
  if (kind != TOCHA_REDUCTION_NONE) return tocha_reduced_loss(cx, loss, kind);
  return single ? tocha_squeeze_dim(cx, loss, 0) : loss;
}

/* Returns a tensor of lengths as a list; its values are NULL on failure. */
static lengths read_lengths(tocha_context *cx, tocha_tensor *t, const char *name) {
  lengths none = {0, NULL};
  if (tocha_dtype_is_floating(t->dtype) || t->dtype == TOCHA_BOOL) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s must be integral", name);
    return none;
  }
  if (!tocha_check_values(cx, t, name)) return none;
  t = tocha_own_rows(cx, tocha_on_host(cx, t), TOCHA_INT64);
  if (!t) return none;
  return (lengths){(int)t->numel, (const int64_t *)(void *)tocha_bytes(t)};
}

tocha_tensor *tocha_op_ctc_loss(tocha_context *cx, tocha_tensor *log_probs, tocha_tensor *targets,
                                tocha_tensor *input_lengths, tocha_tensor *target_lengths,
                                int64_t blank, const char *reduction, bool zero_infinity) {
  if (tocha_reduction_of(cx, NULL, NULL, reduction) < 0) return NULL;
  lengths inputs = read_lengths(cx, input_lengths, "input_lengths");
  if (tocha_failed(cx)) return NULL;
  lengths labels = read_lengths(cx, target_lengths, "target_lengths");
  if (tocha_failed(cx)) return NULL;
  return tocha_ctc_loss_lists(cx, log_probs, targets, inputs.count, inputs.values, labels.count,
                              labels.values, blank, reduction, zero_infinity);
}
