/* ddp.c: DistributedDataParallel's life and choices. */
#include <string.h>

#include "distributed/ddp/reducer.h"
#include "tocha/autograd.h"

/* --- opening ----------------------------------------------------------------------------------------- */

static void *fail(tocha_context *cx, tocha_error_code code, const char *message) {
  return tocha_fail(cx, code, "%s", message);
}

static bool copy_ignored(tocha_context *cx, tocha_ddp *ddp, const char *const *names) {
  size_t count = 0;
  while (names && names[count]) count++;
  if (!count) return true;
  char **copy = tocha_allocate_zeroed(cx, (count + 1) * sizeof *copy);
  ddp->ignored = (const char *const *)copy;
  for (size_t i = 0; copy && i < count; i++)
    if (!(copy[i] = tocha_copy_text(cx, names[i]))) return false;
  return copy != NULL;
}

static void free_ignored(tocha_ddp *ddp) {
  size_t count = 0;
  if (!ddp->ignored) return;
  for (; ddp->ignored[count]; count++) tocha_deallocate_text(ddp->cx, (char *)ddp->ignored[count]);
  tocha_deallocate(ddp->cx, (void *)ddp->ignored, (count + 1) * sizeof *ddp->ignored);
}

/* Returns true if the parameter takes part: it needs a gradient and is not ignored. */
static bool takes_part(const tocha_ddp *ddp, const tocha_named *item) {
  return item->tensor && tocha_requires_grad(item->tensor) && !is_ignored(ddp, item->name);
}

static bool check_parameters(tocha_context *cx, const tocha_ddp *ddp,
                             const tocha_named_list *list) {
  tocha_device_type type = TOCHA_NO_DEVICE;
  int taking_part = 0;
  for (int i = 0; i < list->count; i++) {
    const tocha_tensor *t = list->items[i].tensor;
    if (is_ignored(ddp, list->items[i].name)) continue;
    if (tocha_is_uninitialized(t)) {
      fail(cx, TOCHA_RUNTIME_ERROR,
           "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. "
           "Run a dummy forward pass to correctly initialize the modules");
      return false;
    }
    taking_part += takes_part(ddp, &list->items[i]);
    if (type != TOCHA_NO_DEVICE && type != t->device.type) {
      fail(cx, TOCHA_VALUE_ERROR,
           "DistributedDataParallel's input module must be on the same type of devices, but input "
           "module parameters locate in {'cpu', 'cuda'}.");
      return false;
    }
    type = t->device.type;
  }
  if (!taking_part)
    fail(cx, TOCHA_RUNTIME_ERROR,
         "DistributedDataParallel is not needed when a module doesn't have any parameter that "
         "requires a gradient.");
  return taking_part > 0;
}

static bool take_parameters(tocha_context *cx, tocha_ddp *ddp, const tocha_named_list *list) {
  int n = 0;
  for (int i = 0; i < list->count; i++) n += takes_part(ddp, &list->items[i]);
  ddp->parameters = tocha_allocate_zeroed(cx, (uint64_t)n * sizeof *ddp->parameters);
  ddp->arrived = tocha_allocate(cx, (uint64_t)n * sizeof *ddp->arrived);
  if (!ddp->parameters || !ddp->arrived) return false;
  ddp->count = n;
  n = 0;
  for (int i = 0; i < list->count; i++) {
    if (!takes_part(ddp, &list->items[i])) continue;
    ddp_parameter *p = &ddp->parameters[n++];
    p->ddp = ddp;
    p->tensor = tocha_retain(list->items[i].tensor);
    if (!(p->name = tocha_copy_text(cx, list->items[i].name))) return false;
  }
  return true;
}

static bool open_parameters(tocha_context *cx, tocha_ddp *ddp) {
  tocha_named_list list = {0};
  bool ok = tocha_named_parameters(cx, ddp->module, "", true, true, &list) &&
            check_parameters(cx, ddp, &list) && take_parameters(cx, ddp, &list);
  tocha_named_list_free(&list);
  return ok;
}

/* Notes the sizes of buckets: those of a list, or one for all, or 1 MiB and then 25. */
static bool open_limits(tocha_context *cx, tocha_ddp *ddp, const tocha_ddp_options *o) {
  static const double DEFAULT[] = {1, 25};
  const double *mb = DEFAULT;
  ddp->limit_count = 2;
  if (o->bucket_cap_mb_count > 0 && o->bucket_cap_mb_list) {
    mb = o->bucket_cap_mb_list;
    ddp->limit_count = o->bucket_cap_mb_count;
    ddp->limits_first_pass = true;
  } else if (o->bucket_cap_mb > 0) {
    mb = &o->bucket_cap_mb;
    ddp->limit_count = 1;
  }
  ddp->limits = tocha_allocate(cx, (uint64_t)ddp->limit_count * sizeof *ddp->limits);
  for (int i = 0; ddp->limits && i < ddp->limit_count; i++)
    ddp->limits[i] = (int64_t)(mb[i] * (1 << 20));
  return ddp->limits != NULL;
}

static bool open_ddp(tocha_context *cx, tocha_ddp *ddp, const tocha_ddp_options *o) {
  ddp->find_unused = o->find_unused_parameters;
  ddp->as_view = o->gradient_as_bucket_view;
  ddp->static_graph = o->static_graph;
  ddp->sync_buffers = !o->keep_buffers && !o->keep_buffers_later;
  ddp->sync = ddp->next_needs_buffers = true;
  ddp->divisor = ddp->ranks = tocha_group_size(cx, ddp->group);
  if (tocha_failed(cx) || !open_limits(cx, ddp, o) || !copy_ignored(cx, ddp, o->ignored) ||
      !open_parameters(cx, ddp))
    return false;
  bool has_plan = is_plan_for(cx, ddp, o->plan);
  tocha_ddp_plan plan = has_plan ? o->plan : (tocha_ddp_plan){0};
  if (!o->no_init_sync &&
      !(compare_parameters(cx, ddp, &has_plan) && broadcast_state(cx, ddp, o->keep_buffers)))
    return false;
  return (has_plan ? make_given_buckets(cx, ddp, plan, !o->no_init_sync)
                   : make_first_buckets(cx, ddp)) &&
         hook_parameters(cx, ddp);
}

