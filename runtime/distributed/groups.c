/* groups.c: the process groups of a context: their beginning, members and end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "core/process.h"
#include "distributed/backends.h"
#include "distributed/board.h"
#include "distributed/channel.h"
#include "distributed/check.h"
#include "distributed/flight.h"
#include "distributed/group_numbers.h"
#include "distributed/log.h"
#include "distributed/mail.h"
#include "distributed/questions.h"
#include "distributed/recorder.h"
#include "distributed/running.h"
#include "distributed/watch.h"
#include "distributed/work.h"

static const double DEFAULT_TIMEOUT = 1800;      /* seconds, as PyTorch's */
static const int64_t REPORT_AFTER = 30000000000; /* nanoseconds */

/* --- a group ------------------------------------------------------------------------------------ */

static bool open_lanes(tocha_process_group *group) {
  bool opened = platform_mutex_open(&group->mutex) && platform_mutex_open(&group->opening) &&
                platform_condition_open(&group->finished);
  for (int i = 0; i < TOCHA_LANE_COUNT; i++) {
    group->lanes[i].group = group;
    opened = opened && platform_condition_open(&group->lanes[i].queued);
  }
  return opened;
}

static void free_group(tocha_process_group *group) {
  if (group->seats) tocha_board_unseat_group(group->world->board, group, group->seats);
  free(group->seats);
  free(group->remotes);
  tocha_store_free(group->store);
  free(group->ranks);
  free(group);
}

/* Creates a group of `count` ranks of the world, which need not be sorted. */
static tocha_process_group *new_group(tocha_context *cx, tocha_distributed *d, uint64_t number,
                                      int count, const int *ranks, int own_rank) {
  tocha_process_group *group = calloc(1, sizeof *group);
  int *copy = malloc((size_t)count * sizeof *copy);
  if (!group || !copy || !open_lanes(group)) {
    free(group);
    free(copy);
    return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for a process group");
  }
  for (int i = 0; i < count; i++) copy[i] = ranks ? ranks[i] : i;
  group->world = d;
  group->ranks = copy;
  group->size = count;
  group->rank = own_rank;
  group->number = number;
  group->gpu = -1;
  const char *blocks = tocha_environment(cx, "TORCH_NCCL_BLOCKING_WAIT");
  group->blocks = blocks && atoi(blocks) > 0;
  tocha_name_group(group);
  return group;
}

/* Opens the store of the group's own values, if the world has a store. It has a connection of its own: while a group
 * waits in it for another rank, that rank may wait for what another group of this one will set. */
static bool open_store(tocha_context *cx, const tocha_distributed *d, tocha_process_group *group) {
  char prefix[32];
  tocha_store_failure failure;
  if (!d->joined) return true;
  snprintf(prefix, sizeof prefix, "group/%llu", (unsigned long long)group->number);
  tocha_store *own = store_clone(d->joined, &failure);
  if (!own) return tocha_fail(cx, TOCHA_STORE_ERROR, "%s", failure.message);
  group->store = tocha_prefix_store_new(cx, prefix, own);
  tocha_store_free(own);
  return group->store != NULL;
}

/* Takes the group's seats, on the board if there is one. Returns false with an error. */
static bool take_seats(tocha_context *cx, const tocha_distributed *d, tocha_process_group *group) {
  if (!d->board && !(d->joined && group->size > 1)) return true;
  size_t size = (size_t)group->size;
  group->seats = calloc(size, sizeof *group->seats);
  group->remotes = calloc(size, sizeof *group->remotes);
  if (group->seats && group->remotes && tocha_board_seat_group(d->board, group, group->seats)) {
    int here = 0;
    for (int r = 0; r < group->size; r++) here += group->seats[r] != NULL;
    group->spans_hosts = here < group->size;
    return true;
  }
  free(group->seats);
  group->seats = NULL;
  tocha_fail(cx, TOCHA_MEMORY_ERROR, "no shared memory for a process group");
  return false;
}

static void add_to_list(tocha_process_group *group) {
  tocha_distributed *d = group->world;
  platform_lock(&d->mutex);
  group->next = d->groups;
  d->groups = group;
  platform_unlock(&d->mutex);
}

static void remove_from_list(tocha_process_group *group) {
  tocha_distributed *d = group->world;
  platform_lock(&d->mutex);
  tocha_process_group **at = &d->groups;
  while (*at != group) at = &(*at)->next;
  *at = group->next;
  platform_unlock(&d->mutex);
}

