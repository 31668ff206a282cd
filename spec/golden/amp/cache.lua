-- cpu only: asks what autocast does on the CPU
-- A weight is cast once in a region: later writes to it are not seen before the region ends or the cache is cleared.
local torch = require "torch"
local x = torch.ones(1, 2)
local w = torch.ones(2, 1, {requires_grad = true})
local plain = torch.ones(2, 1)
local function write(value) torch.no_grad(function() w:fill_(value) end) end
do
  local _ <close> = torch.autocast "cpu"
  print(x:mm(w))
  write(2)
  print("kept", x:mm(w))
  do
    local _ <close> = torch.autocast("cpu", {enabled = false})
    print("disabled", x:mm(w))
  end
  print("inner region over", x:mm(w))
  do
    local _ <close> = torch.autocast("cpu", {cache_enabled = false})
    print("without cache", x:mm(w))
  end
  print("with it", x:mm(w))
  torch.clear_autocast_cache()
  print("cleared", x:mm(w))
  plain:fill_(3)
  print("no weight", x:mm(plain))
  print("a view", x:mm(w:view(2, 1)))
end
write(4)
do
  local _ <close> = torch.autocast "cpu"
  print("next region", x:mm(w))
  torch.no_grad(function() print(x:mm(w)) end)
end
do -- first used where nothing is recorded
  local _ <close> = torch.autocast "cpu"
  torch.no_grad(function() print(x:mm(w).requires_grad) end)
  print(x:mm(w).requires_grad)
end
do -- gradients of all uses come together in the cast weight
  local _ <close> = torch.autocast "cpu"
  local a = (x:mm(w) + x:mm(w) * 2):sum()
  a:backward()
  print(w.grad)
end
