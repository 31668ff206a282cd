/* module_print.c: modules as text, as in PyTorch's repr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn/module.h"

/* --- options --------------------------------------------------------------------------------- */

static void append_element(tocha_text *text, const tocha_parameter *p, const tocha_arg *value,
                           int i) {
  char out[32];
  int64_t n = value->value.ints[i];
  if (p->kind == TOCHA_KIND_FLOATS)
    tocha_text_string(text, tocha_format_float(value->value.reals[i], out));
  else if (n == TOCHA_ABSENT || n == TOCHA_PADDING_SAME || n == TOCHA_PADDING_VALID)
    tocha_text_string(text, n == TOCHA_ABSENT         ? "None"
                            : n == TOCHA_PADDING_SAME ? "same"
                                                      : "valid");
  else
    tocha_text_format(text, "%lld", (long long)n);
}

/* Appends a list, or the number or word that was given instead of it. */
static void append_list_option(tocha_text *text, const tocha_module_class *class,
                               const tocha_parameter *p, const tocha_arg *value) {
  bool word = p->words && value->count == 1 && value->value.ints[0] < TOCHA_PADDING_VALID + 1;
  if (word || tocha_option_is_number(class, p, value)) {
    append_element(text, p, value, 0);
    return;
  }
  tocha_text_string(text, "(");
  for (int i = 0; i < value->count; i++) {
    tocha_text_string(text, i ? ", " : "");
    append_element(text, p, value, i);
  }
  tocha_text_string(text, value->count == 1 ? ",)" : ")");
}

/* Appends an option as Python's repr shows it. */
static void append_option(tocha_text *text, const tocha_module_class *class,
                          const tocha_parameter *parameter, const tocha_arg *value) {
  char out[32];
  if (parameter->optional && !value->given && !value->tensor) {
    tocha_text_string(text, "None");
    return;
  }
  switch ((tocha_kind)parameter->kind) {
  case TOCHA_KIND_SCALAR:
  case TOCHA_KIND_OPERAND:
    tocha_text_string(text, tocha_format_scalar(value->value.scalar, out));
    break;
  case TOCHA_KIND_FLOAT:
    tocha_text_string(text, tocha_format_float(value->value.real, out));
    break;
  case TOCHA_KIND_BOOL:
    tocha_text_string(text, value->value.flag ? "True" : "False");
    break;
  case TOCHA_KIND_STRING:
    tocha_text_format(text, "'%s'", value->value.string ? value->value.string : "");
    break;
  case TOCHA_KIND_INTS:
  case TOCHA_KIND_DIMS:
  case TOCHA_KIND_SIZE:
  case TOCHA_KIND_FLOATS:
    append_list_option(text, class, parameter, value);
    break;
  case TOCHA_KIND_DTYPE:
    tocha_text_format(text, "torch.%s", tocha_dtype_name(value->value.dtype));
    break;
  default:
    tocha_text_format(text, "%lld", (long long)value->value.integer);
  }
}

/* --- between the parentheses ----------------------------------------------------------------- */

/* Appends the value of a {name}. A member of that name counts as a flag, such as Linear's bias. */
static void append_value(const tocha_module *module, tocha_text *text, const char *name) {
  tocha_tensor *tensor = NULL;
  const tocha_arg *option = tocha_module_option(module, name);
  if (tocha_module_member(module, name, &tensor, NULL) != TOCHA_NO_MEMBER)
    tocha_text_string(text, tensor ? "True" : "False");
  else if (option)
    append_option(text, module->class, &module->class->parameters[option - module->options],
                  option);
}

/* Returns true if the text of a value is `usual`, or a list of only that: "(0, 0)" for 0. */
static bool is_usual(const char *value, const char *usual) {
  size_t length = strlen(usual);
  bool list = *value == '(';
  for (value += list; *value && *value != ')'; value += strspn(value, ", ")) {
    if (strncmp(value, usual, length) != 0 || !strchr(list ? ",)" : "", value[length]))
      return false;
    value += length;
  }
  return true;
}

/* Expands {name!usual} to ", name=value", unless the value is the usual one. Texts have no quotes,
 * as in str(). */
static void append_unusual(const tocha_module *module, tocha_text *text, char *name) {
  char *usual = strchr(name, '!');
  tocha_text value = {0};
  *usual++ = '\0';
  append_value(module, &value, name);
  char *shown = tocha_text_finish(module->context, &value);
  if (!shown) return;
  size_t length = strlen(shown), quoted = shown[0] == '\'' ? 1 : 0;
  shown[length - quoted] = '\0';
  if (!is_usual(shown + quoted, usual))
    tocha_text_format(text, "%s%s=%s", text->length ? ", " : "", name, shown + quoted);
  free(shown);
}

/* Expands one {name} of a pattern. */
static void append_field(const tocha_module *module, tocha_text *text, char *name, bool when_true) {
  const tocha_arg *option = when_true ? tocha_module_option(module, name) : NULL;
  if (option && option->value.flag)
    tocha_text_format(text, "%s%s=True", text->length ? ", " : "", name);
  if (!when_true && strchr(name, '!'))
    append_unusual(module, text, name);
  else if (!when_true)
    append_value(module, text, name);
}

void tocha_text_template(tocha_text *text, const tocha_module *module, const char *pattern) {
  while (*pattern) {
    const char *open = strchr(pattern, '{'), *close = open ? strchr(open, '}') : NULL;
    if (!close) {
      tocha_text_string(text, pattern);
      return;
    }
    char name[64];
    bool when_true = close[-1] == '?';
    size_t length = (size_t)(close - open) - 1 - when_true;
    tocha_text_append(text, pattern, (size_t)(open - pattern));
    if (length < sizeof name) {
      memcpy(name, open + 1, length);
      name[length] = '\0';
      append_field(module, text, name, when_true);
    }
    pattern = close + 1;
  }
}

