-- families_cuda.lua: the Tocha side of the table for a GPU, families of operators (convolution, norms, attention, ...) and
-- networks. families_cuda.py is the PyTorch side with the same cases. Predictions: results/predicted.tsv.
--   families_cuda.lua [PATTERN]   see measuring_cuda.lua
-- "step" is forward and backward, for a network also the optimizer's step.
local torch = require "torch"
local measuring = dofile "bench/measuring_cuda.lua"
local networks = dofile "bench/networks.lua"
local case, sized, rand, cuda = measuring.case, measuring.sized, measuring.rand, measuring.device
local nn, F = torch.nn, torch.nn.functional

-- Adds a case of f(x), without a graph.
local function forward(name, make)
  case(name, nil, function()
    local f, x = make()
    return function()
      local _ <close> = torch.no_grad()
      return f(x)
    end
  end)
end

-- Adds a case of f(x) and the gradients of x and of the module's parameters.
local function step(name, make)
  case(name .. ", step", nil, function()
    local f, x, module = make()
    local leaves = {}
    if x:is_floating_point() then leaves[1] = x:requires_grad_() end
    if module then for parameter in module:parameters() do leaves[#leaves + 1] = parameter end end
    local gradient
    return function()
      local y = f(x)
      gradient = gradient or torch.ones_like(y)
      torch.autograd.grad(y, leaves, {grad_outputs = gradient})
    end
  end)
end

-- Returns the results of make() for a module that takes x and returns one tensor.
local function of_module(module, x)
  module = module:to(x.device, x.dtype)
  return function(t) return module(t) end, x, module
end

local function images(n, c, size) return rand(sized(n, 2), sized(c, math.min(c, 8)), sized(size, 8), sized(size, 8)) end
local function bf16(t) return t:to(torch.bfloat16) end

-- ---- convolution ----

local WIDTH = sized(64, 8)
step("conv2d 3x3, 256x64x56x56, float32", function() return of_module(nn.Conv2d(WIDTH, WIDTH, 3, {padding = 1}), images(256, 64, 56)) end)
step("conv2d 3x3, 256x64x56x56, tf32", function()
  torch.backends.cuda.matmul.allow_tf32 = true
  torch.backends.cudnn.allow_tf32 = true
  return of_module(nn.Conv2d(WIDTH, WIDTH, 3, {padding = 1}), images(256, 64, 56))
end)
step("conv2d 3x3, 256x64x56x56, bfloat16", function()
  return of_module(nn.Conv2d(WIDTH, WIDTH, 3, {padding = 1}), bf16(images(256, 64, 56)))
end)
step("conv2d 3x3, 256x64x56x56, bfloat16 channels_last", function()
  local f, x, module = of_module(nn.Conv2d(WIDTH, WIDTH, 3, {padding = 1}), bf16(images(256, 64, 56)))
  return f, x:to{memory_format = torch.channels_last}, module:to{memory_format = torch.channels_last}
end)
step("conv2d 3x3, 256x64x56x56, bfloat16 without cuDNN", function()
  torch.backends.cudnn.enabled = false
  return of_module(nn.Conv2d(WIDTH, WIDTH, 3, {padding = 1}), bf16(images(256, 64, 56)))
end)
step("depthwise 3x3, 64x96x112x112, float32", function()
  local width = sized(96, 8)
  return of_module(nn.Conv2d(width, width, 3, {padding = 1, groups = width}), images(64, 96, 112))
end)
step("conv_transpose2d 4x4, 64x64x28x28, float32", function()
  return of_module(nn.ConvTranspose2d(WIDTH, WIDTH, 4, {stride = 2, padding = 1}), images(64, 64, 28))
end)

-- ---- normalization ----

step("batch_norm2d, 256x64x112x112, float32", function() return of_module(nn.BatchNorm2d(WIDTH), images(256, 64, 112)) end)
step("batch_norm1d, 65536x256, float32", function() return of_module(nn.BatchNorm1d(sized(256, 8)), rand(sized(65536, 32), sized(256, 8))) end)
forward("layer_norm, 16384x1024, bfloat16", function()
  return of_module(nn.LayerNorm(sized(1024, 16)), bf16(rand(sized(16384, 8), sized(1024, 16))))
end)
step("layer_norm, 16384x1024, bfloat16", function()
  return of_module(nn.LayerNorm(sized(1024, 16)), bf16(rand(sized(16384, 8), sized(1024, 16))))
end)
step("rms_norm, 16384x1024, bfloat16", function()
  return of_module(nn.RMSNorm(sized(1024, 16)), bf16(rand(sized(16384, 8), sized(1024, 16))))
end)
step("group_norm, 64x64x112x112, float32", function() return of_module(nn.GroupNorm(sized(32, 4), WIDTH), images(64, 64, 112)) end)

-- ---- attention ----

local function causal()
  local function values() return bf16(rand(sized(8, 1), sized(16, 2), sized(2048, 16), sized(64, 8))) end
  local k, v = values(), values()
  return function(q) return F.scaled_dot_product_attention(q, k, v, {is_causal = true}) end, values()
end
forward("attention, causal 8x16x2048x64, bfloat16", causal)
step("attention, causal 8x16x2048x64, bfloat16", causal)
step("attention, mask and dropout 8x16x1024x64, bfloat16", function()
  local function values() return bf16(rand(sized(8, 1), sized(16, 2), sized(1024, 16), sized(64, 8))) end
  local k, v, mask = values(), values(), rand(sized(1024, 16), sized(1024, 16)):gt(0.2)
  return function(q) return F.scaled_dot_product_attention(q, k, v, {attn_mask = mask, dropout_p = 0.1}) end, values()
end)
step("encoder layer 1024, 8x2048 tokens, bfloat16", function()
  local layer = nn.TransformerEncoderLayer(sized(1024, 16), sized(16, 2), sized(4096, 32), {dropout = 0, batch_first = true})
  return of_module(layer, bf16(rand(sized(8, 1), sized(2048, 8), sized(1024, 16))))
end)

-- ---- pooling and resampling ----

local function max_pool() return function(x) return F.max_pool2d(x, 3, 2, 1) end, images(256, 64, 112) end
forward("max_pool2d 3x3, 256x64x112x112, float32", max_pool)
step("max_pool2d 3x3, 256x64x112x112, float32", max_pool)
step("avg_pool2d 2x2, 256x64x112x112, float32", function() return function(x) return F.avg_pool2d(x, 2) end, images(256, 64, 112) end)
step("interpolate bilinear x2, 16x64x128x128, float32", function()
  return function(x) return F.interpolate(x, {scale_factor = 2, mode = "bilinear"}) end, images(16, 64, 128)
end)
step("interpolate bicubic x2, 16x64x128x128, float32", function()
  return function(x) return F.interpolate(x, {scale_factor = 2, mode = "bicubic"}) end, images(16, 64, 128)
end)
step("interpolate nearest x2, 16x64x128x128, bfloat16", function()
  return function(x) return F.interpolate(x, {scale_factor = 2}) end, bf16(images(16, 64, 128))
end)
step("interpolate antialiased to 224, 16x3x896x896, float32", function()
  local size = sized(224, 4)
  return function(x) return F.interpolate(x, {size = {size, size}, mode = "bilinear", antialias = true}) end, images(16, 3, 896)
end)
step("reflection pad 3, 64x64x112x112, float32", function()
  return function(x) return F.pad(x, {3, 3, 3, 3}, "reflect") end, images(64, 64, 112)
end)
step("grid_sample, 16x3x512x512, float32", function()
  local grid = torch.rand{size = {sized(16, 2), sized(512, 8), sized(512, 8), 2}, device = cuda} * 2 - 1
  return function(x) return F.grid_sample(x, grid, {align_corners = false}) end, images(16, 3, 512)
end)

-- ---- sequences ----

for _, kind in ipairs{"LSTM", "GRU"} do
  step(kind .. " 2x512, 256x64 tokens, float32", function()
    local layers = nn[kind](sized(512, 8), sized(512, 8), 2):to(cuda)
    return function(x) return (layers(x)) end, rand(sized(256, 5), sized(64, 2), sized(512, 8)), layers
  end)
end
step("embedding, 16384 of 50000x512, float32", function()
  local places = torch.randint(0, sized(50000, 50), {sized(16384, 64)}, {device = cuda})
  return function(weight) return F.embedding(places, weight) end, rand(sized(50000, 50), sized(512, 8))
end)

-- ---- order and places ----

local MANY, ROWS = sized(1 << 24, 1 << 12), sized(8192, 64)
forward("sort, 16M float32", function() return function(x) return (x:sort()) end, rand(MANY) end)
forward("topk 50 of 8x131072, float32", function() return function(x) return (x:topk(sized(50, 5))) end, rand(8, sized(131072, 512)) end)
forward("cumsum of rows, 8192x8192, float32", function() return function(x) return x:cumsum(1) end, rand(ROWS, ROWS) end)
forward("argmax of rows, 8192x8192, float32", function() return function(x) return x:argmax(1) end, rand(ROWS, ROWS) end)
forward("var of columns, 8192x8192, float32", function() return function(x) return x:var(0) end, rand(ROWS, ROWS) end)
forward("scatter_add, 8192x8192, float32", function()
  local places = torch.randint(0, ROWS, {ROWS, ROWS}, {device = cuda})
  return function(x) return x:scatter_add(1, places, x) end, rand(ROWS, ROWS)
end)
forward("gather, 8192x8192, float32", function()
  local places = torch.randint(0, ROWS, {ROWS, ROWS}, {device = cuda})
  return function(x) return x:gather(1, places) end, rand(ROWS, ROWS)
end)
forward("where and cat, 8192x8192, float32", function()
  return function(x) return torch.cat({torch.where(x:gt(0.5), x, -x), x}) end, rand(ROWS, ROWS)
end)

-- ---- linear algebra: one large matrix, and many small ones ----

-- Symmetric matrices with positive eigenvalues.
local function positive(...)
  local x = rand(...)
  return x:matmul(x.mT) + x:size(-1) * torch.eye(x:size(-1), {device = cuda})
end

local linalg, SIDE, COUNT, SMALL_SIDE = torch.linalg, sized(2048, 8), sized(4096, 2), sized(16, 4)
for _, shape in ipairs{{SIDE, SIDE}, {COUNT, SMALL_SIDE, SMALL_SIDE}} do
  local of = shape[3] and "4096x16x16" or "2048x2048"
  for _, name in ipairs{"inv", "cholesky", "qr", "eigh", "svd"} do
    forward(("%s, %s, float32"):format(name, of), function() return linalg[name], positive(table.unpack(shape)) end)
  end
  forward(("solve, %s, float32"):format(of), function()
    local matrices = positive(table.unpack(shape))
    return function(x) return linalg.solve(matrices, x) end, rand(table.unpack(shape))
  end)
end

-- ---- random numbers, losses, the host ----

forward("dropout, 16M float32", function() return function(x) return F.dropout(x, 0.5) end, rand(MANY) end)
forward("randn, 16M float32", function() return function(x) return x:normal_() end, rand(MANY) end)
step("mse_loss, 16M float32", function()
  local y = rand(MANY)
  return function(x) return F.mse_loss(x, y) end, rand(MANY)
end)
step("smooth_l1_loss, 16M bfloat16", function()
  local y = bf16(rand(MANY))
  return function(x) return F.smooth_l1_loss(x, y) end, bf16(rand(MANY))
end)
step("ctc_loss, 512x32x64, targets of 100, float32", function()
  local times, batch, length = sized(512, 12), sized(32, 2), sized(100, 4)
  local targets = torch.randint(1, 64, {batch, length}, {device = cuda})
  local inputs, lengths = {}, {}
  for n = 1, batch do inputs[n], lengths[n] = times, length end
  return function(x) return F.ctc_loss(x:log_softmax(2), targets, inputs, lengths) end, rand(times, batch, 64)
end)
step("binary_cross_entropy_with_logits, 16M float32", function()
  local y = rand(MANY)
  return function(x) return F.binary_cross_entropy_with_logits(x, y) end, rand(MANY)
end)
case("to the GPU, 64 MB pageable", MANY * 4, function()
  local x = torch.rand(MANY)
  return function() return x:to(cuda) end
end)
case("to the GPU, 64 MB pinned", MANY * 4, function()
  local x = torch.rand(MANY):pin_memory()
  return function() return x:to(cuda, {non_blocking = true}) end
end)
case("clip_grad_norm_, 10M in 50 tensors", nil, function()
  local list = {}
  for i = 1, 50 do
    list[i] = nn.Parameter(rand(sized(400, 4), 500))
    list[i].grad = rand(sized(400, 4), 500)
  end
  return function() nn.utils.clip_grad_norm_(list, 1e9) end
end)

-- ---- networks: a step of training, as bench/run nets measures on the CPU ----

local measured = measuring.small and {tutorial = true} or
  {["TinyVGG"] = true, ["MNIST"] = true, ["ResNet-18"] = true, ["LSTM"] = true, ["Transformer"] = true, ["GPT"] = true}
for _, net in ipairs(networks) do
  if measured[net.name:match "^[%w-]+"] then
    case("train " .. net.name, nil, function()
      torch.set_default_device(cuda)
      local _, optimizer, loss = net.make()
      return function()
        optimizer:zero_grad()
        loss():backward()
        optimizer:step()
      end
    end)
  end
end

measuring.run(arg[1] or "")
