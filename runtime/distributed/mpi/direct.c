/* direct.c: collectives as messages from each rank straight to each other one.
 *
 * On one host a message is a copy that a processor makes. So nothing is faster than to move each part once, to where it is
 * needed, whatever the number of ranks; MPI's nonblocking collectives move it more often, or through memory of their own. */
#include "distributed/mpi/mpi.h"
#include "distributed/reductions/reductions.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that a reduction adds at a time: of each rank, and of all together. An all_reduce of 16 MiB on two ranks takes 2.4 ms with 4 MiB, and
 * 2.9 ms in one piece, which stays in no cache. But ranks wait for each other with each piece: four ranks that share two processors
 * take five times as long for 64 MiB with 0.5 MiB. */
#ifndef TOCHA_MPI_SLOT
#define TOCHA_MPI_SLOT (4 << 20)
#endif
enum { MOST_SCRATCH = 64 << 20 };

enum { PAGE = 4096 };

/* --- messages -------------------------------------------------------------------------------------- */

static int piece_of(int64_t count, int64_t first) {
  int64_t left = count - first;
  return left < 0 ? 0 : (int)(left < TOCHA_MPI_PIECE ? left : TOCHA_MPI_PIECE);
}

/* Starts the messages of the elements from `first` on, as many as a call can count. */
static bool begin_pieces(mpi_operation *o, int64_t first) {
  tocha_channel *c = o->channel;
  bool begun = true;
  mpi_enter();
  for (int i = 0; i < 2 * c->size; i++) c->requests[i] = MPI_REQUEST_NULL;
  for (int i = 0; begun && i < c->size; i++) {
    const mpi_part *p = &c->parts[i];
    int receives = piece_of(p->receives, first), sends = piece_of(p->sends, first);
    if (i == c->rank) continue;
    if (receives > 0)
      begun = mpi_succeeded(o->failure, MPI_Irecv(mpi_at(o, p->to, first), receives, o->type, i,
                                                  c->last_tag, c->comm, &c->requests[2 * i]));
    if (begun && sends > 0)
      begun = mpi_succeeded(o->failure, MPI_Isend(mpi_at(o, p->from, first), sends, o->type, i,
                                                  c->last_tag, c->comm, &c->requests[2 * i + 1]));
  }
  mpi_leave();
  if (!begun) mpi_give_up();
  return begun;
}

/* Does what the parts of the channel say. */
static bool exchange(mpi_operation *o) {
  const tocha_channel *c = o->channel;
  const mpi_part *own = &c->parts[c->rank];
  int64_t longest = 0, bytes = 0;
  for (int i = 0; i < c->size; i++) {
    const mpi_part *p = &c->parts[i];
    if (p->receives > longest) longest = p->receives;
    if (p->sends > longest) longest = p->sends;
    bytes += (p->receives + p->sends) * (int64_t)o->element;
  }
  for (int64_t first = 0; first < longest; first += TOCHA_MPI_PIECE) {
    if (!begin_pieces(o, first)) return false;
    if (first == 0 && own->receives > 0 && own->to != own->from)
      memcpy(own->to, own->from, (size_t)own->receives * o->element);
    if (!mpi_finish(o, 2 * c->size, c->requests, MPI_STATUSES_IGNORE, bytes)) return false;
  }
  return true;
}

/* --- reductions ------------------------------------------------------------------------------------ */

/* Makes room for `count` elements of each rank, or for as many as there may be. Returns how many, 0 with a failure. */
static int64_t make_room(mpi_operation *o, int64_t count) {
  tocha_channel *c = o->channel;
  size_t most = MOST_SCRATCH / (size_t)c->size / PAGE * PAGE;
  size_t slot = ((size_t)count * o->element + PAGE - 1) / PAGE * PAGE;
  if (slot > TOCHA_MPI_SLOT) slot = TOCHA_MPI_SLOT;
  if (slot > most && most > 0) slot = most;
  if (c->slot < slot) {
    free(c->scratch);
    c->scratch = platform_allocate_aligned(PAGE, slot * (size_t)c->size);
    c->slot = c->scratch ? slot : 0;
  }
  if (!c->scratch) mpi_fail(o->failure, TOCHA_ENGINE_FAILED, "there is no memory");
  return c->scratch ? (int64_t)(slot / o->element) : 0;
}

/* Receives what all others have for the `count` elements at `own`, sends them what parts[i] says, and adds to `sum`, in the
 * order of the ranks: ((0 + 1) + 2) + ..., which has the same digits wherever an element stands. */
