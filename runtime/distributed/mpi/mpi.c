/* mpi.c: the engine of clusters, on an MPI. Its calls are nonblocking, so that a rank that waits can be told to stop. */
#include "distributed/mpi/mpi.h"
#include "distributed/reductions/reductions.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- dtypes and operations ------------------------------------------------------------------------- */

static bool is_half(tocha_dtype dtype) { return dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16; }

/* Returns MPI_BYTE for dtypes that are only copied. */
static MPI_Datatype type_of(tocha_dtype dtype) {
  switch (dtype) {
  case TOCHA_BOOL:
    return MPI_C_BOOL;
  case TOCHA_UINT8:
    return MPI_UINT8_T;
  case TOCHA_INT8:
    return MPI_INT8_T;
  case TOCHA_INT16:
    return MPI_INT16_T;
  case TOCHA_INT32:
    return MPI_INT32_T;
  case TOCHA_INT64:
    return MPI_INT64_T;
  case TOCHA_FLOAT16:
  case TOCHA_BFLOAT16:
    return MPI_UINT16_T;
  case TOCHA_FLOAT32:
    return MPI_FLOAT;
  case TOCHA_FLOAT64:
    return MPI_DOUBLE;
  default:
    return MPI_BYTE;
  }
}

static bool can_reduce(tocha_dtype dtype, tocha_reduce_op op) {
  bool floating = is_half(dtype) || dtype == TOCHA_FLOAT32 || dtype == TOCHA_FLOAT64;
  if (type_of(dtype) == MPI_BYTE) return false;
  if (op == TOCHA_REDUCE_AVG) return floating;
  if (op == TOCHA_REDUCE_BAND || op == TOCHA_REDUCE_BOR || op == TOCHA_REDUCE_BXOR)
    return !floating;
  return op != TOCHA_REDUCE_PREMUL_SUM;
}

static MPI_Op op_of(tocha_dtype dtype, tocha_reduce_op op) {
  bool logical = dtype == TOCHA_BOOL;
  if (is_half(dtype)) return mpi_halves(dtype, op);
  switch (op) {
  case TOCHA_REDUCE_PRODUCT:
    return logical ? MPI_LAND : MPI_PROD;
  case TOCHA_REDUCE_MIN:
    return logical ? MPI_LAND : MPI_MIN;
  case TOCHA_REDUCE_MAX:
    return logical ? MPI_LOR : MPI_MAX;
  case TOCHA_REDUCE_BAND:
    return logical ? MPI_LAND : MPI_BAND;
  case TOCHA_REDUCE_BOR:
    return logical ? MPI_LOR : MPI_BOR;
  case TOCHA_REDUCE_BXOR:
    return logical ? MPI_LXOR : MPI_BXOR;
  default:
    return logical ? MPI_LOR : MPI_SUM;
  }
}

/* --- pieces ---------------------------------------------------------------------------------------- */

/* The elements [first, first + count) of each rank's part. Where MPI addresses all ranks' pieces at once, each of them is
 * `parts` elements of the type `part`: if a part has several pieces, one element that is a whole part apart from
 * the next rank's. */
typedef struct piece {
  int64_t first;
  int count, parts;
  MPI_Datatype part;
} piece;

static bool is_root(const mpi_operation *o) { return o->channel->rank == o->transfer->root; }

/* What a rank gives: its input, or, where that is the output, "in place". */
static const void *own(const mpi_operation *o, const piece *p) {
  const tocha_transfer *t = o->transfer;
  return t->input == t->output ? MPI_IN_PLACE : mpi_at(o, t->input, p->first);
}

static int begin_reduction(mpi_operation *o, const piece *p, MPI_Request *request) {
  const tocha_transfer *t = o->transfer;
  void *to = mpi_at(o, t->output, p->first);
  MPI_Comm comm = o->channel->comm;
  if (t->kind == TOCHA_ALL_REDUCE)
    return MPI_Iallreduce(own(o, p), to, p->count, o->type, o->op, comm, request);
  const void *from = is_root(o) ? own(o, p) : mpi_at(o, t->input, p->first);
  return MPI_Ireduce(from, is_root(o) ? to : NULL, p->count, o->type, o->op, t->root, comm,
                     request);
}

