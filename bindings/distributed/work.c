/* work.c: operations that were begun, for the Work objects of torch.distributed. */
#include "distributed/distributed.h"

static const char WORK[] = "torch.distributed.work";

work_box *push_work(lua_State *L) {
  work_box *box = lua_newuserdatauv(L, sizeof *box, 0);
  box->work = NULL;
  luaL_setmetatable(L, WORK);
  return box;
}

static tocha_work *check_work(lua_State *L) {
  const work_box *box = luaL_checkudata(L, 1, WORK);
  return box->work;
}

/* (work, seconds) Waits, at most for the seconds; 0: for the group's timeout. */
static int work_wait(lua_State *L) {
  tocha_work *work = check_work(L);
  note_place(L);
  return tocha_work_wait(CX(L), work, luaL_optnumber(L, 2, 0)) ? 0 : raise_error(L);
}

static int work_is_completed(lua_State *L) {
  const tocha_work *work = check_work(L);
  lua_pushboolean(L, !work || tocha_work_is_completed(work));
  return 1;
}

/* (work) Returns the rank in the group from which a recv received. */
static int work_source(lua_State *L) {
  lua_pushinteger(L, tocha_work_source(check_work(L)));
  return 1;
}

static int work_gc(lua_State *L) {
  work_box *box = luaL_checkudata(L, 1, WORK);
  tocha_work_free(box->work);
  box->work = NULL;
  return 0;
}

void open_work(lua_State *L, int table) {
  static const luaL_Reg functions[] = {{"wait", work_wait},
                                       {"is_completed", work_is_completed},
                                       {"source", work_source},
                                       {NULL, NULL}};
  static const luaL_Reg events[] = {{"__gc", work_gc}, {NULL, NULL}};
  new_metatable(L, WORK, events);
  lua_pop(L, 1);
  lua_pushvalue(L, table);
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
