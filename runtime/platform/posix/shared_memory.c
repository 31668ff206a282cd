/* shared_memory.c: memory shared between processes, by Linux's memfd and futex. Other systems have no such memory here. */
#define _GNU_SOURCE /* memfd_create, fallocate */
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

int platform_create_shared_memory(void) { return memfd_create("tocha", MFD_CLOEXEC); }

int platform_open_shared_memory(int64_t process, int file) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)process, file);
  return open(path, O_RDWR | O_CLOEXEC);
}

bool platform_reserve_shared_memory(int file, uint64_t offset, size_t bytes) {
  int result;
  do result = fallocate(file, 0, (off_t)offset, (off_t)bytes);
  while (result && errno == EINTR);
  return result == 0;
}

void *platform_map_shared_memory(int file, uint64_t offset, size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
  return memory == MAP_FAILED ? NULL : memory;
}

void platform_unmap_shared_memory(void *memory, size_t bytes) { munmap(memory, bytes); }

void platform_wait_word(_Atomic uint32_t *word, uint32_t value, int64_t nanoseconds) {
  enum { SECOND = 1000000000 };
  struct timespec time = {(time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND)};
  syscall(SYS_futex, word, FUTEX_WAIT, value, &time, NULL, 0);
}

void platform_wake_word(_Atomic uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Reads the first line of a file. */
static bool read_line(const char *path, char *text, size_t capacity) {
  FILE *file = fopen(path, "re");
  if (!file) return false;
  bool done = fgets(text, (int)capacity, file) != NULL;
  fclose(file);
  if (done) text[strcspn(text, "\n")] = '\0';
  return done;
}

static bool read_link(const char *path, char *text, size_t capacity) {
  ssize_t length = readlink(path, text, capacity - 1);
  if (length >= 0) text[length] = '\0';
  return length >= 0;
}

bool platform_host_identity(char *text, size_t capacity) {
  char boot[64], processes[64], network[64];
  return read_line("/proc/sys/kernel/random/boot_id", boot, sizeof boot) &&
         read_link("/proc/self/ns/pid", processes, sizeof processes) &&
         read_link("/proc/self/ns/net", network, sizeof network) &&
         snprintf(text, capacity, "%s %s %s", boot, processes, network) < (int)capacity;
}

#else

int platform_create_shared_memory(void) {
  errno = ENOSYS;
  return -1;
}

int platform_open_shared_memory(int64_t process, int file) {
  (void)process, (void)file;
  errno = ENOSYS;
  return -1;
}

bool platform_reserve_shared_memory(int file, uint64_t offset, size_t bytes) {
  (void)file, (void)offset, (void)bytes;
  return false;
}

void *platform_map_shared_memory(int file, uint64_t offset, size_t bytes) {
  (void)file, (void)offset, (void)bytes;
  return NULL;
}

void platform_unmap_shared_memory(void *memory, size_t bytes) { (void)memory, (void)bytes; }

void platform_wait_word(_Atomic uint32_t *word, uint32_t value, int64_t nanoseconds) {
  enum { STEP = 200000 };
  if (atomic_load(word) == value) platform_sleep(nanoseconds < STEP ? nanoseconds : STEP);
}

void platform_wake_word(_Atomic uint32_t *word) { (void)word; }

bool platform_host_identity(char *text, size_t capacity) {
  return platform_machine_name(text, capacity);
}

#endif
