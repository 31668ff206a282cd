/* wire.h: calls and answers as bytes, in the protocol of PyTorch's TCPStore. Numbers are written with the least byte first. */
#ifndef TOCHA_STORE_WIRE_H
#define TOCHA_STORE_WIRE_H

#include "distributed/store/kinds.h"

/* A connection begins with STORE_VALIDATE and this number in 4 bytes. */
#define WIRE_MAGIC 0x3C85F7CEu

/* The answers of wait and barrier in one byte. */
enum { WIRE_GO_ON = 0, WIRE_CANCELED = 1 };

typedef enum wire_state {
  WIRE_COMPLETE,
  WIRE_PARTIAL, /* the rest has not come yet */
  WIRE_JUNK     /* this is no such protocol, or beyond its limits */
} wire_state;

/* A call that was received. Its texts point to the bytes that were received. */
typedef struct wire_message {
  store_call call;
  size_t size; /* bytes of the message */
  store_text *names, *values;
  size_t name_capacity, value_capacity;
} wire_message;

/* Adds a call to the bytes to send; `prefix` goes before each name. */
void wire_put_call(store_buffer *out, const store_call *call, const char *prefix);
/* Reads a call at the head of `bytes`. The message is zeroed before its first use, and can be used again. */
wire_state wire_read_call(const char *bytes, size_t size, wire_message *message);
void wire_free_message(wire_message *message);

/* Adds the answer of a call to the bytes to send. */
void wire_put_answer(store_buffer *out, const store_call *call);
/* Reads the answer of `call` from all that was received since. */
wire_state wire_read_answer(const char *bytes, size_t size, store_call *call);
/* Returns true if the server answers such a call. */
bool wire_has_answer(store_operation operation);

#endif
