/* deflate.c: compresses (RFC 1951): repeated bytes are found by chains of
 * the places with the same three bytes, and each block has Huffman codes of its own, or the fixed
 * ones, or is stored, whatever is smallest. */
#include "io/deflate.h"

#include <string.h>

#include "core/context.h"
#include "io/huffman.h"

/* TOKENS: literals and copies in a block. MAX_BLOCK: bytes that a block of them can take: the
 * longest codes and their extra bits, and the codes themselves. */
enum {
  WINDOW = 1 << 15,
  HASH_BITS = 15,
  MIN_COPY = 3,
  MAX_COPY = 258,
  TOKENS = 1 << 14,
  MAX_BLOCK = TOKENS * 6 + 1024,
  MAX_STORED = 65535,
  LITERALS = 286,
  DISTANCES = 30,
  CODE_LENGTHS = 19,
  END = 256
};

/* The effort of a level: places to compare, a length that ends the search, and the length up to
 * which the next place is tried, too, before a copy is taken. */
typedef struct effort {
  int places, enough, lazy;
} effort;

typedef struct compressor {
  tocha_context *cx;
  tocha_byte_block *out;
  effort effort;
  uint64_t held; /* bits that are not written yet, the first one lowest */
  int held_count;
  int used;                /* tokens of this block */
  uint32_t tokens[TOKENS]; /* a literal, or length << 16 | distance */
  uint32_t literal_counts[TOCHA_HUFFMAN_SYMBOLS], distance_counts[DISTANCES];
  uint32_t latest[1 << HASH_BITS]; /* low bits of the latest position with a hash */
  uint32_t before[WINDOW];         /* of a position: the one before it with the same hash */
} compressor;

/* --- bits ---------------------------------------------------------------------------------------- */

/* Appends up to 32 bits. The block has room for them. */
static inline void put(compressor *c, uint32_t bits, int count) {
  c->held |= (uint64_t)bits << c->held_count;
  c->held_count += count;
  for (; c->held_count >= 8; c->held_count -= 8, c->held >>= 8)
    c->out->data[c->out->size++] = (char)c->held;
}

static void fill_byte(compressor *c) { put(c, 0, (8 - c->held_count) & 7); }

/* --- symbols -------------------------------------------------------------------------------------- */

typedef struct symbol {
  int number, extra_bits;
  uint32_t extra;
} symbol;

static int log_of(uint32_t value) { return 31 - __builtin_clz(value); }

static inline symbol symbol_of_length(uint32_t length) {
  uint32_t n = length - MIN_COPY;
  if (length == MAX_COPY) return (symbol){285, 0, 0};
  int bits = n < 8 ? 0 : log_of(n) - 2;
  return (symbol){257 + 4 * bits + (int)(n >> bits), bits, n & ((1U << bits) - 1)};
}

static inline symbol symbol_of_distance(uint32_t distance) {
  uint32_t n = distance - 1;
  int bits = n < 4 ? 0 : log_of(n) - 1;
  return (symbol){2 * bits + (int)(n >> bits), bits, n & ((1U << bits) - 1)};
}

static inline void put_symbol(compressor *c, const tocha_huffman *code, symbol s) {
  put(c, code->words[s.number], code->lengths[s.number]);
  put(c, s.extra, s.extra_bits);
}

/* --- blocks --------------------------------------------------------------------------------------- */

/* The lengths of a block's codes, as they are written: symbols 0 to 15 are lengths, 16 repeats
 * the last one, 17 and 18 are zeros. */
typedef struct description {
  uint8_t symbols[LITERALS + DISTANCES], extra[LITERALS + DISTANCES];
  uint32_t counts[CODE_LENGTHS];
  int used, literals, distances;
  tocha_huffman code;
} description;

static void describe(description *d, int number, int extra) {
  d->symbols[d->used] = (uint8_t)number;
  d->extra[d->used++] = (uint8_t)extra;
  d->counts[number]++;
}

static void describe_codes(description *d, const tocha_huffman *literals,
                           const tocha_huffman *distances) {
  uint8_t all[LITERALS + DISTANCES];
  memset(d, 0, sizeof *d);
  d->literals = LITERALS, d->distances = DISTANCES;
  while (!literals->lengths[d->literals - 1]) d->literals--; /* END always occurs */
  while (d->distances > 1 && !distances->lengths[d->distances - 1]) d->distances--;
  memcpy(all, literals->lengths, (size_t)d->literals);
  memcpy(all + d->literals, distances->lengths, (size_t)d->distances);
  int n = d->literals + d->distances;
  for (int i = 0, same; i < n; i += same) {
    for (same = 1; i + same < n && same < 138 && all[i + same] == all[i];) same++;
    if (all[i] == 0 && same >= 11) {
      describe(d, 18, same - 11);
    } else if (all[i] == 0 && same >= 3) {
      describe(d, 17, same - 3);
    } else if (i > 0 && all[i] == all[i - 1] && same >= 3) {
      same = same < 6 ? same : 6;
      describe(d, 16, same - 3);
    } else {
      same = 1;
      describe(d, all[i], 0);
    }
  }
  tocha_huffman_build(&d->code, d->counts, CODE_LENGTHS, 7);
}

