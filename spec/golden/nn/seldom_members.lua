-- Members of modules that are seldom asked for.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(0)
for _, name in ipairs{"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"} do
  local norm = nn[name](2, {track_running_stats = true})
  local size = {4, 2, 3}
  for _ = 2, tonumber(name:match "%d") do size[#size + 1] = 3 end
  norm(torch.rand(size))
  print(norm.num_batches_tracked)
  norm:reset_running_stats()
  print(name, norm.running_mean, norm.running_var, norm.num_batches_tracked)
end
nn.BatchNorm1d(2, {track_running_stats = false}):reset_running_stats()
for _, name in ipairs{"RNN", "LSTM", "GRU"} do
  local layer = nn[name](2, 3, 2, {bidirectional = true})
  layer:flatten_parameters()
  print(name, layer.mode, layer.proj_size, #layer.all_weights, #layer.all_weights[1], layer.all_weights[4][2].shape)
end
print(nn.RNN(2, 3, {nonlinearity = "relu"}).mode, nn.LSTM(2, 3, {proj_size = 2}).proj_size, nn.LSTM(2, 3, {bias = false}).all_weights[1][2].shape)
for n = 1, 3 do
  print(nn["Conv" .. n .. "d"](1, 1, 2).transposed, nn["ConvTranspose" .. n .. "d"](1, 1, 2).transposed, nn["ZeroPad" .. n .. "d"](1).value)
end
print(nn.MultiheadAttention(4, 2).head_dim, nn.PairwiseDistance(3.0).norm)
local net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
print(net:type(torch.float64)[0].weight.dtype, net[1].num_batches_tracked.dtype)
print(net:share_memory()[0].weight:type())
