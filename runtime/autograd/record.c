/* record.c: records an operator's call as a node, with its arguments, saved tensors and edges. The
 * operator's gradient rule runs it later. */
#include <string.h>

#include "autograd/node.h"
#include "tocha/ops/clone.h"

/* An operator's node. The same block continues with args, saved, lists, numbers, then
 * node.edges. */
typedef struct operator_node {
  tocha_node node;
  const tocha_op *op;
  const char *name; /* the name that grad_fn prints */
  tocha_arg *args;
  tocha_saved *saved;
  int saved_count;
  bool reads; /* the rule needs the tensors that release_saved frees */
} operator_node;

/* Returns bit i of a mask of results; a list may have more results than a mask has bits. */
static bool has_bit(uint32_t bits, int i) { return i < 32 && bits >> i & 1; }

static bool is_list(const tocha_op *op, int parameter) {
  return tocha_operator_of(op)->bits.lists >> parameter & 1;
}

static bool wants(const tocha_op *op, const tocha_arg *args, int parameter) {
  const tocha_arg *a = &args[parameter];
  if (!is_list(op, parameter)) return a->tensor && tocha_requires_grad(a->tensor);
  for (int i = 0; i < a->count; i++)
    if (a->value.tensors[i] && tocha_requires_grad(a->value.tensors[i])) return true;
  return false;
}

/* Returns a bit for each parameter whose value is read by a rule that will run. */
static uint32_t needed_inputs(const tocha_op *op, const tocha_arg *args) {
  if (!tocha_operator_of(op)->edge_inputs || !tocha_operator_of(op)->save_inputs)
    return tocha_operator_of(op)->save_inputs;
  uint32_t needed = 0;
  int edge = 0;
  for (uint32_t bits = tocha_operator_of(op)->differentiable; bits; bits &= bits - 1, edge++)
    if (wants(op, args, __builtin_ctz(bits))) needed |= tocha_operator_of(op)->edge_inputs[edge];
  return needed;
}

static bool writes_integers(const tocha_arg *args) {
  return args[0].tensor && !tocha_is_floating(args[0].tensor->dtype);
}

/* Returns true if op changes the sizes and strides of self (t_). No element changes then, so
 * neither does a base's history. */
static bool changes_geometry(const tocha_op *op) {
  return (op->flags & TOCHA_OP_INPLACE) && (op->flags & TOCHA_OP_VIEW);
}

/* --- the node's class ------------------------------------------------------------------------------- */

static const char *operator_name(const tocha_node *node) {
  return ((const operator_node *)node)->name;
}

static void operator_release_saved(tocha_node *node) {
  operator_node *n = (operator_node *)node;
  for (int i = 0; i < n->saved_count; i++) tocha_saved_release(node->context, &n->saved[i]);
  node->freed = true;
}

/* Returns true if a gradient is needed at any edge. An edge may lead to a leaf's view that was made
 * without a graph. */
static bool any_edge_wanted(const tocha_node *node) {
  int i = 0;
  while (i < node->edge_count && !tocha_edge_wanted(&node->edges[i])) i++;
  return i < node->edge_count;
}

/* Returns true if PyTorch unpacks a before b: inputs in the order of their names, then results. */
static bool is_unpacked_before(const tocha_op *op, const tocha_saved *a, const tocha_saved *b) {
  if (a->parameter < 0 || b->parameter < 0)
    return a->parameter >= 0 || (b->parameter < 0 && a->index < b->index);
  return strcmp(op->parameters[a->parameter].name, op->parameters[b->parameter].name) < 0;
}

/* Fails for the first changed tensor that PyTorch would unpack, because PyTorch's message names
 * that one. */
static bool fail_by_name(tocha_context *cx, tocha_node *node) {
  const operator_node *n = (const operator_node *)node;
  const tocha_saved *first = NULL;
  for (int i = 0; i < n->saved_count; i++) {
    const tocha_saved *s = &n->saved[i];
    if (tocha_saved_changed(s) && (!first || is_unpacked_before(n->op, s, first))) first = s;
  }
  if (first) {
    tocha_clear_error(cx);
    tocha_unsave_tensor(cx, node, first);
  }
  return false;
}

