-- cpu only: asks what autocast does on the CPU
-- Programs in bfloat16 under autocast on the CPU: a U-Net, a spatial transformer, attention by its formula and by the operator, a
-- bidirectional LSTM over sequences of several lengths, ridge regression, PCA, contrastive losses. Three digits are printed.
local torch = require "torch"
torch.set_printoptions{precision = 2, sci_mode = false}
local F, nn = torch.nn.functional, torch.nn
local function show(name, t) print(name, t.dtype, t.shape, t:detach():float():flatten()["-6:"]) end
local function lower(f) return torch.autocast({device_type = "cpu", dtype = torch.bfloat16}, f) end
-- U-Net
do
  torch.manual_seed(0)
  local function block(cin, cout)
    return nn.Sequential(nn.Conv2d(cin, cout, 3, {padding = 1}), nn.BatchNorm2d(cout), nn.ReLU(), nn.Conv2d(cout, cout, 3, {padding = 1}), nn.ReLU())
  end
  local UNet = nn.Module:extend "UNet"
  function UNet:init()
    self.down = block(3, 8)
    self.middle = block(8, 16)
    self.up = nn.ConvTranspose2d(16, 8, 2, {stride = 2})
    self.back = block(16, 8)
    self.out = nn.Conv2d(8, 2, 1)
  end
  function UNet:forward(x)
    local a = self.down(x)
    local m = self.middle(F.max_pool2d(a, 2))
    return self.out(self.back(torch.cat({self.up(m), a}, 1)))
  end
  local net = UNet()
  local x, target = torch.randn(2, 3, 16, 16), torch.randint(0, 2, {2, 16, 16})
  local optimizer = torch.optim.SGD(net:parameters(), {lr = 0.05})
  for step = 1, 3 do
    local y, loss
    lower(function()
      y = net(x)
      loss = F.cross_entropy(y, target)
    end)
    optimizer:zero_grad()
    loss:backward()
    optimizer:step()
    print("unet", step, y.dtype, loss.dtype, torch.format("%.2f", loss))
  end
end
-- spatial transformer
do
  torch.manual_seed(1)
  local img = torch.randn(2, 3, 12, 14)
  local w = (torch.randn(6, 48) * 0.05):requires_grad_()
  local b = torch.tensor({1.0, 0.1, 0.2, -0.1, 0.9, 0.05}, {requires_grad = true})
  lower(function()
    local theta = F.linear(F.adaptive_avg_pool2d(F.relu(img), {4, 4}):flatten(1), w, b):view(-1, 2, 3)
    local grid = F.affine_grid(theta, {2, 3, 9, 10}, {align_corners = false})
    local out = F.grid_sample(img, grid:float(), {align_corners = false})
    local loss = F.smooth_l1_loss(out, torch.ones_like(out))
    loss:backward()
    print("transformer", theta.dtype, grid.dtype, out.dtype, loss.dtype, torch.format("%.2f", loss))
    show("b", b.grad)
  end)
end
-- attention: its formula beside the operator
do
  torch.manual_seed(2)
  local x = torch.randn(2, 7, 16)
  local w = (torch.randn(48, 16) * 0.2):requires_grad_()
  lower(function()
    local qkv = F.linear(x, w):view(2, 7, 3, 4, 4):permute(2, 0, 3, 1, 4)
    local q, k, v = qkv[0], qkv[1], qkv[2]
    local scores = q:matmul(k:transpose(-2, -1)) / math.sqrt(4)
    local o = scores:softmax(-1):matmul(v)
    local fused = F.scaled_dot_product_attention(q, k, v)
    print("attention", scores.dtype, o.dtype, fused.dtype, (o:float() - fused:float()):abs():max():item() < 0.02)
    show("o", o) show("fused", fused)
    fused:float():pow(2):mean():backward()
    show("w", w.grad)
  end)
end
-- bidirectional LSTM
do
  torch.manual_seed(3)
  local lstm = nn.LSTM(5, 6, {bidirectional = true, batch_first = true})
  local head = nn.Linear(12, 3)
  local x, lengths = torch.randn(3, 5, 5), torch.tensor {5, 3, 2}
  local y = torch.tensor {0, 2, 1}
  lower(function()
    local data, sizes = torch._pack_padded_sequence(x, lengths, true)
    local zeros = torch.zeros(2, 3, 6)
    local weights = {}
    for _, side in ipairs {"l0", "l0_reverse"} do
      for _, name in ipairs {"weight_ih_", "weight_hh_", "bias_ih_", "bias_hh_"} do weights[#weights + 1] = lstm[name .. side] end
    end
    local out, state = torch.lstm(data, sizes, {zeros, zeros}, weights, true, 1, 0.0, true, true)
    local padded = torch._pad_packed_sequence(out, sizes, true, 0.0, 5)
    local last = torch.cat({state[0], state[1]}, 1)
    local loss = F.cross_entropy(head(last), y)
    loss:backward()
    print("lstm", padded.dtype, last.dtype, loss.dtype, torch.format("%.2f", loss))
    show("padded", padded)
  end)
  show("head", head.weight.grad)
end
-- ridge regression and PCA: what is solved is in float32
do
  torch.manual_seed(4)
  local X = torch.randn(30, 4)
  local y = X:matmul(torch.tensor {1.0, -2.0, 0.5, 3.0}:unsqueeze(1)) + 0.1 * torch.randn(30, 1)
  lower(function()
    local gram = X.mT:matmul(X) + 0.5 * torch.eye(4)
    local w = torch.linalg.solve(gram, X.mT:matmul(y):float())
    print("ridge", X.mT:matmul(X).dtype, gram.dtype, w.dtype)
    show("w", w)
    local centred = X - X:mean(0)
    local S = torch.linalg.svdvals(centred)
    show("S", S)
    local cov = centred.mT:matmul(centred) / 29
    print("pca", cov.dtype, (torch.linalg.eigvalsh(cov:float()):flip(0) - S ^ 2 / 29):abs():max():item() < 0.02)
  end)
end
-- triplet and contrastive losses, CTC
do
  torch.manual_seed(5)
  local encoder = nn.Sequential(nn.Linear(10, 16), nn.Tanh(), nn.Linear(16, 8))
  local a, b = torch.randn(6, 10), torch.randn(6, 10)
  lower(function()
    local za, zb = F.normalize(encoder(a), {dim = 1}), F.normalize(encoder(b), {dim = 1})
    local logits = za:matmul(zb.mT) / 0.5
    local contrastive = F.cross_entropy(logits, torch.arange(6))
    local triplet = F.triplet_margin_loss(za, zb, zb:roll(1, 0))
    local loss = contrastive + triplet
    loss:backward()
    print("contrastive", za.dtype, logits.dtype, contrastive.dtype, triplet.dtype, torch.format("%.2f", loss))
  end)
  show("encoder", encoder[0].weight.grad)
  lower(function()
    local logits = encoder(torch.randn(12, 2, 10))
    local loss = F.ctc_loss(logits:log_softmax(-1), torch.tensor {{1, 2, 3}, {2, 2, 4}}, torch.tensor {12, 10}, torch.tensor {3, 3})
    print("ctc", logits.dtype, loss.dtype, torch.format("%.2f", loss))
  end)
end
