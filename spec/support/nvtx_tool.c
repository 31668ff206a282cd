/* nvtx_tool.c: a tool for specs that attaches by NVTX's injection and prints every call. */
#include <stdint.h>
#include <stdio.h>

typedef void (*function)(void);
typedef struct callbacks {
  size_t size;
  int (*table)(int module, function ***table, unsigned *size);
} callbacks;

static int depth;
static int push(const char *text) { return printf("push %s\n", text), depth++; }
static int pop(void) { return printf("pop\n"), --depth; }
static uint64_t start(const char *text) { return printf("start %s\n", text), 42; }
static void end(uint64_t range) { printf("end %d\n", (int)range); }
static void mark(const char *text) { printf("mark %s\n", text); }

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t)) {
  const callbacks *c = export_table(1);
  function **table;
  unsigned size;
  setvbuf(stdout, NULL, _IONBF, 0);
  if (!c || !c->table(1, &table, &size) || size < 12) return 0;
  *table[2] = (function)mark;
  *table[5] = (function)start;
  *table[7] = (function)end;
  *table[9] = (function)push;
  *table[11] = (function)pop;
  printf("attached\n");
  return 1;
}
