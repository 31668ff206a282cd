/* module.h: declarations that the files of the binding for torch.nn and torch.optim share. */
#ifndef TOCHA_BINDING_MODULE_H
#define TOCHA_BINDING_MODULE_H

#include "lua/binding.h"
#include "tocha/binding.h"
#include "tocha/optim.h"

/* The user values of a module's userdata, which begins with a module_box: */
enum {
  MODULE_FIELDS = 1, /* table: the fields that are not members */
  MODULE_PARTS,      /* table: the userdata of members, by name */
  MODULE_CLASS,      /* the class's table */
  MODULE_HOOKS,      /* table: lists of hooks, by kind; or nil */
  MODULE_ABSENT,     /* table: names that are not slips; or nil */
  MODULE_VALUES = 5
};

typedef struct module_box {
  const void *tag;
  tocha_module *module; /* NULL until set, and after collection */
  binding *binding;     /* the state's */
  uint32_t generation;  /* the module's generation when MODULE_PARTS was last known to be right */
  bool hooks;           /* MODULE_HOOKS holds hooks */
  bool own_call;        /* its class defines __call */
  bool own_forward;     /* MODULE_FIELDS holds a forward, which replaces the class's */
  int line;             /* line of the script that registered the last member */
} module_box;

module_box *to_module_box(lua_State *L, int index); /* NULL: something else */
tocha_module *to_module(lua_State *L, int index);
/* Raises an error such as "float is not a Module subclass" if the value at `index` is not a
 * module. [-0, +0, e] */
module_box *check_module_box(lua_State *L, int index);
tocha_module *check_module(lua_State *L, int index);
/* These make the userdata of a module. push_module_box pushes one of the class at index class_,
 * without a module. [-0, +1, m] remember_module makes the userdata at the top the one that
 * push_module pushes for its module. [-0, +0, m] refresh_module_parts makes the userdata at
 * `index` keep the userdata of the module's children alive. [-0, +0, m] */
module_box *push_module_box(lua_State *L, int class_);
void remember_module(lua_State *L, const module_box *m);
void refresh_module_parts(lua_State *L, int index, module_box *m);
/* Notes that a host has the module at `index` (tocha_lua_to_module), so that its Lua object lives as
 * long as C holds the module. */
void give_module(lua_State *L, int index);
void open_module_metatable(lua_State *L);
/* Pushes the table of a class of the list (classes.c). [-0, +1, e] */
void push_class(lua_State *L, const tocha_module_class *class);
/* Pushes the userdata of a module: the existing one, or a new one of its class. Pushes nil for
 * NULL. [-0, +1, e] */
void push_module(lua_State *L, tocha_module *module);
/* Records a change of a registered member that was made through C: the userdata keeps the new
 * member's userdata, at stack index `value`, alive. 0 stands for no member. [-0, +0, m] */
void set_part(lua_State *L, int module, const char *name, int value);

/* Returns the optimizer at `index`, or NULL if the value is something else (optim/optimizer.c).
 * [-0, +0, m] */
tocha_optimizer *to_optimizer(lua_State *L, int index);

/* Returns the name of a value's type as torch.typename does: "torch.FloatTensor", "int". May
 * push a string. [-0, +(0|1), m] */
const char *torch_typename(lua_State *L, int index);

/* Pushes a table of the tensors of the value at `index`, and returns their number. The value is
 * a table, an iterator (a function) or a single tensor. If it has pairs of a name and a tensor,
 * appends the names to the table at `names` (0: to none). [-0, +1, e] */
int push_tensors(lua_State *L, int index, int names);
/* Pushes an empty list of the runtime, which Lua frees (methods.c). [-0, +1, m] */
tocha_named_list *push_list(lua_State *L);
/* Pushes an iterator over the table at `index` that returns `width` values a turn. [-0, +1, m] */
void push_iterator(lua_State *L, int index, int width);
/* Pushes an iterator over the keys, the values or both of an object's `count` entries. Each
 * function pushes one value for entry number i (from 0), or is NULL for none. [-0, +2, e] */
typedef void entry_pusher(lua_State *L, void *object, int i);
void push_entries(lua_State *L, void *object, int count, entry_pusher *push_key,
                  entry_pusher *push_value);

