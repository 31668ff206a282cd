/* profiler_test.c: profiles without Lua: events, marks, the paths of modules, what ends one, and no allocation whose failure does
 * harm to the program that is profiled. */
#include <string.h>

#include "check.h"
#include "core/internal.h"
#include "tocha/nn/linear.h"
#include "tocha/nn.h"
#include "tocha/ops/add.h"
#include "tocha/ops/mm.h"
#include "tocha/ops/ones.h"
#include "tocha/profiler.h"

static const int64_t size[2] = {4, 4};
static const tocha_device anywhere = {TOCHA_NO_DEVICE, -1};

static void test_events(tocha_context *cx) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *x = tocha_ones(cx, 2, size);
  CHECK(!tocha_profile_is_on(cx) && tocha_profile_count(cx) == 0);
  CHECK(tocha_profile_start(cx) && tocha_profile_is_on(cx));
  CHECK(!tocha_profile_start(cx) && tocha_failed(cx));
  tocha_clear_error(cx);
  tocha_mm(cx, x, x);
  tocha_profile_mark(cx, 7);
  tocha_ones(cx, 2, size);
  CHECK(tocha_profile_count(cx) == 2 && tocha_profile_lost(cx) == 0);
  const tocha_profile_event *first = tocha_profile_event_at(cx, 0);
  const tocha_profile_event *second = tocha_profile_event_at(cx, 1);
  CHECK(strcmp(first->op->name, "mm") == 0 && first->mark == 0 && !first->module);
  CHECK(second->mark == 7 && second->start >= first->start + first->seconds);
  CHECK(first->bytes >= 64 && second->bytes >= 64 && first->seconds > 0);
  CHECK(!tocha_profile_event_at(cx, 2));
  int64_t other[2] = {3, 3};
  CHECK(!tocha_mm(cx, x, tocha_ones(cx, 2, other))); /* what fails leaves no event */
  tocha_clear_error(cx);
  CHECK(tocha_profile_count(cx) == 3);
  tocha_profile_stop(cx);
  CHECK(!tocha_profile_is_on(cx) && !tocha_profile_event_at(cx, 0));
  tocha_profile_stop(cx);
  CHECK(tocha_mm(cx, x, x) != NULL);
  tocha_scope_end(cx, scope, NULL);
}

static void test_modules(tocha_context *cx) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *x = tocha_ones(cx, 2, size);
  tocha_module *linear = tocha_nn_linear(cx, 4, 4, true, anywhere, TOCHA_NO_DTYPE);
  CHECK(linear && tocha_profile_start(cx));
  CHECK(tocha_module_call(cx, linear, x) != NULL);
  CHECK(tocha_profile_count(cx) > 0);
  const tocha_profile_event *event = tocha_profile_event_at(cx, 0);
  CHECK(event && event->module && strstr(event->module, "Linear"));
  tocha_profile_stop(cx);
  tocha_module_release(linear);
  tocha_scope_end(cx, scope, NULL);
}

/* Many operators, the n-th allocation failing: each of them either has a result, or an error of its own. */
static void test_memory(tocha_context *cx) {
  for (int n = 0; n < 40; n++) {
    tocha_scope scope = tocha_scope_begin(cx);
    tocha_tensor *x = tocha_ones(cx, 2, size);
    tocha_fail_allocation(cx, n);
    if (tocha_profile_start(cx)) {
      for (int i = 0; i < 1100; i++) { /* more than the events' first room */
        tocha_scope inner = tocha_scope_begin(cx);
        tocha_tensor *y = tocha_add(cx, x, x);
        if ((y != NULL) == tocha_failed(cx)) EXPECT(false, "a result or an error");
        tocha_clear_error(cx);
        tocha_scope_end(cx, inner, NULL);
      }
      CHECK(tocha_profile_count(cx) + tocha_profile_lost(cx) >= 1099);
    } else {
      CHECK(tocha_failed(cx) && !tocha_profile_is_on(cx));
      tocha_clear_error(cx);
    }
    tocha_fail_allocation(cx, -1);
    tocha_profile_stop(cx);
    tocha_scope_end(cx, scope, NULL);
  }
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  if (!cx) return 1;
  test_events(cx);
  test_modules(cx);
  test_memory(cx);
  CHECK(tocha_profile_start(cx));
  tocha_close(cx); /* ends it, too */
  return finish();
}
