/* inflate.c: decompresses deflated data (RFC 1951). Codes are decoded with the counts of their
 * lengths (canonical Huffman codes), and short codes by a table of the first bits. */
#include "io/inflate.h"

#include <string.h>

/* HELD: maximum bytes that are held as bits. PIECE: bytes of a source that are read at once. */
enum {
  MAX_BITS = 15,
  FAST_BITS = 10,
  LITERALS = 288,
  DISTANCES = 30,
  ENOUGH = 35,
  HELD = 8,
  PIECE = 1 << 15
};

typedef struct bits {
  tocha_context *cx;
  tocha_deflated from;
  uint8_t *piece; /* HELD bytes of the piece before, then PIECE bytes of the source */
  uint64_t held;
  int count;   /* number of bits held */
  int missing; /* zero bytes that were read past the end */
} bits;

typedef struct code {
  uint16_t fast[1 << FAST_BITS]; /* symbol << 4 | length; 0: longer, or none */
  uint16_t counts[MAX_BITS + 1];
  uint16_t symbols[LITERALS];
} code;

/* Reads the next piece of the source. Returns false at its end, or with an error. Keeps the last
 * HELD bytes of the previous piece in front of the new one, so that held bytes can be given
 * back. */
static bool refill(bits *b) {
  tocha_deflated *from = &b->from;
  size_t length = from->left < PIECE ? (size_t)from->left : PIECE;
  if (!length) return false;
  if (from->at) memmove(b->piece, from->at - HELD, HELD);
  from->at = b->piece + HELD;
  from->end = from->at + length;
  from->next += (int64_t)length;
  from->left -= (int64_t)length;
  if (tocha_source_read(b->cx, from->source, from->next - (int64_t)length, b->piece + HELD, length))
    return true;
  from->end = from->at;
  from->left = 0;
  return false;
}

static inline uint64_t little_endian(const uint8_t *at) {
  uint64_t value;
  memcpy(&value, at, sizeof value);
  return tocha_is_little_endian() ? value : __builtin_bswap64(value);
}

/* Fills the held bits to at least ENOUGH, which suffice for a length with its extra bits and the
 * code of a distance. */
static inline void fill(bits *b) {
  tocha_deflated *from = &b->from;
  if (b->count >= ENOUGH) return;
  if (from->end - from->at >= HELD) {
    b->held |= little_endian(from->at) << b->count; /* the bits above `count` are read again */
    from->at += (63 - b->count) / 8;
    b->count |= 56;
    return;
  }
  while (b->count < 56) {
    if (from->at < from->end || refill(b))
      b->held |= (uint64_t)*from->at++ << b->count;
    else
      b->missing++;
    b->count += 8;
  }
}

static uint32_t take(bits *b, int count) {
  uint32_t value = (uint32_t)(b->held & ((1ull << count) - 1));
  b->held >>= count;
  b->count -= count;
  return value;
}

/* Returns true if more bits were taken than there are. */
static bool is_spent(const bits *b) { return b->missing * 8 > b->count; }

static unsigned reversed(unsigned value, int length) {
  unsigned result = 0;
  for (; length > 0; length--, value >>= 1) result = result << 1 | (value & 1);
  return result;
}

/* Builds a code from the lengths of its symbols' codes. Returns false if the lengths form no
 * code. incomplete: unused codes are allowed. */
static bool make_code(code *c, const uint8_t *lengths, int n, bool incomplete) {
  uint16_t offsets[MAX_BITS + 2] = {0}, next[MAX_BITS + 2] = {0};
  int left = 1;
  memset(c->counts, 0, sizeof c->counts);
  memset(c->fast, 0, sizeof c->fast);
  for (int i = 0; i < n; i++) c->counts[lengths[i]]++;
  c->counts[0] = 0;
  for (int length = 1; length <= MAX_BITS; length++) {
    left = 2 * left - c->counts[length];
    if (left < 0) return false;
    offsets[length + 1] = (uint16_t)(offsets[length] + c->counts[length]);
    next[length + 1] = (uint16_t)((next[length] + c->counts[length]) << 1);
  }
  if (left > 0 && !incomplete) return false;
  for (int i = 0; i < n; i++) {
    int length = lengths[i];
    if (!length) continue;
    c->symbols[offsets[length]++] = (uint16_t)i;
    unsigned word = reversed(next[length]++, length);
    for (; length <= FAST_BITS && word < 1u << FAST_BITS; word += 1u << length)
      c->fast[word] = (uint16_t)(i << 4 | length);
  }
  return true;
}

