/* pickle_objects.c: objects of unknown classes. A pickle describes how to create an object: a
 * class, its arguments, a state. No code of the class is executed; the object is a table with
 * these parts. Objects of some classes of Python's library become Lua values. */
#include <stdio.h>
#include <string.h>

#include "serialization/pickle.h"
#include "tocha/nn.h"

/* --- their parts ------------------------------------------------------------------------------------------------ */

static tocha_value *new_word(tocha_loader *l, const char *word) {
  return tocha_new_string(l->out, word, strlen(word));
}

tocha_value *tocha_new_object(tocha_loader *l, const char *part, const tocha_value *name) {
  tocha_value *v = tocha_new_collection(l->out, TOCHA_VALUE_OBJECT);
  return v && tocha_object_set(l, v, part, name) ? v : NULL;
}

const tocha_value *tocha_object_part(const tocha_value *object, const char *part) {
  return object->kind == TOCHA_VALUE_OBJECT ? tocha_value_find(object, part) : NULL;
}

const char *tocha_object_name(const tocha_value *object) {
  const tocha_value *name = tocha_object_part(object, "class");
  const char *text = tocha_value_text(name ? name : tocha_object_part(object, "global"), NULL);
  return text ? text : "";
}

bool tocha_object_set(tocha_loader *l, tocha_value *object, const char *part,
                      const tocha_value *v) {
  tocha_collection *parts = object->as.collection;
  if (!v) return false;
  for (size_t i = 0; i < parts->count; i += 2) {
    if (strcmp(parts->items[i]->as.bytes, part) != 0) continue;
    parts->items[i + 1] = v;
    return true;
  }
  return tocha_value_set(l->out, object, new_word(l, part), v);
}

tocha_value *tocha_object_collection(tocha_loader *l, tocha_value *object, const char *part) {
  bool is_dict = strcmp(part, "entries") == 0;
  const tocha_value *old = tocha_object_part(object, part);
  if (old) return (tocha_value *)(uintptr_t)old;
  tocha_value *v = tocha_new_collection(l->out, is_dict ? TOCHA_VALUE_DICT : TOCHA_VALUE_LIST);
  return v && tocha_object_set(l, object, part, v) ? v : NULL;
}

/* --- classes of Python's library --------------------------------------------------------------------------------- */

/* Returns the value, or NULL without an error if the arguments are not as expected. The caller
 * then creates an object. */
typedef tocha_value *maker(tocha_loader *l, const tocha_value *arguments);

static bool is_list(const tocha_value *v) {
  return v && (v->kind == TOCHA_VALUE_LIST || v->kind == TOCHA_VALUE_TUPLE);
}

/* Returns a list of the first argument's items: deque([...], maxlen), list(...). */
static tocha_value *make_list(tocha_loader *l, const tocha_value *arguments) {
  const tocha_value *items = tocha_value_item(arguments, 0);
  if (items && !is_list(items)) return NULL;
  tocha_value *v = tocha_new_collection(l->out, TOCHA_VALUE_LIST);
  for (int64_t i = 0; v && i < tocha_value_count(items); i++)
    if (!tocha_value_append(l->out, v, tocha_value_item(items, i))) return NULL;
  return v;
}

/* Returns a dict for defaultdict(factory), with the entries of a second argument. Usually they follow in the pickle instead. */
static tocha_value *make_dict(tocha_loader *l, const tocha_value *arguments) {
  const tocha_value *entries = tocha_value_item(arguments, 1);
  if (entries && !tocha_is_dict(entries)) return NULL;
  tocha_value *v = tocha_new_collection(l->out, TOCHA_VALUE_DICT);
  for (int64_t i = 0; v && i < tocha_value_count(entries); i++)
    if (!tocha_value_set(l->out, v, tocha_value_key(entries, i), tocha_value_item(entries, i)))
      return NULL;
  return v;
}

/* Returns a parameter or buffer of a lazy module that has no values yet, from (requires_grad,). */
static tocha_value *make_uninitialized(tocha_loader *l, const tocha_value *arguments,
                                       bool parameter) {
  const tocha_value *grad = tocha_value_item(arguments, 0);
  tocha_tensor *t = tocha_uninitialized_new(l->cx, parameter,
                                            grad && grad->kind == TOCHA_VALUE_BOOL && grad->as.flag,
                                            tocha_default_dtype(l->cx), tocha_cpu());
  return t ? tocha_new_tensor(l->out, t) : NULL;
}

