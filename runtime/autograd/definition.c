/* definition.c: operators that programs define. */
#include "autograd/definition.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All definitions of the process. They are constant once they are in the list, and never freed. */
static tocha_defined *_Atomic defined_operators;

static const tocha_defined *defined_of(const tocha_op *op) { return (const tocha_defined *)op; }

/* --- calls --------------------------------------------------------------------------------------- */

static bool has_meta(const tocha_op *op, const tocha_arg *args) {
  tocha_tensor_place at = {0};
  const tocha_tensor *t;
  while ((t = tocha_next_tensor(op, args, &at)))
    if (t->device.type == TOCHA_META) return true;
  return false;
}

static bool run_kernel(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                       tocha_results *results) {
  const tocha_definition *d = &defined_of(op)->definition;
  bool meta = has_meta(op, args);
  results->tensors = results->fixed;
  results->count = op->result_count;
  memset(results->fixed, 0, sizeof results->fixed);
  if (meta && !d->shape) {
    tocha_fail(
        cx, TOCHA_NOT_IMPLEMENTED_ERROR,
        "%s: attempted to run this operator with Meta tensors, but there was no fake impl or "
        "Meta kernel registered for this operator",
        op->name);
    tocha_hint(cx, "give the operator's definition a shape function");
    return false;
  }
  bool ok = (meta ? d->shape : d->kernel)(cx, args, results->fixed);
  for (int i = 0; ok && i < op->result_count; i++) ok = results->fixed[i] != NULL;
  if (!ok && !tocha_failed(cx))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "the kernel of %s failed without an error", op->name);
  return ok;
}

/* --- gradients ------------------------------------------------------------------------------------ */

static bool run_gradient(tocha_backward_frame *f) {
  const tocha_definition *d = &defined_of(f->op)->definition;
  tocha_gradient_call call = {f->args, f->results, f->grads};
  tocha_tensor *out[TOCHA_MAX_PARAMETERS] = {NULL};
  bool any = false;
  for (int i = 0; i < f->op->result_count; i++) any = any || f->grads[i];
  if (!any) return true;
  if (d->backward && !d->backward(f->cx, &call, out)) {
    if (!tocha_failed(f->cx))
      tocha_fail(f->cx, TOCHA_RUNTIME_ERROR, "the gradient of %s failed without an error",
                 f->op->name);
    return false;
  }
  int edge = 0;
  for (uint32_t bits = tocha_operator_of(f->op)->differentiable; bits; bits &= bits - 1, edge++) {
    int i = __builtin_ctz(bits);
    if (!tocha_wants_grad(f, edge)) continue;
    if (!d->backward)
      out[i] = tocha_evaluate(f->cx, f->op,
                              tocha_find_expression(d->gradient, f->op->parameters[i].name), &call);
    if (tocha_failed(f->cx)) return false;
    f->out[edge] = out[i];
  }
  return true;
}

/* Returns a bit for each parameter that has a gradient. Fails if an expression is wrong. */
static uint32_t differentiable(tocha_context *cx, const tocha_op *op, const tocha_definition *d) {
  uint32_t bits = 0;
  for (int i = 0; i < op->parameter_count; i++) {
    if (op->parameters[i].kind != TOCHA_KIND_TENSOR) continue;
    const char *text =
        d->gradient ? tocha_find_expression(d->gradient, op->parameters[i].name) : NULL;
    if (text && !d->backward) tocha_evaluate(cx, op, text, NULL);
    if (text || d->backward) bits |= 1U << i;
  }
  return bits;
}

/* --- definitions ----------------------------------------------------------------------------------- */

struct tocha_defined_block {
  struct tocha_defined_block *next;
  _Alignas(max_align_t) char data[];
};

/* Returns zeroed memory that lives as long as the definition, or NULL. */
static void *keep(tocha_defined *o, size_t size) {
  struct tocha_defined_block *b = calloc(1, sizeof *b + size);
  if (!b) return NULL;
  b->next = o->blocks;
  o->blocks = b;
  return b->data;
}

/* Frees a definition that is in no list. */
static void drop(tocha_defined *o) {
  while (o && o->blocks) {
    struct tocha_defined_block *b = o->blocks;
    o->blocks = b->next;
    free(b);
  }
  free(o);
}