/* Returns the place of a saved tensor among the arguments or results of the call. */
static tocha_tensor **place_of(const tocha_op *op, const tocha_saved *s, tocha_arg *args,
                               tocha_tensor **results) {
  if (s->parameter < 0) return &results[s->index];
  tocha_arg *a = &args[s->parameter];
  return is_list(op, s->parameter) ? &((tocha_tensor **)(void *)a->value.tensors)[s->element]
                                   : &a->tensor;
}

static bool unsave_all(tocha_context *cx, operator_node *n, tocha_tensor *const *grads,
                       tocha_arg *args, tocha_tensor **results) {
  bool hooks_ran = false;
  for (int i = 0; i < n->saved_count; i++) {
    const tocha_saved *s = &n->saved[i];
    tocha_tensor *t = tocha_unsave_tensor(cx, &n->node, s);
    if (!t) return tocha_saved_changed(s) && fail_by_name(cx, &n->node);
    *place_of(n->op, s, args, results) = t;
    hooks_ran |= s->is_packed;
  }
  if (!hooks_ran) return true;
  for (int i = 0; i < n->saved_count; i++) /* later unpack hooks may have changed earlier tensors */
    if (!tocha_check_unsaved(cx, &n->saved[i], *place_of(n->op, &n->saved[i], args, results)))
      return false;
  return tocha_check_gradients(cx, &n->node, grads);
}

static bool operator_apply(tocha_context *cx, tocha_node *node, tocha_tensor *const *grads,
                           tocha_tensor **out) {
  operator_node *n = (operator_node *)node;
  const tocha_op *op = n->op;
  if (node->freed && n->reads) return tocha_fail_freed(cx);
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  tocha_tensor *results[TOCHA_MAX_RESULTS] = {NULL};
  memcpy(args, n->args, op->parameter_count * sizeof *args);
  if (!unsave_all(cx, n, grads, args, results)) return false;
  tocha_backward_frame frame = {.cx = cx,
                                .node = node,
                                .op = op,
                                .args = args,
                                .results = results,
                                .grads = grads,
                                .out = out,
                                .edge_count = node->edge_count};
  if (!any_edge_wanted(node)) return true;
  if (!tocha_operator_of(op)->backward(&frame)) return false;
  bool ties = tocha_operator_of(op)->tied && tocha_grad_enabled(cx);
  return !ties || tocha_tie_gradients(cx, node, out);
}

static const tocha_node_class operator_class = {
    .name_of = operator_name, .apply = operator_apply, .release_saved = operator_release_saved};

tocha_node *tocha_frame_node(const tocha_backward_frame *frame) { return frame->node; }

bool tocha_wants_grad(const tocha_backward_frame *frame, int edge) {
  return tocha_edge_wanted(&frame->node->edges[edge]);
}

tocha_shape tocha_edge_shape(const tocha_backward_frame *frame, int edge) {
  const tocha_edge *e = &frame->node->edges[edge];
  tocha_shape shape = {0, NULL, TOCHA_NO_DTYPE, {TOCHA_NO_DEVICE, -1}};
  if (!e->node) return shape;
  const tocha_gradient_shape *g = &e->node->inputs[e->index];
  shape.ndim = g->ndim;
  shape.sizes = g->sizes;
  shape.dtype = g->dtype;
  shape.device = g->device;
  return shape;
}

/* --- creating a node -------------------------------------------------------------------------- */

/* The sizes that a copy of a call needs. */
typedef struct measure {
  uint32_t needed; /* parameters that are saved */
  int edges, saved, lists, numbers;
  size_t text;
} measure;

