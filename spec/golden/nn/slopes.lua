-- cpu only: has the digits of the CPU's gradients
-- The gradients of binary cross entropies and of glu are multiplied and divided in one order, to the last bit.
local torch = require "torch"
local F = torch.nn.functional
torch.manual_seed(0)
local x, t, g = torch.randn(33, 100), torch.rand(33, 100), torch.randn({})
local logits = x:clone():requires_grad_()
F.binary_cross_entropy_with_logits(logits, t):backward(g)
print(torch.equal(logits.grad, (x:sigmoid() - t) * g / 3300))
local p = torch.rand(33, 100):requires_grad_()
F.binary_cross_entropy(p, t):backward(g)
local q = p:detach()
print(torch.equal(p.grad, (q - t) * g / ((1 - q) * q) / 3300))
local pair, grad = torch.randn(33, 100):requires_grad_(), torch.randn(33, 50)
F.glu(pair):backward(grad)
local first, gate = pair:detach()[":, :50"], pair:detach()[":, 50:"]:sigmoid()
print(torch.equal(pair.grad[":, :50"], grad * gate), torch.equal(pair.grad[":, 50:"], (1 - gate) * gate * first * grad))
