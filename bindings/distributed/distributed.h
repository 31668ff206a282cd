/* distributed.h: the functions in C behind torch.distributed: the private table torch._distributed, which the files in
 * lua/torch/distributed/ and lua/parts/distributed/ call with plain arguments. */
#ifndef BINDINGS_DISTRIBUTED_H
#define BINDINGS_DISTRIBUTED_H

#include "lua/binding.h"
#include "tocha/distributed.h"

/* Each adds its functions to the table at stack index `table`. [-0, +0, m] */
void open_stores(lua_State *L, int table);
void open_groups(lua_State *L, int table);
void open_collectives(lua_State *L, int table);
void open_coalesced(lua_State *L, int table);
void open_work(lua_State *L, int table);
void open_ddp(lua_State *L, int table);
void open_communication(lua_State *L, int table);
void open_questions(lua_State *L, int table);

/* Returns the store at `index`, which the value keeps, or NULL if the value is no store. [-0, +0, -] */
tocha_store *to_store(lua_State *L, int index);
/* Returns the group of the handle at `index`; nil is the default group, NULL. Raises if the group has ended.
 * [-0, +0, e] */
tocha_process_group *check_group(lua_State *L, int index);
/* Tells the context the line of the script that is running, for the errors of the next operation. [-0, +0, m] */
void note_place(lua_State *L);

/* Lets other ranks ask where the script stands, from now on until the state is closed. [-0, +0, m] */
void receive_questions(lua_State *L);

/* An operation that a script began. */
typedef struct work_box {
  tocha_work *work; /* NULL: it failed to begin */
} work_box;

/* Pushes a box for an operation, which it frees when it is collected. It comes before the operation, so that a
 * lack of memory leaves none behind. [-0, +1, m] */
work_box *push_work(lua_State *L);

#endif
