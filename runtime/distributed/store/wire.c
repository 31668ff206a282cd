/* wire.c: calls and answers as bytes. */
#include "distributed/store/wire.h"

#include <stdlib.h>
#include <string.h>

/* Limits of what a server reads. Memory is taken as bytes arrive, never because a length promises them. */
#define LONGEST_NAME ((uint64_t)64 << 10)
#define LONGEST_VALUE ((uint64_t)256 << 20)
#define MOST_NAMES ((uint64_t)128 << 10)

typedef enum answer_shape {
  NOTHING,
  READINESS,
  GO_ON,
  NUMBER,
  TEXT,
  TEXTS,
  POPPED,
  LIST,
  NONCE,
  CANCELED
} answer_shape;

/* The bytes of a call after its operation: the number of names in 8 bytes if it is `counted`; the names, each followed by
 * `values` values; a number of `number` bytes. */
typedef struct shape {
  bool counted;
  signed char names, values, number;
  answer_shape answer;
} shape;

static const shape shapes[STORE_OPERATIONS] = {
    [STORE_VALIDATE] = {false, 0, 0, 4, NOTHING},
    [STORE_SET] = {false, 1, 1, 0, NOTHING},
    [STORE_COMPARE_SET] = {false, 1, 2, 0, TEXT},
    [STORE_GET] = {false, 1, 0, 0, TEXT},
    [STORE_ADD] = {false, 1, 0, 8, NUMBER},
    [STORE_CHECK] = {true, 0, 0, 0, READINESS},
    [STORE_WAIT] = {true, 0, 0, 0, GO_ON},
    [STORE_NUM_KEYS] = {false, 0, 0, 0, NUMBER},
    [STORE_DELETE] = {false, 1, 0, 0, NUMBER},
    [STORE_APPEND] = {false, 1, 1, 0, NOTHING},
    [STORE_MULTI_GET] = {true, 0, 0, 0, TEXTS},
    [STORE_MULTI_SET] = {true, 0, 1, 0, NOTHING},
    [STORE_CANCEL_WAIT] = {false, 0, 0, 0, CANCELED},
    [STORE_PING] = {false, 0, 0, 4, NONCE},
    [STORE_QUEUE_PUSH] = {false, 1, 1, 0, NOTHING},
    [STORE_QUEUE_POP] = {false, 1, 0, 0, POPPED},
    [STORE_QUEUE_LENGTH] = {false, 1, 0, 0, NUMBER},
    [STORE_LIST_KEYS] = {false, 0, 0, 0, LIST},
    [STORE_BARRIER] = {false, 1, 0, 8, GO_ON},
};

bool wire_has_answer(store_operation operation) { return shapes[operation].answer != NOTHING; }

/* --- calls ---------------------------------------------------------------------------------------- */

void wire_put_call(store_buffer *out, const store_call *call, const char *prefix) {
  const shape *s = &shapes[call->operation];
  size_t prefix_size = strlen(prefix);
  store_put_number(out, call->operation, 1);
  if (s->counted) store_put_number(out, (uint64_t)call->count, 8);
  for (int i = 0; i < call->count; i++) {
    store_put_number(out, prefix_size + call->names[i].size, 8);
    store_put(out, prefix, prefix_size);
    store_put(out, call->names[i].bytes, call->names[i].size);
    for (int j = 0; j < s->values; j++) store_put_text(out, call->values[i * s->values + j]);
  }
  if (s->number) store_put_number(out, (uint64_t)call->number, s->number);
}

/* Bytes that are read one after another. */
typedef struct reader {
  const char *at;
  size_t left;
  wire_state state;
} reader;

static uint64_t read_number(reader *r, int bytes) {
  if (r->state == WIRE_COMPLETE && r->left < (size_t)bytes) r->state = WIRE_PARTIAL;
  if (r->state != WIRE_COMPLETE) return 0;
  uint64_t number = store_read_number(r->at, bytes);
  r->at += bytes, r->left -= (size_t)bytes;
  return number;
}

static store_text read_text(reader *r, uint64_t longest) {
  uint64_t size = read_number(r, 8);
  if (r->state == WIRE_COMPLETE && size > longest) r->state = WIRE_JUNK;
  if (r->state == WIRE_COMPLETE && size > r->left) r->state = WIRE_PARTIAL;
  if (r->state != WIRE_COMPLETE) return (store_text){0};
  store_text text = {r->at, (size_t)size};
  r->at += size, r->left -= (size_t)size;
  return text;
}

