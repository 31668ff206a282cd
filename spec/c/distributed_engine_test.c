/* distributed_engine_test.c: an engine of torch.distributed on its own: every operation, dtype, op, root and length against a
 * model, PyTorch's digits, deadlines, aborts, ranks that vanish.
 *
 *   distributed_engine_test            gloo, a thread for each rank
 *   mpirun -n 2 distributed_engine_test mpi           or the path of a plug-in
 *   mpirun -n 2 distributed_engine_test mpi alone 100 one rank waits for the other, with so many numbers, and gives MPI up */
#include <math.h>

#include "check.h"
#include "distributed/engines.h"
#include "distributed_elements.h"
#include "distributed_world.h"

static const tocha_dtype dtypes[] = {TOCHA_BOOL,    TOCHA_UINT8,   TOCHA_INT8,     TOCHA_INT32,
                                     TOCHA_INT64,   TOCHA_FLOAT16, TOCHA_BFLOAT16, TOCHA_FLOAT32,
                                     TOCHA_FLOAT64, TOCHA_INT16};
static const tocha_reduce_op ops[] = {TOCHA_REDUCE_SUM, TOCHA_REDUCE_AVG,  TOCHA_REDUCE_PRODUCT,
                                      TOCHA_REDUCE_MIN, TOCHA_REDUCE_MAX,  TOCHA_REDUCE_BAND,
                                      TOCHA_REDUCE_BOR, TOCHA_REDUCE_BXOR, TOCHA_REDUCE_PREMUL_SUM};
enum { DTYPES = sizeof dtypes / sizeof *dtypes, OPS = sizeof ops / sizeof *ops };

#if defined __SANITIZE_THREAD__
enum { MOST_THREADS = 3 }; /* five take minutes */
#else
enum { MOST_THREADS = 5 };
#endif

static platform_mutex counting; /* CHECK counts for all threads */

static void expect(bool holds, const char *what, const rank_here *r, const tocha_transfer *t) {
  platform_lock(&counting);
  if (!holds)
    printf("  rank %d of %d, kind %d, dtype %d, op %d, root %d, count %lld: %s\n", r->rank, r->size,
           (int)t->kind, (int)t->dtype, (int)t->op, t->root, (long long)t->count,
           r->failure.message);
  EXPECT(holds, what);
  platform_unlock(&counting);
}

/* --- the model ------------------------------------------------------------------------------------- */

/* Small numbers: whatever the order, every dtype has all sums and products of five of them exactly. */
static double input_of(tocha_dtype dtype, int rank, int64_t i) {
  int value = (int)(mixed((uint32_t)rank, (uint32_t)i) % 4) + 1;
  bool is_signed = dtype != TOCHA_BOOL && dtype != TOCHA_UINT8;
  return dtype == TOCHA_BOOL ? value % 2 : is_signed && (i + rank) % 3 == 0 ? -value : value;
}

static double both(tocha_dtype dtype, tocha_reduce_op op, double a, double b) {
  bool is_bool = dtype == TOCHA_BOOL;
  switch (op) {
  case TOCHA_REDUCE_PRODUCT:
    return a * b;
  case TOCHA_REDUCE_MIN:
    return a < b ? a : b;
  case TOCHA_REDUCE_MAX:
    return a > b ? a : b;
  case TOCHA_REDUCE_BAND:
    return (double)((int64_t)a & (int64_t)b);
  case TOCHA_REDUCE_BOR:
    return (double)((int64_t)a | (int64_t)b);
  case TOCHA_REDUCE_BXOR:
    return (double)((int64_t)a ^ (int64_t)b);
  default:
    return is_bool ? a != 0 || b != 0 : a + b;
  }
}

static double reduced(tocha_dtype dtype, tocha_reduce_op op, int size, int64_t i) {
  double value = input_of(dtype, 0, i);
  for (int rank = 1; rank < size; rank++) value = both(dtype, op, value, input_of(dtype, rank, i));
  if (op == TOCHA_REDUCE_AVG)
    value = dtype == TOCHA_FLOAT64 ? value / size : (double)((float)value / (float)size);
  return op == TOCHA_REDUCE_PREMUL_SUM ? value * 2 : value;
}

