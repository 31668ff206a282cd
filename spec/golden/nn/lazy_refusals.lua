-- cpu only: prints get_device(), and moves to the CPU
-- An uninitialized parameter refuses nearly everything; the messages name functions as Python does, some by their address.
local torch = require "torch"
local nn = torch.nn
local layer = nn.LazyLinear(3)
local w = layer.weight
local function try(name, f)
  local ok, answer = pcall(f)
  local text = tostring(answer):match "^[^\n]*"
  if not ok and text:find "Attempted" then text = text:gsub("parameter in .-%. This", "parameter in ... This") end
  print(name, ok, text)
end
local function words(name, f)   -- where the function is named the same in both
  local _, answer = pcall(f)
  print(name, (tostring(answer):match "^[^\n]*"))
end
for _, name in ipairs{"numel", "dim", "detach", "requires_grad_", "clone", "tolist", "item", "sum", "zero_", "is_contiguous",
  "stride", "abs", "t", "data_ptr", "element_size", "bfloat16", "retain_grad", "new_tensor"} do
  words(name, function() return w[name](w, name == "new_tensor" and 1 or nil) end)
end
words("view", function() return w:view(-1) end)
words("add", function() return w + 1 end)
words("add", function() return 1 + w end)
words("mul", function() return w * 2 end)
words("neg", function() return -w end)
words("matmul", function() return w:matmul(w) end)
words("lt", function() return w:lt(1) end)
words("[0]", function() return w[0] end)
words("[0] =", function() w[0] = 1 end)
words("shape", function() return w.shape end)
words("share_memory_", function() return w:share_memory_() end)
words("requires_grad_", function() layer:requires_grad_(false) end)
words("vector_to_parameters", function() nn.utils.vector_to_parameters(torch.ones(3), layer:parameters()) end)
words("parameters_to_vector", function() return nn.utils.parameters_to_vector(layer:parameters()) end)
words("Parameter", function() return nn.Parameter(w) end)
for _, name in ipairs{"ones_", "zeros_", "uniform_", "normal_", "xavier_uniform_", "kaiming_uniform_", "orthogonal_", "eye_", "trunc_normal_"} do
  try(name, function() return nn.init[name](w) end)
end
try("register_hook", function() return w:register_hook(function(g) return g end) end)
try("backward", function() return w:backward() end)
try("torch.add", function() return torch.add(w, 1) end)
try("torch.cat", function() return torch.cat{w, torch.ones(1)} end)
try("torch.stack", function() return torch.stack{w, w} end)
try("torch.numel", function() return torch.numel(w) end)
try("ones_like", function() return torch.ones_like(w) end)
try("linear", function() return nn.functional.linear(torch.ones(2, 2), w) end)
try("relu", function() return nn.functional.relu(w) end)
try("1 - w", function() return 1 - w end)
try("copy_", function() return torch.ones(2):copy_(w) end)
try("copy_", function() return w:copy_(torch.ones(2)) end)
print(w:size(), w.ndim, w.dtype, w.device, w.requires_grad, w.grad, w.data, w.is_leaf, w.grad_fn, w:get_device(), w:is_floating_point(), w:is_complex())
print(w:float(), w:cpu(), w:to(torch.float32), w:to("cpu"))
print(w:double().dtype, w:to(torch.float16).dtype)
print(nn.utils.clip_grad_norm_(layer:parameters(), 1))
layer:zero_grad()
print(layer:state_dict())
print(torch.is_tensor(w), nn.parameter.is_lazy(w), nn.parameter.is_lazy(torch.ones(2)), nn.parameter.is_lazy(3))

-- states
try("into an initialized one", function() nn.Linear(2, 3):load_state_dict(layer:state_dict()) end)
local other = nn.LazyLinear(3)
local held = other.weight
print(other:load_state_dict(layer:state_dict()))
print(other:load_state_dict(nn.Linear(2, 3):state_dict()))
print(other, other.weight.shape, other:has_uninitialized_params(), other.weight == held)
print(other(torch.ones(1, 2)).shape, other, other.weight == held)

-- parameters of one's own
local u = nn.parameter.UninitializedParameter{requires_grad = false, dtype = torch.float64}
print(u, u.requires_grad, u.dtype)
u:materialize{2, 3}
print(u.shape, u.requires_grad, u.dtype, nn.parameter.is_lazy(u))
try("materialize", function() u:materialize{2, 3} end)
try("materialize", function() torch.ones(2):materialize{2, 3} end)
local b = nn.parameter.UninitializedBuffer()
print(b, b.requires_grad)
b:materialize({2}, {dtype = torch.int64})
print(b.shape, b.dtype, b.requires_grad)