static tocha_value *make_uninitialized_parameter(tocha_loader *l, const tocha_value *arguments) {
  return make_uninitialized(l, arguments, true);
}

static tocha_value *make_uninitialized_buffer(tocha_loader *l, const tocha_value *arguments) {
  return make_uninitialized(l, arguments, false);
}

/* Returns the text of a path: "/a/b" for Path("/", "a", "b"). */
static tocha_value *make_path(tocha_loader *l, const tocha_value *arguments) {
  char text[4096] = ".";
  size_t used = 0;
  for (int64_t i = 0; i < tocha_value_count(arguments); i++) {
    const char *part = tocha_value_text(tocha_value_item(arguments, i), NULL);
    bool separated = used && text[used - 1] != '/' && text[used - 1] != '\\';
    if (!part || used + strlen(part) + 2 > sizeof text) return NULL;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", separated ? "/" : "", part);
  }
  return new_word(l, text);
}

/* Returns the bytes of an argument if there are `length` of them. */
static const uint8_t *bytes_of(const tocha_value *arguments, size_t length) {
  size_t got;
  const char *bytes = tocha_value_text(tocha_value_item(arguments, 0), &got);
  return bytes && got == length ? (const uint8_t *)bytes : NULL;
}

static size_t put_date(char *to, size_t capacity, const uint8_t *b) {
  return (size_t)snprintf(to, capacity, "%04d-%02d-%02d", b[0] << 8 | b[1], b[2] & 0x7f, b[3]);
}
static size_t put_time(char *to, size_t capacity, const uint8_t *b) {
  int micro = b[3] << 16 | b[4] << 8 | b[5];
  size_t used = (size_t)snprintf(to, capacity, "%02d:%02d:%02d", b[0] & 0x7f, b[1], b[2]);
  return micro ? used + (size_t)snprintf(to + used, capacity - used, ".%06d", micro) : used;
}

/* Writes a time zone, timezone(seconds, ...), after a time. Dates and times become texts in the
 * form of Python's isoformat(). */
static bool put_zone(char *to, size_t capacity, const tocha_value *arguments) {
  const tocha_value *zone = tocha_value_item(arguments, 1);
  if (!zone) return true;
  const tocha_value *offset = tocha_value_item(tocha_object_part(zone, "args"), 0);
  if (strcmp(tocha_object_name(zone), "datetime.timezone") != 0 || !offset) return false;
  int minutes = (int)(tocha_value_float(offset) / 60), size = minutes < 0 ? -minutes : minutes;
  snprintf(to, capacity, "%c%02d:%02d", minutes < 0 ? '-' : '+', size / 60 % 100, size % 60);
  return true;
}
static tocha_value *make_date(tocha_loader *l, const tocha_value *arguments) {
  char text[64];
  const uint8_t *b = bytes_of(arguments, 4);
  if (!b) return NULL;
  put_date(text, sizeof text, b);
  return new_word(l, text);
}
static tocha_value *make_time(tocha_loader *l, const tocha_value *arguments) {
  char text[64];
  const uint8_t *b = bytes_of(arguments, 6);
  if (!b) return NULL;
  size_t used = put_time(text, sizeof text, b);
  if (!put_zone(text + used, sizeof text - used, arguments)) return NULL;
  return new_word(l, text);
}
static tocha_value *make_datetime(tocha_loader *l, const tocha_value *arguments) {
  char text[64];
  const uint8_t *b = bytes_of(arguments, 10);
  if (!b) return NULL;
  size_t used = put_date(text, sizeof text, b);
  text[used++] = 'T';
  used += put_time(text + used, sizeof text - used, b + 4);
  if (!put_zone(text + used, sizeof text - used, arguments)) return NULL;
  return new_word(l, text);
}

/* Returns the seconds of timedelta(days, seconds, microseconds). */
static tocha_value *make_duration(tocha_loader *l, const tocha_value *arguments) {
  if (tocha_value_count(arguments) != 3) return NULL;
  double days = tocha_value_float(tocha_value_item(arguments, 0));
  double seconds = tocha_value_float(tocha_value_item(arguments, 1));
  double micro = tocha_value_float(tocha_value_item(arguments, 2));
  return tocha_new_float(l->out, days * 86400 + seconds + micro / 1e6);
}

