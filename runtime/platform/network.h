/* network.h: sockets of TCP (network.c), names and addresses of hosts (network_names.c). Not in a web page.
 *
 * A socket is the number of a file, closed by platform_close. Programs that Tocha starts do not inherit it, sending on a
 * closed connection raises no signal, and no call but platform_wait_for_sockets and those that resolve names waits. */
#ifndef TOCHA_PLATFORM_NETWORK_H
#define TOCHA_PLATFORM_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- sockets (network.c) ----------------------------------------------------------------------- */

/* Listens on a port of all addresses of this host, of IPv6 and IPv4, or of its loopback alone. port: 0 chooses a free one.
 * Writes at most two sockets and returns their number, or -1 with errno. */
int platform_listen(int *port, bool loopback_only, int sockets[2]);
/* Accepts a connection that waits. Returns -1 if there is none (errno is EAGAIN), or with another reason. */
int platform_accept(int listener);

/* An address of a host with a port, for platform_begin_connect. */
typedef struct platform_endpoint {
  uint64_t storage[18];
} platform_endpoint;

/* Begins to connect. Returns a socket, which becomes writable when the attempt has ended, or -1. */
int platform_begin_connect(const platform_endpoint *endpoint);
/* Returns true if the attempt succeeded; otherwise errno is the reason. */
bool platform_is_connected(int socket);

/* Lets a connection fail if its other end is silent for 8 s, as those of this file do. */
void platform_notice_silence(int socket);

/* Receives at most `capacity` bytes. Returns their number, 0 if the other end has closed, or -1 (errno is EAGAIN if there are
 * none yet). */
int64_t platform_receive(int socket, void *to, size_t capacity);
/* Sends at most `length` bytes. Returns their number or -1 (errno is EAGAIN if there is no room yet). */
int64_t platform_send(int socket, const void *from, size_t length);

/* One socket, or end of a pipe, that platform_wait_for_sockets looks at. */
typedef struct platform_watch {
  int socket;          /* -1: none */
  bool read, write;    /* to wait for; what it answers */
  bool ready_to_read;  /* also if the connection was closed */
  bool ready_to_write; /* also if the attempt to connect failed */
} platform_watch;

/* Waits until one of them is ready, at most until platform_nanoseconds() is `end`. Returns the number of those that are, 0 if
 * that time is over or a signal came, or -1. */
int platform_wait_for_sockets(platform_watch *watches, int count, int64_t end);

/* Returns true if errno says that a call would have to wait. */
bool platform_would_wait(void);
/* Returns true if errno says that the port belongs to another socket. */
bool platform_port_is_taken(void);
/* Returns true if errno says that this process, or the system, can open no more files. */
bool platform_out_of_files(void);

/* --- names and addresses (network_names.c) ----------------------------------------------------- */

enum { PLATFORM_ADDRESS_SIZE = 64 }; /* bytes of an address as text, without a port */

/* Writes the addresses of a host's name, or of an address as text, in the order to try them. May wait for a server of names
 * unless `host` is an address. Returns their number, at most `capacity`, or 0 with a reason in words. */
int platform_resolve(const char *host, int port, platform_endpoint *endpoints, int capacity,
                     const char **reason);
/* Writes the address as text. */
void platform_address_text(const platform_endpoint *endpoint, char text[PLATFORM_ADDRESS_SIZE]);
/* Returns true if the address is this host's loopback. */
bool platform_is_loopback(const platform_endpoint *endpoint);
/* Writes the address that this host has on its way to `endpoint`; nothing is sent. */
bool platform_address_towards(const platform_endpoint *endpoint, char text[PLATFORM_ADDRESS_SIZE]);

/* An address of a network interface that is up. */
typedef struct platform_interface {
  char name[32];
  char address[PLATFORM_ADDRESS_SIZE];
  bool loopback, ipv6, link_local;
} platform_interface;

/* Writes the interfaces' addresses, in the system's order. Returns their number, at most `capacity`. */
int platform_interfaces(platform_interface *list, int capacity);

#endif
