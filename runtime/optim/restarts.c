/* restarts.c: steps of CosineAnnealingWarmRestarts (SGDR, Loshchilov and Hutter 2017). */
#include <math.h>

#include "optim/schedules.h"

/* The fields by shorter names. */
enum {
  FIRST_LENGTH = COSINE_ANNEALING_WARM_RESTARTS_T_0,
  LENGTH = COSINE_ANNEALING_WARM_RESTARTS_T_I,
  GROWTH = COSINE_ANNEALING_WARM_RESTARTS_T_MULT,
  POSITION = COSINE_ANNEALING_WARM_RESTARTS_T_CUR
};

bool tocha_schedule_begin_restarts(tocha_context *cx, tocha_scheduler *s,
                                   const tocha_cosine_annealing_warm_restarts_options *o) {
  if (o->T_0 <= 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "Expected positive integer T_0, but got %lld",
                      (long long)o->T_0) != NULL;
  if (o->T_mult < 1)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "Expected integer T_mult >= 1, but got %lld",
                      (long long)o->T_mult) != NULL;
  s->values[FIRST_LENGTH].number = s->values[LENGTH].number = tocha_int(o->T_0);
  s->values[GROWTH].number = tocha_int(o->T_mult);
  s->values[COSINE_ANNEALING_WARM_RESTARTS_ETA_MIN].number = tocha_float(o->eta_min);
  s->values[POSITION].number = tocha_int(o->last_epoch);
  return tocha_scheduler_start(cx, s, o->last_epoch);
}

/* Returns the length of a run that is `growth` times as long as one of `length`; a run that would not fit into
 * an int has no end. */
static tocha_scalar grown(double length, double growth) {
  double product = length * growth;
  return tocha_int(fabs(product) < 0x1p62 ? (int64_t)product : INT64_MAX);
}

/* Returns a position as an int if it is one, as in PyTorch after steps without a fraction. */
static tocha_scalar position_of(double position) {
  return position == floor(position) && fabs(position) < 0x1p53 ? tocha_int((int64_t)position)
                                                                : tocha_float(position);
}

/* Sets the run of an epoch, which may be a fraction, and its position within the run. */
static bool place(tocha_context *cx, tocha_scheduler *s, double epoch) {
  double first = tocha_scalar_real(s->values[FIRST_LENGTH].number);
  double growth = tocha_scalar_real(s->values[GROWTH].number);
  if (epoch < 0)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "Expected non-negative epoch, but got %g", epoch) !=
           NULL;
  if (epoch < first) {
    s->values[LENGTH].number = s->values[FIRST_LENGTH].number;
    s->values[POSITION].number = position_of(epoch);
  } else if (growth == 1) {
    s->values[POSITION].number = position_of(fmod(epoch, first));
  } else {
    double n = trunc(log(epoch / first * (growth - 1) + 1) / log(growth)), power = pow(growth, n);
    s->values[POSITION].number = position_of(epoch - first * (power - 1) / (growth - 1));
    s->values[LENGTH].number = grown(first, power);
  }
  return true;
}

/* Goes on by one epoch, to the next run at the end of this one. */
static void advance(tocha_scheduler *s) {
  double position = tocha_scalar_real(s->values[POSITION].number) + 1;
  double length = tocha_scalar_real(s->values[LENGTH].number);
  if (position >= length) {
    position -= length;
    s->values[LENGTH].number = grown(length, tocha_scalar_real(s->values[GROWTH].number));
  }
  s->values[POSITION].number = position_of(position);
}

bool tocha_schedule_step_restarts(tocha_context *cx, tocha_scheduler *s, const double *epoch) {
  double next = epoch ? *epoch : s->epoch < 0 ? 0 : (double)s->epoch + 1;
  if (epoch || s->epoch < 0) {
    if (!place(cx, s, next)) return false;
  } else {
    advance(s);
  }
  s->epoch = (int64_t)floor(next);
  return tocha_scheduler_apply(cx, s, false);
}