/* Returns what the element i of a rank's output must be, NAN if it may be anything. */
static double expected(const tocha_transfer *t, int rank, int size, int64_t i) {
  switch (t->kind) {
  case TOCHA_ALL_REDUCE:
    return reduced(t->dtype, t->op, size, i);
  case TOCHA_REDUCE:
    return rank == t->root ? reduced(t->dtype, t->op, size, i) : NAN;
  case TOCHA_REDUCE_SCATTER:
    return reduced(t->dtype, t->op, size, rank * t->count + i);
  case TOCHA_BROADCAST:
    return input_of(t->dtype, t->root, i);
  case TOCHA_ALL_GATHER:
    return input_of(t->dtype, (int)(i / t->count), i % t->count);
  case TOCHA_GATHER:
    return rank == t->root ? input_of(t->dtype, (int)(i / t->count), i % t->count) : NAN;
  case TOCHA_SCATTER:
    return input_of(t->dtype, t->root, rank * t->count + i);
  default:
    return NAN;
  }
}

/* --- one operation --------------------------------------------------------------------------------- */

static int64_t input_length(const tocha_transfer *t, int size) {
  return t->kind == TOCHA_SCATTER || t->kind == TOCHA_REDUCE_SCATTER ? size * t->count : t->count;
}

static int64_t output_length(const tocha_transfer *t, int size) {
  return t->kind == TOCHA_ALL_GATHER || t->kind == TOCHA_GATHER ? size * t->count : t->count;
}

static bool is_in_place(tocha_collective kind) {
  return kind == TOCHA_ALL_REDUCE || kind == TOCHA_BROADCAST || kind == TOCHA_REDUCE;
}

/* Runs one collective that has a model, and compares. */
static void check_one(rank_here *r, tocha_transfer t) {
  int64_t in = input_length(&t, r->size), out = output_length(&t, r->size);
  uint64_t *input = malloc((size_t)in * 8 + 8), *output = malloc((size_t)out * 8 + 8);
  for (int64_t i = 0; i < in; i++) set_element(input, t.dtype, i, input_of(t.dtype, r->rank, i));
  t.input = is_in_place(t.kind) ? output : input;
  if (is_in_place(t.kind)) memcpy(output, input, (size_t)in * 8);
  t.output = output;
  t.deadline = after(60);
  bool done = r->engine->run(r->channel, &t, &r->failure);
  int64_t wrong = 0;
  for (int64_t i = 0; done && i < out; i++) {
    uint64_t one;
    double value = expected(&t, r->rank, r->size, i);
    if (isnan(value)) continue;
    set_element(&one, t.dtype, 0, value);
    wrong += get_element(&one, t.dtype, 0) != get_element(output, t.dtype, i);
  }
  expect(done && wrong == 0, "a collective has the model's answer", r, &t);
  free(input);
  free(output);
}

static const int64_t lengths[] = {0, 1, 3, 7, 64, 1001, 70000};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void check_reductions(rank_here *r) {
  static const tocha_collective kinds[] = {TOCHA_ALL_REDUCE, TOCHA_REDUCE, TOCHA_REDUCE_SCATTER};
  for (int k = 0; k < 3; k++)
    for (int d = 0; d < DTYPES; d++)
      for (int o = 0; o < OPS; o++)
        for (int n = 0; n < LENGTHS && r->engine->takes(kinds[k], dtypes[d], ops[o]);
             n += r->size > 3 ? 4 : 1) {
          tocha_transfer t = {.kind = kinds[k],
                              .dtype = dtypes[d],
                              .op = ops[o],
                              .factor = 2,
                              .root = n % r->size,
                              .count = lengths[n],
                              .separate = n % 2};
          check_one(r, t);
        }
}

static void check_copies(rank_here *r) {
  static const tocha_collective kinds[] = {TOCHA_BROADCAST, TOCHA_ALL_GATHER, TOCHA_GATHER,
                                           TOCHA_SCATTER};
  for (int k = 0; k < 4; k++)
    for (int d = 0; d < DTYPES; d++)
      for (int n = 0; n < LENGTHS && r->engine->takes(kinds[k], dtypes[d], TOCHA_REDUCE_SUM); n++)
        for (int root = 0; root < r->size; root++)
          if (n < 3 || root == n % r->size)
            check_one(r,
                      (tocha_transfer){
                          .kind = kinds[k], .dtype = dtypes[d], .root = root, .count = lengths[n]});
}

