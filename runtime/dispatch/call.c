/* call.c: the entry point of every operator call. */
#include "dispatch/call.h"
#include "device/devices.h"
#include "dispatch/checks.h"
#include "dispatch/float8.h"
#include "dispatch/required_arguments.h"
#include "tensor/copy.h"
#include "tensor/overlap.h"

#include <stdio.h>
#include <limits.h>
#include <string.h>

static bool is_cpu_scalar(const tocha_tensor *t) {
  return t->device.type == TOCHA_CPU && t->ndim == 0;
}

/* Fails because the tensors are on different devices, in PyTorch's words, and hints at the likely
 * mistake. Devices other than the CPU are named first. Returns false. */
static bool refuse_devices(tocha_context *cx, const tocha_tensor *first,
                           const tocha_tensor *second) {
  char a[24], b[24], wanted[24];
  if (first->device.type == TOCHA_META || second->device.type == TOCHA_META) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Tensor on device %s is not on the expected device %s!",
               tocha_device_text(second->device, a), tocha_device_text(first->device, b));
    bool meta_first = first->device.type == TOCHA_META;
    tocha_hint(cx,
               "Expected all tensors to be on the same device, but found at least two devices, %s "
               "and %s!",
               meta_first ? b : a, meta_first ? a : b);
    return false;
  }
  if (first->device.type == TOCHA_CPU) {
    const tocha_tensor *other = second;
    second = first;
    first = other;
  }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Expected all tensors to be on the same device, but found at least two devices, %s "
             "and %s!",
             tocha_device_text(first->device, a), tocha_device_text(second->device, b));
  const tocha_tensor *parameter = first->flags & TOCHA_FLAG_PARAMETER    ? first
                                  : second->flags & TOCHA_FLAG_PARAMETER ? second
                                                                         : NULL;
  if (!parameter || cx->module_call_count == 0)
    tocha_hint(cx, "move one of them: x:to(\"%s\")", a);
  else
    tocha_hint(cx,
               "the module's parameters are on %s and its input is on %s: write "
               "input:to(\"%s\") before the call, or net:to(\"%s\") once",
               tocha_device_text(parameter->device, wanted), parameter == first ? b : a, wanted,
               parameter == first ? b : a);
  return false;
}

/* The first tensor that decides the device of a call, and a flag for CPU scalars beside it. */
typedef struct seen_devices {
  const tocha_tensor *first;
  bool scalars;
} seen_devices;

/* Fails if t, which has no data, is not an uninitialized tensor that the operator accepts. */
static bool check_data(tocha_context *cx, const tocha_op *op, const tocha_tensor *t) {
  char user[128];
  if (tocha_is_uninitialized(t) && op->flags & TOCHA_OP_UNINITIALIZED) return true;
  snprintf(user, sizeof user,
           op->forms & TOCHA_FORM_METHOD ? "<method '%s' of 'torch._C.TensorBase' objects>"
                                         : "<built-in method %s of type object>",
           op->lua_name);
  return tocha_refuse_without_data(cx, t, user);
}

/* Fails if t is not on the device of the tensors seen so far. CPU scalars are accepted beside any
 * device. */
static inline bool check_device(tocha_context *cx, const tocha_op *op, const tocha_tensor *t,
                                seen_devices *seen) {
  if (t->flags & TOCHA_FLAGS_WITHOUT_DATA && !check_data(cx, op, t)) return false;
  const tocha_tensor *first = seen->first;
  if (!first || is_cpu_scalar(first)) {
    seen->first = t;
    seen->scalars = first && t->device.type != TOCHA_CPU;
    return true;
  }
  if (tocha_device_equal(t->device, first->device)) return true;
  return is_cpu_scalar(t) ? (seen->scalars = true) : refuse_devices(cx, first, t);
}

/* Fails if target is a CPU scalar and the operands are on another device, whose results cannot be
 * written into it. */
