/* memory.h: one limit on the memory of a Lua state and the tensors of its context. */
#ifndef TOCHA_BINDING_MEMORY_H
#define TOCHA_BINDING_MEMORY_H

#include "lua/binding.h"

/* Counts the bytes of Lua and of the runtime. It frees itself once it is closed and all bytes were
 * given back, which may be later than the state's end: tensors that were shared outlive a context. */
typedef struct memory_account memory_account;

/* Returns an account with a limit in bytes (0: none), or NULL if memory is short. The runtime's bytes
 * come from `runtime`'s allocator, or the C library if it has none. */
memory_account *open_memory_account(size_t limit, const tocha_options *runtime);
/* Says that nobody asks for more. */
void close_memory_account(memory_account *account);
/* Makes Lua's allocator one that counts. The state may have allocated before. [-0, +0, -] */
void count_memory_of_lua(lua_State *L, memory_account *account);
/* The allocator for lua_newstate; `user` is the account. */
void *allocate_for_lua(void *user, void *pointer, size_t old_size, size_t new_size);
/* Makes the runtime's allocator one that counts. */
void count_memory_of_runtime(memory_account *account, tocha_options *options);
/* Sets the context whose caches are emptied if Lua needs memory; NULL: none. */
void set_account_context(memory_account *account, tocha_context *cx);

#endif