static bool reduce_to(mpi_operation *o, void *sum, const void *own, int64_t count) {
  tocha_channel *c = o->channel;
  engine_reduction *reduce = engine_find_reduction(o->transfer->dtype, o->transfer->op);
  for (int i = 0; i < c->size; i++) {
    c->parts[i].to = (uint8_t *)c->scratch + (size_t)i * c->slot;
    c->parts[i].receives = count;
  }
  c->parts[c->rank].sends = c->parts[c->rank].receives = 0;
  if (!exchange(o)) return false;
  const void *before = c->rank == 0 ? own : c->parts[0].to;
  for (int i = 1; i < c->size; i++) {
    void *to = i < c->rank ? c->scratch : sum;
    reduce(to, before, i == c->rank ? own : c->parts[i].to, (size_t)count);
    before = to;
  }
  return true;
}

/* The first element of rank i's part of so many. */
static int64_t begin_of(const mpi_operation *o, int64_t count, int i) {
  int64_t part = (count + o->channel->size - 1) / o->channel->size;
  return i * part < count ? i * part : count;
}

static bool all_reduce_piece(mpi_operation *o, uint8_t *data, int64_t count) {
  tocha_channel *c = o->channel;
  int64_t own = begin_of(o, count, c->rank), length = begin_of(o, count, c->rank + 1) - own;
  for (int i = 0; i < c->size; i++) {
    int64_t begin = begin_of(o, count, i);
    c->parts[i].from = mpi_at(o, data, begin);
    c->parts[i].sends = begin_of(o, count, i + 1) - begin;
  }
  if (!reduce_to(o, mpi_at(o, data, own), mpi_at(o, data, own), length)) return false;
  for (int i = 0; i < c->size; i++) {
    int64_t begin = begin_of(o, count, i), others = begin_of(o, count, i + 1) - begin;
    c->parts[i] = (mpi_part){mpi_at(o, data, own), mpi_at(o, data, begin), length, others};
  }
  return exchange(o);
}

static bool all_reduce(mpi_operation *o) {
  const tocha_transfer *t = o->transfer;
  int64_t room = make_room(o, begin_of(o, t->count, 1)) * o->channel->size;
  bool done = room > 0;
  for (int64_t first = 0; done && first < t->count; first += room) {
    int64_t left = t->count - first;
    done = all_reduce_piece(o, mpi_at(o, t->output, first), left < room ? left : room);
  }
  return done;
}

static bool reduce_scatter(mpi_operation *o) {
  const tocha_transfer *t = o->transfer;
  tocha_channel *c = o->channel;
  int64_t room = make_room(o, t->count);
  bool done = room > 0;
  for (int64_t first = 0; done && first < t->count; first += room) {
    int64_t count = t->count - first < room ? t->count - first : room;
    for (int i = 0; i < c->size; i++) {
      c->parts[i].from = mpi_at(o, t->input, i * t->count + first);
      c->parts[i].sends = count;
    }
    done = reduce_to(o, mpi_at(o, t->output, first), c->parts[c->rank].from, count);
  }
  return done;
}

static bool all_gather(mpi_operation *o) {
  const tocha_transfer *t = o->transfer;
  for (int i = 0; i < o->channel->size; i++)
    o->channel->parts[i] =
        (mpi_part){t->input, mpi_at(o, t->output, i * t->count), t->count, t->count};
  return exchange(o);
}

static bool all_to_all(mpi_operation *o) {
  const tocha_transfer *t = o->transfer;
  int64_t in = 0, out = 0;
  for (int i = 0; i < o->channel->size; i++) {
    o->channel->parts[i] = (mpi_part){mpi_at(o, t->input, in), mpi_at(o, t->output, out),
                                      t->input_counts[i], t->output_counts[i]};
    in += t->input_counts[i];
    out += t->output_counts[i];
  }
  return exchange(o);
}

/* --- which collectives ----------------------------------------------------------------------------- */

/* Bytes of a message: shorter ones cost more than the copy, and MPI needs fewer of them. */
enum { SHORTEST = 4096 };

bool mpi_moves_directly(const mpi_operation *o) {
  const tocha_transfer *t = o->transfer;
  const tocha_channel *c = o->channel;
  int64_t bytes = t->count * (int64_t)o->element;
  if (t->kind == TOCHA_ALL_TO_ALL) return true; /* MPI's own sends the same, but counts in int */
  if (t->kind == TOCHA_ALL_REDUCE) bytes /= c->size;
  bool is_known =
      t->kind == TOCHA_ALL_REDUCE || t->kind == TOCHA_REDUCE_SCATTER || t->kind == TOCHA_ALL_GATHER;
  return is_known && c->on_one_host && c->size > 1 && bytes >= SHORTEST;
}

bool mpi_move_directly(mpi_operation *o) {
  switch (o->transfer->kind) {
  case TOCHA_ALL_REDUCE:
    return all_reduce(o);
  case TOCHA_ALL_GATHER:
    return all_gather(o);
  case TOCHA_REDUCE_SCATTER:
    return reduce_scatter(o);
  default:
    return all_to_all(o);
  }
}
