/* pass_end.c: functions that are called after a backward pass. */
#include <string.h>

#include "autograd/node.h"

typedef struct tocha_pass_end {
  bool (*call)(tocha_context *cx, void *user, bool ok); /* NULL: dropped */
  void *user;
} tocha_pass_end;

bool tocha_after_backward(tocha_context *cx,
                          bool (*function)(tocha_context *cx, void *user, bool ok), void *user) {
  if (tocha_failed(cx)) return false;
  if (!cx->passes)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Final callbacks can only be installed during backward pass.") != NULL;
  if (cx->pass_end_count == cx->pass_end_capacity) {
    int capacity = cx->pass_end_capacity ? 2 * cx->pass_end_capacity : 4;
    tocha_pass_end *list = tocha_allocate(cx, (uint64_t)capacity * sizeof *list);
    if (!list) return false;
    if (cx->pass_end_count) memcpy(list, cx->pass_ends, (size_t)cx->pass_end_count * sizeof *list);
    tocha_pass_ends_close(cx);
    cx->pass_ends = list;
    cx->pass_end_capacity = capacity;
  }
  cx->pass_ends[cx->pass_end_count++] = (tocha_pass_end){function, user};
  return true;
}

void tocha_forget_after_backward(tocha_context *cx, void *user) {
  for (int i = 0; cx && i < cx->pass_end_count; i++)
    if (cx->pass_ends[i].user == user) cx->pass_ends[i].call = NULL;
}

bool tocha_run_pass_ends(tocha_context *cx, bool ok) {
  for (int i = 0; i < cx->pass_end_count;
       i++) { /* a call may run a pass, whose calls are appended */
    tocha_pass_end end = cx->pass_ends[i];
    cx->pass_ends[i].call = NULL;
    if (end.call && !end.call(cx, end.user, ok)) ok = false;
  }
  cx->pass_end_count = 0;
  return ok;
}

void tocha_pass_ends_close(tocha_context *cx) {
  tocha_deallocate(cx, cx->pass_ends, (uint64_t)cx->pass_end_capacity * sizeof *cx->pass_ends);
}
