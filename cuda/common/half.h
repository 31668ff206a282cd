// half.h: float16 and bfloat16 as they are stored, and Vec, N elements moved at once. Read by nvcc,
// by the C++ compiler that builds the simulated GPU and by host code: 2 bytes, no arithmetic;
// kernels compute in float.
//   float to_float(float16 | bfloat16 | float)   exact
//   from_float<T>(float)                         to nearest, ties to even; a NaN stays one;
//                                                overflow is infinity
#ifndef TOCHA_CUDA_HALF_H
#define TOCHA_CUDA_HALF_H

#include <stdint.h>
#include <string.h>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

struct float16 {
  unsigned short bits;
};
struct bfloat16 {
  unsigned short bits;
};
static_assert(sizeof(float16) == 2 && sizeof(bfloat16) == 2, "16-bit types are two bytes");

HOST_DEVICE static inline uint32_t bits_of_float(float value) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(value);
#else
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
#endif
}

HOST_DEVICE static inline float float_of_bits(uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
#endif
}

HOST_DEVICE static inline float to_float(float value) { return value; }

HOST_DEVICE static inline float to_float(bfloat16 value) {
  return float_of_bits(static_cast<uint32_t>(value.bits) << 16);
}

HOST_DEVICE static inline float to_float(float16 value) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(value.bits));
#else
  // The exponent is shifted into float's place and scaled by 2^112, the difference of the biases,
  // which also converts subnormal numbers correctly. Infinity and NaN need their exponent back.
  uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16;
  uint32_t rest = static_cast<uint32_t>(value.bits & 0x7fffu) << 13;
  uint32_t magnitude =
      rest >= 0x0f800000u ? rest | 0x7f800000u : bits_of_float(float_of_bits(rest) * 0x1p112f);
  return float_of_bits(sign | magnitude);
#endif
}

template <class T> HOST_DEVICE static inline T from_float(float value);

template <> HOST_DEVICE inline float from_float<float>(float value) { return value; }

template <> HOST_DEVICE inline bfloat16 from_float<bfloat16>(float value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 // one instruction
  return bfloat16{__bfloat16_as_ushort(__float2bfloat16_rn(value))};
#else
  uint32_t bits = bits_of_float(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return bfloat16{0x7fc0}; // one NaN for all, as PyTorch rounds
  return bfloat16{static_cast<unsigned short>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16)};
#endif
}

template <> HOST_DEVICE inline float16 from_float<float16>(float value) {
#if defined(__CUDA_ARCH__)
  return float16{__half_as_ushort(__float2half_rn(value))};
#else
  uint32_t bits = bits_of_float(value);
  uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu, result;
  if (magnitude > 0x7f800000u) {
    result = 0x7e00u;
  } else if (magnitude >=
             0x47800000u) { // 65536 and more; 65520 to 65535 round up to infinity below
    result = 0x7c00u;
  } else if (magnitude >= 0x38800000u) { // normal: 13 bits are dropped
    result = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  } else { // subnormal: an addition in float rounds at the last bit of 2^-24
    result = bits_of_float(float_of_bits(magnitude) + 0.5f) - 0x3f000000u;
  }
  return float16{static_cast<unsigned short>(sign | result)};
#endif
}

// N elements of T that are loaded and stored by one instruction. Addresses must be multiples of the
// alignment, which equals the size, at most 16 bytes.
template <class T, int N> struct alignas(sizeof(T) * N < 16 ? sizeof(T) * N : 16) Vec {
  T values[N];
  HOST_DEVICE T &operator[](int i) { return values[i]; }
  HOST_DEVICE const T &operator[](int i) const { return values[i]; }
};

// Fails on a misaligned access in the simulation, because a GPU refuses such an access.
template <int alignment> HOST_DEVICE static inline void check_alignment(const void *address) {
#if defined(TOCHA_SIMULATED_CUDA)
  if (reinterpret_cast<uintptr_t>(address) % alignment) simulator::misaligned(alignment);
#else
  (void)address;
#endif
}

template <int N, class T> HOST_DEVICE static inline Vec<T, N> load_vec(const T *address) {
  check_alignment<alignof(Vec<T, N>)>(address);
  return *reinterpret_cast<const Vec<T, N> *>(address);
}
template <int N, class T>
HOST_DEVICE static inline void store_vec(T *address, const Vec<T, N> &value) {
  check_alignment<alignof(Vec<T, N>)>(address);
  *reinterpret_cast<Vec<T, N> *>(address) = value;
}

// Returns the number of elements of T in one 16-byte access.
template <class T> HOST_DEVICE constexpr int vec_width() {
  return static_cast<int>(16 / sizeof(T));
}

#endif
