/* library.h: the functions of cuDNN as a table. */
#pragma once

#include "dnn/interface.h"

namespace tocha {

struct DnnLibrary {
#define CUDNN(name) decltype(&::name) name##_;
#include "dnn/functions.def"
};

/* Returns the table, which is the same for all contexts, or nullptr if there is no cuDNN 9. Sets *file to the opened file, or to
 * the reason in words. */
const DnnLibrary *dnn_library(const char **file);

} // namespace tocha