/* Creates an object for _reconstructor(class, base, state of the base), as protocols 0 and 1 do. */
static tocha_value *make_reconstructed(tocha_loader *l, const tocha_value *arguments) {
  const tocha_value *class = tocha_value_item(arguments, 0),
                    *state = tocha_value_item(arguments, 2);
  if (!class || class->kind != TOCHA_VALUE_OBJECT || !state) return NULL;
  tocha_value *made = tocha_call_object(l, class, NULL, NULL);
  if (!made || made->kind != TOCHA_VALUE_OBJECT || state->kind == TOCHA_VALUE_NONE) return made;
  const char *part = tocha_is_dict(state) ? "entries" : is_list(state) ? "items" : "args";
  return tocha_object_set(l, made, part, state) ? made : NULL;
}

static const struct {
  const char *name;
  maker *make;
} makers[] = {
    {"collections.deque", make_list},
    {"builtins.list", make_list},
    {"collections.defaultdict", make_dict},
    {"torch.nn.parameter.UninitializedParameter", make_uninitialized_parameter},
    {"torch.nn.parameter.UninitializedBuffer", make_uninitialized_buffer},
    {"pathlib.Path", make_path},
    {"pathlib.PosixPath", make_path},
    {"pathlib.WindowsPath", make_path},
    {"pathlib.PurePosixPath", make_path},
    {"pathlib.PureWindowsPath", make_path},
    {"pathlib._local.PosixPath", make_path},
    {"pathlib._local.WindowsPath", make_path},
    {"pathlib._local.PurePosixPath", make_path},
    {"pathlib._local.PureWindowsPath", make_path},
    {"datetime.date", make_date},
    {"datetime.time", make_time},
    {"datetime.datetime", make_datetime},
    {"datetime.timedelta", make_duration},
    {"copyreg._reconstructor", make_reconstructed},
    {"copy_reg._reconstructor", make_reconstructed},
    {"numpy.core.multiarray.scalar", tocha_numpy_scalar},
    {"numpy._core.multiarray.scalar", tocha_numpy_scalar},
    {"numpy.core.numeric._frombuffer", tocha_numpy_frombuffer},
    {"numpy._core.numeric._frombuffer", tocha_numpy_frombuffer},
};

/* --- creating objects ------------------------------------------------------------------------- */

/* Returns the name of a called class, or `function` itself if it is the result of another call. */
static const tocha_value *class_of(const tocha_value *function) {
  const tocha_value *name = tocha_object_part(function, "global");
  return name ? name : function;
}

tocha_value *tocha_call_object(tocha_loader *l, const tocha_value *function,
                               const tocha_value *arguments, const tocha_value *keywords) {
  const char *name = tocha_value_text(tocha_object_part(function, "global"), NULL);
  bool plain = name && !l->refused && !tocha_value_count(keywords);
  for (size_t i = 0; plain && i < sizeof makers / sizeof *makers; i++) {
    if (strcmp(makers[i].name, name) != 0) continue;
    tocha_value *v = makers[i].make(l, arguments);
    if (v || tocha_failed(l->cx)) return v;
  }
  tocha_value *v = tocha_new_object(l, "class", class_of(function));
  if (v && tocha_value_count(arguments) && !tocha_object_set(l, v, "args", arguments)) return NULL;
  if (v && tocha_value_count(keywords) && !tocha_object_set(l, v, "kwargs", keywords)) return NULL;
  return v;
}

/* Returns the state, as one dict if it is the tuple (attributes or None, slots) of a class with __slots__. */
static const tocha_value *merged(tocha_loader *l, const tocha_value *state) {
  const tocha_value *first = tocha_value_item(state, 0), *slots = tocha_value_item(state, 1);
  if (state->kind != TOCHA_VALUE_TUPLE || tocha_value_count(state) != 2 || !tocha_is_dict(slots) ||
      (first->kind != TOCHA_VALUE_NONE && first->kind != TOCHA_VALUE_DICT))
    return state;
  tocha_value *v = tocha_new_collection(l->out, TOCHA_VALUE_DICT);
  for (int part = 0; v && part < 2; part++) {
    const tocha_value *from = tocha_value_item(state, part);
    for (int64_t i = 0; i < tocha_value_count(from); i++)
      if (!tocha_value_set(l->out, v, tocha_value_key(from, i), tocha_value_item(from, i)))
        return NULL;
  }
  return v;
}

