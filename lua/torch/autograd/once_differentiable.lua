-- once_differentiable.lua: torch.autograd.once_differentiable, for the backward of a torch.autograd.Function that has no
-- derivative itself: Exp.backward = torch.autograd.once_differentiable(function(ctx, grad) ... end).
local torch = ...
local support = torch._part "support"

local delayed

-- Returns the tensors through an operator whose backward is an error, because their gradients do not exist.
local function delayed_error(tensors)
  if not delayed then
    delayed = torch.autograd.Function:extend "Error"
    delayed.node_name = "Error"
    function delayed.forward(_, ...) return ... end
    function delayed.backward()
      support.fail("RuntimeError", "trying to differentiate twice a function that was marked with @once_differentiable")
    end
  end
  return delayed.apply(table.unpack(tensors, 1, tensors.n))
end

local function any_requires_grad(...)
  for i = 1, select("#", ...) do
    local value = select(i, ...)
    if torch.is_tensor(value) and value.requires_grad then return true end
  end
  return false
end

return function(backward)
  return function(ctx, ...)
    local results
    do
      local _ <close> = torch.no_grad()
      results = table.pack(backward(ctx, ...))
    end
    if not torch.is_grad_enabled() or not any_requires_grad(...) then return table.unpack(results, 1, results.n) end
    for i = 1, results.n do
      if results[i] then results[i] = results[i]:detach():requires_grad_() end
    end
    return delayed_error(results)
  end
end
