/* json.h: reading JSON from front to back: what the head of a .safetensors file is written in. */
#ifndef TOCHA_JSON_H
#define TOCHA_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tocha_json {
  const char *at, *end;
} tocha_json;

/* Skips blanks; whether the next byte is this one, which is taken then. */
bool tocha_json_take(tocha_json *j, char byte);
/* A text, unescaped into `out`, which has room for as many bytes as are left; ended by a zero, of which it holds no other. */
bool tocha_json_text(tocha_json *j, char *out, size_t *length);
/* A whole number from 0 to INT64_MAX. */
bool tocha_json_count(tocha_json *j, int64_t *number);

/* Whether nothing but blanks is left. */
bool tocha_json_end(tocha_json *j);

#endif
