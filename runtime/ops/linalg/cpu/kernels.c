/* kernels.c: the table of the CPU's kernels of linear algebra. */
#include "ops/linalg/cpu/kernels.h"

extern const tocha_linalg_kernels tocha_cpu_linalg;
const tocha_linalg_kernels tocha_cpu_linalg = {
    .getrf = tocha_cpu_getrf,
    .getrs = tocha_cpu_getrs,
    .determinant = tocha_cpu_determinant,
    .permutation = tocha_cpu_permutation,
    .potrf = tocha_cpu_potrf,
    .potrs = tocha_cpu_potrs,
    .potri = tocha_cpu_potri,
    .geqrf = tocha_cpu_geqrf,
    .orgqr = tocha_cpu_orgqr,
    .ormqr = tocha_cpu_ormqr,
    .sytrf = tocha_cpu_sytrf,
    .sytrs = tocha_cpu_sytrs,
    .trsm = tocha_cpu_trsm,
    .gesdd = tocha_cpu_gesdd,
    .syevd = tocha_cpu_syevd,
    .gels = tocha_cpu_gels,
};
