/* error.c: the context's error, warnings, and texts that errors share. */
#include <stdio.h>
#include <string.h>

#include "core/internal.h"

/* What is wrong with a context that is NULL, for hosts that go on after tocha_open failed. */
static const tocha_error_info no_context = {TOCHA_RUNTIME_ERROR, "the context is NULL",
                                            "tocha_open returns NULL if memory is short", "", ""};

const tocha_error_info *tocha_error(const tocha_context *cx) {
  return cx ? &cx->error.info : &no_context;
}
uint64_t tocha_error_number(const tocha_context *cx) { return cx ? cx->error.number : 0; }
bool tocha_failed(const tocha_context *cx) { return !cx || cx->error.info.code != TOCHA_OK; }

const char *tocha_error_text(const tocha_context *cx, char *text, size_t capacity) {
  if (!text || !capacity) return text;
  text[0] = '\0';
  if (!cx || !tocha_failed(cx)) return text;
  const tocha_error_info *e = &cx->error.info;
  snprintf(text, capacity, "%s%s%s%s%s", e->message, e->path[0] ? "\nin " : "", e->path,
           e->hint[0] ? "\nhint: " : "", e->hint);
  return text;
}

void tocha_clear_error(tocha_context *cx) {
  if (!cx) return;
  tocha_error_state *e = &cx->error;
  e->message[0] = e->hint[0] = e->op[0] = e->path[0] = '\0';
  e->info.code = TOCHA_OK;
  e->info.message = e->message;
  e->info.hint = e->hint;
  e->info.op = e->op;
  e->info.path = e->path;
}

void *tocha_fail(tocha_context *cx, tocha_error_code code, const char *format, ...) {
  if (tocha_failed(cx)) return NULL;
  va_list args;
  va_start(args, format);
  vsnprintf(cx->error.message, sizeof cx->error.message, format ? format : "no message", args);
  va_end(args);
  cx->error.info.code = code;
  cx->error.number++;
  return NULL;
}

void *tocha_hint(tocha_context *cx, const char *format, ...) {
  if (!format || !cx || !tocha_failed(cx) || cx->error.hint[0]) return NULL;
  va_list args;
  va_start(args, format);
  vsnprintf(cx->error.hint, sizeof cx->error.hint, format, args);
  va_end(args);
  return NULL;
}

void tocha_set_error_op(tocha_context *cx, const char *op) {
  if (!cx->error.op[0]) snprintf(cx->error.op, sizeof cx->error.op, "%s", op);
}

void *tocha_fail_in(tocha_context *cx, const char *where) {
  if (!cx || !where || !tocha_failed(cx)) return NULL;
  size_t used = strlen(cx->error.path);
  snprintf(cx->error.path + used, sizeof cx->error.path - used, "%s%s", used ? "\n" : "", where);
  return NULL;
}

void tocha_warn(tocha_context *cx, const char *format, ...) {
  if (!cx || !format || !cx->options.log) return;
  char message[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  cx->options.log(cx->options.log_user, TOCHA_LOG_WARNING, message);
}

void *tocha_refuse_none(tocha_context *cx, const char *where, const char *name, const char *type) {
  tocha_fail(cx, TOCHA_TYPE_ERROR, "%s(): argument '%s' must be %s, not NoneType", where, name,
             type);
  return NULL;
}
