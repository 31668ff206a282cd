/* normalization.c: batch and instance norm: the choice of statistics, and the running
 * statistics. */
#include <stdio.h>

#include "nn/construct.h"
#include "nn/functions/batch_norm.h"
#include "nn/functions/instance_norm.h"
#include "nn/functions/sync_batch_norm.h"
#include "ops/pointwise/elementwise.h"
#include "pointwise/formulas/add.h"
#include "tocha/ops/batch_norm.h"
#include "tocha/ops/instance_norm.h"
#include "tocha/ops/squeeze.h"
#include "tocha/ops/unsqueeze.h"

enum { WEIGHT, BIAS, RUNNING_MEAN, RUNNING_VAR, NUM_BATCHES_TRACKED, MEMBERS };

/* Returns the module's tensors, or NULL if one is missing. found: room for them. */
static tocha_tensor *const *find_members(tocha_context *cx, tocha_module *module,
                                         tocha_tensor *found[MEMBERS]) {
  static const char *const names[MEMBERS] = {"weight", "bias", "running_mean", "running_var",
                                             "num_batches_tracked"};
  tocha_tensor *const *before = tocha_found_before(module, names);
  if (before) return before;
  for (int i = 0; i < MEMBERS; i++)
    if (!tocha_module_find_tensor(cx, module, names[i], &found[i])) return NULL;
  tocha_note_found(module, names, MEMBERS, found);
  return found;
}

/* Fails if the input is not (N, C, space...). or_less: one dimension may be missing. */
static bool check_dims(tocha_context *cx, const tocha_module *module, const tocha_tensor *input,
                       bool or_less) {
  int maximum = module->class->space + 2;
  if (input->ndim == maximum || (or_less && input->ndim == maximum - 1)) return true;
  char less[16] = "";
  if (or_less) snprintf(less, sizeof less, "%dD or ", maximum - 1);
  tocha_fail(cx, TOCHA_VALUE_ERROR, "expected %s%dD input (got %dD input)", less, maximum,
             input->ndim);
  return false;
}

/* Counts a batch in `tracked`, unless that is NULL, and computes its weight in the running statistics. The count is no part of a
 * graph, so no operator is called. */
static bool count_batch(tocha_context *cx, const tocha_module *module, tocha_tensor *tracked,
                        double *momentum) {
  const tocha_arg *given = tocha_module_option(module, "momentum");
  *momentum = given->given ? given->value.real : 0;
  if (!module->training || !tracked) return true;
  const tocha_operand in[2] = {tocha_operand_of(tracked), tocha_number(tocha_int(1))};
  const tocha_scalar one = tocha_int(1);
  tocha_scalar number;
  if (!tocha_count_write(cx, tracked) ||
      !tocha_apply_formula(cx, &tocha_formula_add, 2, in, 1, &one, tracked))
    return false;
  if (given->given) return true;
  if (!tocha_item(cx, tracked, &number)) return false;
  *momentum = 1.0 / tocha_scalar_real(number);
  return true;
}

static tocha_tensor *batch_norm(tocha_context *cx, tocha_module *module, tocha_tensor *const *m,
                                tocha_tensor *input) {
  double momentum;
  bool training = module->training || (!m[RUNNING_MEAN] && !m[RUNNING_VAR]);
  bool tracked = !module->training || tocha_option_flag(module, "track_running_stats");
  tocha_tensor *mean = tracked ? m[RUNNING_MEAN] : NULL, *var = tracked ? m[RUNNING_VAR] : NULL;
  if (!count_batch(cx, module, tracked ? m[NUM_BATCHES_TRACKED] : NULL, &momentum)) return NULL;
  return tocha_batch_norm_functional(cx, input, mean, var, m[WEIGHT], m[BIAS], training, momentum,
                                     tocha_option_real(module, "eps"));
}

tocha_tensor *tocha_module_forward_batch_norm(tocha_context *cx, tocha_module *module, int count,
                                              tocha_tensor *const *inputs) {
  (void)count;
  tocha_tensor *found[MEMBERS], *const *m = find_members(cx, module, found);
  if (!m || !check_dims(cx, module, inputs[0], module->class->space == 1)) return NULL;
  return batch_norm(cx, module, m, inputs[0]);
}

tocha_tensor *tocha_module_forward_sync_batch_norm(tocha_context *cx, tocha_module *module,
                                                   int count, tocha_tensor *const *inputs) {
  (void)count;
  tocha_tensor *found[MEMBERS], *const *m = find_members(cx, module, found);
  if (!m) return NULL;
  if (inputs[0]->ndim < 2)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "expected at least 2D input (got %dD input)",
                      inputs[0]->ndim);
  return batch_norm(cx, module, m, inputs[0]);
}

/* Fails if the number of channels differs from the constructor's num_features, or warns if
 * num_features is not used. */
static bool check_features(tocha_context *cx, const tocha_module *module,
                           const tocha_tensor *input) {
  int dim = input->ndim - (module->class->space + 1);
  int64_t features = tocha_option_int(module, "num_features");
  if (input->sizes[dim] == features) return true;
  if (!tocha_option_flag(module, "affine")) {
    tocha_warn(cx,
               "input's size at dim=%d does not match num_features. You can silence this warning "
               "by not passing in num_features, which is not used because affine=False",
               dim);
    return true;
  }
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             "expected input's size at dim=%d to match num_features (%lld), but got: %lld.", dim,
             (long long)features, (long long)input->sizes[dim]);
  return false;
}

tocha_tensor *tocha_module_forward_instance_norm(tocha_context *cx, tocha_module *module, int count,
                                                 tocha_tensor *const *inputs) {
  (void)count;
  tocha_tensor *input = inputs[0];
  tocha_tensor *found[MEMBERS], *const *m = find_members(cx, module, found);
  if (!m || !check_dims(cx, module, input, true) || !check_features(cx, module, input)) return NULL;
  bool alone = input->ndim == module->class->space + 1;
  if (alone) input = tocha_unsqueeze(cx, input, 0);
  bool own = module->training || !tocha_option_flag(module, "track_running_stats");
  tocha_tensor *out = tocha_instance_norm_functional(
      cx, input, m[RUNNING_MEAN], m[RUNNING_VAR], m[WEIGHT], m[BIAS], own,
      tocha_option_real(module, "momentum"), tocha_option_real(module, "eps"));
  return alone ? tocha_squeeze_dim(cx, out, 0) : out;
}
