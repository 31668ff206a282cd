// matrix_spec.cu: the stand-ins for cuBLAS and cuBLASLt against plain loops, and what they find
// wrong.
#include "device_array.h"
#include "harness.h"

#include <cublasLt.h>
#include <cublas_v2.h>
#include <math.h>

namespace {

template <class T> cudaDataType data_type();
template <> cudaDataType data_type<float>() { return CUDA_R_32F; }
template <> cudaDataType data_type<float16>() { return CUDA_R_16F; }
template <> cudaDataType data_type<bfloat16>() { return CUDA_R_16BF; }

template <class T> std::vector<T> numbers(int n, int seed) {
  std::vector<T> values;
  for (int i = 0; i < n; i++)
    values.push_back(from_float<T>(static_cast<float>((i * 7 + seed * 5) % 11 - 5) * 0.25f));
  return values;
}

struct Shape {
  int m, n, k;
  bool ta, tb;
};

// Element (i, j) of op(A) op(B), from column-major storage.
template <class T> double dot(const Shape &s, const T *a, const T *b, int i, int j) {
  double sum = 0;
  for (int l = 0; l < s.k; l++)
    sum += static_cast<double>(to_float(a[s.ta ? i * s.k + l : l * s.m + i])) *
           static_cast<double>(to_float(b[s.tb ? l * s.n + j : j * s.k + l]));
  return sum;
}

template <class T>
void check_product(cublasHandle_t handle, Shape s, float alpha, float beta, const char *what) {
  const int batches = 3;
  std::vector<T> a = numbers<T>(batches * s.m * s.k, 1), b = numbers<T>(batches * s.k * s.n, 2);
  std::vector<T> c = numbers<T>(batches * s.m * s.n, 3);
  DeviceArray<T> x(a), y(b), z(c);
  cublasStatus_t status = cublasGemmStridedBatchedEx(
      handle, s.ta ? CUBLAS_OP_T : CUBLAS_OP_N, s.tb ? CUBLAS_OP_T : CUBLAS_OP_N, s.m, s.n, s.k,
      &alpha, x.pointer, data_type<T>(), s.ta ? s.k : s.m, s.m * s.k, y.pointer, data_type<T>(),
      s.tb ? s.n : s.k, s.k * s.n, &beta, z.pointer, data_type<T>(), s.m, s.m * s.n, batches,
      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  check(status == CUBLAS_STATUS_SUCCESS, what);
  std::vector<T> result = z.get();
  double worst = 0;
  for (int batch = 0; batch < batches; batch++)
    for (int j = 0; j < s.n; j++)
      for (int i = 0; i < s.m; i++) {
        size_t at = static_cast<size_t>(batch * s.m * s.n + j * s.m + i);
        double exact =
            static_cast<double>(alpha) * dot(s, &a[static_cast<size_t>(batch * s.m * s.k)],
                                             &b[static_cast<size_t>(batch * s.k * s.n)], i, j);
        if (beta != 0) exact += static_cast<double>(beta * to_float(c[at]));
        double rounded = static_cast<double>(to_float(from_float<T>(static_cast<float>(exact))));
        worst = fmax(worst, fabs(static_cast<double>(to_float(result[at])) - rounded));
      }
  check_near(worst, 0.0, 1e-5, what); // the operands are multiples of 1/4: nothing is lost
}

void products() {
  cublasHandle_t handle;
  check(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "a handle");
  for (int form = 0; form < 4; form++) {
    Shape s = {5, 7, 9, form % 2 == 1, form / 2 == 1};
    check_product<float>(handle, s, 1.0f, 0.0f, "float32");
    check_product<float>(handle, s, 0.5f, 2.0f, "float32 with beta");
    check_product<float16>(handle, s, 1.0f, 0.0f, "float16");
    check_product<bfloat16>(handle, s, 1.0f, 1.0f, "bfloat16");
  }
  std::vector<double> a = {1, 2, 3, 4}, b = {5, 6, 7, 8};
  DeviceArray<double> x(a), y(b), z(4); // z is NaN and beta 0: not read
  double one = 1, zero = 0;
  cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, 2, y, 2, &zero, z, 2);
  check(z.get() == std::vector<double>({23, 34, 31, 46}), "float64");
  float alpha = 1, beta = 0;
  DeviceArray<float> f(std::vector<float>{1, 2, 3, 4}), g(std::vector<float>{5, 6, 7, 8}), h(8);
  DeviceArray<const void *> left(std::vector<const void *>{f.pointer, g.pointer}),
      right(std::vector<const void *>{g.pointer, f.pointer});
  DeviceArray<void *> out(std::vector<void *>{h.pointer, h.pointer + 4});
  cublasGemmBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, left.pointer, CUDA_R_32F,
                      2, right.pointer, CUDA_R_32F, 2, &beta, out.pointer, CUDA_R_32F, 2, 2,
                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  check(h.get() == std::vector<float>({23, 34, 31, 46, 19, 22, 43, 50}), "a batch by pointers");
  check(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &alpha, f, 1, g, 2, &beta, h, 2) ==
            CUBLAS_STATUS_INVALID_VALUE,
        "a leading dimension too small");
  check(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS, "handle destroyed");
}