static int begin_copy(mpi_operation *o, const piece *p, MPI_Request *request) {
  const tocha_transfer *t = o->transfer;
  void *to = mpi_at(o, t->output, p->first);
  const void *from = mpi_at(o, t->input, p->first);
  MPI_Comm comm = o->channel->comm;
  switch (t->kind) {
  case TOCHA_BROADCAST:
    return MPI_Ibcast(to, p->count, o->type, t->root, comm, request);
  case TOCHA_ALL_GATHER:
    return MPI_Iallgather(from, p->count, o->type, to, p->parts, p->part, comm, request);
  case TOCHA_GATHER:
    return MPI_Igather(from, p->count, o->type, to, p->parts, p->part, t->root, comm, request);
  case TOCHA_SCATTER:
    return MPI_Iscatter(from, p->parts, p->part, to, p->count, o->type, t->root, comm, request);
  case TOCHA_SEND:
    return MPI_Isend(from, p->count, o->type, t->root, (int)t->tag, comm, request);
  case TOCHA_RECV:
    return MPI_Irecv(to, p->count, o->type, t->root < 0 ? MPI_ANY_SOURCE : t->root, (int)t->tag,
                     comm, request);
  default:
    return MPI_Ibarrier(comm, request);
  }
}

static bool make_part(mpi_operation *o, piece *p) {
  MPI_Datatype packed = MPI_DATATYPE_NULL;
  MPI_Aint apart = (MPI_Aint)((size_t)o->transfer->count * o->element);
  p->parts = 1;
  bool made = mpi_succeeded(o->failure, MPI_Type_contiguous(p->count, o->type, &packed)) &&
              mpi_succeeded(o->failure, MPI_Type_create_resized(packed, 0, apart, &p->part)) &&
              mpi_succeeded(o->failure, MPI_Type_commit(&p->part));
  if (packed != MPI_DATATYPE_NULL) MPI_Type_free(&packed);
  return made;
}

static bool run_piece(mpi_operation *o, piece *p) {
  tocha_transfer *t = o->transfer;
  bool reduces = t->kind == TOCHA_ALL_REDUCE || t->kind == TOCHA_REDUCE;
  bool many = t->kind == TOCHA_ALL_GATHER || t->kind == TOCHA_GATHER || t->kind == TOCHA_SCATTER;
  bool strided = many && p->count < t->count;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  mpi_enter();
  bool begun = (!strided || make_part(o, p)) &&
               mpi_succeeded(o->failure, reduces ? begin_reduction(o, p, &request)
                                                 : begin_copy(o, p, &request));
  mpi_leave();
  int64_t bytes = (int64_t)p->count * (int64_t)o->element * (many ? o->channel->size : 1);
  bool done = begun && mpi_finish(o, 1, &request, &status, bytes); // NOLINT: mpi_finish waits
  if (strided && !mpi_is_given_up()) {
    mpi_enter();
    MPI_Type_free(&p->part);
    mpi_leave();
  }
  if (done && t->kind == TOCHA_RECV) t->source = status.MPI_SOURCE;
  return done;
}

/* A message of several pieces from anyone comes from the rank that has sent the first one. */
static bool run_pieces(mpi_operation *o) {
  tocha_transfer *t = o->transfer;
  int64_t first = 0;
  int root = t->root;
  bool done = true;
  do {
    int64_t left = t->count - first;
    int count = (int)(left < TOCHA_MPI_PIECE ? left : TOCHA_MPI_PIECE);
    piece p = {first, count, count, o->type};
    done = run_piece(o, &p);
    if (t->kind == TOCHA_RECV && done) t->root = t->source;
    first += p.count;
  } while (done && first < t->count);
  t->root = root;
  return done;
}

/* --- what is not one call for each piece ----------------------------------------------------------- */

/* The parts are so long that each rank's is a reduction of its own. */
static bool reduce_parts(mpi_operation *o) {
  tocha_transfer whole = *o->transfer, *t = &whole;
  uint8_t *scratch = malloc((size_t)t->count * o->element);
  mpi_operation each = *o;
  bool done = scratch || mpi_fail(o->failure, TOCHA_ENGINE_FAILED, "there is no memory");
  each.transfer = t;
  for (int i = 0; done && i < o->channel->size; i++) {
    t->kind = TOCHA_REDUCE;
    t->root = i;
    t->input = mpi_at(o, o->transfer->input, (int64_t)i * t->count);
    t->output = i == o->channel->rank ? o->transfer->output : scratch;
    done = run_pieces(&each);
  }
  if (!mpi_is_given_up()) free(scratch); /* MPI may still write to it */
  return done;                           // NOLINT
}

static bool reduce_scatter(mpi_operation *o) {
  const tocha_transfer *t = o->transfer;
  MPI_Request request = MPI_REQUEST_NULL;
  if (t->count > TOCHA_MPI_PIECE / o->channel->size) return reduce_parts(o);
  mpi_enter();
  int code = MPI_Ireduce_scatter_block(t->input, t->output, (int)t->count, o->type, o->op,
                                       o->channel->comm, &request);
  mpi_leave();
  return mpi_succeeded(o->failure, code) &&
         mpi_finish(o, 1, &request, MPI_STATUSES_IGNORE,
                    t->count * (int64_t)o->element * o->channel->size);
}

