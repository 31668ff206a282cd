/* format.c: string.format with a hint for tensors. */
#include <string.h>

#include <lualib.h>

#include "lua/binding.h"

/* Returns the index of the first tensor for which the format expects a number, or 0. [-0, +0, -] */
static int find_unformattable(lua_State *L) {
  const char *at = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
  int index = 1;
  while ((at = strchr(at, '%')) != NULL) {
    at += 1 + strspn(at + 1, "-+ #0123456789.");
    if (*at == '%')
      at++;
    else if (*at && to_tensor(L, ++index) && *at != 's' && *at != 'p')
      return index;
  }
  return 0;
}

/* Formats as string.format does, and adds a hint to the error for a tensor. Upvalue: Lua's own
 * function. */
static int format(lua_State *L) {
  int index = find_unformattable(L);
  if (!index) return lua_tocfunction(L, lua_upvalueindex(1))(L);
  lua_Debug ar;
  bool method = lua_getstack(L, 0, &ar) && lua_getinfo(L, "n", &ar) &&
                strcmp(ar.namewhat, "method") == 0; /* self is not counted in the position */
  return luaL_error(L,
                    "bad argument #%d to 'format' (number expected, got torch.Tensor)\n"
                    "hint: x:item() is its number; torch.format(\"%%.3f\", x) writes it",
                    index - method);
}

void open_format(lua_State *L) {
  int top = lua_gettop(L);
  if (lua_getglobal(L, LUA_STRLIBNAME) == LUA_TTABLE) {
    lua_getfield(L, -1, "format");
    if (lua_iscfunction(L, -1) && !lua_getupvalue(L, -1, 1)) {
      lua_pushcclosure(L, format, 1);
      lua_setfield(L, -2, "format");
    }
  }
  lua_settop(L, top);
}
