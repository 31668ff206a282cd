/* reductions.c: the reductions of torch.nn.functional's losses. */
#include <string.h>

#include "ops/loss/reductions.h"
#include "tocha/ops/mean.h"
#include "tocha/ops/sum.h"

int tocha_reduction_of(tocha_context *cx, const bool *size_average, const bool *reduce,
                       const char *name) {
  if (size_average || reduce) {
    bool average = !size_average || *size_average, any = !reduce || *reduce;
    const char *instead = !any ? "none" : average ? "mean" : "sum";
    tocha_warn(cx,
               "size_average and reduce args will be deprecated, please use reduction='%s' "
               "instead.",
               instead);
    name = instead;
  }
  if (strcmp(name, "none") == 0) return TOCHA_REDUCTION_NONE;
  if (strcmp(name, "mean") == 0) return TOCHA_REDUCTION_MEAN;
  if (strcmp(name, "sum") == 0) return TOCHA_REDUCTION_SUM;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "%s is not a valid value for reduction", name);
  tocha_hint(cx, "one of 'none', 'mean', 'sum'");
  return -1;
}

tocha_tensor *tocha_reduced_loss(tocha_context *cx, tocha_tensor *loss, int reduction) {
  if (reduction == TOCHA_REDUCTION_NONE) return loss;
  return reduction == TOCHA_REDUCTION_MEAN ? tocha_mean(cx, loss) : tocha_sum(cx, loss);
}

bool tocha_is_reduction(tocha_context *cx, const char *name, const char *words) {
  if (strcmp(name, "none") == 0 || strcmp(name, "mean") == 0 || strcmp(name, "sum") == 0)
    return true;
  tocha_fail(cx, TOCHA_VALUE_ERROR, "%s is not %s", name, words);
  return false;
}
