/* kernels.c: elementwise formulas on the CPU: conversion of operands, and division of the elements
 * among threads. */
#include "ops/pointwise/kernels.h"

#include "device/devices.h"
#include "tensor/convert.h"
#include "tensor/cpu/tiles.h"

enum { OPERANDS = 1 + TOCHA_FORMULA_INPUTS, BLOCK = 512 };

/* The arguments shared by all runs of elements of one call. */
typedef struct loop_args {
  const tocha_elementwise_args *args;
  tocha_elementwise_loop loop;
  tocha_converter convert[OPERANDS]; /* NULL if the operand already has the loop's type */
  int64_t item[OPERANDS];            /* bytes of the loop's element */
} loop_args;

static void run_direct(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const loop_args *a = user;
  a->loop(data, strides, n, a->args->numbers);
}

/* Runs the loop on blocks of n elements. Operands of another type are converted in a small buffer
 * that stays in the cache. */
static void run_converting(void *user, char *const *data, const int64_t *strides, int64_t n) {
  const loop_args *a = user;
  _Alignas(64) char buffers[OPERANDS][BLOCK * 8];
  for (int64_t at = 0; at < n; at += BLOCK) {
    int64_t count = n - at < BLOCK ? n - at : BLOCK;
    char *block[OPERANDS];
    int64_t steps[OPERANDS];
    for (int k = 0; k < a->args->layout->operands; k++) {
      block[k] = data[k] + at * strides[k];
      steps[k] = strides[k];
      if (!a->convert[k]) continue;
      if (k > 0) {
        int64_t needed = strides[k] ? count : 1;
        a->convert[k](buffers[k], a->item[k], block[k], strides[k], needed);
        steps[k] = strides[k] ? a->item[k] : 0;
      } else {
        steps[k] = a->item[k];
      }
      block[k] = buffers[k];
    }
    a->loop(block, steps, count, a->args->numbers);
    if (a->convert[0])
      a->convert[0](data[0] + at * strides[0], strides[0], buffers[0], a->item[0], count);
  }
}

/* Runs the loop once on this thread: the usual case. */
static void run_small(const loop_args *a) {
  const tocha_strided_layout *layout = a->args->layout;
  char *data[OPERANDS];
  int64_t strides[OPERANDS];
  for (int k = 0; k < layout->operands; k++) {
    data[k] = layout->data[k] ? layout->data[k] : (char *)&a->args->values[k];
    strides[k] = layout->strides[k][0];
  }
  a->loop(data, strides, layout->numel, a->args->numbers);
}

/* Returns the layout with the addresses of numbers filled in. Numbers are stored in
 * args->values. */
static tocha_strided_layout with_numbers(const tocha_elementwise_args *args) {
  tocha_strided_layout layout = *args->layout;
  for (int k = 0; k < layout.operands; k++)
    if (!layout.data[k]) layout.data[k] = (char *)&args->values[k];
  return layout;
}

/* Finds the conversions between the operands' types and the loop's. Returns true if there are
 * any. */
static bool find_conversions(loop_args *a) {
  bool any = false;
  for (int k = 0; k < a->args->layout->operands; k++) {
    tocha_dtype wanted = k == 0 && a->args->formula->to_bool ? TOCHA_BOOL : a->args->compute;
    tocha_dtype given = a->args->layout->dtype[k];
    a->convert[k] = NULL;
    if (given == wanted || !a->args->layout->data[k]) continue;
    a->item[k] = tocha_item_size(wanted);
    a->convert[k] = k ? tocha_conversion(wanted, given) : tocha_conversion(given, wanted);
    any = true;
  }
  return any;
}

static bool elementwise(tocha_stream *stream, const tocha_elementwise_args *args) {
  tocha_context *cx = tocha_stream_context(stream);
  const tocha_formula *f = args->formula;
  loop_args a;
  a.args = args;
  a.loop = f->loops[cx->isa][args->compute]->of[f->index];
  bool converts = find_conversions(&a);
  if (!converts && args->layout->ndim == 1 && args->layout->numel <= TOCHA_GRAIN) {
    run_small(&a);
    return true;
  }
  tocha_strided_layout layout = with_numbers(args);
  return tocha_run_layout_tiled(cx, &layout, converts ? run_converting : run_direct, &a);
}

extern const tocha_pointwise_kernels tocha_cpu_pointwise;
const tocha_pointwise_kernels tocha_cpu_pointwise = {elementwise};
