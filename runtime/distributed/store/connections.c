/* connections.c: the connections of a TCPStore's server. */
#include "distributed/store/connections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/store/closings.h"
#include "distributed/store/values.h"
#include "distributed/store/wire.h"
#include "platform/platform.h"

typedef struct connection {
  int socket;
  bool greeted; /* it sent the protocol's first bytes */
  bool blocked; /* the call at the head of `in`, `blocked_size` bytes, waits for `awaited` */
  bool pending; /* `in` has to be looked at */
  bool ended;   /* nothing more will come; what did is still carried out */
  bool closed;
  bool silent; /* it is closed since nothing came */
  size_t blocked_size;
  int64_t greeting_end, heard; /* heard: the time of the last bytes */
  store_text awaited;
  store_buffer in, out;
  size_t sent; /* bytes of `out` */
  announcement *announcements;
} connection;

struct store_connections {
  store_values *values;
  wire_message message; /* the one that is carried out */
  connection **list;
  int count, capacity;
};

enum {
  CHUNK = 64 << 10,       /* bytes of one receive */
  CHUNKS_IN_TURN = 16,    /* of one connection, then it is the next one's turn */
  UNSENT_LIMIT = 1 << 20, /* bytes of answers that nobody takes: then no more calls are read */
  KEPT_CAPACITY = 1 << 20 /* bytes of an empty buffer that are kept */
};

static const int64_t second = 1000000000, greeting_time = 10 * second,
                     silence = STORE_SILENCE * second;

/* --- the list --------------------------------------------------------------------------------------- */

store_connections *store_connections_new(void) {
  store_connections *all = calloc(1, sizeof *all);
  if (!all) return NULL;
  all->values = store_values_new();
  if (all->values) return all;
  free(all);
  return NULL;
}

static void free_connection(connection *c) {
  platform_close(c->socket);
  store_free_announcements(c->announcements);
  free((void *)c->awaited.bytes);
  free(c->in.bytes);
  free(c->out.bytes);
  free(c);
}

void store_connections_free(store_connections *all) {
  if (!all) return;
  for (int i = 0; i < all->count; i++) free_connection(all->list[i]);
  free(all->list);
  wire_free_message(&all->message);
  store_values_free(all->values);
  free(all);
}

void store_connections_add(store_connections *all, int socket) {
  if (all->count == all->capacity) {
    int capacity = all->capacity ? all->capacity * 2 : 16;
    connection **grown = realloc(all->list, (size_t)capacity * sizeof(connection *));
    if (grown) all->list = grown, all->capacity = capacity;
  }
  connection *c = all->count < all->capacity ? calloc(1, sizeof *c) : NULL;
  if (!c) {
    platform_close(socket);
    return;
  }
  c->socket = socket;
  c->greeting_end = platform_nanoseconds() + greeting_time;
  all->list[all->count++] = c;
}

int store_connections_count(const store_connections *all) { return all->count; }

bool store_connections_have_visitors(const store_connections *all) {
  for (int i = 0; i < all->count; i++)
    if (store_is_visitor(all->list[i]->announcements) ||
        store_is_connected(all->list[i]->announcements))
      return true;
  return false;
}

void store_connections_watch(const store_connections *all, platform_watch *watches) {
  for (int i = 0; i < all->count; i++) {
    const connection *c = all->list[i];
    size_t unsent = c->out.size - c->sent;
    bool full = unsent > UNSENT_LIMIT || (c->blocked && c->in.size > c->blocked_size + CHUNK);
    watches[i] = (platform_watch){.socket = c->socket, .read = !full, .write = unsent > 0};
  }
}

/* Returns the time at which the connection is closed unless bytes come before. */
static int64_t end_of(const connection *c) {
  if (!c->greeted) return c->greeting_end;
  return store_is_connected(c->announcements) ? c->heard + silence : INT64_MAX;
}

int64_t store_connections_deadline(const store_connections *all) {
  int64_t end = INT64_MAX;
  for (int i = 0; i < all->count; i++) {
    int64_t own = end_of(all->list[i]);
    if (own < end) end = own;
  }
  return end;
}

/* --- bytes in and out --------------------------------------------------------------------------------- */

/* Removes `size` bytes from the head of a buffer. */
static void consume(store_buffer *buffer, size_t size) {
  buffer->size -= size;
  if (buffer->size) memmove(buffer->bytes, buffer->bytes + size, buffer->size);
  if (buffer->size || buffer->capacity <= KEPT_CAPACITY) return;
  free(buffer->bytes);
  *buffer = (store_buffer){0};
}

static void receive(connection *c) {
  char chunk[CHUNK];
  for (int i = 0; i < CHUNKS_IN_TURN; i++) {
    int64_t size = platform_receive(c->socket, chunk, sizeof chunk);
    if (size == 0 || (size < 0 && !platform_would_wait())) c->ended = true;
    if (size <= 0) return;
    c->heard = platform_nanoseconds();
    store_put(&c->in, chunk, (size_t)size);
    if (c->in.failed) c->closed = true;
    if (size < CHUNK || c->closed) return;
  }
}

