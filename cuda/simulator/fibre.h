// fibre.h: the stacks on which a kernel's threads run, and the switch between them.
#ifndef TOCHA_SIMULATOR_FIBRE_H
#define TOCHA_SIMULATOR_FIBRE_H

#include <stddef.h>
#include <stdint.h>

#if !defined(TOCHA_SIMULATOR_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define TOCHA_SIMULATOR_UCONTEXT 1
#endif
#ifdef TOCHA_SIMULATOR_UCONTEXT
#include <ucontext.h>
#endif

namespace simulator {

struct Fibre {
  char *stack = nullptr; // lowest address; nullptr for the host's own stack
  size_t size = 0;
  uint64_t epoch = 0;
  void *saved = nullptr; // stack pointer while it is not running
  void *fake_stack = nullptr;
  const void *bottom = nullptr; // AddressSanitizer's name of the stack
  size_t bottom_size = 0;
#ifdef TOCHA_SIMULATOR_UCONTEXT
  ucontext_t context;
#endif
};

Fibre *make_fibre();
// (Re)starts a fibre: the next switch to it calls `entry`, which never returns. The old content of
// its stack is dropped.
void prepare_fibre(Fibre *fibre, void (*entry)());
// Switches from `from`, the running fibre, to `to`. With `forget`, no fibre switches back to `from`
// before it is prepared again.
void switch_fibre(Fibre *from, Fibre *to, bool forget);
void arrived_on_fibre(Fibre *self);       // the first call of an entry
bool stack_is_whole(const Fibre *fibre);  // false: it grew past its lowest address
bool below_the_stacks(uintptr_t address); // true: the lowest stack would grow there
extern const char *const stack_too_small;

} // namespace simulator

#endif
