-- functions.lua: the functions and methods of torch that are written in C and are not operators. Parameters, errors and
-- help follow from an entry. The C function receives its arguments read and checked.
--
--   def "torch.nn.utils.clip_grad_norm_" {         a function of a namespace
--   def "Module:zero_grad" {                       a method of a class
--     "(self, bool set_to_none=true) -> nil",      the notation of operators (list/read.lua), and
--                                                    name         a parameter of any kind: any_index is its stack index
--                                                    name...      all arguments from there on: arg.count of them
--                                                    table name   as name, but a table is a value and not keywords
--                                                    block?       last: a function in last place, Python's `with` block
--                                                    **name       any other keyword, which the function reads itself
--     also = "torch",                              for a method that is a function of this namespace, too
--     c = "torch_module_zero_grad",                the C function; default: made from the name
--     python = true,                               a Python function in PyTorch, whose errors differ; default: all except
--                                                  torch's own functions and the methods of tensors
--     as = "Module.zero_grad",                     the name in errors; default: this one, or the name alone
--     constructor = "__init__",                    a class that is called: errors say CLASS.__init__ and count its self
--     uninitialized = true,                        also takes a parameter of a lazy module that has no values yet
--     hint = "...", keyword_hint = "...",          for a call with too many arguments (and keywords)
--     doc = "One sentence.",
--   }

-- --- making tensors -----------------------------------------------------------------------------------------

def "torch.tensor" {
  "(data, *, dtype? dtype, device? device, bool requires_grad=false, bool pin_memory=false) -> Tensor",
  hint = "the data goes into a table: torch.tensor{1, 2}",
  keyword_hint = "the data goes into a table of its own: torch.tensor{{1, 2}, dtype = torch.float32}",
  details = "Nested tables are rows, which must all be of the same length. Integers make int64, fractions the default dtype (float32), true " ..
    "and false bool; dtype = ... decides otherwise. The data goes into a table of its own if keywords follow: torch.tensor({1, 2}, " ..
    "{dtype = torch.float64}).",
  doc = "A tensor with a copy of the data: numbers, tables of numbers, a tensor.",
}
def "torch.as_tensor" {
  "(data, *, dtype? dtype, device? device) -> Tensor",
  doc = "A tensor of the data: itself where it is one already and nothing needs to change.",
}
def "Tensor:new_tensor" {
  "(Tensor self, data, *, dtype? dtype, device? device, bool requires_grad=false, bool pin_memory=false) -> Tensor",
  doc = "A tensor with a copy of the data, in self's dtype and on its device.",
}
def "torch.frombuffer" {
  "(buffer, *, dtype dtype, int count=-1, int offset=0, bool requires_grad=false) -> Tensor",
  doc = "A tensor of the elements that a string, or what is left of a file, holds; a copy.",
}
def "torch.from_file" {
  "(string filename, bool? shared, int? size=0, *, dtype? dtype, layout?, device? device, bool pin_memory=false, bool requires_grad=false) -> Tensor",
  doc = "A tensor over the elements of a file, mapped into memory; shared: what is written to it goes to the file.",
}
def "torch.from_dlpack" {
  "(table ext_tensor, *, device? device, bool? copy) -> Tensor", python = true,
  doc = "A tensor over the memory of another library's tensor, without a copy.",
  details = "ext_tensor is a capsule, or a value with the methods __dlpack__ and __dlpack_device__, such as a tensor. A capsule can be taken once. " ..
    "What one of them writes, the other sees; memory that is marked as read-only must not be written to.",
}
def "torch.to_dlpack" {
  "(Tensor data) -> capsule", as = "_to_dlpack",
  doc = "A capsule with the tensor's memory for another library, in DLPack's older form; x:__dlpack__() has choices.",
}
def "Tensor:__dlpack__" {
  "(Tensor self, *, stream?, max_version?, dl_device?, bool? copy, bool read_only=false) -> capsule",
  doc = "A capsule with the tensor's memory, which another library takes.",
  details = "max_version = {1, 0} gives DLPack's versioned form, which can be read_only. stream is the number of the CUDA stream that will use the " ..
    "memory; dl_device = {type, index} is the device where it is expected. The capsule keeps the memory until the other library has freed it.",
}
def "Tensor:__dlpack_device__" {"(Tensor self) -> (int, int)",
  doc = "The type and the index of the tensor's device in DLPack's numbers: 1 is the CPU, 2 CUDA, 3 pinned memory.",
}
def "Tensor:tostring_bytes" {"(Tensor self) -> string", doc = "The elements as they lie in memory, row after row, in a string."}
def "torch.is_tensor" {"(table obj) -> bool", python = true, doc = "Whether obj is a tensor."}
def "Tensor:item" {"(Tensor self) -> number",
  doc = "The value of a tensor with one element.",
  details = "A Lua integer, float or boolean. A tensor with another number of elements is an error; x:tolist() takes any. On a GPU it waits " ..
    "for the result.",
}
def "Tensor:tolist" {"(Tensor self) -> table",
  doc = "The values as nested tables, or a number where there are no dimensions.",
  details = "The tables count from 1: t[1][1] is x[0][0].",
}
def "Tensor:unpack" {"(Tensor self) -> values",
  doc = "The values of tolist one by one, for Lua's functions: math.max(x:unpack()).",
  details = "A vector gives its numbers, a matrix a table for each row, as table.unpack(x:tolist()) does. A tensor without dimensions gives its number.",
}
def "torch.result_type" {"(Operand tensor, Operand other) -> dtype", doc = "The dtype that an operator of both computes in."}
def "torch.promote_types" {"(dtype type1, dtype type2) -> dtype", doc = "The smallest dtype that holds the values of both."}
def "torch.can_cast" {"(dtype from_, dtype to) -> bool", doc = "Whether values of one dtype may be cast to the other."}

def "torch.device" {
  "(type, int? index, block?) -> device",
  doc = "A device: 'cpu', 'cuda', 'cuda:1', 'meta'; with a block the default one there.",
}
def "torch.Generator" {"(device?) -> Generator", doc = "A source of random numbers of its own."}
def "Generator:manual_seed" {"(self, seed) -> Generator", doc = "Seeds the generator and returns it; a negative seed wraps around."}
def "Generator:initial_seed" {"(self) -> int", doc = "The seed that the generator was given last."}
def "Generator:seed" {"(self) -> int", doc = "Seeds the generator from the system's randomness; returns the seed."}
def "Generator:get_state" {"(self) -> Tensor", doc = "The state of the generator, a uint8 tensor, for set_state."}
def "Generator:set_state" {"(self, Tensor new_state) -> Generator", as = "set_state", doc = "Gives the generator a state that get_state returned: it then draws the same numbers again."}
def "Generator:clone_state" {"(self) -> Generator", doc = "A new generator in the same state: both draw the same numbers from here on."}
def "Generator:get_offset" {"(self) -> int", doc = "The offset of a GPU's generator: how many numbers each thread has drawn since it was seeded."}
def "Generator:set_offset" {"(self, int offset) -> Generator", doc = "Sets the offset of a GPU's generator, a multiple of 4."}

-- --- questions about a tensor --------------------------------------------------------------------------------

def "Tensor:size" {"(Tensor self, dim? dim) -> Size",
  uninitialized = true, doc = "The sizes, or that of one dimension.",
  details = "x:size() is x.shape, x:size(0) a number; dimensions count from 0, negative ones from the end.",
}
def "Tensor:stride" {"(Tensor self, dim? dim) -> table", doc = "The strides in elements, or that of one dimension."}
def "Tensor:dim" {"(Tensor self) -> int", doc = "The number of dimensions."}
def "Tensor:ndimension" {"(Tensor self) -> int", c = "torch_tensor_dim", doc = "The number of dimensions."}
def "Tensor:numel" {"(Tensor self) -> int", also = "torch", doc = "The number of elements."}
def "Tensor:nelement" {"(Tensor self) -> int", c = "torch_tensor_numel", doc = "The number of elements."}
def "Tensor:storage_offset" {"(Tensor self) -> int", doc = "Where the first element lies in its storage."}
def "Tensor:element_size" {"(Tensor self) -> int", doc = "The bytes of one element."}
def "Tensor:is_contiguous" {"(Tensor self, *, memory_format? memory_format) -> bool", doc = "Whether the elements lie row after row without gaps."}
def "Tensor:is_floating_point" {"(Tensor self) -> bool", also = "torch", uninitialized = true, doc = "Whether the dtype is a floating point type."}
def "Tensor:is_complex" {"(Tensor self) -> bool", also = "torch", uninitialized = true, doc = "Whether the dtype is a complex type."}
def "Tensor:is_signed" {"(Tensor self) -> bool", also = "torch", doc = "Whether the dtype holds negative numbers."}
def "Tensor:data_ptr" {"(Tensor self) -> int", doc = "The address of the first element."}
def "Tensor:get_device" {"(Tensor self) -> int", also = "torch", uninitialized = true, doc = "The index of the device; -1 on the CPU."}
def "Tensor:is_inference" {"(Tensor self) -> bool", also = "torch", doc = "Whether the tensor was made in inference mode."}
def "Tensor:_is_view" {"(Tensor self) -> bool", doc = "Whether the tensor is a view of another one."}
def "Tensor:is_nonzero" {"(Tensor self) -> bool", also = "torch", doc = "Whether the one element is not zero."}
def "Tensor:is_same_size" {"(Tensor self, Tensor other) -> bool", also = "torch", doc = "Whether both have the same sizes."}
def "Tensor:is_set_to" {"(Tensor self, Tensor tensor) -> bool", doc = "Whether both are the same elements of the same storage."}
def "Tensor:share_memory_" {"(Tensor self) -> Tensor", python = true, doc = "Returns self: Tocha's workers are threads, which share memory anyway."}
def "Tensor:cuda" {"(Tensor self, device?, non_blocking?, memory_format? memory_format) -> Tensor", uninitialized = true, doc = "A copy of self on a GPU (the current one, or that of an index); self where it is there already."}
def "Tensor:type" {"(Tensor self, dtype?, non_blocking?) -> Tensor", doc = "self with that dtype; without one, 'torch.FloatTensor' or the like."}

-- --- gradients ------------------------------------------------------------------------------------------------

def "Tensor:backward" {
  "(Tensor self, gradient?, retain_graph?, create_graph?, inputs?) -> nil",
  python = true,
  details = "self is 0-dimensional, as a loss is, or gradient, of self's sizes, is given. Gradients add up: call optimizer:zero_grad() before " ..
    "the next step. The graph is released, so that a second backward() is an error, unless retain_graph = true.",
  doc = "Adds the gradients of self to the grad of its leaves (or of the inputs).",
}
def "torch.autograd.backward" {
  "(tensors, grad_tensors?, retain_graph?, create_graph?, grad_variables?, inputs?) -> nil",
  doc = "Adds the gradients of the tensors to the grad of their leaves (or of the inputs).",
}
def "torch.autograd.grad" {
  "(outputs, inputs, grad_outputs?, retain_graph?, create_graph?, only_inputs?, allow_unused?, is_grads_batched?, materialize_grads?) -> Tensor[]",
  doc = "The gradients of the sum of the outputs with respect to each of the inputs; those of their leaves are left alone.",
}
def "Tensor:requires_grad_" {"(Tensor self, bool requires_grad=true) -> Tensor",
  doc = "Says whether gradients of self are wanted.",
  details = "self must be floating point. Operators on it are recorded from now on, and backward() fills self.grad. It returns self.",
}
def "Tensor:retain_grad" {"(Tensor self) -> nil", doc = "Keeps the gradient of self, which is no leaf."}
def "Tensor:detach_" {"(Tensor self) -> Tensor", also = "torch", doc = "Takes self out of the graph."}
def "Tensor:register_hook" {
  "(Tensor self, hook) -> handle",
  python = true,
  doc = "Calls hook with each gradient of self; what it returns takes the gradient's place.",
}
def "Tensor:register_post_accumulate_grad_hook" {
  "(Tensor self, hook) -> handle",
  python = true,
  doc = "Calls hook with self after its grad was added to.",
}

-- --- modules --------------------------------------------------------------------------------------------------

def "Module:parameters" {"(self, bool recurse=true) -> iterator", doc = "The parameters, one after the other."}
def "Module:named_parameters" {
  "(self, string prefix='', bool recurse=true, bool remove_duplicate=true) -> iterator",
  doc = "The parameters with their names.",
}
def "Module:buffers" {"(self, bool recurse=true) -> iterator", doc = "The buffers, one after the other."}
def "Module:named_buffers" {
  "(self, string prefix='', bool recurse=true, bool remove_duplicate=true) -> iterator",
  doc = "The buffers with their names.",
}
def "Module:children" {"(self) -> iterator", doc = "The modules that this one holds itself."}
def "Module:named_children" {"(self) -> iterator", doc = "The modules that this one holds itself, with their names."}
def "Module:modules" {"(self) -> iterator", doc = "This module and all below it."}
def "Module:named_modules" {
  "(self, string prefix='', bool remove_duplicate=true) -> iterator",
  doc = "This module and all below it, with their names.",
}
def "Module:train" {"(self, mode?) -> Module", doc = "Sets this module and all below it to training (or, mode = false, to evaluation)."}
def "Module:eval" {"(self) -> Module", doc = "Sets this module and all below it to evaluation."}
def "Module:requires_grad_" {"(self, bool requires_grad=true) -> Module", doc = "Says whether gradients of the parameters are wanted."}
def "Module:zero_grad" {"(self, bool set_to_none=true) -> nil", doc = "Removes the gradients of the parameters, or makes them zeros."}
def "Module:to" {"(self, args..., *, device? device, dtype? dtype, non_blocking?, memory_format? memory_format) -> Module",
  doc = "Moves parameters and buffers to a device, floating point ones to a dtype, those of four dimensions to a memory format.",
}
def "Module:cpu" {"(self) -> Module", doc = "Moves parameters and buffers to the CPU."}
def "Module:cuda" {"(self, device?) -> Module", doc = "Moves parameters and buffers to a GPU."}
def "Module:float" {"(self) -> Module", doc = "Casts floating point parameters and buffers to float32."}
def "Module:double" {"(self) -> Module", doc = "Casts floating point parameters and buffers to float64."}
def "Module:half" {"(self) -> Module", doc = "Casts floating point parameters and buffers to float16."}
def "Module:bfloat16" {"(self) -> Module", doc = "Casts floating point parameters and buffers to bfloat16."}
def "Module:register_buffer" {
  "(self, name, tensor?, persistent?) -> nil",
  doc = "Adds a tensor that is no parameter, but part of the state (unless persistent = false).",
}
def "Module:register_parameter" {"(self, name, param?) -> nil", doc = "Adds a parameter under a name; assigning an nn.Parameter to a field does the same."}
def "Module:add_module" {"(self, name, module?) -> nil", doc = "Adds a module under a name; assigning a module to a field does the same."}
def "Module:register_module" {"(self, name, module?) -> nil", c = "torch_module_add_module", doc = "Adds a module under a name; assigning a module to a field does the same."}
def "Module:get_submodule" {"(self, string target) -> Module", doc = "The module of a path such as 'encoder.0'."}
def "Module:set_submodule" {
  "(self, string target, module, bool strict=false) -> nil",
  doc = "Puts a module in the place of a path such as 'encoder.0'; strict: only where there is one.",
}
def "Module:to_empty" {"(self, *, device device, bool recurse=true) -> Module",
  doc = "Moves to a device without the values: parameters and buffers are uninitialized there.",
}
def "Module:get_parameter" {"(self, string target) -> Tensor", doc = "The parameter of a path such as 'encoder.0.weight'."}
def "Module:get_buffer" {"(self, string target) -> Tensor", doc = "The buffer of a path such as 'norm.running_mean'."}
def "Module:apply" {"(self, fn) -> Module", doc = "Calls fn with every module below this one, and with this one last."}
def "Module:reset_parameters" {"(self) -> nil", doc = "Initializes the parameters afresh."}
def "Module:state_dict" {
  "(self, string prefix='', bool keep_vars=false, *, destination?) -> state dict",
  doc = "Parameters and persistent buffers by name, and what get_extra_state returns.",
}
def "Module:load_state_dict" {
  "(self, table state_dict, strict?, assign?) -> table",
  doc = "Copies a state into parameters and buffers; returns the names that are missing and unexpected.",
}
def "Module:register_forward_hook" {
  "(self, hook, *, bool prepend=false, bool with_kwargs=false, bool always_call=false) -> handle",
  doc = "Calls hook(module, arguments, output) after each call (always_call: after an error, too); with_kwargs: hook(module, arguments, keywords, output).",
}
def "Module:register_forward_pre_hook" {
  "(self, hook, *, bool prepend=false, bool with_kwargs=false) -> handle",
  doc = "Calls hook(module, arguments) before each call; with_kwargs: hook(module, arguments, keywords), which may return both.",
}
def "Module:register_full_backward_hook" {
  "(self, hook, bool prepend=false) -> handle",
  doc = "Calls hook(module, grad_input, grad_output), tables, once the gradients of the inputs are known; what it returns takes their place.",
}
def "Module:register_full_backward_pre_hook" {
  "(self, hook, bool prepend=false) -> handle",
  doc = "Calls hook(module, grad_output) before the module's backward; what it returns takes its place.",
}

def "torch.nn.modules.module.register_module_forward_hook" {
  "(hook, *, bool with_kwargs=false, bool always_call=false) -> handle",
  doc = "Calls hook(module, arguments, output) after each call of any module.",
}
def "torch.nn.modules.module.register_module_forward_pre_hook" {
  "(hook) -> handle", doc = "Calls hook(module, arguments) before each call of any module.",
}
def "torch.nn.modules.module.register_module_full_backward_hook" {
  "(hook) -> handle", doc = "Calls hook(module, grad_input, grad_output) once the gradients of any module's inputs are known.",
}
def "torch.nn.modules.module.register_module_full_backward_pre_hook" {
  "(hook) -> handle", doc = "Calls hook(module, grad_output) before any module's backward.",
}
def "Module:register_state_dict_pre_hook" {
  "(self, hook) -> handle", doc = "Calls hook(module, prefix, keep_vars) before the module's state is taken.",
}
def "Module:register_state_dict_post_hook" {
  "(self, hook) -> handle", doc = "Calls hook(module, state_dict, prefix, local_metadata) after the module's state was taken.",
}
def "Module:_register_state_dict_hook" {
  "(self, hook) -> handle", doc = "As register_state_dict_post_hook; what the hook returns takes the state dict's place.",
}
def "Module:register_load_state_dict_pre_hook" {
  "(self, hook) -> handle",
  doc = "Calls hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs) before a state is loaded.",
}
def "Module:_register_load_state_dict_pre_hook" {
  "(self, hook, bool with_module=false) -> handle", doc = "As register_load_state_dict_pre_hook; without with_module the hook does not get the module.",
}
def "Module:register_load_state_dict_post_hook" {
  "(self, hook) -> handle", doc = "Calls hook(module, incompatible_keys) after a state was loaded.",
}

def "torch.nn.Parameter" {
  "(Tensor? data, requires_grad?) -> Parameter",
  constructor = "__new__",
  doc = "A tensor that is a parameter when it is assigned to a module's field.",
}
def "torch.nn.Buffer" {
  "(Tensor? data, *, bool persistent=true) -> Buffer",
  constructor = "__new__",
  doc = "A tensor that is a buffer when it is assigned to a module's field.",
}
def "torch.nn.parameter.UninitializedParameter" {
  "(bool requires_grad=true, device? device, dtype? dtype) -> Parameter",
  constructor = "__new__",
  c = "torch_nn_parameter_uninitialized_parameter",
  details = "The lazy modules have such parameters until their first batch. p:materialize(size), with {device = ..., dtype = ...} or not, makes it an " ..
    "ordinary parameter of that size; optimizers that hold it train it from then on. Until then most uses are an error.",
  doc = "A parameter whose sizes are not known yet.",
}
def "torch.nn.parameter.UninitializedBuffer" {
  "(bool requires_grad=false, device? device, dtype? dtype, bool persistent=true) -> Tensor",
  constructor = "__new__",
  c = "torch_nn_parameter_uninitialized_buffer",
  doc = "A buffer whose sizes are not known yet; b:materialize(size) gives it some.",
}
def "torch.nn.parameter.is_lazy" {"(param) -> bool", doc = "Whether param is an UninitializedParameter or an UninitializedBuffer."}
def "torch.nn.init.calculate_gain" {
  "(string nonlinearity, float? param) -> number",
  doc = "The gain of an activation, by which the xavier and kaiming initializers scale: sqrt(2) for relu, 5 / 3 for tanh.",
}
def "torch.nn.utils.clip_grad_norm_" {
  "(parameters, float max_norm, float norm_type=2, bool error_if_nonfinite=false, bool? foreach) -> Tensor",
  doc = "Scales the gradients so that the norm of all together is at most max_norm; returns the norm before.",
}
def "torch.nn.utils.clip_grads_with_norm_" {
  "(parameters, float max_norm, Tensor total_norm, bool? foreach) -> nil",
  doc = "Scales the gradients by max_norm / total_norm where that is below 1.",
}
def "torch.nn.utils.get_total_norm" {
  "(tensors, float norm_type=2, bool error_if_nonfinite=false, bool? foreach) -> Tensor",
  doc = "The norm of all tensors together.",
}
def "torch.nn.utils.clip_grad_value_" {
  "(parameters, float clip_value, bool? foreach) -> nil",
  doc = "Clamps the gradients to [-clip_value, clip_value].",
}
def "torch.nn.utils.parameters_to_vector" {"(parameters) -> Tensor", doc = "All parameters flattened into one vector."}
def "torch.nn.utils.vector_to_parameters" {"(vec, parameters) -> nil", doc = "Makes the parameters views of the parts of a vector, in their order: the reverse of parameters_to_vector."}

def "Optimizer:step" {"(self, closure?) -> value", doc = "Updates the parameters; closure computes the loss anew, and is what is returned."}
def "Optimizer:add_param_group" {"(self, table param_group) -> nil", doc = "Adds a group {params = ..., lr = ...}."}
def "Optimizer:state_dict" {"(self) -> table", doc = "The states of the parameters and the options of the groups, as a table to be saved."}
def "Optimizer:load_state_dict" {"(self, table state_dict) -> nil", doc = "Takes states and options from a table that state_dict gave."}
def "Optimizer:zero_grad" {"(self, bool set_to_none=true) -> nil", doc = "Removes the gradients of the parameters, or makes them zeros."}

-- --- mixed precision ------------------------------------------------------------------------------------------

def "torch.autocast" {
  "(device_type, dtype?, enabled?, cache_enabled?, block?) -> region",
  python = true, constructor = "__init__",
  doc = "Enters a region in which matrix products and convolutions compute in dtype (bfloat16 on the CPU, float16 on GPUs), and operators that need it in float32.",
}
def "torch.cuda.amp.autocast" {"(enabled?, dtype?, cache_enabled?, block?) -> region", constructor = "__init__", doc = "The old torch.autocast('cuda')."}
def "torch.cpu.amp.autocast" {"(enabled?, dtype?, cache_enabled?, block?) -> region", constructor = "__init__", doc = "The old torch.autocast('cpu')."}
def "torch.amp.is_autocast_available" {
  "(string device_type) -> bool",
  python = false, as = "_is_autocast_available",
  doc = "Whether PyTorch has autocast for this type of device.",
}
def "torch.amp.GradScaler" {
  "(device? device, Scalar init_scale=65536.0, Scalar growth_factor=2.0, Scalar backoff_factor=0.5, Scalar growth_interval=2000, enabled?) -> GradScaler",
  constructor = "__init__",
  doc = "Scales losses so that small gradients do not vanish in float16: scaler:scale(loss):backward(), scaler:step(optimizer), scaler:update().",
}
def "torch.cuda.amp.GradScaler" {
  "(Scalar init_scale=65536.0, Scalar growth_factor=2.0, Scalar backoff_factor=0.5, Scalar growth_interval=2000, enabled?) -> GradScaler",
  constructor = "__init__",
  doc = "The old torch.amp.GradScaler('cuda').",
}
def "torch.cpu.amp.GradScaler" {
  "(Scalar init_scale=65536.0, Scalar growth_factor=2.0, Scalar backoff_factor=0.5, Scalar growth_interval=2000, enabled?) -> GradScaler",
  constructor = "__init__",
  doc = "The old torch.amp.GradScaler('cpu').",
}
def "GradScaler:scale" {"(self, outputs) -> Tensor", doc = "A loss (or a table of them) times the scale."}
def "GradScaler:unscale_" {"(self, table optimizer) -> nil", doc = "Divides the gradients of the optimizer's parameters by the scale."}
def "GradScaler:step" {"(self, table optimizer, args..., **kwargs) -> value", doc = "The optimizer's step, left out where a gradient is not finite."}
def "GradScaler:update" {"(self, new_scale?) -> nil", doc = "Ends the iteration: the scale grows, or shrinks after a step that was left out."}
def "GradScaler:get_scale" {"(self) -> number", doc = "The scale."}
def "GradScaler:_get_growth_tracker" {"(self) -> int", doc = "Steps in a row without infinities."}
def "GradScaler:get_skipped_steps" {"(self) -> int", doc = "Steps left out so far."}
def "GradScaler:is_enabled" {"(self) -> bool", doc = "Whether the scaler does anything."}
def "GradScaler:state_dict" {"(self) -> table", doc = "Scale, factors and growth tracker."}
def "GradScaler:load_state_dict" {"(self, table state_dict) -> nil", doc = "Sets scale, factors and growth tracker."}

-- --- modes and settings -----------------------------------------------------------------------------------------

local no_parameters = "_NoParamDecoratorContextManager.__new__"   -- contexts whose only argument is a function to decorate
def "torch.no_grad" {"(orig_func?, block?) -> guard", python = true, constructor = "__init__", as = no_parameters, doc = "Nothing is recorded for gradients within the block: a function, or up to the end of the scope of `local _ <close> = torch.no_grad()`."}
def "torch.enable_grad" {"(orig_func?, block?) -> guard", python = true, constructor = "__init__", as = no_parameters, doc = "Operators are recorded for gradients within the block, also inside no_grad."}
def "torch.inference_mode" {
  "(mode?, block?) -> guard",
  python = true, constructor = "__new__",
  doc = "As no_grad, but faster: tensors made within the block may not take part in recorded computations later.",
}
def "torch.set_grad_enabled" {"(mode, block?) -> guard", python = true, constructor = "__init__", doc = "Sets whether operators are recorded for gradients, for the block or from now on."}
def "torch.is_grad_enabled" {"() -> bool", doc = "Whether operators are recorded for gradients."}
def "torch.is_inference_mode_enabled" {"() -> bool", doc = "Whether inference mode is on."}
def "torch.is_anomaly_enabled" {"() -> bool", doc = "Whether torch.autograd.detect_anomaly is on."}
def "torch.is_anomaly_check_nan_enabled" {"() -> bool", doc = "Whether a NaN in backward is an error in anomaly mode."}
def "torch.set_anomaly_enabled" {"(bool enabled, bool check_nan=true) -> nil", doc = "Switches anomaly mode, as torch.autograd.detect_anomaly, on or off."}
def "torch.autograd.detect_anomaly" {
  "(bool check_nan=true, block?) -> guard",
  constructor = "__init__",
  doc = "Within the block an error in backward names the line of the forward call, and a NaN in a gradient is an error.",
}
def "torch.autograd.set_detect_anomaly" {
  "(bool mode, bool check_nan=true) -> guard",
  constructor = "__init__",
  doc = "Switches anomaly mode, as torch.autograd.detect_anomaly, on or off.",
}
def "torch.set_default_dtype" {"(d) -> nil", python = true, doc = "Sets the dtype of new floating-point tensors, float32 at first."}
def "torch.get_default_dtype" {"() -> dtype", doc = "The dtype of new floating point tensors."}
def "torch.set_default_device" {"(device, block?) -> guard", python = true, doc = "Sets the device of new tensors, for the block or from now on."}
def "torch.get_default_device" {"() -> device", python = true, doc = "The device of new tensors."}
def "torch.manual_seed" {"(seed) -> Generator", python = true,
  doc = "Seeds the random numbers of all devices.",
  details = "The same seed gives the same numbers, PyTorch's on the CPU: of rand, dropout, initial weights, shuffled loaders. Without a seed " ..
    "they differ in every run; torch.initial_seed() is the one to repeat them with. It returns the " ..
    "CPU's generator, which the prompt shows unless the line ends in `;`.",
}
def "torch.initial_seed" {"() -> int", python = true, doc = "The seed of the default generator."}
def "torch.get_num_threads" {"() -> int", doc = "Threads that operators use."}
def "torch.set_num_threads" {"(int threads) -> nil", doc = "Sets the threads that operators use."}
def "torch.set_printoptions" {
  "(float? precision, float? threshold, float? edgeitems, float? linewidth, string? profile, bool? sci_mode) -> nil",
  python = true,
  doc = "Sets how tensors are printed: decimals, when they are shortened, to how many elements, the width of lines.",
}
def "torch.set_float32_matmul_precision" {"(string precision) -> nil", python = true, doc = "Sets how precise float32 matrix products on GPUs are: 'highest', or 'high' and 'medium', which allow TF32."}
def "torch.get_float32_matmul_precision" {"() -> string", python = true, doc = "How precise float32 matrix products on GPUs are: 'highest', 'high' or 'medium'."}

-- --- autocast's settings ------------------------------------------------------------------------------------------

def "torch.is_autocast_enabled" {"(string? device_type) -> bool", doc = "Whether autocast is on for a type of device ('cuda')."}
def "torch.set_autocast_enabled" {"(args...) -> nil", doc = "Switches autocast on or off for a type of device: (device_type, enabled), or (enabled) for 'cuda'."}
def "torch.get_autocast_dtype" {"(string device_type) -> dtype", doc = "The type autocast computes in."}
def "torch.set_autocast_dtype" {"(string device_type, dtype dtype) -> nil", doc = "Sets the type autocast computes in."}
def "torch.is_autocast_cpu_enabled" {"() -> bool", doc = "Whether autocast is on for the CPU."}
def "torch.set_autocast_cpu_enabled" {"(bool enabled) -> nil", doc = "Switches autocast for the CPU."}
def "torch.get_autocast_cpu_dtype" {"() -> dtype", doc = "The type autocast computes in on the CPU."}
def "torch.set_autocast_cpu_dtype" {"(dtype dtype) -> nil", as = "set_autocast_dtype", doc = "Sets the type autocast computes in on the CPU."}
def "torch.get_autocast_gpu_dtype" {"() -> dtype", doc = "The type autocast computes in on GPUs."}
def "torch.set_autocast_gpu_dtype" {"(dtype dtype) -> nil", as = "set_autocast_dtype", doc = "Sets the type autocast computes in on GPUs."}
def "torch.is_autocast_cache_enabled" {"() -> bool", doc = "Whether autocast keeps the cast copies of weights until its region ends."}
def "torch.set_autocast_cache_enabled" {"(bool enabled) -> nil", doc = "Sets whether autocast keeps the cast copies of weights until its region ends."}
def "torch.clear_autocast_cache" {"() -> nil", doc = "Drops the cast copies of weights that autocast keeps."}
