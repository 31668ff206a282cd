/* engines.h: finds the engines that are plug-ins beside libtocha, or says why one is not there (engines.c). */
#ifndef TOCHA_ENGINES_H
#define TOCHA_ENGINES_H

#include "distributed/engine.h"

/* Returns the engine of a backend ("gloo", "mpi"), which stays loaded; NULL with a reason in words that names the missing
 * package. For "mpi" it is the one whose launcher started this process, or that TOCHA_MPI names: openmpi, mpich,
 * abi, or the path of a libmpi_abi.so.1. */
const tocha_engine *tocha_find_engine(tocha_context *cx, const char *backend, char *reason,
                                      size_t capacity);

#endif
