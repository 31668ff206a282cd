/* engines.c: loads the plug-ins of torch.distributed. */
#include "distributed/engines.h"

#include <stdio.h>
#include <string.h>

#include "core/internal.h"
#include "core/library.h"
#include "core/process.h"
#include "platform/platform.h"

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
     "libmpi_abi.so.1 on the loader's path (pip: mpich), or TOCHA_MPI=/path/libmpi_abi.so.1"}};
static const plugin nccl[] = {
    {"nccl", "libtocha_cuda.so", "a build with CUDA's compiler, nvcc"},
    {"simulated", "libtocha_cuda_simulated.so", "a build with a C++ compiler"}};
enum { OPEN_MPI, MPICH, STANDARD_ABI, NO_MPI };

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

/* Returns the MPI whose launcher started this process, NO_MPI if none did. */
static int launched_by(const tocha_context *cx) {
  if (tocha_environment(cx, "OMPI_COMM_WORLD_SIZE")) return OPEN_MPI;
  if (tocha_environment(cx, "PMI_RANK") || tocha_environment(cx, "PMI_FD")) return MPICH;
  return tocha_environment(cx, "PMIX_RANK") ? OPEN_MPI : NO_MPI;
}

/* Loads the MPI that TOCHA_MPI names, or whose file it is. */
static const tocha_engine *load_wish(const char *wish, char *reason, size_t capacity) {
  for (int i = 0; i < NO_MPI; i++)
    if (strcmp(wish, mpis[i].name) == 0) return load(&mpis[i], reason, capacity);
  if (!strchr(wish, '/')) {
    snprintf(reason, capacity, "TOCHA_MPI is openmpi, mpich, abi or a path, not %s", wish);
    return NULL;
  }
  if (platform_open_library(wish)) return load(&mpis[STANDARD_ABI], reason, capacity);
  snprintf(reason, capacity, "TOCHA_MPI: %s", platform_library_problem());
  return NULL;
}

static const tocha_engine *load_mpi(const tocha_context *cx, char *reason, size_t capacity) {
  const char *wish = tocha_environment(cx, "TOCHA_MPI");
  if (wish && *wish) return load_wish(wish, reason, capacity);
  int launcher = launched_by(cx);
  int first = launcher == NO_MPI ? OPEN_MPI : launcher;
  int last =
      launcher == OPEN_MPI ? OPEN_MPI : STANDARD_ABI; /* MPICH's launcher is that of others, too */
  const tocha_engine *engine = NULL;
  char other[512];
  for (int i = first; i <= last && !engine; i++) /* the first one's reason stays */
    engine = load(&mpis[i], i == first ? reason : other, i == first ? capacity : sizeof other);
  return engine;
}

/* Loads NCCL's engine, a part of the plug-in that has the GPUs. */
static const tocha_engine *load_nccl(const tocha_context *cx, char *reason, size_t capacity) {
  const char *wish = tocha_environment(cx, "TOCHA_CUDA");
  bool simulated = wish && strcmp(wish, "simulate") == 0;
  const tocha_engine *engine = load(&nccl[simulated], reason, capacity);
  size_t length = strlen(reason);
  if (!engine)
    snprintf(reason + length, capacity - length,
             "; NCCL 2.18 or newer is in CUDA's toolkit, and in pip's nvidia-nccl-cu13 or "
             "nvidia-nccl-cu12");
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
  if (strcmp(backend, "nccl") == 0) return load_nccl(cx, reason, capacity);
  snprintf(reason, capacity, "there is no plug-in of that name");
  return NULL;
}
