/* adaptive.c: AdaptiveLogSoftmaxWithLoss: softmax over many classes, the rare ones in clusters. */
#include <math.h>
#include <stdio.h>

#include "nn/construct.h"
#include "nn/functions/adaptive.h"
#include "tocha/nn/linear.h"
#include "tocha/nn/module_list.h"
#include "tocha/nn/sequential.h"
#include "tocha/ops/add.h"
#include "tocha/ops/argmax.h"
#include "tocha/ops/bitwise_and.h"
#include "tocha/ops/cat.h"
#include "tocha/ops/gather.h"
#include "tocha/ops/ge.h"
#include "tocha/ops/index_copy.h"
#include "tocha/ops/index_copy_.h"
#include "tocha/ops/index_fill_.h"
#include "tocha/ops/index_select.h"
#include "tocha/ops/log_softmax.h"
#include "tocha/ops/lt.h"
#include "tocha/ops/masked_select.h"
#include "tocha/ops/max.h"
#include "tocha/ops/mean.h"
#include "tocha/ops/min.h"
#include "tocha/ops/narrow.h"
#include "tocha/ops/neg.h"
#include "tocha/ops/nonzero.h"
#include "tocha/ops/select.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/unsqueeze.h"
#include "tocha/ops/zeros.h"

typedef long long ll;
typedef tocha_tensor tensor;

/* Returns the number of clusters behind the most frequent classes. */
static int cluster_count(const tocha_module *module) {
  return tocha_module_option(module, "cutoffs")->count;
}

/* Returns the first class of cluster `i` of the tail, from 0; the number of classes after the last. */
static int64_t cutoff(const tocha_module *module, int i) {
  const tocha_arg *cutoffs = tocha_module_option(module, "cutoffs");
  return i < cutoffs->count ? cutoffs->value.ints[i] : tocha_option_int(module, "n_classes");
}

static bool check_cutoffs(tocha_context *cx, const tocha_module *module) {
  int64_t classes = tocha_option_int(module, "n_classes");
  if (cluster_count(module) == 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "cutoffs should be a sequence of length larger than 0");
  for (int i = 0; i < cluster_count(module); i++)
    if (cutoff(module, i) <= (i ? cutoff(module, i - 1) : 0) || cutoff(module, i) > classes - 1)
      return tocha_fail(cx, TOCHA_VALUE_ERROR,
                        "cutoffs should be a sequence of unique, positive integers sorted in an "
                        "increasing order, where each value is between 1 and n_classes-1");
  return true;
}

static tocha_module *new_linear(tocha_context *cx, const tocha_module *module, int64_t in,
                                int64_t out, bool bias) {
  return tocha_nn_linear(cx, in, out, bias, tocha_option_device(cx, module),
                         tocha_option_dtype(cx, module));
}

/* Returns cluster `i` of the tail: a projection and the scores of its classes. */
static tocha_module *new_cluster(tocha_context *cx, const tocha_module *module, int i) {
  int64_t in = tocha_option_int(module, "in_features");
  double shrunk = floor((double)in / pow(tocha_option_real(module, "div_value"), i + 1));
  int64_t hidden = shrunk >= 0 && shrunk < 9e18 ? (int64_t)shrunk : 0;
  int64_t classes = cutoff(module, i + 1) - cutoff(module, i);
  tocha_module *cluster = tocha_nn_sequential(cx);
  if (cluster &&
      tocha_module_add_child(cx, cluster, "0", new_linear(cx, module, in, hidden, false)) &&
      tocha_module_add_child(cx, cluster, "1", new_linear(cx, module, hidden, classes, false)))
    return cluster;
  tocha_module_release(cluster);
  return NULL;
}

