/* huffman.c: finds Huffman codes of limited length, in canonical form (RFC 1951, 3.2.2). */
#include "io/huffman.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_BITS = 15, DEEPEST = TOCHA_HUFFMAN_SYMBOLS };

typedef struct leaf {
  uint32_t count;
  int symbol;
} leaf;

static int by_count(const void *a, const void *b) {
  const leaf *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? -1 : 1;
  return x->symbol - y->symbol;
}

/* Writes the depth of each of n > 1 leaves, which are sorted by count. Joins the two nodes of the
 * smallest counts until one is left: inner nodes come into being sorted, so the next one is at
 * the front of the leaves or of the inner nodes. */
static void find_depths(const leaf *leaves, int n, int *depths) {
  uint64_t counts[2 * TOCHA_HUFFMAN_SYMBOLS];
  int parents[2 * TOCHA_HUFFMAN_SYMBOLS], all[2 * TOCHA_HUFFMAN_SYMBOLS], leaf_at = 0, inner_at = n;
  for (int i = 0; i < n; i++) counts[i] = leaves[i].count;
  for (int made = n; made < 2 * n - 1; made++) {
    counts[made] = 0;
    for (int k = 0; k < 2; k++) {
      int next = leaf_at < n && (inner_at == made || counts[leaf_at] <= counts[inner_at])
                     ? leaf_at++
                     : inner_at++;
      counts[made] += counts[next];
      parents[next] = made;
    }
  }
  all[2 * n - 2] = 0;
  for (int i = 2 * n - 3; i >= 0; i--) all[i] = all[parents[i]] + 1;
  memcpy(depths, all, (size_t)n * sizeof *depths);
}

/* Changes the numbers of words of each length so that none is longer than `maximum` bits and the
 * code stays complete. */
static void limit_lengths(int *numbers, int maximum) {
  for (int length = maximum + 1; length < DEEPEST; length++) {
    numbers[maximum] += numbers[length];
    numbers[length] = 0;
  }
  int64_t used = 0; /* in units of the longest words */
  for (int length = 1; length <= maximum; length++)
    used += (int64_t)numbers[length] << (maximum - length);
  for (; used > (int64_t)1 << maximum; used--) {
    /* a shorter word becomes the beginning of two, one of them in place of a longest word */
    int length = maximum - 1;
    while (!numbers[length]) length--;
    numbers[maximum]--;
    numbers[length]--;
    numbers[length + 1] += 2;
  }
}

void tocha_huffman_assign(tocha_huffman *code, int n) {
  unsigned numbers[MAX_BITS + 2] = {0}, next[MAX_BITS + 2] = {0};
  for (int i = 0; i < n; i++) numbers[code->lengths[i]]++;
  numbers[0] = 0;
  for (int length = 1; length <= MAX_BITS; length++)
    next[length] = (next[length - 1] + numbers[length - 1]) << 1;
  for (int i = 0; i < n; i++) {
    unsigned word = next[code->lengths[i]]++, turned = 0;
    for (int k = 0; k < code->lengths[i]; k++, word >>= 1) turned = turned << 1 | (word & 1);
    code->words[i] = (uint16_t)turned;
  }
}

void tocha_huffman_build(tocha_huffman *code, const uint32_t *counts, int n, int maximum) {
  leaf leaves[TOCHA_HUFFMAN_SYMBOLS];
  int depths[TOCHA_HUFFMAN_SYMBOLS], numbers[DEEPEST] = {0}, used = 0;
  memset(code->lengths, 0, sizeof code->lengths);
  for (int i = 0; i < n; i++)
    if (counts[i]) leaves[used++] = (leaf){counts[i], i};
  if (used == 1) code->lengths[leaves[0].symbol] = 1;
  if (used > 1) {
    qsort(leaves, (size_t)used, sizeof *leaves, by_count);
    find_depths(leaves, used, depths);
    for (int i = 0; i < used; i++) numbers[depths[i]]++;
    limit_lengths(numbers, maximum);
    for (int length = maximum, i = 0; length > 0; length--)
      for (int k = 0; k < numbers[length]; k++) code->lengths[leaves[i++].symbol] = (uint8_t)length;
  }
  tocha_huffman_assign(code, n);
}
