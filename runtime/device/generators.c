/* generators.c: random generators by device: the default ones of GPUs, the choice of the
 * generator that a call draws from, and those that programs create. */
#include "core/process.h"
#include "device/devices.h"
#include "tocha/device.h"
#include "tocha/random.h"

tocha_generator *tocha_device_generator(tocha_context *cx, int index) {
  if (!tocha_device_available(cx, tocha_cuda_device(index))) return NULL;
  tocha_devices *d = cx->devices;
  if (!d->generators) {
    d->generators = tocha_allocate(cx, (uint64_t)d->count * sizeof *d->generators);
    if (!d->generators) return NULL;
    for (int i = 0; i < d->count; i++)
      tocha_philox_seed(&d->generators[i], i,
                        cx->device_seeded ? cx->device_seed : tocha_first_seed(cx));
  }
  return &d->generators[index < 0 ? d->current : index];
}

void tocha_seed_devices(tocha_context *cx, uint64_t seed) {
  if (!cx) return;
  cx->device_seeded = true;
  cx->device_seed = seed;
  if (!cx->devices || !cx->devices->generators) return;
  for (int i = 0; i < cx->devices->count; i++)
    tocha_philox_seed(&cx->devices->generators[i], i, seed);
}

tocha_generator *tocha_generator_for(tocha_context *cx, tocha_device device,
                                     tocha_generator *generator) {
  bool is_cuda = device.type == TOCHA_CUDA;
  if (generator && generator->philox == is_cuda) return generator;
  if (generator)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Expected a '%s' device type for generator but found '%s'",
                      is_cuda ? "cuda" : "cpu", is_cuda ? "cpu" : "cuda");
  return is_cuda ? tocha_device_generator(cx, device.index) : &cx->generator;
}

void tocha_manual_seed(tocha_context *cx, uint64_t seed) {
  if (!cx) return;
  tocha_generator_seed(&cx->generator, seed);
  tocha_seed_devices(cx, seed);
}

/* --- generators of a program's own --------------------------------------------------------------- */

tocha_generator *tocha_generator_new(tocha_context *cx, tocha_device device) {
  char text[24];
  if (!cx || !tocha_device_available(cx, device)) return NULL;
  if (device.type != TOCHA_CPU && device.type != TOCHA_CUDA)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR,
                      "Device type %s is not supported for torch.Generator() api.",
                      tocha_device_text(device, text));
  tocha_generator *g = tocha_allocate_zeroed(cx, sizeof *g);
  if (!g) return NULL;
  if (device.type == TOCHA_CPU)
    tocha_generator_seed(g, TOCHA_DEFAULT_SEED);
  else
    tocha_philox_seed(g, tocha_concrete_device(cx, device).index, TOCHA_DEFAULT_SEED);
  return g;
}

tocha_generator *tocha_generator_copy(tocha_context *cx, const tocha_generator *source) {
  if (!source) return tocha_refuse_none(cx, "generator_copy", "source", "Generator");
  tocha_generator *g = tocha_allocate(cx, sizeof *g);
  if (g) *g = *source;
  return g;
}

void tocha_generator_free(tocha_context *cx, tocha_generator *generator) {
  if (!generator || generator == &cx->generator) return; /* the context's own is not allocated */
  if (generator->philox && cx->devices && cx->devices->backend)
    cx->devices->backend->forget_generator(cx->devices->state, generator);
  tocha_deallocate(cx, generator, sizeof *generator);
}

tocha_device tocha_generator_device(const tocha_generator *generator) {
  if (!generator) return tocha_no_device();
  tocha_device device = {TOCHA_CUDA, generator->device};
  return generator->philox ? device : tocha_cpu();
}

size_t tocha_generator_saved_size(const tocha_generator *generator) {
  if (!generator) return 0;
  return generator->philox ? TOCHA_PHILOX_STATE : tocha_generator_state_size();
}

void tocha_generator_save(const tocha_generator *generator, void *state) {
  if (!generator || !state) return;
  if (generator->philox)
    tocha_philox_get_state(generator, state);
  else
    tocha_generator_get_state(generator, state);
}

bool tocha_generator_restore(tocha_context *cx, tocha_generator *generator, const void *state,
                             size_t size) {
  if (!generator) return tocha_refuse_none(cx, "generator_restore", "generator", "Generator");
  bool ok = generator->philox ? tocha_philox_set_state(generator, state, size)
                              : tocha_generator_set_state(generator, state, size);
  if (ok) return true;
  bool odd = generator->philox && size == TOCHA_PHILOX_STATE;
  tocha_fail(cx, TOCHA_RUNTIME_ERROR,
             odd ? "offset must be a multiple of 4" : "RNG state is wrong size");
  return false;
}

static bool check_offsets(tocha_context *cx, const tocha_generator *generator) {
  return generator->philox ||
         tocha_fail(cx, TOCHA_RUNTIME_ERROR, "CPU Generator does not use offset") != NULL;
}

bool tocha_generator_offset(tocha_context *cx, const tocha_generator *generator, uint64_t *offset) {
  if (!generator) return tocha_refuse_none(cx, "generator_offset", "generator", "Generator");
  if (!offset) return tocha_refuse_none(cx, "generator_offset", "offset", "an address");
  *offset = generator->offset;
  return check_offsets(cx, generator);
}

bool tocha_generator_set_offset(tocha_context *cx, tocha_generator *generator, int64_t offset) {
  if (!generator) return tocha_refuse_none(cx, "generator_set_offset", "generator", "Generator");
  if (!check_offsets(cx, generator)) return false;
  if (offset % 4 != 0)
    return tocha_fail(cx, TOCHA_RUNTIME_ERROR, "offset must be a multiple of 4") != NULL;
  generator->offset = (uint64_t)offset;
  return true;
}
