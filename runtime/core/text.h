/* text.h: text that grows, and numbers written as Python writes them.
 *
 * A tocha_text is zero-initialized, appended to, and ended by tocha_text_finish, which hands its
 * bytes out, or by tocha_text_free. Appending never fails at once: where memory lacks, `failed`
 * is set, what follows is dropped, and tocha_text_finish reports it. Exported for the binding. */
#ifndef TOCHA_TEXT_H
#define TOCHA_TEXT_H

#include "tocha/context.h"

typedef struct tocha_text {
  char *bytes; /* from malloc; not terminated before tocha_text_finish */
  size_t length, capacity;
  bool failed;
} tocha_text;

void tocha_text_append(tocha_text *text, const char *bytes, size_t count);
void tocha_text_string(tocha_text *text, const char *string);
void tocha_text_format(tocha_text *text, const char *format, ...) TOCHA_PRINTF(2, 3);
void tocha_text_repeat(tocha_text *text, char byte, size_t count);
/* Puts spaces before what was appended since text->length was `start`, so that it takes at least
 * `width` bytes. */
void tocha_text_align_right(tocha_text *text, size_t start, size_t width);
/* Appends other, every line of it but the first indented by `indent` spaces (a module's repr). */
void tocha_text_indented(tocha_text *text, const char *other, size_t indent);
/* The terminated text, for the caller to free() ("" where nothing was appended); NULL with
 * TOCHA_MEMORY_ERROR where memory lacked. The tocha_text is empty afterwards. */
char *tocha_text_finish(tocha_context *cx, tocha_text *text);
void tocha_text_free(tocha_text *text);

/* Appends value with `precision` digits after the point, as Python's format(value, ".4f"), or
 * ".4e" where kind is 'e'; the host's locale has no say. */
void tocha_text_real(tocha_text *text, double value, int precision, char kind);
/* Appends "torch.Size([2, 3])". */
void tocha_text_size(tocha_text *text, int ndim, const int64_t *sizes);

/* A number of any kind as Python's repr shows it: "True", "7", "7.0". Returns out. */
const char *tocha_format_scalar(tocha_scalar value, char out[32]);
/* The same of what may have been a whole number: "7", "0.1". Returns out. */
const char *tocha_format_number(double value, char out[32]);

#endif
