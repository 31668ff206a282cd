/* lazy.c: modules that learn the size of their input from the first one (LazyLinear, ...). Their members
 * have no sizes until then; an optimizer may hold them already, so they stay the same tensors. */
#include <string.h>

#include "nn/construct.h"
#include "nn/functions/lazy.h"
#include "tocha/nn/init.h"
#include "tocha/random.h"

static const char *const tensors[] = {"weight", "bias", "running_mean", "running_var"};
enum { FIRST_BUFFER = 2 };

static const tocha_module_class *base_of(const tocha_module *module) {
  return tocha_find_module_class(module->class->base);
}

/* Returns true if the options ask for this member; an option that the class lacks asks for nothing. */
static bool wants_member(const tocha_module *module, int i) {
  bool norm = tocha_module_option(module, "track_running_stats") != NULL;
  if (i >= FIRST_BUFFER) return norm && tocha_option_flag(module, "track_running_stats");
  bool affine = !norm || tocha_option_flag(module, "affine");
  return affine && (i == 0 || tocha_option_flag(module, "bias"));
}

bool tocha_module_init_lazy(tocha_context *cx, tocha_module *module) {
  tocha_dtype dtype = tocha_option_dtype(cx, module);
  tocha_device device = tocha_option_device(cx, module);
  bool norm = tocha_module_option(module, "track_running_stats") != NULL;
  for (int i = 0; i < (norm ? TOCHA_COUNT(tensors) : FIRST_BUFFER); i++) {
    bool parameter = i < FIRST_BUFFER;
    tocha_tensor *t = NULL;
    if (wants_member(module, i) &&
        !(t = tocha_uninitialized_new(cx, parameter, parameter, dtype, device)))
      return false;
    if (!(parameter ? tocha_register_parameter(cx, module, tensors[i], t)
                    : tocha_register_buffer(cx, module, tensors[i], t, true)))
      return false;
  }
  bool counts = norm && tocha_option_flag(module, "track_running_stats");
  return !norm || (tocha_module_add_buffer(cx, module, "num_batches_tracked", counts, TOCHA_INT64,
                                           0, NULL, NULL) &&
                   tocha_module_reset_lazy(cx, module));
}

bool tocha_module_reset_lazy(tocha_context *cx, tocha_module *module) {
  tocha_tensor *tracked = NULL; /* the only member that has a value */
  tocha_module_member(module, "num_batches_tracked", &tracked, NULL);
  return !tracked || tocha_init_zeros_(cx, tracked) != NULL;
}

/* --- the first call -------------------------------------------------------------------------- */

/* Returns the size to learn from the input, or -1 with an error set. */
static int64_t learned_size(tocha_context *cx, const tocha_module *module,
                            const tocha_tensor *input) {
  const tocha_module_class *base = base_of(module);
  int n = base->space, channel = input->ndim == n + 1 ? 0 : 1;
  char got[512];
  if (n == 0) channel = input->ndim - 1;
  bool norm = tocha_module_option(module, "track_running_stats") != NULL;
  if (norm && strncmp(base->name, "Batch", 5) == 0) channel = 1;
  bool fits = n == 0 || norm ? channel >= 0 && channel < input->ndim
                             : input->ndim == n + 1 || input->ndim == n + 2;
  if (fits) return input->sizes[channel];
  tocha_shape_text(input->ndim, input->sizes, got, sizeof got);
  if (n == 0 || norm)
    tocha_fail(cx, TOCHA_INDEX_ERROR, "tuple index out of range");
  else
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Expected %dD (unbatched) or %dD (batched) input to %s, but got input of size: "
               "torch.Size(%s)",
               n + 1, n + 2, tocha_module_name(module), got);
  return -1;
}

/* Returns a new module of the base class with the module's options and the learned size. */
static tocha_module *new_base(tocha_context *cx, const tocha_module *module, int64_t size) {
  const tocha_module_class *base = base_of(module);
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  tocha_tensor *like = NULL;
  for (int i = 0; !like && i < TOCHA_COUNT(tensors); i++)
    tocha_module_member(module, tensors[i], &like, NULL);
  for (int i = 0; i < base->parameter_count; i++) {
    const tocha_parameter *p = &base->parameters[i];
    const tocha_arg *own = tocha_module_option(module, p->name);
    args[i] = own ? *own : (tocha_arg){.value.integer = size, .given = true};
    if (!like) continue;
    if (p->kind == TOCHA_KIND_DTYPE)
      args[i] = (tocha_arg){.value.dtype = (tocha_dtype)like->dtype, .given = true};
    if (p->kind == TOCHA_KIND_DEVICE)
      args[i] = (tocha_arg){.value.device = like->device, .given = true};
  }
  return tocha_module_construct(cx, base, args);
}

/* Gives the members without sizes the values that the constructor of the base drew. */
static bool fill_members(tocha_context *cx, const tocha_module *module, const tocha_module *drawn) {
  for (int i = 0; i < TOCHA_COUNT(tensors); i++) {
    tocha_tensor *to = NULL, *from = NULL;
    tocha_module_member(module, tensors[i], &to, NULL);
    if (!to || !tocha_is_uninitialized(to)) continue;
    tocha_module_member(drawn, tensors[i], &from, NULL);
    if (!from || !tocha_materialize(cx, to, from)) return false;
  }
  return true;
}

/* Returns true if a state dict has filled a member: then no numbers are drawn. */
static bool is_loaded(const tocha_module *module) {
  bool loaded = false;
  for (int i = 0; i < TOCHA_COUNT(tensors); i++) {
    tocha_tensor *t = NULL;
    tocha_module_member(module, tensors[i], &t, NULL);
    loaded = loaded || (t && !tocha_is_uninitialized(t));
  }
  return loaded;
}

/* Exchanges class and options of two modules. */
static void exchange(tocha_module *a, tocha_module *b) {
  const tocha_module_class *class = a->class;
  tocha_arg *options = a->options;
  a->class = b->class;
  a->options = b->options;
  a->op = NULL;
  a->generation++;
  b->class = class;
  b->options = options;
  b->op = NULL;
}

/* Makes the module one of its base class, for inputs like this one. */
static bool become_base(tocha_context *cx, tocha_module *module, const tocha_tensor *input) {
  int64_t size = learned_size(cx, module, input);
  if (size < 0) return false;
  tocha_generator *before =
      is_loaded(module) ? tocha_generator_copy(cx, tocha_default_generator(cx)) : NULL;
  tocha_module *drawn = new_base(cx, module, size);
  bool ok = drawn && fill_members(cx, module, drawn);
  if (before) {
    size_t bytes = tocha_generator_saved_size(before);
    void *state = tocha_allocate(cx, bytes);
    if (state) tocha_generator_save(before, state);
    ok = state && tocha_generator_restore(cx, tocha_default_generator(cx), state, bytes) && ok;
    tocha_deallocate(cx, state, bytes);
    tocha_generator_free(cx, before);
  }
  if (ok) exchange(module, drawn);
  tocha_module_release(drawn);
  return ok;
}

tocha_tensor *tocha_module_forward_lazy(tocha_context *cx, tocha_module *module, int count,
                                        tocha_tensor *const *inputs) {
  if (!become_base(cx, module, inputs[0])) return NULL;
  return tocha_module_forward_builtin(cx, module, count, inputs);
}