static bool check_target(tocha_context *cx, const tocha_tensor *target, const tocha_tensor *seen) {
  return !target || tocha_device_equal(target->device, seen->device) || !is_cpu_scalar(target) ||
         refuse_devices(cx, seen, target);
}

/* Kinds of arguments whose value is a pointer to numbers. */
enum {
  NUMBERS =
      1 << TOCHA_KIND_INTS | 1 << TOCHA_KIND_FLOATS | 1 << TOCHA_KIND_DIMS | 1 << TOCHA_KIND_SIZE
};

tocha_parameter_bits tocha_bits_of_parameters(const tocha_parameter *parameters, int count) {
  const uint32_t pointers = NUMBERS | 1 << TOCHA_KIND_STRING | 1 << TOCHA_KIND_TENSORS;
  tocha_parameter_bits bits = {0};
  for (int i = 0; i < count; i++) {
    const uint32_t bit = 1U << i;
    const int kind = parameters[i].kind;
    const bool tensor = kind == TOCHA_KIND_TENSOR;
    if (tensor || kind == TOCHA_KIND_OPERAND) bits.tensors |= bit;
    if (kind == TOCHA_KIND_TENSORS) bits.lists |= bit;
    if (NUMBERS >> kind & 1) bits.numbers |= bit;
    if (kind == TOCHA_KIND_STRING) bits.strings |= bit;
    if ((tensor && !parameters[i].optional) || pointers >> kind & 1 || kind == TOCHA_KIND_DTYPE)
      bits.needed |= bit;
  }
  return bits;
}

/* Fails if argument i, which has no tensor, is missing. */
static inline bool check_needed(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                                int i) {
  const tocha_parameter_bits *bits = &tocha_operator_of(op)->bits;
  const bool pointer = (bits->numbers | bits->strings) >> i & 1;
  if (!(bits->needed >> i & 1) || (pointer && args[i].value.ints && args[i].count >= 0))
    return true;
  return tocha_given_argument(cx, op, i, &args[i]);
}

/* Fails if two tensors are on different devices, even if one is a CPU scalar. */
static bool refuse_scalars(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  tocha_tensor_place at = {0};
  const tocha_tensor *first = tocha_next_tensor(op, args, &at), *other = NULL;
  while (first && (other = tocha_next_tensor(op, args, &at)))
    if (!tocha_device_equal(first->device, other->device)) break;
  return !other || refuse_devices(cx, first, other);
}

/* Fails if the tensors of a list are on different devices, because scalars in a list are not copied
 * to the device of the others. */
static bool refuse_list(tocha_context *cx, const tocha_arg *list) {
  const tocha_tensor *first = NULL;
  for (int k = 0; k < list->count; k++) {
    const tocha_tensor *t = list->value.tensors[k];
    if (t && first && !tocha_device_equal(t->device, first->device))
      return refuse_devices(cx, first, t);
    if (!first) first = t;
  }
  return true;
}

static bool check_list(tocha_context *cx, const tocha_op *op, const tocha_arg *list,
                       seen_devices *seen) {
  for (int k = 0; k < list->count; k++)
    if (list->value.tensors[k] && !check_device(cx, op, list->value.tensors[k], seen)) return false;
  return !seen->scalars || op->flags & TOCHA_OP_COMPOSITE || refuse_list(cx, list);
}

static bool check_devices(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                          seen_devices *seen) {
  const tocha_parameter_bits *kinds = &tocha_operator_of(op)->bits;
  for (uint32_t bits = kinds->tensors | kinds->needed; bits; bits &= bits - 1) {
    int i = __builtin_ctz(bits);
    if (args[i].tensor) {
      if (!check_device(cx, op, args[i].tensor, seen)) return false;
    } else if (!check_needed(cx, op, args, i)) {
      return false;
    } else if (kinds->lists >> i & 1 && !check_list(cx, op, &args[i], seen)) {
      return false;
    }
  }
  if (seen->scalars && tocha_operator_of(op)->one_device && seen->first->device.type == TOCHA_META)
    return refuse_scalars(cx, op, args);
  return !(op->flags & TOCHA_OP_INPLACE) || !seen->first ||
         check_target(cx, args[0].tensor, seen->first);
}

