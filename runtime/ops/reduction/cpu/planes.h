/* planes.h: reductions on the CPU as planes, two dimensions at a time, and the loops that take them. */
#ifndef TOCHA_PLANES_H
#define TOCHA_PLANES_H

#include "core/internal.h"
#include "core/isa.h"
#include "ops/reduction/kernels.h"

/* Two dimensions of a reduction: out = out (op) in for every element; an out stride of 0 marks a
 * dimension that is reduced. Strides in bytes, the inner dimension first. */
typedef struct tocha_plane {
  char *out;
  const char *in;
  int64_t size[2], out_stride[2], in_stride[2];
} tocha_plane;

/* The loops of a row for one instruction set and type of elements (row.h). */
struct tocha_reduce_loops {
  /* Elements into the states in out. */
  void (*plane)(const tocha_plane *plane, double number);
  /* The same where the elements are states. */
  void (*join)(const tocha_plane *plane);
  /* States into results of their type, where finish number `which` has anything to do. */
  void (*finish)(int which, void *states, int64_t outputs, int64_t count, double number);
  const void *start; /* the state of no element */
  bool own;          /* states are of the elements' own type, not of the compute type */
};

/* The states of args' outputs, row-major and of loops' type, whose elements have `size` bytes. false when
 * interrupted. */
bool tocha_reduce_planes(tocha_context *cx, const tocha_reduce_args *args,
                         const struct tocha_reduce_loops *loops, void *states, int64_t size);

static inline tocha_plane tocha_plane_transposed(const tocha_plane *p) {
  tocha_plane t = {p->out,
                   p->in,
                   {p->size[1], p->size[0]},
                   {p->out_stride[1], p->out_stride[0]},
                   {p->in_stride[1], p->in_stride[0]}};
  return t;
}
#endif
