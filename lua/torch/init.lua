-- init.lua: runs when torch is loaded, and stays small. Every other part is in a file of its own, whose path is its name
-- (torch/utils/data/init.lua) and which is loaded when that name is first read.
local torch = ...

function torch._define(signature, f) return torch._part "define"(signature, f) end
--- Returns the likely meaning of an uncaught error of Lua, for the interpreter.
function torch._hint(message, text) return torch._part "hints".hint(message, text) end
function torch._doctor() return torch._part "doctor" end

-- --- functions of a line in Lua ------------------------------------------------------------------------

function torch.get_rng_state() return torch.default_generator:get_state() end
function torch.set_rng_state(new_state) torch.default_generator:set_state(new_state) end
function torch.seed()
  local seed = torch.default_generator:seed()
  torch._seed_devices(seed)
  return seed
end
function torch.from_numpy(array) return torch.numpy.to_tensor(array) end
torch.pi, torch.e, torch.inf = math.pi, math.exp(1), math.huge
torch.nan = 0 / 0
if tostring(torch.nan):find("-", 1, true) then torch.nan = -torch.nan end   -- 0 / 0 has a sign on some processors
torch.newaxis = "None"   -- as a subscript names it
for _, name in ipairs{"contiguous_format", "preserve_format", "channels_last", "channels_last_3d"} do torch[name] = "torch." .. name end
for _, name in ipairs{"strided", "sparse_coo"} do   -- the second exists to be refused
  torch[name] = setmetatable({}, {__tostring = function() return "torch." .. name end})
end
function torch.Tensor.numpy(tensor, ...)
  if type((...)) == "number" then torch._raise("TypeError", "numpy() takes 0 positional arguments but 1 was given") end
  return torch.numpy.of_tensor(tensor, ...)
end

function torch.unique(...) return torch._part "tensor.unique".unique(...) end
function torch.Tensor.unique(...) return torch._part "tensor.unique".unique_of(...) end
function torch.unique_consecutive(...) return torch._part "tensor.unique".consecutive(...) end
function torch.Tensor.unique_consecutive(...) return torch._part "tensor.unique".consecutive_of(...) end

function torch.svd_lowrank(...) return torch._part "tensor.lowrank".svd(...) end
function torch.pca_lowrank(...) return torch._part "tensor.lowrank".pca(...) end
function torch.lu(...) return torch._part "tensor.lowrank".lu(...) end
function torch.Tensor.lu(...) return torch._part "tensor.lowrank".lu_of(...) end

-- Loads the parts of contractions at the first call that needs them.
function torch.tensordot(...) return torch._part "tensor.contract".tensordot(...) end
torch._einsum = torch.einsum
function torch.einsum(equation, ...)
  if torch.is_tensor(equation) then return torch._part "tensor.contract".einsum_of_lists(equation, ...) end
  return torch._einsum(equation, ...)
end

-- Loads the part of linear_cross_entropy with options, which computes a few rows at a time, at the first such call.
local functional, Loss = torch.nn.functional, torch.nn.LinearCrossEntropyLoss
local all_rows, init, forward, extra_repr = functional.linear_cross_entropy, Loss.init, Loss.forward, Loss.extra_repr
local function options_of(...)
  local last = select("#", ...) > 0 and select(-1, ...)
  return type(last) == "table" and not getmetatable(last) and last.options
end
function functional.linear_cross_entropy(...)
  if options_of(...) then return torch._part "nn.chunked_loss".linear_cross_entropy(all_rows, ...) end
  return all_rows(...)
end
function torch.nn.LinearCrossEntropyOptions(...) return torch._part "nn.chunked_loss".Options(...) end
function Loss:init(...)
  local given = options_of(...)
  if not given then return init(self, ...) end
  torch._part "nn.chunked_loss".init(init, self, given, ...)
