/* optimizer.c: optimizers as objects: groups, options, states, text. */
#include <stdlib.h>
#include <string.h>

#include "dispatch/required_arguments.h"
#include "core/text.h"
#include "tensor/copy.h"
#include "optim/step_on_device.h"
#include "tocha/autograd.h"
#include "tocha/nn.h"

/* --- classes --------------------------------------------------------------------------------- */

const tocha_optimizer_class *tocha_find_optimizer_class(const char *name) {
  if (!name) return NULL;
  for (int i = 0; i < tocha_optimizer_class_count; i++)
    if (strcmp(tocha_optimizer_classes[i].name, name) == 0) return &tocha_optimizer_classes[i];
  return NULL;
}

const tocha_optimizer_class *tocha_optimizer_class_at(int index) {
  return index < tocha_optimizer_class_count ? &tocha_optimizer_classes[index] : NULL;
}
const char *tocha_optimizer_class_name(const tocha_optimizer_class *class_) {
  return class_ ? class_->name : NULL;
}
const tocha_option_declaration *tocha_optimizer_options(const tocha_optimizer_class *class_,
                                                        int *count) {
  if (!class_) return NULL;
  *count = class_->option_count;
  return class_->options;
}
const char *const *tocha_optimizer_state_names(const tocha_optimizer_class *class_) {
  return class_ ? class_->states : NULL;
}

bool tocha_optimizer_needs_state(const tocha_optimizer_class *class_, int state) {
  tocha_option options[TOCHA_MAX_OPTIONS];
  if (!class_ || state < 0 || state >= 32) return false;
  for (int i = 0; i < class_->option_count; i++) options[i] = class_->options[i].default_value;
  return class_->needs(options) >> state & 1;
}

bool tocha_optimizer_reads_states_first(const tocha_optimizer_class *class_) {
  return class_ && class_->states_first;
}

/* --- options --------------------------------------------------------------------------------- */

static bool read_number(tocha_context *cx, const tocha_tensor *t, tocha_scalar *value) {
  return !t || tocha_item(cx, t, value);
}

bool tocha_options_read(tocha_context *cx, const tocha_optimizer_class *class_,
                        tocha_option *options) {
  for (int i = 0; i < class_->option_count; i++)
    if (!read_number(cx, options[i].tensors[0], &options[i].first) ||
        !read_number(cx, options[i].tensors[1], &options[i].second))
      return false;
  return true;
}

static bool holds_tensor(const tocha_option *o) { return o->tensors[0] || o->tensors[1]; }

/* Copies options and takes references to their tensors. Returns true if there are any tensors. */
static bool take_options(const tocha_optimizer_class *class, tocha_option *to,
                         const tocha_option *from) {
  bool any = false;
  memcpy(to, from, (size_t) class->option_count * sizeof *to);
  for (int i = 0; i < class->option_count; i++) {
    for (int k = 0; k < 2; k++) tocha_retain(to[i].tensors[k]);
    any |= holds_tensor(&to[i]);
  }
  return any;
}

static void release_options(const tocha_optimizer_class *class, tocha_option *options) {
  for (int i = 0; i < class->option_count; i++)
    for (int k = 0; k < 2; k++) tocha_release(options[i].tensors[k]);
}

/* --- creation and release -------------------------------------------------------------------- */

tocha_optimizer *tocha_optimizer_new(tocha_context *cx, const tocha_optimizer_class *class_,
                                     const tocha_option *defaults) {
  if (!class_) return tocha_refuse_none(cx, "optimizer_new", "class_", "Optimizer");
  tocha_option options[TOCHA_MAX_OPTIONS];
  if (tocha_failed(cx)) return NULL;
  for (int i = 0; i < class_->option_count; i++)
    options[i] = defaults ? defaults[i] : class_->options[i].default_value;
  if (!tocha_options_read(cx, class_, options) || !class_->check(cx, options)) return NULL;
  tocha_optimizer *o = tocha_allocate_zeroed(cx, sizeof *o);
  if (!o) return NULL;
  tocha_refcount_init(&o->references);
  o->context = cx;
  o->class = class_;
  take_options(class_, o->defaults, options);
  tocha_context_retain(cx);
  return o;
}

tocha_optimizer *tocha_optimizer_retain(tocha_optimizer *optimizer) {
  if (optimizer) tocha_refcount_retain(&optimizer->references);
  return optimizer;
}

