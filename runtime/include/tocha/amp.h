/* amp.h: mixed precision: autocast regions and the scaling of gradients.
 *
 * Within an autocast region, operators choose the type they compute in as PyTorch's lists say
 * (field `autocast` of the list of operators): products of matrices compute in the lower type,
 * float16 or bfloat16, and operators that need range or precision in float32. Leave the region
 * before calling backward. */
#ifndef TOCHA_AMP_H
#define TOCHA_AMP_H

#include "tocha/optim.h"
#include "tocha/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- autocast ------------------------------------------------------------------------------- */

/* The settings that a region replaced; filled by tocha_autocast_enter, passed back to
 * tocha_autocast_leave. */
typedef struct tocha_autocast_region {
  tocha_device_type device;
  tocha_dtype dtype;
  bool enabled, cache_enabled;
} tocha_autocast_region;

/* Enters a region for the operators of one device type. dtype: float16 or bfloat16, or
 * TOCHA_NO_DTYPE for the device's own. cache_enabled: 1, 0, or -1 to leave it unchanged. If the
 * device is missing or the dtype is not supported, warns and enters a disabled region. Fails,
 * without entering a region, if the device type has no autocast. */
TOCHA_API bool tocha_autocast_enter(tocha_context *cx, tocha_device_type device, tocha_dtype dtype,
                                    bool enabled, int cache_enabled, tocha_autocast_region *region);
/* Leaves a region. The cached casts of weights are dropped when the outermost region ends. */
TOCHA_API void tocha_autocast_leave(tocha_context *cx, const tocha_autocast_region *region);

/* Returns true if PyTorch has autocast for this type of device; the device itself may be
 * missing. */
TOCHA_API bool tocha_autocast_available(tocha_device_type device);
TOCHA_API bool tocha_autocast_enabled(const tocha_context *cx, tocha_device_type device);
TOCHA_API void tocha_set_autocast_enabled(tocha_context *cx, tocha_device_type device,
                                          bool enabled);
/* Returns bfloat16 for the CPU and float16 for other devices, unless another dtype was set.
 * Returns TOCHA_NO_DTYPE if the device type has no autocast. */
TOCHA_API tocha_dtype tocha_autocast_dtype(const tocha_context *cx, tocha_device_type device);
TOCHA_API void tocha_set_autocast_dtype(tocha_context *cx, tocha_device_type device,
                                        tocha_dtype dtype);
/* Returns true if weights (float32 leaves that require grad) are cast once for all their uses in
 * a region. */
TOCHA_API bool tocha_autocast_cache_enabled(const tocha_context *cx);
TOCHA_API void tocha_set_autocast_cache_enabled(tocha_context *cx, bool enabled);
TOCHA_API void tocha_clear_autocast_cache(tocha_context *cx);

/* --- gradient scaling --------------------------------------------------------------------------
 * An iteration: backward of tocha_grad_scaler_scale(loss); step; update. Steps whose gradients
 * contain an infinity or NaN are skipped, and update then lowers the scale. The scale, the
 * growth tracker and the results of the checks are tensors on the device of the scaled tensor. A
 * step waits for that device once. */

typedef struct tocha_grad_scaler tocha_grad_scaler;

typedef struct tocha_grad_scaler_options {
  tocha_device_type device;
  tocha_scalar init_scale, growth_factor, backoff_factor;
  int64_t growth_interval; /* steps in a row without infinities until the scale grows */
  bool enabled;            /* false: every call passes through */
} tocha_grad_scaler_options;

/* Returns PyTorch's defaults: 65536, 2, 0.5, 2000, enabled. */
static inline tocha_grad_scaler_options tocha_grad_scaler_defaults(tocha_device_type device) {
  tocha_grad_scaler_options o;
  o.device = device;
  o.init_scale = tocha_float(65536);
  o.growth_factor = tocha_float(2);
  o.backoff_factor = tocha_float(0.5);
  o.growth_interval = 2000;
  o.enabled = true;
  return o;
}

/* Creates a scaler, which the caller owns. Disables it, with a warning, if the device is CUDA
 * and there is no GPU. */
TOCHA_API tocha_grad_scaler *tocha_grad_scaler_new(tocha_context *cx,
                                                   const tocha_grad_scaler_options *options);
