/* pickle_read.c: the machine whose program a pickle is. It has a stack, notes of values, and
 * marks; it builds values of the checkpoint. A pickle that calls a function names it first, and
 * reaches only those that pickle_globals.c lists. */
#include <stdio.h>
#include <string.h>

#include "serialization/pickle.h"

enum { WINDOW = 4096, LONGEST_INTEGER = 1024, LONGEST_NAME = 256, STEPS_BETWEEN_CHECKS = 4096 };

typedef struct unpickler {
  tocha_loader *l;
  tocha_context *cx;
  tocha_checkpoint *out;
  const tocha_source *source;
  int64_t start, at, end; /* positions in the source; `at` is after the window */
  char window[WINDOW];
  size_t window_at, window_end;
  tocha_value **stack, **notes;
  size_t depth, capacity, note_count, note_capacity;
  tocha_value mark;
  tocha_value *none, *flags[2], *small[256]; /* created once */
  bool stopped;
} unpickler;

typedef bool step(unpickler *u, uint8_t op);

/* --- bytes ---------------------------------------------------------------------------------------------- */

static bool fail(unpickler *u, const char *problem) {
  return tocha_fail(u->cx, TOCHA_RUNTIME_ERROR,
                    "Weights only load failed. WeightsUnpickler error: %s", problem);
}

static int64_t bytes_left(const unpickler *u) {
  return u->end - u->at + (int64_t)(u->window_end - u->window_at);
}

static bool take(unpickler *u, void *to, size_t n) {
  char *target = to;
  if (n > (uint64_t)bytes_left(u))
    return tocha_fail(u->cx, TOCHA_EOF_ERROR, "Ran out of input: the file may be truncated");
  while (n) {
    size_t here = u->window_end - u->window_at;
    if (!here && n >= WINDOW) { /* bypass the window */
      u->at += (int64_t)n;
      return tocha_source_read(u->cx, u->source, u->at - (int64_t)n, target, n);
    }
    if (!here) {
      here = u->end - u->at < WINDOW ? (size_t)(u->end - u->at) : WINDOW;
      if (!tocha_source_read(u->cx, u->source, u->at, u->window, here)) return false;
      u->at += (int64_t)here;
      u->window_at = 0;
      u->window_end = here;
    }
    if (here > n) here = n;
    memcpy(target, u->window + u->window_at, here);
    u->window_at += here;
    target += here;
    n -= here;
  }
  return true;
}

static bool take_number(unpickler *u, int bytes, uint64_t *number) {
  uint8_t raw[8];
  if (!take(u, raw, (size_t)bytes)) return false;
  *number = tocha_little_endian(raw, bytes);
  return true;
}

/* --- the stack ------------------------------------------------------------------------------------------ */

static bool grow(unpickler *u, tocha_value ***list, size_t *capacity, size_t wanted) {
  size_t more = *capacity * 2 > wanted ? *capacity * 2 : wanted + 64;
  tocha_value **all = tocha_checkpoint_charge(u->out, (more - *capacity) * sizeof *all)
                          ? tocha_allocate_zeroed(u->cx, more * sizeof *all)
                          : NULL;
  if (!all) return false;
  if (*capacity) memcpy(all, *list, *capacity * sizeof *all);
  tocha_deallocate(u->cx, *list, *capacity * sizeof *all);
  *list = all;
  *capacity = more;
  return true;
}

static bool push(unpickler *u, tocha_value *v) {
  if (!v || (u->depth == u->capacity && !grow(u, &u->stack, &u->capacity, u->depth + 1)))
    return false;
  u->stack[u->depth++] = v;
  return true;
}

/* Pops the value on top. Returns NULL with an error if there is a mark, or no value. */
static tocha_value *pop(unpickler *u) {
  if (!u->depth || u->stack[u->depth - 1] == &u->mark) {
    fail(u, "the stack holds no value where one is needed");
    return NULL;
  }
  return u->stack[--u->depth];
}