static void free_group(tocha_context *cx, const tocha_optimizer_class *class,
                       tocha_optimizer_group *g) {
  release_options(class, g->options);
  tocha_group_fields_free(cx, g);
  for (int i = 0; i < g->count; i++) {
    tocha_release(g->slots[i].parameter);
    for (int k = 0; k < TOCHA_MAX_STATES; k++) tocha_release(g->slots[i].states[k]);
  }
  tocha_deallocate(cx, g->slots, (uint64_t)g->count * sizeof *g->slots);
  tocha_deallocate(cx, g, sizeof *g);
}

void tocha_optimizer_release(tocha_optimizer *optimizer) {
  if (!optimizer || !tocha_refcount_release(&optimizer->references)) return;
  tocha_context *cx = optimizer->context;
  for (int i = 0; i < optimizer->group_count; i++)
    free_group(cx, optimizer->class, optimizer->groups[i]);
  release_options(optimizer->class, optimizer->defaults);
  tocha_deallocate(cx, optimizer->groups,
                   (size_t)optimizer->group_capacity * sizeof *optimizer->groups);
  tocha_deallocate(cx, optimizer, sizeof *optimizer);
  tocha_context_release(cx);
}

const tocha_optimizer_class *tocha_optimizer_class_of(const tocha_optimizer *optimizer) {
  if (!optimizer) return NULL;
  return optimizer->class;
}
const tocha_option *tocha_optimizer_defaults(const tocha_optimizer *optimizer) {
  return optimizer ? optimizer->defaults : NULL;
}

/* --- groups ---------------------------------------------------------------------------------- */

static bool in_group(const tocha_optimizer_group *g, const tocha_tensor *parameter) {
  for (int i = 0; i < g->count; i++)
    if (g->slots[i].parameter == parameter) return true;
  return false;
}

/* Returns true if parameters may be results of operators. */
static bool takes_results(const tocha_optimizer *optimizer) {
  const tocha_optimizer_class *class = optimizer->class;
  return class->takes_results ||
         (class->differentiable >= 0 &&
          tocha_scalar_real(optimizer->defaults[class->differentiable].first) != 0);
}

static bool check_parameters(tocha_context *cx, const tocha_optimizer *optimizer, int count,
                             tocha_tensor *const *parameters) {
  bool duplicates = false;
  for (int i = 0; i < count; i++) {
    if (!tocha_is_leaf(parameters[i]) && !tocha_retains_grad(parameters[i]) &&
        !takes_results(optimizer)) {
      tocha_fail(cx, TOCHA_VALUE_ERROR, "can't optimize a non-leaf Tensor");
      tocha_hint(cx, "a tensor computed from others has no value of its own; use t:detach()");
      return false;
    }
    for (int k = 0; k < i && !duplicates; k++) duplicates = parameters[k] == parameters[i];
    for (int g = 0; g < optimizer->group_count; g++) {
      if (!in_group(optimizer->groups[g], parameters[i])) continue;
      tocha_fail(cx, TOCHA_VALUE_ERROR, "some parameters appear in more than one parameter group");
      return false;
    }
  }
  if (duplicates)
    tocha_warn(
        cx, "optimizer contains a parameter group with duplicate parameters; in future, this will "
            "cause an error; see github.com/pytorch/pytorch/issues/40967 for more information");
  return true;
}

static bool make_room(tocha_context *cx, tocha_optimizer *o) {
  if (o->group_count < o->group_capacity) return true;
  int capacity = o->group_capacity ? 2 * o->group_capacity : 2;
  tocha_optimizer_group **groups = tocha_allocate(cx, (uint64_t)capacity * sizeof *groups);
  if (!groups) return false;
  if (o->group_count) memcpy(groups, o->groups, (size_t)o->group_count * sizeof *groups);
  tocha_deallocate(cx, o->groups, (uint64_t)o->group_capacity * sizeof *o->groups);
  o->groups = groups;
  o->group_capacity = capacity;
  return true;
}

bool tocha_optimizer_add_group(tocha_context *cx, tocha_optimizer *optimizer, int count,
                               tocha_tensor *const *parameters, const tocha_option *options) {
  if (!optimizer) return tocha_refuse_none(cx, "optimizer_add_group", "optimizer", "Optimizer");
  if (!tocha_given_tensors(cx, "add_param_group", "params", count, parameters, false)) return false;
  if (tocha_failed(cx) || !check_parameters(cx, optimizer, count, parameters) ||
      !make_room(cx, optimizer))
    return false;
  tocha_optimizer_group *g = tocha_allocate_zeroed(cx, sizeof *g);
  if (!g) return false;
  if (count && !(g->slots = tocha_allocate_zeroed(cx, (uint64_t)count * sizeof *g->slots))) {
    tocha_deallocate(cx, g, sizeof *g);
    return false;
  }
  g->count = count;
  for (int i = 0; i < count; i++) {
    g->slots[i].parameter = tocha_retain(parameters[i]);
    while (parameters[g->slots[i].owner] != parameters[i]) g->slots[i].owner++;
  }
  g->has_tensors =
      take_options(optimizer->class, g->options, options ? options : optimizer->defaults);
  optimizer->groups[optimizer->group_count++] = g;
  return true;
}