static const uint8_t ORDER[CODE_LENGTHS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                            11, 4,  12, 3, 13, 2, 14, 1, 15};

static int described_lengths(const description *d) {
  int count = CODE_LENGTHS;
  while (count > 4 && !d->code.lengths[ORDER[count - 1]]) count--;
  return count;
}

static int extra_bits_of(int number) {
  return number == 18 ? 7 : number == 17 ? 3 : number == 16 ? 2 : 0;
}

static void put_description(compressor *c, const description *d) {
  int count = described_lengths(d);
  put(c, (uint32_t)(d->literals - 257), 5);
  put(c, (uint32_t)(d->distances - 1), 5);
  put(c, (uint32_t)(count - 4), 4);
  for (int i = 0; i < count; i++) put(c, d->code.lengths[ORDER[i]], 3);
  for (int i = 0; i < d->used; i++) {
    put(c, d->code.words[d->symbols[i]], d->code.lengths[d->symbols[i]]);
    put(c, d->extra[i], extra_bits_of(d->symbols[i]));
  }
}

static uint64_t bits_of_description(const description *d) {
  uint64_t bits = 14 + 3 * (uint64_t)described_lengths(d);
  for (int i = 0; i < CODE_LENGTHS; i++)
    bits += (uint64_t)d->counts[i] * (uint64_t)(d->code.lengths[i] + extra_bits_of(i));
  return bits;
}

/* Returns the bits of the block's symbols without their extra bits. */
static uint64_t bits_of_tokens(const compressor *c, const tocha_huffman *literals,
                               const tocha_huffman *distances) {
  uint64_t bits = 0;
  for (int i = 0; i < LITERALS; i++) bits += (uint64_t)c->literal_counts[i] * literals->lengths[i];
  for (int i = 0; i < DISTANCES; i++)
    bits += (uint64_t)c->distance_counts[i] * distances->lengths[i];
  return bits;
}

static void make_fixed(tocha_huffman *literals, tocha_huffman *distances) {
  for (int i = 0; i < TOCHA_HUFFMAN_SYMBOLS; i++)
    literals->lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  memset(distances->lengths, 5, DISTANCES);
  tocha_huffman_assign(literals, TOCHA_HUFFMAN_SYMBOLS);
  tocha_huffman_assign(distances, DISTANCES);
}

static void put_tokens(compressor *c, const tocha_huffman *literals,
                       const tocha_huffman *distances) {
  for (int i = 0; i < c->used; i++) {
    uint32_t token = c->tokens[i];
    if (token < 256) {
      put(c, literals->words[token], literals->lengths[token]);
      continue;
    }
    put_symbol(c, literals, symbol_of_length(token >> 16));
    put_symbol(c, distances, symbol_of_distance(token & 0xffff));
  }
  put(c, literals->words[END], literals->lengths[END]);
}

/* Stores bytes as they are, in blocks of their own. At least one block is written. */
static bool store(compressor *c, const uint8_t *bytes, size_t length, bool last) {
  do {
    size_t part = length < MAX_STORED ? length : MAX_STORED;
    if (tocha_interrupted(c->cx) || !tocha_bytes_reserve(c->cx, c->out, c->out->size + part + 16))
      return false;
    put(c, last && part == length, 3);
    fill_byte(c);
    put(c, (uint32_t)part | (uint32_t)~part << 16, 32);
    if (part) memcpy(c->out->data + c->out->size, bytes, part);
    c->out->size += part;
    bytes += part, length -= part;
  } while (length > 0);
  return true;
}

/* Writes the block of the tokens, which stand for these bytes, and begins another. */
static bool end_block(compressor *c, const uint8_t *bytes, size_t length, bool last) {
  tocha_huffman literals, distances, fixed_literals, fixed_distances;
  description d;
  c->literal_counts[END] = 1;
  if (!c->used) c->literal_counts[0] = 1; /* a code has two words at least */
  tocha_huffman_build(&literals, c->literal_counts, LITERALS, 15);
  tocha_huffman_build(&distances, c->distance_counts, DISTANCES, 15);
  describe_codes(&d, &literals, &distances);
  make_fixed(&fixed_literals, &fixed_distances);
  uint64_t own = bits_of_description(&d) + bits_of_tokens(c, &literals, &distances);
  uint64_t fixed = bits_of_tokens(c, &fixed_literals, &fixed_distances);
  uint64_t stored = 8 * (uint64_t)length + 40 * (uint64_t)(length / MAX_STORED + 1);
  bool ok = !tocha_interrupted(c->cx);
  if (ok && stored < own && stored < fixed) {
    ok = store(c, bytes, length, last);
  } else if (ok && (ok = tocha_bytes_reserve(c->cx, c->out, c->out->size + MAX_BLOCK))) {
    put(c, last, 1);
    put(c, own < fixed ? 2 : 1, 2);
    if (own < fixed) put_description(c, &d);
    put_tokens(c, own < fixed ? &literals : &fixed_literals,
               own < fixed ? &distances : &fixed_distances);
  }
  c->used = 0;
  memset(c->literal_counts, 0, sizeof c->literal_counts);
  memset(c->distance_counts, 0, sizeof c->distance_counts);
  return ok;
}

