/* panels.h: LAPACK's functions for one large matrix, in panels of columns (panels.c). LAPACK factors a panel, and BLAS updates
 * the columns to its right on several threads. Interrupts are noticed between the two. A small matrix is passed to LAPACK as a
 * whole.
 *
 * Parameters and results are LAPACK's: a is column-major, (m, n) or (n, n), b (n, columns). After an interrupt the results are
 * unfinished. */
#ifndef TOCHA_PANELS_H
#define TOCHA_PANELS_H

#include "ops/linalg/cpu/batch.h"

void tocha_panels_getrf(const tocha_batch *batch, int m, int n, void *a, int *pivots, int *info);
void tocha_panels_getrs(const tocha_batch *batch, const char *transposed, int n, int columns,
                        const void *a, const int *pivots, void *b);
void tocha_panels_potrf(const tocha_batch *batch, const char *uplo, int n, void *a, int *info);
void tocha_panels_potrs(const tocha_batch *batch, const char *uplo, int n, int columns,
                        const void *a, void *b);
/* Compute LAPACK's geqrf and orgqr. work: `lwork` elements of scratch memory, as many as LAPACK asks for. */
void tocha_panels_geqrf(const tocha_batch *batch, int m, int n, void *a, void *tau, void *work,
                        int lwork);
void tocha_panels_orgqr(const tocha_batch *batch, int m, int n, int k, void *a, const void *tau,
                        void *work, int lwork);

#endif
