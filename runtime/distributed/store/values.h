/* values.h: values under names in memory: those of a HashStore, of a TCPStore's server, of a FileStore as far as it was read. */
#ifndef TOCHA_STORE_VALUES_H
#define TOCHA_STORE_VALUES_H

#include "distributed/store/kinds.h"

typedef struct store_values store_values;

typedef enum store_outcome {
  STORE_DONE,
  STORE_NOT_YET, /* a name has no value; `awaited` is that name */
  STORE_NO_SUM,  /* add to a value that is no number */
  STORE_SHORT    /* out of memory */
} store_outcome;

store_values *store_values_new(void); /* NULL: out of memory */
void store_values_free(store_values *values);

/* Carries a call out if all that it waits for is there. A barrier counts its caller if `again` is false. */
store_outcome store_values_run(store_values *values, store_call *call, bool again,
                               store_text *awaited);
/* Returns the value, or NULL. It is valid until the next change. */
const store_text *store_values_find(const store_values *values, store_text name);
bool store_values_set(store_values *values, store_text name, store_text value);
bool store_values_delete(store_values *values, store_text name);
/* Returns true if the call changes values, so that others may go on. */
bool store_changes_values(store_operation operation);

#endif