/* --- copies --------------------------------------------------------------------------------------- */

static inline uint32_t hash_of(const uint8_t *at) {
  uint32_t three = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
  return three * 0x9E3779B1U >> (32 - HASH_BITS);
}

/* Notes position `at`, behind which at least two more bytes follow. */
static inline void note(compressor *c, const uint8_t *bytes, size_t at) {
  uint32_t hash = hash_of(bytes + at);
  c->before[at % WINDOW] = c->latest[hash];
  c->latest[hash] = (uint32_t)at;
}

static inline uint32_t common_length(const uint8_t *a, const uint8_t *b, uint32_t maximum) {
  uint32_t length = 0;
  for (uint64_t x, y; length + 8 <= maximum; length += 8) {
    memcpy(&x, a + length, 8);
    memcpy(&y, b + length, 8);
    if (x != y) break;
  }
  while (length < maximum && a[length] == b[length]) length++;
  return length;
}

/* Returns the length of the longest copy for position `at` that is longer than `least`, or 0, and
 * sets its distance. Notes that are stale, of an earlier part or of 4 GiB before, do no harm: the
 * bytes are compared. */
static uint32_t find_copy(const compressor *c, const uint8_t *bytes, size_t length, size_t at,
                          uint32_t least, uint32_t *distance) {
  size_t left = length - at;
  uint32_t maximum = left < MAX_COPY ? (uint32_t)left : MAX_COPY, longest = least;
  if (maximum <= least || maximum < MIN_COPY) return 0;
  uint32_t place = c->latest[hash_of(bytes + at)], far = 0;
  for (int i = 0; i < c->effort.places; i++) {
    uint32_t away = (uint32_t)at - place;
    if (away <= far || away > WINDOW || away > at) break; /* places go back, further and further */
    far = away;
    const uint8_t *other = bytes + at - away;
    if (other[longest] == bytes[at + longest]) {
      uint32_t common = common_length(other, bytes + at, maximum);
      if (common > longest) {
        longest = common;
        *distance = away;
        if (longest == maximum || (int)longest >= c->effort.enough) break;
      }
    }
    place = c->before[place % WINDOW];
  }
  return longest > least ? longest : 0;
}

static void add_literal(compressor *c, uint8_t byte) {
  c->tokens[c->used++] = byte;
  c->literal_counts[byte]++;
}

static void add_copy(compressor *c, uint32_t length, uint32_t distance) {
  c->tokens[c->used++] = length << 16 | distance;
  c->literal_counts[symbol_of_length(length).number]++;
  c->distance_counts[symbol_of_distance(distance).number]++;
}

/* Compresses one part. A copy waits for the next position: if that one has a longer copy, a
 * literal takes its place. No more than MAX_COPY positions in turn have longer and longer ones. */
static bool compress_part(compressor *c, const uint8_t *bytes, size_t length, bool last) {
  size_t at = 0, begin = 0;
  uint32_t held = 0, held_distance = 0; /* the copy that waits, of position at - 1 */
  while (at < length) {
    uint32_t least = held ? held : MIN_COPY - 1, distance = 0;
    bool search = (int)held < c->effort.lazy || !held;
    uint32_t found = search ? find_copy(c, bytes, length, at, least, &distance) : 0;
    if (at + MIN_COPY <= length) note(c, bytes, at);
    if (held && !found) {
      add_copy(c, held, held_distance);
      for (size_t end = at - 1 + held; ++at < end;)
        if (at + MIN_COPY <= length) note(c, bytes, at);
      held = 0;
    } else {
      if (held) add_literal(c, bytes[at - 1]);
      held = found, held_distance = distance;
      if (!found) add_literal(c, bytes[at]);
      at++;
    }
    if (c->used >= TOKENS - MAX_COPY && !held) {
      if (!end_block(c, bytes + begin, at - begin, false)) return false;
      begin = at;
    }
  }
  return end_block(c, bytes + begin, length - begin, last);
}

bool tocha_deflate(tocha_context *cx, const tocha_part *parts, int count, int level,
                   tocha_byte_block *out) {
  static const effort efforts[10] = {
      {0, 0, 0},    {4, 8, 0},     {8, 16, 0},     {16, 32, 0},     {16, 32, 4},
      {32, 64, 16}, {64, 128, 16}, {128, 128, 32}, {512, 258, 128}, {2048, 258, 258}};
  compressor *c = tocha_allocate_zeroed(cx, sizeof *c);
  if (!c) return false;
  c->cx = cx;
  c->out = out;
  c->effort = efforts[level];
  bool ok = true;
  for (int i = 0; ok && i < count; i++) {
    bool last = i == count - 1;
    ok = level == 0 ? store(c, parts[i].bytes, parts[i].length, last)
                    : compress_part(c, parts[i].bytes, parts[i].length, last);
  }
  if (ok && (ok = tocha_bytes_reserve(cx, out, out->size + 8))) fill_byte(c);
  tocha_deallocate(cx, c, sizeof *c);
  return ok;
}