static bool move(mpi_operation *o) {
  if (mpi_moves_directly(o)) return mpi_move_directly(o);
  return o->transfer->kind == TOCHA_REDUCE_SCATTER ? reduce_scatter(o) : run_pieces(o);
}

/* --- the engine ------------------------------------------------------------------------------------ */

static bool is_reduction(tocha_collective kind) {
  return kind == TOCHA_ALL_REDUCE || kind == TOCHA_REDUCE || kind == TOCHA_REDUCE_SCATTER;
}

static bool takes(tocha_collective kind, tocha_dtype dtype, tocha_reduce_op op) {
  return !is_reduction(kind) || can_reduce(dtype, op);
}

static bool tag_fits(const mpi_operation *o) {
  int most = o->channel->last_tag - 1; /* the last one is of collectives (direct.c) */
  if (o->transfer->tag <= (uint32_t)most) return true;
  mpi_fail(o->failure, TOCHA_ENGINE_FAILED, "");
  snprintf(o->failure->message, sizeof o->failure->message, "MPI has tags up to %d, not %u", most,
           (unsigned)o->transfer->tag);
  return false;
}

static bool moves_nothing(const tocha_transfer *t) {
  return t->count == 0 && t->kind != TOCHA_ALL_TO_ALL && t->kind != TOCHA_SEND &&
         t->kind != TOCHA_RECV && t->kind != TOCHA_BARRIER;
}

static bool run(tocha_channel *channel, tocha_transfer *t, tocha_engine_failure *failure) {
  mpi_operation o = {channel,           t,           failure,
                     type_of(t->dtype), MPI_OP_NULL, tocha_engine_item_size(t->dtype)};
  bool reduces = is_reduction(t->kind);
  if (!mpi_start(failure)) return false;
  if (atomic_load(&channel->aborted))
    return mpi_fail(failure, TOCHA_ENGINE_ABORTED, "the operation was aborted");
  if (moves_nothing(t)) return true;
  if (reduces) o.op = op_of(t->dtype, t->op);
  if (t->kind == TOCHA_BROADCAST && is_root(&o) && t->input != t->output)
    memmove(t->output, t->input, (size_t)t->count * o.element);
  bool done = tag_fits(&o) && move(&o);
  if (done && reduces && t->op == TOCHA_REDUCE_AVG && (t->kind != TOCHA_REDUCE || is_root(&o)))
    engine_divide(t->output, t->dtype, t->count, channel->size);
  if (!done) atomic_store(&channel->failed, true);
  return done;
}

/* All ranks of the group are here before the call that waits for them. Each says whether all are on its host. */
static bool meet(const tocha_channel_options *options, bool *on_one_host,
                 tocha_engine_failure *failure) {
  const tocha_engine_store *store = &options->store;
  char name[32], byte = !*options->address;
  snprintf(name, sizeof name, "mpi/%d", options->rank);
  *on_one_host = true;
  if (!store->set(store->user, name, &byte, 1))
    return mpi_fail(failure, TOCHA_ENGINE_FAILED, "the store took no value");
  for (int i = 0; i < options->size; i++) {
    snprintf(name, sizeof name, "mpi/%d", i);
    bool came = store->get(store->user, name, &byte, 1, options->deadline) == 1;
    *on_one_host = *on_one_host && byte;
    if (came) continue;
    snprintf(failure->message, sizeof failure->message, "rank %d did not come", i);
    failure->kind = TOCHA_ENGINE_TIMED_OUT;
    failure->peer = i;
    return false;
  }
  return true;
}

static bool is_of_the_world(const tocha_channel_options *options, tocha_engine_failure *failure) {
  int rank, size;
  if (!mpi_world(&rank, &size)) return mpi_start(failure);
  bool right = options->world_ranks[options->rank] == rank;
  for (int i = 0; i < options->size; i++) right = right && options->world_ranks[i] < size;
  if (right) return true;
  mpi_fail(failure, TOCHA_ENGINE_FAILED, "");
  snprintf(failure->message, sizeof failure->message,
           "this process is rank %d of %d by MPI, and rank %d of a group up to rank %d by RANK and "
           "WORLD_SIZE: start it with mpirun, or `tocha --mpi`",
           rank, size, options->world_ranks[options->rank],
           options->world_ranks[options->size - 1]);
  return false;
}

/* The creation of a communicator. */
typedef struct creation {
  tocha_channel *channel;
  uint64_t number;
  tocha_engine_failure failure;
  int ranks[]; /* in the world */
} creation;

static void start_apart(void *failure) { mpi_start(failure); }

