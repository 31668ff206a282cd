/* history.c: see history.h. The observer runs within a request for memory, so it calls nothing of Lua
 * that allocates or raises: stacks are kept as text in memory of their own. */
#include "cuda/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "platform/platform.h"
#include "tocha/device_memory.h"

enum { MAX_FRAMES = 32, STACK_ROOM = 8192, BUCKETS = 4096 };

/* The lines of a program's stack, innermost first: "file\nline\nname\n" for each. */
typedef struct stack_text {
  int owners;
  char text[];
} stack_text;

typedef struct history_entry {
  tocha_memory_event event;
  int64_t time_us;
  stack_text *stack; /* may be NULL */
} history_entry;

/* Memory in use, and the stack that asked for it. */
typedef struct live_block {
  struct live_block *next;
  uint64_t address;
  stack_text *stack;
} live_block;

typedef struct recorder {
  binding *b;
  bool keeps_entries;
  int context;
  history_entry *entries; /* a ring: entry number n, from 0, is at n % limit */
  size_t total;           /* entries so far; the last `count` of them are kept */
  size_t count, capacity, limit;
  live_block *live[BUCKETS];
} recorder;

static const char RECORDER[] = "torch.cuda.memory history";
static const char recorder_key = 0; /* in the registry */

/* --- stacks ----------------------------------------------------------------------------------------- */

static void drop_stack(stack_text *stack) {
  if (stack && --stack->owners == 0) free(stack);
}

static stack_text *keep_stack(stack_text *stack) {
  if (stack) stack->owners++;
  return stack;
}

/* Returns the lines of the program that calls torch now, or NULL if there are none or memory is
 * short. The caller owns them. */
static stack_text *current_stack(lua_State *L) {
  char text[STACK_ROOM];
  size_t used = 0;
  lua_Debug ar;
  for (int level = 0, frames = 0; frames < MAX_FRAMES && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sln", &ar);
    if (*ar.what == 'C' || strncmp(ar.short_src, "[tocha]", 7) == 0) continue;
    const char *name = ar.name ? ar.name : *ar.what == 'm' ? "<module>" : "<function>";
    const char *file = *ar.source == '@' ? ar.source + 1 : ar.short_src;
    int more =
        snprintf(text + used, sizeof text - used, "%s\n%d\n%s\n", file, ar.currentline, name);
    if (more < 0 || used + (size_t)more >= sizeof text) break;
    used += (size_t)more;
    frames++;
  }
  stack_text *stack = used ? malloc(sizeof *stack + used + 1) : NULL;
  if (!stack) return NULL;
  stack->owners = 1;
  memcpy(stack->text, text, used);
  stack->text[used] = '\0';
  return stack;
}

/* Returns the text up to the end of the line, whose length it writes, and moves *at behind it. */
static const char *next_line(const char **at, size_t *length) {
  const char *line = *at;
  *length = strcspn(line, "\n");
  *at = line + *length + (line[*length] == '\n');
  return line;
}

/* Pushes the list of frames. [-0, +1, m] */
static void push_frames(lua_State *L, const stack_text *stack) {
  lua_newtable(L);
  const char *at = stack ? stack->text : "";
  for (lua_Integer i = 1; *at; i++) {
    size_t length;
    lua_createtable(L, 0, 3);
    const char *line = next_line(&at, &length);
    lua_pushlstring(L, line, length);
    lua_setfield(L, -2, "filename");
    line = next_line(&at, &length);
    lua_pushinteger(L, (lua_Integer)strtol(line, NULL, 10));
    lua_setfield(L, -2, "line");
    line = next_line(&at, &length);
    lua_pushlstring(L, line, length);
    lua_setfield(L, -2, "name");
    lua_rawseti(L, -2, i);
  }
}

/* --- recording --------------------------------------------------------------------------------------- */

static live_block **place_of(recorder *r, uint64_t address) {
  live_block **at = &r->live[(address >> 9) % BUCKETS];
  while (*at && (*at)->address != address) at = &(*at)->next;
  return at;
}

static void forget(recorder *r, uint64_t address) {
  live_block **at = place_of(r, address), *block = *at;
  if (!block) return;
  *at = block->next;
  drop_stack(block->stack);
  free(block);
}

static void remember(recorder *r, uint64_t address, stack_text *stack) {
  forget(r, address);
  live_block *block = malloc(sizeof *block);
  if (!block) return;
  *block = (live_block){r->live[(address >> 9) % BUCKETS], address, keep_stack(stack)};
  r->live[(address >> 9) % BUCKETS] = block;
}

/* Returns microseconds since 1970 that never step back, though the clock may be set. */
static int64_t microseconds_now(void) {
  static _Atomic int64_t begun; /* of the clock that is never set, in the same unit */
  struct timespec now;
  int64_t ticks = (int64_t)(platform_nanoseconds() / 1000), start = begun;
  if (!start) {
    timespec_get(&now, TIME_UTC);
    begun = start = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 - ticks;
  }
  return start + ticks;
}

/* Appends an entry, in place of the oldest if there are `limit` of them. */
static void append(recorder *r, const tocha_memory_event *event, stack_text *stack) {
  if (r->count == r->capacity && r->count < r->limit) {
    size_t capacity = r->capacity ? 2 * r->capacity : 256;
    if (capacity > r->limit) capacity = r->limit;
    history_entry *entries = realloc(r->entries, capacity * sizeof *entries);
    if (!entries) return;
    r->entries = entries;
    r->capacity = capacity;
  }
  if (r->limit == 0) return;
  history_entry *entry;
  if (r->count < r->capacity) {
    entry = &r->entries[r->count++]; /* number total, which is count */
  } else {
    entry = &r->entries[r->total % r->limit];
    drop_stack(entry->stack);
  }
  r->total++;
  *entry = (history_entry){*event, microseconds_now(), keep_stack(stack)};
}