/* Rank a sends (a + 1) * (b + scale) elements to b. */
static void check_all_to_all(rank_here *r, tocha_dtype dtype, int scale) {
  int64_t ins[MOST_RANKS_HERE], outs[MOST_RANKS_HERE], in = 0, out = 0;
  for (int i = 0; i < r->size; i++) {
    ins[i] = (r->rank + 1) * (i + scale) * (scale > 0);
    outs[i] = (i + 1) * (r->rank + scale) * (scale > 0);
    in += ins[i];
    out += outs[i];
  }
  uint64_t *input = malloc((size_t)in * 8 + 8), *output = malloc((size_t)out * 8 + 8);
  for (int64_t i = 0; i < in; i++) set_element(input, dtype, i, input_of(dtype, r->rank, i));
  tocha_transfer t = {.kind = TOCHA_ALL_TO_ALL,
                      .dtype = dtype,
                      .input = input,
                      .output = output,
                      .input_counts = ins,
                      .output_counts = outs,
                      .deadline = after(60)};
  bool done = r->engine->run(r->channel, &t, &r->failure);
  int64_t wrong = 0, at = 0;
  for (int from = 0; done && from < r->size; from++) {
    int64_t skipped = 0;
    for (int i = 0; i < r->rank; i++) skipped += (from + 1) * (i + scale);
    for (int64_t i = 0; i < outs[from]; i++, at++)
      wrong += get_element(output, dtype, at) != input_of(dtype, from, skipped + i);
  }
  expect(done && wrong == 0, "all_to_all has the model's answer", r, &t);
  free(input);
  free(output);
}

/* Each rank sends to the next, with two tags. */
static void *send_both(void *user) {
  rank_here *r = user;
  tocha_engine_failure failure;
  int32_t values[2000];
  for (int i = 0; i < 2000; i++) values[i] = r->rank * 10000 + i;
  for (uint32_t tag = 1; tag <= 2; tag++) {
    tocha_transfer t = {.kind = TOCHA_SEND,
                        .dtype = TOCHA_INT32,
                        .root = (r->rank + 1) % r->size,
                        .tag = tag,
                        .input = values,
                        .count = tag == 1 ? 2000 : 5,
                        .deadline = after(60)};
    expect(r->engine->run(r->channel, &t, &failure), "a send ends", r, &t);
  }
  return NULL;
}

static void check_messages(rank_here *r) {
  platform_thread sender;
  if (r->size < 2) return;
  platform_start_thread(&sender, 0, send_both, r);
  int from = (r->rank + r->size - 1) % r->size;
  for (uint32_t tag = 1; tag <= 2; tag++) {
    int32_t values[2000] = {0};
    tocha_transfer t = {.kind = TOCHA_RECV,
                        .dtype = TOCHA_INT32,
                        .root = tag == 2 ? from : -1,
                        .tag = tag,
                        .output = values,
                        .count = tag == 1 ? 2000 : 5,
                        .deadline = after(60),
                        .source = -1};
    bool done = r->engine->run(r->channel, &t, &r->failure);
    bool right = done && t.source == from && values[0] == from * 10000 &&
                 values[t.count - 1] == from * 10000 + (int)t.count - 1;
    expect(right, "a recv has what was sent with its tag", r, &t);
  }
  platform_join_thread(&sender);
}

static void check_barrier(rank_here *r) {
  atomic_int *arrived = r->user;
  tocha_transfer t = {.kind = TOCHA_BARRIER, .deadline = after(60)};
  if (arrived) atomic_fetch_add(arrived, 1);
  bool done = r->engine->run(r->channel, &t, &r->failure);
  expect(done && (!arrived || atomic_load(arrived) == r->size), "a barrier waits for all", r, &t);
}