/* Sets the arguments of a functools.partial from its state (function, arguments, keywords, attributes). */
static bool build_partial(tocha_loader *l, tocha_value *object, const tocha_value *state) {
  const tocha_value *arguments = tocha_value_item(state, 1), *keywords = tocha_value_item(state, 2);
  tocha_value *all = tocha_new_collection(l->out, TOCHA_VALUE_TUPLE);
  if (!all || !tocha_value_append(l->out, all, tocha_value_item(state, 0))) return false;
  for (int64_t i = 0; i < tocha_value_count(arguments); i++)
    if (!tocha_value_append(l->out, all, tocha_value_item(arguments, i))) return false;
  return tocha_object_set(l, object, "args", all) &&
         (!tocha_value_count(keywords) || tocha_object_set(l, object, "kwargs", keywords));
}

bool tocha_build_object(tocha_loader *l, tocha_value *object, const tocha_value *state) {
  const char *name = tocha_object_name(object);
  if (!l->refused && strncmp(name, "numpy.", 6) == 0 && strstr(name, "multiarray._reconstruct")) {
    if (!tocha_numpy_build(l, object, state)) return false;
    if (object->kind != TOCHA_VALUE_OBJECT) return true;
  }
  if (strcmp(name, "functools.partial") == 0 && is_list(state) && tocha_value_count(state) == 4 &&
      is_list(tocha_value_item(state, 1)))
    return build_partial(l, object, state);
  state = merged(l, state);
  return state && tocha_object_set(l, object, "state", state);
}

/* --- names that a file may not use ----------------------------------------------------------------------------------- */

/* A position of the search: a value among a collection's items. */
typedef struct place {
  const struct place *up;
  const tocha_value *collection;
  size_t item;
} place;

static bool is_name(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return *text && (*text < '0' || *text > '9') && !text[strspn(text, letters)];
}

/* Writes a place in Lua's notation: checkpoint.args["learning rate"][1]. */
static size_t write_place(const place *p, char *to, size_t capacity) {
  if (!p) return (size_t)snprintf(to, capacity, "checkpoint");
  size_t used = write_place(p->up, to, capacity);
  if (used >= capacity) return used;
  to += used, capacity -= used;
  if (!tocha_is_dict(p->collection))
    return used + (size_t)snprintf(to, capacity, "[%zu]", p->item + 1);
  const tocha_value *key = p->collection->as.collection->items[p->item & ~(size_t)1];
  const char *text = tocha_value_text(key, NULL);
  if (key->kind == TOCHA_VALUE_INT)
    return used + (size_t)snprintf(to, capacity, "[%lld]", (long long)key->as.integer);
  if (!text) return used + (size_t)snprintf(to, capacity, "[...]");
  return used + (size_t)snprintf(to, capacity, is_name(text) ? ".%.100s" : "[\"%.100s\"]", text);
}

/* Finds the first object of class or function `name`, and writes its place. */
static bool find_use(const tocha_value *v, const char *name, const place *at, char *to,
                     size_t capacity) {
  if (!tocha_is_collection(v) || v->as.collection->number >= 0) return false;
  if (v->kind == TOCHA_VALUE_OBJECT && strcmp(tocha_object_name(v), name) == 0)
    return write_place(at, to, capacity) > 0;
  v->as.collection->number = 0;
  for (size_t i = 0; i < v->as.collection->count; i++) {
    place inner = {at, v, i};
    if (find_use(v->as.collection->items[i], name, &inner, to, capacity)) return true;
  }
  return false;
}

void *tocha_fail_refused(tocha_loader *l, const tocha_value *root) {
  char where[600];
  const char *name = l->refused;
  bool found = root && find_use(root, name, NULL, where, sizeof where);
  tocha_fail(l->cx, TOCHA_RUNTIME_ERROR,
             "Weights only load failed. WeightsUnpickler error: Unsupported global: GLOBAL %s was "
             "not an allowed global by default. Please use "
             "`torch.serialization.add_safe_globals([%s])` or the "
             "`torch.serialization.safe_globals([%s])` context manager to allowlist this global "
             "if you trust this class/function.",
             name, name, name);
  return tocha_hint(
      l->cx,
      "%s%storch.load(path, {weights_only = false}) reads it as a table, {class = \"%s\", "
      "...}: nothing in a file is executed here",
      found ? where : "", found ? " needs it; " : "", name);
}
