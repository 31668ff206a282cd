/* parameter_bits_test.c: the bits that the generator writes for an operator's parameters are those that
 * tocha_bits_of_parameters computes for an operator that a program defines. */
#include <stdio.h>

#include "check.h"
#include "dispatch/call.h"
#include "tocha/tocha.h"

static bool equal(tocha_parameter_bits a, tocha_parameter_bits b) {
  return a.tensors == b.tensors && a.lists == b.lists && a.numbers == b.numbers &&
         a.strings == b.strings && a.needed == b.needed;
}

int main(void) {
  const tocha_op *op;
  int count = 0;
  for (; (op = tocha_op_at(count)); count++) {
    tocha_parameter_bits bits = tocha_bits_of_parameters(op->parameters, op->parameter_count);
    if (!equal(bits, tocha_operator_of(op)->bits)) printf("%s\n", op->name);
    CHECK(equal(bits, tocha_operator_of(op)->bits));
  }
  CHECK(count > 0);
  return finish();
}
