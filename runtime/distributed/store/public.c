/* public.c: the stores of <tocha/distributed.h>. */
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "distributed/group.h"
#include "distributed/store/kinds.h"
#include "platform/platform.h"

/* Runs a call of the context's thread. timeout: seconds, < 0: the store's. */
static bool run(tocha_context *cx, tocha_store *store, store_call *call, double timeout) {
  if (!cx || tocha_failed(cx)) return false;
  if (!store) return tocha_fail(cx, TOCHA_TYPE_ERROR, "no store was given") != NULL;
  int64_t patience_time = store_patience_time(store);
  if (timeout >= 0) patience_time = (int64_t)((timeout < 1e9 ? timeout : 1e9) * 1e9);
  store_patience patience = {.deadline = platform_nanoseconds() + patience_time, .cx = cx};
  tocha_process_group *world = cx->distributed ? cx->distributed->world : NULL;
  if (world && !world->world->knows_of_death) patience.world = world;
  tocha_store_failure failure;
  if (world) atomic_store(&world->world->waits_for_store, true);
  bool done = store_run(store, call, &patience, &failure);
  if (world) atomic_store(&world->world->waits_for_store, false);
  if (done) return true;
  free(call->answer.texts.bytes);
  call->answer.texts = (store_buffer){0};
  return store_raise(cx, &failure) != NULL;
}

static bool run_named(tocha_context *cx, tocha_store *store, store_call *call, const char *name) {
  if (!name) return tocha_fail(cx, TOCHA_TYPE_ERROR, "no name was given") != NULL;
  store_text text = {name, strlen(name)};
  call->count = 1, call->names = &text;
  bool done = run(cx, store, call, -1);
  call->names = NULL;
  return done;
}

/* Runs a call on several names. */
static bool run_names(tocha_context *cx, tocha_store *store, store_call *call, int count,
                      const char *const *names, double timeout) {
  bool given = names || count <= 0;
  for (int i = 0; given && i < count; i++) given = names[i] != NULL;
  if (!given) return tocha_refuse_none(cx, "store", "name", "str") != NULL;
  store_text *texts = malloc((size_t)(count > 0 ? count : 1) * sizeof *texts);
  if (!texts) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "a store is out of memory") != NULL;
  for (int i = 0; i < count; i++) texts[i] = (store_text){names[i], strlen(names[i])};
  call->count = count > 0 ? count : 0, call->names = texts;
  bool done = run(cx, store, call, timeout);
  free(texts);
  return done;
}

/* Copies the answer's first text for tocha_free. */
static bool take(tocha_context *cx, store_call *call, void **bytes, size_t *size) {
  tocha_store_failure failure;
  if (store_take_text(call, bytes, size, &failure)) return true;
  return store_raise(cx, &failure) != NULL;
}

/* Makes one block of the answer's texts: the list, and behind it their bytes, each with a zero at its end. */
static bool take_all(tocha_context *cx, store_call *call, int *count, tocha_store_value **values) {
  size_t number = (size_t)call->answer.count, head = (number ? number : 1) * sizeof **values;
  tocha_store_value *list = malloc(head + call->answer.texts.size + number);
  if (!list) {
    free(call->answer.texts.bytes);
    return tocha_fail(cx, TOCHA_MEMORY_ERROR, "a store is out of memory") != NULL;
  }
  char *to = (char *)list + head;
  store_text text;
  *count = 0;
  for (size_t at = 0; store_next_text(&call->answer.texts, &at, &text);) {
    if (text.size) memcpy(to, text.bytes, text.size);
    to[text.size] = 0;
    list[(*count)++] = (tocha_store_value){to, text.size};
    to += text.size + 1;
  }
  free(call->answer.texts.bytes);
  *values = list;
  return true;
}

bool tocha_store_set(tocha_context *cx, tocha_store *store, const char *name, const void *bytes,
                     size_t size) {
  store_text value = {bytes, size};
  store_call call = {.operation = STORE_SET, .values = &value};
  return run_named(cx, store, &call, name);
}

bool tocha_store_get(tocha_context *cx, tocha_store *store, const char *name, void **bytes,
                     size_t *size) {
  store_call call = {.operation = STORE_GET};
  return run_named(cx, store, &call, name) && take(cx, &call, bytes, size);
}

bool tocha_store_add(tocha_context *cx, tocha_store *store, const char *name, int64_t amount,
                     int64_t *sum) {
  store_call call = {.operation = STORE_ADD, .number = amount};
  bool done = run_named(cx, store, &call, name);
  if (done) *sum = call.answer.number;
  return done;
}

bool tocha_store_wait(tocha_context *cx, tocha_store *store, int count, const char *const *names,
                      double timeout) {
  store_call call = {.operation = STORE_WAIT};
  return run_names(cx, store, &call, count, names, timeout);
}

