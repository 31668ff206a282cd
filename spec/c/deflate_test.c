/* deflate_test.c: compression (io/deflate.c): the result is inflated to the same bytes, for all levels and kinds of bytes, and small. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "io/deflate.h"
#include "io/huffman.h"
#include "io/inflate.h"
#include "tocha/tocha.h"

enum { SIZE = 300000 };

static uint32_t seed = 1;
static uint32_t draw(uint32_t n) {
  seed = seed * 1664525 + 1013904223;
  return (seed >> 8) % n;
}

/* Kinds of bytes: equal, random, of few values, repeated parts, growing distances, skewed counts, text. */
enum { KINDS = 7 };
static void fill(uint8_t *bytes, int kind) {
  static const char words[] = "the network that has learned the digits reads the new digits";
  for (int i = 0; i < SIZE; i++) {
    int skewed = 0;
    while (skewed < 40 && draw(2)) skewed++;
    bytes[i] =
        (uint8_t)(kind == 1   ? draw(256)
                  : kind == 2 ? draw(3)
                  : kind == 3 ? (i < 1000 || draw(50) == 0 ? draw(256) : bytes[i - 1 - i / 10])
                  : kind == 4 ? (uint32_t)(i / 256 ^ i)
                  : kind == 5 ? (uint32_t)skewed
                  : kind == 6 ? (uint32_t)words[i % 7 + draw(2) * 20]
                              : 7);
  }
}

static size_t round_trip(tocha_context *cx, const uint8_t *bytes, size_t length, int level,
                         size_t first) {
  static uint8_t back[SIZE];
  tocha_byte_block out = {NULL, 0, 0};
  tocha_part parts[2] = {{bytes, first}, {bytes + first, length - first}};
  CHECK(tocha_deflate(cx, parts, 2, level, &out));
  tocha_deflated packed = {.at = (const uint8_t *)out.data,
                           .end = (const uint8_t *)out.data + out.size};
  bool inflated = tocha_inflate(cx, &packed, back, length);
  CHECK(inflated);
  CHECK(packed.at == packed.end);
  CHECK(!inflated || memcmp(back, bytes, length) == 0);
  size_t size = out.size;
  tocha_bytes_free(cx, &out);
  return size;
}

static void all_kinds(tocha_context *cx) {
  static uint8_t bytes[SIZE];
  for (int kind = 0; kind < KINDS; kind++) {
    fill(bytes, kind);
    size_t sizes[10];
    for (int level = 0; level < 10; level++) {
      sizes[level] = round_trip(cx, bytes, SIZE, level, SIZE / 3);
      CHECK(sizes[level] <= SIZE + 5 * (SIZE / 65535 + 16));
    }
    CHECK(sizes[9] <= sizes[1] && sizes[1] <= sizes[0]);
    if (kind == 0) CHECK(sizes[6] < 600);
    for (size_t length = 0; length < 700; length += 1 + draw(40))
      round_trip(cx, bytes, length, 1 + (int)draw(9), length / 2);
  }
}

/* Counts that grow like Fibonacci's numbers make the longest codes. */
static void codes_are_limited(void) {
  uint32_t counts[40] = {1, 1};
  for (int i = 2; i < 40; i++) counts[i] = counts[i - 1] + counts[i - 2];
  for (int maximum = 7; maximum <= 15; maximum += 8) {
    tocha_huffman code;
    double used = 0;
    tocha_huffman_build(&code, counts, 40, maximum);
    for (int i = 0; i < 40; i++) {
      CHECK(code.lengths[i] >= 1 && code.lengths[i] <= maximum);
      used += 1.0 / (1 << code.lengths[i]);
    }
    CHECK(used == 1.0);
    CHECK(code.lengths[39] < code.lengths[0]);
  }
}

static void survives_lack_of_memory(tocha_context *cx) {
  static uint8_t bytes[SIZE];
  fill(bytes, 2);
  tocha_part part = {bytes, SIZE};
  bool done = false;
  for (int n = 0; n < 20 && !done; n++) {
    tocha_byte_block out = {NULL, 0, 0};
    tocha_fail_allocation(cx, n);
    done = tocha_deflate(cx, &part, 1, 6, &out);
    CHECK(done || tocha_error(cx)->code == TOCHA_MEMORY_ERROR);
    tocha_clear_error(cx);
    tocha_bytes_free(cx, &out);
  }
  tocha_fail_allocation(cx, -1);
  CHECK(done);
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  all_kinds(cx);
  codes_are_limited();
  survives_lack_of_memory(cx);
  tocha_close(cx);
  return finish();
}
