/* strings.c: string.format and string.rep of a sandbox, and the metatable of strings. */
#include "sandbox/sandbox.h"

static bool is_modifier(char c) {
  return (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == ' ' || c == '#';
}

/* Returns the letter of the conversion that begins at `*at`, behind "%", and moves `*at` behind it. */
static char conversion(const char **at, const char *end) {
  while (*at < end && is_modifier(**at)) ++*at;
  return *at < end ? *(*at)++ : '\0';
}

/* string.format(...), by Lua's own function once no value is left whose text is an address. */
static int format(lua_State *L) {
  sandbox *s = sandbox_of(L);
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length), *end = text + length;
  int argument = 1, count = lua_gettop(L);
  for (const char *at = text; at < end;) {
    if (*at++ != '%') continue;
    char kind = conversion(&at, end);
    if (kind == '%') continue;
    if (kind == 'p') return luaL_error(L, "string.format: a sandbox shows no addresses ('%%p')");
    if (++argument > count || kind != 's') continue;
    int type = lua_type(L, argument);
    if (type == LUA_TSTRING || type == LUA_TNUMBER) continue;
    push_shown(L, s, argument, NULL);
    lua_replace(L, argument);
  }
  return s->format(L);
}

/* string.rep(text, n, separator). Lua's own loops n times over nothing. */
static int repeat(lua_State *L) {
  if (lua_isstring(L, 1) && lua_rawlen(L, 1) == 0 && lua_type(L, 1) == LUA_TSTRING &&
      (lua_isnoneornil(L, 3) || (lua_type(L, 3) == LUA_TSTRING && lua_rawlen(L, 3) == 0))) {
    luaL_checkinteger(L, 2);
    lua_pushliteral(L, "");
    return 1;
  }
  return sandbox_of(L)->rep(L);
}

void open_sandbox_strings(lua_State *L, sandbox *s) {
  static const luaL_Reg functions[] = {{"format", format}, {"rep", repeat}, {NULL, NULL}};
  s->format = library_function(L, "format");
  s->rep = library_function(L, "rep");
  set_sandbox_functions(L, functions);
  lua_pushnil(L);
  lua_setfield(L, -2, "dump");
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_pushliteral(L, "string"); /* the host's strings have the same metatable */
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}