static void flush(connection *c) {
  while (c->sent < c->out.size) {
    int64_t size = platform_send(c->socket, c->out.bytes + c->sent, c->out.size - c->sent);
    if (size < 0 && !platform_would_wait()) c->closed = true;
    if (size < 0) return;
    c->sent += (size_t)size;
  }
  consume(&c->out, c->out.size);
  c->sent = 0;
}

/* --- calls ------------------------------------------------------------------------------------------ */

static void await(connection *c, store_text name, size_t message_size) {
  char *copy = malloc(name.size + 1);
  if (!copy) {
    c->closed = true;
    return;
  }
  free((void *)c->awaited.bytes);
  if (name.size) memcpy(copy, name.bytes, name.size);
  c->awaited = (store_text){copy, name.size};
  c->blocked = true, c->blocked_size = message_size;
}

static void wake(store_connections *all, store_text name);

/* Carries out the call that was read into all->message. */
static void run_message(store_connections *all, connection *c) {
  store_call *call = &all->message.call;
  size_t size = all->message.size;
  bool again = c->blocked;
  store_text awaited;
  c->blocked = false;
  store_outcome outcome = store_values_run(all->values, call, again, &awaited);
  if (outcome == STORE_DONE)
    wire_put_answer(&c->out, call);
  else if (outcome == STORE_NOT_YET)
    await(c, awaited, size);
  else
    c->closed = true;
  if (c->out.failed) c->closed = true;
  free(call->answer.texts.bytes);
  call->answer.texts = (store_buffer){0};
  if (call->operation == STORE_DELETE) store_forget_announcement(&c->announcements, call->names[0]);
  if (again || !store_changes_values(call->operation)) return;
  if (call->operation == STORE_SET && !store_note_announcement(&c->announcements, call->names[0]))
    c->closed = true;
  for (int i = 0; i < call->count; i++) wake(all, call->names[i]);
}

/* Lets those who wait for a name look at it again. */
static void wake(store_connections *all, store_text name) {
  for (int i = 0; i < all->count; i++) {
    connection *c = all->list[i];
    if (c->blocked && c->awaited.size == name.size &&
        memcmp(c->awaited.bytes, name.bytes, name.size) == 0)
      c->pending = true;
  }
}

/* Returns true if the first call of a connection is that of the protocol. */
static bool greets(const store_call *call) {
  return call->operation == STORE_VALIDATE && (uint32_t)call->number == WIRE_MAGIC;
}

/* Carries out the calls that were received. */
static void process(store_connections *all, connection *c) {
  size_t at = 0;
  while (!c->closed) {
    wire_state state = wire_read_call(c->in.bytes + at, c->in.size - at, &all->message);
    if (state == WIRE_JUNK) c->closed = true;
    if (state != WIRE_COMPLETE) break;
    size_t size = all->message.size;
    if (c->greeted)
      run_message(all, c);
    else if (!greets(&all->message.call))
      c->closed = true;
    else
      c->greeted = true;
    if (!c->blocked) {
      at += size;
      continue;
    }
    size_t next = at + size;
    if (next == c->in.size) break;
    if (c->in.bytes[next] != STORE_CANCEL_WAIT) break; /* it has to wait its turn */
    c->blocked = false;
    store_put_number(&c->out, WIRE_CANCELED, 1);
    at = next + 1;
  }
  if (at) consume(&c->in, at);
  flush(c);
  if (c->ended) c->closed = true;
}

static void set_value(void *user, store_text name, store_text value) {
  store_connections *all = user;
  store_values_set(all->values, name, value);
  wake(all, name);
}

/* Removes one connection that was closed. Returns false if there is none. */
static bool remove_closed(store_connections *all) {
  int at = 0;
  while (at < all->count && !all->list[at]->closed) at++;
  if (at == all->count) return false;
  connection *gone = all->list[at];
  all->count--;
  memmove(&all->list[at], &all->list[at + 1], (size_t)(all->count - at) * sizeof(connection *));
  store_tell_closing(gone->announcements, gone->silent, all->values, set_value, all);
  free_connection(gone);
  return true;
}

void store_connections_serve(store_connections *all, const platform_watch *watches) {
  int64_t now = platform_nanoseconds();
  for (int i = 0; i < all->count; i++) {
    connection *c = all->list[i];
    if (watches[i].ready_to_read) receive(c), c->pending = true;
    if (watches[i].ready_to_write) flush(c);
    if (now >= end_of(c)) c->closed = true, c->silent = c->greeted;
  }
  bool again = true;
  while (again) {
    again = false;
    for (int i = 0; i < all->count; i++) {
      connection *c = all->list[i];
      if (!c->pending) continue;
      c->pending = false, again = true;
      process(all, c);
    }
    while (remove_closed(all)) again = true;
  }
}
