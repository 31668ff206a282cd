/* kernels.h: the CPU's kernels of linear algebra. Arguments and results are those of ops/linalg/kernels.h. */
#ifndef TOCHA_LINALG_CPU_KERNELS_H
#define TOCHA_LINALG_CPU_KERNELS_H

#include "ops/linalg/cpu/batch.h"

/* factors.c */
bool tocha_cpu_getrf(tocha_stream *stream, const tocha_getrf_args *args);
bool tocha_cpu_determinant(tocha_stream *stream, const tocha_determinant_args *args);
bool tocha_cpu_permutation(tocha_stream *stream, const tocha_permutation_args *args);
bool tocha_cpu_potrf(tocha_stream *stream, const tocha_potrf_args *args);
bool tocha_cpu_potri(tocha_stream *stream, const tocha_potri_args *args);
bool tocha_cpu_sytrf(tocha_stream *stream, const tocha_sytrf_args *args);

/* qr.c */
bool tocha_cpu_geqrf(tocha_stream *stream, const tocha_geqrf_args *args);
bool tocha_cpu_orgqr(tocha_stream *stream, const tocha_orgqr_args *args);
bool tocha_cpu_ormqr(tocha_stream *stream, const tocha_ormqr_args *args);

/* systems.c */
bool tocha_cpu_getrs(tocha_stream *stream, const tocha_getrs_args *args);
bool tocha_cpu_potrs(tocha_stream *stream, const tocha_potrs_args *args);
bool tocha_cpu_sytrs(tocha_stream *stream, const tocha_sytrs_args *args);
bool tocha_cpu_trsm(tocha_stream *stream, const tocha_trsm_args *args);
bool tocha_cpu_gels(tocha_stream *stream, const tocha_gels_args *args);

/* spectra.c */
bool tocha_cpu_gesdd(tocha_stream *stream, const tocha_gesdd_args *args);
bool tocha_cpu_syevd(tocha_stream *stream, const tocha_syevd_args *args);

#endif