static tocha_value *top(unpickler *u) {
  tocha_value *v = pop(u);
  if (v) u->depth++;
  return v;
}

/* Pops all values above the last mark, and the mark. The values stay readable from *first on
 * until the next push. */
static bool pop_mark(unpickler *u, size_t *first, size_t *count) {
  size_t i = u->depth;
  while (i > 0 && u->stack[i - 1] != &u->mark) i--;
  if (!i) return fail(u, "there is no mark");
  *first = i;
  *count = u->depth - i;
  u->depth = i - 1;
  return true;
}

/* --- numbers -------------------------------------------------------------------------------------------- */

static bool push_int(unpickler *u, int64_t n) {
  if (n < 0 || n > 255) return push(u, tocha_new_int(u->out, n));
  if (!u->small[n]) u->small[n] = tocha_new_int(u->out, n);
  return push(u, u->small[n]);
}

static bool do_int(unpickler *u, uint8_t op) {
  uint64_t n;
  if (!take_number(u, op == 'K' ? 1 : op == 'M' ? 2 : 4, &n)) return false;
  return push_int(u, op == 'J' ? (int32_t)(uint32_t)n : (int64_t)n);
}

/* Reads a whole number of any length. Numbers beyond 64 bits become floats. */
static bool do_long(unpickler *u, uint8_t op) {
  uint8_t raw[LONGEST_INTEGER];
  uint64_t length, low = 0;
  if (!take_number(u, op == 0x8a ? 1 : 4, &length)) return false;
  if (length > LONGEST_INTEGER) return fail(u, "an integer has too many digits");
  if (!take(u, raw, length)) return false;
  bool negative = length && raw[length - 1] & 0x80;
  if (length <= 8) {
    low = length ? tocha_little_endian(raw, (int)length) : 0;
    if (negative && length < 8) low |= UINT64_MAX << (8 * length);
    return push_int(u, (int64_t)low);
  }
  double value = 0;
  for (size_t i = length; i-- > 0;) value = value * 256 + (negative ? 255 - raw[i] : raw[i]);
  return push(u, tocha_new_float(u->out, negative ? -(value + 1) : value));
}

static bool do_float(unpickler *u, uint8_t op) {
  (void)op;
  uint8_t raw[8];
  double value;
  if (!take(u, raw, sizeof raw)) return false;
  tocha_swap_bytes(raw, 1, 8); /* the highest byte is first */
  uint64_t bits = tocha_little_endian(raw, 8);
  memcpy(&value, &bits, sizeof value);
  return push(u, tocha_new_float(u->out, value));
}

static bool do_constant(unpickler *u, uint8_t op) {
  tocha_value **v = op == 'N' ? &u->none : &u->flags[op == 0x88];
  if (!*v) *v = op == 'N' ? tocha_new_none(u->out) : tocha_new_bool(u->out, op == 0x88);
  return push(u, *v);
}

/* --- texts ---------------------------------------------------------------------------------------------- */

static bool push_text(unpickler *u, int kind, uint64_t length) {
  char *content;
  if (length > (uint64_t)bytes_left(u)) return take(u, NULL, SIZE_MAX);
  tocha_value *v = tocha_value_unfilled(u->out, kind, length, &content);
  return v && take(u, content, length) && push(u, v);
}

static bool do_text(unpickler *u, uint8_t op) {
  int bytes = op == 0x8c || op == 'U' || op == 'C'  ? 1
              : op == 'X' || op == 'T' || op == 'B' ? 4
                                                    : 8;
  bool is_string = op == 0x8c || op == 'U' || op == 'X' || op == 'T' || op == 0x8d;
  uint64_t length;
  if (!take_number(u, bytes, &length)) return false;
  return push_text(u, is_string ? TOCHA_VALUE_STRING : TOCHA_VALUE_BYTES, length);
}

/* --- collections ------------------------------------------------------------------------------------------ */

