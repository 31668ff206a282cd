-- cpu only: asks what autocast does on the CPU
-- torch.utils.checkpoint: gradients, calls, random numbers, autocast, errors.
local torch = require "torch"
local nn = torch.nn
local c = torch.utils.checkpoint
torch.manual_seed(3)
local net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 8), nn.Sigmoid(), nn.Linear(8, 2))
local x = torch.randn(5, 4)
local function report(loss)
  net:zero_grad()
  loss:backward()
  print(torch.format("%.6f", loss), net[0].weight.grad[0], net[5].bias.grad)
end
torch.manual_seed(7)
report((net(x) ^ 2):sum())
torch.manual_seed(7)
report((c.checkpoint(net, x, {use_reentrant = false}) ^ 2):sum())
torch.manual_seed(7)
report((c.checkpoint_sequential(net, 3, x, {use_reentrant = false}) ^ 2):sum())
torch.manual_seed(7)
report((c.checkpoint(net, x, {use_reentrant = false, preserve_rng_state = false}) ^ 2):sum())

local calls = 0
local w = torch.tensor({1.0, 2.0, 3.0}, {requires_grad = true})
local function f(a, b)
  calls = calls + 1
  local y = a:sin() * b
  return y:exp()
end
local out = c.checkpoint(f, w, w * 2, {use_reentrant = false, early_stop = false})
print(calls, out)
out:sum():backward()
print(calls, w.grad)
w.grad = nil
calls = 0
local twice = c.checkpoint(f, w, torch.ones(3), {use_reentrant = false, early_stop = false})
twice:sum():backward{retain_graph = true}
print(calls, w.grad)
twice:sum():backward()
print(calls, w.grad)
w.grad = nil
do
  local outer = c.checkpoint(function(a)
    local inner = c.checkpoint(function(b) return (b * b):cos() end, a:sin(), {use_reentrant = false, early_stop = false})
    return inner:exp()
  end, w, {use_reentrant = false, early_stop = false})
  outer:sum():backward()
  print(w.grad)
end
torch.no_grad(function() print(c.checkpoint(f, w, w, {use_reentrant = false, early_stop = false})) end)
w.grad = nil
local half
torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function()
  half = c.checkpoint(function(a)
    local y = torch.mm(a:reshape(1, 3), torch.ones(3, 3))
    print(y.dtype)
    return y:float():sin()
  end, w, {use_reentrant = false, early_stop = false})
end)
half:sum():backward()
print(w.grad)
local odd = 0
local wrong = c.checkpoint(function(a)
  odd = odd + 1
  if odd > 1 then return a:sin() end
  return a:sin():exp():cos()
end, w, {use_reentrant = false, early_stop = false})
local ok, problem = pcall(function() wrong:sum():backward() end)
for line in (tostring(problem) .. "\n"):gmatch "([^\n]*)\n" do
  if line:find "^torch.utils" or line:find "^Number" then print(line) end
end
local shapes = 0
local changed = c.checkpoint(function(a)
  shapes = shapes + 1
  if shapes > 1 then a = a:repeat_interleave(2) end
  return a:exp()
end, w, {use_reentrant = false, early_stop = false})
ok, problem = pcall(function() changed:sum():backward() end)
for line in (tostring(problem) .. "\n"):gmatch "([^\n]*)\n" do
  if line:find "metadata" or line:find "^tensor" then print(line) end
end
