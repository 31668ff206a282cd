/* distributed_group_test.c: process groups whose ranks are threads: every collective against a model, mistakes of ranks, ranks that
 * leave or never come. */
#include "distributed_threads.h"

#include "tocha/ops/add.h"
#include "tocha/ops/transpose.h"

/* --- values ------------------------------------------------------------------------------------------ */

static double element(const tocha_tensor *t, int64_t i) {
  tocha_dtype dtype = tocha_dtype_of(t);
  const char *data = tocha_data(t);
  return tocha_scalar_real(tocha_load_scalar(data + (size_t)i * tocha_dtype_size(dtype), dtype));
}

/* Returns true if the tensor has the values of rank r, as far as its dtype can hold them. */
static bool is_of(rank_thread *self, const tocha_tensor *t, int r) {
  tocha_tensor *expected = tensor_of(self, tocha_dtype_of(t), t->numel, r);
  return t->numel == 0 || memcmp(tocha_data(t), tocha_data(expected),
                                 (size_t)t->numel * tocha_dtype_size(tocha_dtype_of(t))) == 0;
}

static double reduced(tocha_reduce_op op, int size, int64_t i) {
  double result = value(0, i);
  for (int r = 1; r < size; r++) {
    double v = value(r, i);
    int64_t x = (int64_t)result, y = (int64_t)v;
    result = op == TOCHA_REDUCE_SUM       ? result + v
             : op == TOCHA_REDUCE_PRODUCT ? result * v
             : op == TOCHA_REDUCE_MIN     ? (result < v ? result : v)
             : op == TOCHA_REDUCE_MAX     ? (result > v ? result : v)
             : op == TOCHA_REDUCE_BAND    ? (double)(x & y)
             : op == TOCHA_REDUCE_BOR     ? (double)(x | y)
                                          : (double)(x ^ y);
  }
  return result;
}

static bool is_reduced(const tocha_tensor *t, tocha_reduce_op op, int size, int64_t first) {
  for (int64_t i = 0; i < t->numel; i++)
    if (element(t, i) != reduced(op, size, first + i)) return false;
  return true;
}

/* --- collectives against the model ---------------------------------------------------------------- */

static void move_values(rank_thread *self, tocha_dtype dtype, int64_t n, bool async) {
  tocha_context *cx = self->cx;
  int size = self->size, me = self->rank;
  tocha_tensor *list[LOCAL_RANKS], *others[LOCAL_RANKS];
  for (int root = 0; root < size; root++) {
    tocha_tensor *t = tensor_of(self, dtype, n, me);
    CHECK(done(self, tocha_broadcast(cx, t, root, NULL, async)) && is_of(self, t, root));
    for (int r = 0; r < size; r++) list[r] = tensor_of(self, dtype, n, me == root ? -1 : 0);
    CHECK(done(self, tocha_gather_to(cx, me == root ? list : NULL, tensor_of(self, dtype, n, me),
                                     root, NULL, async)));
    for (int r = 0; me == root && r < size; r++) CHECK(is_of(self, list[r], r));
    for (int r = 0; r < size; r++) list[r] = tensor_of(self, dtype, n, r);
    t = tensor_of(self, dtype, n, -1);
    CHECK(done(self, tocha_scatter_from(cx, t, me == root ? list : NULL, root, NULL, async)));
    CHECK(is_of(self, t, me));
  }
  for (int r = 0; r < size; r++) list[r] = tensor_of(self, dtype, n, -1);
  CHECK(done(self, tocha_all_gather(cx, list, tensor_of(self, dtype, n, me), NULL, async)));
  for (int r = 0; r < size; r++) CHECK(is_of(self, list[r], r));
  for (int r = 0; r < size; r++) list[r] = tensor_of(self, dtype, n + me, me);
  for (int r = 0; r < size; r++) others[r] = tensor_of(self, dtype, n + r, -1);
  CHECK(done(self, tocha_all_to_all(cx, others, list, NULL, async)));
  for (int r = 0; r < size; r++) CHECK(is_of(self, others[r], r));
}