/* Returns true if an operation waits for other ranks. One that a GPU carries out ends by itself. */
static bool has_unfinished(const tocha_process_group *group) {
  for (const struct tocha_work *w = group->in_flight; w; w = w->next_in_flight)
    if (!atomic_load(&w->done) && !atomic_load(&w->is_on_gpu)) return true;
  return false;
}

/* Ends a group, which leaves the list. If `abruptly`, operations that have not ended fail. */
static void end_group(tocha_process_group *group, bool abruptly) {
  remove_from_list(group);
  tocha_flight_look(group);
  if (group->collector) tocha_work_drop(group->collector);
  bool gives_up = abruptly && has_unfinished(group);
  if (gives_up) tocha_group_break(group, "the process group was destroyed");
  tocha_lanes_end(group);
  char reason[128];
  snprintf(reason, sizeof reason, "Rank %d has left the group while operations ran", group->rank);
  tocha_leave_seat(group, gives_up ? TOCHA_GAVE_UP : TOCHA_LEFT, group->world->place, reason);
  tocha_channels_close(group);
  for (int i = 0; i < TOCHA_LANE_COUNT; i++) platform_condition_close(&group->lanes[i].queued);
  platform_condition_close(&group->finished);
  platform_mutex_close(&group->opening);
  platform_mutex_close(&group->mutex);
  free_group(group);
}

/* --- the default group -------------------------------------------------------------------------- */

/* Ends all groups, and gives up the stores. */
static void end_world(tocha_distributed *d, bool abruptly) {
  int rank = d->world ? d->world->rank : 0;
  if (abruptly) tocha_board_leave(d->board); /* the others then ask the launcher how it ended */
  for (tocha_process_group *group = d->groups, *next; group; group = next) {
    next = group->next;
    end_group(group, abruptly);
  }
  tocha_mail_close(d->mail);
  bool reaches_store = tocha_watch_end(d->watch);
  d->mail = NULL;
  d->watch = NULL;
  tocha_questions_end(d->questions);
  d->questions = NULL;
  tocha_recorder_free(d->recorder);
  d->recorder = NULL;
  free(d->dead);
  d->dead = NULL;
  tocha_board_close(d->board);
  d->board = NULL;
  if (d->joined && reaches_store) leave_rendezvous(d->joined, rank);
  tocha_store_free(d->joined);
  tocha_store_free(d->store);
  d->joined = d->store = NULL;
  d->world = NULL;
  d->knows_of_death = false;
  free(d->local_hashes);
  d->local_hashes = NULL;
  d->group_count = 0;
  d->local_count = 0;
}

static void close_distributed(tocha_context *cx) {
  tocha_distributed *d = cx->distributed;
  if (!d) return;
  end_world(d, true);
  tocha_forget_operators(d);
  tocha_log_free(d->log);
  platform_mutex_close(&d->mutex);
  free(d);
  cx->distributed = NULL;
  cx->close_distributed = NULL;
}

tocha_distributed *tocha_distributed_of(tocha_context *cx) {
  if (cx->distributed) return cx->distributed;
  tocha_distributed *d = calloc(1, sizeof *d);
  if (!d || !platform_mutex_open(&d->mutex)) {
    free(d);
    return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for process groups");
  }
  d->context = cx;
  cx->distributed = d;
  cx->close_distributed = close_distributed;
  return d;
}

bool tocha_offer_engine(tocha_context *cx, const tocha_engine *engine) {
  tocha_distributed *d = tocha_distributed_of(cx);
  if (d) d->offered = engine;
  return d != NULL;
}

bool tocha_distributed_is_initialized(const tocha_context *cx) {
  return cx && cx->distributed && cx->distributed->world;
}

tocha_process_group *tocha_group_or_default(tocha_context *cx, tocha_process_group *group) {
  if (!cx || tocha_failed(cx)) return NULL;
  if (group) return group;
  if (tocha_distributed_is_initialized(cx)) return cx->distributed->world;
  tocha_fail(cx, TOCHA_VALUE_ERROR,
             "Default process group has not been initialized, please make sure to call "
             "init_process_group.");
  return NULL;
}

tocha_process_group *tocha_default_group(tocha_context *cx) {
  return tocha_group_or_default(cx, NULL);
}

