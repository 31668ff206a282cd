/* address.h: the address by which other hosts reach this one. */
#ifndef TOCHA_STORE_ADDRESS_H
#define TOCHA_STORE_ADDRESS_H

#include "distributed/store.h"
#include "platform/platform.h"

/* Writes the address that this host has on its way to the store, or that of the interface which GLOO_SOCKET_IFNAME or
 * TP_SOCKET_IFNAME names: "eth0", "eth0,ib0", or "^docker0,lo" for any but these. It is never one that this host alone takes for its name,
 * such as 127.0.1.1, and a loopback only if the store is reached so. Returns false with the context's error. */
bool tocha_own_address(tocha_context *cx, const tocha_store *store,
                       char address[PLATFORM_ADDRESS_SIZE]);
/* Returns true if the host is a loopback by its spelling: a name that this host takes for its loopback may be another address
 * elsewhere. */
bool tocha_is_loopback_name(const char *host);

#endif
