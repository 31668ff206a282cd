/* cuda.c: devices in Lua: torch._cuda, of which lua/torch/cuda/init.lua makes torch.cuda;
 * streams, events, pinned memory. */
#include <string.h>

#include "cuda/index.h"
#include "lua/guard.h"
#include "tocha/device.h"

static const char STREAM[] = "torch.cuda.Stream", EVENT[] = "torch.cuda.Event";

/* --- devices --------------------------------------------------------------------------------------- */

int check_device_index(lua_State *L, int index) {
  tocha_device device;
  int is_integer;
  lua_Integer number = lua_tointegerx(L, index, &is_integer);
  if (lua_isnoneornil(L, index)) return -1;
  if (is_integer && lua_type(L, index) == LUA_TNUMBER) return tocha_cuda_device(number).index;
  if (!tocha_lua_to_device(L, index, &device))
    return raise_message(L, TOCHA_TYPE_ERROR, "device must be torch.device or int, not %s",
                         python_type(L, index));
  if (device.type != TOCHA_CUDA) {
    char text[24];
    return raise_message(L, TOCHA_VALUE_ERROR, "Expected a cuda device, but got: %s",
                         tocha_device_text(device, text));
  }
  return device.index;
}

/* torch._cuda.index(device) returns the device's number, or -1 for the current device. */
static int index_of(lua_State *L) {
  lua_pushinteger(L, check_device_index(L, 1));
  return 1;
}

static int device_count(lua_State *L) {
  lua_pushinteger(L, tocha_device_count(CX(L)));
  return 1;
}

static int reason(lua_State *L) {
  lua_pushstring(L, tocha_device_reason(CX(L)));
  return 1;
}

static int current_device(lua_State *L) {
  if (tocha_device_count(CX(L)) == 0 && !tocha_default_stream(CX(L), -1)) return raise_error(L);
  lua_pushinteger(L, tocha_current_device(CX(L)));
  return 1;
}

static int set_device(lua_State *L) {
  return tocha_set_current_device(CX(L), check_device_index(L, 1)) ? 0 : raise_error(L);
}

static int synchronize(lua_State *L) {
  return tocha_synchronize(CX(L), check_device_index(L, 1)) ? 0 : raise_error(L);
}

/* torch._cuda.reaches(device, peer) returns true if the first GPU can read the memory of the
 * second. */
static int reaches(lua_State *L) {
  int reach = tocha_can_access_peer(CX(L), check_device_index(L, 1), check_device_index(L, 2));
  if (reach < 0) return raise_error(L);
  lua_pushboolean(L, reach);
  return 1;
}

static void set_integer(lua_State *L, const char *name, size_t value) {
  lua_pushinteger(L, (lua_Integer)value);
  lua_setfield(L, -2, name);
}

static int properties(lua_State *L) {
  tocha_device_properties p;
  if (!tocha_get_device_properties(CX(L), check_device_index(L, 1), &p)) return raise_error(L);
  lua_createtable(L, 0, 9);
  lua_pushstring(L, p.name);
  lua_setfield(L, -2, "name");
  set_integer(L, "major", (size_t)p.major);
  set_integer(L, "minor", (size_t)p.minor);
  set_integer(L, "total_memory", p.total_memory);
  set_integer(L, "multi_processor_count", (size_t)p.processors);
  set_integer(L, "max_threads_per_multi_processor", (size_t)p.threads_per_processor);
  set_integer(L, "warp_size", (size_t)p.warp_size);
  set_integer(L, "shared_memory_per_block", p.shared_memory_per_block);
  set_integer(L, "L2_cache_size", (size_t)p.l2_bytes);
  lua_pushstring(L, p.architectures);
  lua_setfield(L, -2, "architectures");
  return 1;
}

/* torch._cuda.library(name) returns the version of "cublas", "cudnn" or "cusolver" as a number, or false, and its file, or the
 * reason. */
static int library(lua_State *L) {
  static const char *const names[] = {"cublas", "cudnn", "cusolver", NULL};
  tocha_library_info info;
  int which = luaL_checkoption(L, 1, NULL, names);
  if (tocha_find_device_library(CX(L), (tocha_device_library)which, &info))
    lua_pushinteger(L, info.version);
  else
    lua_pushboolean(L, false);
  lua_pushstring(L, info.file);
  return 2;
}

/* --- memory ---------------------------------------------------------------------------------------- */

