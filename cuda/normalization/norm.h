/* norm.h: declarations that the kernels of normalization share (normalization/kernels.h explains
 * the sizes). */
#pragma once

#include "common/block.h"
#include "common/launch.h"
#include "normalization/launch.h"

namespace tocha {

template <class T> struct Norm {
  using A = typename Arithmetic<T>::type;
  const T *in, *grad;
  const void *weight, *bias; /* of T if `narrow`, else of A */
  T *out;
  void *grad_weight, *grad_bias; /* of T if `narrow_gradients`, else of A */
  A *mean, *rstd, *running_mean, *running_var, *partial;
  long long runs, sets, length, groups, inner, depth; /* depth: channels of a set */
  double eps, momentum;
  long long fixed, batches; /* batches: a set is a channel */
  int narrow, narrow_gradients, about_zero;

  explicit Norm(const tocha_norm_args &j)
      : in(READ_ONLY(static_cast<const T *>(j.in))),
        grad(READ_ONLY(static_cast<const T *>(j.grad))), weight(READ_ONLY(j.weight)),
        bias(READ_ONLY(j.bias)), out(static_cast<T *>(j.out)), grad_weight(j.grad_weight),
        grad_bias(j.grad_bias), mean(static_cast<A *>(j.mean)), rstd(static_cast<A *>(j.rstd)),
        running_mean(static_cast<A *>(j.running_mean)),
        running_var(static_cast<A *>(j.running_var)), partial(static_cast<A *>(j.partial)),
        runs(j.runs), sets(j.sets), length(j.length), groups(j.groups), inner(j.inner),
        depth(j.length / j.inner), eps(j.eps), momentum(j.momentum), fixed(j.fixed),
        batches(tocha_norm_of_batches(&j)), narrow(j.narrow), narrow_gradients(j.narrow_gradients),
        about_zero(j.about_zero) {}

  /* Returns the weight or bias of a channel, or `missing` if there is none. */
  __device__ A parameter(const void *of, long long channel, A missing) const {
    if (!of) return missing;
    return narrow ? convert<A>(static_cast<const T *>(of)[channel])
                  : static_cast<const A *>(of)[channel];
  }
  __device__ A weight_of(long long channel) const { return parameter(weight, channel, A(1)); }
  __device__ A bias_of(long long channel) const { return parameter(bias, channel, A(0)); }
  __device__ void put_gradient(void *of, long long channel, A gradient) const {
    if (!of) return;
    if (narrow_gradients)
      static_cast<T *>(of)[channel] = convert<T>(gradient);
    else
      static_cast<A *>(of)[channel] = gradient;
  }
  /* Stores the gradients of weight and bias, if they are wanted. */
  __device__ void put_gradients(long long channel, A weight_gradient, A bias_gradient) const {
    put_gradient(grad_weight, channel, weight_gradient);
    put_gradient(grad_bias, channel, bias_gradient);
  }
  __device__ A mean_of(long long set) const {
    return fixed ? running_mean[set] : about_zero ? A(0) : mean[set];
  }
  __device__ A rstd_of(long long set) const {
    return fixed ? 1 / sqrt(running_var[set] + static_cast<A>(eps)) : rstd[set];
  }
  /* Stores the statistics of a set if `writes`. Returns 1 / its standard deviation. */
  __device__ A keep(long long set, A average, A squares, bool writes) const {
    const A count = static_cast<A>(runs * length), m = static_cast<A>(momentum);
    const A r = 1 / sqrt(squares / count + static_cast<A>(eps));
    if (!writes) return r;
    if (!about_zero) mean[set] = average;
    rstd[set] = r;
    if (running_mean) running_mean[set] = m * average + (1 - m) * running_mean[set];
    if (running_var) running_var[set] = m * (squares / (count - 1)) + (1 - m) * running_var[set];
    return r;
  }
};

/* The sum of gradients, and of gradients times the distance of their elements from the mean. */
template <class A> struct Arriving { A sum, dot; };
struct JoinArriving {
  template <class A> __device__ Arriving<A> operator()(Arriving<A> a, Arriving<A> b) const {
    return {a.sum + b.sum, a.dot + b.dot};
  }
};

/* Sets that fit into the registers of a block. */
bool norm_is_of_layers(const tocha_norm_args &args);
bool launch_rows(Stream *stream, const tocha_norm_args &args);
bool launch_rows_backward(Stream *stream, const tocha_norm_args &args);

/* Sets with one element in each run, so that neighbouring sets are contiguous. */
bool launch_columns(Stream *stream, const tocha_norm_args &args);
bool launch_columns_backward(Stream *stream, const tocha_norm_args &args);
bool launch_column_weights(Stream *stream, const tocha_norm_args &args);

/* Joins sums (parts, 2, channels) in `partial` into grad_weight and grad_bias. */
bool launch_join_weights(Stream *stream, const tocha_norm_args &args, long long channels,
                         long long parts);

} // namespace tocha
