/* isa.c: chooses the instruction set for this processor. */
#include "core/isa.h"

#include <stdatomic.h>
#include <string.h>

#include "core/process.h"

static const char *name_of(tocha_isa isa) {
  static const char *const names[] = {"baseline", "avx2", "avx512", "none"};
  return names[isa];
}

/* Returns the set that TOCHA_ISA names, or the last one if it names none. */
static tocha_isa allowed_isa(const tocha_context *cx) {
  const char *name = tocha_environment(cx, "TOCHA_ISA");
  for (tocha_isa isa = TOCHA_ISA_BASELINE; name && isa < TOCHA_ISA_COUNT; isa++)
    if (strcmp(name, name_of(isa)) == 0) return isa;
  return TOCHA_ISA_COUNT - 1;
}

tocha_isa tocha_choose_isa(const tocha_context *cx) {
  static atomic_int chosen = -1;
  int isa = atomic_load_explicit(&chosen, memory_order_relaxed), none = -1;
  if (isa >= 0) return (tocha_isa)isa;
  isa = tocha_best_isa(allowed_isa(cx));
  return atomic_compare_exchange_strong(&chosen, &none, isa) ? (tocha_isa)isa : (tocha_isa)none;
}

tocha_isa tocha_this_isa(void) { return tocha_choose_isa(NULL); }

const char *tocha_instruction_set(void) { return name_of(tocha_this_isa()); }
