-- cpu only: asks what autocast does on the CPU
-- digits: what 16 bits do to programs: autocast, and tensors of bfloat16 and float16.
local torch = require "torch"
torch.set_printoptions{precision = 4, sci_mode = false}
local F = torch.nn.functional
local function show(name, t) print(name, t.dtype, t.shape, t:detach():flatten()["-8:"]) end
-- losses under autocast
do
  torch.manual_seed(1)
  local a, w = torch.randn(8, 10), torch.randn(10, 10):requires_grad_()
  torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function()
    local z = F.linear(a, w)
    local l1 = F.triplet_margin_loss(z, z:roll(1, 0), z:roll(2, 0))
    local l2 = F.ctc_loss(F.linear(torch.ones(12, 2, 10), w):log_softmax(-1), torch.tensor{{1, 2, 3}, {2, 2, 4}}, torch.tensor{12, 10}, torch.tensor{3, 3})
    local l3 = F.cosine_embedding_loss(z, a, torch.ones(8))
    print(l1.dtype, l2.dtype, l3.dtype)
    show("l1", l1) show("l2", l2) show("l3", l3);
    (l1 + l2 + l3):backward() show("w", w.grad)
  end)
end
-- attention in a layer
do
  torch.manual_seed(5)
  local x = torch.randn(3, 10, 24)
  local w, ow = (torch.randn(72, 24) * 0.2):requires_grad_(), (torch.randn(24, 24) * 0.2):requires_grad_()
  torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function()
    local qkv = F.linear(x, w):view(3, 10, 3, 4, 6):permute(2, 0, 3, 1, 4)
    local o = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], {is_causal = true})
    print(o.dtype)
    o = F.linear(o:transpose(1, 2):reshape(3, 10, 24), ow)
    o = F.layer_norm(o + x, {24})
    print(o.dtype)
    o:pow(3):mean():backward()
    show("o", o) show("w", w.grad) show("ow", ow.grad)
  end)
end
-- gradients of one's own
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
for _, dtype in ipairs {torch.bfloat16, torch.float16} do
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
do
  torch.manual_seed(0)
  local x, w = torch.randn(6, 8), torch.randn(4, 8):requires_grad_()
  torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function()
    local h = F.linear(x, w)
    local q = Rev.apply(STE.apply(h, 4), 2.0)
    print(h.dtype, q.dtype)
    q:float():pow(2):mean():backward() show("w", w.grad)
  end)
end
-- a packed LSTM under autocast keeps its cells in float32
do
  torch.manual_seed(3)
  local w = {torch.randn(24, 5) * 0.3, torch.randn(24, 6) * 0.3, torch.randn(24) * 0.3, torch.randn(24) * 0.3}
  local data, sizes = torch._pack_padded_sequence(torch.randn(3, 4, 5), torch.tensor{4, 3, 1}, true)
  local h, c = torch.randn(1, 3, 6), torch.randn(1, 3, 6)
  torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function()
    local out, hy, cy = torch.lstm(data, sizes, {h, c}, w, true, 1, 0.0, true, false)
    show("out", out) show("hy", hy) show("cy", cy)
  end)
end
-- attention and its gradients
for _, dtype in ipairs {torch.bfloat16, torch.float16} do
  torch.manual_seed(4)
  local q, k, v = torch.randn(1, 2, 6, 8):to(dtype), torch.randn(1, 2, 7, 8):to(dtype), torch.randn(1, 2, 7, 8):to(dtype)
  for _, t in ipairs {q, k, v} do t.requires_grad = true end
  local o = F.scaled_dot_product_attention(q, k, v)
  o:backward(torch.randn(1, 2, 6, 8):to(dtype))
  show("o", o) show("q", q.grad) show("k", k.grad) show("v", v.grad)
end
-- reductions by index, and losses, are rounded on the way
for _, dtype in ipairs {torch.bfloat16, torch.float16} do
  torch.manual_seed(5)
  local t, v, i = torch.randn(5, 3):to(dtype), torch.randn(6, 3):to(dtype), torch.tensor{0, 1, 1, 4, 0, 0}
  for _, include in ipairs {true, false} do
    for _, how in ipairs {"prod", "mean", "amax"} do show(how, t:index_reduce(0, i, v, how, {include_self = include})) end
    show("scattered", t:scatter_reduce(0, i:unsqueeze(1):expand(6, 3), v, "mean", {include_self = include}))
  end
  for _, n in ipairs {5, 17, 100, 257} do
    local x, target, w = torch.randn(n, 4):to(dtype):requires_grad_(), torch.randint(0, 4, {n}), torch.rand(4):to(dtype)
    local l = F.cross_entropy(x, target, w)
    l:backward()
    show("loss", l) show("grad", x.grad) show("sum", F.nll_loss(x, target, {reduction = "sum"}))
  end
end
-- sequences of one length are oneDNN's, whose cells are of 16 bits
do
  torch.manual_seed(6)
  local w = {torch.randn(16, 3), torch.randn(16, 4), torch.randn(16), torch.randn(16)}
  for _, sizes in ipairs {{2, 2}, {2, 1}} do
    torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function()
      local data = torch.randn(sizes[1] + sizes[2], 3)
      local out, _, cy = torch.lstm(data, torch.tensor(sizes), {torch.randn(1, 2, 4), torch.randn(1, 2, 4)}, w, true, 1, 0.0, true, false)
      print(out.dtype, cy.dtype)
    end)
  end
end
