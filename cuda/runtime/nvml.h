/* nvml.h: reads the driver's sensors through NVML, which is opened at run time. */
#pragma once

#include "runtime/state.h"
#include "tocha/device_tools.h"

namespace tocha {

bool read_sensor(tocha_backend_state *state, int device, tocha_sensor sensor, int64_t *value);
int gpu_processes(tocha_backend_state *state, int device, tocha_gpu_process *processes,
                  int capacity);
/* Writes a UUID as text, without "GPU-". */
void uuid_text(const cudaUUID_t &uuid, char text[40]);

} // namespace tocha
