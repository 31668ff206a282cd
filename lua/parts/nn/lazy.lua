-- lazy.lua: modules that learn the size of their input from the first input (torch.nn.LazyLinear, ...). Until then their
-- parameters are uninitialized. The constructor of the class that they stand for then fills them, and they become modules of
-- that class.
local torch = ...
local support = torch._part "support"
local nn = torch.nn
local parameter = nn.parameter
local is_lazy = parameter.is_lazy
local lazy = {}

-- Registers uninitialized members with these names, on the device and in the dtype of the arguments a.
local function register_uninitialized(self, a, parameters, buffers)
  for _, name in ipairs(parameters) do   -- a field, because an option may have the same name
    if (name ~= "bias" or a.bias) and a.affine ~= false then self[name] = parameter.UninitializedParameter(true, a.device, a.dtype) end
  end
  for _, name in ipairs(buffers) do
    self:register_buffer(name, a.track_running_stats and parameter.UninitializedBuffer(false, a.device, a.dtype) or nil)
  end
  if #buffers > 0 then
    self:register_buffer("num_batches_tracked", a.track_running_stats and torch.tensor(0, {device = a.device}) or nil)
  end
end

-- Returns the parameters and buffers of a module itself, by name.
local function members_of(self)
  local members = {}
  for name, t in self:named_parameters{recurse = false} do members[name] = t end
  for name, t in self:named_buffers{recurse = false} do members[name] = t end
  return members
end

local read_materialize = torch._define "materialize(shape, device?, dtype?)"
--- Gives an uninitialized parameter or buffer its size: p:materialize(size). It is an ordinary one from then on.
function lazy.materialize(self, ...)
  local a = read_materialize(...)
  torch._materialize(self, torch.empty(a.shape, {device = a.device or self.device, dtype = a.dtype or self.dtype}))
end

-- Gives uninitialized members the sizes that a state has, before the state is loaded.
local function take_sizes(self, dict, prefix)
  for name, t in pairs(members_of(self)) do
    local value = dict[prefix .. name]
    if torch.is_tensor(value) and is_lazy(t) and not is_lazy(value) then
      t:materialize(value.shape)
      torch._fields(self).lazy_loaded = true
    end
  end
end

-- Makes the members as the base's constructor does, but in the module's existing tensors, because optimizers hold these. Members
-- that a state has filled stay unchanged.
local function make_members(self, base, arguments, loaded)
  local held, random = members_of(self), loaded and torch.get_rng_state()
  local ok, problem = pcall(base.init, self, arguments)
  if loaded then torch.set_rng_state(random) end
  if not ok then error(problem, 0) end
  for name, t in pairs(held) do
    if is_lazy(t) then torch._materialize(t, self[name].data) end
    self[name] = t
  end
end

-- Returns the arguments of the base's constructor by keyword: the given options, the size, and the device and dtype of the
-- members.
local function arguments_of(self, given, size_name, size)
  local out = {[size_name] = size}
  for name, value in pairs(given) do out[name] = value end
  local like = self.weight or self.running_mean
  if like ~= nil then out.device, out.dtype = like.device, like.dtype end
  return out
end

-- Defines a lazy class: "Linear" for LazyLinear. signature: of its constructor; size_name: the option that it learns;
-- size_of(self, input): returns the option's value.
local function define(base_name, signature, size_name, size_of, parameters, buffers)
  local name, base = "Lazy" .. base_name, nn[base_name]
  local class, read = base:extend(name), torch._define(name .. ".__init__(" .. signature .. ")")
  function class:init(...)
    local a = read(...)
    torch._fields(self).lazy_arguments = a
    for option, value in pairs(a) do
      if option ~= "device" and option ~= "dtype" then self[option] = value end
    end
    self[size_name] = 0
    register_uninitialized(self, a, parameters, buffers)
  end
  function class:reset_parameters()
    if not self:has_uninitialized_params() then return base.reset_parameters(self) end   -- otherwise there are no elements to draw yet
  end
  function class:has_uninitialized_params()
    for _, t in pairs(members_of(self)) do
      if is_lazy(t) then return true end
    end
    return false
  end
  function class:_load_from_state_dict(dict, prefix, ...)
    take_sizes(self, dict, prefix)
    return base._load_from_state_dict(self, dict, prefix, ...)
  end
  function class:forward(input, ...)
    local fields = torch._fields(self)
    local arguments = arguments_of(self, fields.lazy_arguments, size_name, size_of(self, input))
    local training = self.training
    make_members(self, base, arguments, fields.lazy_loaded)
    fields.lazy_arguments, fields.lazy_loaded = nil, nil
    torch._become(self, base)
    self:train(training)
    return base.forward(self, input, ...)
  end
  lazy[name] = class
end

define("Linear", "out_features, bias=true, device?, dtype?", "in_features", function(_, input) return input.shape[-1] end,
  {"weight", "bias"}, {})

-- Returns a function that returns the number of channels of (N, C, ...) or (C, ...).
local function channels_of(n)
  return function(self, input)
    if input.ndim ~= n + 1 and input.ndim ~= n + 2 then
      support.fail("RuntimeError", "Expected %dD (unbatched) or %dD (batched) input to %s, but got input of size: %s", n + 1, n + 2,
        self:_get_name(), tostring(input.shape))
    end
    return input.shape[input.ndim == n + 2 and 1 or 0]
  end
end

local windows = "out_channels, kernel_size, stride=1, padding=0, "
for n = 1, 3 do
  define(("Conv%dd"):format(n), windows .. "dilation=1, groups=1, bias=true, padding_mode='zeros', device?, dtype?", "in_channels",
    channels_of(n), {"weight", "bias"}, {})
  define(("ConvTranspose%dd"):format(n), windows .. "output_padding=0, groups=1, bias=true, dilation=1, padding_mode='zeros', device?, dtype?",
    "in_channels", channels_of(n), {"weight", "bias"}, {})
end

for _, kind in ipairs{"BatchNorm", "InstanceNorm"} do
  for n = 1, 3 do
    define(kind .. n .. "d", "eps=1e-5, momentum=0.1, affine=true, track_running_stats=true, device?, dtype?, *, bias=true",
      "num_features", function(_, input) return input.shape[kind == "InstanceNorm" and input.ndim == n + 1 and 0 or 1] end,
      {"weight", "bias"}, {"running_mean", "running_var"})
  end
end

return lazy
