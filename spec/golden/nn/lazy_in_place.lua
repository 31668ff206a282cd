-- Lazy modules fill the parameters that they had: an optimizer made before the first batch trains them.
local torch = require "torch"
local nn, optim = torch.nn, torch.optim
local kinds = {
  function() return nn.LazyLinear(3), {4, 2} end,
  function() return nn.LazyLinear(3, {bias = false}), {4, 2} end,
  function() return nn.LazyConv1d(3, 2), {2, 2, 4} end,
  function() return nn.LazyConv2d(3, 2), {2, 2, 4, 4} end,
  function() return nn.LazyConv3d(3, 2), {2, 2, 3, 3, 3} end,
  function() return nn.LazyConvTranspose1d(3, 2), {2, 2, 4} end,
  function() return nn.LazyConvTranspose2d(3, 2), {2, 2, 4, 4} end,
  function() return nn.LazyConvTranspose3d(3, 2), {2, 2, 3, 3, 3} end,
  function() return nn.LazyBatchNorm1d(), {4, 2} end,
  function() return nn.LazyBatchNorm2d(), {2, 2, 4, 4} end,
  function() return nn.LazyBatchNorm3d(), {2, 2, 3, 3, 3} end,
  function() return nn.LazyInstanceNorm1d{affine = true}, {2, 2, 4} end,
  function() return nn.LazyInstanceNorm2d{affine = true, track_running_stats = true}, {2, 2, 4, 4} end,
  function() return nn.LazyInstanceNorm3d{affine = true}, {2, 2, 3, 3, 3} end,
}
for _, make in ipairs(kinds) do
  torch.manual_seed(0)
  local layer, size = make()
  local net = nn.Sequential(layer, nn.Tanh())
  local held, names = {}, {}
  print(net)
  for name, p in net:named_parameters() do
    held[#held + 1], names[#names + 1] = p, name
    print(name, p, p.dtype, p.requires_grad, nn.parameter.is_lazy(p))
  end
  for name, b in net:named_buffers() do print(name, b) end
  local opt = optim.SGD(net:parameters(), {lr = 0.5, momentum = 0.9})
  opt:step()
  opt:zero_grad()
  print(layer:has_uninitialized_params())
  if #held > 1 then held[#held].requires_grad = false end
  net(torch.rand(size)):sum():backward()
  local before = {}
  for i, p in ipairs(held) do before[i] = p:detach():clone() end
  opt:step()
  local i = 0
  for name, p in net:named_parameters() do
    i = i + 1
    print(name, p.shape, p.requires_grad, p == held[i], p.grad ~= nil, (p - before[i]):abs():sum():item() > 0, nn.parameter.is_lazy(p))
  end
  for name, b in net:named_buffers() do print(name, b.shape) end
  opt:zero_grad()
  for _, p in ipairs(held) do print(p.grad) end
  print(net)
end

-- every optimizer that PyTorch lets be made before
for _, name in ipairs{"SGD", "Adam", "AdamW", "RMSprop", "Rprop", "ASGD", "Adadelta", "Adamax", "NAdam", "RAdam", "Adafactor"} do
  local layer = nn.LazyLinear(3)
  local opt, weight = optim[name](layer:parameters()), layer.weight
  opt:step()
  layer(torch.ones(2, 2)):sum():backward()
  local before = weight:detach():clone()
  opt:step()
  print(name, (weight - before):abs():sum():item() > 0)
end

-- in the dtype that was asked for before
local layer = nn.LazyLinear(2):double()
local held = layer.weight
print(layer.weight, layer.weight.dtype)
print(layer(torch.ones(1, 3, {dtype = torch.float64})).dtype, layer.weight == held)