void tf32() {
  cublasHandle_t handle;
  cublasCreate(&handle);
  float alpha = 1, beta = 0, precise = 1.0f + 1.0f / 4096;
  DeviceArray<float> a(std::vector<float>{precise}), b(std::vector<float>{1}), c(1);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &alpha, a, 1, b, 1, &beta, c, 1);
  check(c.get()[0] == precise, "float32 keeps all bits by default");
  cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &alpha, a, 1, b, 1, &beta, c, 1);
  check(c.get()[0] == 1.0f, "TF32 keeps ten");
}

struct Lt { // a product with an epilogue
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  Lt(cudaDataType type, uint64_t m, uint64_t n, uint64_t k) {
    cublasLtCreate(&handle);
    cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatrixLayoutCreate(&a, type, k, m, static_cast<int64_t>(k));
    cublasLtMatrixLayoutCreate(&b, type, k, n, static_cast<int64_t>(k));
    cublasLtMatrixLayoutCreate(&d, type, m, n, static_cast<int64_t>(m));
    cublasLtMatmulPreferenceCreate(&preference);
    cublasOperation_t transpose = CUBLAS_OP_T;
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof transpose);
  }
  ~Lt() {
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(a);
    cublasLtMatrixLayoutDestroy(b);
    cublasLtMatrixLayoutDestroy(d);
    cublasLtMatmulDescDestroy(desc);
    cublasLtDestroy(handle);
  }
};

// Linear as PyTorch stores it: y (n, m) = activation(x (n, k) w (m, k)^T + bias (m)), all
// row-major.
template <class T>
void check_linear(cublasLtEpilogue_t epilogue, double (*activation)(double), bool with_bias,
                  const char *what) {
  const int m = 4, n = 3, k = 5;
  std::vector<T> w = numbers<T>(m * k, 1), x = numbers<T>(n * k, 2), bias = numbers<T>(m, 3);
  DeviceArray<T> dw(w), dx(x), db(bias), dy(m * n);
  Lt lt(data_type<T>(), m, n, k);
  void *bias_pointer = db.pointer;
  size_t workspace = 0;
  cublasLtMatmulDescSetAttribute(lt.desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
                                 sizeof epilogue);
  cublasLtMatmulDescSetAttribute(lt.desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias_pointer,
                                 sizeof bias_pointer);
  cublasLtMatmulPreferenceSetAttribute(lt.preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                       &workspace, sizeof workspace);
  cublasLtMatmulHeuristicResult_t heuristic;
  int found = 0;
  cublasLtMatmulAlgoGetHeuristic(lt.handle, lt.desc, lt.a, lt.b, lt.d, lt.d, lt.preference, 1,
                                 &heuristic, &found);
  check(found == 1, "an algorithm");
  float alpha = 1, beta = 0;
  cublasStatus_t status =
      cublasLtMatmul(lt.handle, lt.desc, &alpha, dw.pointer, lt.a, dx.pointer, lt.b, &beta,
                     dy.pointer, lt.d, dy.pointer, lt.d, &heuristic.algo, nullptr, 0, nullptr);
  check(status == CUBLAS_STATUS_SUCCESS, what);
  std::vector<T> y = dy.get();
  for (int row = 0; row < n; row++)
    for (int col = 0; col < m; col++) {
      double sum = with_bias ? static_cast<double>(to_float(bias[static_cast<size_t>(col)])) : 0.0;
      for (int l = 0; l < k; l++)
        sum += static_cast<double>(to_float(x[static_cast<size_t>(row * k + l)])) *
               static_cast<double>(to_float(w[static_cast<size_t>(col * k + l)]));
      double expected =
          static_cast<double>(to_float(from_float<T>(static_cast<float>(activation(sum)))));
      check_near(static_cast<double>(to_float(y[static_cast<size_t>(row * m + col)])), expected,
                 1e-6 * fmax(1.0, fabs(expected)), what);
    }
}

