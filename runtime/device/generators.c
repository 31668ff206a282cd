/* generators.c: the default random generators of GPUs, and which one a call draws from. */
#include "device/devices.h"
#include "tocha/device.h"

tocha_generator *tocha_device_generator(tocha_context *cx, int index) {
  if (!tocha_device_available(cx, tocha_cuda_device(index))) return NULL;
  tocha_devices *d = cx->devices;
  if (!d->generators) {
    d->generators = tocha_allocate(cx, (size_t)d->count * sizeof *d->generators);
    if (!d->generators) return NULL;
    for (int i = 0; i < d->count; i++)
      tocha_philox_seed(&d->generators[i], i,
                        cx->device_seeded ? cx->device_seed : tocha_random_seed());
  }
  return &d->generators[index < 0 ? d->current : index];
}

void tocha_seed_devices(tocha_context *cx, uint64_t seed) {
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
  tocha_generator_seed(&cx->generator, seed);
  tocha_seed_devices(cx, seed);
}
