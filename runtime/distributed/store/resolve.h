/* resolve.h: addresses of hosts, without waiting longer than a call may. */
#ifndef TOCHA_STORE_RESOLVE_H
#define TOCHA_STORE_RESOLVE_H

#include "distributed/store/kinds.h"
#include "platform/platform.h"

enum { STORE_ENDPOINTS = 16, STORE_REASON = 160 };

/* Writes the addresses of a host to `endpoints`, of STORE_ENDPOINTS. Returns their number, or 0 with a reason, or with a failure
 * if the call is over. A server of names is asked on a thread of its own, which may outlive the call. */
int store_resolve(const char *host, int port, const store_patience *patience,
                  platform_endpoint *endpoints, char reason[STORE_REASON],
                  tocha_store_failure *failure);

#endif
