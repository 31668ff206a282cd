-- nn/utils/fusion.lua: torch.nn.utils.fusion: combines a layer and the batch norm after it, for evaluation.
local torch = ...
local support = torch._part "support"
local nn = torch.nn
local fusion = {}

local function check(layer, bn)
  if layer.training or bn.training then support.fail("AssertionError", "Fusion only for eval!") end
end

-- Returns the factor of each channel, shaped to multiply a weight along one dimension.
local function along(t, dim, ndim)
  local sizes = {}
  for d = 1, ndim do sizes[d] = 1 end
  sizes[dim + 1] = -1
  return t:reshape(sizes)
end

local function fused(weight, bias, bn, dim)
  local scale = torch.rsqrt(bn.running_var + bn.eps)
  if bn.weight ~= nil then scale = bn.weight * scale end
  local shift = bias ~= nil and bias - bn.running_mean or -bn.running_mean
  local out = shift * scale
  if bn.bias ~= nil then out = out + bn.bias end
  local function parameter(t, like) return nn.Parameter(t:detach():to(weight.dtype), like == nil or like.requires_grad) end
  return parameter(weight * along(scale, dim, weight.ndim), weight), parameter(out, bias)
end

fusion.fuse_conv_bn_eval = torch._define("fuse_conv_bn_eval(conv, bn, transpose=false)", function(conv, bn, transpose)
  check(conv, bn)
  local out = torch.deepcopy(conv)
  local weight, bias = fused(out.weight, out.bias, bn, transpose and 1 or 0)
  out.weight, out.bias = weight, bias
  return out
end)

fusion.fuse_linear_bn_eval = torch._define("fuse_linear_bn_eval(linear, bn)", function(linear, bn)
  check(linear, bn)
  if linear.out_features ~= bn.num_features and bn.num_features ~= 1 then
    support.fail("AssertionError", "To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
  end
  local out = torch.deepcopy(linear)
  local weight, bias = fused(out.weight, out.bias, bn, 0)
  out.weight, out.bias = weight, bias
  return out
end)

return torch._namespace(fusion, "torch.nn.utils.fusion")