bool tocha_store_check(tocha_context *cx, tocha_store *store, int count, const char *const *names,
                       bool *all_set) {
  store_call call = {.operation = STORE_CHECK};
  if (!all_set) return tocha_refuse_none(cx, "check", "all_set", "bool") != NULL;
  *all_set = true;
  if (count <= 0) return !tocha_failed(cx);
  bool done = run_names(cx, store, &call, count, names, -1);
  if (done) *all_set = call.answer.number != 0;
  return done;
}

bool tocha_store_delete(tocha_context *cx, tocha_store *store, const char *name, bool *was_set) {
  store_call call = {.operation = STORE_DELETE};
  bool done = run_named(cx, store, &call, name);
  if (done) *was_set = call.answer.number != 0;
  return done;
}

bool tocha_store_append(tocha_context *cx, tocha_store *store, const char *name, const void *bytes,
                        size_t size) {
  store_text value = {bytes, size};
  store_call call = {.operation = STORE_APPEND, .values = &value};
  return run_named(cx, store, &call, name);
}

bool tocha_store_compare_set(tocha_context *cx, tocha_store *store, const char *name,
                             const void *expected, size_t expected_size, const void *desired,
                             size_t desired_size, void **bytes, size_t *size) {
  store_text values[2] = {{expected, expected_size}, {desired, desired_size}};
  store_call call = {.operation = STORE_COMPARE_SET, .values = values};
  return run_named(cx, store, &call, name) && take(cx, &call, bytes, size);
}

bool tocha_store_num_keys(tocha_context *cx, tocha_store *store, int64_t *count) {
  store_call call = {.operation = STORE_NUM_KEYS};
  bool done = run(cx, store, &call, -1);
  if (done) *count = call.answer.number;
  return done;
}

bool tocha_store_multi_get(tocha_context *cx, tocha_store *store, int count,
                           const char *const *names, tocha_store_value **values) {
  store_call call = {.operation = STORE_MULTI_GET};
  int got;
  return run_names(cx, store, &call, count, names, -1) && take_all(cx, &call, &got, values);
}

bool tocha_store_multi_set(tocha_context *cx, tocha_store *store, int count,
                           const char *const *names, const tocha_store_value *values) {
  if (!values && count > 0) return tocha_refuse_none(cx, "multi_set", "values", "list") != NULL;
  store_text *texts = malloc((size_t)(count > 0 ? count : 1) * sizeof *texts);
  if (!texts) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "a store is out of memory") != NULL;
  for (int i = 0; i < count; i++) texts[i] = (store_text){values[i].bytes, values[i].size};
  store_call call = {.operation = STORE_MULTI_SET, .values = texts};
  bool done = run_names(cx, store, &call, count, names, -1);
  free(texts);
  return done;
}

bool tocha_store_list_keys(tocha_context *cx, tocha_store *store, int *count,
                           tocha_store_value **names) {
  store_call call = {.operation = STORE_LIST_KEYS};
  return run(cx, store, &call, -1) && take_all(cx, &call, count, names);
}

bool tocha_store_queue_push(tocha_context *cx, tocha_store *store, const char *name,
                            const void *bytes, size_t size) {
  store_text value = {bytes, size};
  store_call call = {.operation = STORE_QUEUE_PUSH, .values = &value};
  return run_named(cx, store, &call, name);
}

bool tocha_store_queue_pop(tocha_context *cx, tocha_store *store, const char *name, bool block,
                           void **bytes, size_t *size) {
  store_call call = {.operation = STORE_QUEUE_POP, .number = block};
  if (!run_named(cx, store, &call, name)) return false;
  if (call.answer.count) return take(cx, &call, bytes, size);
  free(call.answer.texts.bytes);
  return tocha_fail(cx, TOCHA_STORE_ERROR, "queue is empty") != NULL;
}

bool tocha_store_queue_length(tocha_context *cx, tocha_store *store, const char *name,
                              int64_t *length) {
  store_call call = {.operation = STORE_QUEUE_LENGTH};
  bool done = run_named(cx, store, &call, name);
  if (done) *length = call.answer.number;
  return done;
}

bool tocha_store_barrier(tocha_context *cx, tocha_store *store, const char *name, int64_t count,
                         double timeout) {
  store_call call = {.operation = STORE_BARRIER, .number = count};
  return run_names(cx, store, &call, 1, &name, timeout);
}

bool tocha_store_has_extended_api(const tocha_store *store) {
  return store && store_innermost(store)->kind->has_extended_api;
}

tocha_store *tocha_store_clone(tocha_context *cx, tocha_store *store) {
  if (!cx || tocha_failed(cx)) return NULL;
  if (!store) return tocha_fail(cx, TOCHA_TYPE_ERROR, "no store was given");
  tocha_store_failure failure;
  tocha_store *clone =
      store->kind->clone ? store_clone(store, &failure) : tocha_store_retain(store);
  return clone ? clone : store_raise(cx, &failure);
}