bool tocha_module_init_adaptive(tocha_context *cx, tocha_module *module) {
  if (!check_cutoffs(cx, module)) return false;
  int64_t in = tocha_option_int(module, "in_features");
  int64_t head = cutoff(module, 0) + cluster_count(module);
  bool bias = tocha_option_flag(module, "head_bias");
  if (!tocha_module_add_child(cx, module, "head", new_linear(cx, module, in, head, bias)))
    return false;
  tocha_module *tail = tocha_nn_module_list(cx);
  bool ok = tail != NULL;
  for (int i = 0; ok && i < cluster_count(module); i++) {
    char name[24];
    snprintf(name, sizeof name, "%d", i);
    ok = tocha_module_add_child(cx, tail, name, new_cluster(cx, module, i));
  }
  if (ok) return tocha_module_add_child(cx, module, "tail", tail);
  tocha_module_release(tail);
  return false;
}

/* --- forward --------------------------------------------------------------------------------- */

static bool check_inputs(tocha_context *cx, const tensor *input, const tensor *target) {
  char sizes[512];
  tocha_shape_text(input->ndim, input->sizes, sizes, sizeof sizes);
  if (target->ndim > 1)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "0D or 1D target tensor expected, multi-target not supported");
  if (target->ndim == 0)
    return input->ndim == 1 || tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                                          "0D target tensor expects 1D input tensors, but found "
                                          "inputs with size torch.Size(%s)",
                                          sizes);
  if (input->ndim == 0 || input->sizes[0] != target->sizes[0])
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Input and target should have the same size in the batch dimension.");
  return input->ndim == 2 || tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                                        "1D target tensor expects 2D input tensors, but found "
                                        "inputs with size torch.Size(%s)",
                                        sizes);
}

/* Returns the logarithms of the probabilities of a part, `name`, for rows of the input. */
static tensor *log_probabilities(tocha_context *cx, tocha_module *module, const char *name,
                                 tensor *rows) {
  tocha_module *part = tocha_get_submodule(cx, module, name);
  tensor *scores = part && rows ? tocha_module_call(cx, part, rows) : NULL;
  return tocha_log_softmax(cx, scores, 1, TOCHA_NO_DTYPE);
}

/* Returns element index[i] of row i. */
static tensor *picked(tocha_context *cx, tensor *rows, tensor *index) {
  return tocha_squeeze_dim(cx, tocha_gather(cx, rows, 1, tocha_unsqueeze(cx, index, 1)), 1);
}

static tensor *rows_between(tocha_context *cx, tensor *target, int64_t low, int64_t high,
                            tensor **mask) {
  *mask = tocha_bitwise_and(cx, tocha_ge_full(cx, target, tocha_number(tocha_int(low))),
                            tocha_lt_full(cx, target, tocha_number(tocha_int(high))));
  return tocha_squeeze_dim(cx, tocha_nonzero(cx, *mask), 1);
}

/* One call: the rows of the input, their targets, and for each the logarithm of its probability in its
 * cluster and its index among the head's outputs. */
typedef struct clusters {
  tensor *input, *target, *output, *of_head;
  int64_t used;
} clusters;

/* Adds the rows whose targets lie in part `i`: 0 the frequent classes, i > 0 cluster i - 1. */
static bool add_rows(tocha_context *cx, tocha_module *module, clusters *c, int i) {
  char name[24];
  tensor *mask;
  int64_t low = i ? cutoff(module, i - 1) : 0;
  tensor *rows = rows_between(cx, c->target, low, cutoff(module, i), &mask);
  if (!rows || rows->sizes[0] == 0) return rows != NULL;
  tensor *targets = tocha_masked_select(cx, c->target, mask);
  c->used += rows->sizes[0];
  if (i == 0) return tocha_index_copy_(cx, c->of_head, 0, rows, targets) != NULL;
  snprintf(name, sizeof name, "tail.%d", i - 1);
  tensor *all = log_probabilities(cx, module, name, tocha_index_select(cx, c->input, 0, rows));
  tensor *relative = tocha_sub_full(cx, targets, tocha_number(tocha_int(low)), tocha_int(1));
  tocha_index_fill_(cx, c->of_head, 0, rows, tocha_int(cutoff(module, 0) + i - 1));
  c->output = tocha_index_copy(cx, c->output, 0, rows, picked(cx, all, relative));
  return c->output != NULL;
}

