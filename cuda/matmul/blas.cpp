/* blas.cpp: matrix products by cuBLAS, with a bias or an activation by cuBLASLt.
 *
 * cuBLAS stores matrices by columns, so our row-major out = a @ b is its out' = b' @ a': the operands
 * are exchanged, and a matrix that is contiguous by rows is not transposed. */
#include "matmul/blas.h"

#include <climits>
#include <cstring>
#include <new>

#include "runtime/allocator.h"
#include "runtime/graph.h"
#include "matmul/blas_library.h"
#include "matmul/launch.h"
#include "tensor/launch.h"

namespace tocha {

/* The properties of a product that decide the algorithm of cuBLASLt. Without padding, because
 * shapes are compared as bytes. */
struct Shape {
  int64_t m, n, k, lda, ldb;
  int32_t epilogue, compute;
  int8_t a_dtype, b_dtype, out_dtype;
  uint8_t a_transposed, b_transposed, add;                 /* add: beta is not 0 */
  uint8_t a_aligned, b_aligned, out_aligned, bias_aligned; /* powers of two */
  uint8_t a_scaled, b_scaled, fast; /* of float8: there is a scale; sums may have fewer digits */
  uint8_t unused[3];
};

static_assert(sizeof(Shape) == 64, "no padding");

/* An algorithm for a shape, with its descriptors. */
struct Plan {
  bool made, usable; /* not usable: cuBLASLt has no algorithm */
  Shape shape;
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t a, b, out;
  cublasLtMatmulAlgo_t algorithm;
};

/* The workspace of one stream's products. Products of two streams may run at once, and do not
 * share a workspace. Those of a capture have memory of its pool. */
struct Workspace {
  Stream *stream;
  tocha_block *memory;
  bool captured;
};

enum { PLANS = 512, WORKSPACES = 2 * (2 * STREAM_POOL + 1) };

struct Blas {
  const BlasLibrary *library;
  cublasHandle_t handle;
  cublasLtHandle_t lt;
  size_t workspace_bytes;
  Workspace workspaces[WORKSPACES];
  Workspace current; /* set in the handle */
  bool reduced;      /* set in the handle: the math mode */
  Plan plans[PLANS];
};

/* --- handles ---------------------------------------------------------------------------------- */

static const char *words(cublasStatus_t status) {
  switch (status) {
  case CUBLAS_STATUS_NOT_INITIALIZED:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case CUBLAS_STATUS_ALLOC_FAILED:
    return "CUBLAS_STATUS_ALLOC_FAILED";
  case CUBLAS_STATUS_INVALID_VALUE:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case CUBLAS_STATUS_ARCH_MISMATCH:
    return "CUBLAS_STATUS_ARCH_MISMATCH";
  case CUBLAS_STATUS_EXECUTION_FAILED:
    return "CUBLAS_STATUS_EXECUTION_FAILED";
  case CUBLAS_STATUS_INTERNAL_ERROR:
    return "CUBLAS_STATUS_INTERNAL_ERROR";
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  default:
    return "an unknown error";
  }
}

static bool check_blas(Stream *stream, cublasStatus_t status, const char *call) {
  if (status == CUBLAS_STATUS_SUCCESS) return true;
  return !refused_in_capture(stream) &&
         fail(stream->state, "CUDA error: %s when calling `%s`", words(status), call);
}

/* Returns the size of PyTorch's workspace: 32 MiB from Hopper on, about 8 MiB before. The
 * simulated libraries need none. */
static size_t workspace_size(const cudaDeviceProp &properties) {
#ifdef TOCHA_SIMULATED
  (void)properties;
  return 4096;
#else
  return properties.major >= 9 ? size_t(4096) * 8 * 1024 : size_t(4096) * 2 * 1024 + 16 * 8 * 1024;
#endif
}

static Blas *blas_of(Stream *stream) {
  Device &device = stream->home();
  if (device.blas) return device.blas;
  const char *reason = "";
  const BlasLibrary *library = blas_library(&reason);
  if (!library) {
    fail(stream->state, "matrix products on CUDA need cuBLAS: %s", reason);
    return nullptr;
  }
  Blas *blas = new (std::nothrow) Blas();
  if (!blas) {
    fail(stream->state, "memory is exhausted");
    return nullptr;
  }
  blas->library = library;
  blas->workspace_bytes = workspace_size(device.properties);
  blas->reduced = true;
  const Relaxed relaxed; /* a capture permits it: the handles' memory is no stream's */
  if (!check_blas(stream, library->cublasCreate_(&blas->handle), "cublasCreate(handle)")) {
    delete blas;
    return nullptr;
  }
  if (!library->has_lt || library->cublasLtCreate_(&blas->lt) != CUBLAS_STATUS_SUCCESS)
    blas->lt = nullptr;
  return device.blas = blas;
}

static void delete_plan(Blas *blas, Plan *plan) {
  const BlasLibrary *l = blas->library;
  if (plan->product) l->cublasLtMatmulDescDestroy_(plan->product);
  if (plan->a) l->cublasLtMatrixLayoutDestroy_(plan->a);
  if (plan->b) l->cublasLtMatrixLayoutDestroy_(plan->b);
  if (plan->out) l->cublasLtMatrixLayoutDestroy_(plan->out);
  *plan = Plan();
}

void delete_blas(Blas *blas) {
  if (!blas) return;
  for (Plan &plan : blas->plans)
    if (plan.made) delete_plan(blas, &plan);
  for (Workspace &w : blas->workspaces)
    if (w.memory) release(w.memory);
  if (blas->lt) blas->library->cublasLtDestroy_(blas->lt);
  blas->library->cublasDestroy_(blas->handle);
  delete blas;
}

void prepare_blas(Stream *stream) {
  Blas *blas = blas_of(stream);
  leave_workspaces(blas);
}

void leave_workspaces(Blas *blas) {
  if (!blas) return;
  blas->current = {};
  for (Workspace &w : blas->workspaces)
    if (w.captured) {
      if (w.memory) release(w.memory);
      w.memory = nullptr;
    }
}

/* Makes the handle work in the stream's order and memory. */
static bool bind(Blas *blas, Stream *stream) {
  if (blas->current.stream == stream) return true;
  const bool captured = is_captured(stream);
  Workspace *own_one = blas->workspaces, *end = own_one + WORKSPACES;
  while (own_one < end && own_one->stream &&
         (own_one->stream != stream || own_one->captured != captured))
    own_one++;
  if (own_one == end) return fail(stream->state, "too many streams multiply matrices");
  if (!own_one->memory) {
    bool exhausted = false;
    own_one->memory = allocate(stream->home().allocator, stream, blas->workspace_bytes, &exhausted);
    if (!own_one->memory)
      return exhausted
                 ? fail(stream->state, "CUDA out of memory: no room for the workspace of cuBLAS")
                 : false;
    own_one->stream = stream;
    own_one->captured = captured;
  }
  const BlasLibrary *l = blas->library;
  blas->current = {}; /* no workspace, if only one of the two calls succeeds */
  if (!check_blas(stream, l->cublasSetStream_(blas->handle, stream->cuda()),
                  "cublasSetStream(handle, stream)") ||
      !check_blas(
          stream,
          l->cublasSetWorkspace_(blas->handle, own_one->memory->data, blas->workspace_bytes),
          "cublasSetWorkspace(handle, workspace, size)"))
    return false;
  blas->current = *own_one;
  return true;
}

void *blas_handle(Stream *stream) {
  Blas *blas = use_device(stream->state, stream->device) ? blas_of(stream) : nullptr;
  return blas && bind(blas, stream) ? blas->handle : nullptr;
}

/* --- types ------------------------------------------------------------------------------------ */

static cudaDataType data_type(int dtype) {
  switch (dtype) {
  case TOCHA_FLOAT16:
    return CUDA_R_16F;
  case TOCHA_BFLOAT16:
    return CUDA_R_16BF;
  case TOCHA_FLOAT32:
    return CUDA_R_32F;
  case TOCHA_FLOAT8_E4M3FN:
    return CUDA_R_8F_E4M3;
  case TOCHA_FLOAT8_E5M2:
    return CUDA_R_8F_E5M2;
  default:
    return CUDA_R_64F;
  }
}

static cublasComputeType_t compute_type(const tocha_gemm_args &args) {
  if (args.dtype == TOCHA_FLOAT64) return CUBLAS_COMPUTE_64F;
  return args.dtype == TOCHA_FLOAT32 && args.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                  : CUBLAS_COMPUTE_32F;
}

/* alpha or beta, in the type of the sums. */
union Number {
  float single;
  double wide;
};

static Number number(const tocha_gemm_args &args, tocha_scalar scalar) {
  double value = tocha_scalar_real(scalar);
  Number x;
  if (args.dtype == TOCHA_FLOAT64)
    x.wide = value;
  else
    x.single = static_cast<float>(value);
  return x;
}

static cublasOperation_t operation(bool transposed) {
  return transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* --- cuBLAS ----------------------------------------------------------------------------------- */

static bool set_reduced(Blas *blas, Stream *stream, bool reduced) {
  if (blas->reduced == reduced) return true;
  int mode = CUBLAS_DEFAULT_MATH;
  if (!reduced) mode |= CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  if (!check_blas(stream,
                  blas->library->cublasSetMathMode_(blas->handle, static_cast<cublasMath_t>(mode)),
                  "cublasSetMathMode(handle, mode)"))
    return false;
  blas->reduced = reduced;
  return true;
}

static bool multiply(Blas *blas, Stream *stream, const tocha_gemm_args &args) {
  cudaDataType type = data_type(args.dtype), out = args.wide ? CUDA_R_32F : type;
  Number alpha = number(args, args.alpha), beta = number(args, args.beta);
  int m = static_cast<int>(args.m), n = static_cast<int>(args.n), k = static_cast<int>(args.k);
  int lda = static_cast<int>(args.lda), ldb = static_cast<int>(args.ldb);
  bool half = args.dtype == TOCHA_FLOAT16 || args.dtype == TOCHA_BFLOAT16;
  if (!set_reduced(blas, stream, !half || args.reduced)) return false;
  if (args.batch == 1)
    return check_blas(stream,
                      blas->library->gemm(blas->handle, operation(args.b_transposed),
                                          operation(args.a_transposed), n, m, k, &alpha, args.b,
                                          type, ldb, args.a, type, lda, &beta, args.out, out, n,
                                          compute_type(args), CUBLAS_GEMM_DEFAULT),
                      "cublasGemmEx(handle, opa, opb, m, n, k, ...)");
  return check_blas(stream,
                    blas->library->gemm_batched(
                        blas->handle, operation(args.b_transposed), operation(args.a_transposed), n,
                        m, k, &alpha, args.b, type, ldb, args.b_batch_stride, args.a, type, lda,
                        args.a_batch_stride, &beta, args.out, out, n,
                        args.out_batch_stride ? args.out_batch_stride : args.m * args.n,
                        static_cast<int>(args.batch), compute_type(args), CUBLAS_GEMM_DEFAULT),
                    "cublasGemmStridedBatchedEx(handle, opa, opb, m, n, k, ...)");
}

/* --- cuBLASLt --------------------------------------------------------------------------------- */

/* Returns the logarithm of the largest power of two, at most 256, that divides an address. */
static uint8_t alignment(const void *pointer) {
  uint8_t power = 0;
  while (power < 8 && reinterpret_cast<uintptr_t>(pointer) % (2u << power) == 0) power++;
  return power;
}

static cublasLtEpilogue_t epilogue_of(const tocha_gemm_args &args) {
  switch (args.activation) {
  case TOCHA_RELU:
    return args.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  case TOCHA_GELU_TANH:
    return args.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  default:
    return args.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  }
}

static Shape shape_of(const tocha_gemm_args &args) {
  Shape s = {};
  s.m = args.m;
  s.n = args.n;
  s.k = args.k;
  s.lda = args.lda;
  s.ldb = args.ldb;
  s.a_dtype = s.b_dtype = s.out_dtype = args.dtype;
  s.epilogue = epilogue_of(args);
  s.compute = compute_type(args);
  s.a_transposed = args.a_transposed;
  s.b_transposed = args.b_transposed;
  s.add = tocha_scalar_real(args.beta) != 0;
  s.a_aligned = alignment(args.a);
  s.b_aligned = alignment(args.b);
  s.out_aligned = alignment(args.out);
  s.bias_aligned = alignment(args.bias);
  return s;
}

/* Creates the layout of a stored matrix, whose columns are our rows. */
static bool new_layout(Blas *blas, cublasLtMatrixLayout_t *layout, cudaDataType type,
                       bool transposed, int64_t rows, int64_t columns, int64_t ld) {
  return blas->library->cublasLtMatrixLayoutCreate_(
             layout, type, static_cast<uint64_t>(transposed ? rows : columns),
             static_cast<uint64_t>(transposed ? columns : rows), ld) == CUBLAS_STATUS_SUCCESS;
}

/* Creates the descriptors of a plan. */
static bool describe(Blas *blas, Plan *plan, const void *bias) {
  const BlasLibrary *l = blas->library;
  const Shape &s = plan->shape;
  cublasComputeType_t compute = static_cast<cublasComputeType_t>(s.compute);
  cudaDataType scale = s.a_dtype == TOCHA_FLOAT64 ? CUDA_R_64F : CUDA_R_32F;
  if (l->cublasLtMatmulDescCreate_(&plan->product, compute, scale) != CUBLAS_STATUS_SUCCESS)
    return false;
  cublasOperation_t first = operation(s.b_transposed), second = operation(s.a_transposed);
  cublasLtEpilogue_t epilogue = static_cast<cublasLtEpilogue_t>(s.epilogue);
  auto set = [&](cublasLtMatmulDescAttributes_t name, const void *value, size_t bytes) {
    return l->cublasLtMatmulDescSetAttribute_(plan->product, name, value, bytes) ==
           CUBLAS_STATUS_SUCCESS;
  };
  return set(CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first) &&
         set(CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second) &&
         set(CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue) &&
         (!bias || set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias)) &&
         (!s.fast || set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, &s.fast, sizeof s.fast)) &&
         new_layout(blas, &plan->b, data_type(s.b_dtype), s.b_transposed, s.k, s.n, s.ldb) &&
         new_layout(blas, &plan->a, data_type(s.a_dtype), s.a_transposed, s.m, s.k, s.lda) &&
         new_layout(blas, &plan->out, data_type(s.out_dtype), false, s.m, s.n, s.n);
}

