/* call.c: the arguments of classes with a call signature: from tensors alone, to tensors alone, and
 * complete, as the functions tocha_nn_NAME_forward have them. */
#include "nn/call.h"

#include "dispatch/required_arguments.h"

static bool is_tensors(const tocha_parameter *p) {
  return p->kind == TOCHA_KIND_TENSOR || p->kind == TOCHA_KIND_TENSORS;
}

static bool refuse_count(tocha_context *cx, const tocha_module_class *class, int taken, int count) {
  tocha_fail(cx, TOCHA_TYPE_ERROR, "%s.forward() takes %d positional arguments but %d were given",
             class->name, taken + 1, count + 1);
  return false;
}

bool tocha_arguments_of_inputs(tocha_context *cx, const tocha_module_class *class, int count,
                               tocha_tensor *const *inputs, tocha_arg *args) {
  int at = 0;
  if (!inputs || count < 0) count = 0;
  for (int i = 0; i < class->call->parameter_count; i++) {
    const tocha_parameter *p = &class->call->parameters[i];
    args[i] = p->default_value;
    if (!is_tensors(p) || at >= count) continue;
    if (p->kind == TOCHA_KIND_TENSORS) {
      args[i] = (tocha_arg){.value.tensors = inputs + at, .count = count - at, .given = true};
      at = count;
    } else {
      args[i] = (tocha_arg){.tensor = inputs[at], .given = inputs[at] != NULL};
      at++;
    }
  }
  return at == count || refuse_count(cx, class, at, count);
}

int tocha_inputs_of_arguments(tocha_context *cx, const tocha_module_class *class,
                              const tocha_arg *args, tocha_tensor **inputs) {
  int count = 0, given = 0;
  for (int i = 0; i < class->call->parameter_count; i++) {
    const tocha_parameter *p = &class->call->parameters[i];
    if (!is_tensors(p)) continue;
    int several = p->kind == TOCHA_KIND_TENSORS ? args[i].count : 1;
    if (count + several > TOCHA_MAX_PARAMETERS) {
      refuse_count(cx, class, TOCHA_MAX_PARAMETERS, count + several);
      return -1;
    }
    for (int k = 0; k < several; k++) {
      inputs[count] = p->kind == TOCHA_KIND_TENSORS ? args[i].value.tensors[k] : args[i].tensor;
      if (inputs[count++]) given = count;
    }
  }
  return given;
}

/* Fails because a call has no argument `name`. */
static bool refuse_missing(tocha_context *cx, const tocha_module_class *class, int number) {
  const tocha_parameter *p = &class->call->parameters[number];
  tocha_fail(cx, TOCHA_TYPE_ERROR,
             "%s.forward(): argument '%s' (position %d) must be %s, not NoneType", class->name,
             p->name, number + 1, p->python);
  return false;
}

bool tocha_check_call(tocha_context *cx, const tocha_module_class *class, const tocha_arg *args) {
  for (int i = 0; i < class->call->parameter_count; i++) {
    const tocha_parameter *p = &class->call->parameters[i];
    if (p->kind == TOCHA_KIND_TENSORS) {
      if (!tocha_given_tensors(cx, class->name, p->name, args[i].count, args[i].value.tensors,
                               p->holes))
        return false;
    } else if (p->kind == TOCHA_KIND_TENSOR && !p->optional && !args[i].tensor) {
      return refuse_missing(cx, class, i);
    }
  }
  return true;
}

bool tocha_module_call_class(tocha_context *cx, const tocha_module_class *class,
                             tocha_module *module, const tocha_arg *args, tocha_results *results) {
  if (!module) return tocha_refuse_none(cx, class->name, "module", class->name);
  if (!tocha_module_is(module, class)) {
    tocha_fail(cx, TOCHA_TYPE_ERROR, "%s.forward(): argument 'module' must be %s, not %s",
               class->name, class->name, tocha_module_name(module));
    return false;
  }
  return tocha_module_call_arguments(cx, module, args, false, results);
}
