/* text.h: text that grows, and numbers in Python's format.
 *
 * A tocha_text is zero-initialized, appended to, and ended by tocha_text_finish, which returns
 * its bytes, or by tocha_text_free. Appending does not report errors at once: if memory is
 * short, `failed` is set, later text is dropped, and tocha_text_finish reports the error.
 * Exported for the binding. */
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
/* Inserts spaces before the text appended since text->length was `start`, so that it takes at
 * least `width` bytes. */
void tocha_text_align_right(tocha_text *text, size_t start, size_t width);
/* Appends `other`, with every line but the first indented by `indent` spaces (a module's repr). */
void tocha_text_indented(tocha_text *text, const char *other, size_t indent);
/* Returns the terminated text ("" if it is empty), which the caller frees with free(), or NULL
 * with TOCHA_MEMORY_ERROR if memory was short. The tocha_text is empty afterwards. */
char *tocha_text_finish(tocha_context *cx, tocha_text *text);
void tocha_text_free(tocha_text *text);

/* Appends `value` with `precision` digits after the point, as Python's format(value, ".4f"), or
 * ".4e" if `kind` is 'e'. Ignores the host's locale. */
void tocha_text_real(tocha_text *text, double value, int precision, char kind);
/* Appends "torch.Size([2, 3])". */
void tocha_text_size(tocha_text *text, int ndim, const int64_t *sizes);

/* Writes a number of any kind as Python's repr does: "True", "7", "7.0". Returns `out`. */
const char *tocha_format_scalar(tocha_scalar value, char out[32]);
/* Does the same for a double that may be a whole number: "7", "0.1". Returns `out`. */
const char *tocha_format_number(double value, char out[32]);

#endif
