/* state_junk_test.c: state dicts of schedulers and optimizers that are junk, and allocations that fail while states are
 * saved and loaded: errors, never a crash, and every byte is given back. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tocha/tocha.h"

static tocha_optimizer *new_optimizer(tocha_context *cx, int groups) {
  const int64_t two = 2;
  tocha_optimizer *o = tocha_optimizer_new(cx, tocha_find_optimizer_class("Adam"), NULL);
  for (int g = 0; o && g < groups; g++) {
    tocha_tensor *p = tocha_set_requires_grad(cx, tocha_ones(cx, 1, &two), true);
    if (p && tocha_optimizer_add_group(cx, o, 1, &p, NULL)) continue;
    tocha_optimizer_release(o);
    return NULL;
  }
  return o;
}

static bool halve(tocha_context *cx, void *user, int64_t epoch, double *factor) {
  (void)cx;
  (void)user;
  (void)epoch;
  *factor = 0.5;
  return true;
}

enum { SCHEDULERS = 10 };

/* Returns a scheduler of each kind of fields, by its number. */
static tocha_scheduler *new_scheduler(tocha_context *cx, tocha_optimizer *o, int number) {
  const int64_t milestones[] = {1, 2, 2};
  const tocha_rate_function function = {halve, NULL, NULL};
  tocha_step_lr_options step = tocha_step_lr_defaults(2);
  tocha_multi_step_lr_options multi = tocha_multi_step_lr_defaults(3, milestones);
  tocha_cosine_annealing_lr_options cosine = tocha_cosine_annealing_lr_defaults(5);
  tocha_cosine_annealing_warm_restarts_options restarts =
      tocha_cosine_annealing_warm_restarts_defaults(2);
  tocha_cyclic_lr_options cyclic = tocha_cyclic_lr_defaults(0.01, 0.1);
  tocha_one_cycle_lr_options cycle = tocha_one_cycle_lr_defaults(0.1);
  tocha_scheduler *inner[2] = {NULL, NULL}, *joined = NULL;
  cycle.total_steps = 20;
  restarts.T_mult = 2;
  switch (number) {
  case 0:
    return tocha_optim_lambda_lr(cx, o, 1, &function, -1);
  case 1:
    return tocha_optim_step_lr(cx, o, &step);
  case 2:
    return tocha_optim_multi_step_lr(cx, o, &multi);
  case 3:
    return tocha_optim_linear_lr(cx, o, NULL);
  case 4:
    return tocha_optim_cosine_annealing_lr(cx, o, &cosine);
  case 5:
    return tocha_optim_cosine_annealing_warm_restarts(cx, o, &restarts);
  case 6:
    return tocha_optim_cyclic_lr(cx, o, &cyclic);
  case 7:
    return tocha_optim_one_cycle_lr(cx, o, &cycle);
  case 8:
    return tocha_optim_reduce_lr_on_plateau(cx, o, NULL);
  default:
    inner[0] = tocha_optim_constant_lr(cx, o, NULL);
    inner[1] = inner[0] ? tocha_optim_linear_lr(cx, o, NULL) : NULL;
    if (inner[1]) joined = tocha_optim_sequential_lr(cx, o, 2, inner, milestones);
    tocha_scheduler_release(inner[0]);
    tocha_scheduler_release(inner[1]);
    return joined;
  }
}

static bool step(tocha_context *cx, tocha_optimizer *o, tocha_scheduler *s) {
  return tocha_optimizer_step(cx, o) && (strcmp(tocha_scheduler_name(s), "ReduceLROnPlateau") == 0
                                             ? tocha_scheduler_step_metric(cx, s, 1)
                                             : tocha_scheduler_step(cx, s));
}

/* --- junk --------------------------------------------------------------------------------------------- */

enum { JUNK = 14 };

