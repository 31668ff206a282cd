"""The functions of Lua's C interface that the bridge calls, by ctypes, without their prefixes. LUA_LIBRARY: the library's file."""
import ctypes as C
import os

lua = C.CDLL(os.environ.get("LUA_LIBRARY", "liblua5.4.so.0"))
P, I, S, LL, D = C.c_void_p, C.c_int, C.c_char_p, C.c_longlong, C.c_double
CALLBACK = C.CFUNCTYPE(I, P)


def function(name, result, *arguments):
    f = getattr(lua, name)
    f.restype, f.argtypes = result, list(arguments)
    return f


newstate = function("luaL_newstate", P)
openlibs = function("luaL_openlibs", None, P)
loadfilex = function("luaL_loadfilex", I, P, S, S)
pcallk = function("lua_pcallk", I, P, I, I, I, C.c_ssize_t, P)
gettop = function("lua_gettop", I, P)
settop = function("lua_settop", None, P, I)
ltype = function("lua_type", I, P, I)
toboolean = function("lua_toboolean", I, P, I)
isinteger = function("lua_isinteger", I, P, I)
tointegerx = function("lua_tointegerx", LL, P, I, P)
tonumberx = function("lua_tonumberx", D, P, I, P)
tolstring = function("lua_tolstring", P, P, I, C.POINTER(C.c_size_t))
pushnil = function("lua_pushnil", None, P)
pushboolean = function("lua_pushboolean", None, P, I)
pushinteger = function("lua_pushinteger", None, P, LL)
pushnumber = function("lua_pushnumber", None, P, D)
pushlstring = function("lua_pushlstring", P, P, S, C.c_size_t)
createtable = function("lua_createtable", None, P, I, I)
rawseti = function("lua_rawseti", None, P, I, LL)
rawgeti = function("lua_rawgeti", I, P, I, LL)
rawget = function("lua_rawget", I, P, I)
setfield = function("lua_setfield", None, P, I, S)
lnext = function("lua_next", I, P, I)
lref = function("luaL_ref", I, P, I)
pushcclosure = function("lua_pushcclosure", None, P, CALLBACK, I)
setglobal = function("lua_setglobal", None, P, S)
getglobal = function("lua_getglobal", I, P, S)
rawlen = function("lua_rawlen", C.c_ulonglong, P, I)
pushvalue = function("lua_pushvalue", None, P, I)
absindex = function("lua_absindex", I, P, I)
getmetatable = function("lua_getmetatable", I, P, I)
checkstack = function("lua_checkstack", I, P, I)
loadbuffer = function("luaL_loadbufferx", I, P, S, C.c_size_t, S, S)
close = function("lua_close", None, P)
REGISTRY = -1000000 - 1000
