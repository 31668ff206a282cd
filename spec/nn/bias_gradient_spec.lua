-- bias_gradient_spec.lua: the gradient of a convolution's bias adds millions of elements without losing digits.
local torch = require "torch"
local F = torch.nn.functional

for _, case in ipairs {
  {"conv2d", {4, 2, 260, 260}, {3, 2, 3, 3}, 4}, {"conv3d", {2, 2, 16, 64, 64}, {3, 2, 3, 3, 3}, 4}, {"conv2d", {4, 2, 260, 260}, {3, 2, 3, 3}, 1},
} do
  local name, input, kernel, padding = table.unpack(case)
  it(("%s, padding %d"):format(name, padding), function()
    torch.manual_seed(0)
    local weight, bias = torch.randn(kernel):requires_grad_(), torch.ones(kernel[1], {requires_grad = true})
    local y = F[name](torch.randn(input), weight, bias, {padding = padding})
    local grad = 2 * y:detach() + 1
    y:backward(grad)
    local dims = {0, 2, 3, 4}
    local exact = grad:double():sum{dim = {table.unpack(dims, 1, #input - 1)}}
    assert(((bias.grad - exact) / exact):abs():max():item() < 2e-5)
  end)
end
