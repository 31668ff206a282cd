-- Pooling as modules: printed forms, indices, back again.
local torch = require "torch"
local nn = torch.nn
local x = torch.arange(32.0):reshape(1, 2, 4, 4)
for _, layer in ipairs{
  nn.MaxPool2d(2), nn.MaxPool2d(2, {stride = 1, padding = 1, dilation = 2}), nn.AvgPool2d(2), nn.AvgPool2d{3, stride = 1, padding = 1},
  nn.LPPool2d(2, 2), nn.AdaptiveAvgPool2d(1), nn.AdaptiveAvgPool2d(3), nn.AdaptiveMaxPool2d(2), nn.AvgPool2d(2, {ceil_mode = true}),
} do
  print(layer)
  print(layer(x))
end
print(nn.AvgPool1d(2), nn.MaxPool1d(2, {stride = 1}), nn.MaxPool3d(2), nn.AvgPool1d(2)(torch.arange(6.0):reshape(1, 6)))
local pool, unpool = nn.MaxPool2d(2, {stride = 2, return_indices = true}), nn.MaxUnpool2d(2, {stride = 2})
local y, indices = pool(x)
print(y, indices)
print(unpool, unpool(y, indices))
print(unpool(y, indices, {output_size = {5, 5}}).shape)
local best, where = nn.AdaptiveMaxPool2d(1, {return_indices = true})(x)
print(best, where)
print(pool.kernel_size, pool.stride, nn.MaxPool2d(3).stride)
