/* bins.cpp: stores free blocks by size. */
#include "runtime/bins.h"

namespace tocha {

/* Returns the bin of a size. 1 to 7 units have bins of their own; larger sizes are binned by the
 * three bits after their highest one. */
int Bins::bin_of(size_t size) {
  const unsigned long long units = size / UNIT;
  if (units < 8) return static_cast<int>(units);
  const int top = 63 - __builtin_clzll(units);
  return (top - 2) * 8 + static_cast<int>(units >> (top - 3) & 7);
}

/* Returns the first bin from `bin` on that contains a block, or COUNT. */
int Bins::filled_from(int bin) const {
  for (int word = bin / 64; word < COUNT / 64; word++) {
    const uint64_t here = word == bin / 64 ? filled[word] >> bin % 64 << bin % 64 : filled[word];
    if (here) return word * 64 + __builtin_ctzll(here);
  }
  return COUNT;
}

/* Inserts a block in order of size, as far as LOOK blocks are compared. Of blocks of one size
 * the last inserted is taken first. */
void Bins::insert(Block *block) {
  const int bin = bin_of(block->size);
  Block *previous = nullptr, *next = first[bin];
  for (int k = 0; next && next->size < block->size && k < LOOK; k++) {
    previous = next;
    next = next->following;
  }
  block->previous = previous;
  block->following = next;
  if (next) next->previous = block;
  (previous ? previous->following : first[bin]) = block;
  filled[bin / 64] |= 1ULL << bin % 64;
}

void Bins::remove(Block *block) {
  const int bin = bin_of(block->size);
  if (block->following) block->following->previous = block->previous;
  (block->previous ? block->previous->following : first[bin]) = block->following;
  if (!first[bin]) filled[bin / 64] &= ~(1ULL << bin % 64);
}

void Bins::resize(Block *block, size_t size) {
  const Block *previous = block->previous, *next = block->following;
  const bool stays = bin_of(size) == bin_of(block->size) && (!previous || previous->size <= size) &&
                     (!next || size <= next->size);
  if (!stays) remove(block);
  block->size = size;
  if (!stays) insert(block);
}

Block *Bins::find(size_t bytes) const {
  const int bin = bin_of(bytes);
  Block *block = first[bin]; /* some blocks of this bin are too small; those of all later bins
                              * are large enough */
  for (int k = 0; block && block->size < bytes; k++) block = k < LOOK ? block->following : nullptr;
  if (!block) {
    const int larger = bin + 1 < COUNT ? filled_from(bin + 1) : COUNT;
    block = larger < COUNT ? first[larger] : nullptr;
  }
  return block;
}

Block *Bins::after(const Block *block) const {
  if (block && block->following) return block->following;
  const int from = block ? bin_of(block->size) + 1 : 0;
  const int bin = from < COUNT ? filled_from(from) : COUNT;
  return bin < COUNT ? first[bin] : nullptr;
}

} // namespace tocha
