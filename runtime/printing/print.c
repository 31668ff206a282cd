/* print.c: prints tensors as text, as PyTorch's print does.
 *
 * Two walks visit the elements that are shown: all of them, or, if there are more than the
 * threshold, the first and last few of each dimension. The first walk decides the notation and
 * the width that all numbers share, the second writes. The shown elements of a tensor on a
 * device are copied to the host. */
#include <math.h>
#include <string.h>

#include "device/devices.h"
#include "tensor/transfer.h"
#include "tensor/interruptible.h"
#include "core/text.h"

static const char PREFIX[] = "tensor(";
enum { INDENT = sizeof PREFIX - 1 };

typedef struct printer {
  tocha_stop stop; /* the context's interrupt flag: if set, the rest is left out */
  const tocha_tensor *tensor;
  const tocha_tensor *values; /* the elements: `tensor` itself, or on the host those that are
                               * shown */
  tocha_print_options options;
  bool summarize;
  bool integral;           /* floating point: all values are whole numbers, "1." */
  bool scientific;         /* floating point: "1.0000e-05" */
  double minimum, maximum; /* floating point: smallest and largest absolute value, without infinite
                            * ones, NaN and zeros */
  size_t width;            /* the widest number's width */
  int64_t per_line;        /* numbers on a line of the innermost dimension */
  tocha_text text;
} printer;

/* --- the elements that are shown ------------------------------------------------------------ */

/* Returns true if summarizing leaves out elements in the middle of a dimension. */
static bool is_cut(const printer *p, int dim) {
  return p->summarize && p->tensor->sizes[dim] > 2 * (int64_t)p->options.edgeitems;
}

/* Returns the next index after i that is shown, or the size of `dim` after the last one. */
static int64_t next_shown(const printer *p, int dim, int64_t i) {
  i++;
  if (is_cut(p, dim) && i == p->options.edgeitems) i = p->tensor->sizes[dim] - i;
  return i;
}

static int64_t first_shown(const printer *p, int dim) { return next_shown(p, dim, -1); }

static const char *element_at(const printer *p, int dim, const char *start, int64_t i) {
  int64_t left_out = p->tensor->sizes[dim] - p->values->sizes[dim];
  if (left_out && i >= p->options.edgeitems) i -= left_out;
  return start + i * p->values->strides[dim] * (int64_t)tocha_dtype_size(p->tensor->dtype);
}

/* Copies the shown elements of dimensions dim, dim + 1, ... from one view to another. */
static bool gather_shown(tocha_context *cx, const printer *p, int dim, tocha_tensor *to,
                         tocha_tensor *from) {
  if (dim == p->tensor->ndim) return tocha_copy_across(cx, to, from, true);
  if (!is_cut(p, dim)) return gather_shown(cx, p, dim + 1, to, from);
  for (int end = 0; end < 2; end++) {
    int64_t sizes[TOCHA_MAX_DIMS], edge = p->options.edgeitems;
    tocha_tensor *part[2] = {to, from};
    for (int k = 0; k < 2; k++) {
      tocha_tensor *whole = part[k];
      memcpy(sizes, whole->sizes, (size_t)whole->ndim * sizeof *sizes);
      sizes[dim] = edge;
      int64_t offset = whole->offset + end * (whole->sizes[dim] - edge) * whole->strides[dim];
      part[k] = tocha_alias(cx, whole, whole->ndim, sizes, whole->strides, offset);
      if (!part[k]) return false;
    }
    if (!gather_shown(cx, p, dim + 1, part[0], part[1])) return false;
  }
  return true;
}

/* Returns the shown elements of a tensor on a device. */
static const tocha_tensor *bring_shown(tocha_context *cx, const printer *p) {
  int64_t sizes[TOCHA_MAX_DIMS];
  const tocha_tensor *t = p->tensor;
  for (int i = 0; i < t->ndim; i++)
    sizes[i] = is_cut(p, i) ? 2 * (int64_t)p->options.edgeitems : t->sizes[i];
  tocha_tensor *shown = tocha_new(cx, t->ndim, sizes, (tocha_dtype)t->dtype, tocha_cpu());
  if (!shown || shown->numel == 0) return shown;
  return gather_shown(cx, p, 0, shown, (tocha_tensor *)t) ? shown : NULL;
}

static bool is_stopped(const printer *p) { return tocha_is_set(p->stop); }

/* Calls `see` for each shown element of dimensions dim, dim + 1, ..., which begin at `start`. */
static void visit(printer *p, int dim, const char *start, void (*see)(printer *, tocha_scalar)) {
  if (dim == p->tensor->ndim) {
    see(p, tocha_load_scalar(start, p->tensor->dtype));
    return;
  }
  for (int64_t i = first_shown(p, dim); i < p->tensor->sizes[dim] && !is_stopped(p);
       i = next_shown(p, dim, i))
    visit(p, dim + 1, element_at(p, dim, start, i), see);
}

/* --- notation and width --------------------------------------------------------------------- */

