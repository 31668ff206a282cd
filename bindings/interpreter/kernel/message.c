/* message.c: see message.h. */
#include "interpreter/kernel/message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* --- messages -------------------------------------------------------------------------------- */

message *message_new(size_t count, const size_t *sizes) {
  size_t total = sizeof(message) + count * sizeof *sizes;
  for (size_t i = 0; i < count; i++) {
    if (sizes[i] > SIZE_MAX / 2 - total) return NULL;
    total += sizes[i];
  }
  message *p = malloc(total);
  if (!p) return NULL;
  p->next = NULL;
  p->count = count;
  if (count > 0) memcpy(p->sizes, sizes, count * sizeof *sizes);
  return p;
}

char *message_string(message *p, size_t i) {
  char *at = (char *)(p->sizes + p->count);
  for (size_t k = 0; k < i; k++) at += p->sizes[k];
  return at;
}

message *message_of_text(const char *text) {
  size_t size = strlen(text);
  message *p = message_new(1, &size);
  if (p) memcpy(message_string(p, 0), text, size);
  return p;
}

message *message_of_list(lua_State *L, int index) {
  size_t sizes[MAX_STRINGS], count = lua_istable(L, index) ? (size_t)lua_rawlen(L, index) : 0;
  index = lua_absindex(L, index);
  if (!lua_istable(L, index) || count > MAX_STRINGS) return NULL;
  for (size_t i = 0; i < count; i++) {
    int type = lua_rawgeti(L, index, (lua_Integer)i + 1);
    sizes[i] = type == LUA_TSTRING ? (size_t)lua_rawlen(L, -1) : 0;
    lua_pop(L, 1);
    if (type != LUA_TSTRING) return NULL;
  }
  message *p = message_new(count, sizes);
  char *to = p ? message_string(p, 0) : NULL;
  for (size_t i = 0; p && i < count; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    memcpy(to, lua_tostring(L, -1), sizes[i]);
    to += sizes[i];
    lua_pop(L, 1);
  }
  return p;
}

void message_push(lua_State *L, const message *p) {
  const char *from = (const char *)(p->sizes + p->count);
  lua_createtable(L, (int)p->count, 0);
  for (size_t i = 0; i < p->count; i++) {
    lua_pushlstring(L, from, p->sizes[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
    from += p->sizes[i];
  }
}

/* --- queues ---------------------------------------------------------------------------------- */

bool queue_open(queue *q) {
  q->first = NULL;
  q->last = &q->first;
  q->count = 0;
  q->bell[0] = q->bell[1] = -1;
  if (!platform_mutex_open(&q->mutex) || !platform_open_pipe(q->bell)) return false;
  return platform_never_wait(q->bell[1]); /* a full pipe wakes the reader, too */
}

void queue_close(queue *q) {
  for (message *p; (p = queue_take(q)) != NULL;) free(p);
  for (int i = 0; i < 2; i++) {
    if (q->bell[i] >= 0) platform_close(q->bell[i]);
  }
  platform_mutex_close(&q->mutex);
}

void queue_put(queue *q, message *p) {
  if (!p) return;
  platform_lock(&q->mutex);
  *q->last = p;
  q->last = &p->next;
  q->count++;
  platform_unlock(&q->mutex);
  (void)platform_write(q->bell[1], "", 1); /* a full pipe wakes the reader, too */
}

message *queue_take(queue *q) {
  platform_lock(&q->mutex);
  message *p = q->first;
  if (p) {
    q->first = p->next;
    if (!q->first) q->last = &q->first;
    q->count--;
  }
  platform_unlock(&q->mutex);
  return p;
}

message *queue_wait(queue *q) {
  char bytes[64];
  for (message *p;;) {
    if ((p = queue_take(q)) != NULL) return p;
    if (platform_read(q->bell[0], bytes, sizeof bytes) < 0) return NULL;
  }
}

size_t queue_count(queue *q) {
  platform_lock(&q->mutex);
  size_t count = q->count;
  platform_unlock(&q->mutex);
  return count;
}
