/* order.h: chooses the order in which the CPU adds the terms of a product, and so the code that multiplies (order.c). The
 * choice follows from the context's digits and from the sizes, so the same product has the same digits at any time. */
#ifndef TOCHA_PRODUCT_ORDER_H
#define TOCHA_PRODUCT_ORDER_H

#include "core/internal.h"
#include "ops/matmul/kernels.h"

/* Returns true if tocha_small_gemm computes the product. */
bool tocha_product_is_small(const tocha_context *cx, const tocha_gemm_args *args);

/* Returns true if oneDNN computes the product, provided that the library is there. */
bool tocha_product_is_onednns(const tocha_context *cx, const tocha_gemm_args *args);

typedef struct tocha_product_order {
  bool in_pieces; /* tocha_terms_together terms at a time */
  int64_t narrow; /* number of last columns that narrow.h computes instead of the BLAS */
} tocha_product_order;

/* Returns the order of a product that oneDNN or the BLAS computes, the latter on several threads if it is `shared`. */
tocha_product_order tocha_order_of_product(const tocha_context *cx, const tocha_gemm_args *args,
                                           bool by_onednn, bool shared);

/* Computes an inner product. Returns false, without computing, if the BLAS should compute it. */
bool tocha_dot_in_order(const tocha_context *cx, const tocha_dot_args *args);

/* Returns the number of terms that are added next, if `left` of k terms of float32 are left. MKL adds in these pieces on
 * AVX-512. Each piece is short enough that oneDNN, too, adds it in order, however wide the panel is. */
static inline int64_t tocha_terms_together(int64_t k, int64_t left) {
  enum { MAXIMUM = 192 };
  int64_t piece = k > MAXIMUM && k < 2 * MAXIMUM ? k / 2 : MAXIMUM;
  return left < piece ? left : piece;
}

#endif