static void move_in_one(rank_thread *self, tocha_dtype dtype, int64_t n, bool async) {
  tocha_context *cx = self->cx;
  int size = self->size, me = self->rank;
  tocha_tensor *all = tensor_of(self, dtype, n * size, -1);
  CHECK(done(self,
             tocha_all_gather_into_tensor(cx, all, tensor_of(self, dtype, n, me), NULL, async)));
  for (int r = 0; r < size; r++)
    for (int64_t i = 0; i < n; i++)
      if (dtype != TOCHA_BOOL) CHECK(element(all, r * n + i) == value(r, i));
  /* rank r sends q + 1 rows to rank q */
  int64_t sent[LOCAL_RANKS], expected[LOCAL_RANKS], rows = 0;
  for (int r = 0; r < size; r++) {
    sent[r] = r + 1;
    expected[r] = me + 1;
    rows += r + 1;
  }
  tocha_tensor *input = tensor_of(self, dtype, rows, me);
  tocha_tensor *output = tensor_of(self, dtype, (int64_t)size * (me + 1), -1);
  CHECK(done(self, tocha_all_to_all_single(cx, output, input, expected, sent, NULL, async)));
  int64_t before = (int64_t)me * (me + 1) / 2;
  for (int r = 0; r < size; r++)
    for (int64_t i = 0; i <= me; i++)
      if (dtype != TOCHA_BOOL) CHECK(element(output, r * (me + 1) + i) == value(r, before + i));
}

static void reduce_values(rank_thread *self, tocha_dtype dtype, int64_t n, tocha_reduce_op op,
                          bool async) {
  tocha_context *cx = self->cx;
  int size = self->size, me = self->rank;
  tocha_tensor *t = tensor_of(self, dtype, n, me), *list[LOCAL_RANKS];
  CHECK(done(self, tocha_all_reduce(cx, t, op, NULL, async)) && is_reduced(t, op, size, 0));
  for (int root = 0; root < size; root++) {
    t = tensor_of(self, dtype, n, me);
    CHECK(done(self, tocha_reduce_to(cx, t, root, op, NULL, async)));
    CHECK(me != root || is_reduced(t, op, size, 0));
  }
  t = tensor_of(self, dtype, n, -1);
  tocha_tensor *all = tensor_of(self, dtype, n * size, me);
  CHECK(done(self, tocha_reduce_scatter_tensor(cx, t, all, op, NULL, async)));
  CHECK(is_reduced(t, op, size, n * me));
  for (int r = 0; r < size; r++) list[r] = tensor_of(self, dtype, n, me);
  t = tensor_of(self, dtype, n, -1);
  CHECK(done(self, tocha_reduce_scatter(cx, t, list, op, NULL, async)));
  CHECK(is_reduced(t, op, size, 0));
}

static void test_model(rank_thread *self) {
  static const tocha_dtype dtypes[] = {
      TOCHA_FLOAT32, TOCHA_FLOAT64, TOCHA_FLOAT16, TOCHA_BFLOAT16, TOCHA_INT32,        TOCHA_INT64,
      TOCHA_UINT8,   TOCHA_INT8,    TOCHA_INT16,   TOCHA_BOOL,     TOCHA_FLOAT8_E4M3FN};
  static const int64_t lengths[] = {0, 1, 7, 1000};
  for (int d = 0; d < TOCHA_COUNT(dtypes); d++)
    for (int l = 0; l < TOCHA_COUNT(lengths); l++) {
      tocha_scope scope = tocha_scope_begin(self->cx);
      bool async = (d + l) % 2;
      if (dtypes[d] != TOCHA_FLOAT8_E4M3FN) move_in_one(self, dtypes[d], lengths[l], async);
      move_values(self, dtypes[d], lengths[l], async);
      bool is_integer = tocha_dtype_is_integer(dtypes[d]);
      for (int op = 0; op < TOCHA_REDUCE_PREMUL_SUM; op++) {
        bool is_bitwise = op >= TOCHA_REDUCE_BAND;
        if (op == TOCHA_REDUCE_AVG || (op == TOCHA_REDUCE_PRODUCT && self->size > 3) ||
            (is_bitwise && !is_integer) || dtypes[d] == TOCHA_BOOL ||
            dtypes[d] == TOCHA_FLOAT8_E4M3FN || (op == TOCHA_REDUCE_PRODUCT && d >= 6))
          continue;
        reduce_values(self, dtypes[d], lengths[l], (tocha_reduce_op)op, async);
      }
      CHECK(done(self, tocha_barrier(self->cx, NULL, async)));
      tocha_scope_end(self->cx, scope, NULL);
    }
}

