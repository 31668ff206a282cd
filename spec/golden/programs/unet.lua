-- A U-Net: convolutions down and up, pools, batch norm, connections across; three steps.
local torch = require "torch"
torch.set_printoptions{precision = 3, sci_mode = false}
local F = torch.nn.functional
local function show(name, t) print(name, t.dtype, t.shape, t:detach():flatten()["-8:"]) end
for _, dtype in ipairs {torch.float32, torch.float64} do
for _, auto in ipairs {false} do
if not (auto and dtype == torch.float64) then
  torch.manual_seed(0)
  local P, names = {}, {}
  local function param(name, size, scale)
    local p = (torch.randn(size) * scale):to(dtype)
    p.requires_grad = true
    P[name] = p; names[#names + 1] = name
    return p
  end
  local function block(name, cin, cout)
    param(name .. ".w1", {cout, cin, 3, 3}, 0.3); param(name .. ".w2", {cout, cout, 3, 3}, 0.2)
    param(name .. ".g", {cout}, 1.0); param(name .. ".b", {cout}, 0.1)
    local rm, rv = torch.zeros(cout):to(dtype), torch.ones(cout):to(dtype)
    return function(x)
      x = F.conv2d(x, P[name .. ".w1"], nil, {padding = 1})
      x = F.batch_norm(x, rm, rv, P[name .. ".g"], P[name .. ".b"], true, 0.1, 1e-5)
      x = F.relu(x)
      x = F.conv2d(x, P[name .. ".w2"], nil, {padding = "same"})
      return F.silu(x), rm, rv
    end
  end
  local d1, d2, mid = block("d1", 3, 8), block("d2", 8, 16), block("m", 16, 16)
  local u2, u1 = block("u2", 32, 8), block("u1", 16, 8)
  param("t2", {16, 16, 2, 2}, 0.2); param("t1", {8, 8, 2, 2}, 0.2); param("out", {2, 8, 1, 1}, 0.3); param("outb", {2}, 0.1)
  local x = torch.randn(2, 3, 16, 20):to(dtype)
  local target = torch.randint(0, 2, {2, 16, 20})
  local rms = {}
  local function net(x)
    local a, rm, rv = d1(x); rms[1], rms[2] = rm, rv
    local p = F.max_pool2d(a, 2)
    local b = d2(p)
    local q = F.avg_pool2d(b, 2)
    local m = mid(q)
    local u = F.conv_transpose2d(m, P.t2, nil, {stride = 2})
    u = u2(torch.cat({u, b}, 1))
    u = F.conv_transpose2d(u, P.t1, nil, {stride = 2})
    u = u1(torch.cat({u, a}, 1))
    return F.conv2d(u, P.out, P.outb)
  end
  for step = 1, 3 do
    local y, loss
    if auto then
      torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, function()
        y = net(x); loss = F.cross_entropy(y, target)
      end)
    else
      y = net(x); loss = F.cross_entropy(y, target)
    end
    for _, n in ipairs(names) do P[n].grad = nil end
    loss:backward()
    print(step, y.dtype, loss.dtype, torch.format("%.3f", loss))
    if step == 1 then for _, n in ipairs(names) do if not n:find "w1" then show(n, P[n].grad) end end end
    show("y", y)
    torch.no_grad(function() for _, n in ipairs(names) do P[n]:sub_(P[n].grad * 0.05) end end)
  end
  show("rm", rms[1]) show("rv", rms[2])
end end end
