/* open.c: makes torch._distributed. */
#include "distributed/distributed.h"

void open_distributed(lua_State *L, int torch) {
  lua_newtable(L);
  open_stores(L, lua_gettop(L));
  lua_setfield(L, torch, "_distributed");
}
