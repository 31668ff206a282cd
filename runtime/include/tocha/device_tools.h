/* device_tools.h: what is seldom wanted of a GPU: streams of other libraries, more properties, the
 * driver's sensors, hidden waits, the recording of profilers. */
#ifndef TOCHA_DEVICE_TOOLS_H
#define TOCHA_DEVICE_TOOLS_H

#include "tocha/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions for which a device is needed fail if there is none; `index` negative: the current
 * one. */

/* Returns the stream of a cudaStream_t that another library made and keeps alive (NULL: the default
 * stream), or NULL with an error. */
TOCHA_API tocha_stream *tocha_external_stream(tocha_context *cx, int index, void *handle);
/* Returns the cublasHandle_t of the GPU, set to its current stream, or NULL with an error. */
TOCHA_API void *tocha_blas_handle(tocha_context *cx, int index);
/* Begins or ends the recording of a profiler that waits for it (cudaProfilerStart). */
TOCHA_API bool tocha_record_profile(tocha_context *cx, bool on);
/* Locks pages of the host's memory, so that GPUs read it by themselves, or unlocks them. Return
 * CUDA's error number, 0 for none, or -1 with an error if there is no GPU. */
TOCHA_API int tocha_host_register(tocha_context *cx, void *data, size_t bytes, uint32_t flags);
TOCHA_API int tocha_host_unregister(tocha_context *cx, void *data);

/* The reaction to a call that waits for a GPU without being told to, such as the reading of a number. */
typedef enum tocha_wait_mode {
  TOCHA_WAIT,
  TOCHA_WAIT_AND_WARN,
  TOCHA_WAIT_IS_ERROR
} tocha_wait_mode;
TOCHA_API bool tocha_set_hidden_waits(tocha_context *cx, tocha_wait_mode mode);
TOCHA_API bool tocha_hidden_waits(tocha_context *cx, tocha_wait_mode *mode);

/* Properties of a GPU beside those of tocha_device_properties. */
typedef struct tocha_device_details {
  char uuid[40]; /* "93d3a3b6-..." */
  int pci_bus, pci_device, pci_domain;
  bool integrated, multi_gpu_board;
  int max_threads_per_block, registers_per_processor;
  size_t shared_memory_per_block_optin, shared_memory_per_processor;
  int memory_bus_width, clock_rate, memory_clock_rate; /* bits; kHz */
} tocha_device_details;
TOCHA_API bool tocha_get_device_details(tocha_context *cx, int index,
                                        tocha_device_details *details);

/* The driver's sensors, which NVML reads. */
typedef enum tocha_sensor {
  TOCHA_SENSOR_UTILIZATION,        /* percent of the last second in which a kernel ran */
  TOCHA_SENSOR_MEMORY_UTILIZATION, /* percent of it in which memory was read or written */
  TOCHA_SENSOR_TEMPERATURE,        /* degrees Celsius */
  TOCHA_SENSOR_POWER,              /* milliwatts */
  TOCHA_SENSOR_CLOCK,              /* MHz */
  TOCHA_SENSOR_MEMORY_USED,        /* bytes, of all programs */
  TOCHA_SENSOR_COUNT
} tocha_sensor;
/* Reads a sensor of a GPU. Fails if the driver's library NVML is missing, or the GPU has no such
 * sensor. */
TOCHA_API bool tocha_read_sensor(tocha_context *cx, int index, tocha_sensor sensor, int64_t *value);

typedef struct tocha_gpu_process {
  int64_t id;
  int64_t bytes; /* -1: unknown */
} tocha_gpu_process;
/* Lists the processes that use a GPU, at most `capacity` of them. Returns their number, or -1 with an
 * error. */
TOCHA_API int tocha_gpu_processes(tocha_context *cx, int index, tocha_gpu_process *processes,
                                  int capacity);

#ifdef __cplusplus
}
#endif

#endif
