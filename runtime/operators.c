/* operators.c: the operators of all families. */
#include "operators.h"

const tocha_op *tocha_op_at(int index) {
  for (const tocha_op_family *const *family = tocha_op_families; *family && index >= 0; family++) {
    if (index < (*family)->count) return &(*family)->ops[index].op;
    index -= (*family)->count;
  }
  return NULL;
}

const tocha_op *tocha_find_operator(const char *name) {
  return tocha_find_among(tocha_op_families, name);
}
