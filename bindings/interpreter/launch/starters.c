/* starters.c: the place of a process that Slurm's srun or MPI's mpirun has started, as env:// reads it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interpreter/launch/launch.h"
#include "platform/platform.h"

/* Writes the first name of a list of hosts: "n[01-04,9],x" is n01 and others. */
static void write_first_host(const char *list, char *host, size_t capacity) {
  size_t front = strcspn(list, "[,");
  const char *rest = list + front;
  size_t number = *rest == '[' ? strcspn(rest + 1, "-,]") : 0;
  const char *end = *rest == '[' ? strchr(rest, ']') : NULL;
  size_t back = end ? strcspn(end + 1, ",") : 0;
  snprintf(host, capacity, "%.*s%.*s%.*s", (int)front, list, (int)number, rest + 1, (int)back,
           end ? end + 1 : "");
}

/* Sets a variable, unless it is set. */
static void set(const char *name, const char *value) {
  if (value && !getenv(name)) platform_set_variable(name, value);
}

static void read_slurm(void) {
  enum { FIRST_PORT = 20000, PORTS = 10000 }; /* below those that a system gives out by itself */
  const char *rank = getenv("SLURM_PROCID"), *size = getenv("SLURM_NTASKS");
  const char *hosts = getenv("SLURM_STEP_NODELIST"), *job = getenv("SLURM_JOB_ID");
  char text[256];
  if (!hosts) hosts = getenv("SLURM_JOB_NODELIST");
  if (!rank || !size || !hosts || getenv("RANK")) return;
  set("RANK", rank);
  set("WORLD_SIZE", size);
  set("LOCAL_RANK", getenv("SLURM_LOCALID"));
  set("GROUP_RANK", getenv("SLURM_NODEID"));
  write_first_host(hosts, text, sizeof text);
  set("MASTER_ADDR", text);
  snprintf(text, sizeof text, "%ld", FIRST_PORT + (job ? strtol(job, NULL, 10) % PORTS : 0));
  set("MASTER_PORT", text);
}

/* Sets what Open MPI, or MPICH's and others' process managers, say. They do not tell where to meet. */
static void read_mpi(void) {
  static const char *const names[][3] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
      {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"}};
  for (int i = 0; i < 2; i++) {
    const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
    if (!rank || !size || getenv("RANK")) continue;
    set("RANK", rank);
    set("WORLD_SIZE", size);
    set("LOCAL_RANK", getenv(names[i][2]));
  }
}

void read_starter(void) {
  read_slurm();
  read_mpi();
}
