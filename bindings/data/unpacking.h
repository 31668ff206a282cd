/* unpacking.h: what the files that take Lua values out of a parcel share. */
#ifndef TOCHA_UNPACKING_H
#define TOCHA_UNPACKING_H

#include "data/parcel.h"

typedef struct unpacking {
  const parcel *p;
  lua_State *L;
  size_t at;
  int objects; /* stack index: number -> object */
  lua_Integer count;
} unpacking;

/* Pushes the next value; raises. */
void unpack_value(unpacking *u);
/* unpack_module.c */
void unpack_module(unpacking *u);

void get(unpacking *u, void *data, size_t size); /* raises where the parcel ends */
uint64_t get_number(unpacking *u);
/* A text where it lies in the parcel. */
const char *get_text(unpacking *u, size_t *size);
/* The object at the top has the next number from here on. */
void note_unpacked(unpacking *u);

#endif
