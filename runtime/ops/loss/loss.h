/* loss.h: the numbers that loss operators have for reductions and kinds of losses. */
#ifndef TOCHA_LOSS_H
#define TOCHA_LOSS_H

enum { TOCHA_REDUCTION_NONE, TOCHA_REDUCTION_MEAN, TOCHA_REDUCTION_SUM };
/* `kind` of _loss_slope and _loss_backward; loss.lua names them by number. */
enum {
  TOCHA_LOSS_MSE,
  TOCHA_LOSS_SMOOTH_L1,
  TOCHA_LOSS_HUBER,
  TOCHA_LOSS_BCE,
  TOCHA_LOSS_BCE_LOGITS
};

#endif