static measure take_measure(const tocha_op *op, const tocha_arg *args,
                            const tocha_results *results) {
  const tocha_operator *o = tocha_operator_of(op);
  measure m = {.needed = needed_inputs(op, args)};
  for (uint32_t bits = o->differentiable & o->bits.tensors; bits; bits &= bits - 1) m.edges++;
  for (uint32_t bits = m.needed & o->bits.tensors; bits; bits &= bits - 1)
    m.saved += args[__builtin_ctz(bits)].tensor != NULL;
  for (uint32_t bits = o->bits.lists; bits; bits &= bits - 1) {
    int i = __builtin_ctz(bits), count = args[i].count;
    if (o->differentiable >> i & 1) m.edges += count;
    if (!(m.needed >> i & 1)) continue;
    m.saved += count;
    m.lists += count;
  }
  for (uint32_t bits = o->bits.numbers; bits; bits &= bits - 1) {
    const tocha_arg *a = &args[__builtin_ctz(bits)];
    m.numbers += a->given ? a->count : 0;
  }
  for (uint32_t bits = o->bits.strings; bits; bits &= bits - 1) {
    const char *text = args[__builtin_ctz(bits)].value.string;
    if (text) m.text += strlen(text) + 1;
  }
  for (uint32_t bits = o->save_results; bits; bits &= bits - 1)
    m.saved += __builtin_ctz(bits) < results->count;
  return m;
}

/* Returns true if the columns of a matrix are contiguous, one after the other. */
static bool is_column_major(const tocha_tensor *t) {
  return t->ndim == 2 && t->strides[0] == 1 && t->strides[1] == t->sizes[0];
}

/* Copies the arguments without their tensors. Lists and strings are copied into the node's own
 * memory. Numbers are copied as bytes, because those of all kinds have the same size. */
static void copy_args(operator_node *n, const tocha_arg *args, const measure *m,
                      tocha_tensor **lists, int64_t *numbers, char *text) {
  const tocha_parameter_bits *kinds = &tocha_operator_of(n->op)->bits;
  memcpy(n->args, args, n->op->parameter_count * sizeof *args);
  for (uint32_t bits = kinds->tensors; bits; bits &= bits - 1) {
    tocha_arg *a = &n->args[__builtin_ctz(bits)];
    a->count = a->tensor && is_column_major(a->tensor);
    a->tensor = NULL;
  }
  for (uint32_t bits = kinds->lists; bits; bits &= bits - 1) {
    tocha_arg *a = &n->args[__builtin_ctz(bits)];
    a->value.tensors = NULL;
    if (!(m->needed >> __builtin_ctz(bits) & 1)) continue;
    memset(lists, 0, (size_t)a->count * sizeof *lists);
    a->value.tensors = lists;
    lists += a->count;
  }
  for (uint32_t bits = kinds->numbers; bits; bits &= bits - 1) {
    tocha_arg *a = &n->args[__builtin_ctz(bits)];
    if (!a->given) a->count = 0;
    if (a->count) memcpy(numbers, a->value.ints, (size_t)a->count * sizeof *numbers);
    a->value.ints = numbers;
    numbers += a->count;
  }
  for (uint32_t bits = kinds->strings; bits; bits &= bits - 1) {
    tocha_arg *a = &n->args[__builtin_ctz(bits)];
    if (!a->value.string) continue;
    size_t length = strlen(a->value.string) + 1;
    a->value.string = memcpy(text, a->value.string, length);
    text += length;
  }
}

static const char *name_of_call(const tocha_op *op, const tocha_arg *args) {
  const char *of_tensors = tocha_operator_of(op)->node_of_tensors;
  for (int i = 0; of_tensors && i < op->parameter_count; i++)
    if (op->parameters[i].kind == TOCHA_KIND_OPERAND && args[i].tensor) return of_tensors;
  return op->node_name;
}