static int memory(lua_State *L) {
  tocha_device_memory m;
  if (!tocha_get_device_memory(CX(L), check_device_index(L, 1), &m)) return raise_error(L);
  lua_createtable(L, 0, 10);
  set_integer(L, "allocated", m.allocated);
  set_integer(L, "max_allocated", m.max_allocated);
  set_integer(L, "reserved", m.reserved);
  set_integer(L, "max_reserved", m.max_reserved);
  set_integer(L, "total", m.total);
  set_integer(L, "allocations", m.allocations);
  set_integer(L, "retries", m.retries);
  set_integer(L, "exhausted", m.exhausted);
  return 1;
}

/* torch._cuda.memory_info(device) returns the free and the total bytes of the GPU's memory. */
static int memory_info(lua_State *L) {
  size_t free, capacity;
  if (!tocha_device_memory_info(CX(L), check_device_index(L, 1), &free, &capacity))
    return raise_error(L);
  lua_pushinteger(L, (lua_Integer)free);
  lua_pushinteger(L, (lua_Integer)capacity);
  return 2;
}

static int reset_peak(lua_State *L) {
  return tocha_reset_device_peak(CX(L), check_device_index(L, 1)) ? 0 : raise_error(L);
}

static int empty_cache(lua_State *L) {
  tocha_empty_device_cache(CX(L));
  return 0;
}

/* --- streams --------------------------------------------------------------------------------------- */

int push_stream(lua_State *L, tocha_stream *stream) {
  if (!stream) return raise_error(L);
  tocha_stream **box = lua_newuserdatauv(L, sizeof *box, 0);
  *box = stream;
  luaL_setmetatable(L, STREAM);
  return 1;
}

tocha_stream *check_stream(lua_State *L, int index) {
  tocha_stream **box = luaL_testudata(L, index, STREAM);
  if (!box)
    raise_message(L, TOCHA_TYPE_ERROR, "expected a torch.cuda.Stream, not %s",
                  python_type(L, index));
  return *box;
}

static int new_stream(lua_State *L) {
  return push_stream(
      L, tocha_new_stream(CX(L), check_device_index(L, 1), (int)luaL_optinteger(L, 2, 0)));
}

static int current_stream(lua_State *L) {
  return push_stream(L, tocha_current_stream(CX(L), check_device_index(L, 1)));
}

static int default_stream(lua_State *L) {
  return push_stream(L, tocha_default_stream(CX(L), check_device_index(L, 1)));
}

/* (stream) Makes the stream current, and returns the one that was current before. */
static int set_stream(lua_State *L) {
  return push_stream(L, tocha_set_stream(CX(L), check_stream(L, 1)));
}

static int stream_synchronize(lua_State *L) {
  return tocha_stream_synchronize(CX(L), check_stream(L, 1)) ? 0 : raise_error(L);
}

static int push_answer(lua_State *L, int answer) {
  if (answer < 0) return raise_error(L);
  lua_pushboolean(L, answer);
  return 1;
}

static int stream_query(lua_State *L) {
  return push_answer(L, tocha_stream_query(CX(L), check_stream(L, 1)));
}

static int stream_wait_stream(lua_State *L) {
  tocha_stream *stream = check_stream(L, 1), *other = check_stream(L, 2);
  return tocha_stream_wait_stream(CX(L), stream, other) ? 0 : raise_error(L);
}

static int stream_tostring(lua_State *L) {
  tocha_stream *stream = check_stream(L, 1);
  lua_pushfstring(L, "<torch.cuda.Stream device=cuda:%d cuda_stream=%p>",
                  tocha_stream_device(stream), tocha_stream_handle(stream));
  return 1;
}

static int stream_eq(lua_State *L) {
  tocha_stream **a = luaL_testudata(L, 1, STREAM), **b = luaL_testudata(L, 2, STREAM);
  lua_pushboolean(L, a && b && *a == *b);
  return 1;
}

/* (stream, name) Returns stream.device, stream.device_index, stream.cuda_stream or a method.
 * Upvalue 1: the methods. */
static int stream_index(lua_State *L) {
  tocha_stream *stream = check_stream(L, 1);
  const char *key = lua_tostring(L, 2);
  if (key && strcmp(key, "device") == 0) {
    tocha_device device = {TOCHA_CUDA, (int16_t)tocha_stream_device(stream)};
    tocha_lua_push_device(L, device);
  } else if (key && strcmp(key, "device_index") == 0) {
    lua_pushinteger(L, tocha_stream_device(stream));
  } else if (key && strcmp(key, "cuda_stream") == 0) {
    lua_pushinteger(L, (lua_Integer)(intptr_t)tocha_stream_handle(stream));
  } else {
    lua_pushvalue(L, 2);
    lua_gettable(L, lua_upvalueindex(1));
  }
  return 1;
}

