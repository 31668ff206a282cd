/* recorder.h: keeps what the last operations of a context were, for people who look for the reason of a failure. */
#ifndef TOCHA_RECORDER_H
#define TOCHA_RECORDER_H

#include "distributed/intent.h"

enum { TOCHA_RECORDS = 2000 };

typedef enum tocha_record_state {
  TOCHA_RECORD_SCHEDULED,
  TOCHA_RECORD_STARTED,
  TOCHA_RECORD_COMPLETED,
  TOCHA_RECORD_FAILED
} tocha_record_state;

typedef struct tocha_recorder tocha_recorder;

/* rank: in the world. trace_file: where tocha_recorder_write puts the records; NULL: nowhere. Returns NULL if memory is short. */
tocha_recorder *tocha_recorder_new(int rank, const char *trace_file);
void tocha_recorder_free(tocha_recorder *recorder);
/* Records an operation that begins. Returns its number, for tocha_record_state. */
uint64_t tocha_record(tocha_recorder *recorder, const tocha_process_group *group,
                      const tocha_intent *intent, uint64_t sequence, double timeout);
/* Records that an operation has come so far, unless 2,000 others have begun since. Any thread. */
void tocha_record_change(tocha_recorder *recorder, uint64_t number, tocha_record_state state);
/* Returns all records as JSON, by the names of PyTorch's flight recorder; from malloc. NULL if memory is short. Any thread. */
char *tocha_recorder_json(tocha_recorder *recorder);
/* Writes the records to the trace file, whose folders it makes: once because of a failure, if there are any, or `again`. Any thread. */
void tocha_recorder_write(tocha_recorder *recorder, bool again);
/* Writes what the last operation in a group was; -1: in any. Any thread. */
void tocha_recorder_last(tocha_recorder *recorder, int64_t group, char *text, size_t capacity);

#endif
