// faults.cpp: turns a memory fault of a kernel into a sticky CUDA error that names kernel, block
// and thread, as a GPU would. Only with TOCHA_SIMULATOR_FAULTS=1, because it needs a signal
// handler. If host code touches device memory, prints that on standard error, and the process then
// dies of the fault.
#include "fibre.h"
#include "machine.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

namespace simulator {

static bool installed;
static struct sigaction before_segv, before_bus, before_fpe;
static pthread_t kernel_thread; // the host thread that is running kernels

// The handler's findings, for `landed`, which runs on the fibre after it.
static struct {
  int signal;
  bool has_address, is_write, knows_write;
  uintptr_t address;
} seen;

static const char *verb() {
  return !seen.knows_write ? "accesses" : seen.is_write ? "writes" : "reads";
}

static std::string explain(cudaError_t *error) {
  *error = cudaErrorIllegalAddress;
  if (seen.signal == SIGFPE) {
    *error = cudaErrorLaunchFailure;
    return "integer division by zero";
  }
  if (!seen.has_address) {
    *error = cudaErrorMisalignedAddress;
    return "a misaligned vector access, or an address that is none";
  }
  if (below_the_stacks(seen.address)) {
    *error = cudaErrorHardwareStackError;
    return stack_too_small;
  }
  ptrdiff_t past;
  size_t size;
  std::string text = verb();
  const char *shared_name = shared_name_at(seen.address, &past, &size);
  if (shared_name && past >= 0)
    return text + " " + std::to_string(past) + " bytes past the end of shared array " +
           shared_name + " of " + std::to_string(size) + " bytes";
  if (shared_name)
    return text + " " + std::to_string(-past - static_cast<ptrdiff_t>(size)) +
           " bytes before shared array " + shared_name + " of " + std::to_string(size) + " bytes";
  uintptr_t address = host_address(seen.address);
  if (address) return text + " " + describe_address(address);
  if (is_device_address(seen.address))
    return text + " " + describe_address(seen.address) +
           ", through a pointer that is stale, or was loaded from memory without DEVICE_POINTER";
  char place[64];
  snprintf(place, sizeof place, " address %#zx, which is no device memory",
           static_cast<size_t>(seen.address));
  return text + place;
}

// Runs on the faulting fibre in place of the instruction that faulted.
[[noreturn]] static void landed() {
  cudaError_t error;
  std::string text = explain(&error);
  fault(error, "%s: %s", current_thread_name().c_str(), text.c_str());
  text.clear();
  text.shrink_to_fit(); // this stack is never unwound
  abandon();
}

// Returns a stack address below the used part of the stack, or its top if there is no room below:
// the content of the stack is no longer needed.
static uintptr_t landing_stack(uintptr_t stack_pointer) {
  if (below_the_stacks(stack_pointer - 1024)) stack_pointer = fresh_running_stack();
  return (stack_pointer - 512) & ~uintptr_t(15);
}

static bool redirect(ucontext_t *context) {
#if defined(__x86_64__) && defined(__linux__)
  greg_t *registers = context->uc_mcontext.gregs;
  seen.knows_write = true;
  seen.is_write = registers[REG_ERR] & 2;
  registers[REG_RSP] =
      static_cast<greg_t>(landing_stack(static_cast<uintptr_t>(registers[REG_RSP]))) - 8;
  registers[REG_RIP] = reinterpret_cast<greg_t>(landed);
  return true;
#elif defined(__aarch64__) && defined(__linux__)
  context->uc_mcontext.sp = landing_stack(context->uc_mcontext.sp);
  context->uc_mcontext.pc = reinterpret_cast<uintptr_t>(landed);
  return true;
#else
  (void)context;
  return false;
#endif
}

static void say(const char *text) {
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

static void handle(int signal, siginfo_t *info, void *context) {
  struct sigaction *before = signal == SIGSEGV  ? &before_segv
                             : signal == SIGBUS ? &before_bus
                                                : &before_fpe;
  if (in_kernel() && pthread_equal(pthread_self(), kernel_thread)) {
    seen.signal = signal;
    seen.address = reinterpret_cast<uintptr_t>(info->si_addr);
    seen.has_address = info->si_code > 0 && info->si_code != SI_KERNEL;
    seen.knows_write = false;
    if (redirect(static_cast<ucontext_t *>(context))) return;
    say("simulated GPU: a kernel faulted\n");
  } else if (is_device_address(reinterpret_cast<uintptr_t>(info->si_addr))) {
    say("simulated GPU: host code touched device memory\n");
  }
  sigaction(signal, before, nullptr); // the earlier handler; the instruction faults again
}

// Gives this thread a stack for the handler, because a kernel's stack may be the one that
// overflowed.
void ready_thread_for_faults() {
  struct Alternative {
    void *memory = nullptr;
    ~Alternative() {
      if (!memory) return;
      stack_t off = {};
      off.ss_flags = SS_DISABLE;
      sigaltstack(&off, nullptr);
      free(memory);
    }
  };
  static thread_local Alternative mine;
  kernel_thread = pthread_self();
  if (!installed || mine.memory) return;
  stack_t now;
  if (sigaltstack(nullptr, &now) == 0 && !(now.ss_flags & SS_DISABLE)) return;
  const size_t size = 64 * 1024;
  mine.memory = malloc(size);
  if (!mine.memory) return;
  stack_t own = {};
  own.ss_sp = mine.memory;
  own.ss_size = size;
  sigaltstack(&own, nullptr);
}

void install_fault_handler() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before_segv);
  sigaction(SIGBUS, &action, &before_bus);
  sigaction(SIGFPE, &action, &before_fpe);
  installed = true;
}

} // namespace simulator
