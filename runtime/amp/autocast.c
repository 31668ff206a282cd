/* autocast.c: autocast regions, the casts of a call, and the cache of cast weights. */
#include "amp/autocast.h"

#include <string.h>

#include "device/devices.h"
#include "tocha/ops/to_copy.h"

/* A call whose arguments are being cast. */
typedef struct tocha_cast_call {
  tocha_arg args[TOCHA_MAX_PARAMETERS];
  uint8_t active;       /* the active regions before the call */
  tocha_tensor **lists; /* the cast tensors of TENSORS arguments */
  size_t list_bytes;
} tocha_cast_call;

enum { FIRST_CAPACITY = 64 };

/* --- state ---------------------------------------------------------------------------------- */

static unsigned bit(tocha_device_type device) { return 1u << device; }

void tocha_set_autocast_enabled(tocha_context *cx, tocha_device_type device, bool enabled) {
  if (!cx) return;
  if (!tocha_autocast_available(device)) return;
  if (enabled)
    cx->autocast.active |= (uint8_t)bit(device);
  else
    cx->autocast.active &= (uint8_t)~bit(device);
}

tocha_dtype tocha_autocast_dtype(const tocha_context *cx, tocha_device_type device) {
  if (!cx) return TOCHA_NO_DTYPE;
  if (!tocha_autocast_available(device)) return TOCHA_NO_DTYPE;
  tocha_dtype set = (tocha_dtype)cx->autocast.dtype[device]; /* 0 if not set */
  if (set) return set;
  return device == TOCHA_CPU ? TOCHA_BFLOAT16 : TOCHA_FLOAT16;
}

void tocha_set_autocast_dtype(tocha_context *cx, tocha_device_type device, tocha_dtype dtype) {
  if (cx && tocha_autocast_available(device) && dtype > TOCHA_BOOL)
    cx->autocast.dtype[device] = (uint8_t)dtype;
}

bool tocha_autocast_cache_enabled(const tocha_context *cx) { return cx && !cx->autocast.cache_off; }

void tocha_set_autocast_cache_enabled(tocha_context *cx, bool enabled) {
  if (!cx) return;
  cx->autocast.cache_off = !enabled;
}

bool tocha_cuda_is_there(tocha_context *cx) {
  const tocha_devices *devices = tocha_devices_of(cx);
  return devices && devices->count > 0;
}

/* --- regions -------------------------------------------------------------------------------- */

/* Returns true if a region of this dtype can be active, else warns as PyTorch does. */
static bool supported(tocha_context *cx, tocha_device_type device, tocha_dtype dtype) {
  if (device == TOCHA_CUDA) {
    if (tocha_cuda_is_there(cx)) return true;
    tocha_warn(cx, "CUDA is not available or torch_xla is imported. Disabling autocast.");
    return false;
  }
  if (dtype == TOCHA_FLOAT16 || dtype == TOCHA_BFLOAT16) return true;
  tocha_warn(cx,
             "In %s autocast, but the target dtype is not supported. Disabling autocast.\n"
             "%s Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.",
             device == TOCHA_CPU ? "CPU" : "MPS", device == TOCHA_CPU ? "CPU" : "MPS");
  return false;
}

bool tocha_autocast_enter(tocha_context *cx, tocha_device_type device, tocha_dtype dtype,
                          bool enabled, int cache_enabled, tocha_autocast_region *region) {
  if (!region) return tocha_refuse_none(cx, "autocast_enter", "region", "Region");
  if (!tocha_autocast_available(device)) {
    char text[24];
    tocha_device named = {(int16_t)device, -1};
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "User specified an unsupported autocast device_type '%s'",
               tocha_device_text(named, text));
    tocha_hint(cx, "\"cpu\" or \"cuda\"");
    return false;
  }
  if (dtype == TOCHA_NO_DTYPE) dtype = tocha_autocast_dtype(cx, device);
  if (enabled) enabled = supported(cx, device, dtype);
  region->device = device;
  region->enabled = tocha_autocast_enabled(cx, device);
  region->dtype = tocha_autocast_dtype(cx, device);
  region->cache_enabled = tocha_autocast_cache_enabled(cx);
  tocha_set_autocast_enabled(cx, device, enabled);
  tocha_set_autocast_dtype(cx, device, dtype);
  if (cache_enabled >= 0) tocha_set_autocast_cache_enabled(cx, cache_enabled);
  cx->autocast.nesting++;
  return true;
}