/* Tensors that are not packed are copied on the way. */
static void test_strided(rank_thread *self) {
  tocha_context *cx = self->cx;
  int64_t sizes[] = {3, 4};
  tocha_tensor *t = tocha_new(cx, 2, sizes, TOCHA_FLOAT32, tocha_cpu());
  for (int64_t i = 0; i < 12; i++) ((float *)tocha_data(t))[i] = (float)value(self->rank, i);
  tocha_tensor *turned = tocha_transpose(cx, t, 0, 1);
  CHECK(done(self, tocha_all_reduce(cx, turned, TOCHA_REDUCE_SUM, NULL, false)));
  CHECK(is_reduced(t, TOCHA_REDUCE_SUM, self->size, 0));
  tocha_tensor *copies[LOCAL_RANKS];
  for (int r = 0; r < self->size; r++)
    copies[r] = tocha_transpose(cx, tocha_new(cx, 2, sizes, TOCHA_FLOAT32, tocha_cpu()), 0, 1);
  CHECK(done(self, tocha_all_gather(cx, copies, turned, NULL, true)));
  for (int r = 0; r < self->size; r++)
    for (int64_t i = 0; i < 12; i++) {
      const float *base = (const float *)copies[r]->storage->data + copies[r]->offset;
      CHECK((double)base[i] == reduced(TOCHA_REDUCE_SUM, self->size, i));
    }
}

/* --- send and recv --------------------------------------------------------------------------------- */

static void test_pairs(rank_thread *self) {
  tocha_context *cx = self->cx;
  int me = self->rank, size = self->size, next = (me + 1) % size, before = (me + size - 1) % size;
  tocha_tensor *t = tensor_of(self, TOCHA_FLOAT32, 5, -1),
               *u = tensor_of(self, TOCHA_FLOAT32, 5, -1);
  /* all receive before they send; the tags are received in the other order */
  tocha_work *first = tocha_recv(cx, t, before, 1, NULL, true);
  tocha_work *second = tocha_recv(cx, u, before, 2, NULL, true);
  CHECK(
      done(self, tocha_send(cx, tensor_of(self, TOCHA_FLOAT32, 5, me + 1), next, 2, NULL, false)));
  CHECK(done(self, tocha_send(cx, tensor_of(self, TOCHA_FLOAT32, 5, me), next, 1, NULL, false)));
  CHECK(done(self, second) && is_of(self, u, before + 1));
  CHECK(done(self, first) && is_of(self, t, before));
  if (me == 0) { /* from anyone */
    for (int r = 1; r < size; r++) {
      tocha_work *w = tocha_recv(cx, t, -1, 7, NULL, false);
      CHECK(w && is_of(self, t, tocha_work_source(w)));
      tocha_work_free(w);
    }
  } else {
    CHECK(done(self, tocha_send(cx, tensor_of(self, TOCHA_FLOAT32, 5, me), 0, 7, NULL, false)));
  }
  /* of one tag, in order; more than fit the board at a time */
  enum { MANY = 50 };
  tocha_work *works[2 * MANY];
  tocha_tensor *received[MANY];
  for (int i = 0; i < MANY; i++) {
    received[i] = tensor_of(self, TOCHA_FLOAT32, 1, -1);
    works[2 * i] = tocha_recv(cx, received[i], before, 0, NULL, true);
    tocha_tensor *sent = tensor_of(self, TOCHA_FLOAT32, 1, i);
    works[2 * i + 1] = tocha_send(cx, sent, next, 0, NULL, true);
  }
  for (int i = 0; i < 2 * MANY; i++) CHECK(done(self, works[i]));
  for (int i = 0; i < MANY; i++) CHECK(is_of(self, received[i], i));
}

