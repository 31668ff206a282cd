/* profiler.c: the functions of <tocha/profiler.h> for lua/torch/profiler.lua. */
#include "tocha/profiler.h"

#include "lua/binding.h"
#include "tocha/nvtx.h"

/* torch._profiler.start(gpus) starts recording, with times of GPUs by events if `gpus` is true. */
static int start(lua_State *L) {
  tocha_context *cx = CX(L);
  bool gpus = lua_toboolean(L, 1);
  return tocha_profile_start(cx) && (!gpus || tocha_profile_time_gpus(cx)) ? 0 : raise_error(L);
}

/* torch._profiler.emit_ranges() makes each operator a range of NVTX, until stop(). */
static int emit_ranges(lua_State *L) {
  return tocha_profile_emit_ranges(CX(L)) ? 0 : raise_error(L);
}

/* torch._profiler.nvtx_push(text) and so on: see <tocha/nvtx.h>. */
static int nvtx_push(lua_State *L) {
  lua_pushinteger(L, tocha_nvtx_push(CX(L), luaL_checkstring(L, 1)));
  return 1;
}

static int nvtx_pop(lua_State *L) {
  lua_pushinteger(L, tocha_nvtx_pop(CX(L)));
  return 1;
}

static int nvtx_start(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)tocha_nvtx_start(CX(L), luaL_checkstring(L, 1)));
  return 1;
}

static int nvtx_end(lua_State *L) {
  tocha_nvtx_end(CX(L), (uint64_t)luaL_checkinteger(L, 1));
  return 0;
}

static int nvtx_mark(lua_State *L) {
  tocha_nvtx_mark(CX(L), luaL_checkstring(L, 1));
  return 0;
}

/* torch._profiler.mark(number) sets the number that the next events carry. */
static int mark(lua_State *L) {
  tocha_profile_mark(CX(L), luaL_checkinteger(L, 1));
  return 0;
}

/* torch._profiler.stop() stops recording and returns the number of events that were lost. */
static int stop(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)tocha_profile_lost(CX(L)));
  tocha_profile_stop(CX(L));
  return 1;
}

/* torch._profiler.event(index) returns an event, counted from 0: name, start, seconds, bytes,
 * mark, module or nil. Returns nothing after the last one. */
static int event(lua_State *L) {
  lua_Integer index = luaL_checkinteger(L, 1);
  const tocha_profile_event *e = index < 0 ? NULL : tocha_profile_event_at(CX(L), (size_t)index);
  if (!e) return 0;
  lua_pushstring(L, e->op->lua_name);
  lua_pushnumber(L, e->start);
  lua_pushnumber(L, e->seconds);
  lua_pushinteger(L, e->bytes);
  lua_pushinteger(L, e->mark);
  lua_pushstring(L, e->module);
  return 6;
}

/* torch._profiler.gpu(index) returns an event's bytes on GPUs, and if it was timed there, the GPU's
 * number, start and seconds. */
static int gpu(lua_State *L) {
  tocha_profile_gpu g;
  if (!tocha_profile_gpu_at(CX(L), (size_t)luaL_checkinteger(L, 1), &g)) return raise_error(L);
  lua_pushinteger(L, g.bytes);
  if (g.device < 0) return 1;
  lua_pushinteger(L, g.device);
  lua_pushnumber(L, g.start);
  lua_pushnumber(L, g.seconds);
  return 4;
}

/* torch._profiler.activity(index) returns a kernel, copy or fill of a GPU, counted from 0: name, the
 * GPU's number, start, seconds. Returns nothing after the last one. */
static int activity(lua_State *L) {
  tocha_profile_activity a;
  if (!tocha_profile_activity_at(CX(L), (size_t)luaL_checkinteger(L, 1), &a)) return raise_error(L);
  if (!a.name) return 0;
  lua_pushstring(L, a.name);
  lua_pushinteger(L, a.device);
  lua_pushnumber(L, a.start);
  lua_pushnumber(L, a.seconds);
  return 4;
}

/* The hook of a host in C, which debug.sethook cannot set again. */
typedef struct host_hook {
  lua_Hook hook;
  int mask, count;
} host_hook;

/* Sets the hook again, for the thread for which keep_hook was called. */
static int restore_hook(lua_State *L) {
  const host_hook *h = lua_touserdata(L, lua_upvalueindex(1));
  lua_sethook(lua_tothread(L, lua_upvalueindex(2)), h->hook, h->mask, h->count);
  return 0;
}

/* torch._profiler.keep_hook() returns a function that sets this thread's hook, of a host in C,
 * again. */
static int keep_hook(lua_State *L) {
  host_hook *h = lua_newuserdatauv(L, sizeof *h, 0);
  *h = (host_hook){lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L)};
  lua_pushthread(L);
  lua_pushcclosure(L, restore_hook, 2);
  return 1;
}

void open_profiler(lua_State *L, int torch) {
  static const luaL_Reg functions[] = {{"start", start},
                                       {"mark", mark},
                                       {"stop", stop},
                                       {"event", event},
                                       {"gpu", gpu},
                                       {"activity", activity},
                                       {"emit_ranges", emit_ranges},
                                       {"nvtx_push", nvtx_push},
                                       {"nvtx_pop", nvtx_pop},
                                       {"nvtx_start", nvtx_start},
                                       {"nvtx_end", nvtx_end},
                                       {"nvtx_mark", nvtx_mark},
                                       {"keep_hook", keep_hook},
                                       {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, torch, "_profiler");
}
