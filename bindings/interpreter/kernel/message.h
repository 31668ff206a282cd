/* message.h: lists of strings that are passed between two threads, each with a Lua state of its
 * own. */
#ifndef TOCHA_KERNEL_MESSAGE_H
#define TOCHA_KERNEL_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

#include "platform/platform.h"

enum { MAX_STRINGS = 1000 }; /* in a message */

/* A list of strings: the sizes, then the bytes, in one block of memory. */
typedef struct message {
  struct message *next;
  size_t count;
  size_t sizes[];
} message;

/* Returns a message with memory for strings of these sizes, or NULL if there is no memory. */
message *message_new(size_t count, const size_t *sizes);
/* Returns the beginning of string i. */
char *message_string(message *p, size_t i);
/* Returns a message with one string, or NULL if there is no memory. */
message *message_of_text(const char *text);
/* Returns a message with the strings of the list at `index`, or NULL if the value is not such a
 * list or there is no memory. [-0, +0, -] */
message *message_of_list(lua_State *L, int index);
/* Pushes a table with the strings. [-0, +1, m] */
void message_push(lua_State *L, const message *p);

typedef struct queue {
  platform_mutex mutex;
  message *first, **last;
  size_t count;
  int bell[2]; /* a pipe that holds a byte while the queue may have messages */
} queue;

bool queue_open(queue *q);
/* Frees the messages in the queue. */
void queue_close(queue *q);
/* Appends a message, which the queue owns. Ignores NULL. */
void queue_put(queue *q, message *p);
/* Returns the first message, or NULL if there is none. */
message *queue_take(queue *q);
/* Waits for a message, and returns it, or NULL if a signal came. */
message *queue_wait(queue *q);
size_t queue_count(queue *q);

#endif
