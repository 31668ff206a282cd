-- Tensors made in inference mode and detached outside it; gradients that are copied, drawn numbers that are not.
local torch = require "torch"
local F = torch.nn.functional
local function try(f)
  local ok, err = pcall(f)
  print(ok and "no error" or (tostring(err):match "[^\n]*"))
end
local i = torch.inference_mode(function() return torch.ones(2) * 2 end)
local d = i:detach()
print(i:is_inference(), d:is_inference())
try(function() d:add_(1) end)
try(function() i:add_(1) end)
try(function() i[0]:add_(1) end)
print(i, d)
try(function() d:detach():add_(1) end)
try(function() i:detach():detach():add_(1) end)
try(function() d:requires_grad_() end)
local inside = torch.inference_mode(function() return i:detach() end)
try(function() inside:add_(1) end)
try(function() print((d * torch.ones(2, {requires_grad = true})).grad_fn) end)

-- with create_graph the gradient is a copy, not a part of a greater tensor
local a = torch.full({3, 4, 3}, 0.5, {dtype = torch.float64, requires_grad = true})
for _, create_graph in ipairs {true, false} do
  local b = a:diff(2, -3, torch.zeros({3, 4, 3}, {dtype = torch.float64}))
  b:backward(torch.full({4, 4, 3}, 2.048, {dtype = torch.float64}), {create_graph = create_graph})
  print(a.grad:storage_offset(), a.grad:is_contiguous(), a.grad.sum and a.grad:sum())
  a.grad = nil
end

local x = torch.arange(0.0, 3.0, {requires_grad = true})
print(torch.autograd.grad(x:frexp():pow(2):sum(), x, {create_graph = true}))

-- what is refused draws nothing
for _, refused in ipairs {
  function() F.rrelu_(x, {training = true}) end, function() F.rrelu(x, {training = true, inplace = true}) end,
  function() F.dropout(x, {inplace = true}) end, function() x:uniform_() end, function() x:bernoulli_() end,
} do
  torch.manual_seed(0)
  try(refused)
  print(torch.rand(2))
end