/* Opens the store that the options name, and reads rank and world size. Returns false with an error. */
static bool rendezvous(tocha_context *cx, const tocha_distributed_options *o, tocha_distributed *d,
                       int *rank, int *size) {
  *rank = o->world_size > 0 ? o->rank : -1;
  *size = o->world_size > 0 ? o->world_size : -1;
  bool is_fake = o->backend && strcmp(o->backend, "fake") == 0;
  if (!o->store && !is_fake) {
    double timeout = o->timeout > 0 ? o->timeout : DEFAULT_TIMEOUT;
    d->store = open_rendezvous(cx, o->init_method, timeout, rank, size);
    return d->store != NULL;
  }
  if (*size < 1)
    return tocha_fail(cx, TOCHA_ASSERTION_ERROR, "world_size must be positive if using store");
  if (*rank < 0)
    return tocha_fail(cx, TOCHA_ASSERTION_ERROR, "rank must be non-negative if using store");
  if (o->store) d->store = tocha_store_retain(o->store);
  return true;
}

/* Meets the other ranks, and opens the board of this host. Returns false with an error. */
static bool join(tocha_context *cx, tocha_distributed *d, int rank, int size, double timeout) {
  d->dead = calloc((size_t)size, sizeof *d->dead);
  if (!d->dead) return tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for process groups");
  if (d->host)
    snprintf(d->own_host, sizeof d->own_host, "%s", d->host);
  else if (!platform_machine_name(d->own_host, sizeof d->own_host))
    snprintf(d->own_host, sizeof d->own_host, "this host");
  d->joined = join_rendezvous(cx, d->store, rank, size, timeout);
  if (!d->joined) return false;
  int64_t deadline = platform_nanoseconds() + (int64_t)(timeout * 1e9);
  char problem[TOCHA_REASON_SIZE] = "";
  d->board = tocha_board_open(d->joined, d->host, rank, size, deadline, problem);
  if (problem[0])
    return tocha_fail(cx, TOCHA_BACKEND_ERROR, "%s\nrank %d was running init_process_group",
                      problem, rank);
  d->may_spin = tocha_board_count(d->board) <= platform_processors();
  tocha_member self;
  tocha_store_failure failure;
  if (tocha_board_count(d->board) < size && read_member(d->joined, rank, deadline, &self, &failure))
    memcpy(d->address, self.address, sizeof d->address);
  return true;
}

/* Returns a recorder that writes to the file which the environment names: by TOCHA_TRACE_DIR, or as PyTorch's variables do. */
static tocha_recorder *new_recorder(const tocha_context *cx, int rank) {
  static const char *const prefixes[] = {"TORCH_FR_DUMP_TEMP_FILE",
                                         "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"};
  char path[1024] = "";
  const char *folder = tocha_environment(cx, "TOCHA_TRACE_DIR");
  if (folder) snprintf(path, sizeof path, "%s/rank_%d.json", folder, rank);
  for (int i = 0; i < TOCHA_COUNT(prefixes) && !path[0]; i++) {
    const char *prefix = tocha_environment(cx, prefixes[i]);
    if (prefix) snprintf(path, sizeof path, "%s%d", prefix, rank);
  }
  return tocha_recorder_new(rank, path[0] ? path : NULL);
}

char *tocha_distributed_trace(tocha_context *cx) {
  if (!tocha_group_or_default(cx, NULL) || !cx->distributed->recorder) return NULL;
  char *json = tocha_recorder_json(cx->distributed->recorder);
  return json ? json : tocha_fail(cx, TOCHA_MEMORY_ERROR, "no memory for a trace");
}

void tocha_distributed_write_trace(tocha_context *cx) {
  if (cx && cx->distributed) tocha_recorder_write(cx->distributed->recorder, false);
}

/* Returns the nanoseconds after which a wait is reported. */
static int64_t read_report_after(const tocha_context *cx) {
  const char *text = tocha_environment(cx, "TOCHA_DISTRIBUTED_REPORT_AFTER");
  double seconds = text ? strtod(text, NULL) : 0;
  return seconds > 0 && seconds < 1e9 ? (int64_t)(seconds * 1e9) : REPORT_AFTER;
}

/* Starts what looks at other ranks, and lets them and the launcher ask this one. */
static void start_watching(tocha_distributed *d, int rank, int size) {
  bool is_launched = tocha_environment(d->context, "TORCHELASTIC_RUN_ID") != NULL;
  tocha_note_operators(d);
  d->questions = tocha_questions_start(d, rank, is_launched || tocha_board_count(d->board) < size);
  d->watch = tocha_watch_start(d, rank, size);
}

