-- A batch of none through every module: the shapes that come out, and the gradients; or what is said of it.
-- ../../nn/empty_spec.lua sees to it that every module of torch.nn is here.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(0)

local function real(...) return torch.rand({...}):requires_grad_() end
local function labels(...) return torch.zeros({...}, {dtype = torch.int64}) end
local function signs(...) return torch.ones{...} end

local function number(x) return x ~= x and "nan" or tostring(x) end

local function show(value)
  if torch.is_tensor(value) then return tostring(value.shape) .. (value.ndim == 0 and " " .. number(value:item()) or "") end
  if type(value) ~= "table" then return tostring(value) end
  local parts = {}
  for i = 1, #value do parts[i] = show(value[i]) end
  return "(" .. table.concat(parts, ", ") .. ")"
end

-- The first differentiable tensor among results, which may be tables.
local function differentiable(value)
  if torch.is_tensor(value) then return value.requires_grad and value or nil end
  if type(value) ~= "table" then return nil end
  for i = 1, #value do
    local found = differentiable(value[i])
    if found then return found end
  end
end

local function first_line(problem) return (tostring(problem):match "^[^\n]*") end

local function try(name, module, ...)
  local inputs = {...}
  local done, problem = pcall(function()
    local results = {module(table.unpack(inputs))}
    local line = {name, show(results)}
    local out = differentiable(results)
    if out then
      out:sum():backward()
      for _, x in ipairs(inputs) do
        if torch.is_tensor(x) and x.requires_grad then line[#line + 1] = "input " .. (x.grad and show(x.grad) or "none") end
      end
      for key, p in module:named_parameters() do
        line[#line + 1] = key .. " " .. (p.grad and show(p.grad) .. " " .. tostring(p.grad:abs():sum():item()) or "none")
      end
    end
    print(table.concat(line, "  "))
  end)
  if not done then print(name, first_line(problem)) end
end

for _, name in ipairs{"CELU", "ELU", "GELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU", "LogSigmoid", "Mish",
  "PReLU", "RReLU", "ReLU", "ReLU6", "SELU", "SiLU", "Sigmoid", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink", "Identity",
  "Dropout", "AlphaDropout", "FeatureAlphaDropout", "Flatten"} do
  try(name, nn[name](), real(0, 3))
end
try("Threshold", nn.Threshold(0.1, 20), real(0, 3))
try("GLU", nn.GLU(), real(0, 4))
try("Softmax", nn.Softmax(1), real(0, 3))
try("Softmax over the batch", nn.Softmax(0), real(0, 3))
try("LogSoftmax", nn.LogSoftmax(1), real(0, 3))
try("Softmin", nn.Softmin(1), real(0, 3))
try("Softmax2d", nn.Softmax2d(), real(0, 3, 2, 2))
try("Dropout1d", nn.Dropout1d(), real(0, 3, 2))
try("Dropout2d", nn.Dropout2d(), real(0, 3, 2, 2))
try("Dropout3d", nn.Dropout3d(), real(0, 3, 2, 2, 2))
try("Unflatten", nn.Unflatten(1, {2, 2}), real(0, 4))
try("Linear", nn.Linear(3, 2), real(0, 3))
try("Bilinear", nn.Bilinear(3, 2, 4), real(0, 3), real(0, 2))
try("Embedding", nn.Embedding(5, 2), labels(0, 3))
try("EmbeddingBag", nn.EmbeddingBag(5, 2), labels(0, 3))
try("EmbeddingBag max", nn.EmbeddingBag(5, 2, {mode = "max"}), labels(0, 3))
try("EmbeddingBag sum", nn.EmbeddingBag(5, 2, {mode = "sum"}), labels(0), labels(0))
try("Sequential", nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1)), real(0, 3))

