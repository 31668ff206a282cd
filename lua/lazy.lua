-- lazy.lua: modules that learn the size of their input from the first one (torch.nn.LazyLinear, ...). Until then their
-- parameters are empty; then the constructor of the class that they stand for makes them, and they are of that class.
local torch = ...
local support = torch._part "support"
local nn = torch.nn
local lazy = {}

-- Makes empty members by these names, on the device and in the dtype that was asked for.
local function register_empty(self, a, parameters, buffers)
  local function empty() return torch.empty({0}, {device = a.device, dtype = a.dtype}) end
  for _, name in ipairs(parameters) do   -- a field, for an option may be of the same name
    if (name ~= "bias" or a.bias) and a.affine ~= false then self[name] = nn.Parameter(empty()) end
  end
  for _, name in ipairs(buffers) do self:register_buffer(name, a.track_running_stats and empty() or nil) end
  if #buffers > 0 then
    self:register_buffer("num_batches_tracked", a.track_running_stats and torch.tensor(0, {device = a.device}) or nil)
  end
end

-- Before a state is loaded: what is still empty takes the sizes that the state has.
local function take_sizes(self, dict, prefix)
  local fields = torch._fields(self)
  for _, walk in ipairs {"named_parameters", "named_buffers"} do
    for name, t in self[walk](self, {recurse = false}) do
      local value = dict[prefix .. name]
      if torch.is_tensor(value) and t:numel() == 0 and t.ndim == 1 then
        t.data = t.new_empty(t, value.shape)
        fields.lazy_loaded = true
      end
    end
  end
end

-- Makes the members as the base's constructor does; those that a state filled stay.
local function make_members(self, base, arguments, loaded)
  if not loaded then return base.init(self, arguments) end
  local kept, random = {}, torch.get_rng_state()
  for name, t in self:named_parameters{recurse = false} do kept[name] = t end
  for name, t in self:named_buffers{recurse = false} do kept[name] = t end
  local ok, problem = pcall(base.init, self, arguments)
  torch.set_rng_state(random)
  if not ok then error(problem, 0) end
  for name, t in pairs(kept) do self[name] = t end
end

-- What the constructor of the base takes, by keyword: the options that were given, the size, and where the members are now.
local function arguments_of(self, given, size_name, size)
  local out = {[size_name] = size}
  for name, value in pairs(given) do out[name] = value end
  local like = self.weight or self.running_mean
  if like ~= nil then out.device, out.dtype = like.device, like.dtype end
  return out
end

-- "Linear" stands for LazyLinear. signature: of its constructor; size_name: the option it learns; size_of(self, input): its value.
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
    register_empty(self, a, parameters, buffers)
  end
  function class:reset_parameters() end   -- there is nothing to draw yet
  function class:has_uninitialized_params()
    local fields = torch._fields(self)
    return fields.lazy_arguments ~= nil and not fields.lazy_loaded
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

-- The channels of (N, C, ...) or (C, ...).
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