/* Asks cuBLASLt for its best algorithm. */
static bool find_algorithm(Blas *blas, Plan *plan) {
  const BlasLibrary *l = blas->library;
  const Shape &s = plan->shape;
  cublasLtMatmulPreference_t preference;
  if (l->cublasLtMatmulPreferenceCreate_(&preference) != CUBLAS_STATUS_SUCCESS) return false;
  auto set = [&](cublasLtMatmulPreferenceAttributes_t name, const void *value, size_t bytes) {
    l->cublasLtMatmulPreferenceSetAttribute_(preference, name, value, bytes); /* optional */
  };
  uint64_t bytes = blas->workspace_bytes;
  uint32_t a = 1u << s.b_aligned, b = 1u << s.a_aligned, c = 1u << s.out_aligned;
  uint32_t d = s.bias_aligned < s.out_aligned ? 1u << s.bias_aligned : c;
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, &a, sizeof a);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, &b, sizeof b);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, &c, sizeof c);
  set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, &d, sizeof d);
  cublasLtMatmulHeuristicResult_t best = {};
  int found = 0;
  cublasStatus_t status =
      l->cublasLtMatmulAlgoGetHeuristic_(blas->lt, plan->product, plan->b, plan->a, plan->out,
                                         plan->out, preference, 1, &best, &found);
  l->cublasLtMatmulPreferenceDestroy_(preference);
  plan->algorithm = best.algo;
  return status == CUBLAS_STATUS_SUCCESS && found > 0;
}