/* Returns a hash of the sum of all ranks' numbers, which rounds. */
static uint64_t hash_of_sum(rank_here *r, float *data, int64_t count) {
  fill_golden(data, TOCHA_FLOAT32, count, r->rank);
  tocha_transfer t = {.kind = TOCHA_ALL_REDUCE,
                      .dtype = TOCHA_FLOAT32,
                      .op = TOCHA_REDUCE_SUM,
                      .count = count,
                      .input = data,
                      .output = data,
                      .deadline = after(60)};
  expect(r->engine->run(r->channel, &t, &r->failure), "a sum ends", r, &t);
  return hash_of(data, (size_t)count * sizeof *data);
}

/* A sum has the same digits on all ranks, and each time. */
static void check_equal_sums(rank_here *r) {
  for (int64_t count = 1001; count < 300000; count *= 17) {
    float *data = malloc((size_t)count * sizeof *data);
    int64_t hashes[2 * MOST_RANKS_HERE], own[2];
    for (int i = 0; i < 2; i++) own[i] = (int64_t)hash_of_sum(r, data, count);
    tocha_transfer t = {.kind = TOCHA_ALL_GATHER,
                        .dtype = TOCHA_INT64,
                        .count = 2,
                        .input = own,
                        .output = hashes,
                        .deadline = after(60)};
    bool done = r->engine->run(r->channel, &t, &r->failure);
    for (int i = 0; done && i < 2 * r->size; i++) done = hashes[i] == own[0];
    expect(done, "a sum has the same digits on all ranks, and each time", r, &t);
    free(data);
  }
}

static void everything(rank_here *r) {
  expect(r->channel != NULL, "a channel opens", r, &(tocha_transfer){0});
  if (!r->channel) return;
  check_barrier(r);
  check_reductions(r);
  check_copies(r);
  check_equal_sums(r);
  for (int scale = 0; scale < 200; scale += 66) {
    check_all_to_all(r, TOCHA_FLOAT32, scale);
    check_all_to_all(r, TOCHA_INT8, scale);
  }
  for (int i = 0; i < 10; i++) check_messages(r);
}

/* --- PyTorch's digits ------------------------------------------------------------------------------ */

typedef struct golden {
  tocha_collective kind;
  bool separate;
  tocha_reduce_op op;
  tocha_dtype dtype;
  int64_t count;
  int size;
  uint64_t hashes[5];
} golden;

enum { LIST_ALL_REDUCE, LIST_REDUCE, LIST_REDUCE_SCATTER, LIST_REDUCE_SCATTER_LIST };
#define TOCHA_REDUCE_SCATTER_LIST TOCHA_REDUCE_SCATTER
static const golden answers[] = {
#define GOLDEN(KIND, OP, DTYPE, count, size, ...)                                                  \
  {TOCHA_##KIND,                                                                                   \
   LIST_##KIND == LIST_REDUCE_SCATTER_LIST,                                                        \
   TOCHA_REDUCE_##OP,                                                                              \
   TOCHA_##DTYPE,                                                                                  \
   count,                                                                                          \
   size,                                                                                           \
   {__VA_ARGS__}},
#include "distributed_gloo.def"
#undef GOLDEN
};

static void check_digits(rank_here *r) {
  for (size_t i = 0; r->channel && i < sizeof answers / sizeof *answers; i++) {
    const golden *g = &answers[i];
    if (g->size != r->size) continue;
    size_t element = tocha_dtype_size(g->dtype);
    tocha_transfer t = {.kind = g->kind,
                        .separate = g->separate,
                        .op = g->op,
                        .dtype = g->dtype,
                        .count = g->count,
                        .root = r->size - 1,
                        .deadline = after(60)};
    int64_t in = input_length(&t, r->size);
    void *input = malloc((size_t)in * element), *output = malloc((size_t)g->count * element);
    fill_golden(input, g->dtype, in, r->rank);
    t.input = is_in_place(t.kind) ? memcpy(output, input, (size_t)in * element) : input;
    t.output = output;
    bool done = r->engine->run(r->channel, &t, &r->failure);
    bool counts = t.kind != TOCHA_REDUCE || r->rank == t.root;
    uint64_t hash = hash_of(output, (size_t)g->count * element);
    expect(done && (!counts || hash == g->hashes[r->rank]), "PyTorch's digits", r, &t);
    free(input);
    free(output);
  }
}

