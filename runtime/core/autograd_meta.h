/* autograd_meta.h: the autograd part of a tensor, and the fields of it that all folders read. */
#ifndef TOCHA_AUTOGRAD_META_H
#define TOCHA_AUTOGRAD_META_H

#include "core/tensor.h"

typedef struct tocha_hook_list tocha_hook_list; /* autograd/hooks.c */

/* Created on first use. Outlives its tensor as an empty shell while a node names it as the
 * origin of a saved alias. */
struct tocha_autograd_meta {
  tocha_refcount references;
  bool requires_grad; /* set on a leaf */
  bool retains_grad;  /* retain_grad() on a non-leaf */
  uint32_t result;    /* index of this tensor among the results of `node` */
  tocha_context *context;
  tocha_tensor *tensor;    /* NULL once it is freed */
  tocha_node *node;        /* grad_fn; NULL: a leaf */
  tocha_node *accumulator; /* the leaf's AccumulateGrad, not owned */
  tocha_tensor *grad;
  tocha_hook_list *hooks; /* for a leaf */
  /* A tensor whose gradient has a graph (create_graph, an assignment, a gradient changed in
   * place) may own itself through that graph. The context lists all tensors with such a
   * gradient, and tocha_close removes the graphs of the gradients (and gradients that are
   * views). */
  tocha_autograd_meta *next_cyclic, **link_cyclic; /* link_cyclic NULL: not in the list */
};

/* Creates the meta of a tensor that has none. Returns NULL if memory is short. */
tocha_autograd_meta *tocha_autograd_meta_new(tocha_tensor *t);
/* Returns the tensor's meta, created if needed, or NULL if memory is short. */
static inline tocha_autograd_meta *tocha_autograd_meta_of(tocha_tensor *t) {
  return t->autograd ? t->autograd : tocha_autograd_meta_new(t);
}
void tocha_autograd_meta_release(tocha_autograd_meta *meta);

/* Returns true if t is a view whose base was changed in place since the grad_fn of t was made. */
static inline bool tocha_is_outdated_view(const tocha_tensor *t) {
  if (!t->base || t->view_version == tocha_write_count(t)) return false;
  const tocha_autograd_meta *base = t->base->autograd;
  return (base && (base->node || base->requires_grad)) || (t->autograd && t->autograd->node);
}

#endif
