/* parcel.h: lists of strings that wait between two threads, each with a Lua state of its own. */
#ifndef TOCHA_KERNEL_PARCEL_H
#define TOCHA_KERNEL_PARCEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include <lua.h>

enum { MOST_STRINGS = 1000 }; /* of a parcel */

/* The sizes, then the bytes, in one block of memory. */
typedef struct parcel {
  struct parcel *next;
  size_t count;
  size_t sizes[];
} parcel;

/* Room for strings of these sizes; NULL where there is no memory. */
parcel *parcel_new(size_t count, const size_t *sizes);
/* Where string i begins. */
char *parcel_string(parcel *p, size_t i);
/* The strings of the list at an index; NULL where it is none, or there is no memory. */
parcel *parcel_of_list(lua_State *L, int index);
/* Pushes a table with the strings; may raise. */
void parcel_push(lua_State *L, const parcel *p);

typedef struct queue {
  pthread_mutex_t mutex;
  parcel *first, **last;
  size_t count;
  int bell[2]; /* a pipe in which a byte lies while something may be in the queue */
} queue;

bool queue_open(queue *q);
/* Drops what waits in it. */
void queue_close(queue *q);
/* The queue owns the parcel; NULL is none. */
void queue_put(queue *q, parcel *p);
/* The first parcel, or NULL at once. */
parcel *queue_take(queue *q);
/* The same, but waits; NULL where a signal came. */
parcel *queue_wait(queue *q);
size_t queue_count(queue *q);

#endif