/* Returns true if the operation failed with this text in its message; clears the error. */
static bool fails(rank_thread *self, tocha_work *work, const char *expected) {
  bool failed_so = !done(self, work) && strstr(tocha_error(self->cx)->message, expected);
  if (!failed_so) show_error(self);
  tocha_clear_error(self->cx);
  return failed_so;
}

static void test_pair_mismatch(rank_thread *self) {
  tocha_context *cx = self->cx;
  tocha_tensor *t = tensor_of(self, TOCHA_FLOAT32, 3 + self->rank, 0);
  tocha_work *w =
      self->rank ? tocha_recv(cx, t, 0, 0, NULL, false) : tocha_send(cx, t, 1, 0, NULL, false);
  CHECK(fails(self, w, "Rank 0 sends 3 elements of torch.float32, but Rank 1 receives 4"));
  t = tensor_of(self, self->rank ? TOCHA_INT32 : TOCHA_FLOAT32, 3, 0);
  w = self->rank ? tocha_recv(cx, t, 0, 0, NULL, false) : tocha_send(cx, t, 1, 0, NULL, false);
  CHECK(fails(self, w, "3 elements of torch.float32, but Rank 1 receives 3 of torch.int32"));
  test_pairs(self); /* the group can be used */
}

/* --- mistakes -------------------------------------------------------------------------------------- */

static bool fails_equally(rank_thread *self, tocha_work *work, const char *one, const char *other) {
  bool failed_so = !done(self, work) && tocha_error(self->cx)->code == TOCHA_RUNTIME_ERROR;
  const char *message = tocha_error(self->cx)->message;
  failed_so = failed_so &&
              strstr(message, "Detected mismatch between collectives on ranks. Rank 0 is") &&
              strstr(message, one) && strstr(message, other) && strstr(message, "\n  rank 0") &&
              strstr(message, "there.lua:");
  if (!failed_so) show_error(self);
  tocha_clear_error(self->cx);
  return failed_so;
}

/* Ranks differ in each way; the group can be used after each. */
static void test_mismatches(rank_thread *self) {
  tocha_context *cx = self->cx;
  bool odd = self->rank == self->size - 1;
  char place[32];
  snprintf(place, sizeof place, "there.lua:%d", self->rank);
  tocha_distributed_note_place(cx, place);
  for (int async = 0; async < 2; async++) {
    int before = atomic_load(&local_runs);
    tocha_tensor *t = tensor_of(self, TOCHA_FLOAT32, 3 + odd, 0);
    CHECK(fails_equally(self, tocha_all_reduce(cx, t, TOCHA_REDUCE_SUM, NULL, async),
                        "TensorShape=[3]", "TensorShape=[4]"));
    t = tensor_of(self, odd ? TOCHA_FLOAT64 : TOCHA_FLOAT32, 3, 0);
    CHECK(fails_equally(self, tocha_all_reduce(cx, t, TOCHA_REDUCE_SUM, NULL, async),
                        "TensorDtypes=Float,", "TensorDtypes=Double"));
    t = tensor_of(self, TOCHA_FLOAT32, 3, 0);
    CHECK(fails_equally(
        self, tocha_all_reduce(cx, t, odd ? TOCHA_REDUCE_MAX : TOCHA_REDUCE_SUM, NULL, async),
        "float32 [3], SUM", "float32 [3], MAX"));
    CHECK(
        fails_equally(self, tocha_broadcast(cx, t, odd ? 1 : 0, NULL, async), "root 0", "root 1"));
    CHECK(fails_equally(self,
                        odd ? tocha_barrier(cx, NULL, async)
                            : tocha_all_reduce(cx, t, TOCHA_REDUCE_SUM, NULL, async),
                        "OpType=BARRIER", "OpType=ALLREDUCE"));
    int64_t sizes[LOCAL_RANKS], wrong[LOCAL_RANKS];
    for (int r = 0; r < self->size; r++) sizes[r] = wrong[r] = 2;
    tocha_tensor *rows = tensor_of(self, TOCHA_FLOAT32, 2 * self->size, 0);
    wrong[0] = 3, wrong[1] = 1;
    CHECK(fails(self,
                tocha_all_to_all_single(cx, tensor_of(self, TOCHA_FLOAT32, 2 * self->size, 0), rows,
                                        sizes, odd ? wrong : sizes, NULL, async),
                self->hosts > 1 ? "sends another number of elements to Rank"
                                : "sends 3 elements to Rank 0, which expects 2"));
    CHECK(self->hosts > 1 || atomic_load(&local_runs) == before); /* no engine was entered */
    t = tensor_of(self, TOCHA_FLOAT32, 3, self->rank);
    CHECK(done(self, tocha_all_reduce(cx, t, TOCHA_REDUCE_SUM, NULL, async)));
    CHECK(is_reduced(t, TOCHA_REDUCE_SUM, self->size, 0));
    CHECK(done(self, tocha_barrier(cx, NULL, false))); /* all have looked at local_runs */
  }
}