/* Returns the plan of a shape. Plans are kept, because asking cuBLASLt takes longer than a small
 * product. */
static Plan *plan_of(Blas *blas, const Shape &shape, const void *bias) {
  uint64_t hash = 0, word;
  for (size_t i = 0; i < sizeof shape; i += sizeof word) {
    memcpy(&word, reinterpret_cast<const char *>(&shape) + i, sizeof word);
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  Plan *plan = &blas->plans[hash % PLANS];
  if (plan->made && memcmp(&plan->shape, &shape, sizeof shape) == 0) return plan;
  delete_plan(blas, plan);
  plan->made = true;
  plan->shape = shape;
  plan->usable = describe(blas, plan, bias) && find_algorithm(blas, plan);
  return plan;
}

enum : int {
  BIAS = CUBLASLT_MATMUL_DESC_BIAS_POINTER,
  A_SCALE = CUBLASLT_MATMUL_DESC_A_SCALE_POINTER,
  B_SCALE = CUBLASLT_MATMUL_DESC_B_SCALE_POINTER
};

/* Sets an address that the description of a product has. */
static bool set_address(Blas *blas, Plan *plan, int which, const void *address) {
  return blas->library->cublasLtMatmulDescSetAttribute_(
             plan->product, static_cast<cublasLtMatmulDescAttributes_t>(which), &address,
             sizeof address) == CUBLAS_STATUS_SUCCESS;
}

struct Operands {
  const void *a, *b;
  void *out;
};

/* Returns true if the product was started. */
static bool start_plan(Blas *blas, Stream *stream, Plan *plan, Operands o, const Number *alpha,
                       const Number *beta) {
  cublasStatus_t status = blas->library->cublasLtMatmul_(
      blas->lt, plan->product, alpha, o.b, plan->b, o.a, plan->a, beta, o.out, plan->out, o.out,
      plan->out, &plan->algorithm, blas->current.memory->data, blas->workspace_bytes,
      stream->cuda());
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) plan->usable = false;
  return status == CUBLAS_STATUS_SUCCESS;
}