static bool do_empty(unpickler *u, uint8_t op) {
  tocha_value_kind kind = op == ']'   ? TOCHA_VALUE_LIST
                          : op == ')' ? TOCHA_VALUE_TUPLE
                          : op == '}' ? TOCHA_VALUE_DICT
                                      : TOCHA_VALUE_SET;
  return push(u, tocha_new_collection(u->out, kind));
}

static bool extend(unpickler *u, tocha_value *v, size_t first, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!tocha_value_append(u->out, v, u->stack[first + i])) return false;
  return true;
}

/* Creates a collection from the values above the mark, or from 1 to 3 values. */
static bool do_collect(unpickler *u, uint8_t op) {
  size_t first = u->depth, count = op >= 0x85 && op <= 0x87 ? op - 0x84u : 0;
  if (count) {
    for (size_t i = 0; i < count; i++)
      if (!pop(u)) return false;
    first = u->depth;
  } else if (!pop_mark(u, &first, &count)) {
    return false;
  }
  tocha_value *v = tocha_new_collection(u->out, op == 'l'    ? TOCHA_VALUE_LIST
                                                : op == 0x91 ? TOCHA_VALUE_SET
                                                             : TOCHA_VALUE_TUPLE);
  return v && extend(u, v, first, count) && push(u, v);
}

/* Returns the collection that items are added to: v itself, or a part of an object. */
static tocha_value *target(unpickler *u, tocha_value *v, int kind, const char *part) {
  if (v && v->kind == TOCHA_VALUE_OBJECT) v = tocha_object_collection(u->l, v, part);
  if (!v || v->kind == kind || (kind == TOCHA_VALUE_DICT && tocha_is_dict(v))) return v;
  if (kind == TOCHA_VALUE_DICT) return v; /* tocha_value_set will report the error */
  fail(u, "an item is added to what is no collection of its kind");
  return NULL;
}

static bool do_append(unpickler *u, uint8_t op) {
  size_t first, count = 1;
  if (op == 'a') {
    if (!pop(u)) return false;
    first = u->depth;
  } else if (!pop_mark(u, &first, &count)) {
    return false;
  }
  tocha_value *v = top(u);
  if (v && v->kind != TOCHA_VALUE_OBJECT && op == 0x90)
    v = target(u, v, TOCHA_VALUE_SET, "items");
  else
    v = target(u, v, TOCHA_VALUE_LIST, "items");
  return v && extend(u, v, first, count);
}

static bool set_items(unpickler *u, tocha_value *v, size_t first, size_t count) {
  if (count % 2) return fail(u, "a key has no value");
  for (size_t i = 0; i < count; i += 2)
    if (!tocha_value_set(u->out, v, u->stack[first + i], u->stack[first + i + 1])) return false;
  return true;
}

static bool do_set(unpickler *u, uint8_t op) {
  size_t first, count = 2;
  if (op == 's') {
    if (!pop(u) || !pop(u)) return false;
    first = u->depth;
  } else if (!pop_mark(u, &first, &count)) {
    return false;
  }
  if (op == 'd') {
    tocha_value *v = tocha_new_collection(u->out, TOCHA_VALUE_DICT);
    return v && set_items(u, v, first, count) && push(u, v);
  }
  tocha_value *v = target(u, top(u), TOCHA_VALUE_DICT, "entries");
  return v && set_items(u, v, first, count);
}

/* --- the stack itself, and notes ---------------------------------------------------------------------------- */

static bool do_stack(unpickler *u, uint8_t op) {
  size_t first, count;
  if (op == '(') return push(u, &u->mark);
  if (op == '1') return pop_mark(u, &first, &count);
  if (op == '2') return push(u, top(u));
  if (!u->depth) return fail(u, "the stack is empty");
  u->depth--; /* '0' pops a mark, too */
  return true;
}

static bool do_note(unpickler *u, uint8_t op) {
  uint64_t n = u->note_count;
  tocha_value *v = top(u);
  if (!v || (op != 0x94 && !take_number(u, op == 'q' ? 1 : 4, &n))) return false;
  if (n > (uint64_t)(u->at - u->start)) return fail(u, "a note has a number that is too large");
  if (n >= u->note_capacity && !grow(u, &u->notes, &u->note_capacity, n + 1)) return false;
  u->notes[n] = v;
  u->note_count++;
  return true;
}