int tocha_optimizer_group_count(const tocha_optimizer *optimizer) {
  return optimizer ? optimizer->group_count : 0;
}
static bool has_group(const tocha_optimizer *optimizer, int group) {
  return optimizer && group >= 0 && group < optimizer->group_count;
}

tocha_optimizer_group *tocha_optimizer_group_at(const tocha_optimizer *optimizer, int group) {
  return has_group(optimizer, group) ? optimizer->groups[group] : NULL;
}

static tocha_optimizer_slot *slot_at(const tocha_optimizer *optimizer, int group, int index) {
  bool there = has_group(optimizer, group) && index >= 0 && index < optimizer->groups[group]->count;
  return there ? &optimizer->groups[group]->slots[index] : NULL;
}

int tocha_optimizer_parameter_count(const tocha_optimizer *optimizer, int group) {
  return has_group(optimizer, group) ? optimizer->groups[group]->count : 0;
}
tocha_tensor *tocha_optimizer_parameter(const tocha_optimizer *optimizer, int group, int index) {
  const tocha_optimizer_slot *slot = slot_at(optimizer, group, index);
  return slot ? slot->parameter : NULL;
}

tocha_option *tocha_optimizer_option(const tocha_optimizer *optimizer, int group,
                                     const char *name) {
  if (!has_group(optimizer, group) || !name) return NULL;
  for (int i = 0; i < optimizer->class->option_count; i++)
    if (strcmp(optimizer->class->options[i].name, name) == 0)
      return &optimizer->groups[group]->options[i];
  return NULL;
}

bool tocha_optimizer_set_option(tocha_context *cx, tocha_optimizer *optimizer, int group,
                                const char *name, const tocha_option *value) {
  tocha_option *option = tocha_optimizer_option(optimizer, group, name);
  if (!option || !value) return tocha_refuse_none(cx, "optimizer_set_option", "name", "str");
  tocha_option old = *option;
  *option = *value;
  for (int k = 0; k < 2; k++) {
    tocha_retain(option->tensors[k]);
    tocha_release(old.tensors[k]);
  }
  optimizer->groups[group]->has_tensors |= holds_tensor(option);
  return true;
}

double tocha_optimizer_learning_rate(const tocha_optimizer *optimizer, int group) {
  const tocha_option *lr = tocha_optimizer_option(optimizer, group, "lr");
  tocha_scalar value = lr ? lr->first : tocha_float(0);
  return lr && read_number(optimizer->context, lr->tensors[0], &value) ? tocha_scalar_real(value)
                                                                       : 0;
}
void tocha_optimizer_set_learning_rate(tocha_optimizer *optimizer, int group, double lr) {
  tocha_option *option = tocha_optimizer_option(optimizer, group, "lr");
  if (!option) return;
  option->first = tocha_float(lr);
  if (option->tensors[0]) tocha_fill_data(optimizer->context, option->tensors[0], option->first);
}

/* --- states ---------------------------------------------------------------------------------- */

tocha_tensor *tocha_optimizer_state(const tocha_optimizer *optimizer, int group, int index,
                                    int state) {
  const tocha_optimizer_slot *slot = slot_at(optimizer, group, index);
  return slot && state >= 0 && state < TOCHA_COUNT(slot->states) ? slot->states[state] : NULL;
}

