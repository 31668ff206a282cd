/* library.h: the functions of NCCL as a table. */
#pragma once

#include "distributed/interface.h"

namespace tocha {

/* A function that the library may not have is nullptr. */
struct NcclLibrary {
#define NCCL(name) decltype(&::name) name##_;
#include "distributed/functions.def"
};

/* Returns the table, which is the same for all contexts, or nullptr if there is no NCCL of 2.18 or newer. Sets *file to
 * the opened file, or to the reason in words. */
const NcclLibrary *nccl_library(const char **file);

} // namespace tocha
