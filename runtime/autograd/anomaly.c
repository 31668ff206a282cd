/* anomaly.c: anomaly mode: the place of a node's forward call, and the warning about a failed
 * backward. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "autograd/node.h"
#include "tocha/ops/any.h"
#include "tocha/ops/detach.h"
#include "tocha/ops/isnan.h"

bool tocha_set_anomaly(tocha_context *cx, bool enabled) {
  if (!cx) return false;
  bool old = cx->anomaly;
  cx->anomaly = enabled;
  return old;
}

bool tocha_set_anomaly_check_nan(tocha_context *cx, bool enabled) {
  if (!cx) return false;
  bool old = !cx->anomaly_ignores_nan;
  cx->anomaly_ignores_nan = !enabled;
  return old;
}

void tocha_set_forward_trace(tocha_context *cx, char *(*trace)(void *user), void *user) {
  if (!cx) return;
  cx->forward_trace = trace;
  cx->forward_trace_user = user;
}

/* --- notes of nodes --------------------------------------------------------------------------- */

static void free_note(void *user) { free(user); }

static const char *note_of(const tocha_node *node) { return tocha_kept_with_node(node, free_note); }

/* Appends the note of `parent`, the node whose backward made this node, to text. Returns text,
 * which may have been moved. */
static char *with_parent(char *text, const tocha_node *parent) {
  static const char between[] =
      "\n\nPrevious calculation was induced by %s. Traceback of forward call that induced the "
      "previous calculation:\n%s";
  const char *name = tocha_node_full_name(parent), *note = note_of(parent);
  if (!text || !note) return text;
  size_t length = strlen(text);
  size_t capacity = length + sizeof between + strlen(name) + strlen(note);
  char *both = realloc(text, capacity);
  if (!both) return text;
  snprintf(both + length, capacity - length, between, name, note);
  return both;
}

void tocha_note_forward(tocha_node *node) {
  tocha_context *cx = node->context;
  char *text = cx->forward_trace ? cx->forward_trace(cx->forward_trace_user) : NULL;
  if (cx->evaluating) text = with_parent(text, cx->evaluating);
  uint64_t id;
  tocha_hook note = {.user = text, .free = free_note};
  if (text && !tocha_keep_with_node(cx, node, note, &id)) free(text);
}

/* --- in the backward -------------------------------------------------------------------------------- */

static bool has_nan(tocha_context *cx, tocha_tensor *t) {
  if (!t || !tocha_dtype_is_floating((tocha_dtype)t->dtype) || t->device.type == TOCHA_META)
    return false;
  tocha_tensor *found = tocha_any(cx, tocha_isnan(cx, tocha_detach(cx, t)), 0, NULL, false);
  tocha_scalar value;
  return found && tocha_item(cx, found, &value) && value.value.integer;
}

bool tocha_check_nan(tocha_context *cx, const tocha_node *node, tocha_tensor *const *out) {
  if (cx->anomaly_ignores_nan) return true;
  for (int i = 0; i < node->edge_count; i++)
    if (has_nan(cx, out[i])) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Function '%s' returned nan values in its %dth output.",
                 tocha_node_full_name(node), i);
      return false;
    }
  return !tocha_failed(cx);
}

void tocha_report_anomaly(tocha_context *cx, const tocha_node *node) {
  const char *name = tocha_node_full_name(node), *note = note_of(node);
  if (!note) {
    tocha_warn(cx,
               "Error detected in %s. No forward pass information available. Enable detect anomaly "
               "during forward pass for more information.",
               name);
    return;
  }
  static const char format[] =
      "Error detected in %s. Traceback of forward call that caused the error:\n%s";
  size_t capacity = sizeof format + strlen(name) + strlen(note);
  char *text = malloc(capacity);
  if (!text) return;
  snprintf(text, capacity, format, name, note);
  if (cx->options.log) cx->options.log(cx->options.log_user, TOCHA_LOG_WARNING, text);
  free(text);
}
