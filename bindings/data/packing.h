/* packing.h: declarations that the files that pack Lua values share. */
#ifndef TOCHA_PACKING_H
#define TOCHA_PACKING_H

#include "data/parcel.h"

#define PACKING "torch.packing"
enum { MAX_DEPTH = 1000 }; /* tables within tables: each is a call of C */

/* One step of the path from a given value to the one being packed, for an error's text. */
typedef struct frame {
  const struct frame *outer;
  enum { ROOT, FIELD, UPVALUE, METATABLE } kind;
  const char *name; /* name of a root or an upvalue; NULL for an upvalue of torch's own functions */
  int key;          /* stack index of a field's key */
  int depth;
} frame;

/* The state of packing. It is a userdata, so that an error frees the parcel. */
typedef struct packing {
  parcel *p;
  lua_State *L;
  /* Stack index: object -> its number; address of an upvalue -> {its function's number, its
   * own}. */
  int seen;
  int order; /* stack index: number -> object */
  int names; /* stack index of the table of push_names; 0: not made yet */
  /* Stack index: the names of the global variables that functions mention, in a list, and name
   * -> {value}. */
  int globals;
  lua_Integer count;
  bool elsewhere; /* the parcel is for another process */
  bool program;   /* the global variables that functions mention are packed, too */
} packing;

/* Packs the value at `index`. Raises if it cannot be packed. */
void pack_value(packing *k, int index, const frame *f);
/* Packs the Lua function at `index`: code, upvalues. Records the global variables that it
 * mentions (pack_function.c). */
void pack_function(packing *k, int index, const frame *f);

/* Packs a class of the list of modules. Returns false for another address. */
bool put_class(packing *k, const void *class);
/* Packs the module at `index`. Returns false if the value is not a module (pack_module.c). */
bool pack_module(packing *k, int index, const frame *f);

bool append_bytes(parcel *p, const void *data, size_t size);
void put(packing *k, const void *data, size_t size); /* raises if there is no memory */
void put_tag(packing *k, enum parcel_tag tag);
void put_number(packing *k, uint64_t n);
void put_text(packing *k, const char *text, size_t size);
/* Gives the object at `index` the next number. [-0, +0, m] */
void note_object(packing *k, int index);

#endif
