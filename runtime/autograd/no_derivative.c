/* no_derivative.c: the gradient rules of operators that PyTorch cannot differentiate, each with
 * PyTorch's message. Entries name them as `backward`. */
#include <string.h>

#include "dispatch/call.h"

bool tocha_grad_not_implemented(tocha_backward_frame *f) {
  tocha_fail(f->cx, TOCHA_RUNTIME_ERROR, "derivative for aten::%s is not implemented",
             f->op->lua_name);
  return false;
}

bool tocha_grad_no_derivative(tocha_backward_frame *f) {
  return tocha_fail(f->cx, TOCHA_NOT_IMPLEMENTED_ERROR,
                    "the derivative for '%s' is not implemented.", f->op->lua_name);
}

/* Fails. The name in the message comes from the node, which is "AsinhBackward1" for asinh_. */
bool tocha_grad_inplace_not_implemented(tocha_backward_frame *f) {
  const char *node = f->op->node_name;
  int length = (int)(strstr(node, "Backward") - node);
  tocha_fail(f->cx, TOCHA_NOT_IMPLEMENTED_ERROR,
             "the derivative for 'inplace version of %c%.*s' is not implemented.", node[0] | 0x20,
             length - 1, node + 1);
  return false;
}