static void write_number(printer *p, tocha_scalar value) {
  if (value.kind == TOCHA_SCALAR_BOOL) {
    tocha_text_string(&p->text, value.value.integer ? "True" : "False");
  } else if (value.kind == TOCHA_SCALAR_INT) {
    tocha_text_format(&p->text, "%lld", (long long)value.value.integer);
  } else if (p->scientific) {
    tocha_text_real(&p->text, value.value.real, p->options.precision, 'e');
  } else if (p->integral) {
    tocha_text_real(&p->text, value.value.real, 0, 'f');
    if (isfinite(value.value.real)) tocha_text_string(&p->text, ".");
  } else {
    tocha_text_real(&p->text, value.value.real, p->options.precision, 'f');
  }
}

/* Returns true if a value counts for the notation. PyTorch ignores zeros, infinities and NaN. */
static bool decides(tocha_scalar value) {
  return value.kind != TOCHA_SCALAR_FLOAT || (isfinite(value.value.real) && value.value.real != 0);
}

static void see_range(printer *p, tocha_scalar value) {
  if (!decides(value)) return;
  double magnitude = fabs(value.value.real);
  p->minimum = fmin(p->minimum, magnitude);
  p->maximum = fmax(p->maximum, magnitude);
  if (magnitude != ceil(magnitude)) p->integral = false;
}

static void see_width(printer *p, tocha_scalar value) {
  if (!decides(value)) return;
  p->text.length = 0; /* no number is written yet, so the text is scratch space */
  write_number(p, value);
  if (p->text.length > p->width) p->width = p->text.length;
}

static void decide_format(printer *p) {
  const char *start = tocha_bytes(p->values);
  p->width = 1;
  p->integral = true;
  p->minimum = INFINITY;
  if (tocha_dtype_is_floating(p->tensor->dtype)) {
    visit(p, 0, start, see_range);
    bool any = p->maximum > 0, wide = p->maximum / p->minimum > 1000.0;
    p->scientific =
        any && (p->options.sci_mode >= 0 ? p->options.sci_mode != 0
                                         : wide || p->maximum > 1.0e8 || p->minimum < 1.0e-4);
  }
  visit(p, 0, start, see_width);
  p->text.length = 0;
  /* Each number is followed by ", "; the line begins with one bracket per dimension. */
  int64_t width = p->options.linewidth - (INDENT + p->tensor->ndim - 1);
  p->per_line = width / (int64_t)(p->width + 2);
  if (p->per_line < 1) p->per_line = 1;
}

/* --- writing -------------------------------------------------------------------------------- */

static void write_element(printer *p, const char *element) {
  size_t start = p->text.length;
  write_number(p, tocha_load_scalar(element, p->tensor->dtype));
  tocha_text_align_right(&p->text, start, p->width);
}

static void start_line(printer *p, int newlines, int indent) {
  tocha_text_repeat(&p->text, '\n', (size_t)newlines);
  tocha_text_repeat(&p->text, ' ', (size_t)indent);
}

/* Writes the innermost dimension. The dots count as one number. */
static void write_vector(printer *p, const char *start, int indent) {
  int dim = p->tensor->ndim - 1;
  int64_t count = 0;
  bool dots = is_cut(p, dim);
  tocha_text_string(&p->text, "[");
  for (int64_t i = first_shown(p, dim); i < p->tensor->sizes[dim] || dots; count++) {
    if (is_stopped(p)) return;
    if (count) tocha_text_string(&p->text, count % p->per_line ? ", " : ",");
    if (count && count % p->per_line == 0) start_line(p, 1, indent + 1);
    if (dots && count == p->options.edgeitems) {
      tocha_text_string(&p->text, count ? " ..." : "...");
      dots = false;
      continue;
    }
    write_element(p, element_at(p, dim, start, i));
    i = next_shown(p, dim, i);
  }
  tocha_text_string(&p->text, "]");
}

static void write_part(printer *p, int dim, const char *start, int indent) {
  int inner = p->tensor->ndim - dim;
  if (inner == 0) {
    write_element(p, start);
    return;
  }
  if (inner == 1) {
    write_vector(p, start, indent);
    return;
  }
  int64_t count = 0;
  bool dots = is_cut(p, dim);
  tocha_text_string(&p->text, "[");
  for (int64_t i = first_shown(p, dim); i < p->tensor->sizes[dim] || dots; count++) {
    if (is_stopped(p)) return;
    if (count) tocha_text_string(&p->text, ",");
    if (count) start_line(p, inner - 1, indent + 1);
    if (dots && count == p->options.edgeitems) {
      tocha_text_string(&p->text, "...");
      dots = false;
      continue;
    }
    write_part(p, dim + 1, element_at(p, dim, start, i), indent + 1);
    i = next_shown(p, dim, i);
  }
  tocha_text_string(&p->text, "]");
}

/* --- the text after the numbers ------------------------------------------------------------- */

/* Returns the bytes of the last line as PyTorch counts them: two more than there are. */
static int64_t last_line_length(const tocha_text *text) {
  size_t i = text->length;
  while (i > 0 && text->bytes[i - 1] != '\n') i--;
  return (int64_t)(text->length - i) + 2;
}