bool tocha_optimizer_set_state(tocha_context *cx, tocha_optimizer *optimizer, int group, int index,
                               int state, tocha_tensor *value) {
  if (!optimizer) return tocha_refuse_none(cx, "optimizer_set_state", "optimizer", "Optimizer");
  tocha_optimizer_slot *slot = slot_at(optimizer, group, index);
  if (!slot || state < 0 || state >= TOCHA_COUNT(slot->states)) {
    tocha_fail(cx, TOCHA_INDEX_ERROR, "the optimizer has no state %d of parameter %d in group %d",
               state, index, group);
    return false;
  }
  tocha_tensor *copy = NULL;
  tocha_scope scope = tocha_scope_begin(cx);
  bool ok = true;
  if (value) {
    bool number = tocha_is_number_state(optimizer->class, state);
    tocha_dtype dtype = slot->parameter->dtype;
    if (number) dtype = value->dtype == TOCHA_FLOAT64 ? TOCHA_FLOAT64 : TOCHA_FLOAT32;
    bool on_host = number && !tocha_numbers_on_device(optimizer->class, optimizer->groups[group]);
    tocha_device device = on_host ? tocha_cpu() : slot->parameter->device;
    copy = tocha_copy_as(cx, value, dtype, device, TOCHA_CONTIGUOUS_FORMAT);
    ok = copy != NULL;
  }
  if (ok) {
    tocha_retain(copy);
    tocha_release(slot->states[state]);
    slot->states[state] = copy;
  }
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

bool tocha_optimizer_zero_grad(tocha_context *cx, tocha_optimizer *optimizer, bool set_to_none) {
  if (!optimizer) return tocha_refuse_none(cx, "optimizer_zero_grad", "optimizer", "Optimizer");
  if (tocha_failed(cx)) return false;
  for (int g = 0; g < optimizer->group_count; g++)
    for (int i = 0; i < optimizer->groups[g]->count; i++)
      if (!tocha_clear_grad(cx, optimizer->groups[g]->slots[i].parameter, set_to_none))
        return false;
  return true;
}

/* --- text ------------------------------------------------------------------------------------ */

/* Appends a number, or the tensor that contains it: its printed form, or only its number if it has
 * no dimensions and is alone. */
static void append_number(tocha_context *cx, tocha_text *text, const tocha_option *o, int which,
                          bool alone) {
  char out[32];
  const tocha_tensor *t = o->tensors[which];
  tocha_scalar value = which ? o->second : o->first;
  char *shown = t && !(alone && t->ndim == 0) ? tocha_to_string(cx, t) : NULL;
  if (!shown) read_number(cx, t, &value);
  tocha_text_string(text, shown ? shown : tocha_format_scalar(value, out));
  free(shown);
}

static void append_option(tocha_context *cx, tocha_text *text, const tocha_option_declaration *d,
                          const tocha_option *o) {
  tocha_text_format(text, "    %s: ", d->name);
  if (d->kind == TOCHA_OPTION_MAYBE && !o->given) {
    tocha_text_string(text, "None");
  } else if (d->kind == TOCHA_OPTION_PAIR) {
    tocha_text_string(text, "(");
    append_number(cx, text, o, 0, false);
    tocha_text_string(text, ", ");
    append_number(cx, text, o, 1, false);
    tocha_text_string(text, ")");
  } else {
    append_number(cx, text, o, 0, true);
  }
  tocha_text_string(text, "\n");
}

/* A line of a group's text: an option, or a field if `option` is NULL. */
typedef struct line {
  const char *name;
  const tocha_option_declaration *option;
  int index; /* among the options or the fields */
} line;

static int by_name(const void *a, const void *b) {
  return strcmp(((const line *)a)->name, ((const line *)b)->name);
}

/* Appends the options and fields of a group, sorted by their names. */
static bool append_group(tocha_context *cx, tocha_text *text, const tocha_optimizer_class *class,
                         const tocha_optimizer_group *g) {
  int count = class->option_count + g->field_count;
  char number[32];
  line *lines = tocha_allocate(cx, (uint64_t)(count + 1) * sizeof *lines);
  if (!lines) return false;
  for (int i = 0; i < count; i++) {
    int field = i - class->option_count;
    lines[i] = field < 0 ? (line){class->options[i].name, &class->options[i], i}
                         : (line){g->fields[field].name, NULL, field};
  }
  qsort(lines, (size_t)count, sizeof *lines, by_name);
  for (int i = 0; i < count; i++)
    if (lines[i].option)
      append_option(cx, text, lines[i].option, &g->options[lines[i].index]);
    else
      tocha_text_format(text, "    %s: %s\n", lines[i].name,
                        tocha_format_scalar(g->fields[lines[i].index].value, number));
  tocha_deallocate(cx, lines, (uint64_t)(count + 1) * sizeof *lines);
  return true;
}

char *tocha_optimizer_to_string(tocha_context *cx, const tocha_optimizer *optimizer) {
  if (!optimizer) return tocha_refuse_none(cx, "optimizer_to_string", "optimizer", "Optimizer");
  tocha_text text = {0};
  tocha_text_format(&text, "%s (", optimizer->class->name);
  for (int g = 0; g < optimizer->group_count; g++) {
    tocha_text_format(&text, "\nParameter Group %d\n", g);
    if (append_group(cx, &text, optimizer->class, optimizer->groups[g])) continue;
    tocha_text_free(&text);
    return NULL;
  }
  tocha_text_string(&text, ")");
  return tocha_text_finish(cx, &text);
}
