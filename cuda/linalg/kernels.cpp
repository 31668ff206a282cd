/* kernels.cpp: the table of the family linalg. The rest runs on the host: L D L' factors and least
 * squares. */
#include "common/entry.h"
#include "linalg/launch.h"

namespace tocha {

extern const tocha_linalg_kernels linalg_kernels;
const tocha_linalg_kernels linalg_kernels = {
    entry<tocha_getrf_args, launch_getrf>,
    entry<tocha_getrs_args, launch_getrs>,
    entry<tocha_determinant_args, launch_determinant>,
    entry<tocha_permutation_args, launch_permutation>,
    entry<tocha_potrf_args, launch_potrf>,
    entry<tocha_potrs_args, launch_potrs>,
    entry<tocha_potri_args, launch_potri>,
    entry<tocha_geqrf_args, launch_geqrf>,
    entry<tocha_orgqr_args, launch_orgqr>,
    entry<tocha_ormqr_args, launch_ormqr>,
    nullptr, /* sytrf */
    nullptr, /* sytrs */
    entry<tocha_trsm_args, launch_trsm>,
    entry<tocha_gesdd_args, launch_gesdd>,
    entry<tocha_syevd_args, launch_syevd>,
    nullptr, /* gels */
};

} // namespace tocha
