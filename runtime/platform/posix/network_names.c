/* network_names.c: names and addresses of hosts. */
#define _DEFAULT_SOURCE /* IFF_UP, NI_NUMERICHOST */
#include "platform/platform.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

int platform_resolve(const char *host, int port, platform_endpoint *endpoints, int capacity,
                     const char **reason) {
  struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *found = NULL;
  char service[16];
  snprintf(service, sizeof service, "%d", port);
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  int problem = getaddrinfo(host, service, &wanted, &found);
  if (problem == EAI_NONAME) { /* no address as text */
    wanted.ai_flags = AI_NUMERICSERV;
    problem = getaddrinfo(host, service, &wanted, &found);
  }
  *reason = problem ? gai_strerror(problem) : "";
  int count = 0;
  for (struct addrinfo *at = found; at && count < capacity; at = at->ai_next) {
    if (at->ai_family != AF_INET && at->ai_family != AF_INET6) continue;
    endpoints[count] = (platform_endpoint){{0}};
    memcpy(&endpoints[count++], at->ai_addr, at->ai_addrlen);
  }
  if (found) freeaddrinfo(found);
  if (!problem && !count) *reason = "it has no address";
  return count;
}

/* Writes the address as text; an IPv4 address within IPv6 as IPv4. */
static void write_address(const struct sockaddr *address, char text[PLATFORM_ADDRESS_SIZE]) {
  text[0] = 0;
  if (address->sa_family == AF_INET) {
    inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text,
              PLATFORM_ADDRESS_SIZE);
  } else if (address->sa_family == AF_INET6) {
    const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(six))
      inet_ntop(AF_INET, &six->s6_addr[12], text, PLATFORM_ADDRESS_SIZE);
    else
      inet_ntop(AF_INET6, six, text, PLATFORM_ADDRESS_SIZE);
  }
}

void platform_address_text(const platform_endpoint *endpoint, char text[PLATFORM_ADDRESS_SIZE]) {
  write_address((const struct sockaddr *)endpoint, text);
}

static bool is_loopback(const struct sockaddr *address) {
  if (address->sa_family == AF_INET)
    return ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127;
  if (address->sa_family != AF_INET6) return false;
  const struct in6_addr *six = &((const struct sockaddr_in6 *)address)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == 127);
}

bool platform_is_loopback(const platform_endpoint *endpoint) {
  return is_loopback((const struct sockaddr *)endpoint);
}

bool platform_address_towards(const platform_endpoint *endpoint, char text[PLATFORM_ADDRESS_SIZE]) {
  const struct sockaddr *address = (const struct sockaddr *)endpoint;
  socklen_t length =
      address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
  int s = socket(address->sa_family, SOCK_DGRAM, 0);
  if (s < 0) return false;
  struct sockaddr_storage own = {0};
  socklen_t own_length = sizeof own;
  bool known =
      connect(s, address, length) == 0 && getsockname(s, (struct sockaddr *)&own, &own_length) == 0;
  close(s);
  if (known) write_address((const struct sockaddr *)&own, text);
  return known && text[0];
}

int platform_interfaces(platform_interface *list, int capacity) {
  struct ifaddrs *all = NULL;
  if (getifaddrs(&all) != 0) return 0;
  int count = 0;
  for (struct ifaddrs *at = all; at && count < capacity; at = at->ifa_next) {
    const struct sockaddr *address = at->ifa_addr;
    if (!address || !(at->ifa_flags & IFF_UP)) continue;
    if (address->sa_family != AF_INET && address->sa_family != AF_INET6) continue;
    platform_interface *to = &list[count++];
    snprintf(to->name, sizeof to->name, "%s", at->ifa_name);
    write_address(address, to->address);
    to->ipv6 = address->sa_family == AF_INET6;
    to->loopback = (at->ifa_flags & IFF_LOOPBACK) || is_loopback(address);
    to->link_local =
        to->ipv6 && IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)address)->sin6_addr);
  }
  freeifaddrs(all);
  return count;
}
