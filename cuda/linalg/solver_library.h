/* solver_library.h: the functions of cuSOLVER as a table. */
#pragma once

#include <type_traits>

#include <cusolverDn.h>

namespace tocha {

struct FloatSolver {
#define SOLVER(name) decltype(&::cusolverDnS##name) name;
#define SOLVER_COMMON(name)
#include "linalg/solver_functions.def"
};
struct DoubleSolver {
#define SOLVER(name) decltype(&::cusolverDnD##name) name;
#define SOLVER_COMMON(name)
#include "linalg/solver_functions.def"
};

struct SolverLibrary {
  decltype(&::cusolverGetVersion) version;
#define SOLVER(name)
#define SOLVER_COMMON(name) decltype(&::cusolverDn##name) name;
#include "linalg/solver_functions.def"
  FloatSolver singles;
  DoubleSolver doubles;

  /* Returns the functions of matrices of T. */
  template <class T> const auto &of() const {
    if constexpr (std::is_same<T, float>::value)
      return singles;
    else
      return doubles;
  }
};

/* Returns the table, which is the same for all contexts, or nullptr if cuSOLVER is missing. Sets
 * *file to the opened file, or to the reason in words. */
const SolverLibrary *solver_library(const char **file);
/* Returns the version of cuSOLVER as a number, 120001 for 12.0.1. */
int solver_version(const SolverLibrary *library);

} // namespace tocha