/* --- failures -------------------------------------------------------------------------------------- */

static bool all_reduce(rank_here *r, int64_t count, double seconds) {
  float *data = calloc((size_t)count, sizeof *data);
  tocha_transfer t = {.kind = TOCHA_ALL_REDUCE,
                      .dtype = TOCHA_FLOAT32,
                      .op = TOCHA_REDUCE_SUM,
                      .count = count,
                      .input = data,
                      .output = data,
                      .deadline = after(seconds)};
  bool done = r->engine->run(r->channel, &t, &r->failure);
  free(data);
  return done;
}

/* Rank 0 comes, with so many numbers, the others do not. */
static void wait_alone(rank_here *r) {
  const int64_t *count = r->user;
  if (!r->channel) return;
  tocha_transfer t = {.kind = TOCHA_ALL_REDUCE};
  int64_t start = platform_nanoseconds();
  if (r->rank == 0) {
    bool done = all_reduce(r, *count, 0.3);
    double seconds = (double)(platform_nanoseconds() - start) * 1e-9;
    expect(!done && r->failure.kind == TOCHA_ENGINE_TIMED_OUT && seconds > 0.25 && seconds < 2,
           "an operation fails at its deadline", r, &t);
    expect(!all_reduce(r, *count, 5), "then the channel is of no more use", r, &t);
  } else {
    platform_sleep(700000000);
  }
}

static void open_alone(rank_here *r) {
  expect(!r->channel && r->failure.kind == TOCHA_ENGINE_TIMED_OUT && r->failure.peer > 0,
         "an opening fails at its deadline, and names who is missing", r, &(tocha_transfer){0});
}

static void *abort_soon(void *user) {
  rank_here *r = user;
  platform_sleep(200000000);
  r->engine->abort(r->channel);
  return NULL;
}

static void abort_while_waiting(rank_here *r) {
  platform_thread other;
  tocha_transfer t = {.kind = TOCHA_ALL_REDUCE};
  if (!r->channel) return;
  if (r->rank != 0) {
    platform_sleep(500000000);
    return;
  }
  int64_t start = platform_nanoseconds();
  platform_start_thread(&other, 0, abort_soon, r);
  bool done = all_reduce(r, 1 << 22, 60);
  expect(!done && r->failure.kind == TOCHA_ENGINE_ABORTED &&
             platform_nanoseconds() - start < 1000000000,
         "abort ends what waits", r, &t);
  platform_join_thread(&other);
  r->engine->abort(r->channel); /* again, in the state after it */
}

/* Rank 1 goes after `i` operations, while the others run. Nobody waits for long. */
static void leave_early(rank_here *r) {
  const int *after_operations = r->user;
  tocha_transfer t = {.kind = TOCHA_ALL_REDUCE};
  if (!r->channel) return;
  bool done = true;
  for (int i = 0; done && i < 20; i++) {
    if (r->rank == 1 && i == *after_operations) return;
    done = all_reduce(r, 1 << 18, 20);
  }
  expect(!done && r->failure.kind == TOCHA_ENGINE_LOST_PEER && r->failure.peer >= 0,
         "a rank that goes is a lost peer", r, &t);
}

/* Aborts from another thread at any moment of a stream of operations. */
static void *abort_later(void *user) {
  rank_here *r = user;
  platform_sleep((int64_t)(mixed((uint32_t)r->rank, (uint32_t)(uintptr_t)r->channel) % 20000) *
                 1000);
  r->engine->abort(r->channel);
  return NULL;
}

static void abort_anywhere(rank_here *r) {
  platform_thread other;
  tocha_transfer t = {.kind = TOCHA_ALL_REDUCE};
  if (!r->channel) return;
  if (r->rank == 0) platform_start_thread(&other, 0, abort_later, r);
  bool done = true;
  for (int i = 0; done && i < 10000; i++) done = all_reduce(r, 1 << (i % 20), 20);
  expect(!done && r->failure.kind != TOCHA_ENGINE_TIMED_OUT, "an abort ends all ranks' work", r,
         &t);
  if (r->rank == 0) platform_join_thread(&other);
}