static bool do_recall(unpickler *u, uint8_t op) {
  uint64_t n;
  if (!take_number(u, op == 'h' ? 1 : 4, &n)) return false;
  if (n >= u->note_capacity || !u->notes[n]) return fail(u, "a note is read that was never made");
  return push(u, u->notes[n]);
}

/* --- calls ------------------------------------------------------------------------------------ */

static bool take_line(unpickler *u, char line[LONGEST_NAME]) {
  for (size_t i = 0; i < LONGEST_NAME; i++) {
    if (!take(u, line + i, 1)) return false;
    if (line[i] != '\n') continue;
    line[i] = '\0';
    return true;
  }
  return fail(u, "a name is too long");
}

static bool do_global(unpickler *u, uint8_t op) {
  char module[LONGEST_NAME], name[LONGEST_NAME];
  if (op == 'c')
    return take_line(u, module) && take_line(u, name) &&
           push(u, tocha_find_global(u->l, module, name));
  const char *second = tocha_value_text(pop(u), NULL);
  const char *first = second ? tocha_value_text(pop(u), NULL) : NULL;
  if (!first) return tocha_failed(u->cx) ? false : fail(u, "the name of a global is not a string");
  return push(u, tocha_find_global(u->l, first, second));
}

/* Calls a global, or an object that another call returned: REDUCE, NEWOBJ, and NEWOBJ_EX with
 * keywords. */
static bool do_call(unpickler *u, uint8_t op) {
  const tocha_value *keywords = op == 0x92 ? pop(u) : NULL;
  if (op == 0x92 && !keywords) return false;
  const tocha_value *arguments = pop(u), *global = arguments ? pop(u) : NULL;
  if (!global) return false;
  bool callable = global->kind == VALUE_GLOBAL || global->kind == TOCHA_VALUE_OBJECT;
  if (!callable || arguments->kind != TOCHA_VALUE_TUPLE || (keywords && !tocha_is_dict(keywords)))
    return fail(u, "what is called is no function, or its arguments are no tuple");
  return push(u, tocha_call_global(u->l, global, arguments, keywords));
}

/* Runs INST, whose module and name are lines, or OBJ, whose class is the first value above the
 * mark. The arguments follow on the stack. */
static bool do_instance(unpickler *u, uint8_t op) {
  char module[LONGEST_NAME], name[LONGEST_NAME];
  const tocha_value *global = NULL;
  size_t first, count;
  if (op == 'i' && !(take_line(u, module) && take_line(u, name) &&
                     (global = tocha_find_global(u->l, module, name))))
    return false;
  if (!pop_mark(u, &first, &count)) return false;
  if (op == 'o' && !count) return fail(u, "there is no class to call");
  if (op == 'o') global = u->stack[first], first++, count--;
  if (!global || (global->kind != VALUE_GLOBAL && global->kind != TOCHA_VALUE_OBJECT))
    return fail(u, "what is called is no class");
  tocha_value *arguments = tocha_new_collection(u->out, TOCHA_VALUE_TUPLE);
  return arguments && extend(u, arguments, first, count) &&
         push(u, tocha_call_global(u->l, global, arguments, NULL));
}

/* Runs EXT1, EXT2 or EXT4: a class given by a number that programs agree on. */
static bool do_extension(unpickler *u, uint8_t op) {
  char name[32];
  uint64_t n;
  if (!take_number(u, op == 0x82 ? 1 : op == 0x83 ? 2 : 4, &n)) return false;
  snprintf(name, sizeof name, "extension_%llu", (unsigned long long)n);
  return push(u, tocha_find_global(u->l, "copyreg", name));
}

/* Sets the state of an object, or the attributes of an OrderedDict. Ignores attributes of a
 * tensor or parameter. */
