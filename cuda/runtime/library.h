/* library.h: opens the libraries that the plug-in is not linked to. */
#pragma once

#include <cstddef>
#include <cstring>

namespace tocha {

/* Opens the first library that is found of `names`, a list of file names that ends with nullptr: where the loader looks, in
 * the toolkit's usual folder, and beside a PyTorch that pip installed. Writes the opened file to `file`, or the reason in
 * words. Returns nullptr if there is none. */
void *open_library(const char *const *names, char *file, size_t capacity);

/* Returns the address of a name of the library, or nullptr. */
void *address_in(void *library, const char *name);

/* Sets *function to the library's function of this name. Returns false, and sets nullptr, if there is none. */
template <class Function> bool find(void *library, const char *name, Function *function) {
  void *address = address_in(library, name);
  memcpy(function, &address, sizeof address);
  return address != nullptr;
}

} // namespace tocha
