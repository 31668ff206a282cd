/* store.c: what all kinds of stores have in common, and store.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/store/kinds.h"
#include "platform/platform.h"

static const double default_timeout = 300; /* seconds: PyTorch's */
static const double longest_timeout = 1e9;

static int64_t nanoseconds_of(double seconds) {
  if (!(seconds > 0)) return 0;
  return llround((seconds < longest_timeout ? seconds : longest_timeout) * 1e9);
}

tocha_store *store_new(const store_kind *kind, size_t size, double timeout,
                       tocha_store_failure *failure) {
  tocha_store *store = calloc(1, size);
  if (!store) {
    store_no_memory(failure);
    return NULL;
  }
  store->kind = kind;
  tocha_refcount_init(&store->count);
  atomic_init(&store->timeout, nanoseconds_of(timeout > 0 ? timeout : default_timeout));
  atomic_init(&store->aborted, false);
  return store;
}

tocha_store *tocha_store_retain(tocha_store *store) {
  if (store) tocha_refcount_retain(&store->count);
  return store;
}

void tocha_store_free(tocha_store *store) {
  if (!store || !tocha_refcount_release(&store->count)) return;
  store->kind->close(store);
  free(store);
}

const char *tocha_store_kind(const tocha_store *store) { return store ? store->kind->name : ""; }

int64_t store_patience_time(const tocha_store *store) {
  return atomic_load(&store_innermost(store)->timeout);
}

double tocha_store_timeout(const tocha_store *store) {
  return store ? (double)store_patience_time(store) / 1e9 : 0;
}

void tocha_store_set_timeout(tocha_store *store, double seconds) {
  if (store) atomic_store(&store_innermost(store)->timeout, nanoseconds_of(seconds));
}

/* A barrier of other calls, with PyTorch's names: the last who comes sets a value that all wait for. */
static bool make_barrier(tocha_store *store, const store_call *call, const store_patience *patience,
                         tocha_store_failure *failure) {
  static const char members[] = "/num_members", last[] = "/last_member";
  store_buffer bytes = {0};
  store_text one = {"1", 1}, name = {0};
  store_call add = {.operation = STORE_ADD, .count = 1, .names = &name, .number = 1};
  store_call next = {.operation = STORE_SET, .count = 1, .names = &name, .values = &one};
  store_put(&bytes, call->names[0].bytes, call->names[0].size);
  store_put(&bytes, members, sizeof members - 1);
  name = (store_text){bytes.bytes, bytes.size};
  bool done = bytes.failed ? store_no_memory(failure) : store_run(store, &add, patience, failure);
  if (done) memcpy(bytes.bytes + call->names[0].size, last, sizeof last - 1); /* both are as long */
  if (done && add.answer.number == call->number) done = store_run(store, &next, patience, failure);
  next.operation = STORE_WAIT;
  done = done && store_run(store, &next, patience, failure);
  free(bytes.bytes);
  return done;
}

bool store_run(tocha_store *store, store_call *call, const store_patience *patience,
               tocha_store_failure *failure) {
  if (atomic_load(&store->aborted))
    return store_fail(failure, TOCHA_STORE_CLOSED, "The store was closed");
  *failure = (tocha_store_failure){0};
  if (call->operation == STORE_BARRIER && !store->kind->has_barrier)
    return make_barrier(store, call, patience, failure);
  store_patience own = *patience;
  own.aborted = &store->aborted;
  return store->kind->call(store, call, &own, failure);
}

tocha_store *store_clone_until(tocha_store *store, int64_t deadline, tocha_store_failure *failure) {
  return store->kind->clone ? store->kind->clone(store, deadline, failure)
                            : store_new_handle(store, failure);
}

tocha_store *store_clone(tocha_store *store, tocha_store_failure *failure) {
  return store_clone_until(store, 0, failure);
}

void store_abort(tocha_store *store) { atomic_store(&store->aborted, true); }

/* --- without a context ------------------------------------------------------------------------------ */

/* Runs a call on one name. */
static bool run_named(tocha_store *store, store_call *call, const char *name, int64_t deadline,
                      tocha_store_failure *failure) {
  store_text text = {name, strlen(name)};
  store_patience patience = {.deadline = deadline};
  if (!deadline) patience.deadline = platform_nanoseconds() + store_patience_time(store);
  call->count = 1, call->names = &text;
  bool done = store_run(store, call, &patience, failure);
  call->names = NULL;
  return done;
}

bool store_set(tocha_store *store, const char *name, const void *bytes, size_t size,
               tocha_store_failure *failure) {
  store_text value = {bytes, size};
  store_call call = {.operation = STORE_SET, .values = &value};
  return run_named(store, &call, name, 0, failure);
}

bool store_take_text(store_call *call, void **bytes, size_t *size, tocha_store_failure *failure) {
  store_text text;
  size_t at = 0;
  if (!store_next_text(&call->answer.texts, &at, &text)) text = (store_text){"", 0};
  char *copy = malloc(text.size + 1);
  if (copy) {
    if (text.size) memcpy(copy, text.bytes, text.size);
    copy[text.size] = 0;
    *bytes = copy, *size = text.size;
  }
  free(call->answer.texts.bytes);
  return copy || store_no_memory(failure);
}

bool store_get(tocha_store *store, const char *name, int64_t deadline, void **bytes, size_t *size,
               tocha_store_failure *failure) {
  store_call call = {.operation = STORE_GET};
  if (run_named(store, &call, name, deadline, failure))
    return store_take_text(&call, bytes, size, failure);
  free(call.answer.texts.bytes);
  return false;
}

bool store_add(tocha_store *store, const char *name, int64_t amount, int64_t deadline, int64_t *sum,
               tocha_store_failure *failure) {
  store_call call = {.operation = STORE_ADD, .number = amount};
  bool done = run_named(store, &call, name, deadline, failure);
  if (done) *sum = call.answer.number;
  return done;
}

bool store_check(tocha_store *store, const char *name, int64_t deadline, bool *is_set,
                 tocha_store_failure *failure) {
  store_call call = {.operation = STORE_CHECK};
  bool done = run_named(store, &call, name, deadline, failure);
  if (done) *is_set = call.answer.number != 0;
  return done;
}

bool store_wait(tocha_store *store, const char *name, int64_t deadline,
                tocha_store_failure *failure) {
  store_call call = {.operation = STORE_WAIT};
  return run_named(store, &call, name, deadline, failure);
}

bool store_delete(tocha_store *store, const char *name, bool *was_set,
                  tocha_store_failure *failure) {
  store_call call = {.operation = STORE_DELETE};
  bool done = run_named(store, &call, name, 0, failure);
  if (done) *was_set = call.answer.number != 0;
  return done;
}
