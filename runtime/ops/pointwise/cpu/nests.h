/* nests.h: the loops of formulas of one, two and three operands, with results of type R.
 * elementwise.h includes this file once for each R and names the functions by LOOP.
 *
 * Contiguous data uses a loop that the compiler vectorizes, and so does a broadcast number on
 * either side of a binary operator. All other layouts use the strided loop. The _slow loops are for
 * expensive functions, which gain nothing from special cases. */

NEST LOOP(unary_slow)(char *const *data, const int64_t *strides, int64_t n, const void *p,
                      R (*formula)(T, const T *)) {
  const numbers k = load_numbers(p);
  for (int64_t i = 0; i < n; i++)
    *(R *)(data[0] + i * strides[0]) = formula(load(data[1], strides[1], i), k.p);
}

NEST LOOP(unary)(char *const *data, const int64_t *strides, int64_t n, const void *p,
                 R (*formula)(T, const T *)) {
  if (strides[0] != sizeof(R) || strides[1] != sizeof(T)) {
    LOOP(unary_slow)(data, strides, n, p, formula);
    return;
  }
  const numbers k = load_numbers(p);
  R *out = (R *)data[0];
  const T *x = (const T *)data[1];
  for (int64_t i = 0; i < n; i++) out[i] = formula(x[i], k.p);
}

NEST LOOP(binary_slow)(char *const *data, const int64_t *strides, int64_t n, const void *p,
                       R (*formula)(T, T, const T *)) {
  const numbers k = load_numbers(p);
  for (int64_t i = 0; i < n; i++)
    *(R *)(data[0] + i * strides[0]) =
        formula(load(data[1], strides[1], i), load(data[2], strides[2], i), k.p);
}

NEST LOOP(binary)(char *const *data, const int64_t *strides, int64_t n, const void *p,
                  R (*formula)(T, T, const T *)) {
  const int64_t item = sizeof(T);
  const numbers k = load_numbers(p);
  R *out = (R *)data[0];
  const T *x = (const T *)data[1], *y = (const T *)data[2];
  if (strides[0] == sizeof(R) && strides[1] == item && strides[2] == item) {
    for (int64_t i = 0; i < n; i++) out[i] = formula(x[i], y[i], k.p);
  } else if (strides[0] == sizeof(R) && strides[1] == item && strides[2] == 0) {
    const T b = y[0];
    for (int64_t i = 0; i < n; i++) out[i] = formula(x[i], b, k.p);
  } else if (strides[0] == sizeof(R) && strides[1] == 0 && strides[2] == item) {
    const T a = x[0];
    for (int64_t i = 0; i < n; i++) out[i] = formula(a, y[i], k.p);
  } else {
    LOOP(binary_slow)(data, strides, n, p, formula);
  }
}

NEST LOOP(ternary_slow)(char *const *data, const int64_t *strides, int64_t n, const void *p,
                        R (*formula)(T, T, T, const T *)) {
  const numbers k = load_numbers(p);
  for (int64_t i = 0; i < n; i++)
    *(R *)(data[0] + i * strides[0]) =
        formula(load(data[1], strides[1], i), load(data[2], strides[2], i),
                load(data[3], strides[3], i), k.p);
}

/* Runs a ternary formula over n elements. An operand with stride 0 is repeated in a block, so that
 * the loop for contiguous data applies. */
NEST LOOP(ternary)(char *const *data, const int64_t *strides, int64_t n, const void *p,
                   R (*formula)(T, T, T, const T *)) {
  enum { BLOCK = 256 };
  const int64_t item = sizeof(T);
  const T *in[3];
  T spread[3][BLOCK];
  bool regular = strides[0] == sizeof(R), repeats = false;
  for (int k = 0; k < 3; k++) {
    in[k] = (const T *)data[k + 1];
    regular = regular && (strides[k + 1] == item || strides[k + 1] == 0);
    repeats = repeats || strides[k + 1] == 0;
  }
  if (!regular) {
    LOOP(ternary_slow)(data, strides, n, p, formula);
    return;
  }
  const int64_t block = repeats && n > BLOCK ? BLOCK : n;
  for (int k = 0; k < 3; k++) {
    if (strides[k + 1] != 0) continue;
    for (int64_t i = 0; i < block; i++) spread[k][i] = *in[k];
    in[k] = spread[k];
  }
  const numbers c = load_numbers(p);
  for (int64_t at = 0; at < n; at += block) {
    R *out = (R *)data[0] + at;
    const T *x = in[0] + (strides[1] ? at : 0), *y = in[1] + (strides[2] ? at : 0);
    const T *z = in[2] + (strides[3] ? at : 0);
    const int64_t count = n - at < block ? n - at : block;
    for (int64_t i = 0; i < count; i++) out[i] = formula(x[i], y[i], z[i], c.p);
  }
}
