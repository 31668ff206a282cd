/* calls.c: the bytes of calls and answers, and waiting. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/group.h"
#include "distributed/store/kinds.h"
#include "platform/platform.h"

void store_put(store_buffer *buffer, const void *bytes, size_t size) {
  if (buffer->failed || size == 0) return;
  if (size > buffer->capacity - buffer->size) {
    size_t capacity = buffer->capacity ? buffer->capacity : 64;
    while (capacity - buffer->size < size && capacity <= SIZE_MAX / 2) capacity *= 2;
    char *grown = capacity - buffer->size < size ? NULL : realloc(buffer->bytes, capacity);
    if (!grown) {
      buffer->failed = true;
      return;
    }
    buffer->bytes = grown, buffer->capacity = capacity;
  }
  memcpy(buffer->bytes + buffer->size, bytes, size);
  buffer->size += size;
}

void store_put_number(store_buffer *buffer, uint64_t number, int bytes) {
  char text[8];
  for (int i = 0; i < bytes; i++) text[i] = (char)(unsigned char)(number >> (8 * i) & 255);
  store_put(buffer, text, (size_t)bytes);
}

uint64_t store_read_number(const char *from, int bytes) {
  uint64_t number = 0;
  for (int i = 0; i < bytes; i++) number |= (uint64_t)(unsigned char)from[i] << (8 * i);
  return number;
}

void store_put_text(store_buffer *buffer, store_text text) {
  store_put_number(buffer, text.size, 8);
  store_put(buffer, text.bytes, text.size);
}

bool store_next_text(const store_buffer *buffer, size_t *at, store_text *text) {
  size_t left = buffer->size - *at;
  if (left < 8) return false;
  uint64_t size = store_read_number(buffer->bytes + *at, 8);
  if (size > left - 8) return false;
  *text = (store_text){buffer->bytes + *at + 8, (size_t)size};
  *at += 8 + (size_t)size;
  return true;
}

void store_answer_text(store_call *call, store_text text) {
  store_put_text(&call->answer.texts, text);
  call->answer.count++;
}

/* --- waiting ----------------------------------------------------------------------------------- */

int64_t store_slice_end(const store_patience *patience) {
  int64_t end = platform_nanoseconds() + STORE_SLICE;
  return end < patience->deadline ? end : patience->deadline;
}

/* Returns true, with a failure, if a rank of the world has died: the value may have been its to set. */
static bool is_broken(tocha_process_group *world, tocha_store_failure *failure) {
  if (!atomic_load(&world->broken)) return false;
  world->world->knows_of_death = true;
  platform_lock(&world->mutex);
  store_fail(failure, TOCHA_STORE_CLOSED, "%s\nrank %d was waiting for a store", world->reason,
             world->rank);
  platform_unlock(&world->mutex);
  return true;
}

bool store_is_over(const store_patience *patience, tocha_store_failure *failure) {
  if (patience->cx && (tocha_interrupted(patience->cx) || tocha_failed(patience->cx)))
    return !store_fail(failure, TOCHA_STORE_INTERRUPTED, "interrupted!");
  if (patience->aborted && atomic_load(patience->aborted))
    return !store_fail(failure, TOCHA_STORE_CLOSED, "The store was closed while it waited");
  if (patience->world && is_broken(patience->world, failure)) return true;
  if (platform_nanoseconds() < patience->deadline) return false;
  return !store_fail(failure, TOCHA_STORE_TIMED_OUT, "Wait timeout");
}

/* --- failures ---------------------------------------------------------------------------------- */

bool store_fail(tocha_store_failure *failure, int kind, const char *format, ...) {
  va_list args;
  va_start(args, format);
  failure->kind = kind;
  failure->hint[0] = 0;
  vsnprintf(failure->message, sizeof failure->message, format, args);
  va_end(args);
  return false;
}

void store_hint(tocha_store_failure *failure, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(failure->hint, sizeof failure->hint, format, args);
  va_end(args);
}

bool store_no_memory(tocha_store_failure *failure) {
  return store_fail(failure, TOCHA_STORE_NO_MEMORY, "a store is out of memory");
}

void *store_raise(tocha_context *cx, const tocha_store_failure *failure) {
  static const tocha_error_code codes[] = {
      [TOCHA_STORE_TIMED_OUT] = TOCHA_STORE_ERROR,
      [TOCHA_STORE_CLOSED] = TOCHA_NETWORK_ERROR,
      [TOCHA_STORE_BROKEN] = TOCHA_STORE_ERROR,
      [TOCHA_STORE_INTERRUPTED] = TOCHA_INTERRUPTED,
      [TOCHA_STORE_UNREACHED] = TOCHA_NETWORK_ERROR,
      [TOCHA_STORE_NO_NUMBER] = TOCHA_VALUE_ERROR,
      [TOCHA_STORE_NO_MEMORY] = TOCHA_MEMORY_ERROR,
      [TOCHA_STORE_EMPTY] = TOCHA_STORE_ERROR,
      [TOCHA_STORE_UNSUPPORTED] = TOCHA_NOT_IMPLEMENTED_ERROR,
      [TOCHA_STORE_FILE] = TOCHA_RUNTIME_ERROR,
  };
  if (!cx || tocha_failed(cx)) return NULL;
  tocha_fail(cx, codes[failure->kind], "%s", failure->message);
  if (failure->hint[0]) tocha_hint(cx, "%s", failure->hint);
  return NULL;
}