/* --- blocks ---------------------------------------------------------------------------------------- */

typedef struct stream_guard {
  guard head;
  int device;           /* the device that was current before; -1: unchanged */
  tocha_stream *stream; /* its current one before; NULL: only the device changes */
} stream_guard;

static void leave_stream(tocha_context *cx, guard *g, bool nested) {
  const stream_guard *s = (const stream_guard *)g;
  if (nested) return;
  if (s->stream) tocha_set_stream(cx, s->stream);
  if (s->device >= 0) tocha_set_current_device(cx, s->device);
}

static bool same_stream(const guard *a, const guard *b) {
  const tocha_stream *x = ((const stream_guard *)a)->stream, *y = ((const stream_guard *)b)->stream;
  return !x == !y && (!x || tocha_stream_device(x) == tocha_stream_device(y));
}

static const guard_class stream_class = {
    "torch.cuda.StreamContext",
    "`local _ <close> = torch.cuda.stream(s)`, or torch.cuda.stream(s, function() ... end)",
    sizeof(stream_guard),
    sizeof(stream_guard) - sizeof(guard),
    leave_stream,
    same_stream,
    NULL};

/* torch._cuda.enter_device(device) returns the guard of a block in which the device is the
 * current one. With nil, or without a GPU, nothing changes. */
static int enter_device(lua_State *L) {
  int index = check_device_index(L, 1);
  stream_guard *g = push_guard(L, &stream_class);
  g->device = -1;
  if (index >= 0) {
    int old = tocha_current_device(CX(L));
    if (!tocha_set_current_device(CX(L), index)) return raise_error(L);
    g->device = old;
  }
  open_guard(L, &g->head);
  return 1;
}

/* torch._cuda.enter_stream(stream) returns the guard of a block in which the stream is the
 * current one. With nil nothing changes. */
static int enter_stream(lua_State *L) {
  if (lua_isnoneornil(L, 1)) return enter_device(L);
  tocha_stream *stream = check_stream(L, 1);
  stream_guard *g = push_guard(L, &stream_class);
  g->device = tocha_current_device(CX(L));
  g->stream = tocha_set_stream(CX(L), stream);
  open_guard(L, &g->head);
  return tocha_set_current_device(CX(L), tocha_stream_device(stream)) ? 1 : raise_error(L);
}

/* --- events ---------------------------------------------------------------------------------------- */

/* torch._cuda.new_event(timing) returns an event. */
static int new_event(lua_State *L) {
  tocha_event *event = lua_newuserdatauv(L, sizeof *event, 0);
  memset(event, 0, sizeof *event);
  event->timing = lua_toboolean(L, 1);
  luaL_setmetatable(L, EVENT);
  return 1;
}

static tocha_event *check_event(lua_State *L, int index) {
  tocha_event *event = luaL_testudata(L, index, EVENT);
  if (!event)
    raise_message(L, TOCHA_TYPE_ERROR, "expected a torch.cuda.Event, not %s",
                  python_type(L, index));
  return event;
}

static tocha_stream *optional_stream(lua_State *L, int index) {
  if (!lua_isnoneornil(L, index)) return check_stream(L, index);
  tocha_stream *stream = tocha_current_stream(CX(L), -1);
  if (!stream) raise_error(L);
  return stream;
}

static int event_record(lua_State *L) {
  tocha_event *event = check_event(L, 1);
  if (!tocha_event_record(CX(L), event, optional_stream(L, 2))) return raise_error(L);
  return 0;
}

static int event_wait(lua_State *L) {
  tocha_event *event = check_event(L, 1);
  return tocha_event_wait(CX(L), event, optional_stream(L, 2)) ? 0 : raise_error(L);
}

static int event_synchronize(lua_State *L) {
  return tocha_event_synchronize(CX(L), check_event(L, 1)) ? 0 : raise_error(L);
}

static int event_query(lua_State *L) {
  return push_answer(L, tocha_event_query(CX(L), check_event(L, 1)));
}

/* start:elapsed_time(stop) returns milliseconds. */
static int event_elapsed(lua_State *L) {
  double milliseconds;
  if (!tocha_event_elapsed(CX(L), check_event(L, 1), check_event(L, 2), &milliseconds))
    return raise_error(L);
  lua_pushnumber(L, milliseconds);
  return 1;
}

static int event_tostring(lua_State *L) {
  tocha_event *event = check_event(L, 1);
  if (event->handle)
    lua_pushfstring(L, "<torch.cuda.Event %p>", event->handle);
  else
    lua_pushliteral(L, "<torch.cuda.Event uninitialized>");
  return 1;
}