/* Decodes the next symbol. Returns -1 if the bits are not a code. */
static int decode(bits *b, const code *c) {
  uint16_t entry = c->fast[b->held & ((1 << FAST_BITS) - 1)];
  if (entry) {
    take(b, entry & 15);
    return entry >> 4;
  }
  int word = 0, first = 0, index = 0;
  for (int length = 1; length <= MAX_BITS; length++) {
    word |= (int)take(b, 1);
    int count = c->counts[length];
    if (word - count < first) return c->symbols[index + word - first];
    index += count;
    first = (first + count) << 1;
    word <<= 1;
  }
  return -1;
}

typedef struct output {
  uint8_t *start, *at, *end;
  tocha_context *cx;
  tocha_byte_block *block; /* grows if needed; NULL: fixed size */
} output;

/* Makes room for `length` more bytes. Returns false if there is none. */
static bool grow(output *out, size_t length) {
  tocha_byte_block *block = out->block;
  if (!block) return false;
  size_t used = (size_t)(out->at - (uint8_t *)block->data);
  size_t before = (size_t)(out->start - (uint8_t *)block->data);
  block->size = used;
  if (!tocha_bytes_reserve(out->cx, block, used + length)) return false;
  uint8_t *data = (uint8_t *)block->data;
  out->start = data + before, out->at = data + used, out->end = data + block->capacity;
  return true;
}

static bool has_room(output *out, size_t length) {
  return (size_t)(out->end - out->at) >= length || grow(out, length);
}

/* Gives held bytes back to the input, and skips the rest of a partly read byte. */
static void give_back(bits *b) {
  take(b, b->count & 7);
  b->from.at -= b->count / 8 - b->missing;
  b->held = 0, b->count = 0, b->missing = 0;
}

static bool copy_bytes(bits *b, uint8_t *to, size_t length) {
  tocha_deflated *from = &b->from;
  while (length) {
    size_t part = (size_t)(from->end - from->at) < length ? (size_t)(from->end - from->at) : length;
    if (!part && !refill(b)) return false;
    memcpy(to, from->at, part);
    from->at += part, to += part, length -= part;
  }
  return true;
}

static bool copy_stored(bits *b, output *out) {
  uint8_t head[4];
  give_back(b);
  if (!copy_bytes(b, head, sizeof head)) return false;
  size_t length = (size_t)head[0] | (size_t)head[1] << 8;
  if (length != (0xffff ^ ((size_t)head[2] | (size_t)head[3] << 8))) return false;
  if (!has_room(out, length) || !copy_bytes(b, out->at, length)) return false;
  out->at += length;
  return true;
}

static bool copy_match(output *out, size_t length, size_t distance) {
  if (distance > (size_t)(out->at - out->start) || !has_room(out, length)) return false;
  if (distance >= length) {
    memcpy(out->at, out->at - distance, length);
    out->at += length;
    return true;
  }
  for (; length > 0; length--, out->at++) *out->at = *(out->at - distance);
  return true;
}

