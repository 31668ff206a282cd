/* cascade_sum.h: four sums side by side of type A, a T or a vector of T. sum.h includes this file
 * once for each type; CASCADE(name) forms the function names, and MAP_ELEMENT(&x, map, number) maps
 * an A.
 *
 * Every 2^p additions the running sums move to the next of four levels. The error of such a cascade
 * grows with log n, with p = max(4, log2(n) / 4). */

/* Adds four elements, `column` bytes apart, to the four sums of a. */
ROW void CASCADE(add)(A *a, const char *in, int64_t column, mapping map, double number) {
  A x0, x1, x2, x3;
  memcpy(&x0, in, sizeof x0);
  memcpy(&x1, in + column, sizeof x1);
  memcpy(&x2, in + 2 * column, sizeof x2);
  memcpy(&x3, in + 3 * column, sizeof x3);
  MAP_ELEMENT(&x0, map, number);
  MAP_ELEMENT(&x1, map, number);
  MAP_ELEMENT(&x2, map, number);
  MAP_ELEMENT(&x3, map, number);
  a[0] += x0;
  a[1] += x1;
  a[2] += x2;
  a[3] += x3;
}

/* Moves the running sums to level 1, and full levels further up. i: number of additions so far. */
ROW void CASCADE(carry)(A level[LEVELS][GROUP], A *a, int64_t i, int power) {
  const int64_t digit = ((int64_t)1 << power) - 1;
  for (int k = 0; k < GROUP; k++) {
    level[1][k] += a[k];
    a[k] = (A){0};
  }
  for (int l = 2; l < LEVELS && (i & (digit << ((l - 1) * power))) == 0; l++) {
    for (int k = 0; k < GROUP; k++) {
      level[l][k] += level[l - 1][k];
      level[l - 1][k] = (A){0};
    }
  }
}

/* Writes sums[k] = the sum over i < size of the A at in + i * row + k * column, for k < GROUP. */
ROW void CASCADE(columns)(const char *in, int64_t row, int64_t column, int64_t size, A *sums,
                          mapping map, double number) {
  int power = tocha_cascade_power(size, LEVELS);
  int64_t step = (int64_t)1 << power, i = 0;
  A level[LEVELS][GROUP], a[GROUP];
  memset(a, 0, sizeof a);
  memset(level[1], 0, sizeof level[1]); /* separately, because a long memset is slow to start */
  memset(level[2], 0, sizeof level[2]);
  memset(level[3], 0, sizeof level[3]);
  while (i + step <= size) {
    for (int64_t j = 0; j < step; j++, in += row) CASCADE(add)(a, in, column, map, number);
    i += step;
    CASCADE(carry)(level, a, i, power);
  }
  for (; i < size; i++, in += row) CASCADE(add)(a, in, column, map, number);
  for (int k = 0; k < GROUP; k++) sums[k] = ((a[k] + level[1][k]) + level[2][k]) + level[3][k];
}

/* Writes *sum = the sum over i < size of the A at in + i * stride. Every fourth element is in the
 * same partial sum. */
ROW void CASCADE(row)(const char *in, int64_t stride, int64_t size, A *sum, mapping map,
                      double number) {
  int64_t quarter = size / GROUP;
  A sums[GROUP];
  CASCADE(columns)(in, stride * GROUP, stride, quarter, sums, map, number);
  for (int64_t i = quarter * GROUP; i < size; i++) {
    A x;
    memcpy(&x, in + i * stride, sizeof x);
    MAP_ELEMENT(&x, map, number);
    sums[0] += x;
  }
  *sum = ((sums[0] + sums[1]) + sums[2]) + sums[3];
}

#undef A
#undef CASCADE
#undef MAP_ELEMENT
