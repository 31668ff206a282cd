/* connections.h: the connections of a TCPStore's server, and the values that they ask for. One thread uses them. */
#ifndef TOCHA_STORE_CONNECTIONS_H
#define TOCHA_STORE_CONNECTIONS_H

#include "distributed/store/kinds.h"
#include "platform/platform.h"

typedef struct store_connections store_connections;

store_connections *store_connections_new(void); /* NULL: out of memory */
void store_connections_free(store_connections *all);
/* Takes over a socket that was accepted. */
void store_connections_add(store_connections *all, int socket);
int store_connections_count(const store_connections *all);
/* Returns true if a rank is connected that takes part in a meeting, or that hears of the others here. */
bool store_connections_have_visitors(const store_connections *all);
/* Writes what each connection waits for. */
void store_connections_watch(const store_connections *all, platform_watch *watches);
/* Returns the time of platform_nanoseconds at which to call `serve` although nothing is ready. */
int64_t store_connections_deadline(const store_connections *all);
/* Receives, carries out and answers what is ready; the watches are in the order of the last store_connections_watch. */
void store_connections_serve(store_connections *all, const platform_watch *watches);

#endif
