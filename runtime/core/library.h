/* library.h: shared libraries that are opened at run time, so that Tocha is not linked to them
 * (library.c). */
#ifndef TOCHA_LIBRARY_H
#define TOCHA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "tocha/types.h"

/* Opens the first of the files (ended by NULL) that can be opened; returns NULL if none can, or if the
 * host refuses libraries to this context (NULL: asks for itself). The environment variable `variable`
 * names another file, or is "off"; NULL: there is no such variable. A library is never closed, because
 * its threads may outlive a call. */
void *tocha_open_library(const tocha_context *cx, const char *variable, const char *const *files);

/* Opens a plug-in of ours: the file beside libtocha (or the program that it is linked into), or else the one
 * that the loader's search path has. Returns NULL with a reason. */
void *tocha_open_plugin(const char *name, char *reason, size_t capacity);

/* Writes the address of a function to *function. Returns false, and writes NULL, if the library
 * has no function of that name. */
bool tocha_find_function(void *library, const char *name, void *function);

/* A function's name, and the offset of its pointer in a struct. */
typedef struct tocha_symbol {
  const char *name;
  size_t offset;
} tocha_symbol;

/* Writes the addresses of all functions to the struct at `functions`. Returns false if one is
 * missing, or there is no library. */
bool tocha_find_functions(void *library, const tocha_symbol *symbols, int count, void *functions);

#endif
