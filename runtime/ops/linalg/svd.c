/* svd.c: singular values and vectors, and eigenvalues and eigenvectors of symmetric matrices. */
#include "linalg/implementations.h"
#include "ops/linalg/matrices.h"
#include "tensor/copy.h"
#include "tocha/ops/eye.h"

/* --- singular values ----------------------------------------------------------------------------------------- */

/* Fills S (..., K) and, if `vectors`, U and Vh. */
static bool decompose(tocha_context *cx, tocha_tensor *A, bool vectors, const char *name,
                      tocha_tensor *U, tocha_tensor *S, tocha_tensor *Vh) {
  tocha_tensor *info = tocha_new_numbers(cx, A, TOCHA_INT32);
  tocha_tensor *a = tocha_copy_matrices(cx, A, true);
  tocha_stream *stream = tocha_stream_of(cx, A->device);
  if (!a || !info || !stream) return false;
  tocha_gesdd_args args = {.a = tocha_matrix_batch_of(a),
                           .s = tocha_vector_batch_of(S),
                           .info = tocha_info_of(info),
                           .batch = tocha_matrix_count(A),
                           .dtype = A->dtype};
  if (vectors) {
    args.u = tocha_matrix_batch_of(U);
    args.vh = tocha_matrix_batch_of(Vh);
  }
  return tocha_launched(cx, stream->kernels->linalg->gesdd(stream, &args)) &&
         tocha_check_info(cx, info, TOCHA_FAILS_SINGULAR_VALUES, name);
}

/* Fills t with identity matrices, the singular vectors of matrices without elements. */
static bool unit_vectors(tocha_context *cx, tocha_tensor *t) {
  int64_t columns = tocha_column_count(t);
  if (!tocha_has_elements(t)) return true;
  tocha_tensor *unit =
      tocha_eye_full(cx, tocha_row_count(t), &columns, (tocha_dtype)t->dtype, t->device, false);
  return unit && tocha_copy_data(cx, t, unit);
}

bool tocha_op__linalg_svd(tocha_context *cx, tocha_tensor *A, bool full_matrices, bool compute_uv,
                          const char *driver, const char *name, tocha_tensor **U, tocha_tensor **S,
                          tocha_tensor **Vh) {
  bool floating = tocha_dtype_is_floating((tocha_dtype)A->dtype);
  if (!tocha_check_matrix(cx, A, "linalg.svd", "A") ||
      (!floating && !tocha_check_real(cx, A, "linalg.svd", NULL)))
    return false;
  if (driver && A->numel && !tocha_is_on_device(A)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs "
               "with cuSOLVER backend.");
    return false;
  }
  if (A->numel && !tocha_check_real(cx, A, NULL, "linalg_svd_cpu")) return false;
  int64_t m = tocha_row_count(A), n = tocha_column_count(A), k = m < n ? m : n;
  tocha_dtype dtype = (tocha_dtype)A->dtype;
  *U = compute_uv ? tocha_new_matrices(cx, A, m, full_matrices ? m : k, true)
                  : tocha_new_nothing(cx, A, dtype);
  *S = tocha_new_vectors(cx, A, k, tocha_dtype_real(dtype));
  *Vh = compute_uv ? tocha_new_matrices(cx, A, full_matrices ? n : k, n, true)
                   : tocha_new_nothing(cx, A, dtype);
  if (!*U || !*S || !*Vh) return false;
  if (A->numel == 0 && compute_uv) return unit_vectors(cx, *U) && unit_vectors(cx, *Vh);
  return !tocha_has_elements(A) || decompose(cx, A, compute_uv, name, *U, *S, *Vh);
}

/* --- symmetric matrices -------------------------------------------------------------------------------------- */

bool tocha_op__linalg_eigh(tocha_context *cx, tocha_tensor *A, const char *UPLO, bool compute_v,
                           const char *name, tocha_tensor **eigenvalues,
                           tocha_tensor **eigenvectors) {
  tocha_dtype dtype = (tocha_dtype)A->dtype;
  char letter = (char)(UPLO[0] == 'l' ? 'L' : UPLO[0] == 'u' ? 'U' : UPLO[0]);
  if (!tocha_check_square(cx, A, "linalg.eigh", "A")) return false;
  if ((letter != 'L' && letter != 'U') || UPLO[1]) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "Expected UPLO argument to be 'L' or 'U', but got %s",
               UPLO);
    return false;
  }
  if (!tocha_check_real(cx, A, NULL, "linalg_eigh_cpu")) return false;
  tocha_tensor *V = tocha_copy_matrices(cx, A, true);
  *eigenvalues = tocha_new_vectors(cx, A, tocha_row_count(A), tocha_dtype_real(dtype));
  *eigenvectors = compute_v ? V : tocha_new_nothing(cx, A, dtype);
  if (!V || !*eigenvalues || !*eigenvectors) return false;
  if (!tocha_has_elements(A)) return true;
  tocha_tensor *info = tocha_new_numbers(cx, A, TOCHA_INT32);
  tocha_stream *stream = tocha_stream_of(cx, A->device);
  if (!info || !stream) return false;
  tocha_syevd_args args = {.a = tocha_matrix_batch_of(V),
                           .w = tocha_vector_batch_of(*eigenvalues),
                           .info = tocha_info_of(info),
                           .batch = info->numel,
                           .dtype = A->dtype,
                           .upper = letter == 'U',
                           .vectors = compute_v};
  return tocha_launched(cx, stream->kernels->linalg->syevd(stream, &args)) &&
         tocha_check_info(cx, info, TOCHA_FAILS_EIGENVALUES, name);
}
