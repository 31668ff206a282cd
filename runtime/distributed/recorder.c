/* recorder.c: the last operations of a context, as JSON. */
#include "distributed/recorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "core/text.h"

typedef struct record {
  uint64_t number, sequence, group;
  char group_name[TOCHA_NAME_SIZE], engine[TOCHA_ENGINE_NAME_SIZE];
  int group_size;
  tocha_intent intent;
  tocha_record_state state;
  double timeout;
  int64_t created, started, ended; /* nanoseconds since 1970; 0: not yet */
} record;

struct tocha_recorder {
  platform_mutex mutex;
  int rank;
  char host[80], *file;
  bool written;
  uint64_t count; /* so far; record n lies at n % TOCHA_RECORDS */
  record records[TOCHA_RECORDS];
};

tocha_recorder *tocha_recorder_new(int rank, const char *trace_file) {
  tocha_recorder *r = calloc(1, sizeof *r);
  if (!r || !platform_mutex_open(&r->mutex)) {
    free(r);
    return NULL;
  }
  r->rank = rank;
  platform_machine_name(r->host, sizeof r->host);
  size_t size = trace_file ? strlen(trace_file) + 1 : 0;
  if (size && (r->file = malloc(size))) memcpy(r->file, trace_file, size);
  return r;
}

void tocha_recorder_free(tocha_recorder *r) {
  if (!r) return;
  platform_mutex_close(&r->mutex);
  free(r->file);
  free(r);
}

uint64_t tocha_record(tocha_recorder *r, const tocha_process_group *group,
                      const tocha_intent *intent, uint64_t sequence, double timeout) {
  if (!r) return 0;
  int64_t now = platform_wall_clock();
  platform_lock(&r->mutex);
  uint64_t number = r->count++;
  record *to = &r->records[number % TOCHA_RECORDS];
  *to = (record){.number = number,
                 .sequence = sequence,
                 .group = group->number,
                 .group_size = group->size,
                 .intent = *intent,
                 .timeout = timeout,
                 .created = now};
  memcpy(to->group_name, group->name, sizeof to->group_name);
  memcpy(to->engine, group->backends.engines[intent->device], sizeof to->engine);
  platform_unlock(&r->mutex);
  return number;
}

void tocha_record_change(tocha_recorder *r, uint64_t number, tocha_record_state state) {
  if (!r) return;
  int64_t now = platform_wall_clock();
  platform_lock(&r->mutex);
  record *to = &r->records[number % TOCHA_RECORDS];
  if (to->number == number) {
    to->state = state;
    *(state == TOCHA_RECORD_STARTED ? &to->started : &to->ended) = now;
  }
  platform_unlock(&r->mutex);
}

/* --- JSON ------------------------------------------------------------------------------------------------ */

static void append_string(tocha_text *text, const char *s) {
  tocha_text_string(text, "\"");
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') tocha_text_string(text, "\\");
    if ((unsigned char)*s < ' ')
      tocha_text_format(text, "\\u%04x", (unsigned)(unsigned char)*s);
    else
      tocha_text_append(text, s, 1);
  }
  tocha_text_string(text, "\"");
}

static void append_time(tocha_text *text, const char *name, int64_t time) {
  if (time)
    tocha_text_format(text, ", \"%s\": %" PRId64, name, time);
  else
    tocha_text_format(text, ", \"%s\": null", name);
}

static void append_tensor(tocha_text *text, const tocha_intent *i) {
  tocha_text_string(text, ", \"input_sizes\": [");
  for (int d = 0; i->has_tensor && d < i->ndim && d < TOCHA_INTENT_DIMS; d++)
    tocha_text_format(text, "%s%" PRId64 "%s", d ? ", " : "[", i->sizes[d],
                      d + 1 == i->ndim || d + 1 == TOCHA_INTENT_DIMS ? "]" : "");
  tocha_text_string(text, "], \"input_dtypes\": [");
  if (i->has_tensor) append_string(text, tocha_dtype_scalar_type((tocha_dtype)i->dtype));
  tocha_text_format(text, "], \"numel\": %" PRId64, i->count);
}