static void check_failures(const tocha_engine *engine) {
  int64_t count = 100;
  run_world(engine, 3, 3, 30, wait_alone, &count);
  run_world(engine, 3, 2, 0.3, open_alone, NULL);
  run_world(engine, 2, 2, 30, abort_while_waiting, NULL);
  for (int i = 0; i < 4; i++) run_world(engine, 3, 3, 30, leave_early, &i);
  for (int i = 0; i < 20; i++) run_world(engine, 2 + i % 3, 2 + i % 3, 30, abort_anywhere, NULL);
}

static void check_limits(const tocha_engine *engine) {
  tocha_engine_failure failure;
  tocha_channel_options options = {.rank = 0, .size = 600, .deadline = after(1)};
  EXPECT(!engine->open(&options, &failure) && strstr(failure.message, "\"mpi\""),
         "more than 512 ranks are for mpi");
}

/* --- ranks that are processes ---------------------------------------------------------------------- */

static bool receive(rank_here *r, double seconds) {
  int32_t value;
  tocha_transfer t = {.kind = TOCHA_RECV,
                      .dtype = TOCHA_INT32,
                      .count = 1,
                      .output = &value,
                      .root = 1,
                      .tag = 9,
                      .deadline = after(seconds)};
  return r->engine->run(r->channel, &t, &r->failure);
}

/* Rank 0 waits for messages that nobody sends: they are taken back, and the library can be used again. */
static void receive_alone(rank_here *r) {
  tocha_transfer t = {.kind = TOCHA_RECV};
  platform_thread other;
  if (!r->channel || r->rank != 0) return;
  expect(!receive(r, 0.2) && r->failure.kind == TOCHA_ENGINE_TIMED_OUT,
         "a recv fails at its deadline", r, &t);
  platform_start_thread(&other, 0, abort_soon, r);
  expect(!receive(r, 20) && r->failure.kind == TOCHA_ENGINE_ABORTED, "abort ends a recv", r, &t);
  platform_join_thread(&other);
}

/* A collective cannot be taken back. */
static void meet_alone(rank_here *r) {
  if (!r->channel) return;
  if (r->rank == 0) wait_alone(r);
  platform_sleep(1000000000);
}

static void open_and_close(rank_here *r) { (void)r; }

static int check_processes(const tocha_engine *engine) {
  run_world(engine, 0, 0, 60, everything, NULL);
  run_world(engine, 0, 0, 60, receive_alone, NULL);
  run_world(engine, 0, 0, 60, everything, NULL);
  int status = finish();
  fflush(stdout);
  /* after an abort a rank leaves MPI alone, and its launcher kills the others: all have to have written before */
  run_world(engine, 0, 0, 60, open_and_close, NULL);
  return status;
}

static const tocha_engine *engine_of(const char *name, char *reason, size_t capacity) {
  if (!strchr(name, '/')) return tocha_find_engine(NULL, name, reason, capacity);
  tocha_engine_entry_function *entry;
  void *library = platform_open_library(name);
  void *address = library ? platform_find_symbol(library, "tocha_engine_entry") : NULL;
  const char *why = library ? "" : platform_library_problem();
  memcpy(&entry, &address, sizeof entry);
  const tocha_engine *engine = entry ? entry(&why) : NULL;
  snprintf(reason, capacity, "%s", why);
  return engine;
}

int main(int argc, char **argv) {
  char reason[512];
  const tocha_engine *engine = engine_of(argc > 1 ? argv[1] : "gloo", reason, sizeof reason);
  platform_mutex_open(&counting);
  if (!engine) {
    printf("skipped: %s\n", reason);
    return getenv("CI") != NULL;
  }
  printf("%s: %s\n", engine->name, engine->library());
  if (engine->world) {
    int64_t count = argc > 3 ? strtoll(argv[3], NULL, 10) : 0;
    if (count == 0) return check_processes(engine);
    run_world(engine, 0, 0, 60, meet_alone, &count);
    return finish();
  }
  for (int size = 1; size <= MOST_THREADS; size++) {
    atomic_int arrived = 0;
    run_world(engine, size, size, 60, everything, &arrived);
    run_world(engine, size, size, 60, check_digits, NULL);
  }
  check_failures(engine);
  check_limits(engine);
  return finish();
}
