/* nvtx.c: the functions of <tocha/nvtx.h>. A tool attaches by NVTX's protocol of injection: the process
 * opens the library that NVTX_INJECTION64_PATH names and calls its InitializeInjectionNvtx2 with a
 * function that gives tables by number; through the table of callbacks the tool asks for the addresses
 * of the function pointers of a module, and sets those that it wants. */
#include "tocha/nvtx.h"

#include <stdatomic.h>
#include <stddef.h>

#include "core/internal.h"
#include "core/library.h"
#include "core/process.h"
#include "platform/platform.h"

/* Numbers of the protocol: tables, modules, functions of the module CORE; the result without a tool. */
enum { TABLE_CALLBACKS = 1, TABLE_VERSION = 3 };
enum { MODULE_CORE = 1 };
enum {
  MARK_A = 2,
  RANGE_START_A = 5,
  RANGE_END = 7,
  RANGE_PUSH_A = 9,
  RANGE_POP = 11,
  CORE_SIZE = 16
};
enum { NO_TOOL = -2, PROTOCOL_VERSION = 3 };

typedef void (*any_function)(void);

/* The functions of the tool; NULL: not set. */
static any_function functions[CORE_SIZE];
static any_function *addresses[CORE_SIZE + 1];

static int module_table(int module, any_function ***table, unsigned *size) {
  if (module != MODULE_CORE) return 0;
  for (int i = 0; i < CORE_SIZE; i++) addresses[i] = &functions[i];
  addresses[0] = NULL; /* function 0 is none */
  if (table) *table = addresses;
  if (size) *size = CORE_SIZE;
  return 1;
}

static void set_version(uint32_t version) { (void)version; }

typedef struct callbacks_table {
  size_t size;
  int (*module_table)(int module, any_function ***table, unsigned *size);
} callbacks_table;

typedef struct version_table {
  size_t size;
  uint32_t version, reserved;
  void (*set_version)(uint32_t version);
} version_table;

static const void *export_table(uint32_t number) {
  static const callbacks_table callbacks = {sizeof callbacks, module_table};
  static const version_table version = {sizeof version, PROTOCOL_VERSION, 0, set_version};
  if (number == TABLE_CALLBACKS) return &callbacks;
  return number == TABLE_VERSION ? &version : NULL;
}

static void attach(tocha_context *cx) {
  const char *path = tocha_environment(cx, "NVTX_INJECTION64_PATH");
  if (!path || !*path || cx->confined || tocha_refuses(cx, TOCHA_REFUSE_LIBRARIES)) return;
  void *library = platform_open_library(path);
  int (*start)(const void *(*table)(uint32_t)) = NULL;
  if (!library || !tocha_find_function(library, "InitializeInjectionNvtx2", &start)) return;
  if (start(export_table)) return;
  for (int i = 0; i < CORE_SIZE; i++) functions[i] = NULL; /* the tool gave up */
}

/* Returns a function of the tool, or NULL. The first call in the process attaches the tool; calls of
 * other threads wait for it. */
static any_function find(tocha_context *cx, int number) {
  static atomic_int state; /* 0: fresh, 1: a thread attaches, 2: done */
  int seen = atomic_load_explicit(&state, memory_order_acquire);
  if (seen == 2) return functions[number];
  if (!cx) return NULL;
  if (seen == 0 && atomic_compare_exchange_strong(&state, &seen, 1)) {
    attach(cx);
    atomic_store_explicit(&state, 2, memory_order_release);
  }
  while (atomic_load_explicit(&state, memory_order_acquire) != 2) {
  }
  return functions[number];
}

int tocha_nvtx_push(tocha_context *cx, const char *text) {
  any_function push = find(cx, RANGE_PUSH_A);
  return push ? ((int (*)(const char *))push)(text ? text : "") : NO_TOOL;
}

int tocha_nvtx_pop(tocha_context *cx) {
  any_function pop = find(cx, RANGE_POP);
  return pop ? ((int (*)(void))pop)() : NO_TOOL;
}

uint64_t tocha_nvtx_start(tocha_context *cx, const char *text) {
  any_function start = find(cx, RANGE_START_A);
  return start ? ((uint64_t(*)(const char *))start)(text ? text : "") : 0;
}

void tocha_nvtx_end(tocha_context *cx, uint64_t range) {
  any_function end = find(cx, RANGE_END);
  if (end) ((void (*)(uint64_t))end)(range);
}

void tocha_nvtx_mark(tocha_context *cx, const char *text) {
  any_function mark = find(cx, MARK_A);
  if (mark) ((void (*)(const char *))mark)(text ? text : "");
}