static operator_node *new_operator_node(tocha_context *cx, const tocha_op *op,
                                        const tocha_arg *args, const tocha_results *results,
                                        const measure *m) {
  size_t at_args = sizeof(operator_node);
  size_t at_saved = at_args + op->parameter_count * sizeof(tocha_arg);
  size_t at_lists = at_saved + (size_t)m->saved * sizeof(tocha_saved);
  size_t at_numbers = at_lists + (size_t)m->lists * sizeof(tocha_tensor *);
  size_t at_text = at_numbers + (size_t)m->numbers * sizeof(int64_t);
  operator_node *n = (operator_node *)tocha_node_new(cx, &operator_class, at_text + m->text,
                                                     m->edges, results->count);
  if (!n) return NULL;
  char *block = (char *)n;
  n->op = op;
  n->name = name_of_call(op, args);
  n->args = (tocha_arg *)(void *)(block + at_args);
  n->saved = (tocha_saved *)(void *)(block + at_saved);
  n->reads = m->needed || tocha_operator_of(op)->save_results;
  copy_args(n, args, m, (tocha_tensor **)(void *)(block + at_lists),
            (int64_t *)(void *)(block + at_numbers), block + at_text);
  return n;
}

/* State shared by all tensors of one call. */
typedef struct node_parts {
  tocha_context *cx;
  const tocha_op *op;
  operator_node *n;
  tocha_tensor *self;     /* for an in-place operator, else NULL */
  tocha_tensor *original; /* self's old value */
  int edge;
} node_parts;

static inline bool add_edge(node_parts *r, tocha_tensor *t, bool is_self) {
  tocha_edge *edge = &r->n->node.edges[r->edge++];
  if (!t) return true;
  if (is_self && changes_geometry(r->op)) return tocha_history_edge(r->cx, t, edge);
  if (is_self && t->base) return tocha_gradient_edge(r->cx, t->base, edge);
  if (!tocha_gradient_edge(r->cx, t, edge)) return false;
  /* The operator has already written, but the edge is from before, so this view is outdated. */
  if (r->self && t != r->self && t->base && t->storage == r->self->storage) tocha_view_expire(t);
  return true;
}

/* edge: the edge of t, an input, if it is known. */
static bool add_saved(node_parts *r, tocha_tensor *t, int parameter, int element, int result,
                      const tocha_edge *edge, bool dropped) {
  tocha_saved *saved = &r->n->saved[r->n->saved_count];
  bool is_self =
      r->self && parameter == 0; /* y:mul_(y) reads its own result, as the version shows */
  if (is_self && r->original) t = r->original;
  if (!tocha_save_tensor(&r->n->node, saved, t, result, edge, dropped)) {
    tocha_saved_release(r->cx, saved);
    return false;
  }
  r->n->saved_count++;
  saved->parameter = (int16_t)parameter;
  saved->element = element;
  /* An input that shares the written memory gets the version from before the write. */
  if (r->self && result < 0 && t->storage == r->self->storage && !(t->flags & TOCHA_FLAG_UNTRACKED))
    saved->version--;
  return true;
}

/* Adds the edge of argument i, or of an element in it, and saves its tensor, as far as it has these. */
static inline bool add_tensor(node_parts *r, tocha_tensor *t, int i, int element, uint32_t needed) {
  const tocha_edge *edge = NULL;
  if (tocha_operator_of(r->op)->differentiable >> i & 1) {
    if (!add_edge(r, t, r->self && i == 0)) return false;
    if (!r->self) edge = &r->n->node.edges[r->edge - 1]; /* else of another time than the value */
  }
  return !t || !(needed >> i & 1) || add_saved(r, t, i, element, -1, edge, false);
}

static bool add_list(node_parts *r, const tocha_arg *list, int i, uint32_t needed) {
  for (int k = 0; k < list->count; k++)
    if (!add_tensor(r, list->value.tensors[k], i, k, needed)) return false;
  return true;
}

