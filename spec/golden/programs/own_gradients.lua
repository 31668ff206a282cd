-- Straight-through estimators and gradient reversal in a small network.
local torch = require "torch"
torch.set_printoptions{precision = 3, sci_mode = false}
local F = torch.nn.functional
local function show(name, t) print(name, t.dtype, t.shape, t:detach():flatten()["-8:"]) end
local STE = torch.autograd.Function:extend "STE"
function STE.forward(ctx, x, levels)
  ctx:save_for_backward(x)
  return (x * levels):round() / levels
end
function STE.backward(ctx, g)
  local x = ctx.saved_tensors[1]
  return g * x:abs():le(1):to(g.dtype), nil
end
local Rev = torch.autograd.Function:extend "Rev"
function Rev.forward(ctx, x, lambda) ctx.lambda = lambda return x:view_as(x) end
function Rev.backward(ctx, g) return g:neg() * ctx.lambda, nil end
local Sign = torch.autograd.Function:extend "Sign"
function Sign.forward(_, x) return x:sign() end
function Sign.backward(_, g) return F.hardtanh(g) end
for _, dtype in ipairs {torch.float32, torch.float64} do
  torch.manual_seed(0)
  local x = torch.randn(16, 8):to(dtype)
  local w1, w2, w3 = (torch.randn(12, 8) * 0.4):to(dtype):requires_grad_(), (torch.randn(3, 12) * 0.4):to(dtype):requires_grad_(), (torch.randn(2, 12) * 0.4):to(dtype):requires_grad_()
  local y, dom = torch.randint(0, 3, {16}), torch.randint(0, 2, {16})
  for step = 1, 5 do
    local h = torch.tanh(F.linear(x, STE.apply(w1, 4)))
    local l1 = F.cross_entropy(F.linear(h, w2), y)
    local l2 = F.cross_entropy(F.linear(Rev.apply(h, 0.5), w3), dom)
    local l = l1 + l2 + Sign.apply(w2):sum() * 0.01
    for _, w in ipairs {w1, w2, w3} do w.grad = nil end
    l:backward()
    print(step, torch.format("%.3f", l1), torch.format("%.3f", l2))
    torch.no_grad(function() for _, w in ipairs {w1, w2, w3} do w:sub_(w.grad * 0.1) end end)
  end
  show("w1", w1) show("w1g", w1.grad) show("w3g", w3.grad)
end
