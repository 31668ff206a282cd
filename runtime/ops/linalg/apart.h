/* apart.h: a long call of LAPACK in a thread of its own, which an interrupt leaves to itself (apart.c). */
#ifndef TOCHA_APART_H
#define TOCHA_APART_H

#include "ops/linalg/matrices.h"

/* Whether a job of so many multiplications for each matrix is to run apart. */
bool tocha_runs_apart(const tocha_lapack_job *job, double work);
/* Calls job->one for matrix i in a thread that has copies of all it reads and writes, and waits for it. After an interrupt the
 * thread ends by itself and nothing is written. false: there is no memory or no thread for it, and nothing was done. */
bool tocha_run_apart(const tocha_lapack_job *job, int64_t i);

#endif