TOCHA_API tocha_grad_scaler *tocha_grad_scaler_retain(tocha_grad_scaler *scaler);
TOCHA_API void tocha_grad_scaler_release(tocha_grad_scaler *scaler); /* NULL is allowed */

/* Returns output * scale (recorded), or `output` itself if the scaler is disabled. */
TOCHA_API tocha_tensor *tocha_grad_scaler_scale(tocha_context *cx, tocha_grad_scaler *scaler,
                                                tocha_tensor *output);
/* Divides the gradients of the optimizer's parameters by the scale, and checks them. */
TOCHA_API bool tocha_grad_scaler_unscale(tocha_context *cx, tocha_grad_scaler *scaler,
                                         tocha_optimizer *optimizer);
/* Runs the optimizer's step, unless a gradient is not finite. Unscales the gradients first if
 * that was not done. Sets *stepped (`stepped` may be NULL) to true if the step was made. */
TOCHA_API bool tocha_grad_scaler_step(tocha_context *cx, tocha_grad_scaler *scaler,
                                      tocha_optimizer *optimizer, bool *stepped);
/* Ends the iteration: the scale grows, or shrinks after a skipped step. */
TOCHA_API bool tocha_grad_scaler_update(tocha_context *cx, tocha_grad_scaler *scaler);
/* Ends the iteration with a new scale: a number, or a tensor with one element. */
TOCHA_API bool tocha_grad_scaler_update_to(tocha_context *cx, tocha_grad_scaler *scaler,
                                           tocha_operand new_scale);

/* Splits tocha_grad_scaler_unscale and _step into parts, for optimizers of the host's own. `key`
 * identifies the optimizer; `parameters` are all of its parameters. begin_step does everything
 * but the step itself, and sets *go to true if the host must make it. end_step follows, also
 * after a skipped step. */
TOCHA_API bool tocha_grad_scaler_unscale_parameters(tocha_context *cx, tocha_grad_scaler *scaler,
                                                    const void *key, int count,
                                                    tocha_tensor *const *parameters);
TOCHA_API bool tocha_grad_scaler_begin_step(tocha_context *cx, tocha_grad_scaler *scaler,
                                            const void *key, int count,
                                            tocha_tensor *const *parameters, bool *go);
TOCHA_API void tocha_grad_scaler_end_step(tocha_grad_scaler *scaler, const void *key);

TOCHA_API bool tocha_grad_scaler_is_enabled(const tocha_grad_scaler *scaler);
/* Reads the current scale (1 if the scaler is disabled); waits for the device. */
TOCHA_API bool tocha_grad_scaler_get_scale(tocha_context *cx, const tocha_grad_scaler *scaler,
                                           tocha_scalar *scale);
TOCHA_API bool tocha_grad_scaler_get_tracker(tocha_context *cx, const tocha_grad_scaler *scaler,
                                             int64_t *steps);
/* Returns the number of steps skipped so far. */
TOCHA_API int64_t tocha_grad_scaler_skipped_steps(const tocha_grad_scaler *scaler);
/* Returns the tensor, borrowed, or NULL until the first tensor was scaled. */
TOCHA_API tocha_tensor *tocha_grad_scaler_scale_tensor(const tocha_grad_scaler *scaler);
TOCHA_API tocha_tensor *tocha_grad_scaler_tracker_tensor(const tocha_grad_scaler *scaler);

typedef enum tocha_grad_scaler_factor {
  TOCHA_GROWTH_FACTOR,
  TOCHA_BACKOFF_FACTOR,
  TOCHA_GROWTH_INTERVAL
} tocha_grad_scaler_factor;

/* Reads a factor. Fails with PyTorch's AttributeError if a disabled scaler has none. */
TOCHA_API bool tocha_grad_scaler_get(tocha_context *cx, const tocha_grad_scaler *scaler,
                                     tocha_grad_scaler_factor which, tocha_scalar *value);
TOCHA_API void tocha_grad_scaler_set(tocha_grad_scaler *scaler, tocha_grad_scaler_factor which,
                                     tocha_scalar value);
/* Replaces the scale and the tracker by those of a loaded state. */
TOCHA_API bool tocha_grad_scaler_restore(tocha_context *cx, tocha_grad_scaler *scaler,
                                         tocha_scalar scale, int64_t tracker);

#ifdef __cplusplus
}
#endif
#endif