void tocha_autocast_leave(tocha_context *cx, const tocha_autocast_region *region) {
  if (!region) return;
  if (cx->autocast.nesting > 0 && --cx->autocast.nesting == 0) tocha_clear_autocast_cache(cx);
  tocha_set_autocast_enabled(cx, region->device, region->enabled);
  tocha_set_autocast_dtype(cx, region->device, region->dtype);
  tocha_set_autocast_cache_enabled(cx, region->cache_enabled);
}

/* --- the cache of cast weights ----------------------------------------------------------------
 *
 * A hash table with open addressing. Its key is the weight's header and the dtype of the cast. It
 * owns both tensors, so that an address cannot be reused for another weight. */

typedef struct tocha_cast_entry {
  tocha_tensor *weight, *cast;
  bool recorded; /* cast while gradients were recorded */
} entry;

static size_t place_of(const tocha_tensor *weight, tocha_dtype to, size_t capacity) {
  uint64_t h = ((uint64_t)(uintptr_t)weight >> 4) + (uint64_t)to;
  return (size_t)(h * 0x9E3779B97F4A7C15u >> 32) & (capacity - 1);
}

/* Returns the entry of a weight, or the free entry for it. */
static entry *find(entry *entries, size_t capacity, const tocha_tensor *weight, tocha_dtype to) {
  size_t i = place_of(weight, to, capacity);
  while (entries[i].weight &&
         (entries[i].weight != weight || (tocha_dtype)entries[i].cast->dtype != to))
    i = (i + 1) & (capacity - 1);
  return &entries[i];
}

static bool grow(tocha_context *cx) {
  struct tocha_autocast_state *s = &cx->autocast;
  size_t capacity = s->capacity ? 2 * s->capacity : FIRST_CAPACITY;
  entry *entries = tocha_allocate_zeroed(cx, capacity * sizeof *entries);
  if (!entries) return false;
  for (size_t i = 0; i < s->capacity; i++) {
    const entry *old = &s->entries[i];
    if (old->weight) *find(entries, capacity, old->weight, (tocha_dtype)old->cast->dtype) = *old;
  }
  tocha_deallocate(cx, s->entries, s->capacity * sizeof *entries);
  s->entries = entries;
  s->capacity = capacity;
  return true;
}

/* Returns the cached cast, or NULL. A cast made without recording may not replace one that must be
 * recorded. */
static tocha_tensor *cached(tocha_context *cx, const tocha_tensor *weight, tocha_dtype to) {
  if (!cx->autocast.count) return NULL;
  const entry *e = find(cx->autocast.entries, cx->autocast.capacity, weight, to);
  return e->weight && (e->recorded || !tocha_grad_enabled(cx)) ? e->cast : NULL;
}

static bool remember(tocha_context *cx, tocha_tensor *weight, tocha_tensor *cast) {
  struct tocha_autocast_state *s = &cx->autocast;
  if (2 * s->count >= s->capacity && !grow(cx)) return false;
  entry *e = find(s->entries, s->capacity, weight, (tocha_dtype)cast->dtype);
  if (!e->weight) {
    e->weight = tocha_retain(weight);
    s->count++;
  }
  tocha_release(e->cast);
  e->cast = tocha_retain(cast);
  e->recorded = tocha_grad_enabled(cx);
  return true;
}