/* The methods of state_dict and load_state_dict for a single module (state.c). */
int module_save_to_state_dict(lua_State *L);
int module_load_from_state_dict(lua_State *L);
void open_module_state(lua_State *L, int torch);
/* These are in events.c. push_class_event pushes the function that the class of the module at
 * `index` defines for one of Lua's events, or returns false and pushes nothing. [-0, +(0|1), e]
 * call_class_event calls that function, on top, with all values below it, and returns the number
 * of its results. [-?, +results, e] set_class_events sets the events that modules have only by
 * their classes in the metatable at the top. [-0, +0, m] */
bool push_class_event(lua_State *L, int index, const char *event);
int call_class_event(lua_State *L);
void set_class_events(lua_State *L);
/* These are in hooks.c. call_with_hooks calls a module that has hooks. any_global_hooks returns
 * true if any Lua state has hooks of all modules. */
int call_with_hooks(lua_State *L);
bool any_global_hooks(void);
/* Returns true if the function at `index` is the `remove` of a hook of one module. [-0, +0, -] */
bool is_hook_removal(lua_State *L, int index);

/* (module, inputs...) Calls a module without its hooks. Defined in call.c, as are the next functions. */
int run_forward(lua_State *L);
/* Makes every call of the module pass through Lua, because it has hooks or a forward of its own.
 * C alone would run the forward of its class. */
void call_through_lua(lua_State *L, tocha_module *m);
int call_module(lua_State *L);
int module_forward(lua_State *L);
/* Writes the name of the class's forward in messages ("Linear.forward") and returns it. Every call writes one, which would
 * cost snprintf several hundred instructions. */
const char *name_forward(const tocha_module_class *class, char name[96]);
/* (module, arguments...) Runs the forward in C of a class with a call signature (call_arguments.c). */
int call_with_arguments(lua_State *L);
int module_close(lua_State *L);
int module_extra_repr(lua_State *L);
/* The runtime calls these for a module of a class written in Lua. `data` is the lifeline. */
/* Sets the host object of a module that calls Lua; `data` is filled in. */
void set_lua_object(lua_State *L, tocha_module *module, tocha_host_object object);
tocha_tensor *host_object_forward(tocha_context *cx, void *data, tocha_module *module, int count,
                                  tocha_tensor *const *inputs);
bool host_object_call(tocha_context *cx, void *data, tocha_module *module,
                      const struct tocha_arg *args, struct tocha_results *results);
tocha_tensor *host_object_attribute(tocha_context *cx, void *data, tocha_module *module,
                                    const char *name);
/* Makes the runtime ask Lua for tensors that are not members of the module. */
void compute_members_of(lua_State *L, tocha_module *module);
char *host_object_extra_repr(tocha_context *cx, void *data, tocha_module *module);
char *host_object_repr(tocha_context *cx, void *data, tocha_module *module);

/* containers.c */
int index_container(lua_State *L, tocha_module *module);    /* (module, number) -> member */
int newindex_container(lua_State *L, tocha_module *module); /* (module, number, value) */
bool push_slice(lua_State *L, tocha_module *module, const char *text);
int container_length(const tocha_module *module);
int next_member(lua_State *L);                           /* for pairs */
bool init_container(lua_State *L, tocha_module *module); /* (module, arguments...) */
void open_containers(lua_State *L, int nn);

/* state_dict.c, functions.c */
void open_state_dict(lua_State *L);
/* Pushes an empty state dict and returns the place of its dict, which Lua frees. [-0, +1, m] */
tocha_state_dict **push_state_dict(lua_State *L);
tocha_state_dict *to_state_dict(lua_State *L, int index); /* NULL: something else */
/* Returns the state dict at `index`, or one made of the table with string keys there, whose
 * userdata is pushed and owns it. Raises for another value. [-0, +(0|1), e] */
tocha_state_dict *check_state_dict(lua_State *L, int index);
/* (dict, prefix) Returns a new state dict of the entries whose names begin with the prefix. */
int state_dict_part(lua_State *L);
/* Pushes the value of an entry that is not a tensor, or nil if it is not known. [-0, +1, e] */
void push_state_value(lua_State *L, int dict, const char *name);
/* Pushes the _metadata that a script gave to the state dict at index `dict`. Returns false if there is none: a nil is
 * pushed. [-0, +1, -] */
bool push_state_metadata(lua_State *L, int dict);
void open_nn_functions(lua_State *L, int torch);

#endif