local sizes = {{0, 2, 4}, {0, 2, 4, 4}, {0, 2, 4, 4, 4}}
for n = 1, 3 do
  local function windowed(name, module) try(name .. n .. "d", module, real(table.unpack(sizes[n]))) end
  windowed("Conv", nn["Conv" .. n .. "d"](2, 3, 2))
  windowed("Conv groups ", nn["Conv" .. n .. "d"](2, 4, 2, {groups = 2, padding = 1, bias = false}))
  windowed("Conv circular ", nn["Conv" .. n .. "d"](2, 4, 3, {padding = 1, padding_mode = "circular"}))
  windowed("ConvTranspose", nn["ConvTranspose" .. n .. "d"](2, 3, 2))
  windowed("AvgPool", nn["AvgPool" .. n .. "d"](2))
  windowed("MaxPool", nn["MaxPool" .. n .. "d"](2))
  windowed("MaxPool indices ", nn["MaxPool" .. n .. "d"](2, {return_indices = true}))
  windowed("LPPool", nn["LPPool" .. n .. "d"](2, 2))
  windowed("AdaptiveAvgPool", nn["AdaptiveAvgPool" .. n .. "d"](2))
  windowed("AdaptiveMaxPool", nn["AdaptiveMaxPool" .. n .. "d"](2))
  windowed("BatchNorm", nn["BatchNorm" .. n .. "d"](2))
  windowed("BatchNorm eval ", nn["BatchNorm" .. n .. "d"](2):eval())
  windowed("ZeroPad", nn["ZeroPad" .. n .. "d"](1))
  windowed("ConstantPad", nn["ConstantPad" .. n .. "d"](1, 2.5))
  windowed("CircularPad", nn["CircularPad" .. n .. "d"](1))
  windowed("ReflectionPad", nn["ReflectionPad" .. n .. "d"](1))
  windowed("ReplicationPad", nn["ReplicationPad" .. n .. "d"](1))
  local size = sizes[n]
  local halved = {0, 2}
  for _ = 1, n do halved[#halved + 1] = 2 end
  try("MaxUnpool" .. n .. "d", nn["MaxUnpool" .. n .. "d"](2), real(table.unpack(halved)), labels(table.unpack(halved)))
  try("GroupNorm of " .. n, nn.GroupNorm(2, 2), real(table.unpack(size)))
  try("Upsample of " .. n, nn.Upsample{scale_factor = 2}, real(table.unpack(size)))
  try("LocalResponseNorm of " .. n, nn.LocalResponseNorm(2), real(table.unpack(size)))
  try("LazyConv" .. n .. "d", nn["LazyConv" .. n .. "d"](3, 2), real(table.unpack(size)))
  try("LazyConvTranspose" .. n .. "d", nn["LazyConvTranspose" .. n .. "d"](3, 2), real(table.unpack(size)))
  try("LazyBatchNorm" .. n .. "d", nn["LazyBatchNorm" .. n .. "d"](), real(table.unpack(size)))
end
try("LazyLinear", nn.LazyLinear(2), real(0, 3))
try("SyncBatchNorm", nn.SyncBatchNorm(2), real(0, 2, 4))
try("FractionalMaxPool2d", nn.FractionalMaxPool2d(2, {output_size = {2, 2}}), real(0, 2, 4, 4))
try("FractionalMaxPool3d", nn.FractionalMaxPool3d(2, {output_size = {2, 2, 2}}), real(0, 2, 4, 4, 4))
try("UpsamplingNearest2d", nn.UpsamplingNearest2d{scale_factor = 2}, real(0, 2, 4, 4))
try("UpsamplingBilinear2d", nn.UpsamplingBilinear2d{scale_factor = 2}, real(0, 2, 4, 4))
try("PixelShuffle", nn.PixelShuffle(2), real(0, 4, 2, 2))
try("PixelUnshuffle", nn.PixelUnshuffle(2), real(0, 1, 4, 4))
try("ChannelShuffle", nn.ChannelShuffle(2), real(0, 4, 2, 2))
try("Fold", nn.Fold({4, 4}, {2, 2}), real(0, 4, 9))
try("Unfold", nn.Unfold{kernel_size = {2, 2}}, real(0, 1, 4, 4))
try("LayerNorm", nn.LayerNorm(3), real(0, 3))
try("RMSNorm", nn.RMSNorm(3), real(0, 3))
try("CrossMapLRN2d", nn.CrossMapLRN2d(2), real(0, 2, 4, 4))
try("CosineSimilarity", nn.CosineSimilarity(1), real(0, 3), real(0, 3))
try("PairwiseDistance", nn.PairwiseDistance(2), real(0, 3), real(0, 3))

for _, name in ipairs{"RNN", "LSTM", "GRU"} do
  try(name, nn[name](2, 3), real(4, 0, 2))
  try(name .. " batch first", nn[name](2, 3, {batch_first = true}), real(0, 4, 2))
  try(name .. " two layers", nn[name](2, 3, 2, {bidirectional = true}), real(4, 0, 2))
  try(name .. " no bias", nn[name](2, 3, {bias = false}), real(4, 0, 2))
  try(name .. " no steps", nn[name](2, 3), real(0, 4, 2))
  try(name .. " unbatched", nn[name](2, 3), real(0, 2))
  try(name .. "Cell", nn[name .. "Cell"](2, 3), real(0, 2))
end
try("RNN relu", nn.RNN(2, 3, {nonlinearity = "relu"}), real(4, 0, 2))
try("RNN with a state", nn.RNN(2, 3), real(4, 0, 2), real(1, 0, 3))
try("LSTM projected", nn.LSTM(2, 3, {proj_size = 2}), real(4, 0, 2))
try("RNNCell with a state", nn.RNNCell(2, 3), real(0, 2), real(0, 3))

try("MultiheadAttention", nn.MultiheadAttention(4, 2), real(3, 0, 4), real(3, 0, 4), real(3, 0, 4))
try("TransformerEncoderLayer", nn.TransformerEncoderLayer(4, 2, 8, 0.0), real(3, 0, 4))
try("TransformerDecoderLayer", nn.TransformerDecoderLayer(4, 2, 8, 0.0), real(3, 0, 4), real(2, 0, 4))
try("TransformerEncoder", nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8, 0.0), 1), real(3, 0, 4))
try("TransformerDecoder", nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, 0.0), 1), real(3, 0, 4), real(2, 0, 4))
try("Transformer", nn.Transformer(4, 2, 1, 1, 8, 0.0), real(3, 0, 4), real(2, 0, 4))

