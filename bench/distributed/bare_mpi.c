/* bare_mpi.c: times all_reduce of float32 by MPI alone, as engine.c does: mpicc bare_mpi.c && mpirun -n 2 ./a.out */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 15 };

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long long most = 64 << 20;
  float *data = calloc((size_t)most, 1);
  for (long long bytes = 4; bytes <= most; bytes *= bytes < 65536 ? 128 : 4) {
    long long repeats = 20000000 / (bytes + 100000);
    double best = 1e9;
    if (repeats < 2) repeats = 2;
    for (int batch = 0; batch < BATCHES; batch++) {
      double start = MPI_Wtime();
      for (long long i = 0; i < repeats; i++)
        MPI_Allreduce(MPI_IN_PLACE, data, (int)(bytes / 4), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      double seconds = (MPI_Wtime() - start) / (double)repeats;
      if (seconds < best) best = seconds;
    }
    if (rank == 0) printf("%lld %.9f\n", bytes, best), fflush(stdout);
  }
  free(data);
  MPI_Finalize();
  return 0;
}