static void append_record(tocha_text *text, const record *r) {
  static const char *const states[] = {"scheduled", "started", "completed", "failed"};
  bool is_pair = r->intent.form == TOCHA_FORM_SEND || r->intent.form == TOCHA_FORM_RECV;
  tocha_text_format(text,
                    "{\"record_id\": %" PRIu64 ", \"pg_id\": %" PRIu64 ", \"process_group\": [",
                    r->number, r->group);
  append_string(text, r->group_name);
  tocha_text_format(text,
                    ", %d], \"collective_seq_id\": %" PRIu64
                    ", \"is_p2p\": %s, \"profiling_name\": \"%s:%s\"",
                    r->group_size, r->sequence, is_pair ? "true" : "false", r->engine,
                    tocha_form_name(r->intent.form));
  append_tensor(text, &r->intent);
  if (r->intent.reduces)
    tocha_text_format(text, ", \"reduce_op\": \"%s\"", tocha_reduce_op_name(r->intent.op));
  if (r->intent.root >= 0) tocha_text_format(text, ", \"root\": %d", r->intent.root);
  tocha_text_format(text, ", \"state\": \"%s\", \"timeout_ms\": %.0f", states[r->state],
                    r->timeout * 1000);
  append_time(text, "time_created_ns", r->created);
  append_time(text, "time_discovered_started_ns", r->started);
  append_time(text, "time_discovered_completed_ns", r->ended);
  tocha_text_string(text, ", \"place\": ");
  append_string(text, r->intent.place);
  tocha_text_string(text, "}");
}

char *tocha_recorder_json(tocha_recorder *r) {
  tocha_text text = {0};
  platform_lock(&r->mutex);
  uint64_t first = r->count > TOCHA_RECORDS ? r->count - TOCHA_RECORDS : 0;
  tocha_text_format(&text, "{\"version\": \"tocha 1\", \"rank\": %d, \"process\": %ld, \"host\": ",
                    r->rank, platform_process_number());
  append_string(&text, r->host);
  tocha_text_string(&text, ", \"entries\": [");
  for (uint64_t n = first; n < r->count; n++) {
    tocha_text_string(&text, n > first ? ",\n" : "\n");
    append_record(&text, &r->records[n % TOCHA_RECORDS]);
  }
  platform_unlock(&r->mutex);
  tocha_text_string(&text, "\n]}\n");
  return tocha_text_finish(NULL, &text);
}

/* Makes the folders of a file. */
static void make_folders_of(const char *file) {
  char folder[1024];
  for (const char *slash = strchr(file + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - file), file);
    platform_make_folder(folder, true);
  }
}

/* Writes a whole file, or none. */
static void write_file(const char *path, const char *text) {
  char part[1100];
  make_folders_of(path);
  snprintf(part, sizeof part, "%s.%ld", path, platform_process_number());
  FILE *file = fopen(part, "w");
  if (!file) return;
  bool whole = fputs(text, file) >= 0;
  whole = fclose(file) == 0 && whole;
  if (!whole || rename(part, path) != 0) remove(part);
}

void tocha_recorder_write(tocha_recorder *r, bool again) {
  if (!r || !r->file) return;
  platform_lock(&r->mutex);
  bool is_needed = again || (!r->written && r->count);
  if (!again) r->written = true;
  platform_unlock(&r->mutex);
  char *json = is_needed ? tocha_recorder_json(r) : NULL;
  if (json) write_file(r->file, json);
  free(json);
}

void tocha_recorder_last(tocha_recorder *r, int64_t group, char *text, size_t capacity) {
  char operation[256];
  snprintf(text, capacity, "it has begun no operation%s", group < 0 ? "" : " in this group");
  if (!r) return;
  platform_lock(&r->mutex);
  uint64_t first = r->count > TOCHA_RECORDS ? r->count - TOCHA_RECORDS : 0;
  for (uint64_t n = r->count; n-- > first;) {
    const record *last = &r->records[n % TOCHA_RECORDS];
    if (group >= 0 && last->group != (uint64_t)group) continue;
    snprintf(text, capacity, "its last operation%s was %s", group < 0 ? "" : " in this group",
             tocha_intent_text(&last->intent, operation, sizeof operation));
    break;
  }
  platform_unlock(&r->mutex);
}
