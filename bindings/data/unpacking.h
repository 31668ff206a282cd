/* unpacking.h: declarations that the files that unpack Lua values share. */
#ifndef TOCHA_UNPACKING_H
#define TOCHA_UNPACKING_H

#include "data/parcel.h"
#include "tocha/reflect.h"

typedef struct unpacking {
  const parcel *p;
  lua_State *L;
  size_t at;
  int objects; /* stack index: number -> object */
  lua_Integer count;
} unpacking;

/* Pushes the next value. [-0, +1, e] */
void unpack_value(unpacking *u);
/* Pushes the next module (unpack_module.c). [-0, +1, e] */
void unpack_module(unpacking *u);

void get(unpacking *u, void *data, size_t size); /* raises if the parcel ends early */
uint64_t get_number(unpacking *u);
const tocha_module_class *get_class(unpacking *u);
/* Returns a text, which stays in the parcel. */
const char *get_text(unpacking *u, size_t *size);
/* Gives the object at the top the next number. [-0, +0, m] */
void note_unpacked(unpacking *u);

#endif
