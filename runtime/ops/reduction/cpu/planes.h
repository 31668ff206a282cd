/* planes.h: reductions on the CPU as planes, two dimensions at a time, and the loops for planes. */
#ifndef TOCHA_PLANES_H
#define TOCHA_PLANES_H

#include "core/internal.h"
#include "core/isa.h"
#include "ops/reduction/kernels.h"

/* Two dimensions of a reduction: out = join(out, in) for every element. An out stride of 0 marks a
 * reduced dimension. Strides are in bytes, the inner dimension comes first. */
typedef struct tocha_plane {
  char *out;
  const char *in;
  int64_t size[2], out_stride[2], in_stride[2];
} tocha_plane;

/* The loops of a row for one instruction set and type of elements (row.h). */
struct tocha_reduce_loops {
  /* Joins elements with the states in out. */
  void (*plane)(const tocha_plane *plane, double number);
  /* Joins states, given as elements, with the states in out. */
  void (*join)(const tocha_plane *plane);
  /* Turns states into results of the same type. NULL if the row has no finish text. which: the
   * finish's index. */
  void (*finish)(int which, void *states, int64_t outputs, int64_t count, double number);
  const void *start; /* the state of no elements */
  bool own;          /* states have the elements' type, not the compute type */
};

/* Writes the states of args' outputs, row-major and of the loops' type, whose elements have `size`
 * bytes. Returns false if interrupted. */
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
