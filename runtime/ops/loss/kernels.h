/* kernels.h: the arguments of the kernels of losses, and the table that a device fills (device/kernels.h). */
#ifndef TOCHA_LOSS_KERNELS_H
#define TOCHA_LOSS_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

/* out = tocha_loss(kind, order, p, input, target) * norm (* factor, if there is one), computed in float32 or float64. */
typedef struct tocha_loss_args {
  const tocha_strided_layout *layout; /* out, input, target and perhaps factor, of any dtypes */
  double p, norm;
  int32_t kind, order; /* TOCHA_LOSS_*; order of the derivative */
  int32_t compute;
} tocha_loss_args;

enum { TOCHA_LOSS_PARTS = 1024 };

/* out (one number) = the sum of tocha_loss(kind, 0, p, input, target) over dense operands, divided by norm. All are of dtype;
 * addresses are multiples of 16. */
typedef struct tocha_loss_sum_args {
  const void *input, *target;
  void *out;
  void *scratch; /* TOCHA_LOSS_PARTS numbers of float64 */
  int64_t numel;
  double p, norm;
  int32_t kind, dtype;
} tocha_loss_sum_args;

/* Negative log likelihood of x (n, classes, inner). Forward: reduction none gives a loss for each target (n, inner), the others
 * one number. Backward, if grad is given: out is shaped like x; the CPU writes only its elements at the targets, and wants
 * zeros in the others. x, weight, grad and out are of dtype; target is uint8 or int64. */
typedef struct tocha_nll_args {
  const void *x, *target, *weight, *grad; /* weight: NULL for ones */
  void *out;
  void *scratch; /* nll_scratch bytes */
  int64_t n, classes, inner, ignored;
  int32_t reduction;
  int8_t dtype, target_dtype;
  int8_t given; /* the 16-bit dtype of the operator's tensors; 0: they have dtype */
  int8_t rest;
} tocha_nll_args;

/* Connectionist temporal classification. log_probs (times, batch, classes), row-major, of float32 or float64. Targets of sequence
 * n: targets[first[n] + i * step], for i below target_lengths[n]. log_alpha (batch, times, states): the states of a sequence are
 * its targets with blanks around each; `states` is the maximum of their number. */
typedef struct tocha_ctc_args {
  const void *log_probs;
  const int64_t *targets, *first, *input_lengths, *target_lengths;
  int64_t step, times, batch, classes, states, blank;
  void *log_alpha, *likelihood; /* likelihood (batch): -log of the likelihood */
  /* backward, if there is an `out`: grad (batch), elements grad_step apart; out is shaped like log_probs; work: 2 * states for
   * each sequence */
  const void *grad;
  int64_t grad_step;
  void *out, *work;
  void *sums, *links; /* scratch of devices, backward: as log_alpha; two int32 (batch, states) */
  int64_t zero_infinity, dtype;
} tocha_ctc_args;

typedef struct tocha_loss_kernels {
  bool (*loss)(tocha_stream *stream, const tocha_loss_args *args); /* element by element */
  bool (*loss_sum)(tocha_stream *stream,
                   const tocha_loss_sum_args *args); /* NULL: loss, and a reduction */
  uint64_t (*nll_scratch)(tocha_stream *stream, const tocha_nll_args *args);
  bool (*nll_loss)(tocha_stream *stream, const tocha_nll_args *args);
  bool (*ctc)(tocha_stream *stream, const tocha_ctc_args *args); /* NULL: the loops of cpu/ctc.h */
} tocha_loss_kernels;

#ifdef __cplusplus
}
#endif
#endif