static bool do_build(unpickler *u, uint8_t op) {
  (void)op;
  const tocha_value *state = pop(u);
  tocha_value *v = state ? top(u) : NULL;
  if (!v) return false;
  if (v->kind == TOCHA_VALUE_TENSOR || v->kind == TOCHA_VALUE_MISSING) return true;
  if (v->kind == TOCHA_VALUE_OBJECT) return tocha_build_object(u->l, v, state);
  if (v->kind == TOCHA_VALUE_ORDERED_DICT && state->kind == TOCHA_VALUE_DICT)
    return tocha_value_set_attributes(u->out, v, state);
  return fail(u, "only an OrderedDict and a tensor have a state");
}

static bool do_persistent(unpickler *u, uint8_t op) {
  (void)op;
  const tocha_value *id = pop(u);
  return id && push(u, tocha_load_storage(u->l, id));
}

/* Runs I, L (whose digits end with an L) or F: numbers as lines of text, as in the first
 * protocols. I00 and I01 are bools. */
static bool do_number_line(unpickler *u, uint8_t op) {
  char line[LONGEST_NAME];
  if (!take_line(u, line)) return false;
  size_t length = strlen(line);
  int64_t whole;
  double value;
  if (op == 'I' && length == 2 && line[0] == '0' && (line[1] == '0' || line[1] == '1'))
    return do_constant(u, line[1] == '1' ? 0x88 : 0x89);
  if (op == 'L' && length && line[length - 1] == 'L') length--;
  if (op != 'F' && tocha_parse_number(line, length, TOCHA_INT64, &whole)) return push_int(u, whole);
  if (tocha_parse_number(line, length, TOCHA_FLOAT64, &value))
    return push(u, tocha_new_float(u->out, value));
  return fail(u, "a number is none");
}

static bool do_protocol(unpickler *u, uint8_t op) {
  uint64_t version;
  if (op == '.') u->stopped = true;
  if (op == '.') return true;
  if (!take_number(u, op == 0x80 ? 1 : 8, &version)) return false;
  return op != 0x80 || version <= 5 || fail(u, "unsupported pickle protocol");
}

static step *const steps[256] = {
    ['K'] = do_int,         ['M'] = do_int,        ['J'] = do_int,         [0x8a] = do_long,
    [0x8b] = do_long,       ['G'] = do_float,      ['N'] = do_constant,    [0x88] = do_constant,
    [0x89] = do_constant,   ['X'] = do_text,       [0x8c] = do_text,       [0x8d] = do_text,
    ['T'] = do_text,        ['U'] = do_text,       ['B'] = do_text,        ['C'] = do_text,
    [0x8e] = do_text,       [0x96] = do_text,      [']'] = do_empty,       [')'] = do_empty,
    ['}'] = do_empty,       [0x8f] = do_empty,     ['l'] = do_collect,     ['t'] = do_collect,
    [0x85] = do_collect,    [0x86] = do_collect,   [0x87] = do_collect,    [0x91] = do_collect,
    ['a'] = do_append,      ['e'] = do_append,     [0x90] = do_append,     ['d'] = do_set,
    ['s'] = do_set,         ['u'] = do_set,        ['('] = do_stack,       ['0'] = do_stack,
    ['1'] = do_stack,       ['2'] = do_stack,      ['q'] = do_note,        ['r'] = do_note,
    [0x94] = do_note,       ['h'] = do_recall,     ['j'] = do_recall,      ['c'] = do_global,
    [0x93] = do_global,     ['R'] = do_call,       [0x81] = do_call,       ['b'] = do_build,
    [0x92] = do_call,       ['i'] = do_instance,   ['o'] = do_instance,    [0x82] = do_extension,
    [0x83] = do_extension,  [0x84] = do_extension, ['I'] = do_number_line, ['L'] = do_number_line,
    ['F'] = do_number_line, ['Q'] = do_persistent, [0x80] = do_protocol,   [0x95] = do_protocol,
    ['.'] = do_protocol};