static bool add_arguments(node_parts *r, const tocha_arg *args, uint32_t needed) {
  const tocha_operator *o = tocha_operator_of(r->op);
  const uint32_t used = o->differentiable | needed;
  for (uint32_t bits = used & (o->bits.tensors | o->bits.lists); bits; bits &= bits - 1) {
    int i = __builtin_ctz(bits);
    if (o->bits.lists >> i & 1 ? !add_list(r, &args[i], i, needed)
                               : !add_tensor(r, args[i].tensor, i, 0, needed))
      return false;
  }
  return true;
}

static bool is_argument(const tocha_op *op, const tocha_arg *args, const tocha_tensor *t) {
  for (uint32_t bits = tocha_operator_of(op)->bits.tensors; bits; bits &= bits - 1)
    if (args[__builtin_ctz(bits)].tensor == t) return true;
  return false;
}

/* Makes the node the history of the results. For in-place operators, rewrites self's history. */
static bool attach(node_parts *r, const tocha_arg *args, const tocha_results *results) {
  tocha_node *node = &r->n->node;
  if (r->self && changes_geometry(r->op)) return tocha_set_history(r->self, node, 0);
  if (r->self)
    return tocha_rebase_history(r->cx, r->self, node, tocha_operator_of(r->op)->differentiable & 1);
  for (int i = 0; i < results->count; i++) {
    tocha_tensor *t = results->tensors[i];
    if (!t || has_bit(tocha_operator_of(r->op)->graphless | results->unwanted, i) ||
        !tocha_is_floating(t->dtype) || is_argument(r->op, args, t))
      continue;
    if (!tocha_set_history(t, node, i)) return false;
  }
  return true;
}

static bool add_results(node_parts *r, const tocha_arg *args, const tocha_results *results) {
  bool ok = true;
  for (int i = 0; ok && i < results->count; i++) {
    tocha_tensor *t = results->tensors[i];
    if (!has_bit(tocha_operator_of(r->op)->save_results, i) || !t) continue;
    bool dropped = has_bit(results->unwanted, i) && !is_argument(r->op, args, t);
    ok = add_saved(r, t, -1, 0, i, NULL, dropped);
  }
  return ok;
}

/* Calls the pack hooks. They may change any tensor that Lua can reach, including the one that is
 * written in place. */
static bool pack_all(node_parts *r) {
  tocha_context *cx = r->cx;
  tocha_gradient_shape look = {.ndim = 0};
  bool ok = !r->self || tocha_note_look(cx, &look, r->self);
  for (int i = 0; ok && i < r->n->saved_count; i++) ok = tocha_pack_saved(cx, &r->n->saved[i]);
  if (ok && r->self && !tocha_looks_like(r->self, &look))
    ok =
        tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                   "a saved tensor pack hook freed the tensor that is written in place, or gave it "
                   "other data") != NULL;
  tocha_drop_look(cx, &look);
  return ok;
}

/* Fails if a differentiable operator such as sum{dtype = torch.int64} has an integer result.
 * to(torch.int64) has no graph instead. */
static bool refuse_integers(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                            const tocha_results *results) {
  const tocha_tensor *first = results->count ? results->tensors[0] : NULL;
  if (!first || tocha_is_floating(first->dtype) || (op->flags & TOCHA_OP_ANY_DEVICE)) return true;
  for (int i = 0; i < op->parameter_count; i++)
    if (op->parameters[i].kind == TOCHA_KIND_DTYPE && args[i].given) {
      tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Autograd not support dtype: %s",
                 tocha_dtype_scalar_type((tocha_dtype)first->dtype));
      return false;
    }
  return true;
}