/* Returns true if the context asks for the lines of such an event. */
static bool wants_stack(const recorder *r, tocha_memory_action action) {
  if (action == TOCHA_MEMORY_ALLOC) return r->context >= 1;
  bool frees = action == TOCHA_MEMORY_FREE_REQUESTED || action == TOCHA_MEMORY_FREE_COMPLETED ||
               action == TOCHA_MEMORY_SEGMENT_FREE || action == TOCHA_MEMORY_SEGMENT_UNMAP;
  return r->context >= (frees ? 3 : 2);
}

static void observe(void *user, const tocha_memory_event *event) {
  recorder *r = user;
  stack_text *stack = wants_stack(r, event->action) ? current_stack(running_thread(r->b)) : NULL;
  if (event->action == TOCHA_MEMORY_ALLOC) remember(r, event->address, stack);
  if (event->action == TOCHA_MEMORY_FREE_COMPLETED) forget(r, event->address);
  bool state_only = r->context == 1 && event->action == TOCHA_MEMORY_ALLOC;
  if (r->keeps_entries) append(r, event, state_only ? NULL : stack);
  drop_stack(stack);
}

static void clear(recorder *r) {
  for (size_t i = 0; i < r->count; i++) drop_stack(r->entries[i].stack);
  free(r->entries);
  r->entries = NULL;
  r->count = r->total = r->capacity = 0;
  for (int i = 0; i < BUCKETS; i++)
    while (r->live[i]) forget(r, r->live[i]->address);
}

/* --- in Lua ------------------------------------------------------------------------------------------- */

static int collect_recorder(lua_State *L) {
  recorder *r = luaL_checkudata(L, 1, RECORDER);
  if (is_open(L)) tocha_observe_memory(CX(L), NULL, NULL);
  clear(r);
  return 0;
}

/* Pushes the recorder of this state and returns it, or pushes nil and returns NULL if there is none.
 * [-0, +1, -] */
static recorder *push_recorder(lua_State *L) {
  return lua_rawgetp(L, LUA_REGISTRYINDEX, &recorder_key) == LUA_TNIL ? NULL
                                                                      : lua_touserdata(L, -1);
}

static recorder *new_recorder(lua_State *L) {
  static const luaL_Reg events[] = {{"__gc", collect_recorder}, {NULL, NULL}};
  recorder *r = lua_newuserdatauv(L, sizeof *r, 0);
  memset(r, 0, sizeof *r);
  r->b = binding_of(L);
  new_metatable(L, RECORDER, events);
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &recorder_key);
  return r;
}

int record_history(lua_State *L) {
  lua_settop(L, 4);
  const char *mode = lua_tostring(L, 1);
  lua_Integer limit = luaL_optinteger(L, 3, LUA_MAXINTEGER);
  recorder *r = push_recorder(L);
  if (!mode) {
    tocha_observe_memory(CX(L), NULL, NULL);
    return 0;
  }
  if (!r) r = new_recorder(L);
  if (lua_toboolean(L, 4) || r->limit != (size_t)limit) clear(r);
  r->keeps_entries = strcmp(mode, "all") == 0;
  r->context = (int)luaL_optinteger(L, 2, 3);
  r->limit = limit < 0 ? 0 : (size_t)limit;
  return tocha_observe_memory(CX(L), observe, r) ? 0 : raise_error(L);
}

static void set_integer(lua_State *L, const char *name, lua_Integer value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, name);
}

int history(lua_State *L) {
  static const char *const names[TOCHA_MEMORY_ACTION_COUNT] = {
      "alloc",        "free_requested", "free_completed", "segment_alloc",
      "segment_free", "segment_map",    "segment_unmap",  "oom"};
  const recorder *r = push_recorder(L);
  lua_newtable(L);
  lua_Integer pushed = 0;
  size_t end = r ? r->total : 0;
  for (size_t n = r ? r->total - r->count : 0; n < end; n++) {
    if (n < r->total - r->count) continue; /* Lua's collector has just freed memory: overwritten */
    history_entry copy = r->entries[n % r->limit], *e = &copy;
    keep_stack(e->stack);
    bool exhausted = e->event.action == TOCHA_MEMORY_EXHAUSTED;
    lua_createtable(L, 0, 7);
    lua_pushstring(L, names[e->event.action]);
    lua_setfield(L, -2, "action");
    set_integer(L, "device", e->event.device);
    set_integer(L, exhausted ? "device_free" : "addr", (lua_Integer)e->event.address);
    set_integer(L, "size", (lua_Integer)e->event.size);
    set_integer(L, "stream", (lua_Integer)(intptr_t)e->event.stream);
    set_integer(L, "time_us", e->time_us);
    push_frames(L, e->stack);
    drop_stack(e->stack);
    lua_setfield(L, -2, "frames");
    lua_rawseti(L, -2, ++pushed);
  }
  return 1;
}

int frames_of(lua_State *L) {
  recorder *r = push_recorder(L);
  const live_block *block = r ? *place_of(r, (uint64_t)luaL_checkinteger(L, 1)) : NULL;
  if (block && block->stack)
    push_frames(L, block->stack);
  else
    lua_pushnil(L);
  return 1;
}