/* --- the program ------------------------------------------------------------------------------ */

static bool fail_operand(unpickler *u, uint8_t op) {
  tocha_fail(u->cx, TOCHA_RUNTIME_ERROR,
             "Weights only load failed. WeightsUnpickler error: Unsupported operand %d", op);
  if (op == 0x97 || op == 0x98)
    return tocha_hint(u->cx, "the pickle keeps its arrays outside of itself (protocol 5, "
                             "buffer_callback); in Python, pickle.dump it without that");
  return tocha_hint(u->cx, "pickles of protocol 2 to 5 are read; this one is of an older protocol, "
                           "or damaged");
}

static bool run(unpickler *u) {
  for (int64_t count = 1; !u->stopped; count++) {
    uint8_t op;
    if (count % STEPS_BETWEEN_CHECKS == 0 && tocha_interrupted(u->cx)) return false;
    if (!take(u, &op, 1)) return false;
    if (!steps[op]) return fail_operand(u, op);
    if (!steps[op](u, op)) return false;
  }
  return true;
}

/* Replaces a class of PyTorch, or a storage, that is used as a value by an object or a tensor. */
static bool settle(unpickler *u, tocha_value *v) {
  if (!u->l->options->any_class && !u->l->refused)
    return fail(u, "the file holds a class or a storage where a value is expected");
  tocha_value *made = NULL;
  if (v->kind == VALUE_GLOBAL) {
    made = tocha_new_object(u->l, "global",
                            tocha_new_string(u->out, v->as.bytes, strlen(v->as.bytes)));
  } else if (v->kind == VALUE_STORAGE) {
    const tocha_storage_view *view = v->as.other;
    made = tocha_new_tensor(u->out, u->l->stored[view->number].base);
  }
  if (made) *v = *made;
  return made || fail(u, "a mark stands where a value is expected");
}

/* Returns true if a value consists of values that a host may see and is not nested too deeply;
 * else fails. */
static bool complete(unpickler *u, tocha_value *v, int depth) {
  if (v->kind > TOCHA_VALUE_MISSING) return settle(u, v);
  if (!tocha_is_collection(v) || v->as.collection->seen) return true;
  tocha_collection *l = v->as.collection;
  if (depth == TOCHA_VALUE_DEPTH) return fail(u, "its values are nested too deeply");
  l->seen = true;
  for (size_t i = 0; i < l->count; i++)
    if (!complete(u, (tocha_value *)(uintptr_t)l->items[i], depth + 1)) return false;
  return !l->attributes || complete(u, (tocha_value *)(uintptr_t)l->attributes, depth + 1);
}

/* Returns `result`, or fails if the file used a name that it may not use. That error replaces
 * any other but an interruption. */
static const tocha_value *checked(unpickler *u, tocha_value *result) {
  if (result && !complete(u, result, 0)) result = NULL;
  if (!u->l->refused) return result;
  if (!result && tocha_error(u->cx)->code == TOCHA_INTERRUPTED) return NULL;
  tocha_clear_error(u->cx);
  return tocha_fail_refused(u->l, result);
}

const tocha_value *tocha_unpickle(tocha_loader *l, const tocha_source *source, int64_t *at,
                                  int64_t end) {
  unpickler *u = tocha_allocate_zeroed(l->cx, sizeof *u);
  if (!u) return NULL;
  *u = (unpickler){.l = l, .cx = l->cx, .out = l->out, .source = source, .end = end};
  u->start = u->at = *at;
  u->mark.kind = VALUE_MARK;
  const tocha_value *result = checked(u, run(u) ? pop(u) : NULL);
  *at = u->at - (int64_t)(u->window_end - u->window_at);
  tocha_deallocate(l->cx, u->stack, u->capacity * sizeof *u->stack);
  tocha_deallocate(l->cx, u->notes, u->note_capacity * sizeof *u->notes);
  tocha_deallocate(l->cx, u, sizeof *u);
  return result;
}
