/* isa.c: chooses the instruction set for this processor. */
#include "core/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tocha/context.h"

static const char *name_of(tocha_isa isa) {
  static const char *const names[] = {"baseline", "avx2", "avx512", "none"};
  return names[isa];
}

/* Returns the set that TOCHA_ISA names, or the last one if it names none. */
static tocha_isa allowed_isa(void) {
  const char *name = getenv("TOCHA_ISA");
  for (tocha_isa isa = TOCHA_ISA_BASELINE; name && isa < TOCHA_ISA_COUNT; isa++)
    if (strcmp(name, name_of(isa)) == 0) return isa;
  return TOCHA_ISA_COUNT - 1;
}

tocha_isa tocha_this_isa(void) {
  static atomic_int chosen = -1; /* every thread finds the same value, so no lock is needed */
  int isa = atomic_load_explicit(&chosen, memory_order_relaxed);
  if (isa < 0) {
    isa = tocha_best_isa(allowed_isa());
    atomic_store_explicit(&chosen, isa, memory_order_relaxed);
  }
  return (tocha_isa)isa;
}

const char *tocha_instruction_set(void) { return name_of(tocha_this_isa()); }