static void test_arguments(rank_thread *self) {
  tocha_context *cx = self->cx;
  tocha_tensor *t = tensor_of(self, TOCHA_FLOAT32, 3, 0), *list[LOCAL_RANKS];
  for (int r = 0; r < self->size; r++) list[r] = tensor_of(self, TOCHA_FLOAT32, 4, 0);
  CHECK(fails(self, tocha_broadcast(cx, t, self->size, NULL, false),
              "ProcessGroupGloo::broadcast: invalid root rank: "));
  CHECK(
      fails(self, tocha_all_gather(cx, list, t, NULL, false),
            "ProcessGroupGloo::allgather: invalid tensor size at index 0 (expected (3), got (4))"));
  CHECK(fails(self, tocha_send(cx, t, self->rank, 0, NULL, false),
              "destination rank should not be the same as the rank of the current process"));
  CHECK(fails(self, tocha_recv(cx, t, self->size, 0, NULL, false), "Invalid source rank"));
  CHECK(fails(self, tocha_all_reduce(cx, t, TOCHA_REDUCE_BAND, NULL, false),
              "Cannot use ReduceOp.BAND with non-integral dtype"));
  CHECK(fails(self, tocha_all_reduce(cx, t, TOCHA_REDUCE_PREMUL_SUM, NULL, false),
              "Cannot use ReduceOp.PREMUL_SUM with Local"));
  CHECK(fails(self, tocha_gather_to(cx, NULL, t, self->rank, NULL, false),
              "``gather_list`` must be specified on destination rank"));
  CHECK(!tocha_distributed_init(cx, NULL) &&
        strcmp(tocha_error(cx)->message, "trying to initialize the default process group twice!") ==
            0);
  tocha_clear_error(cx);
  CHECK(done(self, tocha_barrier(cx, NULL, false)));
}

/* A tensor that is written before the wait is an error. */
static void test_written(rank_thread *self) {
  tocha_context *cx = self->cx;
  tocha_tensor *t = tensor_of(self, TOCHA_FLOAT32, 3, 0);
  tocha_work *w = tocha_all_reduce(cx, t, TOCHA_REDUCE_SUM, NULL, true);
  tocha_add_(cx, t, t);
  CHECK(fails(self, w, "modified in place between the start of all_reduce and its wait()"));
}

/* --- groups ---------------------------------------------------------------------------------------- */