/* Makes room for one text more. Returns false for lack of memory. */
static bool reserve(store_text **list, size_t *capacity, size_t count) {
  if (count < *capacity) return true;
  size_t wanted = *capacity ? *capacity * 2 : 8;
  store_text *grown = realloc(*list, wanted * sizeof **list);
  if (grown) *list = grown, *capacity = wanted;
  return grown != NULL;
}

wire_state wire_read_call(const char *bytes, size_t size, wire_message *message) {
  reader r = {bytes, size, WIRE_COMPLETE};
  uint64_t operation = read_number(&r, 1);
  if (r.state != WIRE_COMPLETE) return r.state;
  if (operation >= STORE_OPERATIONS) return WIRE_JUNK;
  const shape *s = &shapes[operation];
  uint64_t count = s->counted ? read_number(&r, 8) : (uint64_t)s->names;
  if (count > MOST_NAMES) return WIRE_JUNK;
  size_t names = 0, values = 0;
  for (uint64_t i = 0; i < count && r.state == WIRE_COMPLETE; i++) {
    if (!reserve(&message->names, &message->name_capacity, names)) return WIRE_JUNK;
    message->names[names++] = read_text(&r, LONGEST_NAME);
    for (int j = 0; j < s->values && r.state == WIRE_COMPLETE; j++) {
      if (!reserve(&message->values, &message->value_capacity, values)) return WIRE_JUNK;
      message->values[values++] = read_text(&r, LONGEST_VALUE);
    }
  }
  uint64_t number = s->number ? read_number(&r, s->number) : 0;
  if (r.state != WIRE_COMPLETE) return r.state;
  message->size = size - r.left;
  message->call = (store_call){.operation = (store_operation)operation,
                               .count = (int)count,
                               .names = message->names,
                               .values = message->values,
                               .number = (int64_t)number};
  return WIRE_COMPLETE;
}

void wire_free_message(wire_message *message) {
  free(message->names);
  free(message->values);
  *message = (wire_message){0};
}

/* --- answers -------------------------------------------------------------------------------------- */

void wire_put_answer(store_buffer *out, const store_call *call) {
  const store_buffer *texts = &call->answer.texts;
  switch (shapes[call->operation].answer) {
  case NOTHING:
    return;
  case READINESS:
    store_put_number(out, !call->answer.number, 1);
    return;
  case GO_ON:
    store_put_number(out, WIRE_GO_ON, 1);
    return;
  case CANCELED:
    store_put_number(out, WIRE_CANCELED, 1);
    return;
  case NONCE:
    store_put_number(out, (uint64_t)call->number, 4);
    return;
  case NUMBER:
    store_put_number(out, (uint64_t)call->answer.number, 8);
    return;
  case POPPED:
    store_put_number(out, (uint64_t)call->answer.number, 8);
    break;
  case LIST:
    store_put_number(out, (uint64_t)call->answer.count, 8);
    break;
  case TEXT:
  case TEXTS:
    break;
  }
  store_put(out, texts->bytes, texts->size);
}

static wire_state read_texts(reader *r, uint64_t count, store_call *call) {
  call->answer.texts.size = 0;
  call->answer.count = 0;
  for (uint64_t i = 0; i < count; i++) {
    store_text text = read_text(r, UINT64_MAX);
    if (r->state != WIRE_COMPLETE) return r->state;
    store_answer_text(call, text);
  }
  return WIRE_COMPLETE;
}

wire_state wire_read_answer(const char *bytes, size_t size, store_call *call) {
  reader r = {bytes, size, WIRE_COMPLETE};
  uint64_t number;
  switch (shapes[call->operation].answer) {
  case NOTHING:
    break;
  case READINESS:
    call->answer.number = read_number(&r, 1) == 0;
    break;
  case GO_ON:
  case CANCELED:
    call->answer.number = (int64_t)read_number(&r, 1);
    break;
  case NONCE:
    call->answer.number = (int64_t)read_number(&r, 4);
    break;
  case NUMBER:
    call->answer.number = (int64_t)read_number(&r, 8);
    break;
  case POPPED:
    number = read_number(&r, 8);
    call->answer.number = (int64_t)number;
    return r.state == WIRE_COMPLETE ? read_texts(&r, number > 0, call) : r.state;
  case LIST:
    number = read_number(&r, 8);
    return r.state == WIRE_COMPLETE ? read_texts(&r, number, call) : r.state;
  case TEXT:
    return read_texts(&r, 1, call);
  case TEXTS:
    return read_texts(&r, (uint64_t)call->count, call);
  }
  return r.state;
}