/* Returns a value that hardly any field can have, by its number. */
static tocha_value *new_junk(tocha_context *cx, tocha_checkpoint *c, int number) {
  const int64_t zero = 0;
  tocha_value *list = tocha_new_collection(c, TOCHA_VALUE_LIST);
  tocha_value *dict = tocha_new_collection(c, TOCHA_VALUE_DICT);
  switch (number) {
  case 0:
    return tocha_new_none(c);
  case 1:
    return tocha_new_int(c, INT64_MAX);
  case 2:
    return tocha_new_int(c, INT64_MIN);
  case 3:
    return tocha_new_int(c, 0);
  case 4:
    return tocha_new_float(c, NAN);
  case 5:
    return tocha_new_float(c, -1e300);
  case 6:
    return tocha_new_string(c, "junk", 4);
  case 7:
    return list;
  case 8: /* a list of lists */
    tocha_value_append(c, list, list);
    return list;
  case 9: /* fewer or more numbers than groups, and none that an int can be */
    for (int i = 0; i < 3; i++) tocha_value_append(c, list, tocha_new_float(c, 1e300));
    return list;
  case 10:
    return dict;
  case 11: /* a count beyond all bounds */
    tocha_value_set(c, dict, tocha_new_int(c, 1), tocha_new_int(c, INT64_MAX));
    return dict;
  case 12: /* phases without an end */
    tocha_value_append(c, list, dict);
    tocha_value_append(c, list, dict);
    return list;
  default:
    return tocha_new_tensor(c, tocha_ones(cx, 1, &zero));
  }
}

/* Returns a copy of a dict with another value for entry number `changed`. */
static tocha_value *with_other(tocha_checkpoint *c, const tocha_value *dict, int64_t changed,
                               const tocha_value *other) {
  tocha_value *copy = tocha_new_collection(c, TOCHA_VALUE_DICT);
  for (int64_t i = 0; i < tocha_value_count(dict); i++)
    CHECK(tocha_value_set(c, copy, tocha_value_key(dict, i),
                          i == changed ? other : tocha_value_item(dict, i)));
  return copy;
}

/* Loads junk for every entry of a scheduler's state, and goes on if it was accepted. */
static void test_scheduler_junk(tocha_context *cx, int number) {
  int refused = 0;
  for (int junk = 0; junk < JUNK; junk++) {
    for (int64_t entry = 0, count = 1; entry < count; entry++) {
      tocha_scope scope = tocha_scope_begin(cx);
      tocha_checkpoint *c = tocha_checkpoint_new(cx);
      tocha_optimizer *o = new_optimizer(cx, 2);
      tocha_scheduler *s = new_scheduler(cx, o, number);
      CHECK(s && step(cx, o, s));
      const tocha_value *state = tocha_scheduler_state_dict(c, s);
      count = tocha_value_count(state);
      const tocha_value *other = with_other(c, state, entry, new_junk(cx, c, junk));
      bool loaded = tocha_scheduler_load_state_dict(cx, s, other);
      CHECK(loaded != tocha_failed(cx));
      refused += !loaded;
      tocha_clear_error(cx);
      for (int i = 0; i < 3; i++) { /* an error is as good as a rate of nan */
        bool stepped = step(cx, o, s);
        CHECK(stepped != tocha_failed(cx));
        tocha_clear_error(cx);
      }
      CHECK(tocha_scheduler_state_dict(c, s) != NULL);
      tocha_scheduler_release(s);
      tocha_optimizer_release(o);
      tocha_checkpoint_free(c);
      tocha_scope_end(cx, scope, NULL);
    }
  }
  CHECK(refused > 0);
}

