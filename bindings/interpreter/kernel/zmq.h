/* zmq.h: the parts of libzmq that the kernel uses. The library is opened at run time, so that
 * nothing is linked and none of its headers is needed. */
#ifndef TOCHA_KERNEL_ZMQ_H
#define TOCHA_KERNEL_ZMQ_H

#include <stdbool.h>
#include <stddef.h>

/* libzmq's own types and numbers; version 4 has kept them. */
typedef union zmq_message {
  unsigned char bytes[64];
  void *aligned;
} zmq_message;

typedef struct zmq_poll_item {
  void *socket;
  int fd;
  short events, revents;
} zmq_poll_item;

enum { ZMQ_PUB = 1, ZMQ_ROUTER = 6 };
enum { ZMQ_LINGER = 17, ZMQ_MAXMSGSIZE = 22, ZMQ_SNDHWM = 23, ZMQ_RCVHWM = 24 };
enum { ZMQ_DONTWAIT = 1, ZMQ_SNDMORE = 2 };
enum { ZMQ_POLLIN = 1 };

#define FUNCTION(result, name, parameters) result(*name##_) parameters;
typedef struct zmq_library {
#include "interpreter/kernel/zmq.def"
} zmq_library;

/* Opens libzmq. Returns false if there is no libzmq of version 4. */
bool zmq_open(zmq_library *found);

#endif