static void test_groups(rank_thread *self) {
  tocha_context *cx = self->cx;
  tocha_process_group *evens = NULL, *odds = NULL, *all = NULL, *group;
  int even[LOCAL_RANKS], odd[LOCAL_RANKS], every[LOCAL_RANKS], evens_count = 0, odds_count = 0;
  for (int r = 0; r < self->size; r++) {
    every[r] = self->size - 1 - r; /* not in the world's order */
    if (r % 2)
      odd[odds_count++] = r;
    else
      even[evens_count++] = r;
  }
  CHECK(tocha_new_group(cx, evens_count, even, NULL, 0, NULL, &evens));
  CHECK(tocha_new_group(cx, odds_count, odd, NULL, 0, NULL, &odds));
  CHECK(tocha_new_group(cx, self->size, every, NULL, 0, "all", &all));
  CHECK((evens == NULL) == (self->rank % 2 != 0) && (odds == NULL) == (self->rank % 2 == 0));
  group = evens ? evens : odds;
  CHECK(tocha_group_size(cx, group) == (evens ? evens_count : odds_count));
  CHECK(tocha_group_rank(cx, group) == self->rank / 2);
  CHECK(tocha_group_rank(cx, all) == self->size - 1 - self->rank);
  tocha_tensor *t = tensor_of(self, TOCHA_FLOAT32, 3, self->rank);
  tocha_tensor *u = tensor_of(self, TOCHA_FLOAT32, 3, self->rank);
  tocha_work *first = tocha_all_reduce(cx, t, TOCHA_REDUCE_MAX, group, true); /* two at once */
  tocha_work *second = tocha_all_reduce(cx, u, TOCHA_REDUCE_SUM, all, true);
  CHECK(done(self, second) && is_reduced(u, TOCHA_REDUCE_SUM, self->size, 0));
  int last = evens ? even[evens_count - 1] : odd[odds_count - 1];
  CHECK(done(self, first) && is_of(self, t, last));
  t = tensor_of(self, TOCHA_FLOAT32, 3, self->rank);
  CHECK(done(self, tocha_broadcast(cx, t, 0, all, false)) && is_of(self, t, self->size - 1));
  CHECK(tocha_group_end(cx, group));
  for (int turn = 0; turn < 2; turn++) { /* the members alone, more often than others */
    const int *members = self->rank % 2 ? odd : even;
    int count = self->rank % 2 ? odds_count : evens_count;
    if (self->rank % 2 && turn) break;
    group = tocha_new_group_of_members(cx, count, members, NULL, 0, NULL);
    CHECK(group && tocha_group_rank(cx, group) == self->rank / 2);
    t = tensor_of(self, TOCHA_FLOAT32, 3, self->rank);
    CHECK(done(self, tocha_broadcast(cx, t, count - 1, group, false)));
    CHECK(is_of(self, t, members[count - 1]));
    CHECK(tocha_group_end(cx, group));
  }
  int twice[] = {0, 0}, outside[] = {99};
  CHECK(!tocha_new_group(cx, 2, twice, NULL, 0, NULL, &group));
  tocha_clear_error(cx);
  CHECK(!tocha_new_group(cx, 1, outside, NULL, 0, NULL, &group));
  tocha_clear_error(cx);
  CHECK(done(self, tocha_barrier(cx, NULL, false)));
}

/* Groups end and begin again; operations that nobody waits for go on. */
static void test_again(rank_thread *self) {
  tocha_context *cx = self->cx;
  for (int turn = 0; turn < 3; turn++) {
    for (int i = 0; i < 5; i++)
      tocha_work_free(tocha_all_reduce(cx, tensor_of(self, TOCHA_FLOAT32, 100, self->rank),
                                       TOCHA_REDUCE_SUM, NULL, true));
    CHECK(tocha_distributed_end(cx));
    CHECK(!tocha_distributed_is_initialized(cx));
    CHECK(fails(self, tocha_barrier(cx, NULL, false),
                "Default process group has not been initialized"));
    tocha_distributed_options o = {.backend = "cpu:local",
                                   .store = self->store,
                                   .rank = self->rank,
                                   .world_size = self->size,
                                   .timeout = self->timeout};
    CHECK(tocha_distributed_init(cx, &o));
  }
}

