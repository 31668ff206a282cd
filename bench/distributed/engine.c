/* engine.c: times all_reduce of float32 by an engine, without a group around it.
 *
 *   engine gloo RANK SIZE FOLDER     one process for each rank; they meet in files of the folder
 *   mpirun -n SIZE engine mpi
 *
 * Prints "BYTES SECONDS" lines on rank 0: the best mean of several batches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/engines.h"
#include "platform/platform.h"

enum { BATCHES = 15 };

static bool set_file(void *user, const char *name, const void *bytes, size_t size) {
  char path[512], part[520];
  const char *slash = strrchr(name, '/');
  snprintf(path, sizeof path, "%s/%s", (const char *)user, slash ? slash + 1 : name);
  snprintf(part, sizeof part, "%s.part", path);
  FILE *f = fopen(part, "wb");
  bool done = f && fwrite(bytes, 1, size, f) == size;
  if (f) done = fclose(f) == 0 && done;
  return done && rename(part, path) == 0;
}

static int64_t get_file(void *user, const char *name, void *bytes, size_t capacity,
                        int64_t deadline) {
  char path[512];
  const char *slash = strrchr(name, '/');
  snprintf(path, sizeof path, "%s/%s", (const char *)user, slash ? slash + 1 : name);
  while (platform_nanoseconds() < deadline) {
    FILE *f = fopen(path, "rb");
    if (f) {
      size_t size = fread(bytes, 1, capacity, f);
      fclose(f);
      return (int64_t)size;
    }
    platform_sleep(1000000);
  }
  return -1;
}

static bool has_all(void *user, const char *name, const void *bytes, size_t size) {
  (void)user, (void)name, (void)bytes, (void)size;
  return true;
}

static int64_t get_one(void *user, const char *name, void *bytes, size_t capacity,
                       int64_t deadline) {
  (void)user, (void)name, (void)deadline, (void)capacity;
  memset(bytes, 1, 1);
  return 1;
}

static int64_t in_a_minute(void) { return platform_nanoseconds() + 60000000000; }

/* Returns false if a rank failed. */
static bool time_one(const tocha_engine *engine, tocha_channel *channel, float *data, int64_t bytes,
                     double *best) {
  tocha_engine_failure failure;
  int64_t repeats = 20000000 / (bytes + 100000);
  if (repeats < 2) repeats = 2;
  *best = 1e9;
  for (int batch = 0; batch < BATCHES; batch++) {
    tocha_transfer t = {.kind = TOCHA_ALL_REDUCE,
                        .dtype = TOCHA_FLOAT32,
                        .op = TOCHA_REDUCE_SUM,
                        .count = bytes / 4,
                        .input = data,
                        .output = data};
    int64_t start = platform_nanoseconds();
    for (int64_t i = 0; i < repeats; i++) {
      t.deadline = in_a_minute();
      if (engine->run(channel, &t, &failure)) continue;
      fprintf(stderr, "%s\n", failure.message);
      return false;
    }
    double seconds = (double)(platform_nanoseconds() - start) * 1e-9 / (double)repeats;
    if (seconds < *best) *best = seconds;
  }
  return true;
}

int main(int argc, char **argv) {
  char reason[512];
  int rank = argc > 2 ? atoi(argv[2]) : 0, size = argc > 3 ? atoi(argv[3]) : 1, ranks[64];
  const tocha_engine *engine =
      tocha_find_engine(NULL, argc > 1 ? argv[1] : "gloo", reason, sizeof reason);
  if (!engine) return (fprintf(stderr, "%s\n", reason), 1);
  bool launched = engine->world && engine->world(&rank, &size);
  for (int i = 0; i < size && i < 64; i++) ranks[i] = i;
  tocha_channel_options options = {.rank = rank,
                                   .size = size,
                                   .world_ranks = ranks,
                                   .number = 1,
                                   .store = {argc > 4 ? argv[4] : ".",
                                             launched ? has_all : set_file,
                                             launched ? get_one : get_file},
                                   .deadline = in_a_minute(),
                                   .device = -1};
  tocha_engine_failure failure;
  tocha_channel *channel = engine->open(&options, &failure);
  if (!channel) return (fprintf(stderr, "%s\n", failure.message), 1);
  int64_t most = 64 << 20;
  float *data = calloc((size_t)most, 1);
  for (int64_t bytes = 4; bytes <= most; bytes *= bytes < 65536 ? 128 : 4) {
    double seconds;
    if (!time_one(engine, channel, data, bytes, &seconds)) return 1;
    if (rank == 0) printf("%lld %.9f\n", (long long)bytes, seconds), fflush(stdout);
  }
  engine->close(channel);
  free(data);
  return 0;
}