/* Fails if an argument is missing. The part of check_devices that applies to operators whose
 * operands may be on any device. */
static bool check_given(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  for (uint32_t bits = tocha_operator_of(op)->bits.needed; bits; bits &= bits - 1) {
    int i = __builtin_ctz(bits);
    if (!args[i].tensor && !check_needed(cx, op, args, i)) return false;
  }
  return true;
}

bool tocha_check_size_read(tocha_context *cx, const tocha_tensor *t, int dim) {
  int64_t size;
  return !tocha_grad_enabled(cx) || !tocha_requires_grad(t) || tocha_size_of(cx, t, dim, &size);
}

static bool check_apart(tocha_context *cx, const tocha_tensor *self, const tocha_tensor *read,
                        tocha_memory_rule rule) {
  if (read->storage != self->storage) return true;
  tocha_overlap overlap = tocha_overlap_of(self, read);
  bool refused = overlap == TOCHA_OVERLAP_PARTIAL ||
                 (overlap == TOCHA_OVERLAP_FULL && rule != TOCHA_MEMORY_PARTIAL);
  return !refused || tocha_refuse_overlap(cx);
}

/* Fails if an in-place operator writes memory that it reads from another operand. (out.c checks
 * out=. For speed, this function and check_devices repeat the loop of tocha_next_tensor, because
 * every call passes through them.) */
static bool check_overlaps(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  tocha_memory_rule rule = tocha_operator_of(op)->memory;
  const tocha_tensor *self = args[0].tensor;
  if (!(op->flags & TOCHA_OP_INPLACE) || !self || rule == TOCHA_MEMORY_ANY) return true;
  if (rule != TOCHA_MEMORY_INPUTS && !tocha_check_no_overlap(cx, self)) return false;
  for (int i = 1; i < op->parameter_count; i++) {
    if (args[i].tensor && !check_apart(cx, self, args[i].tensor, rule)) return false;
    if (op->parameters[i].kind != TOCHA_KIND_TENSORS) continue;
    for (int k = 0; k < args[i].count; k++)
      if (args[i].value.tensors[k] && !check_apart(cx, self, args[i].value.tensors[k], rule))
        return false;
  }
  return true;
}

static inline bool is_result(const tocha_results *results, const tocha_tensor *t) {
  for (int k = 0; k < results->count; k++)
    if (results->tensors[k] == t) return true;
  return false;
}

void tocha_keep_results(tocha_context *cx, size_t mark, const tocha_results *results) {
  size_t kept = mark;
  for (size_t i = mark; i < cx->scope_count; i++) {
    tocha_tensor *t = cx->scope_items[i];
    if (is_result(results, t))
      cx->scope_items[kept++] = t;
    else
      tocha_release(t);
  }
  cx->scope_count = kept;
}

/* Runs the implementation on arguments whose tensors are copied to the device. */
static bool run_on_copies(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                          tocha_device device, tocha_results *results) {
  tocha_arg brought[TOCHA_MAX_PARAMETERS];
  for (int i = 0; i < op->parameter_count; i++) {
    brought[i] = args[i];
    if (!args[i].tensor) continue;
    brought[i].tensor = tocha_as_device(cx, args[i].tensor, device);
    if (!brought[i].tensor) return false;
  }
  return tocha_operator_of(op)->forward(cx, op, brought, results);
}

/* Runs the operator's implementation. CPU scalars beside tensors of another device are first copied
 * to that device, except for elementwise operators, which convert them to numbers. */