tocha_ddp *tocha_ddp_new(tocha_context *cx, const tocha_ddp_options *options) {
  if (tocha_failed(cx)) return NULL;
  if (!options || !options->module)
    return tocha_refuse_none(cx, "DistributedDataParallel", "module", "Module");
  tocha_process_group *group = options->group ? options->group : tocha_default_group(cx);
  tocha_ddp *ddp = group ? tocha_allocate_zeroed(cx, sizeof *ddp) : NULL;
  if (!ddp) return NULL;
  ddp->cx = cx;
  ddp->group = group;
  ddp->module = tocha_module_retain(options->module);
  bool grad_enabled = tocha_set_grad_enabled(cx, false);
  bool ok = open_ddp(cx, ddp, options);
  tocha_set_grad_enabled(cx, grad_enabled);
  if (ok) return ddp;
  tocha_ddp_free(ddp);
  return NULL;
}

void tocha_ddp_free(tocha_ddp *ddp) {
  if (!ddp) return;
  tocha_context *cx = ddp->cx;
  tocha_forget_after_backward(cx, ddp);
  for (int i = 0; i < ddp->count; i++) {
    ddp_parameter *p = &ddp->parameters[i];
    if (p->hook) tocha_remove_hook(p->tensor, NULL, p->hook);
    tocha_release(p->tensor);
    tocha_deallocate_text(cx, p->name);
  }
  if (ddp->comm.free) ddp->comm.free(ddp->comm.user);
  free_buckets(ddp);
  free_ignored(ddp);
  tocha_work_free(ddp->used_work);
  tocha_release(ddp->used_map);
  tocha_deallocate(cx, ddp->parameters, (uint64_t)ddp->count * sizeof *ddp->parameters);
  tocha_deallocate(cx, ddp->arrived, (uint64_t)ddp->count * sizeof *ddp->arrived);
  tocha_deallocate(cx, ddp->limits, (uint64_t)ddp->limit_count * sizeof *ddp->limits);
  tocha_module_release(ddp->module);
  tocha_deallocate(cx, ddp, sizeof *ddp);
}

/* --- choices -------------------------------------------------------------------------------------------- */

bool tocha_ddp_set_sync(tocha_ddp *ddp, bool sync) {
  if (!ddp) return true;
  bool before = ddp->sync;
  ddp->sync = sync;
  return before;
}

bool tocha_ddp_sync(const tocha_ddp *ddp) { return ddp && ddp->sync; }

void tocha_ddp_set_uneven(tocha_ddp *ddp, int divisor, int root) {
  if (!ddp) return;
  ddp->divisor = divisor > 0 ? divisor : ddp->ranks;
  ddp->root = root;
}

bool tocha_ddp_sync_state(tocha_context *cx, tocha_ddp *ddp) {
  if (!ddp || tocha_failed(cx)) return false;
  bool grad_enabled = tocha_set_grad_enabled(cx, false);
  bool ok = broadcast_state(cx, ddp, false);
  tocha_set_grad_enabled(cx, grad_enabled);
  return ok;
}

void tocha_ddp_keep_buffers(tocha_ddp *ddp) {
  if (ddp) ddp->sync_buffers = false;
}

bool tocha_ddp_set_static_graph(tocha_context *cx, tocha_ddp *ddp) {
  if (!ddp || tocha_failed(cx)) return false;
  ddp->static_graph = true;
  return true;
}

bool tocha_ddp_register_comm_hook(tocha_context *cx, tocha_ddp *ddp, tocha_comm_hook hook) {
  if (!ddp || tocha_failed(cx)) return false;
  if (ddp->comm.begin) {
    fail(cx, TOCHA_RUNTIME_ERROR,
         "register_comm_hook or register_builtin_comm_hook can only be called once.");
    return false;
  }
  if (!hook.begin) return tocha_refuse_none(cx, "register_comm_hook", "begin", "function") != NULL;
  ddp->comm = hook;
  return true;
}

int tocha_ddp_bucket_count(const tocha_ddp *ddp) { return ddp ? ddp->bucket_count : 0; }

static const ddp_bucket *bucket_at(const tocha_ddp *ddp, int i) {
  return ddp && i >= 0 && i < ddp->bucket_count ? &ddp->buckets[i] : NULL;
}

int tocha_ddp_bucket_parameters(const tocha_ddp *ddp, int bucket) {
  const ddp_bucket *b = bucket_at(ddp, bucket);
  return b ? b->count : 0;
}

const int *tocha_ddp_bucket_members(const tocha_ddp *ddp, int bucket) {
  const ddp_bucket *b = bucket_at(ddp, bucket);
  return b ? b->members : NULL;
}

int64_t tocha_ddp_bucket_bytes(const tocha_ddp *ddp, int bucket) {
  const ddp_bucket *b = bucket_at(ddp, bucket);
  return b ? b->flat->numel * tocha_item_size((tocha_dtype)b->flat->dtype) : 0;
}

bool tocha_ddp_has_rebuilt_buckets(const tocha_ddp *ddp) { return ddp && ddp->rebuilt; }
