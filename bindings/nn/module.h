/* module.h: what the files of the binding for torch.nn and torch.optim share. */
#ifndef TOCHA_BINDING_MODULE_H
#define TOCHA_BINDING_MODULE_H

#include "lua/binding.h"
#include "tocha/optim.h"

/* Every module userdata begins so. Its user values: */
enum {
  MODULE_FIELDS = 1,
  MODULE_PARTS,
  MODULE_CLASS,
  MODULE_HOOKS,
  MODULE_ABSENT,
  MODULE_VALUES = 5
};

typedef struct module_box {
  const void *tag;
  tocha_module *module; /* NULL until set, and after collection */
  uint32_t generation;  /* of the module when MODULE_PARTS was last known to be right */
  bool hooks;           /* MODULE_HOOKS holds any */
  bool own_call;        /* its class defines __call */
  bool own_forward;     /* MODULE_FIELDS holds a forward, which is called instead of the class's */
  int line;             /* of the script that registered the last member */
} module_box;

module_box *to_module_box(lua_State *L, int index); /* NULL: something else */
tocha_module *to_module(lua_State *L, int index);
/* Raise "float is not a Module subclass" and the like if index holds no module. */
module_box *check_module_box(lua_State *L, int index);
tocha_module *check_module(lua_State *L, int index);
/* How the userdata of a module comes to be: one of the class at index class_, without a module yet; as
 * the one that is pushed for its module from then on (the userdata is at the top); with the userdata
 * of the module's children among what it keeps alive. */
module_box *push_module_box(lua_State *L, int class_);
void remember_module(lua_State *L, const module_box *m);
void refresh_module_parts(lua_State *L, int index, module_box *m);
void open_module_metatable(lua_State *L);
/* classes.c: pushes the table of a class of the list. */
void push_class(lua_State *L, const tocha_module_class *class);
/* Pushes the userdata of a module: the one it has, or a new one of its class. nil for NULL. */
void push_module(lua_State *L, tocha_module *module);
/* After a registered member was changed through C: the userdata keeps what it holds alive. value:
 * stack index of the new member's userdata, 0 for none. */
void set_part(lua_State *L, int module, const char *name, int value);

/* optim/optimizer.c: the optimizer at index, or NULL when it is something else. */
tocha_optimizer *to_optimizer(lua_State *L, int index);

/* A value's type as torch.typename has it: "torch.FloatTensor", "int". */
const char *torch_typename(lua_State *L, int index);

/* Pushes a table of the tensors of a table, an iterator (a function whose last result is one) or a single tensor at index, and
 * returns their number. Pairs of a name and a tensor: the names go to the table at index `names` (0: to none). [-0, +1, e] */
int push_tensors(lua_State *L, int index, int names);
/* methods.c: pushes an empty list of the runtime, which Lua frees. */
tocha_named_list *push_list(lua_State *L);
/* Pushes an iterator over the table at index of `count` entries, `width` values each. */
void push_iterator(lua_State *L, int index, int width);
/* Pushes an iterator over the keys, the values or both of an object's `count` entries: what the functions push of
 * number i (from 0); NULL: not wanted. */
typedef void entry_pusher(lua_State *L, void *object, int i);
void push_entries(lua_State *L, void *object, int count, entry_pusher *push_key,
                  entry_pusher *push_value);

/* state.c: the parts of state_dict and load_state_dict that are one module's own. */
int module_save_to_state_dict(lua_State *L);
int module_load_from_state_dict(lua_State *L);
void open_module_state(lua_State *L, int torch);
/* events.c. push_class_event pushes the function that the class of the module at `index` defines for one of Lua's events, or
 * returns false and pushes nothing. call_class_event calls it with all values below it and returns the number of its results.
 * set_class_events sets the events that modules have only by their classes in the metatable at the top. */
bool push_class_event(lua_State *L, int index, const char *event);
int call_class_event(lua_State *L);
void set_class_events(lua_State *L);
/* hooks.c: a call of a module that has hooks; whether any state has hooks of all modules. */
int call_with_hooks(lua_State *L);
bool any_global_hooks(void);
/* Whether the function at index removes a hook of one module: what its handle has. */
bool is_hook_removal(lua_State *L, int index);

/* call.c: a call without hooks; (module, arguments...) of __call, of a builtin class's forward, of __close. */
int run_forward(lua_State *L);
/* A module with hooks or with a forward of its own is called through Lua wherever it stands: C alone would run the
 * forward of its class. */
void call_through_lua(lua_State *L, tocha_module *m);
int call_module(lua_State *L);
int module_forward(lua_State *L);
int module_close(lua_State *L);
int module_extra_repr(lua_State *L);
/* What the runtime calls for a module of a class written in Lua; data is the binding. */
tocha_tensor *host_object_forward(tocha_context *cx, void *data, tocha_module *module, int count,
                                  tocha_tensor *const *inputs);
tocha_tensor *host_object_attribute(tocha_context *cx, void *data, tocha_module *module,
                                    const char *name);
/* From now on the runtime asks Lua for tensors that the module has no member for. */
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
tocha_state_dict **push_state_dict(lua_State *L); /* an empty one: Lua frees what is put there */
tocha_state_dict *to_state_dict(lua_State *L, int index); /* NULL: something else */
/* The dict of a state dict or a table with string keys at index; the caller owns one reference,
 * which a userdata pushed on the stack gives back. */
tocha_state_dict *check_state_dict(lua_State *L, int index);
/* (dict, prefix): a new one of the entries whose names begin so. */
int state_dict_part(lua_State *L);
/* The value of an entry that is no tensor: pushes it; nil: not known. */
void push_state_value(lua_State *L, int dict, const char *name);
void open_nn_functions(lua_State *L, int torch);

#endif
