/* json.h: reads JSON from front to back, for the head of .safetensors files. */
#ifndef TOCHA_JSON_H
#define TOCHA_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tocha_json {
  const char *at, *end;
} tocha_json;

/* Skips blanks, and then the byte if it is the next one. Returns true if it was. */
bool tocha_json_take(tocha_json *j, char byte);
/* Reads a text, unescaped, into `out`, which has room for as many bytes as are left. A zero ends
 * the text, which contains no other. */
bool tocha_json_text(tocha_json *j, char *out, size_t *length);
/* Reads a whole number from 0 to INT64_MAX. */
bool tocha_json_count(tocha_json *j, int64_t *number);

/* Returns true if only blanks are left. */
bool tocha_json_end(tocha_json *j);

#endif
