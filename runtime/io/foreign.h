/* foreign.h: element types that occur in files and that Tocha lacks. Some of them convert
 * without loss to a dtype that Tocha has. */
#ifndef TOCHA_IO_FOREIGN_H
#define TOCHA_IO_FOREIGN_H

#include "io/file.h"

typedef struct tocha_foreign {
  const char *name;        /* torch.NAME */
  const char *scalar_type; /* PyTorch's name of its storages, before "Storage"; NULL: none */
  int size;                /* bytes of an element */
  tocha_dtype as; /* the dtype that represents its numbers, or TOCHA_NO_DTYPE if none does */
} tocha_foreign;

/* All foreign types. A type's number is its index in this list; TOCHA_FOREIGN_NONE stands for none. */
extern const tocha_foreign tocha_foreign_types[];
extern const int tocha_foreign_count;
enum { TOCHA_FOREIGN_NONE = -1 };

/* Returns the number of the type with this name, or TOCHA_FOREIGN_NONE. */
int tocha_find_foreign(const char *name);
/* Returns true if each of n elements fits into the type's dtype. A uint64, for example, may be too large for int64. */
bool tocha_foreign_fits(int type, const void *elements, int64_t n);
/* Writes n elements of the type, in this machine's byte order, as elements of its dtype, which must exist. */
void tocha_convert_foreign(int type, const void *elements, int64_t n, void *to);
/* Fails with NotImplementedError because Tocha lacks the type. `what` names the tensor, or is NULL. */
void *tocha_refuse_foreign(tocha_context *cx, const char *what, const char *type);

#endif
