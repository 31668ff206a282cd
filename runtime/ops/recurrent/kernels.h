/* kernels.h: the arguments of recurrent kernels, and the table that a device fills
 * (device/kernels.h). The matrix products around them are matmul's. */
#ifndef TOCHA_RECURRENT_KERNELS_H
#define TOCHA_RECURRENT_KERNELS_H

#include "device/strided.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tocha_recurrent_mode {
  TOCHA_RNN_RELU,
  TOCHA_RNN_TANH,
  TOCHA_LSTM, /* gates: input, forget, cell, output */
  TOCHA_GRU   /* gates: reset, update, new */
} tocha_recurrent_mode;

/* One step of `rows` sequences. All operands are row-major and of one floating dtype: those
 * called gates are (rows, gates, size), the others (rows, size). Those with grad_ are only for
 * backward. */
typedef struct tocha_recurrent_args {
  int64_t rows, size;
  void *gates;              /* in: the inputs' part; forward replaces it by the gates' values */
  const void *hidden_gates; /* GRU: the hidden state's part (other modes have it in gates) */
  void *cells; /* LSTM: the cells after the step; GRU: the new gate's part of hidden_gates */
  void *h;     /* after the step, before a projection; may be gates for simple RNNs */
  const void *h_before, *cells_before;
  const void *grad_h, *grad_cells; /* of the states after the step */
  void *grad_h_before;             /* GRU: the part that does not pass through hidden_gates */
  void *grad_cells_before;         /* LSTM */
  void *grad_gates;                /* of the gates before their activation */
  void *grad_hidden_gates;         /* GRU */
  int32_t mode;
  int16_t dtype;
  bool adds; /* adds to grad_h_before instead of overwriting it */
  int8_t rest;
} tocha_recurrent_args;

typedef struct tocha_recurrent_kernels {
  bool (*forward)(tocha_stream *stream, const tocha_recurrent_args *args);
  bool (*backward)(tocha_stream *stream, const tocha_recurrent_args *args);
} tocha_recurrent_kernels;

#ifdef __cplusplus
}
#endif
#endif