void tocha_clear_autocast_cache(tocha_context *cx) {
  if (!cx) return;
  struct tocha_autocast_state *s = &cx->autocast;
  entry *entries = s->entries;
  size_t capacity = s->capacity;
  s->entries = NULL; /* first, because a release may run callbacks that use the cache */
  s->capacity = s->count = 0;
  for (size_t i = 0; i < capacity; i++) {
    tocha_release(entries[i].cast);
    tocha_release(entries[i].weight);
  }
  tocha_deallocate(cx, entries, capacity * sizeof *entries);
}

/* --- the casts of a call -------------------------------------------------------------------- */

static bool eligible(const tocha_tensor *t, tocha_device_type device) {
  return t && t->device.type == device && t->dtype != TOCHA_FLOAT64 &&
         tocha_dtype_is_floating((tocha_dtype)t->dtype);
}

static tocha_tensor *cast_tensor(tocha_context *cx, tocha_tensor *t, tocha_device_type device,
                                 tocha_dtype to) {
  if (!eligible(t, device) || (tocha_dtype)t->dtype == to) return t;
  bool weight = !cx->autocast.cache_off && t->dtype == TOCHA_FLOAT32 &&
                to == tocha_autocast_dtype(cx, device) && tocha_requires_grad(t) &&
                tocha_is_leaf(t) && !t->base;
  tocha_tensor *known = weight ? cached(cx, t, to) : NULL;
  if (known) return known;
  tocha_device here = {TOCHA_NO_DEVICE, -1};
  tocha_tensor *cast = tocha_to_copy_full(cx, t, to, here, false);
  return cast && weight && !remember(cx, t, cast) ? NULL : cast;
}

/* Widens *widest to include t's dtype. Fails, as in PyTorch, if two different 16-bit dtypes
 * meet. */
static bool widen(tocha_context *cx, const tocha_tensor *t, tocha_device_type device,
                  tocha_dtype *widest) {
  if (!eligible(t, device)) return true;
  if (*widest == TOCHA_FLOAT32 || t->dtype == TOCHA_FLOAT32)
    *widest = TOCHA_FLOAT32;
  else if ((tocha_dtype)t->dtype != *widest) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR,
               "Unexpected floating ScalarType in at::autocast::prioritize");
    tocha_hint(cx, "the region's type is torch.%s and an operand's torch.%s",
               tocha_dtype_name(*widest), tocha_dtype_name((tocha_dtype)t->dtype));
    return false;
  }
  return true;
}

static bool widest_type(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                        tocha_device_type device, tocha_dtype *widest) {
  *widest = tocha_autocast_dtype(cx, device);
  tocha_tensor *t;
  tocha_tensor_place at = {0};
  while ((t = tocha_next_tensor(op, args, &at)))
    if (!widen(cx, t, device, widest)) return false;
  return true;
}

/* Casts every eligible tensor of call->args. */
static bool cast_arguments(tocha_context *cx, const tocha_op *op, tocha_device_type device,
                           tocha_dtype to, tocha_cast_call *call) {
  size_t listed = 0;
  for (int i = 0; i < op->parameter_count; i++)
    if (op->parameters[i].kind == TOCHA_KIND_TENSORS) listed += (size_t)call->args[i].count;
  if (listed) {
    call->lists = tocha_allocate(cx, listed * sizeof *call->lists);
    if (!call->lists) return false;
    call->list_bytes = listed * sizeof *call->lists;
  }
  tocha_tensor **list = call->lists;
  for (int i = 0; i < op->parameter_count; i++) {
    tocha_arg *a = &call->args[i];
    if (a->tensor) {
      a->tensor = cast_tensor(cx, a->tensor, device, to);
      if (!a->tensor) return false;
    } else if (list && op->parameters[i].kind == TOCHA_KIND_TENSORS) {
      for (int k = 0; k < a->count; k++) {
        tocha_tensor *t = a->value.tensors[k];
        if (t && !(t = cast_tensor(cx, t, device, to))) return false;
        list[k] = t;
      }
      a->value.tensors = list;
      list += a->count;
    }
  }
  return true;
}

