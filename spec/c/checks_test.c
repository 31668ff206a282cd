/* checks_test.c: the mistakes that builds with TOCHA_CHECKS find. Other builds lack the checks, so this program brings
 * them along, and begins calls by itself. */
#include <stdbool.h>

#ifdef TOCHA_CHECKS
static const bool in_library = true;
#else
#define TOCHA_CHECKS
#include "dispatch/checks.c"
static const bool in_library = false;
#endif

#include <pthread.h>
#include <string.h>

#include "check.h"
#include "dispatch/checks.h"
#include "tocha/tocha.h"

static const int64_t sizes[] = {2};

static bool says(tocha_context *cx, const char *words) {
  bool found = tocha_failed(cx) && strstr(tocha_error(cx)->message, words);
  if (!found) printf("got %s\n", tocha_error(cx)->message);
  tocha_clear_error(cx);
  return found;
}

/* Begins and ends a call of torch.cat, whose argument is a list. */
static bool begin_cat(tocha_context *cx, int count, tocha_tensor **tensors) {
  const tocha_arg args[TOCHA_MAX_PARAMETERS] = {
      {.value.tensors = tensors, .count = count, .given = true}};
  tocha_checked_call call = {0};
  bool ok = tocha_begin_checked_call(cx, tocha_find_operator("cat"), args, &call);
  tocha_end_checked_call(&call);
  return ok;
}

static void test_tensors(tocha_context *cx, tocha_context *other) {
  tocha_tensor *both[] = {tocha_ones(cx, 1, sizes), tocha_ones(other, 1, sizes)};
  CHECK(begin_cat(cx, 1, both));
  CHECK(!begin_cat(cx, 2, both) && says(cx, "cat(): a tensor belongs to another context"));
  if (!in_library) return;
  CHECK(!tocha_add(cx, both[0], both[1]) && says(cx, "add(): a tensor belongs to another context"));
  tocha_shared *shared = tocha_share(other, both[1]);
  CHECK(tocha_add(cx, both[0], tocha_from_shared(cx, shared)) != NULL);
  tocha_shared_free(shared);
}

/* Another thread's call of a context in which a call is in progress. */
static void *call_too(void *context) {
  tocha_context *cx = context;
  bool refused = !begin_cat(cx, 0, NULL);
  return refused && says(cx, "cat(): another thread is within a call of this context") ? cx : NULL;
}

static void *call_alone(void *context) { return begin_cat(context, 0, NULL) ? context : NULL; }

static void *result_of(void *(*function)(void *), tocha_context *cx) {
  pthread_t thread;
  void *result = NULL;
  CHECK(pthread_create(&thread, NULL, function, cx) == 0);
  pthread_join(thread, &result);
  return result;
}

static void test_threads(tocha_context *cx, tocha_context *other) {
  const tocha_arg none[TOCHA_MAX_PARAMETERS] = {{0}};
  tocha_checked_call call = {0}, inner = {0};
  CHECK(tocha_begin_checked_call(cx, tocha_find_operator("cat"), none, &call));
  CHECK(tocha_begin_checked_call(cx, tocha_find_operator("cat"), none, &inner)); /* within it */
  CHECK(result_of(call_too, cx) == cx);
  CHECK(result_of(call_alone, other) == other);
  tocha_end_checked_call(&inner);
  CHECK(result_of(call_too, cx) == cx);
  tocha_end_checked_call(&call);
  CHECK(result_of(call_alone, cx) == cx); /* one thread after the other */
}

int main(void) {
  tocha_context *cx = tocha_open(NULL), *other = tocha_open(NULL);
  test_tensors(cx, other);
  test_threads(cx, other);
  tocha_close(other);
  tocha_close(cx);
  return finish();
}
