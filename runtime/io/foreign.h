/* foreign.h: types of elements that files have and Tocha lacks. Some of them have a place, exactly, in a dtype that Tocha has. */
#ifndef TOCHA_IO_FOREIGN_H
#define TOCHA_IO_FOREIGN_H

#include "io/file.h"

typedef struct tocha_foreign {
  const char *name; /* torch.NAME */
  const char *
      scalar_type; /* PyTorch's name of its storages, before "Storage"; NULL: they have no name of their own */
  int size;       /* bytes of an element */
  tocha_dtype as; /* the dtype that holds its numbers; TOCHA_NO_DTYPE: none does */
} tocha_foreign;

/* All of them. A number in this list stands for a type; TOCHA_FOREIGN_NONE for none. */
extern const tocha_foreign tocha_foreign_types[];
extern const int tocha_foreign_count;
enum { TOCHA_FOREIGN_NONE = -1 };

/* Returns the number of the type with this name, or TOCHA_FOREIGN_NONE. */
int tocha_find_foreign(const char *name);
/* Returns true if every one of n elements has a place in the type's dtype: uint64 may be too large for int64. */
bool tocha_foreign_fits(int type, const void *elements, int64_t n);
/* Writes n elements of the type, in this machine's byte order, as elements of its dtype, which must exist. */
void tocha_convert_foreign(int type, const void *elements, int64_t n, void *to);
/* Fails with NotImplementedError: there is no such type here. `what` names the tensor, or is NULL. */
void *tocha_refuse_foreign(tocha_context *cx, const char *what, const char *type);

#endif
