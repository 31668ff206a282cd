/* operation.h: what the operations of a group have in common: checks of arguments, memory for the engine. */
#ifndef TOCHA_OPERATION_H
#define TOCHA_OPERATION_H

#include "distributed/work.h"

/* An operation while it is described. */
typedef struct tocha_operation {
  tocha_collective kind;
  tocha_form form;
  tocha_reduce_op op;
  int root; /* or the peer */
  int tag;
  /* Set by tocha_operation_begin. */
  tocha_work *work;
  tocha_tensor *like; /* the tensor that the others are compared with; NULL for a barrier */
  bool is_root;
} tocha_operation;

/* IN_PLACE: read and written. INPUT_IN_PLACE: read, in the place of an output. */
typedef enum tocha_direction {
  TOCHA_INPUT,
  TOCHA_OUTPUT,
  TOCHA_IN_PLACE,
  TOCHA_INPUT_IN_PLACE
} tocha_direction;

/* All return false with an error. */

/* Notes which GPU's memory the group moves, with the first operation on one. It is an error if it is another one. */
bool tocha_choose_gpu(tocha_context *cx, tocha_process_group *group, tocha_device device);
/* Checks what does not depend on lists of tensors: the group, the tensor, its device and dtype, op, root, tag. Creates the
 * operation. */
bool tocha_operation_begin(tocha_context *cx, tocha_operation *o, tocha_process_group *group,
                           tocha_tensor *like);
/* Checks a tensor of a list: dtype and device are those of `like`. */
bool tocha_operation_check_member(tocha_context *cx, const tocha_operation *o, tocha_tensor *t);
/* Checks a list of a tensor for each rank: they look like `like`. role: "input" or "output". */
bool tocha_operation_check_list(tocha_context *cx, const tocha_operation *o,
                                tocha_tensor *const *list, const char *role);
/* Checks that `whole` has as many elements as all ranks' `part` together. */
bool tocha_operation_check_parts(tocha_context *cx, const tocha_operation *o, tocha_tensor *whole,
                                 tocha_tensor *part, const char *whole_role, const char *part_role);
/* Hands memory of a tensor, or of a list with one for each rank, to the engine. */
bool tocha_operation_buffer(tocha_context *cx, tocha_operation *o, tocha_tensor *t,
                            tocha_direction direction);
bool tocha_operation_list(tocha_context *cx, tocha_operation *o, tocha_tensor *const *list,
                          tocha_direction direction);
/* Frees what was begun; returns NULL. */
void *tocha_operation_drop(tocha_operation *o);

#endif
