-- Convolutions as modules: printed form, first parameters for a seed, padding by words and modes, the size of a transposed one.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(3)
local layers = {
  nn.Conv1d(2, 4, 3, {padding = 1, padding_mode = "circular"}),
  nn.Conv2d(2, 4, 3, {padding = "same", dilation = 2}),
  nn.Conv2d(2, 4, {3, 5}, {stride = 2, padding = {1, 2}, groups = 2, bias = false}),
  nn.Conv2d(2, 2, 3, {padding = "same", padding_mode = "reflect"}),
  nn.Conv3d(1, 2, 2, {padding = "valid"}),
  nn.ConvTranspose1d(2, 3, 3, {stride = 2, output_padding = 1}),
  nn.ConvTranspose2d(2, 4, 3, {groups = 2, dilation = 2}),
}
local shapes = {{1, 2, 5}, {1, 2, 7, 7}, {1, 2, 9, 9}, {2, 5, 5}, {1, 1, 3, 3, 3}, {1, 2, 4}, {1, 2, 4, 4}}
for i, layer in ipairs(layers) do
  print(layer)
  for name, p in layer:named_parameters() do print(name, p.shape, p:sum()) end
  local out = layer(torch.ones(shapes[i]))
  print(out.shape, out:sum())
end
local up = nn.ConvTranspose2d(1, 1, 3, {stride = 2})
print(up(torch.ones(1, 1, 4, 4), {output_size = {10, 10}}).shape)
print(up(torch.ones(1, 1, 4, 4)).shape)
local function try(f, ...)
  local ok, e = pcall(f, ...)
  print(ok, (tostring(e):match "^[^\n]*"))
end
try(nn.Conv2d, 3, 4, 3, {groups = 2})
try(nn.Conv2d, 3, 4, 3, {padding = "same", stride = 2})
try(nn.Conv2d, 3, 4, 3, {groups = 0})
try(nn.ConvTranspose2d, 3, 4, 3, {padding_mode = "reflect"})
print(nn.Unfold(2)(torch.arange(9.0):reshape(1, 1, 3, 3)))
print(nn.Fold(3, 2)(torch.ones(1, 4, 4)), nn.Fold(3, 2))
