/* binding.h: functions for language bindings, beside those of reflect.h: modules whose forward is
 * written in the other language. */
#ifndef TOCHA_BINDING_FUNCTIONS_H
#define TOCHA_BINDING_FUNCTIONS_H

#include "tocha/nn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls a module as tocha_module_forward does, and returns all of its results: writes the first
 * `capacity` of them to `results`, and returns their number, or -1 with an error set. A result that
 * is not a tensor is NULL. The results belong to the scope. */
TOCHA_API int tocha_module_call_all(tocha_context *cx, tocha_module *module, int count,
                                    tocha_tensor *const *inputs, int capacity,
                                    tocha_tensor **results);

/* More functions of a host object, beside the fields of tocha_host_object. */
typedef struct tocha_host_functions {
  /* Computes all results, as tocha_module_call_all returns them. NULL: forward's is the only one. */
  int (*call)(tocha_context *cx, void *data, tocha_module *module, int count,
              tocha_tensor *const *inputs, int capacity, tocha_tensor **results);
  /* Called with `data` when the module is freed, or gets other functions. May be NULL. */
  void (*release)(void *data);
  void *data;
} tocha_host_functions;
/* Sets them; NULL: none. */
TOCHA_API void tocha_module_set_host_functions(tocha_module *module,
                                               const tocha_host_functions *functions);
/* Returns true if the module has more than one owner. */
TOCHA_API bool tocha_module_is_shared(const tocha_module *module);

#ifdef __cplusplus
}
#endif
#endif
