/* handlers.c: no signals come, and there is nobody to send one to. */
#include "platform/platform.h"

void platform_on_interrupt(void (*handler)(int signal_number), bool once) {
  (void)handler, (void)once;
}

void platform_watch_window(bool watched) { (void)watched; }

void platform_suspend(void) {}

void platform_interrupt_thread(const platform_thread *thread) { (void)thread; }

bool platform_interrupt_group(void) { return false; }

int platform_receive_signals(int count, const int *numbers) {
  return (void)count, (void)numbers, -1;
}
