/* network.c: sockets of TCP. */
#ifdef __APPLE__
#define _DARWIN_C_SOURCE /* SO_NOSIGPIPE */
#else
#define _GNU_SOURCE /* accept4, SOCK_CLOEXEC */
#endif
#include "platform/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert(sizeof(struct sockaddr_storage) <= sizeof(platform_endpoint), "an address fits");

enum { BACKLOG = 1024 };

/* A silent peer is given up after KEEP_IDLE + KEEP_COUNT * KEEP_INTERVAL seconds: less than the 10 in which a cut link is
 * to be noticed. */
enum { KEEP_IDLE = 4, KEEP_INTERVAL = 1, KEEP_COUNT = 4 };

static void set(int socket, int level, int option, int value) {
  setsockopt(socket, level, option, &value, sizeof value); /* a system may lack some of them */
}

void platform_notice_silence(int socket) {
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, KEEP_IDLE);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_INTERVAL);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, KEEP_COUNT);
#endif
#ifdef TCP_USER_TIMEOUT /* bytes that nobody acknowledges; milliseconds */
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 1000 * (KEEP_IDLE + KEEP_COUNT * KEEP_INTERVAL));
#endif
}

static void set_up_connection(int socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  platform_notice_silence(socket);
#ifdef SO_NOSIGPIPE
  set(socket, SOL_SOCKET, SO_NOSIGPIPE, 1);
#endif
}

/* Returns a socket that waits for nothing and that programs do not inherit, or -1. */
static int new_socket(int family) {
#ifdef SOCK_CLOEXEC
  return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
  int s = socket(family, SOCK_STREAM, 0);
  if (s >= 0) fcntl(s, F_SETFD, FD_CLOEXEC), fcntl(s, F_SETFL, O_NONBLOCK);
  return s;
#endif
}

static void close_keeping_reason(int socket) {
  int reason = errno;
  close(socket);
  errno = reason;
}

/* Listens on an address of a family. Returns -1 if it fails. */
static int listen_on(int family, bool loopback_only, bool both_families, int *port) {
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)*port)};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)*port)};
  six.sin6_addr = loopback_only ? in6addr_loopback : in6addr_any;
  four.sin_addr.s_addr = htonl(loopback_only ? INADDR_LOOPBACK : INADDR_ANY);
  bool is_six = family == AF_INET6;
  struct sockaddr *address = is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
  socklen_t length = is_six ? sizeof six : sizeof four;
  int s = new_socket(family);
  if (s < 0) return -1;
  set(s, SOL_SOCKET, SO_REUSEADDR,
      1); /* a port is free although old connections of it still wait for their end */
  if (is_six) set(s, IPPROTO_IPV6, IPV6_V6ONLY, !both_families);
  if (bind(s, address, length) != 0 || listen(s, BACKLOG) != 0 ||
      getsockname(s, address, &length) != 0) {
    close_keeping_reason(s);
    return -1;
  }
  *port = ntohs(is_six ? six.sin6_port : four.sin_port);
  return s;
}

int platform_listen(int *port, bool loopback_only, int sockets[2]) {
  if (!loopback_only) {
    sockets[0] = listen_on(AF_INET6, false, true, port);
    if (sockets[0] < 0 && !platform_port_is_taken())
      sockets[0] = listen_on(AF_INET, false, false, port);
    return sockets[0] < 0 ? -1 : 1;
  }
  sockets[0] = listen_on(AF_INET, true, false, port);
  if (sockets[0] < 0) return -1;
  sockets[1] = listen_on(AF_INET6, true, false, port); /* many hosts have no ::1 */
  return sockets[1] < 0 ? 1 : 2;
}

int platform_accept(int listener) {
#ifdef SOCK_CLOEXEC
  int s = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
#else
  int s = accept(listener, NULL, NULL);
  if (s >= 0) fcntl(s, F_SETFD, FD_CLOEXEC), fcntl(s, F_SETFL, O_NONBLOCK);
#endif
  if (s >= 0) set_up_connection(s);
  return s;
}

int platform_begin_connect(const platform_endpoint *endpoint) {
  const struct sockaddr *address = (const struct sockaddr *)endpoint;
  int s = new_socket(address->sa_family);
  if (s < 0) return -1;
  set_up_connection(s);
  socklen_t length =
      address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
  if (connect(s, address, length) == 0 || errno == EINPROGRESS || errno == EINTR) return s;
  close_keeping_reason(s);
  return -1;
}

/* A port that is free and within the range of those that the system chooses may be connected to itself. */
static bool is_own_end(int socket) {
  struct sockaddr_storage own = {0}, other = {0};
  socklen_t own_length = sizeof own, other_length = sizeof other;
  return getsockname(socket, (struct sockaddr *)&own, &own_length) == 0 &&
         getpeername(socket, (struct sockaddr *)&other, &other_length) == 0 &&
         own_length == other_length && memcmp(&own, &other, own_length) == 0;
}

bool platform_is_connected(int socket) {
  int reason = 0;
  socklen_t length = sizeof reason;
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &reason, &length) != 0) return false;
  if (reason == 0 && is_own_end(socket)) reason = ECONNREFUSED;
  errno = reason;
  return reason == 0;
}

int64_t platform_receive(int socket, void *to, size_t capacity) {
  ssize_t size;
  do size = recv(socket, to, capacity, 0);
  while (size < 0 && errno == EINTR);
  return size;
}

int64_t platform_send(int socket, const void *from, size_t length) {
#ifdef MSG_NOSIGNAL
  int flags = MSG_NOSIGNAL;
#else
  int flags = 0;
#endif
  ssize_t size;
  do size = send(socket, from, length, flags);
  while (size < 0 && errno == EINTR);
  return size;
}

bool platform_would_wait(void) { return errno == EAGAIN || errno == EWOULDBLOCK; }

bool platform_port_is_taken(void) { return errno == EADDRINUSE; }

bool platform_out_of_files(void) {
  return errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
}

/* Returns the milliseconds until `end`, rounded up. */
static int milliseconds_until(int64_t end) {
  const int64_t millisecond = 1000000, longest = 3600000;
  int64_t left = (end - platform_nanoseconds() + millisecond - 1) / millisecond;
  return left < 0 ? 0 : left > longest ? (int)longest : (int)left;
}

int platform_wait_for_sockets(platform_watch *watches, int count, int64_t end) {
  struct pollfd few[16], *list = few;
  if (count > 16) list = malloc((size_t)count * sizeof *list);
  if (!list) return -1;
  for (int i = 0; i < count; i++) {
    list[i] = (struct pollfd){.fd = watches[i].socket};
    if (watches[i].read) list[i].events |= POLLIN;
    if (watches[i].write) list[i].events |= POLLOUT;
    if (!list[i].events)
      list[i].fd = -1; /* else a closed connection would be reported at once, again and again */
  }
  int ready = poll(list, (nfds_t)count, milliseconds_until(end));
  if (ready < 0 && errno == EINTR) ready = 0;
  for (int i = 0; i < count; i++) {
    short events = ready > 0 ? list[i].revents : 0;
    bool ended = (events & (POLLHUP | POLLERR | POLLNVAL)) != 0;
    watches[i].ready_to_read = watches[i].read && (ended || (events & POLLIN));
    watches[i].ready_to_write = watches[i].write && (ended || (events & POLLOUT));
  }
  if (list != few) free(list);
  return ready;
}
