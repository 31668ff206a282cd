-- cpu only: a bad index is an error at the next synchronization
-- Sampling, pooling, embedding and resampling functions of torch.nn.functional at their edges, and what they refuse.
local torch = require "torch"
local F = torch.nn.functional
local function attempt(f, ...)
  local ok, message = pcall(f, ...)
  print(ok, (tostring(message):match "^[^\n]*"))
end

-- what lies far outside
local image = torch.arange(9.0):view{1, 1, 3, 3}
local far = torch.tensor({-0.5, 0, 1e30, -1e30, -3.0, 1.5}):view{1, 3, 1, 2}
for _, padding in ipairs {"zeros", "border", "reflection"} do
  for _, mode in ipairs {"bilinear", "nearest"} do
    print(padding, mode, F.grid_sample(image, far, {mode = mode, padding_mode = padding, align_corners = true}):flatten())
  end
end
print(F.grid_sample(torch.ones(1, 0, 3, 3), torch.zeros(1, 2, 2, 2), {align_corners = false}).shape)
print(F.grid_sample(image, torch.zeros(1, 0, 2, 2), {align_corners = false}).shape)
local grid = torch.zeros(1, 2, 2, 2)
attempt(F.grid_sample, image, grid, {mode = "cubic"})
attempt(F.grid_sample, image, grid, {padding_mode = "none"})
attempt(F.grid_sample, image, torch.zeros(2, 2, 2, 2), {align_corners = false})
attempt(F.grid_sample, image, torch.zeros(1, 2, 2, 3), {align_corners = false})
attempt(F.grid_sample, image, torch.zeros(1, 2, 2, 2, 2), {align_corners = false})
attempt(F.grid_sample, torch.ones(1, 1, 0, 3), grid, {align_corners = false})
attempt(F.grid_sample, image, grid:double(), {align_corners = false})
local cube = torch.arange(27.0):sin():view{1, 1, 3, 3, 3}
print(F.grid_sample(cube, torch.arange(12.0):mul(0.7):cos():view{1, 1, 2, 2, 3}, {mode = "bicubic", align_corners = false}))

-- affine maps
local theta = torch.tensor({{{1.0, 0.0, 0.5}, {0.0, 1.0, -0.5}}})
print(F.affine_grid(theta, {1, 1, 2, 3}, {align_corners = false}))
attempt(F.affine_grid, theta, {1, 1, 2}, {align_corners = false})
attempt(F.affine_grid, theta[0], {1, 1, 2, 2}, {align_corners = false})
attempt(F.affine_grid, theta, {1, 1, 0, 2}, {align_corners = false})
attempt(F.affine_grid, theta:long(), {1, 1, 2, 2}, {align_corners = false})

-- bags
local weight = torch.arange(15.0):view{5, 3}
local indices, offsets = torch.tensor({0, 2, 4, 1, 1}), torch.tensor({0, 2, 2})
for _, mode in ipairs {"sum", "mean", "max"} do
  print(mode, F.embedding_bag(indices, weight, offsets, {mode = mode}):tolist()[1][1])
  print(F.embedding_bag(indices, weight, torch.tensor({0, 2, 4}), {mode = mode, include_last_offset = true, padding_idx = 1}))
end
attempt(F.embedding_bag, torch.tensor({0, 7}), weight, torch.tensor({0}))
attempt(F.embedding_bag, torch.tensor({-1, 0}), weight, torch.tensor({0}), {mode = "max"})
attempt(F.embedding_bag, indices, weight, torch.tensor({1, 2}))
attempt(F.embedding_bag, indices, weight, torch.tensor({0, 9}))
attempt(F.embedding_bag, indices, weight, offsets, {padding_idx = 9})
attempt(F.embedding_bag, indices, weight, offsets, {mode = "least"})
attempt(F.embedding_bag, indices, weight, offsets, {mode = "mean", per_sample_weights = torch.ones(5)})
attempt(F.embedding_bag, indices, weight, offsets, {mode = "sum", per_sample_weights = torch.ones(4)})

-- pools
local x = torch.arange(72.0):view{1, 1, 8, 9}
local samples = torch.tensor({0.3, 0.8}):view{1, 1, 2}
print(F.fractional_max_pool2d(x, 3, {4, 5}, {_random_samples = samples}))
attempt(F.fractional_max_pool2d, x, 3)
attempt(F.fractional_max_pool2d, x, 9, 4)
attempt(F.fractional_max_pool2d, x, 0, 4)
attempt(F.fractional_max_pool2d, x, 3, 4, {_random_samples = samples:double()})
attempt(F.fractional_max_pool2d, x, 3, 4, {_random_samples = torch.ones(1, 2, 2)})
attempt(F.max_pool1d, torch.ones(1, 1, 49), 8608480567731124087, {dilation = 1250999896764})
attempt(F.max_pool2d, torch.ones(1, 1, 4, 4), 8608480567731124087)
attempt(F.max_pool3d, torch.ones(0, 1, 2, 10), 1)

-- scales of each dimension
print(F.interpolate(image, {scale_factor = {2.0, 1.5}}).shape)
attempt(F.interpolate, image, {scale_factor = {2.0, 1.5, 1.0}})

-- a kernel of one element, whose gradient is one number
local volume = torch.arange(64.0):view{1, 1, 4, 4, 4}
local one = torch.ones(1, 1, 1, 1, 1):requires_grad_()
F.conv3d(volume, one):sum():backward()
print(one.grad:item())
attempt(F.group_norm, torch.ones(1, 0, 2), 1)
attempt(F.group_norm, torch.ones(1, 2, 0), 1)

-- channels last stay last
local last = torch.randn(2, 3, 8, 8):contiguous{memory_format = torch.channels_last}
local function strides(name, t) print(name, table.unpack(t:stride())) end
strides("convolution", F.conv2d(last, torch.randn(4, 3, 3, 3)))
strides("maximum", F.max_pool2d(last, 2))
strides("average", F.avg_pool2d(last, 2))
strides("adaptive", F.adaptive_max_pool2d(last, 3))
strides("batch", F.batch_norm(last, nil, nil, {training = true}))
strides("group", F.group_norm(last, 3))
strides("layer", F.layer_norm(last, {3, 8, 8}))
strides("resampled", F.interpolate(last, {scale_factor = 2, mode = "bilinear"}))
strides("padded", F.pad(last, {1, 1, 1, 1}))
strides("sampled", F.grid_sample(last, torch.zeros(2, 3, 3, 2), {align_corners = false}))
print(last:is_contiguous(), last:is_contiguous{memory_format = torch.channels_last})

-- a layer of one element is its bias
print(F.layer_norm(torch.tensor({-4.3228}), {1}, torch.tensor({-8.4783}), torch.tensor({-1.7658})))
