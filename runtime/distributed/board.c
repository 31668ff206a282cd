/* board.c: opens the memory that the ranks of a host share. */
#include "distributed/board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/platform.h"

/* MAPPED: ranges begin at multiples of this (platform_map_shared_memory). MAGIC: the first word of a board, which
 * grows with changes of its layout. */
enum { MAPPED = 65536 };
static const uint64_t MAGIC = 0x746f636861000005;
/* Nanoseconds that the store is asked for a value at a time: the rank may die before it sets it. */
static const int64_t SLICE = 100000000;

typedef struct board_head {
  uint64_t magic, cookie;
  tocha_board_member members[];
} board_head;

struct tocha_board {
  int file;
  int count, own; /* ranks of this host; the place of this one among them */
  int world_size;
  board_head *head;
  size_t head_size;
  uint64_t group_stride;
  int ranks[]; /* of this host, sorted */
};

static size_t round_up(size_t size, size_t to) { return (size + to - 1) / to * to; }

/* --- which ranks are on this host ------------------------------------------------------------------ */

typedef struct introduction {
  char host[160];
  int64_t process;
} introduction;

/* The steps of an opening share this. */
typedef struct opening {
  tocha_store *joined;
  int64_t deadline;
  char *problem;      /* of TOCHA_REASON_SIZE bytes: that a rank has died */
  int64_t *processes; /* by rank; 0: on another host, or not known yet */
} opening;

/* Returns true if a rank of the world has failed, as the launcher says, or if the process of rank `r` is gone; writes the problem. */
static bool has_died(const opening *o, int r) {
  if (read_failed_rank(o->joined, o->problem, TOCHA_REASON_SIZE)) return true;
  if (!o->processes[r] || platform_process_runs(o->processes[r], NULL)) return false;
  snprintf(o->problem, TOCHA_REASON_SIZE, "Rank %d (process %lld on this host) has died", r,
           (long long)o->processes[r]);
  return true;
}

/* Waits for the value "WHAT/r", which rank r sets. Returns its bytes, from malloc; NULL if it does not come. */
static void *wait_for_value(const opening *o, const char *what, int r, size_t *size) {
  tocha_store_failure failure;
  char name[64];
  snprintf(name, sizeof name, "%s/%d", what, r);
  for (;;) {
    void *bytes = NULL;
    int64_t slice = platform_nanoseconds() + SLICE;
    if (slice > o->deadline) slice = o->deadline;
    if (store_get(o->joined, name, slice, &bytes, size, &failure)) return bytes;
    if (failure.kind != TOCHA_STORE_TIMED_OUT || slice == o->deadline || has_died(o, r))
      return NULL;
  }
}

/* Publishes on which host this rank is, and lists the ranks of the same host. Returns their number, -1 if it is not known. */
static int find_neighbours(const opening *o, const char *host, int rank, int size, int *ranks) {
  introduction own = {{0}, platform_process_number()};
  tocha_store_failure failure;
  char name[64];
  int count = 0;
  if (host)
    snprintf(own.host, sizeof own.host, "%s", host);
  else if (!platform_host_identity(own.host, sizeof own.host))
    own.host[0] = '\0';
  snprintf(name, sizeof name, "board/host/%d", rank);
  if (!store_set(o->joined, name, &own, sizeof own, &failure)) return -1;
  for (int r = 0; r < size; r++) {
    size_t length = 0;
    introduction *other = wait_for_value(o, "board/host", r, &length);
    if (!other) return -1;
    if (length == sizeof *other && own.host[0] && strcmp(own.host, other->host) == 0) {
      o->processes[r] = other->process;
      ranks[count++] = r;
    }
    free(other);
  }
  return count;
}

/* --- opening ------------------------------------------------------------------------------------------ */

/* Tells another rank of the host where to find the memory. */
typedef struct board_address {
  int64_t process;
  int32_t file; /* -1: there is none */
  uint64_t cookie;
} board_address;

static bool map_head(tocha_board *b) {
  b->head = platform_map_shared_memory(b->file, 0, b->head_size);
  return b->head != NULL;
}

/* Makes the memory, and tells the others where it is. */
static bool make(tocha_board *b, tocha_store *joined) {
  tocha_store_failure failure;
  char name[64];
  snprintf(name, sizeof name, "board/%d", b->ranks[0]);
  board_address address = {platform_process_number(), -1, 0};
  b->file = platform_create_shared_memory();
  bool made = b->file >= 0 && platform_reserve_shared_memory(b->file, 0, b->head_size) &&
              platform_random_bytes(&address.cookie, sizeof address.cookie) && map_head(b);
  if (made) {
    b->head->magic = MAGIC;
    b->head->cookie = address.cookie;
    address.file = b->file;
  }
  return store_set(joined, name, &address, sizeof address, &failure) && made;
}

/* Opens the memory that the lowest rank of this host has made. */
static bool find(tocha_board *b, const opening *o) {
  size_t size = 0;
  board_address address = {.file = -1};
  void *bytes = wait_for_value(o, "board", b->ranks[0], &size);
  if (!bytes) return false;
  if (size == sizeof address) memcpy(&address, bytes, sizeof address);
  free(bytes);
  if (address.file < 0) return false;
  b->file = platform_open_shared_memory(address.process, address.file);
  return b->file >= 0 && map_head(b) && b->head->magic == MAGIC &&
         b->head->cookie == address.cookie;
}

