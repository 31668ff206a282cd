/* bins.h: the free blocks of one stream by size, eight bins for each power of two. Adding and
 * taking a block needs no malloc. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/state.h"

namespace tocha {

/* Memory is handed out in multiples of UNIT bytes. */
static constexpr size_t UNIT = 512;

struct Cache;
struct Range; /* range.h */

/* A part of a segment: in use (live), or in a bin. */
struct Block : tocha_block {
  Cache *cache; /* has the bins that it belongs into */
  size_t size;
  size_t requested; /* bytes asked for, at most size */
  Range *range;     /* whose addresses it has; nullptr: an ordinary segment's */
  bool small, live;
  bool mapped;                 /* it has memory, which parts of a range may lack */
  int waits;                   /* pending events of other users */
  Block *before, *after;       /* neighbours in the segment */
  Block *previous, *following; /* in the bin */
  std::vector<Stream *> users; /* other streams that used it */
  char *start() const { return static_cast<char *>(data); }
};

class Bins {
public:
  /* Returns a block of at least `bytes`, among the smallest such blocks, or nullptr. */
  Block *find(size_t bytes) const;
  void insert(Block *block);
  void remove(Block *block);
  /* Gives a block of these bins another size, and moves it if its place in the order of sizes
   * changes. */
  void resize(Block *block, size_t size);
  Block *begin() const { return after(nullptr); } /* all of them, in any order */
  Block *after(const Block *block) const;

private:
  enum { COUNT = 320, LOOK = 64 }; /* LOOK: maximum number of blocks of a bin that are compared */
  uint64_t filled[COUNT / 64] = {};
  Block *first[COUNT] = {};

  static int bin_of(size_t size);
  int filled_from(int bin) const;
};

/* The free blocks of a stream, outside of pools or of one pool. */
struct Cache {
  Bins bins[2];  /* large, small */
  Bins holes[2]; /* parts of ranges without memory (expandable.h) */
  Stream *stream;
  Pool *pool;       /* nullptr: none */
  Cache *following; /* in the pool */
};

} // namespace tocha