/* Returns true if cuBLASLt's activation is as accurate as args.dtype: its GELU has about ten digits (measured on an H200). */
static bool activates_accurately(const tocha_gemm_args &args) {
  return args.activation != TOCHA_GELU_TANH || args.dtype != TOCHA_FLOAT64;
}

/* Returns true if the product was started, and false if cuBLASLt does not do it (no error then). */
static bool multiply_fused(Blas *blas, Stream *stream, const tocha_gemm_args &args) {
  bool half = args.dtype == TOCHA_FLOAT16 || args.dtype == TOCHA_BFLOAT16;
  if (!activates_accurately(args)) return false;
  if (!blas->lt || args.batch != 1 || args.n < 2 || args.k < 2 || (half && !args.reduced))
    return false;
  Plan *plan = plan_of(blas, shape_of(args), args.bias);
  Number alpha = number(args, args.alpha), beta = number(args, args.beta);
  return plan->usable && (!args.bias || set_address(blas, plan, BIAS, args.bias)) &&
         start_plan(blas, stream, plan, {args.a, args.b, args.out}, &alpha, &beta);
}

/* Copies the bias to every row of out (batch * m, n). */
static bool spread_bias(Stream *stream, const tocha_gemm_args &args) {
  static const int bytes[] = {2, 2, 4, 8};
  int item = bytes[args.dtype - TOCHA_FLOAT16];
  tocha_strided_layout layout = {};
  layout.ndim = 2;
  layout.operands = 2;
  layout.numel = args.batch * args.m * args.n;
  layout.sizes[0] = args.n;
  layout.sizes[1] = args.batch * args.m;
  layout.strides[0][0] = layout.strides[1][0] = item;
  layout.strides[0][1] = args.n * item;
  layout.data[0] = args.out;
  layout.data[1] = const_cast<void *>(args.bias);
  layout.dtype[0] = layout.dtype[1] = args.dtype;
  return launch_copy(stream, layout);
}

