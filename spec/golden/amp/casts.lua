-- cpu only: asks what autocast does on the CPU
-- What the casts are recorded as, which calls are not cast, and the types of gradients.
local torch = require "torch"
local nn = torch.nn
local F = nn.functional
torch.manual_seed(0)
local x = torch.randn(4, 8)
local net = nn.Linear(8, 3)
local target = torch.tensor{0, 1, 2, 0}
local loss
do
  local _ <close> = torch.autocast "cpu"
  local out = net(x)
  print(out.dtype, out.requires_grad)
  loss = F.cross_entropy(out, target)
  print(loss.dtype)
  print((x.T:matmul(x)).dtype, torch.softmax(out, 1).dtype, (out + x["0:4, 0:3"]).dtype, out:relu().dtype)
  print(torch.cat({out, x}, 1).dtype, torch.cat({out, out}, 1).dtype, torch.stack{out, x["0:4, 0:3"]}.dtype)
  print(F.mse_loss(out, out:detach()).dtype, F.binary_cross_entropy(out:sigmoid(), out:detach():sigmoid()).dtype)
  print(out:prod().dtype, out:prod{dtype = torch.bfloat16}.dtype, out:prod{dtype = torch.float64}.dtype, out:sum().dtype)
  -- not cast: in place, out=, float64, integers
  local sum = torch.zeros(4, 4)
  sum:addmm_(x, x.T)
  print(sum.dtype, (sum:bfloat16():float() - sum):abs():max() > 0)
  local into = torch.zeros(4, 4)
  torch.mm(x, x.T, {out = into})
  print(into.dtype, (into:bfloat16():float() - into):abs():max() > 0)
  torch.matmul(x, x.T, {out = into})
  print(into.dtype, (into:bfloat16():float() - into):abs():max() > 0)
  print(x:double():mm(x.T:double()).dtype, torch.ones(2, 2, {dtype = torch.int64}):mm(torch.ones(2, 2, {dtype = torch.int64})).dtype)
  local w = torch.ones(8, 2, {requires_grad = true})
  print(x:mm(w).grad_fn ~= nil, x:mm(w).dtype)
end
loss:backward()
print(loss:item(), net.weight.grad.dtype, net.bias.grad.dtype, net.weight.grad)
-- in a disabled region inside, the types are the operands' own
do
  local _ <close> = torch.autocast "cpu"
  local half = x:mm(x.T)
  do
    local _ <close> = torch.autocast("cpu", {enabled = false})
    print(half.dtype, pcall(function() return half:mm(x) end) == false, half:float():mm(x).dtype)
  end
  print(half:mm(x).dtype)
end