static bool run_implementation(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                               const seen_devices *seen, tocha_results *results) {
  const tocha_operator *operator= tocha_operator_of(op);
  if (!seen->scalars || !(op->flags & TOCHA_OP_NATIVE) || operator->formula)
    return operator->forward(cx, op, args, results);
  return run_on_copies(cx, op, args, seen->first->device, results);
}

/* Runs the implementation on copies of bools that may contain other bytes than 0 and 1. */
static bool run_tidy(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     const seen_devices *seen, tocha_results *results) {
  tocha_arg tidy[TOCHA_MAX_PARAMETERS];
  if (op->flags & (TOCHA_OP_VIEW | TOCHA_OP_COMPOSITE))
    return run_implementation(cx, op, args, seen, results);
  return tocha_tidy_arguments(cx, op, args, tidy) &&
         run_implementation(cx, op, tidy, seen, results);
}

static bool run(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                const seen_devices *seen, tocha_results *results) {
  results->count = op->result_count;
  results->tensors = results->fixed;
  memset(results->fixed, 0, sizeof results->fixed);
  size_t mark = cx->scope_count;
  bool composite = op->flags & TOCHA_OP_COMPOSITE;
  cx->below_autograd += !composite;
  cx->depth++;
  tocha_device device;
  bool ok = tocha_needs_host(cx, op, args, &device)
                ? tocha_run_on_host(cx, op, args, results, device)
                : (cx->odd_bools ? run_tidy(cx, op, args, seen, results)
                                 : run_implementation(cx, op, args, seen, results)) &&
                      !tocha_has_failed(cx);
  cx->depth--;
  cx->below_autograd -= !composite;
  if (cx->scope_count > mark + (size_t)results->count) tocha_keep_results(cx, mark, results);
  return ok;
}

enum { MAX_TENSORS = 32 };

static tocha_tensor *on_meta(tocha_context *cx, const tocha_tensor *t) {
  const tocha_device meta = {TOCHA_META, -1};
  return t ? tocha_new(cx, t->ndim, t->sizes, (tocha_dtype)t->dtype, meta) : NULL;
}

/* Copies args with all tensors on the meta device, which computes nothing. lists: storage for the
 * tensors of lists. Returns false if there are too many, or memory is short. */
static bool without_data(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_arg *with, tocha_tensor **lists) {
  int used = 0;
  for (int i = 0; i < op->parameter_count; i++) {
    with[i] = args[i];
    with[i].tensor = on_meta(cx, args[i].tensor);
    if (op->parameters[i].kind != TOCHA_KIND_TENSORS) continue;
    if (args[i].count > MAX_TENSORS - used) return false;
    with[i].value.tensors = lists + used;
    for (int k = 0; k < args[i].count; k++) lists[used++] = on_meta(cx, args[i].value.tensors[k]);
  }
  return !tocha_has_failed(cx);
}

void tocha_fail_overlap(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  tocha_arg with[TOCHA_MAX_PARAMETERS];
  tocha_tensor *lists[MAX_TENSORS];
  tocha_results results = {.count = op->result_count, .tensors = results.fixed};
  tocha_error_state error = cx->error;
  if (tocha_operator_of(op)->memory_first) return;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_clear_error(cx);
  cx->below_autograd++;
  if (without_data(cx, op, args, with, lists))
    tocha_operator_of(op)->forward(cx, op, with, &results);
  cx->below_autograd--;
  if (tocha_has_failed(cx) && cx->error.info.code != TOCHA_NOT_IMPLEMENTED_ERROR) /* on meta */
    error = cx->error;
  tocha_results_free(cx, &results);
  tocha_scope_end(cx, scope, NULL);
  cx->error = error;
}

