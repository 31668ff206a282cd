-- checkpoint_spec.lua: torch.utils.checkpoint: what PyTorch does otherwise, or cannot be asked.
local torch = require "torch"
local nn, checkpoint = torch.nn, torch.utils.checkpoint

local Counting = nn.Module:extend "Counting"
function Counting:init()
  self:register_buffer("seen", torch.zeros(1))
  self.scale = nn.Parameter(torch.ones(3))
  self.after = 0
end
function Counting:forward(x)
  self.seen:add_(x:detach():mean())
  local y = (x * self.scale):exp():sin()
  self.after = self.after + 1
  return y
end

describe("torch.utils.checkpoint", function()
  it("counts statistics once, as without it", function()
    local x = torch.ones(3, {requires_grad = true})
    local inner, plain = Counting(), Counting()
    checkpoint.checkpoint(inner, x, {use_reentrant = false}):sum():backward()
    plain(x):sum():backward()
    assert.equal(plain.seen:item(), inner.seen:item())
    assert.is_true(torch.equal(plain.scale.grad, inner.scale.grad))
    local called = Counting()
    local function f(a) return called(a) end
    checkpoint.checkpoint(f, x, {use_reentrant = true}):sum():backward()
    assert.equal(1.0, called.seen:item())
    assert.equal(1, called.after)   -- the second run ended when it had what backward needs
    checkpoint.set_checkpoint_early_stop(false, function()
      checkpoint.checkpoint(f, x, {use_reentrant = false}):sum():backward()
    end)
    assert.equal(3, called.after)
    assert.equal(2.0, called.seen:item())
  end)

  it("leaves generators and modes as they were, also after an error in the second run", function()
    local x, runs = torch.ones(3, {requires_grad = true}), 0
    local y = checkpoint.checkpoint(function(a)
      runs = runs + 1
      if runs > 1 then error "no more" end
      return (a * torch.rand(3)):exp()
    end, x, {use_reentrant = false})
    torch.manual_seed(1)
    local expected = torch.rand(2)
    torch.manual_seed(1)
    local ok, problem = pcall(function() y:sum():backward() end)
    assert.is_false(ok)
    assert.truthy(tostring(problem):find "no more")
    assert.is_true(torch.equal(expected, torch.rand(2)))
    assert.is_true(torch.is_grad_enabled())
  end)

  it("passes keywords of the function on", function()
    local x = torch.ones(3, {requires_grad = true})
    local y = checkpoint.checkpoint(function(a, options) return a * options.factor end, x, {use_reentrant = false, factor = 3})
    y:sum():backward()
    assert.same({3.0, 3.0, 3.0}, x.grad:tolist())
  end)
end)
