/* generators.c: the default random generators of GPUs. */
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

int64_t tocha_random_blocks(tocha_context *cx, int index) {
  tocha_devices *d = cx->devices;
  if (!d->random_blocks[index]) {
    tocha_device_properties p;
    if (!tocha_get_device_properties(cx, index, &p)) return 0;
    d->random_blocks[index] = (int64_t)p.processors * (p.threads_per_processor / 256);
  }
  return d->random_blocks[index];
}

void tocha_manual_seed(tocha_context *cx, uint64_t seed) {
  tocha_generator_seed(&cx->generator, seed);
  tocha_seed_devices(cx, seed);
}
