/* prefix_store.c: PrefixStore: the values of another store whose names begin with a prefix; and other handles on a store, which
 * add none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/store/names.h"

typedef struct prefix_store {
  tocha_store head;
  tocha_store *inner;
  char *prefix; /* with a slash at its end; NULL: a handle */
} prefix_store;

static bool call_prefixed(tocha_store *store, store_call *call, const store_patience *patience,
                          tocha_store_failure *failure) {
  const prefix_store *own = (const prefix_store *)store;
  store_prefixed prefixed;
  if (!store_add_prefix(&prefixed, call, own->prefix, failure)) return false;
  bool done = own->inner->kind->call(own->inner, call, patience, failure);
  store_drop_prefix(&prefixed, call);
  if (!done || call->operation != STORE_LIST_KEYS) return done;
  return store_strip_answer(call, own->prefix, failure);
}

static void close_prefix(tocha_store *store) {
  prefix_store *prefix = (prefix_store *)store;
  tocha_store_free(prefix->inner);
  free(prefix->prefix);
}

static bool call_handle(tocha_store *store, store_call *call, const store_patience *patience,
                        tocha_store_failure *failure) {
  tocha_store *inner = ((prefix_store *)store)->inner;
  return inner->kind->call(inner, call, patience, failure);
}

static tocha_store *clone_handle(tocha_store *store, int64_t deadline,
                                 tocha_store_failure *failure) {
  return store_clone_until(((prefix_store *)store)->inner, deadline, failure);
}

static tocha_store *clone_prefix(tocha_store *store, int64_t deadline,
                                 tocha_store_failure *failure);

static const store_kind kind = {"PrefixStore", false,        true,
                                call_prefixed, clone_prefix, close_prefix};
static const store_kind handle_kind = {"Store",     false,        true,
                                       call_handle, clone_handle, close_prefix};

/* Takes over `inner`, which is NULL with a failure. The prefix is `text` and `end`; text: NULL for a handle. */
static tocha_store *new_prefix(const char *text, const char *end, tocha_store *inner,
                               tocha_store_failure *failure) {
  if (!inner) return NULL;
  const store_kind *made = text ? &kind : &handle_kind;
  prefix_store *prefix = (prefix_store *)store_new(made, sizeof(prefix_store), 0, failure);
  size_t size = text ? strlen(text) + strlen(end) + 1 : 0;
  char *copy = prefix && text ? malloc(size) : NULL;
  if (!prefix || (text && !copy)) {
    store_no_memory(failure);
    free(prefix);
    tocha_store_free(inner);
    return NULL;
  }
  if (copy) snprintf(copy, size, "%s%s", text, end);
  prefix->prefix = copy;
  prefix->inner = inner;
  return &prefix->head;
}

tocha_store *store_new_handle(tocha_store *store, tocha_store_failure *failure) {
  return new_prefix(NULL, "", tocha_store_retain(store), failure);
}

static tocha_store *clone_prefix(tocha_store *store, int64_t deadline,
                                 tocha_store_failure *failure) {
  prefix_store *prefix = (prefix_store *)store;
  return new_prefix(prefix->prefix, "", store_clone_until(prefix->inner, deadline, failure),
                    failure);
}

tocha_store *tocha_prefix_store_new(tocha_context *cx, const char *prefix, tocha_store *store) {
  if (!cx || tocha_failed(cx)) return NULL;
  if (!prefix || !store)
    return tocha_fail(cx, TOCHA_TYPE_ERROR, "a PrefixStore needs a prefix and a store");
  tocha_store_failure failure;
  tocha_store *made = new_prefix(prefix, "/", tocha_store_retain(store), &failure);
  return made ? made : store_raise(cx, &failure);
}

tocha_store *tocha_prefix_store_underlying(const tocha_store *store) {
  return store && store->kind == &kind ? ((const prefix_store *)store)->inner : NULL;
}

tocha_store *store_innermost(const tocha_store *store) {
  while (store->kind == &kind || store->kind == &handle_kind)
    store = ((const prefix_store *)store)->inner;
  return (tocha_store *)store;
}
