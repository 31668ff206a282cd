/* distributed.h: the functions in C behind torch.distributed: the private table torch._distributed, which the files in
 * lua/torch/distributed/ call with plain arguments. */
#ifndef BINDINGS_DISTRIBUTED_H
#define BINDINGS_DISTRIBUTED_H

#include "lua/binding.h"
#include "tocha/distributed.h"

/* Each adds its functions to the table at stack index `table`. [-0, +0, m] */
void open_stores(lua_State *L, int table);

#endif
