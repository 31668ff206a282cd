/* list.h: many tensors in one launch: a list passed by value, each tensor cut into chunks, one
 * for each block. */
#pragma once

#include "common/launch.h"
#include "amp/launch.h"

namespace tocha {

/* The part of one block: `length` elements of a tensor from `begin` on. */
struct Chunk {
  int tensor, length;
  long long begin;
};

/* Lists P arrays of elements per tensor, for as many tensors as fit into the 4 KB of a kernel's
 * arguments with room for its other arguments. */
template <int P> struct List {
  enum { ROOM = 3712 / (8 * P + 12) / 2 * 2 }; /* even, so that there is no padding */
  int count;
  unsigned first[ROOM + 1]; /* the first block of tensor i; [count]: the number of blocks */
  long long numel[ROOM];
  void *data[P][ROOM];

  /* Returns the chunk of a block, the same for all of its threads. */
  __device__ Chunk chunk_of(unsigned block) const {
    int low = 0, high = count;
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (first[middle] <= block)
        low = middle;
      else
        high = middle;
    }
    const long long begin = static_cast<long long>(block - first[low]) * TOCHA_LIST_CHUNK;
    const long long left = numel[low] - begin, chunk = TOCHA_LIST_CHUNK;
    return {low, static_cast<int>(left < chunk ? left : chunk), begin};
  }
};

inline long long chunks_of(long long numel) {
  return (numel + TOCHA_LIST_CHUNK - 1) / TOCHA_LIST_CHUNK;
}

/* Divides items among launches: place(list, i, item) fills list.data[..][i], and launch(list,
 * blocks) starts them. skip_empty leaves out items without elements. */
template <int P, class Item, class Place, class Launch>
void for_lists(const Item *items, int count, bool skip_empty, Place place, Launch launch) {
  List<P> list = {};
  for (int i = 0; i < count; i++) {
    long long chunks = chunks_of(items[i].numel);
    if (skip_empty && chunks == 0) continue;
    if (list.count == List<P>::ROOM || list.first[list.count] + chunks > 0x7fffffff) {
      launch(list, list.first[list.count]);
      list = {};
    }
    int at = list.count++;
    list.numel[at] = items[i].numel;
    list.first[at + 1] = list.first[at] + static_cast<unsigned>(chunks);
    place(list, at, items[i]);
  }
  if (list.count) launch(list, list.first[list.count]);
}

} // namespace tocha
