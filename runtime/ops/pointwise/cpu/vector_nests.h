/* vector_nests.h: the loops of formulas that work on vectors of the compute type.
 *
 * The _whole ones take whole vectors, and the rest one element at a time by the same formula on T; the _pairs ones take whole
 * pairs of vectors. */

#ifdef TOCHA_NO_VECTORS_OF_T
NEST unary_vectors(char *const *data, const int64_t *strides, int64_t n, const void *p,
                   T (*formula)(T, const T *)) {
  unary(data, strides, n, p, formula);
}
NEST binary_vectors(char *const *data, const int64_t *strides, int64_t n, const void *p,
                    T (*formula)(T, T, const T *)) {
  binary(data, strides, n, p, formula);
}
NEST ternary_vectors(char *const *data, const int64_t *strides, int64_t n, const void *p,
                     T (*formula)(T, T, T, const T *)) {
  ternary(data, strides, n, p, formula);
}
#else
/* Loads LANES contiguous elements. The loops of whole vectors have no tests between them. */
static inline V whole_vector(const T *x) {
  V value;
  memcpy(&value, x, sizeof value);
  return value;
}

NEST unary_vectors(char *const *data, const int64_t *strides, int64_t n, const void *p,
                   V (*formula)(V, const T *)) {
  const numbers k = load_numbers(p);
  int64_t i = 0;
  if (strides[0] == sizeof(T) && strides[1] == sizeof(T)) {
    T *out = (T *)data[0];
    const T *x = (const T *)data[1];
    for (; i + LANES <= n; i += LANES) {
      V value = formula(whole_vector(x + i), k.p);
      memcpy(out + i, &value, sizeof value);
    }
  }
  for (; i < n; i += LANES)
    vector_store(data[0], strides[0], i, n, formula(vector_load(data[1], strides[1], i, n), k.p));
}

NEST binary_vectors(char *const *data, const int64_t *strides, int64_t n, const void *p,
                    V (*formula)(V, V, const T *)) {
  const numbers k = load_numbers(p);
  int64_t i = 0;
  if (strides[0] == sizeof(T) && strides[1] == sizeof(T) && strides[2] == sizeof(T)) {
    T *out = (T *)data[0];
    const T *x = (const T *)data[1], *y = (const T *)data[2];
    for (; i + LANES <= n; i += LANES) {
      V value = formula(whole_vector(x + i), whole_vector(y + i), k.p);
      memcpy(out + i, &value, sizeof value);
    }
  }
  for (; i < n; i += LANES) {
    V a = vector_load(data[1], strides[1], i, n), b = vector_load(data[2], strides[2], i, n);
    vector_store(data[0], strides[0], i, n, formula(a, b, k.p));
  }
}

NEST ternary_vectors(char *const *data, const int64_t *strides, int64_t n, const void *p,
                     V (*formula)(V, V, V, const T *)) {
  const numbers k = load_numbers(p);
  for (int64_t i = 0; i < n; i += LANES) {
    V a = vector_load(data[1], strides[1], i, n), b = vector_load(data[2], strides[2], i, n);
    V c = vector_load(data[3], strides[3], i, n);
    vector_store(data[0], strides[0], i, n, formula(a, b, c, k.p));
  }
}
#endif

/* Returns how many of n elements fill whole pairs of vectors. */
static inline int64_t whole_pairs(int64_t n) { return n / (2 * LANES) * (2 * LANES); }

/* The addresses of the operands from one element on. */
typedef struct operands {
  char *data[1 + TOCHA_FORMULA_INPUTS];
} operands;

static inline operands operands_at(char *const *data, const int64_t *strides, int count,
                                   int64_t begin) {
  operands at;
  for (int k = 0; k < count; k++) at.data[k] = data[k] + begin * strides[k];
  return at;
}

NEST unary_pairs(char *const *data, const int64_t *strides, int64_t n, const void *p,
                 T (*formula)(T, const T *), V (*on_vectors)(V, const T *)) {
  int64_t whole = whole_pairs(n);
  operands rest = operands_at(data, strides, 2, whole);
  unary_vectors(data, strides, whole, p, on_vectors);
  unary_slow(rest.data, strides, n - whole, p, formula);
}

NEST unary_whole(char *const *data, const int64_t *strides, int64_t n, const void *p,
                 T (*formula)(T, const T *), V (*on_vectors)(V, const T *)) {
  int64_t whole = n / LANES * LANES;
  operands rest = operands_at(data, strides, 2, whole);
  unary_vectors(data, strides, whole, p, on_vectors);
  unary_slow(rest.data, strides, n - whole, p, formula);
}

NEST binary_pairs(char *const *data, const int64_t *strides, int64_t n, const void *p,
                  T (*formula)(T, T, const T *), V (*on_vectors)(V, V, const T *)) {
  int64_t whole = whole_pairs(n);
  operands rest = operands_at(data, strides, 3, whole);
  binary_vectors(data, strides, whole, p, on_vectors);
  binary_slow(rest.data, strides, n - whole, p, formula);
}

NEST ternary_pairs(char *const *data, const int64_t *strides, int64_t n, const void *p,
                   T (*formula)(T, T, T, const T *), V (*on_vectors)(V, V, V, const T *)) {
  int64_t whole = whole_pairs(n);
  operands rest = operands_at(data, strides, 4, whole);
  ternary_vectors(data, strides, whole, p, on_vectors);
  ternary_slow(rest.data, strides, n - whole, p, formula);
}
