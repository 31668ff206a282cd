/* open.c: makes torch._distributed. */
#include "distributed/distributed.h"

void open_distributed(lua_State *L, int torch) {
  lua_newtable(L);
  int table = lua_gettop(L);
  open_stores(L, table);
  open_groups(L, table);
  open_collectives(L, table);
  open_coalesced(L, table);
  open_work(L, table);
  open_ddp(L, table);
  open_communication(L, table);
  open_questions(L, table);
  lua_setfield(L, torch, "_distributed");
}
