/* isa.c: the instruction set of this processor. */
#include "core/isa.h"
#include "tocha/context.h"

const char *tocha_isa_name(tocha_isa isa) {
  static const char *const names[] = {"baseline", "avx2", "avx512", "none"};
  return names[isa];
}

const char *tocha_instruction_set(void) { return tocha_isa_name(tocha_this_isa()); }
