/* scheduler.h: the structures behind <tocha/scheduler.h>.
 *
 * A class is data, which runtime/list/write_schedulers.lua generates from its entry in schedulers.lua. A
 * scheduler's fields are those of PyTorch's state dict. */
#ifndef TOCHA_OPTIM_SCHEDULER_H
#define TOCHA_OPTIM_SCHEDULER_H

#include "optim/optimizer.h"
#include "tocha/scheduler.h"

enum { TOCHA_MAX_FIELDS = 16 };

typedef enum tocha_field_kind {
  TOCHA_FIELD_INT,
  TOCHA_FIELD_FLOAT,
  TOCHA_FIELD_BOOL,
  TOCHA_FIELD_SCALAR,    /* an int or a float, as it comes */
  TOCHA_FIELD_CHOICE,    /* the index of a text among the field's choices */
  TOCHA_FIELD_INTS,      /* items, as ints */
  TOCHA_FIELD_FLOATS,    /* items */
  TOCHA_FIELD_COUNTS,    /* items, sorted; in a state dict {item: occurrences} */
  TOCHA_FIELD_NONE,      /* None in a state dict; not kept */
  TOCHA_FIELD_FUNCTIONS, /* a list of None in a state dict: functions are no part of it */
  TOCHA_FIELD_PHASES,    /* items: the last steps of OneCycleLR's phases (tocha_schedule_phases) */
  TOCHA_FIELD_SCHEDULERS /* the state dicts of the inner schedulers */
} tocha_field_kind;

typedef struct tocha_schedule_field {
  const char *name;
  tocha_field_kind kind;
  bool optional;              /* a number of kind TOCHA_NO_SCALAR is None */
  const char *const *choices; /* of a CHOICE, ended by NULL */
} tocha_schedule_field;

typedef struct tocha_scheduler_value {
  tocha_scalar number;
  double *items;
  int count;
} tocha_scheduler_value;

typedef struct tocha_scheduler_class {
  const char *name;
  const tocha_schedule_field *fields;
  int field_count;
  bool keeps_base, keeps_epoch; /* the state dict has base_lrs and counts, or last_epoch */
  bool reads_base;              /* the formulas read the first rate */
  /* Return a group's rate, from its rate so far and its first one; closed (or NULL) from the latter
   * alone. */
  double (*rate)(const tocha_scheduler *s, double lr, double base);
  double (*closed)(const tocha_scheduler *s, double lr, double base);
  /* Replaces `rate`: changes the rates of all groups, which are those so far. */
  bool (*rates)(tocha_context *cx, tocha_scheduler *s, double *rates);
  /* Replaces the whole step; epoch: NULL for the next. */
  bool (*step)(tocha_context *cx, tocha_scheduler *s, const double *epoch);
  bool (*metric)(tocha_context *cx, tocha_scheduler *s, double metric);
} tocha_scheduler_class;

extern const tocha_scheduler_class tocha_scheduler_classes[];
extern const int tocha_scheduler_class_count;

struct tocha_scheduler {
  tocha_refcount references;
  tocha_context *context;
  const tocha_scheduler_class *class;
  tocha_optimizer *optimizer;
  tocha_scheduler_value base, last; /* the first and the last rates of the groups */
  int64_t epoch, steps;
  bool is_initial; /* the constructor is making its step */
  tocha_scheduler_value values[TOCHA_MAX_FIELDS];
  tocha_rate_function *functions;
  int function_count;
  tocha_scheduler **inner;
  int inner_count;
};

/* --- life ------------------------------------------------------------------------------------------ */

/* Creates a scheduler with zeros for its fields. Fails for an optimizer of NULL. */
tocha_scheduler *tocha_scheduler_create(tocha_context *cx, const tocha_scheduler_class *class_,
                                        tocha_optimizer *optimizer);
/* Reads the first rates (last_epoch -1: of the optimizer as it is; else its fields initial_lr) and makes
 * the constructor's step. */
bool tocha_scheduler_start(tocha_context *cx, tocha_scheduler *s, int64_t last_epoch);
/* Returns s if `ok`; else releases it and returns NULL. */
tocha_scheduler *tocha_scheduler_begun(tocha_scheduler *s, bool ok);

/* --- rates and values --------------------------------------------------------------------------------- */

/* Makes the step that the constructor makes. */
bool tocha_scheduler_initial_step(tocha_context *cx, tocha_scheduler *s);
/* Sets the epoch (NULL: the next) and the rates. */
bool tocha_scheduler_update(tocha_context *cx, tocha_scheduler *s, const double *epoch);
/* Sets the rates of the groups by the class's formula, for the epoch that is set. */
bool tocha_scheduler_apply(tocha_context *cx, tocha_scheduler *s, bool closed);
/* Reads the rates of the groups into s->last. */
bool tocha_scheduler_read_rates(tocha_context *cx, tocha_scheduler *s);
/* Warns that a step to a given epoch is not advised. */
void tocha_scheduler_warn_epoch(tocha_context *cx);
/* Gives a value room for `count` items; those that it has are kept. */
bool tocha_schedule_reserve(tocha_context *cx, tocha_scheduler_value *value, int count);
/* Sets the items of field number `field`, sorted. */
bool tocha_schedule_set_counts(tocha_context *cx, tocha_scheduler *s, int field, int count,
                               const int64_t *items);
/* Sets the index of a text among the choices of a field. Returns false if it is none of them. */
bool tocha_schedule_choose(tocha_scheduler *s, int field, const char *text);
double tocha_schedule_modulo(double a, double b); /* Python's a % b */
/* Return how many items are equal to x, or at most x. */
double tocha_schedule_occurrences(const tocha_scheduler_value *items, double x);
double tocha_schedule_passed(const tocha_scheduler_value *items, double x);

/* The names of the group's numbers between which a phase of OneCycleLR goes. */
typedef struct tocha_schedule_phase {
  const char *start_lr, *end_lr, *start_momentum, *end_momentum;
} tocha_schedule_phase;
/* Returns the phases of a cycle with that many, 2 or 3. */
const tocha_schedule_phase *tocha_schedule_phases(int count);

#endif
