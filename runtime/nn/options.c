#include "nn/options.h"

#include <stddef.h>
#include <string.h>

#include "dispatch/call.h"
#include "nn/initializer.h"

/* Returns true if the field is a pointer to a number, NULL if it is omitted. */
static bool is_pointer(const tocha_parameter *p) {
  return p->optional && (p->kind == TOCHA_KIND_INT || p->kind == TOCHA_KIND_FLOAT ||
                         p->kind == TOCHA_KIND_SCALAR || p->kind == TOCHA_KIND_BOOL);
}

static size_t size_of(const tocha_parameter *p) {
  if (is_pointer(p)) return sizeof(void *);
  switch (p->kind) {
  case TOCHA_KIND_INTS:
    return sizeof(tocha_ints);
  case TOCHA_KIND_FLOATS:
    return sizeof(tocha_floats);
  case TOCHA_KIND_INT:
    return sizeof(int64_t);
  case TOCHA_KIND_FLOAT:
    return sizeof(double);
  case TOCHA_KIND_BOOL:
    return sizeof(bool);
  case TOCHA_KIND_SCALAR:
    return sizeof(tocha_scalar);
  case TOCHA_KIND_DTYPE:
    return sizeof(tocha_dtype);
  case TOCHA_KIND_DEVICE:
    return sizeof(tocha_device);
  default:
    return sizeof(void *); /* a tensor, a module, a text */
  }
}

/* Writes the value of an argument, or zero if it is not given, to the field. */
static void write_field(const tocha_parameter *p, const tocha_arg *value, void *field) {
  size_t size = size_of(p);
  memset(field, 0, size);
  if (!value->given) {
    const tocha_dtype no_dtype = TOCHA_NO_DTYPE;
    const tocha_device no_device = tocha_no_device();
    if (p->kind == TOCHA_KIND_DTYPE) memcpy(field, &no_dtype, size);
    if (p->kind == TOCHA_KIND_DEVICE) memcpy(field, &no_device, size);
    return;
  }
  if (p->kind == TOCHA_KIND_INTS || p->kind == TOCHA_KIND_FLOATS) { /* elements of the same size */
    memcpy(field, &value->count, sizeof(int));
    if (value->count)
      memcpy((char *)field + offsetof(tocha_ints, items), value->value.ints,
             (size_t)value->count * sizeof(int64_t));
  } else if (is_pointer(p)) {
    const void *number = &value->value;
    memcpy(field, &number, size);
  } else {
    memcpy(field, &value->value, size);
  }
}

void tocha_options_init(const tocha_module_class *class, const uint16_t *offsets, void *options,
                        size_t size) {
  static const tocha_arg omitted = {0};
  if (!options || size < sizeof size) return;
  memset(options, 0, size);
  memcpy(options, &size, sizeof size);
  for (int i = 0; i < class->parameter_count; i++) {
    const tocha_parameter *p = &class->parameters[i];
    if (offsets[i] + size_of(p) <= size)
      write_field(p, p->has_default ? &p->default_value : &omitted, (char *)options + offsets[i]);
  }
}

/* Reads a list of `count` numbers at `items`. Fails if the list cannot have that many. */
static bool read_list(tocha_context *cx, const tocha_parameter *p, int count, tocha_arg *arg) {
  if (count < 0 || count > TOCHA_MAX_OPTION_LENGTH)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "option '%s' has %d numbers, but a list has 0 to %d",
                      p->name, count, TOCHA_MAX_OPTION_LENGTH);
  arg->count = count;
  arg->given = count > 0 || !p->optional;
  return true;
}

/* Reads a field into an argument. */
static bool read_field(tocha_context *cx, const tocha_parameter *p, const void *field,
                       tocha_arg *arg) {
  arg->given = true;
  if (is_pointer(p)) {
    const void *number;
    memcpy(&number, field, sizeof number);
    arg->given = number != NULL;
    if (number)
      memcpy(&arg->value, number,
             p->kind == TOCHA_KIND_SCALAR ? sizeof(tocha_scalar)
             : p->kind == TOCHA_KIND_BOOL ? sizeof(bool)
                                          : sizeof(int64_t));
    return true;
  }
  switch (p->kind) {
  case TOCHA_KIND_INTS:
    arg->value.ints = ((const tocha_ints *)field)->items;
    return read_list(cx, p, ((const tocha_ints *)field)->count, arg);
  case TOCHA_KIND_FLOATS:
    arg->value.reals = ((const tocha_floats *)field)->items;
    return read_list(cx, p, ((const tocha_floats *)field)->count, arg);
  case TOCHA_KIND_TENSOR:
    memcpy(&arg->tensor, field, sizeof arg->tensor);
    arg->given = arg->tensor || !p->optional;
    return true;
  default:
    memcpy(&arg->value, field, size_of(p));
  }
  if (p->kind == TOCHA_KIND_DTYPE) arg->given = arg->value.dtype != TOCHA_NO_DTYPE;
  if (p->kind == TOCHA_KIND_DEVICE) arg->given = arg->value.device.type != TOCHA_NO_DEVICE;
  if (p->kind == TOCHA_KIND_STRING) arg->given = arg->value.string || !p->optional;
  if (p->kind == TOCHA_KIND_MODULE) arg->given = arg->value.module || !p->optional;
  return true;
}

tocha_module *tocha_construct_with(tocha_context *cx, const tocha_module_class *class,
                                   const uint16_t *offsets, const void *options) {
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  size_t size = 0;
  if (tocha_failed(cx)) return NULL;
  if (!options) return tocha_refuse_none(cx, class->name, "options", "Options");
  memcpy(&size, options, sizeof size);
  for (int i = 0; i < class->parameter_count; i++) {
    const tocha_parameter *p = &class->parameters[i];
    args[i] = p->default_value;
    if (offsets[i] + size_of(p) <= size) {
      args[i] = (tocha_arg){0};
      if (!read_field(cx, p, (const char *)options + offsets[i], &args[i])) return NULL;
    } else if (!p->has_default && !p->optional) {
      tocha_fail(cx, TOCHA_TYPE_ERROR, "%s.__init__() missing required argument: '%s'", class->name,
                 p->name);
      return tocha_hint(cx,
                        "the option struct has a struct_size of %zu; its function "
                        "..._defaults sets the size",
                        size);
    }
  }
  return tocha_module_construct(cx, class, args);
}