/* --- ranks that are not there ------------------------------------------------------------------------ */

static void test_leaver(rank_thread *self) {
  tocha_context *cx = self->cx;
  CHECK(done(self, tocha_barrier(cx, NULL, false)));
  int64_t before = platform_nanoseconds();
  if (self->rank == 1) return; /* its context is closed */
  CHECK(fails(self, tocha_barrier(cx, NULL, false), "has left the group"));
  CHECK(platform_nanoseconds() - before < 1000000000);
}

static void test_absentee(rank_thread *self) {
  tocha_context *cx = self->cx;
  CHECK(done(self, tocha_barrier(cx, NULL, false)));
  if (self->rank == 1) {
    platform_sleep(1500000000);
    CHECK(fails(self, tocha_barrier(cx, NULL, false), "Timed out after 0.5 s: rank 1"));
    return;
  }
  tocha_work *w = tocha_barrier(cx, NULL, true);
  CHECK(!tocha_work_wait(cx, w, 0.05) && tocha_error(cx)->code == TOCHA_BACKEND_ERROR);
  tocha_clear_error(cx);
  CHECK(!tocha_work_is_completed(w));
  CHECK(fails(self, w, "Timed out after 0.5 s: rank 1"));
}

static void test_closed(rank_thread *self) { /* contexts are closed while operations wait */
  if (self->rank == 0) {
    tocha_work_free(tocha_all_reduce(self->cx, tensor_of(self, TOCHA_FLOAT32, 10, 0),
                                     TOCHA_REDUCE_SUM, NULL, true));
    tocha_work_free(tocha_recv(self->cx, tensor_of(self, TOCHA_FLOAT32, 10, 0), 1, 0, NULL, true));
  }
}

static void test_monitored_barrier(rank_thread *self) {
  tocha_context *cx = self->cx;
  CHECK(tocha_monitored_barrier(cx, NULL, 5, false));
  for (int wait_all = 0; wait_all < 2; wait_all++) {
    if (self->rank == 1 || self->rank == 3) continue;
    bool all_came = tocha_monitored_barrier(cx, NULL, 0.3, wait_all);
    const char *expected = self->rank ? "successfully reached monitoredBarrier, but received errors"
                           : wait_all
                               ? "[Rank 0]: Ranks 1, 3 failed to pass monitoredBarrier in 300 ms"
                               : "[Rank 0]: Rank 1 failed to pass monitoredBarrier in 300 ms";
    CHECK(!all_came && strstr(tocha_error(cx)->message, expected));
    if (!strstr(tocha_error(cx)->message, expected)) show_error(self);
    tocha_clear_error(cx);
  }
  CHECK(done(self, tocha_barrier(cx, NULL, false)));
}

int main(void) {
  static const int sizes[] = {2, 3, 5};
  for (int i = 0; i < TOCHA_COUNT(sizes); i++) {
    run_world(sizes[i], 20, test_model);
    run_world(sizes[i], 20, test_strided);
    run_world(sizes[i], 20, test_pairs);
    run_world(sizes[i], 20, test_mismatches);
    run_world(sizes[i], 20, test_arguments);
    run_world(sizes[i], 20, test_groups);
    run_world(sizes[i], 20, test_again);
    run_world(sizes[i], 20, test_leaver);
    run_world(sizes[i], 20, test_closed);
  }
  run_world(1, 20, test_model);
  run_hosts(2, 5, 20, test_model);
  run_hosts(3, 3, 20, test_model);
  run_hosts(2, 3, 20, test_mismatches);
  run_hosts(2, 2, 20, test_mismatches);
  run_hosts(2, 5, 20, test_groups);
  run_world(2, 20, test_pair_mismatch);
  run_world(2, 20, test_written);
  run_world(5, 20, test_monitored_barrier);
  run_world(3, 0.5, test_absentee);
  return finish();
}
