/* share.c: passes modules from one context to another, sharing the memory of their tensors. */
#include "tocha/share.h"

#include <stdlib.h>

#include "nn/module.h"
#include "tensor/share.h"

struct tocha_shared_module {
  tocha_context *keeper; /* holds the module below; nothing changes either of them */
  tocha_module *module;
};

/* A copy in progress. The context of an original tensor may be a keeper, which several threads read:
 * errors go to `errors`. */
typedef struct passage {
  tocha_context *to, *errors;
} passage;

static tocha_tensor *pass_tensor(void *user, tocha_tensor *tensor) {
  const passage *p = user;
  tocha_shared *shared = tocha_share(p->errors, tensor);
  tocha_tensor *passed = tocha_from_shared(p->to, shared);
  tocha_shared_free(shared);
  return passed;
}

/* Fails if functions of another language compute the module's results or a tensor of it. */
static bool check_module(tocha_context *cx, const tocha_named *member) {
  const tocha_module *m = member->module;
  const tocha_host_object *host = &m->host_object;
  if (!host->forward && !host->call && !host->attribute && !m->host_functions.call) return true;
  const char *what = host->forward || host->call || m->host_functions.call
                         ? "its forward or a hook is a function"
                         : "one of its tensors is computed by a function";
  bool root = !member->name[0];
  tocha_fail(
      cx, TOCHA_RUNTIME_ERROR,
      "module %s%s%s%s cannot be shared: %s of the host language, which belongs to one context",
      member->name, root ? "" : " (", tocha_module_name(m), root ? "" : ")", what);
  return tocha_hint(cx,
                    "create the module in each state (in Lua: run its script there), and share its "
                    "tensors by tocha_share, or its children that are modules of torch.nn alone");
}

/* Fails if the tensor cannot leave its context. */
static bool check_tensor(tocha_context *cx, const tocha_named *member) {
  tocha_tensor *t = member->tensor;
  if (tocha_is_uninitialized(t)) {
    tocha_fail(cx, TOCHA_RUNTIME_ERROR, "'%s' is uninitialized and has no memory to share",
               member->name);
    return tocha_hint(cx, "call the module once: its first input gives a lazy module its sizes");
  }
  if (tocha_can_share(cx, t)) return true;
  if (t->device.type != TOCHA_CPU)
    tocha_hint(cx, "move it first: tocha_module_to(cx, module, tocha_cpu(), TOCHA_NO_DTYPE)");
  return tocha_fail_in(cx, member->name);
}

static bool check_tree(tocha_context *cx, tocha_module *module) {
  tocha_named_list modules = {0}, tensors = {0};
  bool ok = tocha_named_modules(cx, module, "", true, &modules) &&
            tocha_named_parameters(cx, module, "", true, true, &tensors) &&
            tocha_named_buffers(cx, module, "", true, true, &tensors);
  for (int i = 0; ok && i < modules.count; i++) ok = check_module(cx, &modules.items[i]);
  for (int i = 0; ok && i < tensors.count; i++) ok = check_tensor(cx, &tensors.items[i]);
  tocha_named_list_free(&modules);
  tocha_named_list_free(&tensors);
  return ok;
}

static void *refuse_memory(tocha_context *cx) {
  return tocha_fail(cx, TOCHA_MEMORY_ERROR, "there is no memory to share a module");
}

tocha_shared_module *tocha_module_share(tocha_context *cx, tocha_module *module) {
  if (!module) return tocha_refuse_none(cx, "module_share", "module", "Module");
  if (tocha_failed(cx) || !check_tree(cx, module)) return NULL;
  tocha_shared_module *shared = malloc(sizeof *shared);
  if (!shared) return refuse_memory(cx);
  shared->module = NULL;
  shared->keeper = tocha_context_new(&(tocha_options){.threads = 1}, cx->hooks);
  if (shared->keeper) {
    passage p = {shared->keeper, cx};
    shared->module = tocha_module_copy_with(shared->keeper, module, pass_tensor, &p);
  }
  if (shared->module) return shared;
  tocha_shared_module_free(shared);
  return refuse_memory(cx);
}

tocha_module *tocha_module_from_shared(tocha_context *cx, const tocha_shared_module *shared) {
  if (!shared) return tocha_refuse_none(cx, "module_from_shared", "shared", "a shared module");
  if (tocha_failed(cx)) return NULL;
  passage p = {cx, cx};
  return tocha_module_copy_with(cx, shared->module, pass_tensor, &p);
}

void tocha_shared_module_free(tocha_shared_module *shared) {
  if (!shared) return;
  tocha_module_release(shared->module);
  if (shared->keeper) tocha_context_release(shared->keeper);
  free(shared);
}
