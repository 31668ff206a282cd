/* packing.h: what the files that put Lua values into a parcel share. */
#ifndef TOCHA_PACKING_H
#define TOCHA_PACKING_H

#include "data/parcel.h"

#define PACKING "torch.packing"
enum { DEEPEST = 1000 }; /* tables within tables: each is a call of C */

/* The way from a value that was given to the one at hand, for an error's text. */
typedef struct frame {
  const struct frame *outer;
  enum { ROOT, FIELD, UPVALUE, METATABLE } kind;
  const char *name; /* of a root, of an upvalue; NULL for one of torch's own functions */
  int key;          /* of a field: its stack index */
  int depth;
} frame;

/* Lives in a userdata, so that an error on the way frees the parcel. */
typedef struct packing {
  parcel *p;
  lua_State *L;
  int seen; /* stack index: object or address of an upvalue -> its number, or its function's and its own */
  int order;   /* number -> object */
  int names;   /* the table of push_names; 0: not asked for yet */
  int globals; /* names of global variables that functions mention, in a list; name -> {value} */
  lua_Integer count;
  bool program; /* the globals that functions mention go along */
} packing;

/* A value as it is found; raises where it cannot travel. */
void pack_value(packing *k, int index, const frame *f);
/* pack_function.c: code, upvalues; the global variables that it names are noted. */
void pack_function(packing *k, int index, const frame *f);

/* pack_module.c: false where no module is at index. */
bool pack_module(packing *k, int index, const frame *f);

bool append_bytes(parcel *p, const void *data, size_t size);
void put(packing *k, const void *data, size_t size); /* raises where memory lacks */
void put_tag(packing *k, enum parcel_tag tag);
void put_number(packing *k, uint64_t n);
void put_text(packing *k, const char *text, size_t size);
/* The object at index has the next number from here on. */
void note_object(packing *k, int index);

#endif
