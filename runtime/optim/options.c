/* options.c: the option structs of optimizers and schedulers. */
#include "optim/options.h"

#include <string.h>

void tocha_optim_options_init(void *options, size_t size, const void *defaults, size_t full) {
  if (!options || size < sizeof size) return;
  memset(options, 0, size);
  memcpy(options, defaults, size < full ? size : full);
  memcpy(options, &size, sizeof size);
}

bool tocha_optim_options_read(tocha_context *cx, const char *class_name, const void *given,
                              void *options, size_t size, size_t required, const char *first) {
  size_t known = 0;
  if (tocha_failed(cx)) return false;
  if (!given && !required) return true;
  if (given) memcpy(&known, given, sizeof known);
  if (known >= sizeof known && known >= required) {
    memcpy(options, given, known < size ? known : size);
    return true;
  }
  if (given && !first)
    tocha_fail(cx, TOCHA_TYPE_ERROR, "%s.__init__() got no options", class_name);
  else
    tocha_fail(cx, TOCHA_TYPE_ERROR, "%s.__init__() missing required argument: '%s'", class_name,
               first);
  tocha_hint(cx,
             "the option struct has a struct_size of %zu; its function ..._defaults sets the size",
             known);
  return false;
}

tocha_option tocha_optim_number(const tocha_option_declaration *declaration, double value) {
  tocha_option option = declaration->default_value;
  if (value != tocha_scalar_real(option.first)) option.first = tocha_float(value);
  return option;
}

tocha_option tocha_optim_pair(const tocha_option_declaration *declaration, const double value[2]) {
  tocha_option option = declaration->default_value;
  option.first = tocha_float(value[0]);
  option.second = tocha_float(value[1]);
  return option;
}

tocha_option tocha_optim_flag(const tocha_option_declaration *declaration, bool value) {
  tocha_option option = declaration->default_value;
  option.first = tocha_boolean(value);
  return option;
}

tocha_optimizer *tocha_optim_create(tocha_context *cx, const tocha_optimizer_class *class_,
                                    int count, tocha_tensor *const *parameters,
                                    const tocha_option *options) {
  tocha_optimizer *o = tocha_optimizer_new(cx, class_, options);
  if (!o) return NULL;
  if (count == 0)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "optimizer got an empty parameter list");
  else if (tocha_optimizer_add_group(cx, o, count, parameters, NULL))
    return o;
  tocha_optimizer_release(o);
  return NULL;
}
