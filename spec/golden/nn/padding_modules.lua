-- Padding, upsampling, shuffling and embedding as modules.
local torch = require "torch"
local nn = torch.nn
local x = torch.arange(9.0):reshape(1, 1, 3, 3)
for _, pad in ipairs{nn.ZeroPad2d(1), nn.ConstantPad2d({1, 0, 2, 0}, 3.5), nn.ReflectionPad2d(1), nn.ReplicationPad2d{1, 2, 0, 1}, nn.CircularPad2d(1)} do
  print(pad, pad(x))
end
print(nn.ConstantPad1d(1, 7), nn.CircularPad1d(1)(torch.arange(3.0):reshape(1, 3)))
print(nn.Upsample{scale_factor = 2}, nn.Upsample{size = 4, mode = "bilinear"}, nn.Upsample{scale_factor = 2, mode = "nearest"}(x))
print(nn.UpsamplingNearest2d{scale_factor = 2}, nn.UpsamplingBilinear2d{size = 4}(x), nn.UpsamplingBilinear2d{scale_factor = 2})
print(nn.PixelShuffle(2), nn.PixelShuffle(2)(torch.arange(8.0):reshape(1, 4, 1, 2)), nn.PixelUnshuffle(2), nn.ChannelShuffle(2))
print(nn.ChannelShuffle(2)(torch.arange(4.0):reshape(1, 4, 1, 1)))
torch.manual_seed(2)
local e = nn.Embedding(4, 3, {padding_idx = -1, max_norm = 1.0})
print(e, e.weight, e(torch.tensor{{0, 3}}), e.padding_idx, e.weight)
local bag = nn.EmbeddingBag(4, 2, {mode = "sum"})
print(bag, bag(torch.tensor{0, 1, 2, 3}, torch.tensor{0, 2}):detach(), bag(torch.tensor{{0, 1}}, {per_sample_weights = torch.tensor{{0.5, 2.0}}}):detach())
print(nn.Embedding.from_pretrained(torch.ones(2, 3)).weight.requires_grad, nn.EmbeddingBag.from_pretrained(torch.ones(2, 3), {freeze = false}))