/* Appends ", suffix", on a new line if it does not fit. */
static void add_suffix(printer *p, int64_t *line, tocha_text *suffix) {
  int64_t length = (int64_t)suffix->length;
  if (suffix->failed) p->text.failed = true;
  if (*line + length + 2 > p->options.linewidth) {
    tocha_text_string(&p->text, ",");
    start_line(p, 1, INDENT);
    *line = INDENT + length;
  } else {
    tocha_text_string(&p->text, ", ");
    *line += length + 2;
  }
  if (length) tocha_text_append(&p->text, suffix->bytes, suffix->length);
  suffix->length = 0;
}

/* Writes "size=(4,)", in the form of a Python tuple. */
static void write_sizes(tocha_text *text, const tocha_tensor *t) {
  tocha_text_string(text, "size=(");
  for (int i = 0; i < t->ndim; i++)
    tocha_text_format(text, i ? ", %lld" : "%lld", (long long)t->sizes[i]);
  tocha_text_string(text, t->ndim == 1 ? ",)" : ")");
}

/* Returns true if the numbers alone show the dtype, so that it is not printed. */
static bool is_dtype_told(tocha_context *cx, const tocha_tensor *t) {
  if (t->dtype == cx->default_dtype) return true;
  bool has_numbers = t->numel > 0 && t->device.type != TOCHA_META;
  return has_numbers && (t->dtype == TOCHA_INT64 || t->dtype == TOCHA_BOOL);
}

static void write_gradient(tocha_context *cx, tocha_text *text, const tocha_tensor *t) {
  /* Asking for the node may bring it up to date, so it takes a tensor that can change. */
  tocha_node *node = tocha_grad_fn(cx, (tocha_tensor *)t);
  if (tocha_failed(cx)) {
    tocha_clear_error(cx);
    tocha_text_string(text, "grad_fn=<Invalid>");
  } else if (node) {
    tocha_text_format(text, "grad_fn=<%s>", tocha_node_name(node));
  } else if (tocha_requires_grad(t)) {
    tocha_text_string(text, "requires_grad=True");
  }
}

static void write_suffixes(tocha_context *cx, printer *p) {
  const tocha_tensor *t = p->tensor;
  tocha_text suffix = {0};
  char device[24];
  bool is_meta = t->device.type == TOCHA_META;
  int64_t line = p->text.failed ? 0 : last_line_length(&p->text);
  if (t->device.type != TOCHA_CPU) {
    tocha_text_format(&suffix, "device='%s'", tocha_device_text(t->device, device));
    add_suffix(p, &line, &suffix);
  }
  if (is_meta || (t->numel == 0 && t->ndim != 1) || (t->numel && !p->options.edgeitems)) {
    write_sizes(&suffix, t);
    add_suffix(p, &line, &suffix);
  }
  if (!is_dtype_told(cx, t)) {
    tocha_text_format(&suffix, "dtype=torch.%s", tocha_dtype_name((tocha_dtype)t->dtype));
    add_suffix(p, &line, &suffix);
  }
  write_gradient(cx, &suffix, t);
  if (suffix.length) add_suffix(p, &line, &suffix);
  tocha_text_free(&suffix);
}

static char *to_string(tocha_context *cx, const tocha_tensor *tensor) {
  printer p = {.stop = &cx->interrupted, .tensor = tensor, .values = tensor, .options = cx->print};
  if (p.options.edgeitems < 0) p.options.edgeitems = 0;
  p.summarize = tensor->numel > p.options.threshold;
  bool has_numbers = tensor->numel > 0 && tensor->device.type != TOCHA_META;
  if (has_numbers && tocha_is_on_device(tensor)) p.values = bring_shown(cx, &p);
  if (!p.values) return NULL;
  if (has_numbers) decide_format(&p);
  if (tensor->flags & TOCHA_FLAG_PARAMETER) tocha_text_string(&p.text, "Parameter containing:\n");
  tocha_text_string(&p.text, PREFIX);
  if (has_numbers)
    write_part(&p, 0, tocha_bytes(p.values), INDENT);
  else
    tocha_text_string(&p.text, tensor->device.type == TOCHA_META ? "..." : "[]");
  write_suffixes(cx, &p);
  tocha_text_string(&p.text, ")");
  if (tocha_interrupted(cx)) {
    tocha_text_free(&p.text);
    return NULL;
  }
  return tocha_text_finish(cx, &p.text);
}

char *tocha_to_string(tocha_context *cx, const tocha_tensor *tensor) {
  if (!tensor || tocha_failed(cx)) return NULL;
  if (tocha_is_uninitialized(tensor)) {
    tocha_text text = {0};
    tocha_text_format(&text, "<%s>", tocha_uninitialized_name(tensor));
    return tocha_text_finish(cx, &text);
  }
  tocha_scope s = tocha_scope_begin(cx);
  char *text = to_string(cx, tensor);
  tocha_scope_end(cx, s, NULL);
  return text;
}