/* Returns true if all ranks of this host have opened the memory. */
static bool agree(const tocha_board *b, const opening *o, bool opened) {
  tocha_store_failure failure;
  char name[64];
  bool all = true;
  snprintf(name, sizeof name, "board/opened/%d", b->ranks[b->own]);
  if (!store_set(o->joined, name, opened ? "1" : "0", 1, &failure)) return false;
  for (int i = 0; i < b->count; i++) {
    size_t size = 0;
    void *bytes = wait_for_value(o, "board/opened", b->ranks[i], &size);
    if (!bytes) return false;
    all = all && size == 1 && *(char *)bytes == '1';
    free(bytes);
  }
  return all;
}

static void free_board(tocha_board *b) {
  if (b->head) platform_unmap_shared_memory(b->head, b->head_size);
  if (b->file >= 0) platform_close(b->file);
  free(b);
}

static void introduce(tocha_board *b) {
  tocha_board_member *m = &b->head->members[b->own];
  m->rank = b->ranks[b->own];
  platform_process_runs(platform_process_number(), &m->started);
  atomic_store(&m->process, platform_process_number());
  atomic_store(&m->presence, TOCHA_PRESENT);
}

static size_t seat_stride(int size) {
  return round_up(sizeof(tocha_seat) + 4 * (size_t)size * sizeof(int64_t), 64);
}

/* Finds the neighbours, and opens the memory with them. Returns false if there is no board. */
static bool open_with_others(tocha_board *b, const opening *o, const char *host, int rank) {
  b->count = find_neighbours(o, host, rank, b->world_size, b->ranks);
  if (b->count < 2) return false;
  while (b->ranks[b->own] != rank) b->own++;
  b->head_size = round_up(sizeof *b->head + (size_t)b->count * sizeof *b->head->members, MAPPED);
  b->group_stride = round_up((size_t)b->count * seat_stride(b->world_size), MAPPED);
  bool opened = b->own ? find(b, o) : make(b, o->joined);
  if (opened) introduce(b);
  return agree(b, o, opened);
}

tocha_board *tocha_board_open(tocha_store *joined, const char *host, int rank, int size,
                              int64_t deadline, char problem[TOCHA_REASON_SIZE]) {
  tocha_board *b = calloc(1, sizeof *b + (size_t)size * sizeof *b->ranks);
  opening o = {joined, deadline, problem, calloc((size_t)size, sizeof *o.processes)};
  bool opened = false;
  if (b) {
    b->file = -1;
    b->world_size = size;
    opened = o.processes && open_with_others(b, &o, host, rank);
  }
  free(o.processes);
  if (opened) return b;
  if (b) free_board(b);
  return NULL;
}

void tocha_board_leave(tocha_board *b) {
  if (b) atomic_store(&b->head->members[b->own].presence, TOCHA_LEFT);
}

void tocha_board_close(tocha_board *b) {
  if (!b) return;
  tocha_board_leave(b);
  free_board(b);
}

int tocha_board_count(const tocha_board *b) { return b ? b->count : 0; }

tocha_board_member *tocha_board_member_at(const tocha_board *b, int i) {
  return &b->head->members[i];
}

int tocha_board_own(const tocha_board *b) { return b->own; }

int tocha_board_place(const tocha_board *b, int rank) {
  int low = 0, high = tocha_board_count(b);
  while (low < high) {
    int middle = (low + high) / 2;
    if (b->ranks[middle] < rank)
      low = middle + 1;
    else
      high = middle;
  }
  return low < tocha_board_count(b) && b->ranks[low] == rank ? low : -1;
}

/* --- seats ------------------------------------------------------------------------------------------- */

/* Makes a seat that no other rank sees. */
static bool seat_alone(const tocha_process_group *group, tocha_seat **seats) {
  size_t bytes = seat_stride(group->size);
  tocha_seat *own = aligned_alloc(_Alignof(tocha_seat), bytes);
  if (own) memset(own, 0, bytes);
  seats[group->rank] = own;
  return own != NULL;
}

bool tocha_board_seat_group(tocha_board *b, const tocha_process_group *group, tocha_seat **seats) {
  if (!b) return seat_alone(group, seats);
  size_t stride = seat_stride(b->world_size), bytes = (size_t)b->count * stride;
  uint64_t offset = b->head_size + group->number * b->group_stride;
  if (!platform_reserve_shared_memory(b->file, offset, bytes)) return false;
  char *memory = platform_map_shared_memory(b->file, offset, bytes);
  if (!memory) return false;
  for (int r = 0; r < group->size; r++) {
    int i = tocha_board_place(b, group->ranks[r]);
    seats[r] = i < 0 ? NULL : (tocha_seat *)(memory + (size_t)i * stride);
  }
  return true;
}

void tocha_board_unseat_group(tocha_board *b, const tocha_process_group *group,
                              tocha_seat *const *seats) {
  char *own = (char *)seats[group->rank];
  if (!b) {
    free(own);
    return;
  }
  size_t stride = seat_stride(b->world_size);
  platform_unmap_shared_memory(own - (size_t)b->own * stride, (size_t)b->count * stride);
}
