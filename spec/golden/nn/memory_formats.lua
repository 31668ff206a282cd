-- Where the elements of images and weights lie.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
local function strides(name, t) print(name, table.concat(t:stride(), " ")) end
torch.manual_seed(0)
local net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ConvTranspose2d(8, 4, 2), nn.Conv2d(4, 2, 1))
net[0].weight.grad = torch.zeros_like(net[0].weight)
net:to{memory_format = torch.channels_last}
strides("weight", net[0].weight)
strides("transposed", net[2].weight)
strides("bias", net[0].bias)
local x = torch.randn(2, 3, 6, 6)
local out = net(x)
strides("out", out)
out:sum():backward()
for i = 0, 3, 2 do strides("grad", net[i].weight.grad) end
net:to(torch.float64, {memory_format = torch.contiguous_format})
strides("rows", net[0].weight)
print(net[0].weight.dtype)
x = x:contiguous{memory_format = torch.channels_last}
strides("reflect", F.pad(x, {1, 1, 1, 1}, "reflect"))
strides("replicate", F.pad(x, {1, 1, 1, 1}, "replicate"))
strides("circular", F.pad(x, {1, 1, 1, 1}, "circular"))
strides("constant", F.pad(x, {1, 1, 1, 1}))
strides("roll", x:roll(1, 2))
strides("channels", F.channel_shuffle(x, 3))
local wide = torch.randn(2, 8, 4, 4):contiguous{memory_format = torch.channels_last}:requires_grad_()
strides("pixels", F.pixel_shuffle(wide, 2))
strides("back", F.pixel_unshuffle(wide, 2))
F.pixel_shuffle(wide, 2):pow(2):sum():backward()
print(wide.grad:eq(wide * 2):all():item())
