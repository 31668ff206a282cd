/* hosts.c: names of hosts, for launchers on several machines. */
#include <string.h>

#include <lauxlib.h>

#include "platform/platform.h"
#include "processes/processes.h"

enum { MOST_ENDPOINTS = 16, MOST_INTERFACES = 64 };

static bool is_interface(const platform_interface *list, int count, const char *address) {
  for (int i = 0; i < count; i++)
    if (strcmp(list[i].address, address) == 0) return true;
  return false;
}

/* is_own_host(name): returns true if one of the name's addresses is this host's; nil and a message if it has none. */
static int is_own_host(lua_State *L) {
  platform_endpoint endpoints[MOST_ENDPOINTS];
  platform_interface interfaces[MOST_INTERFACES];
  char address[PLATFORM_ADDRESS_SIZE];
  const char *reason = "";
  int count = platform_resolve(luaL_checkstring(L, 1), 1, endpoints, MOST_ENDPOINTS, &reason);
  int known = platform_interfaces(interfaces, MOST_INTERFACES);
  bool own = false;
  for (int i = 0; i < count && !own; i++) {
    platform_address_text(&endpoints[i], address);
    own = platform_is_loopback(&endpoints[i]) || is_interface(interfaces, known, address);
  }
  if (count <= 0) {
    lua_pushnil(L);
    lua_pushstring(L, reason);
    return 2;
  }
  lua_pushboolean(L, own);
  return 1;
}

void open_hosts(lua_State *L) {
  static const luaL_Reg functions[] = {{"is_own_host", is_own_host}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