/* Computes the product, its bias and its activation in separate steps. */
static bool multiply_apart(Blas *blas, Stream *stream, tocha_gemm_args args) {
  if (args.bias) {
    if (!spread_bias(stream, args)) return false;
    args.beta = tocha_int(1);
  }
  return multiply(blas, stream, args) &&
         (!args.activation || start_activation(stream, args.out, args.batch * args.m * args.n,
                                               args.dtype, args.activation));
}

bool launch_gemm(Stream *stream, const tocha_gemm_args &args) {
  const int64_t sizes[] = {args.m, args.n, args.k, args.lda, args.ldb, args.batch};
  for (int64_t size : sizes)
    if (size > INT_MAX)
      return fail(stream->state,
                  "CUDA: matrices with more than %d rows or columns cannot be multiplied", INT_MAX);
  Blas *blas = blas_of(stream);
  if (!blas || !bind(blas, stream)) return false;
  if (!args.bias && !args.activation) return multiply(blas, stream, args);
  return multiply_fused(blas, stream, args) || multiply_apart(blas, stream, args);
}

/* --- float8 and int8 --------------------------------------------------------------------------- */

static Shape shape_of(const tocha_scaled_gemm_args &args) {
  Shape s = {};
  s.m = args.m;
  s.n = args.n;
  s.k = s.lda = s.ldb = args.k;
  s.a_dtype = args.a_dtype;
  s.b_dtype = args.b_dtype;
  s.out_dtype = args.out_dtype;
  s.epilogue = args.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  s.compute = CUBLAS_COMPUTE_32F;
  s.b_transposed = 1;
  s.a_aligned = alignment(args.a);
  s.b_aligned = alignment(args.b);
  s.out_aligned = alignment(args.out);
  s.bias_aligned = alignment(args.bias);
  s.a_scaled = args.scale_a != nullptr;
  s.b_scaled = args.scale_b != nullptr;
  s.fast = args.fast;
  return s;
}

