-- Messages that spell a name in a way of their own.
local torch = require "torch"
local nn = torch.nn
local function try(name, f)
  local ok, answer = pcall(f)
  print(name, ok, ok and "" or (tostring(answer):match "^[^\n]*"))
end
try("Embedding", function() return nn.Embedding(3, 2, {padding_idx = 5}) end)
try("EmbeddingBag", function() return nn.EmbeddingBag(3, 2, {padding_idx = 5}) end)
try("from_pretrained", function() return nn.Embedding.from_pretrained(torch.ones(3, 2), {padding_idx = 5}) end)
for n = 1, 3 do
  local size, kernel = {1, 2}, {2, 3}
  for _ = 1, n do size[#size + 1], kernel[#kernel + 1] = 3, 2 end
  try("output_padding", function() return nn["ConvTranspose" .. n .. "d"](2, 3, 2, {output_padding = 3})(torch.ones(size)) end)
  try("output_padding", function()
    return nn.functional["conv_transpose" .. n .. "d"](torch.ones(size), torch.ones(kernel), {stride = 2, output_padding = 2})
  end)
end