static void ask_for_float32(const tocha_op *op, tocha_device_type device, tocha_cast_call *call) {
  if (!eligible(call->args[0].tensor, device)) return;
  for (int i = 0; i < op->parameter_count; i++)
    if (op->parameters[i].kind == TOCHA_KIND_DTYPE && !call->args[i].given) {
      call->args[i].value.dtype = TOCHA_FLOAT32;
      call->args[i].given = true;
    }
}

static tocha_autocast_class class_on(const tocha_op *op, tocha_device_type device) {
  return (tocha_autocast_class)(device == TOCHA_CPU ? tocha_operator_of(op)->autocast & 15
                                                    : tocha_operator_of(op)->autocast >> 4);
}

static bool touches(const tocha_op *op, const tocha_arg *args, tocha_device_type device) {
  tocha_tensor *t;
  tocha_tensor_place at = {0};
  while ((t = tocha_next_tensor(op, args, &at)))
    if (t->device.type == device) return true;
  return false;
}

static bool refuse(tocha_context *cx) {
  tocha_fail(
      cx, TOCHA_RUNTIME_ERROR,
      "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
      "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
      "In this case, combine the two layers using "
      "torch.nn.functional.binary_cross_entropy_with_logits\n"
      "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits "
      "are\nsafe to autocast.");
  return false;
}

/* Casts the arguments of a listed operator as its class requires, and disables autocast inside the
 * operator. plain: a call with out=, which is not cast. The caller must call end_cast in any case.
 * The cast tensors remain in the scope. */
static bool begin_cast(tocha_context *cx, const tocha_op *op, const tocha_arg *args, bool plain,
                       tocha_cast_call *call) {
  static const tocha_device_type types[] = {TOCHA_CUDA, TOCHA_CPU};
  memcpy(call->args, args, op->parameter_count * sizeof *args);
  call->active = cx->autocast.active;
  call->lists = NULL;
  call->list_bytes = 0;
  unsigned active = plain ? 0 : call->active;
  cx->autocast.active = 0;
  for (int i = 0; i < TOCHA_COUNT(types); i++) {
    tocha_device_type device = types[i];
    tocha_autocast_class class_ = class_on(op, device);
    if (!(active & bit(device)) || !class_ || !touches(op, args, device)) continue;
    tocha_dtype to = TOCHA_FLOAT32;
    switch (class_) {
    case TOCHA_AUTOCAST_REFUSE:
      return refuse(cx);
    case TOCHA_AUTOCAST_FLOAT32_DTYPE:
      ask_for_float32(op, device, call);
      return true;
    case TOCHA_AUTOCAST_LOWER:
      to = tocha_autocast_dtype(cx, device);
      break;
    case TOCHA_AUTOCAST_WIDEST:
      if (!widest_type(cx, op, args, device, &to)) return false;
      break;
    default:
      break;
    }
    return cast_arguments(cx, op, device, to, call);
  }
  if (!plain) cx->autocast.active = call->active; /* its inner operators may be listed */
  return true;
}

static void end_cast(tocha_context *cx, tocha_cast_call *call) {
  cx->autocast.active = call->active;
  tocha_deallocate(cx, call->lists, call->list_bytes);
}

bool tocha_call_autocast(tocha_context *cx, const tocha_op *op, const tocha_arg *args,
                         tocha_results *results, tocha_tensor *into) {
  tocha_cast_call cast;
  size_t mark = cx->scope_count;
  results->count = 0;
  results->tensors = results->fixed;
  bool ok = begin_cast(cx, op, args, into != NULL, &cast);
  if (ok)
    ok = tocha_call_recorded(cx, op, cast.args, results, into);
  else
    tocha_set_error_op(cx, op->lua_name);
  end_cast(cx, &cast);
  tocha_keep_results(cx, mark, results);
  return ok;
}