static bool record(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                   tocha_results *results, tocha_tensor *original) {
  if (!refuse_integers(cx, op, args, results)) return false;
  measure m = take_measure(op, args, results);
  operator_node *n = new_operator_node(cx, op, args, results, &m);
  if (!n) return false;
  node_parts r = {.cx = cx, .op = op, .n = n, .original = original};
  if (op->flags & TOCHA_OP_INPLACE) r.self = args[0].tensor;
  bool ok = add_arguments(&r, args, m.needed);
  if (ok) n->node.sequence = ++cx->next_sequence; /* later than any node that its edges created */
  tocha_node_set_stream(&n->node, r.self ? r.self : results->tensors[0]);
  bool packs = tocha_hooks_pack(cx);
  if (packs) ok = ok && add_results(&r, args, results) && pack_all(&r);
  ok = ok && attach(&r, args, results);
  if (!packs && tocha_operator_of(op)->save_results) ok = ok && add_results(&r, args, results);
  tocha_node_release(&n->node);
  return ok;
}

static bool check_constants(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  for (uint32_t bits = tocha_operator_of(op)->constants; bits; bits &= bits - 1) {
    int i = __builtin_ctz(bits);
    if (!args[i].tensor || !tocha_grad_enabled(cx) || !tocha_requires_grad(args[i].tensor))
      continue;
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "The function '%s' is not differentiable with respect to argument '%s'. This input "
               "cannot have requires_grad True.",
               tocha_operator_of(op)->constants_of, op->parameters[i].name);
    return false;
  }
  return true;
}

bool tocha_begin_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                        tocha_recording *recording) {
  bool inplace = op->flags & TOCHA_OP_INPLACE;
  if (!check_constants(cx, op, args)) return false;
  recording->records = tocha_operator_of(op)->backward && tocha_grad_enabled(cx) &&
                       tocha_any_requires_grad(op, args) && !(inplace && writes_integers(args));
  if (inplace && !(op->flags & TOCHA_OP_LEAF) &&
      !tocha_check_inplace(cx, args[0].tensor, recording->records))
    return false;
  if (recording->records && changes_geometry(op)) { /* the edge leads to self's present history */
    tocha_node *node;
    return tocha_current_node(cx, args[0].tensor, &node);
  }
  if (!inplace || !recording->records || !(needed_inputs(op, args) & 1)) return true;
  recording->original = tocha_clone(cx, args[0].tensor); /* gradients of gradients need it */
  return recording->original != NULL;
}

/* Fails if the inputs could not be recorded, because their history or a tensor to save is
 * invalid. */
static bool check_inputs(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  uint32_t differentiable = tocha_operator_of(op)->differentiable;
  uint32_t needed = needed_inputs(op, args);
  tocha_tensor *t;
  tocha_node *node;
  tocha_tensor_place at = {0};
  while ((t = tocha_next_tensor(op, args, &at))) {
    if (differentiable >> at.parameter & 1 && !tocha_current_node(cx, t, &node)) return false;
    if (needed >> at.parameter & 1 && !tocha_check_saving(cx, t)) return false;
  }
  return true;
}

/* Replaces the error of a failed operator by that of a wrong graph, if there is one, because
 * PyTorch checks the graph before it calls the operator. */
void tocha_fail_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args) {
  tocha_error_state error = cx->error;
  tocha_clear_error(cx);
  if (check_inputs(cx, op, args)) cx->error = error;
}

static bool end_geometry(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_results *results, const tocha_recording *recording) {
  tocha_tensor *self = args[0].tensor;
  if (recording->records && !record(cx, op, args, results, NULL)) return false;
  if (!tocha_count_write(cx, self)) return false;
  if (recording->records) self->view_version = tocha_write_count(self);
  return true;
}

bool tocha_end_record(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                      tocha_results *results, const tocha_recording *recording) {
  if (changes_geometry(op)) return end_geometry(cx, op, args, results, recording);
  /* The operators that a composite calls have counted its writes. */
  const uint32_t counts = TOCHA_OP_INPLACE | TOCHA_OP_COMPOSITE;
  if ((op->flags & counts) == TOCHA_OP_INPLACE && !tocha_count_write(cx, args[0].tensor))
    return false;
  if (op->flags & TOCHA_OP_VIEW) tocha_set_bases(cx, op, args, results);
  return !recording->records || record(cx, op, args, results, recording->original);
}
