/* launch.h: starts the kernels of the family pooling: launch_NAME, defined in its .cu file. */
#pragma once

#include "ops/pooling/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_max_pool(Stream *stream, const tocha_pool_args &args);
bool launch_average_pool(Stream *stream, const tocha_pool_args &args);
bool launch_average_pool_backward(Stream *stream, const tocha_pool_args &args);

/* Returns true if the kernels for images in 32 bits do these windows (pool_images.cu). */
bool pools_images(const tocha_pool_args &args);
bool launch_max_images(Stream *stream, const tocha_pool_args &args);
bool launch_average_images(Stream *stream, const tocha_pool_args &args);
bool launch_average_images_backward(Stream *stream, const tocha_pool_args &args);

} // namespace tocha
