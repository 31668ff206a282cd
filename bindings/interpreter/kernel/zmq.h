/* zmq.h: what the kernel needs of libzmq, which is opened at run time: nothing is linked to it, no header of its is needed. */
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

/* X(result, name, parameters) */
#define ZMQ_FUNCTIONS(X)                                                                           \
  X(void *, ctx_new, (void))                                                                       \
  X(int, ctx_term, (void *context))                                                                \
  X(void *, socket, (void *context, int type))                                                     \
  X(int, close, (void *socket))                                                                    \
  X(int, setsockopt, (void *socket, int option, const void *value, size_t size))                   \
  X(int, bind, (void *socket, const char *address))                                                \
  X(int, msg_init, (zmq_message * message))                                                        \
  X(int, msg_recv, (zmq_message * message, void *socket, int flags))                               \
  X(void *, msg_data, (zmq_message * message))                                                     \
  X(size_t, msg_size, (const zmq_message *message))                                                \
  X(int, msg_more, (const zmq_message *message))                                                   \
  X(int, msg_close, (zmq_message * message))                                                       \
  X(int, send, (void *socket, const void *bytes, size_t size, int flags))                          \
  X(int, poll, (zmq_poll_item * items, int count, long milliseconds))                              \
  X(int, errno, (void))                                                                            \
  X(const char *, strerror, (int number))                                                          \
  X(void, version, (int *major, int *minor, int *patch))

#define ZMQ_MEMBER(result, name, parameters) result(*name##_) parameters;
typedef struct zmq_library {
  ZMQ_FUNCTIONS(ZMQ_MEMBER)
} zmq_library;

/* False where there is no libzmq of version 4. */
bool zmq_open(zmq_library *found);

#endif
