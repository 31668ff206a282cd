/* hmac.c: see hmac.h. */
#include "interpreter/kernel/hmac.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, DIGEST = 32 };

/* The first bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

typedef struct sha256 {
  uint32_t state[8];
  uint64_t size;
  uint8_t rest[BLOCK];
} sha256;

static uint32_t turn(uint32_t x, int bits) { return x >> bits | x << (32 - bits); }

static void expand(const uint8_t *block, uint32_t words[64]) {
  for (int i = 0; i < 16; i++)
    words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    uint32_t a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + words[i - 7] +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
  }
}

static void add_block(uint32_t state[8], const uint8_t *block) {
  uint32_t words[64], s[8];
  expand(block, words);
  memcpy(s, state, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    uint32_t one =
        s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + constants[i] + words[i];
    uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += one;
    s[0] = one + two;
  }
  for (int i = 0; i < 8; i++) state[i] += s[i];
}

static void begin(sha256 *h) {
  static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  memcpy(h->state, first, sizeof first);
  h->size = 0;
}

static void add(sha256 *h, const void *data, size_t size) {
  const uint8_t *bytes = data;
  while (size > 0) {
    size_t filled = (size_t)(h->size % BLOCK), part = BLOCK - filled < size ? BLOCK - filled : size;
    memcpy(h->rest + filled, bytes, part);
    h->size += part;
    bytes += part;
    size -= part;
    if (filled + part == BLOCK) add_block(h->state, h->rest);
  }
}

static void end(sha256 *h, uint8_t digest[DIGEST]) {
  static const uint8_t padding[BLOCK] = {0x80};
  uint8_t length[8];
  uint64_t bits = h->size * 8;
  size_t filled = (size_t)(h->size % BLOCK);
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  add(h, padding, (filled < BLOCK - 8 ? BLOCK : 2 * BLOCK) - 8 - filled);
  add(h, length, sizeof length);
  for (int i = 0; i < DIGEST; i++) digest[i] = (uint8_t)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

/* Computes the digest of a block of key bytes, each changed by `mask`, followed by data. */
static void sum(const uint8_t key[BLOCK], uint8_t mask, const void *data, size_t size,
                uint8_t digest[DIGEST]) {
  sha256 h;
  uint8_t block[BLOCK];
  for (int i = 0; i < BLOCK; i++) block[i] = key[i] ^ mask;
  begin(&h);
  add(&h, block, BLOCK);
  add(&h, data, size);
  end(&h, digest);
}

void hmac_sha256(const char *key, size_t key_size, const char *text, size_t size,
                 char digits[HMAC_DIGITS + 1]) {
  static const char hexadecimal[] = "0123456789abcdef";
  uint8_t block[BLOCK] = {0}, digest[DIGEST];
  if (key_size > BLOCK) {
    sha256 h;
    begin(&h);
    add(&h, key, key_size);
    end(&h, block);
  } else if (key_size > 0) {
    memcpy(block, key, key_size);
  }
  sum(block, 0x36, text, size, digest);
  sum(block, 0x5c, digest, DIGEST, digest);
  for (int i = 0; i < DIGEST; i++) {
    digits[2 * i] = hexadecimal[digest[i] >> 4];
    digits[2 * i + 1] = hexadecimal[digest[i] & 15];
  }
  digits[HMAC_DIGITS] = '\0';
}