static int event_gc(lua_State *L) {
  tocha_event *event = luaL_checkudata(L, 1, EVENT);
  if (event->handle) tocha_event_free(CX(L), event);
  return 0;
}

/* These are stream:wait_event(event) and stream:record_event(event or nil), which returns the
 * event. */
static int stream_wait_event(lua_State *L) {
  tocha_stream *stream = check_stream(L, 1);
  return tocha_event_wait(CX(L), check_event(L, 2), stream) ? 0 : raise_error(L);
}

static int stream_record_event(lua_State *L) {
  tocha_stream *stream = check_stream(L, 1);
  lua_settop(L, 2);
  if (lua_isnil(L, 2)) {
    lua_settop(L, 0);
    lua_pushboolean(L, false);
    new_event(L);
  }
  if (!tocha_event_record(CX(L), check_event(L, -1), stream)) return raise_error(L);
  return 1;
}

/* --- tensors --------------------------------------------------------------------------------------- */

static int tensor_record_stream(lua_State *L) {
  tocha_tensor *t = check_tensor(L, 1, "record_stream", "self", 0);
  return tocha_record_stream(CX(L), t, check_stream(L, 2)) ? 0 : raise_error(L);
}

static int tensor_pin_memory(lua_State *L) {
  tocha_context *cx = CX(L);
  tocha_tensor *t = check_tensor(L, 1, "pin_memory", "self", 0);
  tocha_scope s = tocha_scope_begin(cx);
  tocha_tensor *pinned = tocha_pin_memory(cx, t);
  if (pinned && pinned != t) push_tensor(L, pinned);
  tocha_scope_end(cx, s, NULL);
  if (!pinned) return raise_error(L);
  if (pinned == t) lua_pushvalue(L, 1);
  return 1;
}

static int tensor_is_pinned(lua_State *L) {
  lua_pushboolean(L, tocha_is_pinned(CX(L), check_tensor(L, 1, "is_pinned", "self", 0)));
  return 1;
}

/* Makes the metatable of a class with the given methods (and metamethods). Its __index is the
 * metatable itself, or `index` with the metatable as upvalue. [-0, +0, m] */
static void make_class(lua_State *L, const char *name, const luaL_Reg *methods,
                       lua_CFunction index) {
  new_metatable(L, name, methods);
  lua_pushvalue(L, -1);
  if (index) lua_pushcclosure(L, index, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
}

void open_cuda(lua_State *L, int torch, int methods) {
  static const luaL_Reg functions[] = {{"device_count", device_count},
                                       {"index", index_of},
                                       {"reason", reason},
                                       {"current_device", current_device},
                                       {"set_device", set_device},
                                       {"synchronize", synchronize},
                                       {"properties", properties},
                                       {"reaches", reaches},
                                       {"library", library},
                                       {"memory", memory},
                                       {"memory_info", memory_info},
                                       {"reset_peak", reset_peak},
                                       {"empty_cache", empty_cache},
                                       {"new_stream", new_stream},
                                       {"current_stream", current_stream},
                                       {"default_stream", default_stream},
                                       {"set_stream", set_stream},
                                       {"enter_device", enter_device},
                                       {"enter_stream", enter_stream},
                                       {"new_event", new_event},
                                       {NULL, NULL}};
  static const luaL_Reg stream[] = {{"synchronize", stream_synchronize},
                                    {"query", stream_query},
                                    {"wait_stream", stream_wait_stream},
                                    {"wait_event", stream_wait_event},
                                    {"record_event", stream_record_event},
                                    {"__tostring", stream_tostring},
                                    {"__eq", stream_eq},
                                    {NULL, NULL}};
  static const luaL_Reg event[] = {{"record", event_record},
                                   {"wait", event_wait},
                                   {"synchronize", event_synchronize},
                                   {"query", event_query},
                                   {"elapsed_time", event_elapsed},
                                   {"__tostring", event_tostring},
                                   {"__gc", event_gc},
                                   {NULL, NULL}};
  static const luaL_Reg of_tensor[] = {{"record_stream", tensor_record_stream},
                                       {"pin_memory", tensor_pin_memory},
                                       {"is_pinned", tensor_is_pinned},
                                       {NULL, NULL}};
  make_class(L, STREAM, stream, stream_index);
  make_class(L, EVENT, event, NULL);
  luaL_newlib(L, functions);
  open_cuda_graphs(L);
  lua_setfield(L, torch, "_cuda");
  lua_pushvalue(L, methods);
  luaL_setfuncs(L, of_tensor, 0);
  lua_pop(L, 1);
}
