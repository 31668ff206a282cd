/* collectives.c: the operations of all ranks of a group: their checks, in PyTorch's words, and their description for an
 * engine. */
#include <stdlib.h>
#include <string.h>

#include "distributed/operation.h"

/* --- all_reduce, reduce, broadcast, barrier ------------------------------------------------------- */

tocha_work *tocha_all_reduce(tocha_context *cx, tocha_tensor *tensor, tocha_reduce_op op,
                             tocha_process_group *group, bool async) {
  tocha_operation o = {
      .kind = TOCHA_ALL_REDUCE, .form = TOCHA_FORM_ALL_REDUCE, .op = op, .root = -1};
  if (!tocha_operation_begin(cx, &o, group, tensor) ||
      !tocha_operation_buffer(cx, &o, tensor, TOCHA_IN_PLACE))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

tocha_work *tocha_broadcast(tocha_context *cx, tocha_tensor *tensor, int root,
                            tocha_process_group *group, bool async) {
  tocha_operation o = {.kind = TOCHA_BROADCAST, .form = TOCHA_FORM_BROADCAST, .root = root};
  if (!tocha_operation_begin(cx, &o, group, tensor) ||
      !tocha_operation_buffer(cx, &o, tensor, o.is_root ? TOCHA_INPUT_IN_PLACE : TOCHA_IN_PLACE))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

tocha_work *tocha_reduce_to(tocha_context *cx, tocha_tensor *tensor, int root, tocha_reduce_op op,
                            tocha_process_group *group, bool async) {
  tocha_operation o = {.kind = TOCHA_REDUCE, .form = TOCHA_FORM_REDUCE, .op = op, .root = root};
  if (!tocha_operation_begin(cx, &o, group, tensor) ||
      !tocha_operation_buffer(cx, &o, tensor, TOCHA_IN_PLACE))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

tocha_work *tocha_barrier(tocha_context *cx, tocha_process_group *group, bool async) {
  tocha_operation o = {.kind = TOCHA_BARRIER, .form = TOCHA_FORM_BARRIER, .root = -1};
  if (!tocha_operation_begin(cx, &o, group, NULL)) return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

/* --- all_gather, gather, scatter, reduce_scatter -------------------------------------------------- */

tocha_work *tocha_all_gather(tocha_context *cx, tocha_tensor *const *outputs, tocha_tensor *input,
                             tocha_process_group *group, bool async) {
  tocha_operation o = {.kind = TOCHA_ALL_GATHER, .form = TOCHA_FORM_ALL_GATHER, .root = -1};
  if (!tocha_operation_begin(cx, &o, group, input) ||
      !tocha_operation_check_list(cx, &o, outputs, "output") ||
      !tocha_operation_buffer(cx, &o, input, TOCHA_INPUT) ||
      !tocha_operation_list(cx, &o, outputs, TOCHA_OUTPUT))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

tocha_work *tocha_all_gather_into_tensor(tocha_context *cx, tocha_tensor *output,
                                         tocha_tensor *input, tocha_process_group *group,
                                         bool async) {
  tocha_operation o = {
      .kind = TOCHA_ALL_GATHER, .form = TOCHA_FORM_ALL_GATHER_INTO_TENSOR, .root = -1};
  if (!tocha_operation_begin(cx, &o, group, input) ||
      !tocha_operation_check_parts(cx, &o, output, input, "output", "input") ||
      !tocha_operation_buffer(cx, &o, input, TOCHA_INPUT) ||
      !tocha_operation_buffer(cx, &o, output, TOCHA_OUTPUT))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

tocha_work *tocha_gather_to(tocha_context *cx, tocha_tensor *const *outputs, tocha_tensor *input,
                            int root, tocha_process_group *group, bool async) {
  tocha_operation o = {.kind = TOCHA_GATHER, .form = TOCHA_FORM_GATHER, .root = root};
  if (!tocha_operation_begin(cx, &o, group, input)) return tocha_operation_drop(&o);
  if (o.is_root && !outputs)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Argument ``gather_list`` must be specified on destination rank.");
  if (!o.is_root && outputs)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Argument ``gather_list`` must NOT be specified on non-destination ranks.");
  if (tocha_failed(cx) || (outputs && !tocha_operation_check_list(cx, &o, outputs, "output")) ||
      !tocha_operation_buffer(cx, &o, input, TOCHA_INPUT) ||
      (outputs && !tocha_operation_list(cx, &o, outputs, TOCHA_OUTPUT)))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

tocha_work *tocha_scatter_from(tocha_context *cx, tocha_tensor *output, tocha_tensor *const *inputs,
                               int root, tocha_process_group *group, bool async) {
  tocha_operation o = {.kind = TOCHA_SCATTER, .form = TOCHA_FORM_SCATTER, .root = root};
  if (!tocha_operation_begin(cx, &o, group, output)) return tocha_operation_drop(&o);
  if (o.is_root && !inputs)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Argument ``scatter_list`` must be specified on source rank.");
  if (!o.is_root && inputs)
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "Argument ``scatter_list`` must NOT be specified on non-source ranks.");
  if (tocha_failed(cx) || (inputs && !tocha_operation_check_list(cx, &o, inputs, "input")) ||
      (inputs && !tocha_operation_list(cx, &o, inputs, TOCHA_INPUT)) ||
      !tocha_operation_buffer(cx, &o, output, TOCHA_OUTPUT))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

tocha_work *tocha_reduce_scatter(tocha_context *cx, tocha_tensor *output,
                                 tocha_tensor *const *inputs, tocha_reduce_op op,
                                 tocha_process_group *group, bool async) {
  tocha_operation o = {
      .kind = TOCHA_REDUCE_SCATTER, .form = TOCHA_FORM_REDUCE_SCATTER, .op = op, .root = -1};
  if (!tocha_operation_begin(cx, &o, group, output) ||
      !tocha_operation_check_list(cx, &o, inputs, "input") ||
      !tocha_operation_list(cx, &o, inputs, TOCHA_INPUT) ||
      !tocha_operation_buffer(cx, &o, output, TOCHA_OUTPUT))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

tocha_work *tocha_reduce_scatter_tensor(tocha_context *cx, tocha_tensor *output,
                                        tocha_tensor *input, tocha_reduce_op op,
                                        tocha_process_group *group, bool async) {
  tocha_operation o = {
      .kind = TOCHA_REDUCE_SCATTER, .form = TOCHA_FORM_REDUCE_SCATTER_TENSOR, .op = op, .root = -1};
  if (!tocha_operation_begin(cx, &o, group, output) ||
      !tocha_operation_check_parts(cx, &o, input, output, "input", "output") ||
      !tocha_operation_buffer(cx, &o, input, TOCHA_INPUT) ||
      !tocha_operation_buffer(cx, &o, output, TOCHA_OUTPUT))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

/* --- all_to_all ----------------------------------------------------------------------------------- */

/* Allocates the counts of elements from each rank, and after them those to each. */
static bool allocate_counts(tocha_context *cx, tocha_work *w) {
  size_t size = (size_t)w->group->size;
  w->counts = calloc(2 * size, sizeof *w->counts);
  if (!w->counts) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for an operation");
  w->transfer.output_counts = w->counts;
  w->transfer.input_counts = w->counts + size;
  return true;
}

tocha_work *tocha_all_to_all(tocha_context *cx, tocha_tensor *const *outputs,
                             tocha_tensor *const *inputs, tocha_process_group *group, bool async) {
  tocha_operation o = {.kind = TOCHA_ALL_TO_ALL, .form = TOCHA_FORM_ALL_TO_ALL, .root = -1};
  if (!outputs || !inputs || !outputs[0])
    return tocha_refuse_none(cx, "all_to_all", "tensors", "Tensor");
  if (!tocha_operation_begin(cx, &o, group, outputs[0]) || !allocate_counts(cx, o.work))
    return tocha_operation_drop(&o);
  int size = o.work->group->size;
  for (int i = 0; i < size; i++) {
    if (!tocha_operation_check_member(cx, &o, outputs[i]) ||
        !tocha_operation_check_member(cx, &o, inputs[i]))
      return tocha_operation_drop(&o);
    o.work->counts[i] = outputs[i]->numel;
    o.work->counts[size + i] = inputs[i]->numel;
  }
  if (!tocha_operation_list(cx, &o, inputs, TOCHA_INPUT) ||
      !tocha_operation_list(cx, &o, outputs, TOCHA_OUTPUT))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

/* Sets the counts of elements for parts of `t` along its first dimension: sizes[i] rows each, or equal parts. */
static bool count_rows(tocha_context *cx, const tocha_tensor *t, int parts, const int64_t *sizes,
                       int64_t *counts) {
  int64_t rows = t->ndim ? t->sizes[0] : 0, sum = 0;
  int64_t each = rows ? t->numel / rows : 0;
  if (!sizes && rows % parts) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Tensor's dim 0 does not divide equally across group size");
    tocha_hint(cx, "%lld rows among %d ranks: give the sizes of the parts", (long long)rows, parts);
    return false;
  }
  for (int i = 0; i < parts; i++) {
    int64_t n = sizes ? sizes[i] : rows / parts;
    if (n < 0) return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Split sizes must not be negative");
    sum += n;
    counts[i] = n * each;
  }
  if (sum == rows) return true;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Split sizes doesn't match total dim 0 size");
}

tocha_work *tocha_all_to_all_single(tocha_context *cx, tocha_tensor *output, tocha_tensor *input,
                                    const int64_t *output_sizes, const int64_t *input_sizes,
                                    tocha_process_group *group, bool async) {
  tocha_operation o = {.kind = TOCHA_ALL_TO_ALL, .form = TOCHA_FORM_ALL_TO_ALL_SINGLE, .root = -1};
  if (!tocha_operation_begin(cx, &o, group, output) ||
      !tocha_operation_check_member(cx, &o, input) || !allocate_counts(cx, o.work))
    return tocha_operation_drop(&o);
  int size = o.work->group->size;
  int64_t *counts = o.work->counts;
  /* as PyTorch's condition; an engine's own operation cannot write where others still read */
  o.work->transfer.is_even = !output_sizes && !input_sizes && output->storage != input->storage;
  o.work->intent.is_even = o.work->transfer.is_even;
  if (!count_rows(cx, output, size, output_sizes, counts) ||
      !count_rows(cx, input, size, input_sizes, counts + size) ||
      !tocha_operation_buffer(cx, &o, input, TOCHA_INPUT) ||
      !tocha_operation_buffer(cx, &o, output, TOCHA_OUTPUT))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

/* --- send, recv ------------------------------------------------------------------------------------ */

tocha_work *tocha_send(tocha_context *cx, tocha_tensor *tensor, int peer, int tag,
                       tocha_process_group *group, bool async) {
  tocha_operation o = {.kind = TOCHA_SEND, .form = TOCHA_FORM_SEND, .root = peer, .tag = tag};
  if (!tocha_operation_begin(cx, &o, group, tensor) ||
      !tocha_operation_buffer(cx, &o, tensor, TOCHA_INPUT))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}

tocha_work *tocha_recv(tocha_context *cx, tocha_tensor *tensor, int peer, int tag,
                       tocha_process_group *group, bool async) {
  tocha_operation o = {.kind = TOCHA_RECV, .form = TOCHA_FORM_RECV, .root = peer, .tag = tag};
  if (!tocha_operation_begin(cx, &o, group, tensor) ||
      !tocha_operation_buffer(cx, &o, tensor, TOCHA_OUTPUT))
    return tocha_operation_drop(&o);
  return tocha_work_start(cx, o.work, async);
}
