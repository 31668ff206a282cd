/* launch.h: the kernels of linear algebra that cuSOLVER lacks (matrices.cu), and those that call it
 * (factors.cpp, spectra.cpp). */
#pragma once

#include "ops/linalg/kernels.h"
#include "runtime/state.h"

namespace tocha {

bool launch_getrf(Stream *stream, const tocha_getrf_args &args);
bool launch_getrs(Stream *stream, const tocha_getrs_args &args);
bool launch_determinant(Stream *stream, const tocha_determinant_args &args);
bool launch_permutation(Stream *stream, const tocha_permutation_args &args);
bool launch_potrf(Stream *stream, const tocha_potrf_args &args);
bool launch_potrs(Stream *stream, const tocha_potrs_args &args);
bool launch_potri(Stream *stream, const tocha_potri_args &args);
bool launch_geqrf(Stream *stream, const tocha_geqrf_args &args);
bool launch_orgqr(Stream *stream, const tocha_orgqr_args &args);
bool launch_ormqr(Stream *stream, const tocha_ormqr_args &args);
bool launch_trsm(Stream *stream, const tocha_trsm_args &args);
bool launch_gesdd(Stream *stream, const tocha_gesdd_args &args);
bool launch_syevd(Stream *stream, const tocha_syevd_args &args);

/* Writes the addresses of n matrices, `step` bytes apart, to out on the device. */
bool fill_pointers(Stream *stream, void **out, const void *first, long long step, long long n);

/* Copies the first columns (transposed: rows) of each of in (batch), whose columns are in_rows
 * apart, to out, which may have fewer. */
struct MatrixCopy {
  const void *in;
  void *out;
  long long in_rows, in_step, rows, columns, out_step, batch;
  int dtype, transposed;
};
bool copy_matrices(Stream *stream, const MatrixCopy &copy);
/* Copies the triangle that potri wrote, the upper or the lower one, to the other. */
bool mirror_triangles(Stream *stream, const tocha_potri_args &args);
/* Fills matrices with ones on the diagonal and zeros elsewhere. */
bool fill_identities(Stream *stream, const tocha_orgqr_args &args);

} // namespace tocha
