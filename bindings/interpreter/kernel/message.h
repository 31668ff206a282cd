/* message.h: lists of strings that wait between two threads, each with a Lua state of its own. */
#ifndef TOCHA_KERNEL_MESSAGE_H
#define TOCHA_KERNEL_MESSAGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

enum { MOST_STRINGS = 1000 }; /* of a message */

/* The sizes, then the bytes, in one block of memory. */
typedef struct message {
  struct message *next;
  size_t count;
  size_t sizes[];
} message;

/* Room for strings of these sizes; NULL where there is no memory. */
message *message_new(size_t count, const size_t *sizes);
/* Where string i begins. */
char *message_string(message *p, size_t i);
/* One string; NULL where there is no memory. */
message *message_of_text(const char *text);
/* The strings of the list at an index; NULL where it is none, or there is no memory. */
message *message_of_list(lua_State *L, int index);
/* Pushes a table with the strings; may raise. */
void message_push(lua_State *L, const message *p);

typedef struct queue {
  pthread_mutex_t mutex;
  message *first, **last;
  size_t count;
  int bell[2]; /* a pipe in which a byte lies while something may be in the queue */
} queue;

bool queue_open(queue *q);
/* Drops what waits in it. */
void queue_close(queue *q);
/* The queue owns the message; NULL is none. */
void queue_put(queue *q, message *p);
/* The first message, or NULL at once. */
message *queue_take(queue *q);
/* The same, but waits; NULL where a signal came. */
message *queue_wait(queue *q);
size_t queue_count(queue *q);

#endif