static bool refuse_targets(tocha_context *cx, const tocha_module *module, tensor *target) {
  tocha_scalar low, high;
  if (!tocha_item(cx, tocha_min(cx, target), &low) || !tocha_item(cx, tocha_max(cx, target), &high))
    return false;
  return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                    "Target values should be in [0, %lld], but values in range [%lld, %lld] were "
                    "found. ",
                    (ll)tocha_option_int(module, "n_classes") - 1, (ll)low.value.integer,
                    (ll)high.value.integer);
}

bool tocha_module_run_adaptive(tocha_context *cx, tocha_module *module, const tocha_arg *a,
                               tocha_results *results) {
  clusters c = {.input = a[0].tensor, .target = a[1].tensor};
  if (!check_inputs(cx, c.input, c.target)) return false;
  bool alone = c.target->ndim == 0;
  if (alone) c.input = tocha_unsqueeze(cx, c.input, 0);
  if (alone) c.target = tocha_unsqueeze(cx, c.target, 0);
  if (tocha_failed(cx)) return false;
  c.output =
      tocha_zeros_full(cx, 1, c.target->sizes, (tocha_dtype)c.input->dtype, c.input->device, false);
  c.of_head = tocha_zeros_full(cx, 1, c.target->sizes, (tocha_dtype)c.target->dtype,
                               c.target->device, false);
  if (tocha_failed(cx)) return false;
  for (int i = 0; i <= cluster_count(module); i++)
    if (!add_rows(cx, module, &c, i)) return false;
  if (c.used != c.target->sizes[0]) return refuse_targets(cx, module, c.target);
  tensor *head = log_probabilities(cx, module, "head", c.input);
  tensor *output = tocha_add(cx, c.output, picked(cx, head, c.of_head));
  results->fixed[1] = tocha_mean(cx, tocha_neg(cx, output));
  results->fixed[0] = alone ? tocha_squeeze_dim(cx, output, 0) : output;
  return !tocha_failed(cx);
}

/* --- all classes ----------------------------------------------------------------------------- */

static bool check_class(tocha_context *cx, const tocha_module *module, const char *function) {
  if (module && tocha_module_is(module, tocha_find_module_class("AdaptiveLogSoftmaxWithLoss")))
    return true;
  return tocha_refuse_none(cx, function, "module", "AdaptiveLogSoftmaxWithLoss");
}

tocha_tensor *tocha_adaptive_log_prob(tocha_context *cx, tocha_module *module, tensor *input) {
  if (!check_class(cx, module, "log_prob")) return NULL;
  if (!input) return tocha_refuse_none(cx, "log_prob", "input", "Tensor");
  int count = cluster_count(module);
  uint64_t bytes = (uint64_t)(count + 1) * sizeof(tensor *);
  tensor **parts = tocha_allocate(cx, bytes), *out = NULL;
  tensor *head = log_probabilities(cx, module, "head", input);
  for (int i = 0; parts && i < count; i++) {
    char name[24];
    snprintf(name, sizeof name, "tail.%d", i);
    tensor *of_cluster = tocha_unsqueeze(cx, tocha_select(cx, head, 1, cutoff(module, 0) + i), 1);
    parts[i + 1] = tocha_add(cx, log_probabilities(cx, module, name, input), of_cluster);
  }
  if (parts) parts[0] = tocha_narrow(cx, head, 1, 0, cutoff(module, 0));
  if (parts) out = tocha_cat(cx, count + 1, parts, 1);
  tocha_deallocate(cx, parts, bytes);
  return out;
}

tocha_tensor *tocha_adaptive_predict(tocha_context *cx, tocha_module *module, tensor *input) {
  static const int64_t dim = 1;
  return tocha_argmax(cx, tocha_adaptive_log_prob(cx, module, input), &dim, false);
}
