/* processes.h: torch._processes, what the launcher and torch.multiprocessing need of the system. */
#ifndef TOCHA_BINDING_PROCESSES_H
#define TOCHA_BINDING_PROCESSES_H

#include <lua.h>

/* Fills torch._processes, unless the state is a sandbox. [-0, +0, m] */
void open_processes(lua_State *L, int torch);
/* Adds the functions about files (files.c) to the table at the top. [-0, +0, m] */
void open_process_files(lua_State *L);
/* Adds the functions about parcels (parcels.c) to the table at the top. [-0, +0, m] */
void open_parcels(lua_State *L);
/* Adds the functions about hosts (hosts.c) to the table at the top. [-0, +0, m] */
void open_hosts(lua_State *L);
/* Pushes nil and the text of errno. [-0, +2, m] */
int push_system_error(lua_State *L);

#endif
