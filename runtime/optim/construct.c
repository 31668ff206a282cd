/* construct.c: what the constructors of optimizers and schedulers share, which the build writes: their option structs, and
 * an optimizer of one group. */
#include <string.h>

#include "optim/optimizer.h"

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

tocha_scalar tocha_option_number(tocha_scalar standard, double value) {
  return tocha_scalar_real(standard) == value ? standard : tocha_float(value);
}

void tocha_option_defaults(const tocha_optimizer_class *class_, tocha_option *options) {
  for (int i = 0; i < class_->option_count; i++) options[i] = class_->options[i].default_value;
}

tocha_optimizer *tocha_optimizer_construct(tocha_context *cx, const tocha_optimizer_class *class_,
                                           const tocha_option *options, int count,
                                           tocha_tensor *const *parameters) {
  tocha_optimizer *o = tocha_optimizer_new(cx, class_, options);
  if (!o) return NULL;
  if (count == 0)
    tocha_fail(cx, TOCHA_VALUE_ERROR, "optimizer got an empty parameter list");
  else if (tocha_optimizer_add_group(cx, o, count, parameters, NULL))
    return o;
  tocha_optimizer_release(o);
  return NULL;
}