static void create_apart(void *user) {
  creation *c = user;
  MPI_Group world, group;
  mpi_enter();
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, c->channel->size, c->ranks, &group);
  int code =
      MPI_Comm_create_group(MPI_COMM_WORLD, group, (int)(c->number % 32768), &c->channel->comm);
  if (code == MPI_SUCCESS) code = MPI_Comm_set_errhandler(c->channel->comm, MPI_ERRORS_RETURN);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  mpi_leave();
  mpi_succeeded(&c->failure, code);
}

static bool start_process(const tocha_channel_options *options, tocha_engine_failure *failure) {
  tocha_engine_failure *own = calloc(1, sizeof *own);
  if (!own) return mpi_fail(failure, TOCHA_ENGINE_FAILED, "there is no memory");
  if (!mpi_call_apart(options, start_apart, own, failure)) return false;
  *failure = *own;
  free(own);
  return !*failure->message;
}

static bool create(const tocha_channel_options *options, tocha_channel *channel,
                   tocha_engine_failure *failure) {
  size_t bytes = (size_t)options->size * sizeof *options->world_ranks;
  creation *c = calloc(1, sizeof *c + bytes);
  if (!c) return mpi_fail(failure, TOCHA_ENGINE_FAILED, "there is no memory");
  c->channel = channel;
  c->number = options->number;
  memcpy(c->ranks, options->world_ranks, bytes);
  if (!mpi_call_apart(options, create_apart, c, failure)) return false;
  *failure = c->failure;
  free(c);
  return !*failure->message;
}

static void free_channel(tocha_channel *channel) {
  free(channel->parts);
  free(channel->requests);
  if (!mpi_is_given_up()) free(channel->scratch); /* MPI may still write to it */
  free(channel);                                  // NOLINT
}

static tocha_channel *new_channel(const tocha_channel_options *options, bool on_one_host) {
  tocha_channel *c = calloc(1, sizeof *c);
  int *last_tag = NULL, found = 0;
  if (!c) return NULL;
  c->rank = options->rank;
  c->size = options->size;
  c->on_one_host = on_one_host;
  c->parts = calloc((size_t)c->size, sizeof *c->parts);
  c->requests = calloc(2 * (size_t)c->size, sizeof(MPI_Request));
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &last_tag, &found);
  c->last_tag = found ? *last_tag : 32767; /* which MPI promises */
  if (c->parts && c->requests) return c;
  free_channel(c);
  return NULL;
}

static tocha_channel *open_channel(const tocha_channel_options *options,
                                   tocha_engine_failure *failure) {
  bool on_one_host;
  *failure = (tocha_engine_failure){TOCHA_ENGINE_FAILED, -1, ""};
  if (!start_process(options, failure) || !is_of_the_world(options, failure) ||
      !meet(options, &on_one_host, failure))
    return NULL;
  tocha_channel *channel = new_channel(options, on_one_host);
  if (!channel) return (mpi_fail(failure, TOCHA_ENGINE_FAILED, "there is no memory"), NULL);
  if (create(options, channel, failure)) {
    mpi_count_channel(1, false);
    return channel;
  }
  if (!mpi_is_given_up()) free_channel(channel); /* MPI may still write to it */
  return NULL;                                   // NOLINT
}

/* The communicator stays: freeing it waits for the other ranks. */
static void close_channel(tocha_channel *channel) {
  mpi_count_channel(-1, atomic_load(&channel->failed) || atomic_load(&channel->aborted));
  free_channel(channel);
}

static void abort_channel(tocha_channel *channel) { atomic_store(&channel->aborted, true); }

/* Makes "MPICH 4.0.2" of "MPICH Version:\t4.0.2\n..." and of "MPICH v4.0.2, ...". */
static const char *library(void) {
  static char words[MPI_MAX_LIBRARY_VERSION_STRING + 1];
  if (*words) return words;
  char said[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
  int length = 0;
  MPI_Get_library_version(said, &length);
  size_t name = strcspn(said, ",\n\r0123456789"), end = name + strcspn(said + name, ", \t\n\r");
  const char *version = strstr(said, " Version");
  size_t text = version && (size_t)(version - said) < name ? (size_t)(version - said) : name;
  while (text > 0 && strchr(" \tv", said[text - 1])) text--;
  snprintf(words, sizeof words, "%.*s %.*s", (int)text, said, (int)(end - name), said + name);
  return words;
}

const tocha_engine *tocha_engine_entry(const char **reason);

__attribute__((visibility("default"))) const tocha_engine *tocha_engine_entry(const char **reason) {
  static const tocha_engine engine = {.version = TOCHA_ENGINE_VERSION,
                                      .name = "mpi",
                                      .library = library,
                                      .takes = takes,
                                      .open = open_channel,
                                      .close = close_channel,
                                      .run = run,
                                      .abort = abort_channel,
                                      .world = mpi_world};
  *reason = "";
  return &engine;
}
