/* tensor_core.h: what tensor cores of compute capability 8.0 and later offer to a warp: products
 * of fragments, loads of fragments from shared memory, copies to shared memory that go on beside
 * computations. The one exception to the rule of
 * kernel.h that there is no inline PTX; the simulated GPU has stand-ins.
 *
 * A fragment is spread over the 32 lanes of a warp. Lane i is in group g = i / 4 at place t = i % 4:
 *   a (16 x 16): a[0] is row g, columns 2t and 2t + 1; a[1] row g + 8; a[2], a[3] the same rows,
 *     columns 2t + 8 and 2t + 9
 *   b (16 x 8): b0 is rows 2t and 2t + 1 of column g; b1 rows 2t + 8 and 2t + 9
 *   sum (16 x 8): sum[0], sum[1] are row g, columns 2t and 2t + 1; sum[2], sum[3] row g + 8
 * All lanes of a warp take part in every call that names a warp. */
#pragma once

#include "common/element.h"

#if defined(TOCHA_SIMULATED_CUDA)
#include "tensor_cores.h"
#endif
/* Kernels of tensor cores have no body where this is defined, and are not launched there. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define WITHOUT_TENSOR_CORES
#endif

namespace tocha {

/* Adds the product of two fragments of float16 or bfloat16 to sum (warp). */
template <class T>
__device__ inline void multiply_add(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                    unsigned b1) {
#if defined(TOCHA_SIMULATED_CUDA)
  simulator::multiply_add<T>(sum, a, b0, b1);
#elif !defined(WITHOUT_TENSOR_CORES)
  if constexpr (std::is_same<T, bfloat16>::value)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/* Loads four matrices of 8 x 8 numbers of 16 bits from shared memory (warp). Lanes 8k to 8k + 7
 * give the addresses of the rows of matrix k, multiples of 16. parts[k] receives columns 2t and
 * 2t + 1 of row g of matrix k or, if TRANSPOSED, rows 2t and 2t + 1 of column g. */
template <bool TRANSPOSED>
__device__ inline void load_matrices(unsigned (&parts)[4], const void *row) {
#if defined(TOCHA_SIMULATED_CUDA)
  simulator::load_matrices(parts, row, TRANSPOSED);
#elif !defined(WITHOUT_TENSOR_CORES)
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(row));
  if constexpr (TRANSPOSED)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
                 : "r"(at)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(parts[0]), "=r"(parts[1]), "=r"(parts[2]), "=r"(parts[3])
                 : "r"(at)
                 : "memory");
#endif
}

/* Starts to copy BYTES (4 or 16, aligned) from global to shared memory, or to clear them if not
 * `there`; then `from` is not read. */
template <int BYTES> __device__ inline void start_copy(void *to, const void *from, bool there) {
#if defined(TOCHA_SIMULATED_CUDA)
  simulator::start_copy(to, from, BYTES, there);
#elif !defined(WITHOUT_TENSOR_CORES)
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  const int given = there ? BYTES : 0;
  if constexpr (BYTES == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(given)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(from), "r"(given)
                 : "memory");
#endif
}

/* Closes the group of copies that this thread has started since the last call. */
__device__ inline void close_copies() {
#if defined(TOCHA_SIMULATED_CUDA)
  simulator::close_copies();
#elif !defined(WITHOUT_TENSOR_CORES)
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Waits until at most the last LEFT groups of this thread are under way. Other threads see what was
 * copied after a barrier. Every group is waited for before a kernel ends. */
template <int LEFT> __device__ inline void wait_for_copies() {
#if defined(TOCHA_SIMULATED_CUDA)
  simulator::wait_for_copies(LEFT);
#elif !defined(WITHOUT_TENSOR_CORES)
  asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

/* Returns 2 to the power x, in one instruction; results below the normal numbers are 0. */
__device__ inline float quick_exp2(float x) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return exp2f(x);
#endif
}

/* Returns two numbers as a fragment holds them, the first in the low half. */
template <class T> __device__ inline unsigned packed(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned bits;
  if constexpr (std::is_same<T, bfloat16>::value) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    memcpy(&bits, &both, sizeof bits);
  } else {
    const __half2 both = __floats2half2_rn(low, high);
    memcpy(&bits, &both, sizeof bits);
  }
  return bits;
#else
  return from_float<T>(low).bits | static_cast<unsigned>(from_float<T>(high).bits) << 16;
#endif
}

} // namespace tocha
