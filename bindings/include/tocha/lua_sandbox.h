/* lua_sandbox.h: limits for scripts that a host did not write. */
#ifndef TOCHA_LUA_SANDBOX_H
#define TOCHA_LUA_SANDBOX_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tocha_lua_sandbox tocha_lua_sandbox;

#ifdef __cplusplus
}
#endif
#endif
