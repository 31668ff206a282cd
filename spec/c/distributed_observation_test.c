/* distributed_observation_test.c: what process groups tell: the recorder's file, long waits, the log of a profile. The ranks are threads. */
#include "distributed/recorder.h"
#include "distributed_threads.h"

static void test_trace(rank_thread *self) {
  tocha_context *cx = self->cx;
  tocha_distributed_note_place(cx, "a \"b\".lua:7");
  tocha_tensor *t = tensor_of(self, TOCHA_FLOAT32, 3, 0);
  for (int i = 0; i < 2100; i++)
    CHECK(done(self, tocha_all_reduce(cx, t, TOCHA_REDUCE_MAX, NULL, false)));
  char *json = tocha_distributed_trace(cx);
  int records = 0;
  for (const char *at = json; at && (at = strstr(at, "\"record_id\"")); at++) records++;
  CHECK(records == TOCHA_RECORDS);
  CHECK(json && strstr(json, "\"profiling_name\": \"local:all_reduce\", \"input_sizes\": [[3]]"));
  CHECK(json && strstr(json, "\"state\": \"completed\"") && strstr(json, "a \\\"b\\\".lua:7"));
  CHECK(json && strstr(json, "\"record_id\": 2099,") && !strstr(json, "\"record_id\": 99,"));
  tocha_free(json);
}

static void keep_warning(void *user, int level, const char *message) {
  (void)level;
  snprintf(user, 1024, "%s", message);
}

static void say_place(void *user, char *text, size_t capacity) {
  (void)user;
  snprintf(text, capacity, "step 7\nmain");
}

/* A long wait is told once, and can be interrupted. */
static void test_long_wait(rank_thread *self) {
  tocha_context *cx = self->cx;
  char warning[1024] = "";
  CHECK(done(self, tocha_barrier(cx, NULL, false)));
  if (self->rank == 1) { /* a host whose script says where it stands once, and then nothing */
    tocha_distributed_on_question(cx, say_place, NULL);
    for (int i = 0; i < 200 && !tocha_distributed_is_asked(cx); i++) platform_sleep(10000000);
    tocha_distributed_answer(cx);
    platform_sleep(500000000);
    return;
  }
  cx->options.log = keep_warning;
  cx->options.log_user = warning;
  cx->distributed->report_after = 100000000;
  tocha_work *w = tocha_barrier(cx, NULL, true);
  CHECK(!tocha_work_wait(cx, w, 0.6));
  tocha_clear_error(cx);
  CHECK(strstr(warning, "in barrier()") &&
        strstr(warning, "rank 1 has not come: its last operation") &&
        strstr(warning, "; it is now at\n  step 7\n  main"));
  warning[0] = '\0';
  tocha_interrupt(cx);
  CHECK(!tocha_work_wait(cx, w, 0) && tocha_error(cx)->code == TOCHA_INTERRUPTED);
  tocha_clear_error(cx);
  CHECK(!warning[0]);
  tocha_work_free(w);
  cx->options.log = NULL;
}

/* The same between hosts: the question and its answer go through the store. */
static void test_remote_wait(rank_thread *self) {
  tocha_context *cx = self->cx;
  char warning[1024] = "";
  CHECK(done(self, tocha_barrier(cx, NULL, false)));
  if (self->rank == 1) {
    tocha_distributed_on_question(cx, say_place, NULL);
    for (int i = 0; i < 1000 && !tocha_distributed_is_asked(cx); i++) platform_sleep(10000000);
    tocha_distributed_answer(cx);
    platform_sleep(1000000000);
    CHECK(done(self, tocha_barrier(cx, NULL, false)));
    return;
  }
  cx->options.log = keep_warning;
  cx->options.log_user = warning;
  cx->distributed->report_after = 100000000;
  CHECK(done(self, tocha_barrier(cx, NULL, false)));
  CHECK(strstr(warning, "in barrier()") &&
        strstr(warning, "\nrank 1 has not come: its last operation in this group was barrier(); it "
                        "is now at\n  step 7\n  main"));
  cx->options.log = NULL;
}

/* A log has what operations took, and who came last. */
static void test_log(rank_thread *self) {
  tocha_context *cx = self->cx;
  tocha_communication c;
  tocha_tensor *t = tensor_of(self, TOCHA_FLOAT32, 3, 0);
  CHECK(tocha_communication_start(cx));
  CHECK(done(self, tocha_all_reduce(cx, t, TOCHA_REDUCE_MAX, NULL, false)));
  if (self->rank == 1) platform_sleep(100000000);
  CHECK(done(self, tocha_all_reduce(cx, t, TOCHA_REDUCE_MAX, NULL, true)));
  tocha_communication_stop(cx);
  CHECK(done(self, tocha_barrier(cx, NULL, false)));
  CHECK(tocha_communication_at(cx, 0, &c) && strcmp(c.operation, "all_reduce") == 0);
  CHECK(tocha_communication_at(cx, 1, &c) && !tocha_communication_at(cx, 2, &c));
  CHECK(c.count == 3 && c.dtype == TOCHA_FLOAT32 && c.group_size == 2);
  CHECK(c.last_rank == 1 && c.lateness > 0.09);
  CHECK(c.begun <= c.started && c.started <= c.met && c.met <= c.ended);
  CHECK(self->rank == 1 || (c.waited > 0.05 && c.met - c.started > 0.05));
}

/* A wait for a rank that is in its engine is told, too. */
static void test_stuck_engine(rank_thread *self) {
  tocha_context *cx = self->cx;
  char warning[1024] = "";
  atomic_store(&local_pause, 700000000);
  tocha_work *w = tocha_barrier(cx, NULL, true);
  if (self->rank == 0) {
    cx->options.log = keep_warning;
    cx->options.log_user = warning;
    cx->distributed->report_after = 300000000;
  }
  CHECK(done(self, w));
  atomic_store(&local_pause, 0);
  cx->options.log = NULL;
  if (self->rank) return;
  CHECK(strstr(warning, "rank 0 has waited for") && strstr(warning, "in barrier()") &&
        strstr(warning, "rank 1 is in its data phase, and gave its last sign 0."));
}

int main(void) {
  run_world(2, 20, test_trace);
  run_world(2, 20, test_long_wait);
  run_hosts(2, 2, 20, test_remote_wait);
  run_world(2, 20, test_log);
  run_world(2, 20, test_stuck_engine);
  return finish();
}
