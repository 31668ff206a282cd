/* kernels.h: the kernels of recurrent layers: what they are given, and the table that a device fills
 * (device/kernels.h). The products of matrices around them are those of matmul. */
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

/* One step of `rows` sequences: all operands are row-major, of one floating dtype, `size` elements a row; gates has as many
 * a row for each gate. grad_ ones are those of backward. */
typedef struct tocha_recurrent_args {
  int64_t rows, size;
  void *gates; /* what the inputs bring; forward leaves the gates' values there */
  const void
      *hidden_gates; /* GRU: what the hidden state brings, apart (the others have it in gates) */
  void *cells;       /* LSTM: the cells after the step; GRU: the new gate's part of hidden_gates */
  void *h;           /* after the step, before a projection; of the simple ones it may be gates */
  const void *h_before, *cells_before;
  const void *grad_h, *grad_cells; /* of what the step left */
  void *grad_h_before;             /* GRU: what does not come through hidden_gates */
  void *grad_cells_before;         /* LSTM */
  void *grad_gates;                /* of the gates before their functions */
  void *grad_hidden_gates;         /* GRU */
  int32_t mode;
  int16_t dtype;
  bool adds; /* to grad_h_before; else it is written */
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