/* Returns a copy that lives as long as the definition, or NULL. */
static char *copy(tocha_defined *o, const char *text) {
  char *c = keep(o, strlen(text) + 1);
  return c ? strcpy(c, text) : NULL;
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static bool same(const tocha_definition *a, const tocha_definition *b) {
  return a->kernel == b->kernel && a->shape == b->shape && a->backward == b->backward &&
         same_text(a->signature, b->signature) && same_text(a->gradient, b->gradient) &&
         same_text(a->autocast, b->autocast);
}

static tocha_defined *find_defined(const char *name) {
  tocha_defined *d = atomic_load(&defined_operators);
  while (d && strcmp(d->operator_.op.name, name) != 0) d = d->next;
  return d;
}

/* Returns the node's name: "BlurBackward0". */
static char *node_name(tocha_defined *o, const char *name) {
  char text[96];
  snprintf(text, sizeof text, "%.70sBackward0", name);
  text[0] = (char)toupper((unsigned char)text[0]);
  return copy(o, text);
}

/* Copies a list of texts into *to. Returns false if there is no memory. */
static bool copy_texts(tocha_defined *o, int count, const char *const *from,
                       const char **const *to) {
  for (int i = 0; i < count; i++)
    if (from[i] && !(*to[i] = copy(o, from[i]))) return false;
  return true;
}

static bool copy_parameters(tocha_defined *o, const tocha_definition *d) {
  tocha_op *op = &o->operator_.op;
  tocha_parameter *p = keep(o, ((size_t)d->parameter_count + 1) * sizeof *p);
  if (!p) return false;
  for (int i = 0; i < d->parameter_count; i++) {
    tocha_arg *value = &p[i].default_value;
    p[i] = d->parameters[i];
    if (!(p[i].name = copy(o, p[i].name)) || !(p[i].python = copy(o, p[i].python))) return false;
    if (p[i].kind == TOCHA_KIND_STRING && value->value.string) {
      if (!(value->value.string = copy(o, value->value.string))) return false;
    } else if (value->count > 0) { /* ints or reals, of the same size */
      int64_t *list = keep(o, (size_t)value->count * sizeof *list);
      if (!list) return false;
      value->value.ints = memcpy(list, value->value.ints, (size_t)value->count * sizeof *list);
    }
  }
  op->parameters = p;
  op->parameter_count = (uint8_t)d->parameter_count;
  o->operator_.bits = tocha_bits_of_parameters(p, d->parameter_count);
  op->positional = (uint8_t)d->positional;
  op->result_count = (uint8_t)d->result_count;
  return true;
}

/* Fills a new definition, except for its gradient. Returns false if there is no memory. */
static bool fill(tocha_defined *o, const tocha_definition *d) {
  tocha_op *op = &o->operator_.op;
  const char *dot = strrchr(d->name, '.');
  char space[96];
  snprintf(space, sizeof space, "ops.%.*s", (int)(dot - d->name), d->name);
  o->definition = *d;
  const char *const from[] = {d->name,    dot + 1, space, d->signature, d->doc ? d->doc : "",
                              d->gradient};
  const char **const to[] = {&op->name,      &op->lua_name, &op->namespace_,
                             &op->signature, &op->doc,      &o->definition.gradient};
  if (!copy_texts(o, 6, from, to) || !copy_parameters(o, d)) return false;
  if (d->autocast && !(o->definition.autocast = copy(o, d->autocast))) return false;
  if (!(op->node_name = node_name(o, op->lua_name))) return false;
  o->definition.name = op->name;
  o->definition.signature = op->signature;
  o->definition.doc = op->doc;
  o->definition.parameters = op->parameters;
  o->operator_.forward = run_kernel;
  return true;
}

static bool set_autocast(tocha_context *cx, tocha_operator *o, const char *word) {
  static const struct {
    const char *word;
    uint8_t value;
  } classes[] = {{"float32", TOCHA_AUTOCAST(FLOAT32, FLOAT32)},
                 {"lower", TOCHA_AUTOCAST(LOWER, LOWER)},
                 {"widest", TOCHA_AUTOCAST(WIDEST, WIDEST)}};
  for (size_t i = 0; word && i < sizeof classes / sizeof *classes; i++)
    if (strcmp(word, classes[i].word) == 0) o->autocast = classes[i].value;
  if (word && !o->autocast)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "autocast must be 'float32', 'lower' or 'widest', not '%s'",
               word);
  return !tocha_failed(cx);
}

static void set_gradient(tocha_context *cx, tocha_operator *o, const tocha_definition *d) {
  o->differentiable = differentiable(cx, &o->op, d);
  if (!o->differentiable) return;
  o->backward = run_gradient;
  o->save_inputs = o->bits.tensors;
  o->save_results = (1U << o->op.result_count) - 1;
}

static bool check_definition(tocha_context *cx, const tocha_definition *d) {
  if (tocha_failed(cx)) return false;
  const char *dot = d && d->name ? strrchr(d->name, '.') : NULL;
  if (!dot || dot == d->name || !dot[1] || strlen(d->name) > 64)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "an operator's name is a namespace and a name: 'image.blur'");
  else if (!d->kernel || !d->signature)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "the definition of %s has no %s", d->name,
               d->kernel ? "signature" : "kernel");
  else if (d->parameter_count < 0 || d->parameter_count > TOCHA_MAX_PARAMETERS ||
           (d->parameter_count && !d->parameters) || d->result_count < 1 ||
           d->result_count > TOCHA_MAX_RESULTS)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "an operator has at most %d parameters and 1 to %d results",
               TOCHA_MAX_PARAMETERS, TOCHA_MAX_RESULTS);
  else if (tocha_operator_named(cx, d->name))
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "%s is an operator of the library", d->name);
  return !tocha_failed(cx);
}

const tocha_op *tocha_define_operator(tocha_context *cx, const tocha_definition *d) {
  if (!check_definition(cx, d)) return NULL;
  tocha_defined *o = find_defined(d->name);
  if (o && same(&o->definition, d)) return &o->operator_.op;
  if (o) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "This is not allowed since there's already a kernel registered for %s", d->name);
    return NULL;
  }
  o = calloc(1, sizeof *o);
  if (!o || !fill(o, d))
    tocha_fail(cx, TOCHA_MEMORY_ERROR, "not enough memory");
  else if (set_autocast(cx, &o->operator_, d->autocast))
    set_gradient(cx, &o->operator_, &o->definition);
  if (!o || tocha_failed(cx)) {
    drop(o);
    return NULL;
  }
  o->next = atomic_load(&defined_operators);
  while (!atomic_compare_exchange_weak(&defined_operators, &o->next, o)) {
  }
  return &o->operator_.op;
}
