-- A spatial transformer: pooled features say where to look; all modes of sampling.
local torch = require "torch"
torch.set_printoptions{precision = 3, sci_mode = false}
local F = torch.nn.functional
local function show(name, t) print(name, t.dtype, t.shape, t:detach():flatten()["-8:"]) end
for _, dtype in ipairs {torch.float32, torch.float64} do
for _, mode in ipairs {"bilinear", "nearest", "bicubic"} do
for _, pm in ipairs {"zeros", "border", "reflection"} do
for _, ac in ipairs {true, false} do
  torch.manual_seed(1)
  local img = torch.randn(2, 3, 12, 14):to(dtype); img.requires_grad = true
  local w = (torch.randn(6, 3 * 4 * 4) * 0.05):to(dtype); w.requires_grad = true
  local b = torch.tensor{1.0, 0.1, 0.2, -0.1, 0.9, 0.05}:to(dtype); b.requires_grad = true
  local loc = F.adaptive_avg_pool2d(F.relu(img), {4, 4}):flatten(1)
  local theta = F.linear(loc, w, b):view(-1, 2, 3)
  local grid = F.affine_grid(theta, {2, 3, 9, 10}, {align_corners = ac})
  local out = F.grid_sample(img, grid, {mode = mode, padding_mode = pm, align_corners = ac})
  local loss = (out:pow(2):mean() + F.smooth_l1_loss(out, torch.ones_like(out)))
  loss:backward()
  print(mode, pm, ac, torch.format("%.3f", loss))
  show("out", out) show("img", img.grad) show("w", w.grad) show("b", b.grad)
end end end
  -- 3d
  torch.manual_seed(2)
  local vol = torch.randn(1, 2, 5, 6, 7):to(dtype); vol.requires_grad = true
  local theta = (torch.eye(3, 4):unsqueeze(0) + torch.randn(1, 3, 4) * 0.1):to(dtype); theta.requires_grad = true
  local g = F.affine_grid(theta, {1, 2, 4, 5, 6}, {align_corners = false})
  local o = F.grid_sample(vol, g, {padding_mode = "border", align_corners = false})
  o:sin():sum():backward()
  show("o3", o) show("v3", vol.grad) show("t3", theta.grad)
end

