/* engines.c: loads the plug-ins of torch.distributed. */
#include "distributed/engines.h"

#include <stdio.h>
#include <string.h>

#include "core/internal.h"
#include "core/library.h"
#include "core/process.h"

/* A plug-in, and what must be installed where it is missing. */
typedef struct plugin {
  const char *name; /* of a backend, or a value of TOCHA_MPI */
  const char *file;
  const char *needs;
} plugin;

static const plugin gloo = {
    "gloo", "libtocha_gloo.so",
    "to run, Debian's libgloo0; to build it, libgloo-dev and a C++ compiler"};
static const plugin mpis[] = {
    {"openmpi", "libtocha_mpi_openmpi.so",
     "to run, Debian's libopenmpi3; to build it, libopenmpi-dev"},
    {"mpich", "libtocha_mpi_mpich.so", "to run, Debian's libmpich12; to build it, libmpich-dev"},
    {"abi", "libtocha_mpi_abi.so",
     "to run, an MPI with libmpi_abi.so.0 or .1 on the loader's path (pip: mpich)"}};

static const tocha_engine *load(const plugin *which, char *reason, size_t capacity) {
  char problem[400] = "";
  void *library = tocha_open_plugin(which->file, problem, sizeof problem);
  if (!library) {
    snprintf(reason, capacity, "%s; it needs: %s", problem, which->needs);
    return NULL;
  }
  tocha_engine_entry_function *entry;
  const char *why = "";
  bool found = tocha_find_function(library, "tocha_engine_entry", &entry);
  const tocha_engine *engine = found ? entry(&why) : NULL;
  if (engine && engine->version == TOCHA_ENGINE_VERSION) return engine;
  snprintf(reason, capacity, "%s %s", which->file,
           *why ? why : "was built for another version of libtocha");
  return NULL;
}

/* Returns the number in `mpis` that this process was started for, -1 if nothing tells. */
static int chosen_mpi(const tocha_context *cx, const char **unknown) {
  const char *wish = tocha_environment(cx, "TOCHA_MPI");
  for (int i = 0; wish && *wish && i < (int)TOCHA_COUNT(mpis); i++)
    if (strcmp(wish, mpis[i].name) == 0) return i;
  if (wish && *wish) *unknown = wish;
  if (tocha_environment(cx, "OMPI_COMM_WORLD_SIZE")) return 0;
  if (tocha_environment(cx, "PMI_RANK") || tocha_environment(cx, "PMI_FD")) return 1;
  if (tocha_environment(cx, "PMIX_RANK")) return 0;
  return -1;
}

static const tocha_engine *load_mpi(const tocha_context *cx, char *reason, size_t capacity) {
  const char *unknown = NULL;
  int chosen = chosen_mpi(cx, &unknown);
  if (unknown) {
    snprintf(reason, capacity, "TOCHA_MPI is openmpi, mpich or abi, not %s", unknown);
    return NULL;
  }
  if (chosen >= 0) return load(&mpis[chosen], reason, capacity);
  const tocha_engine *engine = NULL;
  for (int i = 0; i < (int)TOCHA_COUNT(mpis) && !engine; i++)
    engine = load(&mpis[i], reason, capacity);
  if (!engine) load(&mpis[0], reason, capacity); /* its package is the most common one */
  return engine;
}

const tocha_engine *tocha_find_engine(tocha_context *cx, const char *backend, char *reason,
                                      size_t capacity) {
  const char *none = tocha_refuses(cx, TOCHA_REFUSE_LIBRARIES)
                         ? "the program refuses shared libraries"
                     : cx && cx->confined ? "a sandbox has no network"
                                          : NULL;
  if (none) {
    snprintf(reason, capacity, "%s", none);
    return NULL;
  }
  if (strcmp(backend, "gloo") == 0) return load(&gloo, reason, capacity);
  if (strcmp(backend, "mpi") == 0) return load_mpi(cx, reason, capacity);
  snprintf(reason, capacity, "there is no plug-in of that name");
  return NULL;
}
