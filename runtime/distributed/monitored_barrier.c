/* monitored_barrier.c: a barrier by which rank 0 names the ranks that do not come. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "distributed/operation.h"
#include "distributed/watch.h"

/* TAG: of these messages, none that scripts choose, and one that every MPI has. */
enum { TAG = 0x0fffff01 };
/* WHY: bytes of an error. */
enum { WHY = 1024 };
/* Seconds that the news of a failure waits for its receiver. */
static const double VERDICT = 0.5;

/* Begins to send to, or to receive from, a rank: a byte, in its own time. Returns NULL with an error. */
static tocha_work *begin(tocha_context *cx, tocha_process_group *group, bool sends, int peer,
                         tocha_tensor *byte, double timeout) {
  tocha_operation o = {.kind = sends ? TOCHA_SEND : TOCHA_RECV,
                       .form = TOCHA_FORM_BARRIER,
                       .root = peer,
                       .tag = TAG};
  if (!tocha_operation_begin(cx, &o, group, byte) ||
      !tocha_operation_buffer(cx, &o, byte, sends ? TOCHA_INPUT : TOCHA_OUTPUT))
    return tocha_operation_drop(&o);
  o.work->timeout = timeout;
  return tocha_work_start(cx, o.work, true);
}

static bool wait_for(tocha_context *cx, tocha_work *w) {
  bool done = tocha_work_wait(cx, w, 0);
  tocha_work_free(w);
  return done;
}

/* Returns true if no rank can pass: a rank has died, which the error says, or the script is interrupted. */
static bool is_over(tocha_context *cx, const tocha_process_group *group) {
  return tocha_failed(cx) &&
         (tocha_error(cx)->code == TOCHA_INTERRUPTED || atomic_load(&group->broken));
}

/* Clears the error, of which it keeps the words unless there are some. */
static void keep_why(tocha_context *cx, char why[WHY]) {
  if (tocha_failed(cx) && !why[0]) snprintf(why, WHY, "%s", tocha_error(cx)->message);
  tocha_clear_error(cx);
}

static bool refuse(tocha_context *cx, const bool *missing, int size, double timeout, bool names_all,
                   const char *why) {
  tocha_text text = {0};
  int count = 0;
  for (int r = 0; r < size; r++)
    if (missing[r] && (names_all || !count)) tocha_text_format(&text, count++ ? ", %d" : "%d", r);
  char *list = tocha_text_finish(NULL, &text);
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "[Rank 0]: Rank%s %s failed to pass monitoredBarrier in %.0f ms\n Original exception: "
             "\n%s",
             count > 1 ? "s" : "", list ? list : "?", timeout * 1000, why);
  free(list);
  return false;
}

/* Waits for all ranks at once. missing[r]: rank r has not come. Returns false with an error if none can pass. */
static bool receive_all(tocha_context *cx, tocha_process_group *group, double timeout,
                        tocha_work **works, bool *missing, char why[WHY]) {
  int64_t one = 1;
  for (int r = 1; r < group->size; r++)
    works[r] =
        begin(cx, group, false, r, tocha_new(cx, 1, &one, TOCHA_UINT8, tocha_cpu()), timeout);
  for (int r = 1; r < group->size; r++) {
    missing[r] = !wait_for(cx, works[r]);
    bool over = is_over(cx, group);
    for (int rest = r + 1; over && rest < group->size; rest++) tocha_work_free(works[rest]);
    if (over) return false;
    keep_why(cx, why);
  }
  return true;
}

/* Waits for all ranks, and tells those that came how it ended. */
static bool collect(tocha_context *cx, tocha_process_group *group, double timeout, bool names_all,
                    tocha_tensor *byte, bool *missing) {
  tocha_work **works = calloc((size_t)group->size, sizeof *works);
  if (!works) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for a barrier");
  char why[WHY] = "";
  bool failed = false, finished = receive_all(cx, group, timeout, works, missing, why);
  for (int r = 1; r < group->size; r++) failed |= missing[r];
  *(char *)tocha_data(byte) = (char)failed;
  for (int r = 1; finished && r < group->size; r++)
    works[r] = missing[r] ? NULL : begin(cx, group, true, r, byte, failed ? VERDICT : timeout);
  for (int r = 1; finished && r < group->size; r++)
    if (!missing[r] && !wait_for(cx, works[r])) tocha_clear_error(cx);
  free(works);
  return finished && (!failed || refuse(cx, missing, group->size, timeout, names_all, why));
}

/* Writes which rank failed first, or which one has ended, as the launcher says; else nothing. */
static void write_cause(const tocha_process_group *group, char why[WHY]) {
  const tocha_distributed *world = group->world;
  if (world->joined && read_failed_rank(world->joined, why, WHY)) return;
  for (int r = 0; r < group->size && !why[0]; r++)
    tocha_watch_describe_ending(world->watch, group->ranks[r], why, WHY);
}

static bool report(tocha_context *cx, tocha_process_group *group, double timeout,
                   tocha_tensor *byte) {
  bool passed = wait_for(cx, begin(cx, group, true, 0, byte, timeout)) &&
                wait_for(cx, begin(cx, group, false, 0, byte, timeout + VERDICT));
  if (passed && !*(char *)tocha_data(byte)) return true;
  if (is_over(cx, group)) return false;
  char why[WHY] = "";
  write_cause(group, why);
  keep_why(cx, why);
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             "Rank %d successfully reached monitoredBarrier, but received errors while waiting "
             "for send/recv from rank 0. Please check rank 0 logs for faulty rank.%s%s",
             group->rank, why[0] ? "\n Original exception: \n" : "", why);
  return false;
}

bool tocha_monitored_barrier(tocha_context *cx, tocha_process_group *group, double timeout,
                             bool wait_all_ranks) {
  group = tocha_group_or_default(cx, group);
  if (!group) return false;
  if (timeout <= 0) timeout = group->timeout;
  int64_t one = 1;
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_tensor *byte = tocha_new(cx, 1, &one, TOCHA_UINT8, tocha_cpu());
  bool *missing = calloc((size_t)group->size, sizeof *missing);
  bool passed = byte && missing;
  if (passed) *(char *)tocha_data(byte) = 0;
  if (passed)
    passed = group->rank ? report(cx, group, timeout, byte)
                         : collect(cx, group, timeout, wait_all_ranks, byte, missing);
  else
    tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for a barrier");
  free(missing);
  tocha_scope_end(cx, scope, NULL);
  return passed;
}
