/* base.c: optimizer classes whose step the host program defines: groups without options, no
 * states. */
#include "optim/optimizer.h"

static bool check_nothing(tocha_context *cx, const tocha_option *options) {
  (void)cx;
  (void)options;
  return true;
}

static unsigned needs_nothing(const tocha_option *options) {
  (void)options;
  return 0;
}

static bool refuse_step(tocha_context *cx, tocha_optimizer *optimizer,
                        const tocha_closure *closure) {
  (void)optimizer;
  (void)closure;
  return tocha_fail(cx, TOCHA_NOT_IMPLEMENTED_ERROR, "An Optimizer defines step(closure)") != NULL;
}

const tocha_optimizer_class *tocha_optimizer_base(bool takes_results) {
  static const char *const no_states[] = {NULL};
  static const tocha_optimizer_class bases[] = {{.name = "Optimizer",
                                                 .states = no_states,
                                                 .check = check_nothing,
                                                 .needs = needs_nothing,
                                                 .capturable = -1,
                                                 .differentiable = -1,
                                                 .rule = -1,
                                                 .run = refuse_step},
                                                {.name = "Optimizer",
                                                 .takes_results = true,
                                                 .states = no_states,
                                                 .check = check_nothing,
                                                 .needs = needs_nothing,
                                                 .capturable = -1,
                                                 .differentiable = -1,
                                                 .rule = -1,
                                                 .run = refuse_step}};
  return &bases[takes_results];
}