for _, reduction in ipairs{"mean", "sum", "none"} do
  local how = {reduction = reduction}
  local function loss(name, ...) try(name .. " " .. reduction, nn[name](how), ...) end
  for _, name in ipairs{"L1Loss", "MSELoss", "HuberLoss", "SmoothL1Loss", "BCEWithLogitsLoss", "BCELoss", "PoissonNLLLoss"} do
    loss(name, real(0, 3), torch.rand(0, 3))
  end
  loss("KLDivLoss", real(0, 3), torch.rand(0, 3))
  loss("SoftMarginLoss", real(0, 3), signs(0, 3))
  loss("HingeEmbeddingLoss", real(0, 3), signs(0, 3))
  loss("GaussianNLLLoss", real(0, 3), torch.rand(0, 3), torch.rand(0, 3))
  loss("CrossEntropyLoss", real(0, 3), labels(0))
  loss("CrossEntropyLoss", real(0, 3), torch.rand(0, 3))
  loss("CrossEntropyLoss", real(0, 3, 2, 2), labels(0, 2, 2))
  loss("NLLLoss", real(0, 3), labels(0))
  loss("NLLLoss", real(0, 3, 2, 2), labels(0, 2, 2))
  if reduction ~= "mean" then loss("MultiLabelMarginLoss", real(0, 3), labels(0, 3)) end   -- PyTorch's is what lies in memory
  loss("MultiLabelSoftMarginLoss", real(0, 3), torch.rand(0, 3))
  if reduction == "none" then loss("MultiMarginLoss", real(0, 3), labels(0)) end
  loss("MarginRankingLoss", real(0), real(0), signs(0))
  loss("CosineEmbeddingLoss", real(0, 3), real(0, 3), signs(0))
  loss("TripletMarginLoss", real(0, 3), real(0, 3), real(0, 3))
  loss("TripletMarginWithDistanceLoss", real(0, 3), real(0, 3), real(0, 3))
  loss("CTCLoss", real(4, 0, 3), labels(0, 2), labels(0), labels(0))
end
try("NLLLoss2d", nn.NLLLoss2d(), real(0, 3, 2, 2), labels(0, 2, 2))
try("LinearCrossEntropyLoss", nn.LinearCrossEntropyLoss(4, 3), real(0, 4), labels(0))
try("AdaptiveLogSoftmaxWithLoss", nn.AdaptiveLogSoftmaxWithLoss(4, 6, {2, 4}), real(0, 4), labels(0))
