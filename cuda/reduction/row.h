/* row.h: functions that the kernels of rows share. The build generates a file for each row
 * (list/write_reductions.lua), which includes this one. */
#pragma once

#include "reduction/reduce.h"
#include "tensor/math/scalar_math.h"

namespace tocha {
namespace {

template <class T> __device__ inline T lowest() {
  if constexpr (std::is_floating_point<T>::value)
    return static_cast<T>(-HUGE_VAL);
  else
    return INT64_MIN;
}
template <class T> __device__ inline T highest() {
  if constexpr (std::is_floating_point<T>::value)
    return static_cast<T>(HUGE_VAL);
  else
    return INT64_MAX;
}
#define LOWEST (lowest<S>())
#define HIGHEST (highest<S>())

template <template <class> class Row> bool start_row(Stream *stream, const ReducePlan &plan) {
  return start<Row>(stream, plan,
                    [&](auto type) { return Row<typename decltype(type)::type>{plan.number}; });
}

} // namespace
} // namespace tocha