/* Appends the tensors of a ParameterList or ParameterDict, one on each line. */
static void append_parameters(const tocha_module *module, tocha_text *text) {
  char type[48], device[24];
  for (int i = 0; i < module->parameters.count; i++) {
    const tocha_member *m = &module->parameters.items[i];
    const tocha_tensor *t = m->value;
    if (!t) continue;
    tocha_text_format(text, "%s  (%s): Parameter containing: [", text->length ? "\n" : "", m->name);
    if (module->class->container == TOCHA_CONTAINER_PARAMETER_LIST)
      tocha_text_format(text, "torch.%s", tocha_dtype_name(t->dtype));
    else
      tocha_text_string(text, tocha_old_type_name(t, type));
    tocha_text_string(text, " of size ");
    for (int k = 0; k < t->ndim; k++)
      tocha_text_format(text, "%s%lld", k ? "x" : "", (long long)t->sizes[k]);
    if (t->device.type == TOCHA_CUDA)
      tocha_text_format(text, " (%s)", tocha_device_text(t->device, device));
    tocha_text_string(text, "]");
  }
}

char *tocha_module_extra_repr(tocha_context *cx, tocha_module *module) {
  if (!module) return tocha_refuse_none(cx, "module_extra_repr", "module", "Module");
  if (module->host_object.extra_repr) {
    char *own = module->host_object.extra_repr(cx, module->host_object.data, module);
    if (own || tocha_failed(cx)) return own;
  }
  tocha_text text = {0};
  if (module->class->container == TOCHA_CONTAINER_PARAMETER_LIST ||
      module->class->container == TOCHA_CONTAINER_PARAMETER_DICT)
    append_parameters(module, &text);
  else
    tocha_text_template(&text, module, module->class->repr);
  return tocha_text_finish(cx, &text);
}

/* --- the tree -------------------------------------------------------------------------------- */

static char *module_text(tocha_context *cx, tocha_module *module);

/* Appends a new line "(name): text", with the text's further lines indented. */
static void append_child(tocha_text *out, const char *label, const char *times, const char *text) {
  tocha_text_format(out, "\n  (%s): %s", label, times);
  tocha_text_indented(out, text, 2);
}

/* Appends the lines of text, each indented by two spaces. */
static void append_lines(tocha_text *out, const char *text) {
  while (true) {
    size_t length = strcspn(text, "\n");
    tocha_text_string(out, "\n  ");
    tocha_text_append(out, text, length);
    if (!text[length]) return;
    text += length + 1;
  }
}

static bool append_children(tocha_context *cx, const tocha_module *module, tocha_text *out) {
  for (int i = 0; i < module->children.count; i++) {
    const tocha_member *c = &module->children.items[i];
    char *text = c->value ? module_text(cx, c->value) : NULL;
    if (c->value && !text) return false;
    append_child(out, c->name, "", text ? text : "None");
    free(text);
  }
  return true;
}

/* Returns the text of a list's member. The caller frees it. Returns NULL on failure. */
static char *member_text(tocha_context *cx, tocha_module *member) {
  if (member) return module_text(cx, member);
  tocha_text out = {0};
  tocha_text_string(&out, "None");
  return tocha_text_finish(cx, &out);
}

/* Appends the members of a ModuleList. Equal neighbours are shown once: "(0-2): 3 x
 * Linear(...)". */
static bool append_list(tocha_context *cx, const tocha_module *module, tocha_text *out) {
  const tocha_members *c = &module->children;
  char *text = c->count ? member_text(cx, c->items[0].value) : NULL;
  for (int first = 0; first < c->count;) {
    char label[32], times[16] = "", *next = NULL;
    int last = first;
    if (!text) return false;
    while (last + 1 < c->count) {
      next = member_text(cx, c->items[last + 1].value);
      if (!next || strcmp(next, text) != 0) break;
      free(next);
      next = NULL;
      last++;
    }
    snprintf(label, sizeof label, "%d", first);
    if (last > first) {
      snprintf(label, sizeof label, "%d-%d", first, last);
      snprintf(times, sizeof times, "%d x ", last - first + 1);
    }
    append_child(out, label, times, text);
    free(text);
    text = next;
    first = last + 1;
  }
  return true;
}

static char *module_text(tocha_context *cx, tocha_module *module) {
  tocha_text out = {0};
  if (tocha_interrupted(cx)) return NULL;
  if (module->host_object.repr) {
    char *own = module->host_object.repr(cx, module->host_object.data, module);
    if (own || tocha_failed(cx)) return own;
  }
  tocha_text_format(&out, "%s(", tocha_module_name(module));
  if (module->class->container == TOCHA_CONTAINER_LIST) {
    if (!append_list(cx, module, &out)) goto failed;
    tocha_text_string(&out, module->children.count ? "\n)" : ")");
    return tocha_text_finish(cx, &out);
  }
  char *extra = tocha_module_extra_repr(cx, module);
  if (!extra) goto failed;
  bool one_line = module->children.count == 0 && !strchr(extra, '\n');
  if (one_line)
    tocha_text_string(&out, extra);
  else if (extra[0])
    append_lines(&out, extra);
  free(extra);
  if (!append_children(cx, module, &out)) goto failed;
  tocha_text_string(&out, one_line ? ")" : "\n)");
  return tocha_text_finish(cx, &out);
failed:
  tocha_text_free(&out);
  return NULL;
}

char *tocha_module_to_string(tocha_context *cx, tocha_module *module) {
  if (!module) return tocha_refuse_none(cx, "module_to_string", "module", "Module");
  return tocha_failed(cx) ? NULL : module_text(cx, module);
}