static bool begin_world(tocha_context *cx, const tocha_distributed_options *o, tocha_distributed *d,
                        const tocha_backends *backends) {
  int rank = 0, size = 0;
  if (!rendezvous(cx, o, d, &rank, &size)) return false;
  if (rank >= size)
    return tocha_fail(cx, TOCHA_VALUE_ERROR, "rank %d is not less than the world size %d", rank,
                      size);
  double timeout = o->timeout > 0 ? o->timeout : DEFAULT_TIMEOUT;
  if (d->store && !join(cx, d, rank, size, timeout)) return false;
  tocha_process_group *world = new_group(cx, d, tocha_next_group_number(d), size, NULL, rank);
  if (!world) return false;
  if (o->device_id.type == TOCHA_CUDA) world->gpu = o->device_id.index;
  world->timeout = timeout;
  world->backends = *backends;
  snprintf(world->description, sizeof world->description, "default_pg");
  if (o->group_name && o->group_name[0])
    snprintf(world->name, sizeof world->name, "%s", o->group_name);
  if (!open_store(cx, d, world) || !take_seats(cx, d, world)) {
    free_group(world);
    return false;
  }
  d->group_count++;
  d->world = world;
  d->factor = 1;
  d->recorder = new_recorder(cx, rank);
  d->report_after = read_report_after(cx);
  add_to_list(world);
  if (d->joined && size > 1) start_watching(d, rank, size);
  return tocha_channel_open_soon(cx, world);
}

bool tocha_distributed_init(tocha_context *cx, const tocha_distributed_options *options) {
  static const tocha_distributed_options defaults;
  const tocha_distributed_options *o = options ? options : &defaults;
  tocha_backends backends;
  if (!cx || tocha_failed(cx)) return false;
  if (tocha_distributed_is_initialized(cx))
    return tocha_fail(cx, TOCHA_VALUE_ERROR,
                      "trying to initialize the default process group twice!");
  tocha_distributed *d = tocha_distributed_of(cx);
  if (!d || !tocha_backends_parse(cx, o->backend, d->offered, &backends)) return false;
  if (begin_world(cx, o, d, &backends)) return true;
  end_world(d, true);
  return false;
}

bool tocha_distributed_end(tocha_context *cx) {
  if (!tocha_group_or_default(cx, NULL)) return false;
  bool drained = true;
  for (tocha_process_group *g = cx->distributed->groups; g && drained; g = g->next)
    drained = tocha_lanes_drain(cx, g);
  end_world(cx->distributed, !drained);
  return drained;
}

/* --- other groups ------------------------------------------------------------------------------- */

/* Returns the place of a world's rank among those of a group, -1 if it is no member. */
static int find_rank(int count, const int *ranks, int rank) {
  for (int i = 0; i < count; i++)
    if (ranks[i] == rank) return i;
  return -1;
}

static bool refuse_twice(tocha_context *cx, int count, const int *ranks) {
  char list[512];
  size_t length = 0;
  for (int i = 0; i < count && length < sizeof list; i++)
    length += (size_t)snprintf(list + length, sizeof list - length, i ? ", %d" : "%d", ranks[i]);
  tocha_fail(cx, TOCHA_VALUE_ERROR, "ranks list must not contain duplicate entries, got [%s]",
             list);
  return false;
}

static bool check_members(tocha_context *cx, const tocha_process_group *world, int count,
                          const int *ranks) {
  if (count > world->size) {
    tocha_fail(cx, TOCHA_VALUE_ERROR,
               "the new group's world size should be less or equal to the world size set by "
               "init_process_group");
    return false;
  }
  for (int i = 0; i < count; i++) {
    if (ranks[i] < 0 || ranks[i] >= world->size) {
      tocha_fail(cx, TOCHA_VALUE_ERROR,
                 "Rank %d is out of range. Valid ranks are 0 to %d (world_size=%d)", ranks[i],
                 world->size - 1, world->size);
      return false;
    }
    if (find_rank(i, ranks, ranks[i]) >= 0) return refuse_twice(cx, count, ranks);
  }
  return true;
}

/* Reads the backends of a new group. Returns false with an error. */
static bool check_plan(tocha_context *cx, int count, const int *ranks, const char *backend,
                       tocha_backends *backends) {
  tocha_process_group *world = tocha_group_or_default(cx, NULL);
  if (!world || !check_members(cx, world, count, ranks)) return false;
  *backends = world->backends;
  return !backend || tocha_backends_parse(cx, backend, cx->distributed->offered, backends);
}

/* Opens a new group, whose options may be NULL or 0. Returns NULL with an error. */
static tocha_process_group *begin_group(tocha_context *cx, tocha_process_group *group,
                                        const tocha_backends *backends, double timeout,
                                        const char *description) {
  if (!group) return NULL;
  tocha_distributed *d = group->world;
  group->timeout = timeout > 0 ? timeout : d->world->timeout;
  group->backends = *backends;
  snprintf(group->description, sizeof group->description, "%s",
           description ? description : "undefined");
  if (open_store(cx, d, group) && take_seats(cx, d, group)) return group;
  free_group(group);
  return NULL;
}

