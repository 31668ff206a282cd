-- layers.lua: the layers of torchvision.ops.
local torch = ...
local support, define = torch._part "support", torch._define
local nn = torch.nn
local blocks = torch._part "vision.models.support"
local layers = {}

local Frozen = nn.Module:extend "FrozenBatchNorm2d"
Frozen.init = define("FrozenBatchNorm2d.__init__(self, int num_features, float eps=1e-5)", function(self, n, eps)
  self.eps = eps
  self:register_buffer("weight", torch.ones(n))
  self:register_buffer("bias", torch.zeros(n))
  self:register_buffer("running_mean", torch.zeros(n))
  self:register_buffer("running_var", torch.ones(n))
end)
function Frozen:_load_from_state_dict(state, prefix, ...)
  state[prefix .. "num_batches_tracked"] = nil   -- of a BatchNorm2d
  return nn.Module._load_from_state_dict(self, state, prefix, ...)
end
function Frozen:forward(x)
  local scale = self.weight * (self.running_var + self.eps):rsqrt()
  local shift = self.bias - self.running_mean * scale
  return x * scale:reshape(1, -1, 1, 1) + shift:reshape(1, -1, 1, 1)
end
function Frozen:extra_repr() return ("%d, eps=%s"):format(self.weight:size(0), support.python(self.eps)) end

local MLP = nn.Sequential:extend "MLP"
MLP.init = define("MLP.__init__(self, int in_channels, hidden_channels, norm_layer?, activation_layer?, inplace?, bool bias=true, float dropout=0)",
  function(self, inputs, hidden, norm, activation, inplace, bias, dropout)
    local parts, in_place = {}, inplace ~= nil and {inplace = inplace} or nil
    for i, width in ipairs(hidden) do
      parts[#parts + 1] = nn.Linear(inputs, width, {bias = bias})
      if i < #hidden then
        if norm then parts[#parts + 1] = norm(width) end
        parts[#parts + 1] = (activation or nn.ReLU)(in_place)
      end
      parts[#parts + 1] = nn.Dropout(dropout, in_place)
      inputs = width
    end
    nn.Sequential.init(self, table.unpack(parts))
  end)

function layers.add(ops)
  ops.FrozenBatchNorm2d, ops.MLP = Frozen, MLP
  ops.StochasticDepth, ops.Permute = blocks.StochasticDepth, blocks.Permute
  ops.stochastic_depth = define("stochastic_depth(Tensor input, float p, string mode, bool training=true)", function(input, p, mode, training)
    if p < 0 or p > 1 then support.fail("ValueError", "drop probability has to be between 0 and 1, but got %s", support.python(p)) end
    if mode ~= "batch" and mode ~= "row" then support.fail("ValueError", "mode has to be either 'batch' or 'row', but got %s", mode) end
    return blocks.StochasticDepth(p, mode):train(training)(input)
  end)
end

return layers
