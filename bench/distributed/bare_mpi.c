/* bare_mpi.c: a rank of bench/distributed/table.lua by MPI alone: carries out "collective NAME BYTES REPEATS"; see rank.lua. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 64 << 20 };

static float *here, *all; /* MOST_BYTES each */
static int size;

static void run(const char *name, int count) {
  MPI_Comm world = MPI_COMM_WORLD;
  int part = count / size;
  if (strcmp(name, "all_reduce") == 0)
    MPI_Allreduce(MPI_IN_PLACE, here, count, MPI_FLOAT, MPI_SUM, world);
  else if (strcmp(name, "broadcast") == 0)
    MPI_Bcast(here, count, MPI_FLOAT, 0, world);
  else if (strcmp(name, "all_gather") == 0)
    MPI_Allgather(here, part, MPI_FLOAT, all, part, MPI_FLOAT, world);
  else if (strcmp(name, "reduce_scatter") == 0)
    MPI_Reduce_scatter_block(all, here, part, MPI_FLOAT, MPI_SUM, world);
  else
    MPI_Barrier(world);
}

static double seconds_of(const char *name, int count, int repeats) {
  run(name, count);
  double start = MPI_Wtime();
  for (int i = 0; i < repeats; i++) run(name, count);
  return (MPI_Wtime() - start) / repeats;
}

int main(int argc, char **argv) {
  int rank, bytes, repeats;
  char line[100], name[40], path[400];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  here = calloc(MOST_BYTES, 1);
  all = calloc(MOST_BYTES, 1);
  snprintf(path, sizeof path, "%s.%d", argv[1], rank);
  FILE *answers = rank == 0 ? fopen(argv[2], "w") : NULL, *commands = fopen(path, "r");
  while (commands && here && all && fgets(line, sizeof line, commands)) {
    if (sscanf(line, "collective %39s %d %d", name, &bytes, &repeats) != 3) break;
    double seconds = seconds_of(name, bytes / 4, repeats);
    if (answers) fprintf(answers, "%.9f\n", seconds), fflush(answers);
  }
  MPI_Finalize();
  return 0;
}
