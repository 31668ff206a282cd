/* construct.c: the steps of constructors: they check options and create members. */
#include "nn/construct.h"

#include <stdlib.h>
#include <string.h>

bool tocha_module_check(tocha_context *cx, const tocha_module *module, bool condition,
                        tocha_error_code code, const char *message) {
  if (condition) return true;
  tocha_text text = {0};
  tocha_text_template(&text, module, message);
  char *formatted = tocha_text_finish(cx, &text);
  if (formatted) tocha_fail(cx, code, "%s", formatted);
  free(formatted);
  return false;
}

/* --- members --------------------------------------------------------------------------------- */

/* Returns an uninitialized tensor on the module's device. Its sizes are `sizes`, followed by those
 * of the option `more`. */
static tocha_tensor *new_tensor(tocha_context *cx, const tocha_module *module, tocha_dtype dtype,
                                int count, const int64_t *sizes, const tocha_arg *more) {
  int64_t all[TOCHA_MAX_DIMS];
  int more_count = more ? more->count : 0;
  if (count + more_count > TOCHA_MAX_DIMS)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "a tensor has at most %d dimensions",
                      TOCHA_MAX_DIMS);
  if (count) memcpy(all, sizes, (size_t)count * sizeof *all);
  if (more_count) memcpy(all + count, more->value.ints, (size_t)more_count * sizeof *all);
  return tocha_new(cx, count + more_count, all, dtype, tocha_option_device(cx, module));
}

bool tocha_module_add_parameter(tocha_context *cx, tocha_module *module, const char *name,
                                bool present, int count, const int64_t *sizes,
                                const tocha_arg *more) {
  if (!present) return tocha_register_parameter(cx, module, name, NULL);
  tocha_tensor *t = new_tensor(cx, module, tocha_option_dtype(cx, module), count, sizes, more);
  if (!t) return false;
  t->flags |= TOCHA_FLAG_PARAMETER;
  return tocha_set_requires_grad(cx, t, true) && tocha_register_parameter(cx, module, name, t);
}

bool tocha_module_add_buffer(tocha_context *cx, tocha_module *module, const char *name,
                             bool present, tocha_dtype dtype, int count, const int64_t *sizes,
                             const tocha_arg *more) {
  if (!present) return tocha_register_buffer(cx, module, name, NULL, true);
  if (dtype == TOCHA_NO_DTYPE) dtype = tocha_option_dtype(cx, module);
  tocha_tensor *t = new_tensor(cx, module, dtype, count, sizes, more);
  return t && tocha_register_buffer(cx, module, name, t, true);
}

bool tocha_module_adopt_buffer(tocha_context *cx, tocha_module *module, const char *name) {
  const tocha_arg *option = tocha_module_option(module, name);
  if (!tocha_register_buffer(cx, module, name, option->tensor, true)) return false;
  tocha_module_drop_option(cx, module, name);
  return true;
}

void tocha_module_drop_option(tocha_context *cx, tocha_module *module, const char *name) {
  const tocha_arg none = {.given = false};
  tocha_module_set_option(cx, module, (int)(tocha_module_option(module, name) - module->options),
                          &none);
}

tocha_tensor *tocha_module_computed(tocha_context *cx, const tocha_module *module,
                                    const char *name) {
  const tocha_host_object *host = &module->host_object;
  return host->attribute ? host->attribute(cx, host->data, (tocha_module *)module, name) : NULL;
}

bool tocha_module_find_tensor(tocha_context *cx, const tocha_module *module, const char *name,
                              tocha_tensor **tensor) {
  tocha_member_kind kind = tocha_module_member(module, name, tensor, NULL);
  if (kind == TOCHA_MEMBER_PARAMETER || kind == TOCHA_MEMBER_BUFFER) return true;
  if ((*tensor = tocha_module_computed(cx, module, name))) return true;
  if (tocha_failed(cx)) return false;
  tocha_fail(cx, TOCHA_ATTRIBUTE_ERROR, "'%s' object has no attribute '%s'",
             tocha_module_name(module), name);
  tocha_hint(cx, "was the constructor of %s called? That of a class that extends it has to do so",
             module->class->name);
  return false;
}

/* --- numbers --------------------------------------------------------------------------------- */

int64_t tocha_size_along(tocha_context *cx, const tocha_tensor *tensor, int64_t dim) {
  if (!tensor) {
    tocha_fail(cx, TOCHA_ATTRIBUTE_ERROR, "'NoneType' object has no attribute 'size'");
    return 0;
  }
  return tocha_wrap_dim(cx, &dim, tensor->ndim) && tensor->ndim ? tensor->sizes[dim] : 0;
}

int64_t tocha_floor_quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return tocha_wrapping_product(a, -1);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

int64_t tocha_modulo(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  int64_t r = a % b;
  return r && (r < 0) != (b < 0) ? r + b : r;
}