static bool inflate_block(bits *b, output *out, const code *literals, const code *distances) {
  static const uint16_t bases[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                     15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                     67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint8_t extras[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                     2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  static const uint16_t far_bases[DISTANCES] = {
      1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
      193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  for (;;) {
    fill(b);
    int symbol = decode(b, literals);
    if (symbol < 0 || is_spent(b)) return false;
    if (symbol == 256) return true;
    if (symbol < 256) {
      if (!has_room(out, 1)) return false;
      *out->at++ = (uint8_t)symbol;
      continue;
    }
    if (symbol > 285) return false;
    size_t length = bases[symbol - 257] + take(b, extras[symbol - 257]);
    int far = decode(b, distances);
    if (far < 0 || far >= DISTANCES) return false;
    fill(b);
    size_t distance = far_bases[far] + take(b, far < 4 ? 0 : far / 2 - 1);
    if (is_spent(b) || !copy_match(out, length, distance)) return false;
  }
}

static bool read_codes(bits *b, code *literals, code *distances) {
  static const uint8_t order[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                    11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[LITERALS + 32 + 138] = {0};
  fill(b);
  int literal_count = 257 + (int)take(b, 5), distance_count = 1 + (int)take(b, 5);
  int order_count = 4 + (int)take(b, 4), total = literal_count + distance_count;
  if (literal_count > 286) return false;
  for (int i = 0; i < order_count; i++) {
    fill(b);
    lengths[order[i]] = (uint8_t)take(b, 3);
  }
  if (!make_code(literals, lengths, 19, false)) return false;
  memset(lengths, 0, sizeof lengths);
  for (int i = 0; i < total;) {
    fill(b);
    int symbol = decode(b, literals);
    if (symbol < 0 || is_spent(b)) return false;
    if (symbol < 16) {
      lengths[i++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == 16 && i == 0) return false;
    uint8_t repeated = symbol == 16 ? lengths[i - 1] : 0;
    int times = symbol == 16   ? 3 + (int)take(b, 2)
                : symbol == 17 ? 3 + (int)take(b, 3)
                               : 11 + (int)take(b, 7);
    if (i + times > total) return false;
    memset(lengths + i, repeated, (size_t)times);
    i += times;
  }
  return lengths[256] && make_code(literals, lengths, literal_count, false) &&
         make_code(distances, lengths + literal_count, distance_count, true);
}

static void make_fixed_codes(code *literals, code *distances) {
  uint8_t lengths[LITERALS];
  for (int i = 0; i < LITERALS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  make_code(literals, lengths, LITERALS, false);
  memset(lengths, 5, DISTANCES);
  make_code(distances, lengths, DISTANCES, true);
}

static bool inflate_all(tocha_context *cx, tocha_deflated *from, output *out) {
  uint8_t piece[HELD + PIECE];
  bits b = {.cx = cx, .from = *from, .piece = piece};
  code literals, distances;
  for (bool last = false; !last;) {
    fill(&b);
    last = take(&b, 1);
    uint32_t kind = take(&b, 2);
    if (kind == 3 || is_spent(&b) || tocha_interrupted(cx)) return false;
    if (kind == 0) {
      if (!copy_stored(&b, out)) return false;
      continue;
    }
    if (kind == 1)
      make_fixed_codes(&literals, &distances);
    else if (!read_codes(&b, &literals, &distances))
      return false;
    if (!inflate_block(&b, out, &literals, &distances)) return false;
  }
  give_back(&b);
  from->at = b.from.at;
  return true;
}

bool tocha_inflate(tocha_context *cx, tocha_deflated *from, uint8_t *to, size_t capacity) {
  output out = {.start = to, .at = to, .end = to + capacity};
  return inflate_all(cx, from, &out) && out.at == out.end;
}

size_t tocha_inflate_some(tocha_context *cx, tocha_deflated *from, uint8_t *to, size_t capacity) {
  output out = {.start = to, .at = to, .end = to + capacity};
  inflate_all(cx, from, &out);
  return (size_t)(out.at - to);
}

bool tocha_inflate_append(tocha_context *cx, tocha_deflated *from, tocha_byte_block *block) {
  uint8_t *data = (uint8_t *)block->data;
  output out = {data + block->size, data + block->size, data + block->capacity, cx, block};
  bool done = inflate_all(cx, from, &out);
  block->size = (size_t)(out.at - (uint8_t *)block->data);
  return done;
}

/* --- CRC-32 (ISO 3309), eight bytes at a time ----------------------------------------------------- */

typedef struct crc_tables {
  uint32_t of[8][256];
} crc_tables;

static void make_tables(crc_tables *t) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    t->of[0][i] = c;
  }
  for (int i = 0; i < 256; i++)
    for (int k = 1; k < 8; k++)
      t->of[k][i] = t->of[k - 1][i] >> 8 ^ t->of[0][t->of[k - 1][i] & 255];
}

static uint32_t sum_of(uint32_t crc, const void *bytes, size_t length) {
  crc_tables t; /* 8 KiB, computed in each call: cheap beside the sum, and not shared by threads */
  const uint8_t *p = bytes;
  make_tables(&t);
  crc = ~crc;
  for (; length >= 8; length -= 8, p += 8) {
    crc ^= p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    crc = t.of[7][crc & 255] ^ t.of[6][crc >> 8 & 255] ^ t.of[5][crc >> 16 & 255] ^
          t.of[4][crc >> 24] ^ t.of[3][p[4]] ^ t.of[2][p[5]] ^ t.of[1][p[6]] ^ t.of[0][p[7]];
  }
  for (; length > 0; length--, p++) crc = crc >> 8 ^ t.of[0][(crc ^ *p) & 255];
  return ~crc;
}

bool tocha_crc32(tocha_context *cx, uint32_t *crc, const void *bytes, size_t length) {
  enum { AT_ONCE = 1 << 24 };
  for (size_t done = 0, part; done < length && !tocha_interrupted(cx); done += part) {
    part = length - done < AT_ONCE ? length - done : AT_ONCE;
    *crc = sum_of(*crc, (const char *)bytes + done, part);
  }
  return !tocha_failed(cx);
}