bool tocha_new_group(tocha_context *cx, int count, const int *ranks, const char *backend,
                     double timeout, const char *description, tocha_process_group **result) {
  tocha_backends backends;
  if (result) *result = NULL;
  if (!result || !check_plan(cx, count, ranks, backend, &backends)) return false;
  tocha_distributed *d = cx->distributed;
  int own = find_rank(count, ranks, d->world->rank);
  if (own < 0 || !count) {
    d->group_count++;
    return true;
  }
  *result = begin_group(cx, new_group(cx, d, tocha_next_group_number(d), count, ranks, own),
                        &backends, timeout, description);
  if (!*result) return false;
  d->group_count++;
  add_to_list(*result);
  return tocha_channel_open_soon(cx, *result);
}

tocha_process_group *tocha_new_group_of_members(tocha_context *cx, int count, const int *ranks,
                                                const char *backend, double timeout,
                                                const char *description) {
  tocha_backends backends;
  uint64_t number;
  if (!check_plan(cx, count, ranks, backend, &backends)) return NULL;
  tocha_distributed *d = cx->distributed;
  int own = find_rank(count, ranks, d->world->rank);
  if (own < 0) return tocha_fail(cx, TOCHA_VALUE_ERROR, "rank %d is no member", d->world->rank);
  double patience = timeout > 0 ? timeout : d->world->timeout;
  if (!tocha_agree_on_group_number(cx, count, ranks, patience, &number)) return NULL;
  tocha_process_group *group =
      begin_group(cx, new_group(cx, d, number, count, ranks, own), &backends, timeout, description);
  if (!group) return NULL;
  add_to_list(group);
  return tocha_channel_open_soon(cx, group) ? group : NULL;
}

bool tocha_group_end(tocha_context *cx, tocha_process_group *group) {
  group = tocha_group_or_default(cx, group);
  if (!group) return false;
  if (group == cx->distributed->world) return tocha_distributed_end(cx);
  bool drained = tocha_lanes_drain(cx, group);
  end_group(group, !drained);
  return drained;
}

bool tocha_group_abort(tocha_context *cx, tocha_process_group *group, bool waits) {
  group = tocha_group_or_default(cx, group);
  if (!group || (waits && !tocha_lanes_drain(cx, group))) return false;
  if (group != cx->distributed->world) {
    end_group(group, true);
    return true;
  }
  tocha_group_break(group, "the process group was shrunk");
  tocha_leave_seat(group, TOCHA_LEFT, group->world->place, NULL);
  return true;
}

/* --- questions ---------------------------------------------------------------------------------- */

int tocha_group_rank(tocha_context *cx, tocha_process_group *group) {
  group = tocha_group_or_default(cx, group);
  return group ? group->rank : -1;
}

int tocha_group_size(tocha_context *cx, tocha_process_group *group) {
  group = tocha_group_or_default(cx, group);
  return group ? group->size : -1;
}

const char *tocha_group_backend(tocha_context *cx, tocha_process_group *group) {
  group = tocha_group_or_default(cx, group);
  return group ? group->backends.text : "";
}

const int *tocha_group_ranks(tocha_context *cx, tocha_process_group *group) {
  group = tocha_group_or_default(cx, group);
  return group ? group->ranks : NULL;
}

tocha_store *tocha_group_store(tocha_context *cx, tocha_process_group *group) {
  group = tocha_group_or_default(cx, group);
  return group ? group->store : NULL;
}

const char *tocha_group_name(tocha_context *cx, tocha_process_group *group) {
  group = tocha_group_or_default(cx, group);
  return group ? group->name : "";
}

const char *tocha_group_description(tocha_context *cx, tocha_process_group *group) {
  group = tocha_group_or_default(cx, group);
  return group ? group->description : "";
}

bool tocha_group_set_timeout(tocha_context *cx, tocha_process_group *group, double seconds) {
  group = tocha_group_or_default(cx, group);
  if (group) group->timeout = seconds;
  return group != NULL;
}

bool tocha_distributed_set_factor(tocha_context *cx, double factor) {
  if (!tocha_group_or_default(cx, NULL)) return false;
  cx->distributed->factor = factor;
  return true;
}

void tocha_distributed_note_place(tocha_context *cx, const char *place) {
  if (!cx || !cx->distributed) return;
  snprintf(cx->distributed->place, sizeof cx->distributed->place, "%s", place ? place : "");
}
