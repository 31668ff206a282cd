-- A training session as a course reader writes it: history, best model, clipping, learning rate by hand, confusion counts.
local torch = require "torch"
local nn, optim, data, F = torch.nn, torch.optim, torch.utils.data, torch.nn.functional
torch.manual_seed(314)
local N, C = 240, 3
local labels = torch.arange(N) % C
local t = torch.rand(N) * 2 + labels:float() * 2
local X = torch.stack({t * torch.sin(t * 2), t * torch.cos(t * 2)}, {dim = -1}) + torch.randn(N, 2) * 0.1
X = (X - X:mean{dim = 0}) / X:std{dim = 0}
print(X["::60"], X:mean(0):abs():max():lt(1e-5), X:std(0))
local set = data.TensorDataset(X, labels)
local train, val = data.random_split(set, {0.75, 0.25}, {generator = torch.Generator():manual_seed(1)})
local loader = data.DataLoader(train, {batch_size = 24, shuffle = true})
local Net = nn.Module:extend "SpiralNet"
function Net:init(hidden, drop)
  self.body = nn.Sequential(nn.Linear(2, hidden), nn.Tanh(), nn.Dropout(drop), nn.Linear(hidden, hidden), nn.ReLU())
  self.head = nn.Linear(hidden, C)
  self:apply(function(m) if m:isinstance(nn.Linear) then nn.init.xavier_normal_(m.weight) nn.init.constant_(m.bias, 0.01) end end)
end
function Net:forward(x) return self.head(self.body(x)) end
local net = Net(24, 0.1) print(net)
local total = 0 for p in net:parameters() do total = total + p:numel() end print(("%d parameters"):format(total))
local opt = optim.AdamW(net:parameters(), {lr = 5e-3, weight_decay = 1e-2})
local best, best_state = math.huge, nil
for epoch = 1, 30 do
  net:train() local sum, n, right = 0, 0, 0
  for x, y in loader do
    opt:zero_grad() local out = net(x) local loss = F.cross_entropy(out, y) loss:backward()
    local norm = nn.utils.clip_grad_norm_(net:parameters(), 1.0) opt:step()
    sum = sum + loss:item() * #x n = n + #x right = right + (out:argmax(1):eq(y)):sum():item()
    if epoch == 1 and n == 24 then print(torch.format("%.4f", norm)) end
  end
  net:eval()
  local vl, va = 0, 0
  torch.no_grad(function() for x, y in data.DataLoader(val, {batch_size = 30}) do local o = net(x) vl = vl + F.cross_entropy(o, y, {reduction = "sum"}):item() va = va + o:argmax(1):eq(y):sum():item() end end)
  vl = vl / #val
  if vl < best then best, best_state = vl, {} for k, v in pairs(net:state_dict()) do best_state[k] = v:clone() end end
  if epoch == 20 then for _, group in ipairs(opt.param_groups) do group.lr = group.lr * 0.1 end end
  if epoch % 5 == 0 then print(("epoch %2d train %.4f/%.3f val %.4f/%.3f"):format(epoch, sum / n, right / n, vl, va / #val)) end
end
print(net:load_state_dict(best_state, {strict = true})) print(("best %.4f"):format(best))
local confusion = torch.zeros(C, C, {dtype = torch.int64})
torch.inference_mode(function() for x, y in data.DataLoader(val, {batch_size = 7}) do local p = net(x):softmax(1):argmax(1) for i = 0, #y - 1 do confusion[{y[i]:item(), p[i]:item()}] = confusion[{y[i]:item(), p[i]:item()}] + 1 end end end)
print(confusion, confusion:diag():sum():item() / confusion:sum():item())
