/* library.h: libraries that are opened at run time: nothing is linked to them (library.c). */
#ifndef TOCHA_LIBRARY_H
#define TOCHA_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* The first of the files (the last is NULL) that can be opened; NULL where none can. `variable` in the environment names
 * another, or says "off"; NULL: there is no such variable. A library is never closed: its threads may outlive a call. */
void *tocha_open_library(const char *variable, const char *const *files);

/* The address of a function into *function; false, and NULL there, where the library has none of that name. */
bool tocha_find_function(void *library, const char *name, void *function);

/* A function, and where its pointer stands in a struct. */
typedef struct tocha_symbol {
  const char *name;
  size_t offset;
} tocha_symbol;

/* All of them into *functions; false where one is missing, or there is no library. */
bool tocha_find_functions(void *library, const tocha_symbol *symbols, int count, void *functions);

#endif
