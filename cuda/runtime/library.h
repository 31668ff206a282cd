/* library.h: opens the libraries that the plug-in is not linked to. */
#pragma once

#include <cstddef>

namespace tocha {

/* Opens the first library that is found of `names`, a list of file names that ends with nullptr: where the loader looks, in
 * the toolkit's usual folder, and beside a PyTorch that pip installed. Writes the opened file to `file`, or the reason in
 * words. Returns nullptr if there is none. */
void *open_library(const char *const *names, char *file, size_t capacity);

} // namespace tocha