end
function Loss:forward(...)
  if self.options then return torch._part "nn.chunked_loss".forward(all_rows, self, ...) end
  return forward(self, ...)
end
function Loss:extra_repr() return (extra_repr(self):gsub("options=None$", "options=" .. (self.options and tostring(self.options) or "None"))) end

--- Returns a copy of a tensor, a module or a table with all its members, like Python's copy.deepcopy.
function torch.deepcopy(value) return torch._part "deepcopy"(value) end
function torch.nn.Module.deepcopy(module) return torch.deepcopy(module) end
function torch.nn.Module.type(module, ...) return torch._part "nn.module.surgery".type(module, ...) end
function torch.nn.Module.share_memory(module) return torch._part "nn.module.surgery".share_memory(module) end

function torch.nn.Embedding.from_pretrained(...) return torch._part "nn.pretrained".Embedding(...) end
function torch.nn.EmbeddingBag.from_pretrained(...) return torch._part "nn.pretrained".EmbeddingBag(...) end

function torch.gradient(...) return torch._part "tensor.numeric".gradient(...) end
function torch.histogram(...) return torch._part "tensor.numeric".histogram(...) end
function torch.Tensor.histogram(...) return torch._part "tensor.numeric".histogram_of_tensor(...) end
--- Replaces each element by a function's result for it; on the CPU.
function torch.Tensor.apply_(...) return torch._part "tensor.apply".apply_(...) end
--- Replaces each element by a function's result for it and other's element in its place; on the CPU.
function torch.Tensor.map_(...) return torch._part "tensor.apply".map_(...) end
--- Replaces each element by a function's result for it and x's and y's elements in its place; on the CPU.
function torch.Tensor.map2_(...) return torch._part "tensor.apply".map2_(...) end
function torch.histogramdd(...) return torch._part "tensor.numeric".histogramdd(...) end
function torch.vander(...) return torch._part "tensor.numeric".vander(...) end
function torch.imag(...) return torch._part "tensor.numeric".imag(...) end
function torch.unravel_index(...) return torch._part "tensor.numeric".unravel_index(...) end
function torch.broadcast_shapes(...) return torch._part "tensor.numeric".broadcast_shapes(...) end

-- Returns the old constructor of a dtype. torch.Tensor(2, 3) returns uninitialized float32 of these sizes; torch.Tensor{1, 2}
-- these numbers as float32. torch.LongTensor and the like do the same in their dtypes.
local function constructor(dtype)
  return function(_, first, ...)
    if type(first) == "number" then return torch.empty({first, ...}, {dtype = dtype}) end
    if first == nil then return torch.empty({0}, {dtype = dtype}) end
    return torch.tensor(first, {dtype = dtype})
  end
end
setmetatable(torch.Tensor, {__call = constructor(torch.float32)})
for name, dtype in pairs{FloatTensor = torch.float32, DoubleTensor = torch.float64, LongTensor = torch.int64, IntTensor = torch.int32,
    ShortTensor = torch.int16, CharTensor = torch.int8, ByteTensor = torch.uint8, BoolTensor = torch.bool, HalfTensor = torch.float16} do
  torch[name] = setmetatable({dtype = dtype}, {__call = constructor(dtype), __tostring = function() return "<class 'torch." .. name .. "'>" end})
end

for _, name in ipairs{"no_grad", "enable_grad", "inference_mode", "set_grad_enabled"} do torch.autograd[name] = torch[name] end
--- torch.compile(model, options) returns the model itself, because it compiles nothing; torch.compile{options} is the decorator.
function torch.compile(model)
  if type(model) ~= "table" or getmetatable(model) then return model end
  return function(f) return f end
end

--- torch.autograd.Variable(data) returns the tensor: the two are the same since PyTorch 0.4.
function torch.autograd.Variable(data, requires_grad)
  if type(requires_grad) == "table" then requires_grad = requires_grad.requires_grad end
  return requires_grad and data:detach():requires_grad_() or data
end
