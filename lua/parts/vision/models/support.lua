-- vision/models/support.lua: the building blocks of torchvision's networks. Names, and the order in which modules are created,
-- are torchvision's, so that its checkpoints load and a seed gives its weights.
local torch = ...
local nn = torch.nn
local support = torch._part "support"
local blocks = {}

-- --- modules -----------------------------------------------------------------------------------------------

local Conv2dNormActivation = nn.Sequential:extend "Conv2dNormActivation"

--- Returns a convolution, its norm (by default BatchNorm2d) and activation (by default ReLU); false: none. o: kernel_size,
-- stride, padding, groups, dilation, norm, activation, bias.
function blocks.conv_norm(inputs, outputs, o)
  local kernel, dilation = o.kernel_size or 3, o.dilation or 1
  local norm, activation = o.norm, o.activation
  if norm == nil then norm = nn.BatchNorm2d end
  if activation == nil then activation = nn.ReLU end
  local bias = o.bias
  if bias == nil then bias = not norm end
  local layers = {nn.Conv2d(inputs, outputs, {kernel_size = kernel, stride = o.stride or 1, padding = o.padding or (kernel - 1) // 2 * dilation,
    groups = o.groups or 1, dilation = dilation, bias = bias})}
  if norm then layers[#layers + 1] = norm(outputs) end
  if activation then layers[#layers + 1] = activation{inplace = true} end
  return Conv2dNormActivation(table.unpack(layers))
end

local SqueezeExcitation = nn.Module:extend "SqueezeExcitation"
blocks.SqueezeExcitation = SqueezeExcitation
function SqueezeExcitation:init(inputs, squeezed, activation, scale_activation)
  self.avgpool = nn.AdaptiveAvgPool2d(1)
  self.fc1 = nn.Conv2d(inputs, squeezed, 1)
  self.fc2 = nn.Conv2d(squeezed, inputs, 1)
  self.activation = activation
  self.scale_activation = scale_activation
end
function SqueezeExcitation:forward(x)
  return self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(x))))) * x
end

local StochasticDepth = nn.Module:extend "StochasticDepth"
blocks.StochasticDepth = StochasticDepth
function StochasticDepth:init(p, mode)
  self.p = p
  self.mode = mode
end
function StochasticDepth:forward(x)
  if not self.training or self.p == 0 then return x end
  local keep, sizes = 1.0 - self.p, {}
  for d = 1, x:dim() do sizes[d] = d == 1 and self.mode == "row" and x:size(0) or 1 end
  local noise = torch.empty(sizes, {dtype = x.dtype, device = x.device}):bernoulli_(keep)
  if keep > 0 then noise:div_(keep) end
  return x * noise
end
function StochasticDepth:extra_repr() return ("p=%s, mode=%s"):format(support.python(self.p), self.mode) end

local Permute = nn.Module:extend "Permute"
blocks.Permute = Permute
function Permute:init(dims) self.dims = dims end
function Permute:forward(x) return x:permute(table.unpack(self.dims)) end

--- Returns the nearest multiple of a divisor that is not smaller than 0.9 v.
function blocks.divisible(v, divisor)
  local new = math.max(divisor, (v + divisor / 2) // divisor * divisor)
  if new < 0.9 * v then new = new + divisor end
  return math.tointeger(new // 1)
end

-- --- initialization ---------------------------------------------------------------------------------------------

local function zeros(t) if t ~= nil then nn.init.zeros_(t) end end

--- Initializes the weights as torchvision does in networks with batch norms. linear(module), if given, initializes each Linear.
function blocks.initialize(model, nonlinearity, linear)
  for m in model:modules() do
    if m:isinstance(nn.Conv2d) then
      nn.init.kaiming_normal_(m.weight, {mode = "fan_out", nonlinearity = nonlinearity})
      zeros(m.bias)
    elseif m:isinstance(nn.BatchNorm2d) or m:isinstance(nn.GroupNorm) then
      nn.init.ones_(m.weight)
      nn.init.zeros_(m.bias)
    elseif linear and m:isinstance(nn.Linear) then
      linear(m)
      zeros(m.bias)
    end
  end
end
function blocks.small_linear(m) nn.init.normal_(m.weight, 0, 0.01) end

-- --- makers --------------------------------------------------------------------------------------------------------

--- Returns a function such as torchvision.models.resnet18. It takes keywords, of which `weights` must be absent.
function blocks.maker(name, make)
  return function(options)
    options = options or {}
    if type(options) ~= "table" or options[1] ~= nil then
      torch._raise("TypeError", name .. "() takes keywords only", name .. "{num_classes = 10}")
    end
    local o = {}
    for key, value in pairs(options) do o[key] = value end
    if o.weights ~= nil or o.pretrained then
      torch._raise("ValueError", name .. "(): weights are not downloaded here",
        "model:load_state_dict(torch.load(path)) loads torchvision's file")
    end
    o.weights, o.progress, o.pretrained = nil, nil, nil
    return make(o)
  end
end

--- Returns a keyword's value and removes it from the table. Keywords that remain at the end are unknown.
function blocks.take(o, key, default)
  local value = o[key]
  o[key] = nil
  if value == nil then return default end
  return value
end
function blocks.done(o, class)
  local key = next(o)
  if key ~= nil then support.fail("TypeError", "%s.__init__() got an unexpected keyword argument '%s'", class, tostring(key)) end
end

return blocks