bool launch_scaled_gemm(Stream *stream, const tocha_scaled_gemm_args &args) {
  const cudaDeviceProp &device = stream->home().properties;
  if (device.major < 8 || (device.major == 8 && device.minor < 9))
    return fail(stream->state, "torch._scaled_mm is only supported on CUDA devices with compute "
                               "capability >= 9.0 or 8.9, or ROCm MI300+");
  if (args.m > INT_MAX || args.n > INT_MAX || args.k > INT_MAX)
    return fail(stream->state,
                "CUDA: matrices with more than %d rows or columns cannot be multiplied", INT_MAX);
  Blas *blas = blas_of(stream);
  if (!blas || !bind(blas, stream)) return false;
  if (!blas->lt) return fail(stream->state, "products of float8 on CUDA need cuBLASLt");
  Plan *plan = plan_of(blas, shape_of(args), args.bias);
  Number alpha, beta;
  alpha.single = 1;
  beta.single = 0;
  return (plan->usable && (!args.bias || set_address(blas, plan, BIAS, args.bias)) &&
          (!args.scale_a || set_address(blas, plan, B_SCALE, args.scale_a)) &&
          (!args.scale_b || set_address(blas, plan, A_SCALE, args.scale_b)) &&
          start_plan(blas, stream, plan, {args.a, args.b, args.out}, &alpha, &beta)) ||
         fail(stream->state,
              "CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling "
              "`cublasLtMatmul` for float8 (%lldx%lld and %lldx%lld)",
              static_cast<long long>(args.m), static_cast<long long>(args.k),
              static_cast<long long>(args.k), static_cast<long long>(args.n));
}

bool launch_int_gemm(Stream *stream, const tocha_int_gemm_args &args) {
  if (args.m > INT_MAX || args.n > INT_MAX || args.k > INT_MAX)
    return fail(stream->state,
                "CUDA: matrices with more than %d rows or columns cannot be multiplied", INT_MAX);
  Blas *blas = blas_of(stream);
  if (!blas || !bind(blas, stream)) return false;
  const int m = static_cast<int>(args.m), n = static_cast<int>(args.n),
            k = static_cast<int>(args.k), alpha = 1, beta = 0;
  return check_blas(stream,
                    blas->library->gemm(blas->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha,
                                        args.b, CUDA_R_8I, n, args.a, CUDA_R_8I, k, &beta, args.out,
                                        CUDA_R_32I, n, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT),
                    "cublasGemmEx(handle, opa, opb, m, n, k, ...)");
}

} // namespace tocha
