/* bins.h: free blocks of one stream by their size, eight bins for each power of two: a block comes and goes
 * without a call of malloc. */
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/state.h"

namespace tocha {

/* Memory is handed out in multiples of it. */
static constexpr size_t UNIT = 512;

/* A part of a segment: handed out, or in a bin. */
struct Block : tocha_block {
  size_t size;
  bool small, live;
  int waits;                   /* events of other users that have not come */
  Block *before, *after;       /* neighbours in the segment */
  Block *previous, *following; /* in the bin */
  std::vector<Stream *> users; /* other streams that used it */
  char *start() const { return static_cast<char *>(data); }
};

class Bins {
public:
  /* A block of at least so many bytes, among the smallest there are, which leaves; or NULL. */
  Block *take(size_t bytes);
  void insert(Block *block);
  void remove(Block *block);
  Block *begin() const { return after(nullptr); } /* all of them, in any order */
  Block *after(const Block *block) const;

private:
  enum { COUNT = 320, LOOK = 64 }; /* LOOK: how many blocks of a bin are compared, at most */
  uint64_t filled[COUNT / 64] = {};
  Block *first[COUNT] = {};

  static int bin_of(size_t size);
  int filled_from(int bin) const;
};

/* The free blocks of a stream. */
struct Cache {
  Bins bins[2]; /* large, small */
};

} // namespace tocha
