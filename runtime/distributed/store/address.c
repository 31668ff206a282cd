/* address.c: the address by which other hosts reach this one. */
#include "distributed/store/address.h"

#include <stdio.h>
#include <string.h>

#include "core/process.h"
#include "distributed/store/kinds.h"
#include "distributed/store/resolve.h"
#include "platform/platform.h"

enum { INTERFACES = 128 };

static const int64_t name_time =
    5000000000; /* nanoseconds to wait for the address of the store's host */

/* Returns true if a list of names, "eth0,ib0", has the name or, as NCCL has it, its beginning. */
static bool list_has(const char *list, const char *name, bool exactly) {
  for (const char *at = list; *at;) {
    size_t length = strcspn(at, ",");
    if (length && strncmp(at, name, length) == 0 && (!exactly || name[length] == 0)) return true;
    at += length + (at[length] == ',');
  }
  return false;
}

/* Returns true if a is the better address for other hosts. */
static bool is_better(const platform_interface *a, const platform_interface *b) {
  if (a->loopback != b->loopback) return b->loopback;
  if (a->link_local != b->link_local) return b->link_local;
  return !a->ipv6 && b->ipv6;
}

/* Returns the best of the interfaces that `wanted` allows: a list of names, or one of those to leave out after '^'; NULL: all.
 * Returns NULL if there is none. */
static const platform_interface *choose(const platform_interface *list, int count,
                                        const char *wanted) {
  const platform_interface *best = NULL;
  bool excluded = wanted && wanted[0] == '^';
  for (int i = 0; i < count; i++) {
    bool named = wanted && list_has(wanted + excluded, list[i].name, !excluded);
    if (wanted && named == excluded) continue;
    if (!best || is_better(&list[i], best)) best = &list[i];
  }
  return best;
}

static bool fail_without_interface(tocha_context *cx, const char *variable, const char *wanted,
                                   const platform_interface *list, int count) {
  char names[300] = "";
  size_t at = 0;
  for (int i = 0; i < count && at + sizeof list[i].name + 2 < sizeof names; i++) {
    if (at && strstr(names, list[i].name)) continue; /* it has several addresses */
    at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", at ? ", " : "", list[i].name);
  }
  tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Unable to find interface for: %s", wanted);
  return tocha_hint(cx, "%s is '%s', and this host has: %s", variable, wanted, names) != NULL;
}

/* Writes the address on the way to the store's host. Returns false if it is not known or a loopback. */
static bool address_towards_store(tocha_context *cx, const char *host,
                                  char address[PLATFORM_ADDRESS_SIZE]) {
  platform_endpoint endpoints[STORE_ENDPOINTS];
  char reason[STORE_REASON];
  tocha_store_failure failure;
  store_patience patience = {.deadline = platform_nanoseconds() + name_time, .cx = cx};
  int count = store_resolve(host, 1, &patience, endpoints, reason, &failure);
  for (int i = 0; i < count; i++)
    if (!platform_is_loopback(&endpoints[i]) && platform_address_towards(&endpoints[i], address))
      return true;
  return false;
}

bool tocha_own_address(tocha_context *cx, const tocha_store *store,
                       char address[PLATFORM_ADDRESS_SIZE]) {
  store = store_innermost(store);
  platform_interface list[INTERFACES];
  int count = platform_interfaces(list, INTERFACES);
  const char *variable = "GLOO_SOCKET_IFNAME", *wanted = tocha_environment(cx, variable);
  if (!wanted || !wanted[0])
    variable = "TP_SOCKET_IFNAME", wanted = tocha_environment(cx, variable);
  if (wanted && !wanted[0]) wanted = NULL;
  const platform_interface *chosen = choose(list, count, wanted);
  if (wanted && !chosen) return fail_without_interface(cx, variable, wanted, list, count);
  const char *host = tocha_tcp_store_host(store), *loopback = "127.0.0.1";
  snprintf(address, PLATFORM_ADDRESS_SIZE, "%s", loopback);
  if (wanted)
    snprintf(address, PLATFORM_ADDRESS_SIZE, "%s", chosen->address);
  else if (tocha_is_loopback_name(host) || strcmp(tocha_store_kind(store), "HashStore") == 0)
    return true;
  else if (host[0] && address_towards_store(cx, host, address))
    return true;
  else if (chosen && !chosen->loopback)
    snprintf(address, PLATFORM_ADDRESS_SIZE, "%s", chosen->address);
  return true;
}

bool tocha_is_loopback_name(const char *host) {
  return strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
         strcmp(host, "::1") == 0;
}
