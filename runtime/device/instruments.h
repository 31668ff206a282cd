/* instruments.h: the part of a plug-in's table (backend.h) by which programs are observed: the
 * statistics of its memory, ranges for profilers, and the driver's sensors. Read by C and by C++. */
#ifndef TOCHA_INSTRUMENTS_H
#define TOCHA_INSTRUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tocha/device_memory.h"
#include "tocha/device_tools.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tocha_backend_state;

/* A kernel, copy or fill that a GPU ran. start: seconds since the beginning of the collection. */
typedef struct tocha_gpu_activity {
  const char *name;
  int device;
  double start, seconds;
} tocha_gpu_activity;

typedef struct tocha_instruments {
  /* --- memory (tocha/device_memory.h has the contracts) */
  bool (*statistics)(struct tocha_backend_state *state, int device,
                     tocha_device_statistics *answer);
  bool (*reset_sums)(struct tocha_backend_state *state, int device);
  void (*pinned_statistics)(struct tocha_backend_state *state, tocha_pinned_statistics *answer);
  void (*reset_pinned)(struct tocha_backend_state *state, bool peak, bool sums);
  bool (*set_fraction)(struct tocha_backend_state *state, int device, double fraction);
  bool (*fraction)(struct tocha_backend_state *state, int device, double *fraction);
  bool (*settings)(struct tocha_backend_state *state, int device, tocha_allocator_settings *answer);
  /* warning: text for the user, or "". */
  bool (*configure)(struct tocha_backend_state *state, const char *text, const char **warning);
  void (*visit_blocks)(struct tocha_backend_state *state,
                       void (*visit)(void *user, const tocha_memory_block *block), void *user);
  bool (*visit_pools)(struct tocha_backend_state *state, int device,
                      void (*visit)(void *user, uint64_t pool, const tocha_statistic *reserved),
                      void *user);
  void (*observe)(struct tocha_backend_state *state,
                  void (*observe)(void *user, const tocha_memory_event *event), void *user);

  /* --- tools (tocha/device_tools.h has the contracts) */
  tocha_stream *(*external_stream)(struct tocha_backend_state *state, int device, void *handle);
  void *(*blas_handle)(tocha_stream *stream);
  bool (*record_profile)(struct tocha_backend_state *state, int device, bool on);
  /* Return CUDA's error number. bytes 0: unlocks. */
  int (*host_register)(struct tocha_backend_state *state, void *data, size_t bytes, uint32_t flags);
  bool (*details)(struct tocha_backend_state *state, int device, tocha_device_details *answer);
  bool (*read_sensor)(struct tocha_backend_state *state, int device, tocha_sensor sensor,
                      int64_t *value);
  int (*processes)(struct tocha_backend_state *state, int device, tocha_gpu_process *processes,
                   int capacity);
  /* Begins to collect activities. Returns false, without an error, if that is not possible now. */
  bool (*start_activities)(void);
  /* Ends it. The GPUs' work must be done. visit: NULL drops the activities. */
  void (*stop_activities)(void (*visit)(void *user, const tocha_gpu_activity *activity),
                          void *user);
} tocha_instruments;

#ifdef __cplusplus
}
#endif
#endif