static bool call_recorded(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                          tocha_results *results) {
  bool top = cx->below_autograd == 0 && !(op->flags & TOCHA_OP_COMPOSITE);
  tocha_recording recording = {0};
  seen_devices seen = {NULL, false};
  if (op->flags & TOCHA_OP_ANY_DEVICE ? !check_given(cx, op, args)
                                      : !check_devices(cx, op, args, &seen))
    goto failed;
  if (cx->float8 && !(args = tocha_float8_arguments(cx, op, args))) goto failed;
  if (top && !cx->hooks->call->begin_record(cx, op, args, &recording)) goto failed;
  if (!check_overlaps(cx, op, args)) {
    tocha_fail_overlap(cx, op, args);
    goto failed;
  }
  if (!run(cx, op, args, &seen, results)) {
    if (top && recording.records) cx->hooks->call->fail_record(cx, op, args);
    goto failed;
  }
  if (top && !cx->hooks->call->end_record(cx, op, args, results, &recording)) goto failed;
  return true;
failed:
  if (cx->depth == 0 || !cx->error.op[0]) tocha_set_error_op(cx, op->lua_name);
  tocha_name_in_capture(cx, op->lua_name);
  tocha_results_free(cx, results);
  results->count = 0;
  return false;
}

bool tocha_call_recorded(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_results *results, tocha_tensor *into) {
  results->count = 0;
  results->into = into;
  results->tensors = results->fixed;
  if (tocha_has_failed(cx)) return false;
  tocha_checked_call checked = {0};
  bool ok =
      tocha_begin_checked_call(cx, op, args, &checked) && call_recorded(cx, op, args, results);
  tocha_end_checked_call(&checked);
  return ok;
}

static bool call_any(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     tocha_results *results, tocha_tensor *into) {
  if (tocha_operator_of(op)->autocast && cx->autocast.active && !cx->below_autograd &&
      !tocha_has_failed(cx))
    return cx->hooks->call->autocast(cx, op, args, results, into);
  return tocha_call_recorded(cx, op, args, results, into);
}

bool tocha_call_into(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                     tocha_results *results, tocha_tensor *into) {
  results->unwanted = 0;
  return call_any(cx, op, args, results, into);
}

bool tocha_call_for(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                    tocha_results *results, unsigned unwanted) {
  if (!cx) return tocha_refuse_none(cx, "call", "op", "Op");
  results->unwanted = (uint8_t)unwanted;
  return call_any(cx, op, args, results, NULL);
}

bool tocha_call(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                tocha_results *results) {
  if (!cx || !op || !op->lua_name || !args || !results)
    return tocha_refuse_none(cx, "call", "op", "Op");
  return tocha_call_into(cx, op, args, results, NULL);
}

bool tocha_would_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  if (!op) return tocha_refuse_none(cx, "would_record", "op", "Op");
  return op->parameter_count && tocha_grad_enabled(cx) && tocha_any_requires_grad(op, args);
}

bool tocha_results_list(tocha_context *cx, tocha_results *results, int64_t count) {
  results->count = 0;
  results->single = false;
  if (count > INT_MAX)
    return tocha_fail(cx, TOCHA_MEMORY_ERROR, "vector::reserve: %lld tensors", (long long)count);
  if (count > TOCHA_MAX_RESULTS) {
    results->tensors = tocha_allocate_zeroed(cx, (uint64_t)count * sizeof *results->tensors);
    if (!results->tensors) {
      results->tensors = results->fixed;
      return false;
    }
  }
  results->count = (int)count;
  return true;
}

void tocha_results_free(tocha_context *cx, tocha_results *results) {
  if (!results) return;
  if (results->tensors != results->fixed)
    tocha_deallocate(cx, results->tensors, (uint64_t)results->count * sizeof *results->tensors);
  results->tensors = results->fixed;
}

const tocha_op *tocha_find_among(const tocha_op_family *const *families, const char *name) {
  for (; name && *families; families++)
    for (int i = 0; i < (*families)->count; i++)
      if (strcmp((*families)->ops[i].op.name, name) == 0) return &(*families)->ops[i].op;
  return NULL;
}
