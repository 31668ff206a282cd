// fibre.cpp: stacks and the switch between them, in assembly for x86-64 and aarch64, by ucontext on
// other processors.
#include "fibre.h"
#include "machine.h"

#ifdef SIMULATOR_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace simulator {

#ifdef SIMULATOR_ASAN
static const size_t stack_size = 128 * 1024; // frames are larger, and reports need room
const char *const stack_too_small = "its local variables need more than the 128 KB of a stack";
#else
static const size_t stack_size = 32 * 1024;
const char *const stack_too_small = "its local variables need more than the 32 KB of a stack";
#endif
static const size_t closed_below = 512 * 1024; // bytes, below each region of stacks
static const size_t fibres_per_region = 64;
static const uint64_t magic = 0x57ac4b0770a15afe;
static const int magic_words = 8;

static std::vector<char *> regions;
static Fibre *previous; // the fibre that switched to the running one

#ifndef TOCHA_SIMULATOR_UCONTEXT
// Saves the callee-saved registers and the stack pointer, and loads those of the other stack.
extern "C" __attribute__((visibility("hidden"))) void tocha_simulator_switch(void **save,
                                                                             void *load);
#if defined(__x86_64__)
__asm__(".text\n"
        ".hidden tocha_simulator_switch\n"
        ".globl tocha_simulator_switch\n"
        ".type tocha_simulator_switch, @function\n"
        "tocha_simulator_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
        "  ret\n"
        ".size tocha_simulator_switch, .-tocha_simulator_switch\n");
static const size_t saved_words = 7; // six registers, return address
static const size_t return_word = 6;
static const size_t entry_skew = 8; // a function is entered with the stack at 8 modulo 16
#elif defined(__aarch64__)
__asm__(".text\n"
        ".hidden tocha_simulator_switch\n"
        ".globl tocha_simulator_switch\n"
        ".type tocha_simulator_switch, %function\n"
        "tocha_simulator_switch:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n"
        "  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n"
        "  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n"
        "  ret\n"
        ".size tocha_simulator_switch, .-tocha_simulator_switch\n");
static const size_t saved_words = 20;
static const size_t return_word = 11; // x30
static const size_t entry_skew = 0;
#endif
#endif

Fibre *make_fibre() {
  static char *region;
  static size_t used = fibres_per_region, made;
  // Stack tops at equal offsets share cache sets, which makes a switch 2-3 times slower.
  const size_t stagger = 128 * (made % 31);
  if (used == fibres_per_region) {
    region = static_cast<char *>(map_pages(closed_below + fibres_per_region * stack_size));
    if (!region) return nullptr;
    region += closed_below;
    if (!open_pages(reinterpret_cast<uintptr_t>(region), fibres_per_region * stack_size))
      return nullptr;
    regions.push_back(region);
    used = 0;
  }
  Fibre *fibre = new Fibre;
  fibre->stack = region + used++ * stack_size;
  fibre->size = stack_size - stagger;
  fibre->bottom = fibre->stack;
  fibre->bottom_size = fibre->size;
  made++;
  return fibre;
}

void prepare_fibre(Fibre *fibre, void (*entry)()) {
#ifdef SIMULATOR_ASAN
  __asan_unpoison_memory_region(fibre->stack, fibre->size);
#endif
  fibre->fake_stack = nullptr;
  uint64_t *lowest = reinterpret_cast<uint64_t *>(fibre->stack);
  for (int i = 0; i < magic_words; i++) lowest[i] = magic;
#ifdef TOCHA_SIMULATOR_UCONTEXT
  getcontext(&fibre->context);
  fibre->context.uc_stack.ss_sp = fibre->stack + magic_words * sizeof magic;
  fibre->context.uc_stack.ss_size = fibre->size - magic_words * sizeof magic;
  fibre->context.uc_link = nullptr;
  makecontext(&fibre->context, entry, 0);
#else
  uintptr_t top = reinterpret_cast<uintptr_t>(fibre->stack + fibre->size) & ~uintptr_t(15);
  uint64_t *words = reinterpret_cast<uint64_t *>(top - 64 - entry_skew) - saved_words;
  for (size_t i = 0; i < saved_words; i++) words[i] = 0;
  words[saved_words] = 0; // a debugger looks here for the caller of `entry`
  words[return_word] = reinterpret_cast<uint64_t>(entry);
  fibre->saved = words;
#endif
}

void switch_fibre(Fibre *from, Fibre *to, bool forget) {
  previous = from;
#ifdef SIMULATOR_ASAN
  __sanitizer_start_switch_fiber(forget ? nullptr : &from->fake_stack, to->bottom, to->bottom_size);
#else
  (void)forget;
#endif
#ifdef TOCHA_SIMULATOR_UCONTEXT
  swapcontext(&from->context, &to->context);
#else
  tocha_simulator_switch(&from->saved, to->saved);
#endif
  arrived_on_fibre(from);
}

void arrived_on_fibre(Fibre *self) {
#ifdef SIMULATOR_ASAN
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(self->fake_stack, &bottom, &size);
  if (previous && !previous->stack) { // the host's stack is not known earlier
    previous->bottom = bottom;
    previous->bottom_size = size;
  }
#else
  (void)self;
#endif
}

bool stack_is_whole(const Fibre *fibre) {
  const uint64_t *lowest = reinterpret_cast<const uint64_t *>(fibre->stack);
  for (int i = 0; i < magic_words; i++)
    if (lowest[i] != magic) return false;
  return true;
}

bool below_the_stacks(uintptr_t address) {
  for (char *region : regions)
    if (reinterpret_cast<uintptr_t>(region) - address - 1 < closed_below) return true;
  return false;
}

} // namespace simulator
