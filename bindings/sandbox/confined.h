/* confined.h: what the other parts of the binding ask of the sandbox of their state, if it has one. */
#ifndef TOCHA_BINDING_CONFINED_H
#define TOCHA_BINDING_CONFINED_H

#include <lua.h>

#include "tocha/context.h"

/* Returns true if the state is a sandbox. [-0, +0, -] */
bool is_sandboxed(lua_State *L);
/* Keeps small blocks that a sandboxed state frees for it, which makes it faster. For states whose
 * allocator grants whole words, and looks at no size of a block that it frees. [-0, +0, -] */
void keep_small_blocks(lua_State *L);
/* Confines the context that torch opened in a sandboxed state. Returns false with an error in the
 * context. Does nothing in another state. [-0, +0, -] */
bool confine_context(lua_State *L, tocha_context *cx);
/* Says that the context of the state is closed. [-0, +0, -] */
void forget_context(lua_State *L);
/* Ends the script of a sandboxed state because memory is short; does nothing in another state.
 * [-0, +0, -] */
void end_for_memory(lua_State *L);
/* Returns the sandbox of a state, for end_for_interrupt, or NULL. [-0, +0, -] */
struct sandbox *sandbox_to_interrupt(lua_State *L);
/* Ends the script of a sandbox, from any thread and from a signal handler. */
void end_for_interrupt(struct sandbox *sandbox);
/* Sets the function that has the source of modules that scripts require. [-0, +0, -] */
void set_module_source(lua_State *L,
                       const char *(*source)(void *user, const char *module, size_t *size),
                       void *user);
/* Returns the open folder whose files scripts may use, or -1 if there is none. [-0, +0, -] */
int sandbox_folder(lua_State *L);
/* Returns true if scripts may make files and folders. [-0, +0, -] */
bool is_writable(lua_State *L);
/* Returns the address that may be shown: NULL in a sandbox. [-0, +0, -] */
const void *shown_address(lua_State *L, const void *address);
/* Pushes the text of a value as luaL_tolstring does; in a sandbox without addresses. [-0, +1, e] */
const char *show_value(lua_State *L, int index, size_t *length);

#endif
