// matrix_product.cpp: checks a product, declares the memory that it touches, and computes it when
// the stream reaches it. 16-bit operands are widened to float, multiplied and accumulated in float,
// and the result is rounded once.
#include "matrix_product.h"
#include "../common/half.h"
#include "math_functions.h"

#include <math.h>
#include <string.h>

namespace simulator {

static size_t element_size(cudaDataType type) {
  switch (type) {
  case CUDA_R_64F:
    return 8;
  case CUDA_R_32F:
    return 4;
  case CUDA_R_16F:
  case CUDA_R_16BF:
    return 2;
  case CUDA_R_32I:
    return 4;
  case CUDA_R_8I:
  case CUDA_R_8F_E4M3:
  case CUDA_R_8F_E5M2:
    return 1;
  default:
    return 0;
  }
}

// Returns the number of a code of E4M3, which has no infinity, or of E5M2.
static double read_float8(uint8_t code, bool e4m3) {
  const int mantissa = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15, exponent = (code & 0x7f) >> mantissa;
  const int fraction = code & ((1 << mantissa) - 1);
  const double sign = code & 0x80 ? -1 : 1;
  if (e4m3 ? (code & 0x7f) == 0x7f : exponent == 31 && fraction) return nan("");
  if (!e4m3 && exponent == 31) return sign * HUGE_VAL;
  const int whole = exponent ? fraction + (1 << mantissa) : fraction;
  return sign * ldexp(whole, (exponent ? exponent : 1) - bias - mantissa);
}

double read_number(uintptr_t at, cudaDataType type, int64_t index) {
  switch (type) {
  case CUDA_R_64F:
    return reinterpret_cast<const double *>(at)[index];
  case CUDA_R_32F:
    return static_cast<double>(reinterpret_cast<const float *>(at)[index]);
  case CUDA_R_16F:
    return static_cast<double>(to_float(reinterpret_cast<const float16 *>(at)[index]));
  case CUDA_R_32I:
    return reinterpret_cast<const int32_t *>(at)[index];
  case CUDA_R_8I:
    return reinterpret_cast<const int8_t *>(at)[index];
  case CUDA_R_8F_E4M3:
  case CUDA_R_8F_E5M2:
    return read_float8(reinterpret_cast<const uint8_t *>(at)[index], type == CUDA_R_8F_E4M3);
  default:
    return static_cast<double>(to_float(reinterpret_cast<const bfloat16 *>(at)[index]));
  }
}

void write_number(uintptr_t at, cudaDataType type, int64_t index, double value) {
  float narrow = static_cast<float>(value);
  switch (type) {
  case CUDA_R_64F:
    reinterpret_cast<double *>(at)[index] = value;
    break;
  case CUDA_R_32F:
    reinterpret_cast<float *>(at)[index] = narrow;
    break;
  case CUDA_R_32I:
    reinterpret_cast<int32_t *>(at)[index] = static_cast<int32_t>(value);
    break;
  case CUDA_R_16F:
    reinterpret_cast<float16 *>(at)[index] = from_float<float16>(narrow);
    break;
  default:
    reinterpret_cast<bfloat16 *>(at)[index] = from_float<bfloat16>(narrow);
    break;
  }
}

float as_tf32(float value) {
  uint32_t bits = bits_of_float(value);
  if ((bits & 0x7f800000u) == 0x7f800000u) return value;
  return float_of_bits((bits + 0x1000u) & ~0x1fffu);
}

// Returns one batch as packed numbers of the type of the computation.
template <class T> static std::vector<T> unpack(const StoredMatrix &m, uintptr_t at, bool tf32) {
  std::vector<T> packed(static_cast<size_t>(m.rows * m.cols));
  size_t next = 0;
  for (int64_t col = 0; col < m.cols; col++)
    for (int64_t row = 0; row < m.rows; row++) {
      double value = read_number(at, m.type, col * m.ld + row);
      packed[next++] =
          tf32 ? static_cast<T>(as_tf32(static_cast<float>(value))) : static_cast<T>(value);
    }
  return packed;
}

static double activate(Activation activation, double x) {
  if (activation == ACTIVATION_RELU) return x > 0 || x != x ? x : 0.0;
  // The form by tanh (Hendrycks and Gimpel, 2016). As on a GPU, its factor sqrt(2 / pi) has about ten
  // digits, also for float64.
  if (activation == ACTIVATION_GELU)
    return 0.5 * x * (1 + tanh(0.7978845605 * (x + 0.044715 * x * x * x)));
  return x;
}

static uintptr_t batch_address(const StoredMatrix &m, int64_t batch) {
  if (m.array) {
    const void *const *array =
        reinterpret_cast<const void *const *>(view(reinterpret_cast<const void *>(m.array)));
    return reinterpret_cast<uintptr_t>(array[batch]);
  }
  return m.address + static_cast<uintptr_t>(batch * m.batch_stride) * element_size(m.type);
}

static uintptr_t batch_view(const StoredMatrix &m, int64_t batch) {
  return view(reinterpret_cast<const void *>(batch_address(m, batch)));
}

template <class T> static void run_batch(const Product &p, int64_t batch) {
  int m = static_cast<int>(p.d.rows), n = static_cast<int>(p.d.cols);
  int k = static_cast<int>(p.transpose_a ? p.a.rows : p.a.cols);
  std::vector<T> result(static_cast<size_t>(m) * static_cast<size_t>(n));
  if (p.beta != 0) result = unpack<T>(p.c, batch_view(p.c, batch), false);
  const T *a = nullptr, *b = nullptr;
  std::vector<T> packed_a, packed_b;
  int lda = static_cast<int>(p.a.ld), ldb = static_cast<int>(p.b.ld);
  cudaDataType direct = sizeof(T) == 8 ? CUDA_R_64F : CUDA_R_32F;
  if (k > 0 && (p.a.type != direct || p.tf32)) {
    packed_a = unpack<T>(p.a, batch_view(p.a, batch), p.tf32);
    a = packed_a.data();
    lda = static_cast<int>(p.a.rows);
  } else if (k > 0) {
    a = reinterpret_cast<const T *>(batch_view(p.a, batch));
  }
  if (k > 0 && (p.b.type != direct || p.tf32)) {
    packed_b = unpack<T>(p.b, batch_view(p.b, batch), p.tf32);
    b = packed_b.data();
    ldb = static_cast<int>(p.b.rows);
  } else if (k > 0) {
    b = reinterpret_cast<const T *>(batch_view(p.b, batch));
  }
  if (k > 0)
    multiply(p.transpose_a, p.transpose_b, m, n, k, static_cast<T>(p.alpha), a, lda, b, ldb,
             static_cast<T>(p.beta), result.data(), m);
  else
    for (T &value : result) value *= static_cast<T>(p.beta);
#ifdef TOCHA_PERTURBED // sums in another order
  for (T &value : result) value = perturbed(value, 2);
#endif
  uintptr_t bias = view(reinterpret_cast<const void *>(p.bias)), target = batch_view(p.d, batch);
  for (int64_t col = 0; col < n; col++)
    for (int64_t row = 0; row < m; row++) {
      double value = static_cast<double>(result[static_cast<size_t>(col * m + row)]);
      if (p.bias)
        value = static_cast<double>(static_cast<T>(value + read_number(bias, p.bias_type, row)));
      write_number(target, p.d.type, col * p.d.ld + row, activate(p.activation, value));
    }
}

// --- checks --------------------------------------------------------------------------------------
// Returns the bytes from the first element of the first batch to the last of the last.
static size_t extent(const StoredMatrix &m, int64_t batches) {
  if (m.rows == 0 || m.cols == 0 || batches == 0) return 0;
  int64_t last = (m.cols - 1) * m.ld + m.rows;
  if (!m.array) last += (batches - 1) * m.batch_stride;
  return static_cast<size_t>(last) * element_size(m.type);
}

static bool touch(const Product &p, const char *name, uintptr_t address, size_t bytes, bool writes,
                  int device, std::vector<Touch> &touched) {
  if (!bytes) return true;
  if (!is_device_address(address) && !is_pinned_address(address)) {
    fault(cudaErrorIllegalAddress, "%s: %s is not device memory", p.call, name);
    return false;
  }
  std::string problem = check_range(address, bytes, device, writes, touched);
  if (problem.empty()) return true;
  fault(cudaErrorIllegalAddress, "%s: %s: %s", p.call, name, problem.c_str());
  return false;
}

static bool touch_matrix(const Product &p, const char *name, const StoredMatrix &m, bool writes,
                         int device, std::vector<Touch> &touched) {
  if (m.array)
    return touch(p, name, reinterpret_cast<uintptr_t>(m.array),
                 static_cast<size_t>(p.batches) * sizeof(void *), false, device, touched);
  return touch(p, name, m.address, extent(m, p.batches), writes, device, touched);
}

// Checks the addresses in an array, which are known only when the product runs.
static bool arrays_are_good(const Product &p, int device) {
  const struct {
    const char *name;
    const StoredMatrix &matrix;
    bool used, writes;
  } operands[] = {{"A", p.a, true, false},
                  {"B", p.b, true, false},
                  {"C", p.c, p.beta != 0, false},
                  {"D", p.d, true, true}};
  std::vector<Touch> ignored;
  for (const auto &operand : operands)
    for (int64_t batch = 0; operand.matrix.array && operand.used && batch < p.batches; batch++)
      if (!touch(p, operand.name, batch_address(operand.matrix, batch), extent(operand.matrix, 1),
                 operand.writes, device, ignored))
        return false;
  return true;
}

static bool is_float8(cudaDataType type) {
  return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

// Returns true if a device of capability 8.9 or above multiplies these float8 operands: A transposed, B
// not, not both of type E5M2, of sizes and addresses in steps of 16 bytes.
static bool float8_goes(const Product &p, cublasComputeType_t compute) {
  const bool steps = p.a.rows % 16 == 0 && p.d.rows % 16 == 0 && p.a.address % 16 == 0 &&
                     p.b.address % 16 == 0 && p.a.ld % 16 == 0 && p.b.ld % 16 == 0;
  const bool types = is_float8(p.a.type) && is_float8(p.b.type) &&
                     (p.a.type == CUDA_R_8F_E4M3 || p.b.type == CUDA_R_8F_E4M3) &&
                     (p.d.type == CUDA_R_32F || p.d.type == CUDA_R_16F || p.d.type == CUDA_R_16BF);
  return compute == CUBLAS_COMPUTE_32F && types && steps && p.transpose_a && !p.transpose_b &&
         p.c.type == p.d.type;
}

static bool int8_goes(const Product &p, cublasComputeType_t compute) {
  return compute == CUBLAS_COMPUTE_32I && p.a.type == CUDA_R_8I && p.b.type == CUDA_R_8I &&
         p.d.type == CUDA_R_32I && p.a.ld % 4 == 0 && p.b.ld % 4 == 0;
}

static bool types_go_together(const Product &p, cublasComputeType_t compute) {
  if (is_float8(p.a.type) || is_float8(p.b.type)) return float8_goes(p, compute);
  if (p.a.type == CUDA_R_8I || compute == CUBLAS_COMPUTE_32I) return int8_goes(p, compute);
  bool wide = compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC;
  if (p.a.type != p.b.type || p.c.type != p.d.type || !element_size(p.a.type)) return false;
  if (wide) return p.a.type == CUDA_R_64F && p.d.type == CUDA_R_64F;
  if (p.a.type == CUDA_R_64F) return false;
  return p.d.type == p.a.type || (p.d.type == CUDA_R_32F && p.a.type != CUDA_R_32F);
}

bool read_scale(cublasComputeType_t compute, const void *host_number, double *value) {
  if (!host_number || is_device_address(reinterpret_cast<uintptr_t>(host_number))) return false;
  switch (compute) {
  case CUBLAS_COMPUTE_32I: {
    int32_t integer;
    memcpy(&integer, host_number, sizeof integer);
    *value = integer;
    return true;
  }
  case CUBLAS_COMPUTE_64F:
  case CUBLAS_COMPUTE_64F_PEDANTIC:
    memcpy(value, host_number, sizeof *value);
    return true;
  case CUBLAS_COMPUTE_32F:
  case CUBLAS_COMPUTE_32F_PEDANTIC:
  case CUBLAS_COMPUTE_32F_FAST_16F:
  case CUBLAS_COMPUTE_32F_FAST_16BF:
  case CUBLAS_COMPUTE_32F_FAST_TF32: {
    float narrow;
    memcpy(&narrow, host_number, sizeof narrow);
    *value = static_cast<double>(narrow);
    return true;
  }
  default:
    return false;
  }
}

static cublasStatus_t status_of(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

static bool layout_is_valid(const StoredMatrix &m) {
  return m.rows >= 0 && m.cols >= 0 && m.rows <= 0x7fffffff && m.cols <= 0x7fffffff &&
         m.ld <= 0x7fffffff && m.ld >= (m.rows > 1 ? m.rows : 1);
}

// Returns the scale at a device address, or 1 if there is none.
static double scale_at(uintptr_t address) {
  if (!address) return 1;
  const uintptr_t at = view(reinterpret_cast<const void *>(address));
  return static_cast<double>(*reinterpret_cast<const float *>(at));
}

cublasStatus_t submit_product(const Product &product, cublasComputeType_t compute,
                              CUstream_st *stream) {
  Product p = product;
  if (machine().broken) return CUBLAS_STATUS_EXECUTION_FAILED;
  if (!stream) return CUBLAS_STATUS_INVALID_VALUE;
  int64_t inner_a = p.transpose_a ? p.a.rows : p.a.cols,
          inner_b = p.transpose_b ? p.b.cols : p.b.rows;
  bool shapes = layout_is_valid(p.a) && layout_is_valid(p.b) && layout_is_valid(p.c) &&
                layout_is_valid(p.d) && inner_a == inner_b && p.batches >= 0 &&
                (p.transpose_a ? p.a.cols : p.a.rows) == p.d.rows &&
                (p.transpose_b ? p.b.rows : p.b.cols) == p.d.cols;
  if (!shapes) return CUBLAS_STATUS_INVALID_VALUE;
  if (!types_go_together(p, compute)) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (p.d.rows == 0 || p.d.cols == 0 || p.batches == 0) return CUBLAS_STATUS_SUCCESS;
  if (p.a.type != CUDA_R_32F) p.tf32 = false;
  std::vector<Touch> touched;
  int device = stream->device;
  bool good = touch_matrix(p, "A", p.a, false, device, touched) &&
              touch_matrix(p, "B", p.b, false, device, touched) &&
              (p.beta == 0 || touch_matrix(p, "C", p.c, false, device, touched)) &&
              touch_matrix(p, "the result", p.d, true, device, touched) &&
              (!p.bias || touch(p, "the bias", p.bias,
                                static_cast<size_t>(p.d.rows) * element_size(p.bias_type), false,
                                device, touched)) &&
              (!p.scale_a || touch(p, "scale_a", p.scale_a, 4, false, device, touched)) &&
              (!p.scale_b || touch(p, "scale_b", p.scale_b, 4, false, device, touched)) &&
              touch(p, "the workspace", p.workspace, p.workspace_bytes, true, device, touched);
  if (!good) return CUBLAS_STATUS_EXECUTION_FAILED;
  Work *work = make_work([p, device] {
    if (!arrays_are_good(p, device)) return;
    Product scaled = p;
    scaled.alpha *= scale_at(p.scale_a) * scale_at(p.scale_b);
    for (int64_t batch = 0; batch < p.batches; batch++)
      if (p.a.type == CUDA_R_64F || p.a.type == CUDA_R_8I) // int32 sums are exact in double
        run_batch<double>(scaled, batch);
      else
        run_batch<float>(scaled, batch);
  });
  work->touched = touched;
  return status_of(submit(stream, work, p.call));
}

} // namespace simulator
