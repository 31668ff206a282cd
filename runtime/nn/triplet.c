/* triplet.c: TripletMarginWithDistanceLoss: any module of two inputs may be its distance. */
#include <string.h>

#include "nn/construct.h"
#include "nn/functions/triplet.h"
#include "tocha/nn/pairwise_distance.h"
#include "tocha/ops/add.h"
#include "tocha/ops/clamp_min.h"
#include "tocha/ops/mean.h"
#include "tocha/ops/minimum.h"
#include "tocha/ops/sub.h"
#include "tocha/ops/sum.h"

bool tocha_module_init_triplet(tocha_context *cx, tocha_module *module) {
  tocha_module *distance = tocha_module_option(module, "distance_function")->value.module;
  distance =
      distance ? tocha_module_retain(distance) : tocha_nn_pairwise_distance(cx, 2, 1e-6, false);
  tocha_module_drop_option(cx, module, "distance_function");
  return tocha_module_add_child(cx, module, "distance_function", distance);
}

static tocha_tensor *distance_of(tocha_context *cx, tocha_module *module, tocha_tensor *a,
                                 tocha_tensor *b) {
  tocha_module *distance = tocha_get_submodule(cx, module, "distance_function");
  tocha_tensor *both[] = {a, b};
  return distance ? tocha_module_forward(cx, distance, 2, both) : NULL;
}

tocha_tensor *tocha_module_forward_triplet(tocha_context *cx, tocha_module *module, int count,
                                           tocha_tensor *const *inputs) {
  tocha_tensor *anchor = inputs[0], *positive = inputs[1], *negative = inputs[2];
  const char *reduction = tocha_module_option(module, "reduction")->value.string;
  (void)count;
  if (strcmp(reduction, "none") != 0 && strcmp(reduction, "mean") != 0 &&
      strcmp(reduction, "sum") != 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "%s is not a valid value for reduction", reduction);
  if (anchor->ndim != positive->ndim || anchor->ndim != negative->ndim)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "The anchor, positive, and negative tensors are expected to have the same "
                      "number of dimensions, but got: anchor %dD, positive %dD, and negative %dD "
                      "inputs",
                      anchor->ndim, positive->ndim, negative->ndim);
  tocha_tensor *near = distance_of(cx, module, anchor, positive);
  tocha_tensor *far = distance_of(cx, module, anchor, negative);
  if (tocha_option_flag(module, "swap"))
    far = tocha_minimum(cx, far, distance_of(cx, module, positive, negative));
  double margin = tocha_option_real(module, "margin");
  near = tocha_add_full(cx, near, tocha_number(tocha_float(margin)), tocha_int(1));
  tocha_tensor *loss = tocha_clamp_min(cx, tocha_sub(cx, near, far), tocha_int(0));
  return reduction[0] == 'n'   ? loss
         : reduction[0] == 'm' ? tocha_mean(cx, loss)
                               : tocha_sum(cx, loss);
}