/* Loads junk for the parts of an optimizer's state, and for each entry of a group and of a parameter's states. */
static void test_optimizer_junk(tocha_context *cx) {
  static const char *const parts[] = {"param_groups", "state"};
  int refused = 0;
  for (int junk = 0; junk < JUNK; junk++) {
    for (int part = 0; part < 2; part++) {
      for (int64_t entry = -1, count = 0; entry < count; entry++) {
        tocha_scope scope = tocha_scope_begin(cx);
        tocha_checkpoint *c = tocha_checkpoint_new(cx);
        tocha_optimizer *o = new_optimizer(cx, 1);
        tocha_tensor *p = tocha_optimizer_parameter(o, 0, 0);
        CHECK(tocha_backward(cx, tocha_sum(cx, p), NULL, false, false) &&
              tocha_optimizer_step(cx, o));
        const tocha_value *state = tocha_optimizer_state_dict(c, o), *value = NULL;
        const tocha_value *inner = tocha_value_item(tocha_value_find(state, parts[part]), 0);
        count = tocha_value_count(inner);
        if (entry < 0) {
          value = new_junk(cx, c, junk);
        } else { /* {"state": {0: {...}}} or {"param_groups": [{...}]} */
          const tocha_value *changed = with_other(c, inner, entry, new_junk(cx, c, junk));
          tocha_value *outer = tocha_new_collection(c, part ? TOCHA_VALUE_DICT : TOCHA_VALUE_LIST);
          CHECK(part ? tocha_value_set(c, outer, tocha_new_int(c, 0), changed)
                     : tocha_value_append(c, outer, changed));
          value = outer;
        }
        bool is_second =
            strcmp(tocha_value_text(tocha_value_key(state, 1), NULL), parts[part]) == 0;
        bool loaded =
            tocha_optimizer_load_state_dict(cx, o, with_other(c, state, is_second, value));
        CHECK(loaded != tocha_failed(cx));
        refused += !loaded;
        tocha_clear_error(cx);
        bool stepped = tocha_optimizer_step(cx, o);
        CHECK(stepped != tocha_failed(cx));
        tocha_clear_error(cx);
        tocha_optimizer_release(o);
        tocha_checkpoint_free(c);
        tocha_scope_end(cx, scope, NULL);
      }
    }
  }
  CHECK(refused > 20);
}

/* --- allocations that fail -------------------------------------------------------------------------------- */

/* Counts live bytes; every allocation behind the first `left` ones fails (left -1: none). */
typedef struct counter {
  size_t live;
  long left;
} counter;

static void *allocate(void *user, void *block, size_t old_size, size_t size) {
  counter *c = user;
  if (!size) {
    c->live -= old_size;
    free(block);
    return NULL;
  }
  if (c->left == 0) return NULL;
  if (c->left > 0) c->left--;
  void *result = realloc(block, size);
  if (result) c->live += size - old_size;
  return result;
}

/* Makes a scheduler, a step, and a copy of both states through a checkpoint. */
static bool save_and_load(tocha_context *cx, int number) {
  tocha_scope scope = tocha_scope_begin(cx);
  tocha_optimizer *o = new_optimizer(cx, 2), *other = new_optimizer(cx, 2);
  tocha_scheduler *s = o ? new_scheduler(cx, o, number) : NULL;
  tocha_scheduler *copy = other && s ? new_scheduler(cx, other, number) : NULL;
  tocha_checkpoint *c = tocha_checkpoint_new(cx);
  bool ok = copy && c && step(cx, o, s) &&
            tocha_optimizer_load_state_dict(cx, other, tocha_optimizer_state_dict(c, o)) &&
            tocha_scheduler_load_state_dict(cx, copy, tocha_scheduler_state_dict(c, s)) &&
            step(cx, other, copy);
  tocha_checkpoint_free(c);
  tocha_scheduler_release(s);
  tocha_scheduler_release(copy);
  tocha_optimizer_release(o);
  tocha_optimizer_release(other);
  tocha_scope_end(cx, scope, NULL);
  return ok;
}

static void test_failing(int number) {
  bool done = false;
  int n = 0;
  for (; !done && n < 2000; n++) {
    counter c = {0, -1};
    tocha_options options = {.allocate = allocate, .allocate_user = &c};
    tocha_context *cx = tocha_open(&options);
    c.left = n;
    bool ok = cx && save_and_load(cx, number);
    done = c.left != 0;
    c.left = -1;
    CHECK(ok || tocha_error(cx)->code == TOCHA_MEMORY_ERROR);
    CHECK(!done || ok);
    tocha_clear_error(cx);
    CHECK(save_and_load(cx, number));
    tocha_close(cx);
    CHECK(c.live == 0);
  }
  CHECK(done && n > 10);
}

int main(void) {
  tocha_context *cx = tocha_open(NULL);
  for (int i = 0; i < SCHEDULERS; i++) test_scheduler_junk(cx, i);
  test_optimizer_junk(cx);
  CHECK(!tocha_failed(cx));
  tocha_close(cx);
  for (int i = 0; i < SCHEDULERS; i++) test_failing(i);
  return finish();
}