double identity(double x) { return x; }
double relu(double x) { return x > 0 ? x : 0; }
double gelu(double x) {
  return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

void epilogues() {
  check_linear<float>(CUBLASLT_EPILOGUE_DEFAULT, identity, false, "no epilogue");
  check_linear<float>(CUBLASLT_EPILOGUE_BIAS, identity, true, "bias");
  check_linear<float>(CUBLASLT_EPILOGUE_RELU, relu, false, "relu");
  check_linear<float16>(CUBLASLT_EPILOGUE_RELU_BIAS, relu, true, "relu and bias, float16");
  check_linear<float>(CUBLASLT_EPILOGUE_GELU, gelu, false, "gelu");
  check_linear<bfloat16>(CUBLASLT_EPILOGUE_GELU_BIAS, gelu, true, "gelu and bias, bfloat16");
}

// --- planted faults ------------------------------------------------------------------------------
__global__ void store_one(float *out) { *out = 1.0f; }

struct Gemm {
  cublasHandle_t handle = nullptr;
  float one = 1, zero = 0;
  DeviceArray<float> a{std::vector<float>(4, 1.0f)}, b{std::vector<float>(4, 1.0f)}, c{4};
  Gemm() { cublasCreate(&handle); }
  void run(int k) {
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, k, &one, a, 2, b, k, &zero, c, 2);
  }
};

void reads_past_the_end() {
  Gemm g;
  g.run(3);
}

void host_operand() {
  Gemm g;
  float on_the_host[4] = {};
  cublasSgemm(g.handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &g.one, on_the_host, 2, g.b, 2, &g.zero,
              g.c, 2);
}

void unordered() {
  Gemm g;
  cublasSetStream(g.handle, new_stream());
  cudaStream_t other = new_stream();
  LAUNCH(store_one, 1, 1, 0, other, g.b.pointer);
  g.run(2);
}

void shared_workspace() { // one workspace for handles of two streams
  Gemm g, h;
  DeviceArray<float> workspace(100);
  cublasSetStream(g.handle, new_stream());
  cublasSetStream(h.handle, new_stream());
  cublasSetWorkspace(g.handle, workspace.pointer, 400);
  cublasSetWorkspace(h.handle, workspace.pointer, 400);
  g.run(2);
  h.run(2);
}

void freed_batch() {
  Gemm g;
  float *gone;
  cudaMalloc(&gone, 16);
  DeviceArray<const void *> left(std::vector<const void *>{gone});
  DeviceArray<void *> out(std::vector<void *>{g.c.pointer});
  cudaFree(gone);
  cublasGemmBatchedEx(g.handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &g.one, left.pointer, CUDA_R_32F,
                      2, left.pointer, CUDA_R_32F, 2, &g.zero, out.pointer, CUDA_R_32F, 2, 1,
                      CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  cudaDeviceSynchronize();
}

} // namespace

void matrix_specs() {
  const char *illegal = "cudaErrorIllegalAddress";
  expect_silence("matrix products", products);
  expect_silence("TF32", tf32);
  expect_silence("epilogues", epilogues);
  expect_fault("gemm reads past the end", reads_past_the_end, illegal,
               "cublasSgemm: A: 24 bytes from there reach past the end");
  expect_fault("gemm with a host operand", host_operand, illegal,
               "cublasSgemm: A is not device memory");
  expect_fault("gemm unordered", unordered, "cudaErrorUnknown", "unordered: cublasSgemm reads");
  expect_fault("shared workspace", shared_workspace, "cudaErrorUnknown",
               "unordered: cublasSgemm writes");
  expect_fault("freed operand in a batch", freed_batch, illegal,
               "cublasGemmBatchedEx: A: 0 bytes into freed memory");
}
