-- networks_spec.lua: normalization, attention, convolutions, sampling by a grid and scatter on a device against the CPU:
-- sizes that need several parts or blocks, odd sizes, addresses that are not aligned, dtypes, gradients, the same bits twice.
local torch = require "torch"
local F = torch.nn.functional

local gpus = require "gpus"
local section = gpus.with_one

-- --- comparing ---------------------------------------------------------------------------------------------
local floats = {"float32", "float64", "float16", "bfloat16"}
-- The difference from the CPU's answer in float64, relative to the largest element.
local allowed = {float32 = 1e-5, float64 = 1e-13, float16 = 4e-3, bfloat16 = 3e-2}

-- Returns the values on the device, behind one other element, so that only single elements are aligned.
local function unaligned(x, device)
  return torch.cat({torch.zeros(1, {dtype = x.dtype}), x:flatten()}):to(device):narrow(0, 1, x:numel()):view(x.shape)
end

-- Returns f's results on the device, and the gradients that random numbers give its inputs.
local function results(f, inputs, device, dtype, place)
  local leaves = {}
  for i, x in ipairs(inputs) do leaves[i] = place(x:to(dtype), device):detach():requires_grad_() end
  local all = table.pack(f(table.unpack(leaves)))
  torch.manual_seed(7)
  all[1]:backward(place(torch.randn(all[1].shape):to(torch[inputs.dtype]):to(dtype), device))
  for _, leaf in ipairs(leaves) do all[#all + 1] = leaf.grad end
  for i = 1, #all do all[i] = all[i]:detach():cpu() end
  return all
end

local function same(a, b) return a:eq(b):logical_or(a:isnan():logical_and(b:isnan())) end

-- Runs f(inputs...) on the device twice, in inputs.dtype, and once on the CPU, in float64, with the same values.
local function both(what, dtype, f, inputs, place)
  place = place or function(x, device) return x:to(device) end
  inputs.dtype = dtype
  for i, x in ipairs(inputs) do inputs[i] = x:to(torch[dtype]) end
  local expected = results(f, inputs, "cpu", torch.float64, place)
  local answer = results(f, inputs, "cuda", torch[dtype], place)
  local again = results(f, inputs, "cuda", torch[dtype], place)
  for i, e in ipairs(expected) do
    local name = ("%s %s, result %d"):format(what, dtype, i)
    local a = answer[i]
    assert.are.equal("torch." .. dtype, tostring(a.dtype), name)
    assert.are.equal(tostring(e.shape), tostring(a.shape), name)
    assert(same(a, again[i]):all():item(), name .. ": other bits in the second run")
    a = a:double()
    local off = (e - a):abs():masked_fill(same(e, a), 0):max():item()
    local size = math.max(e:nan_to_num():abs():max():item(), 1e-3)
    local close = off <= allowed[dtype] * size -- false for NaN
    if not close then error(("%s: %g off (largest %g)"):format(name, off, size), 2) end
  end
end

-- --- normalization -----------------------------------------------------------------------------------------
section("normalization on CUDA", function()
  before_each(function() torch.manual_seed(1) end)
  local function spread(...) return torch.randn(...) * 2 + 3 end
  local function batch_norm(training)
    return function(x, weight, bias)
      local means = (torch.arange(x:size(1)) * 0.25):to(x.device, x.dtype)
      local variances = (torch.arange(x:size(1)) * 0.25 + 1):to(x.device, x.dtype)
      local options = {weight = weight, bias = bias, training = training}
      return F.batch_norm(x, means, variances, options), means, variances
    end
  end

  it("takes batches as columns, as rows, and as channels in parts", function()
    local shapes = {{7, 5}, {300, 40}, {600, 3}, {1, 5, 9}, {1, 3, 16}, {4, 5, 3, 4}, {4, 5, 8, 8}, {3, 6, 40, 40},
      {3, 5, 41, 41}}
    for _, shape in ipairs(shapes) do
      local channels = shape[2]
      for _, dtype in ipairs(floats) do
        for _, training in ipairs{true, false} do
          local name = ("batch_norm of %s, training %s"):format(table.concat(shape, "x"), training)
          both(name, dtype, batch_norm(training), {spread(table.unpack(shape)), torch.randn(channels), torch.randn(channels)})
        end
      end
    end
  end)

  it("takes layers in registers and in parts", function()
    -- No row of nearly equal elements, whose differences have few digits.
    local function rows(count, n) return torch.randn(count, n) * 0.25 + torch.arange(n) % 3 end
    for _, shape in ipairs{{13, 3}, {600, 3}, {13, 16}, {5, 50}, {13, 1024}, {3, 5000}, {131200, 2}, {70, 8200}} do
      local n = shape[2]
      local function layer_norm(x, weight, bias) return F.layer_norm(x, {n}, {weight = weight, bias = bias}) end
      for _, dtype in ipairs(shape[1] * n < 2e5 and floats or {"float32"}) do
        local name = "layer_norm of " .. table.concat(shape, "x")
        both(name, dtype, layer_norm, {rows(shape[1], n), torch.randn(n), torch.randn(n)})
        if n > 2 and n < 8200 then both(name .. ", no weight", dtype, layer_norm, {rows(shape[1], n)}) end
      end
    end
  end)

  it("takes layers of one element, which are their bias", function()
    for _, dtype in ipairs(floats) do
      local options = {device = "cuda", dtype = torch[dtype], requires_grad = true}
      local x, weight, bias = torch.randn(70, 1, options), torch.randn(1, options), torch.randn(1, options)
      local y = F.layer_norm(x, {1}, {weight = weight, bias = bias})
      assert(y:equal(bias:expand(70, 1)))
      y:sum():backward()
      for _, slope in ipairs{x.grad, weight.grad, bias.grad - 70} do assert.are.equal(0, slope:abs():max():item()) end
    end
  end)

  it("takes groups of channels in registers and in parts", function()
    for _, shape in ipairs{{5, 8}, {3, 8, 5}, {3, 8, 8, 8}, {2, 8, 60, 64}, {3, 8, 61, 41}} do
      for _, groups in ipairs(#shape == 2 and {1, 2} or {1, 2, 8}) do
        local function group_norm(x, weight, bias) return F.group_norm(x, groups, {weight = weight, bias = bias}) end
        for _, dtype in ipairs(shape[3] and shape[3] > 50 and {"float32", "bfloat16"} or floats) do
          both(("group_norm of %s, %d groups"):format(table.concat(shape, "x"), groups), dtype, group_norm,
            {spread(table.unpack(shape)), torch.randn(8), torch.randn(8)})
        end
      end
    end
  end)

  it("reads addresses that are not aligned", function()
    for _, dtype in ipairs(floats) do
      both("batch_norm", dtype, batch_norm(true), {spread(3, 6, 24, 32), torch.randn(6), torch.randn(6)}, unaligned)
      for _, n in ipairs{16, 5000} do
        both("layer_norm of " .. n, dtype, function(x, w, b) return F.layer_norm(x, {n}, {weight = w, bias = b}) end,
          {spread(5, n), torch.randn(n), torch.randn(n)}, unaligned)
      end
      both("group_norm", dtype, function(x, w, b) return F.group_norm(x, 2, {weight = w, bias = b}) end,
        {spread(2, 4, 64, 80), torch.randn(4), torch.randn(4)}, unaligned)
    end
  end)
end)

-- --- attention ---------------------------------------------------------------------------------------------
section("attention on CUDA", function()
  before_each(function() torch.manual_seed(2) end)

  -- queries (batch, heads, length, width), keys and values (batch, key_heads, keys, width)
  local function compare(dtype, sizes, options, mask, place)
    local batch, heads, key_heads, length, keys, width = table.unpack(sizes)
    options.enable_gqa = heads ~= key_heads
    both("attention of " .. table.concat(sizes, " "), dtype, function(q, k, v)
      options.attn_mask = mask and mask:to(torch[dtype]):to(q.device, q.dtype) or nil
      return F.scaled_dot_product_attention(q, k, v, options)
    end, {torch.randn(batch, heads, length, width), torch.randn(batch, key_heads, keys, width),
      torch.randn(batch, key_heads, keys, width)}, place)
  end

  it("takes several blocks of queries, fewer and more keys than queries", function()
    for _, dtype in ipairs(floats) do
      compare(dtype, {2, 3, 3, 7, 9, 4}, {})
      compare(dtype, {1, 2, 2, 300, 300, 8}, {is_causal = true})
      compare(dtype, {1, 1, 1, 270, 130, 4}, {is_causal = true})
      compare(dtype, {1, 1, 1, 257, 300, 4}, {})
    end
  end)

  it("lets groups of query heads share a head of keys", function()
    for _, dtype in ipairs(floats) do
      compare(dtype, {2, 6, 2, 30, 40, 8}, {})
      compare(dtype, {1, 4, 2, 270, 260, 4}, {is_causal = true})
      compare(dtype, {2, 4, 1, 30, 70, 8}, {}, torch.randn(30, 70))
      compare(dtype, {2, 4, 2, 5, 6, 8}, {}, torch.randn(2, 4, 5, 6))
    end
  end)

  it("takes rows that do not fit into registers, masks without a key, addresses that are not aligned", function()
    local mask = torch.randn(6, 9)
    mask[2]:fill_(-math.huge)
    mask[4]["3:"]:fill_(-math.huge)
    for _, dtype in ipairs(floats) do
      compare(dtype, {1, 1, 1, 3, 5000, 4}, {})
      compare(dtype, {1, 2, 2, 6, 9, 4}, {}, mask)
      compare(dtype, {2, 2, 2, 33, 31, 5}, {is_causal = true}, nil, unaligned)
    end
  end)
end)

-- --- convolutions ------------------------------------------------------------------------------------------
section("convolutions on CUDA", function()
  before_each(function() torch.manual_seed(3) end)

  local function compare(name, image, weight, options, place)
    local transposed, groups = name:find "transpose", options.groups or 1
    local outputs = transposed and weight[2] * groups or weight[1]
    for _, dtype in ipairs(floats) do
      both(("%s of %s by %s"):format(name, table.concat(image, "x"), table.concat(weight, "x")), dtype,
        function(x, w, b) return F[name](x, w, b, options) end,
        {torch.randn(image), torch.randn(weight), torch.randn(outputs)}, place)
    end
  end

  it("compute groups of one channel by a kernel of their own", function()
    compare("conv1d", {3, 4, 17}, {4, 1, 3}, {padding = 2, stride = 2, groups = 4})
    compare("conv2d", {3, 4, 9, 8}, {8, 1, 3, 2}, {padding = 1, stride = {2, 1}, groups = 4})
    compare("conv2d", {3, 4, 9, 10}, {4, 1, 2, 3}, {dilation = {2, 3}, groups = 4})
    compare("conv2d", {2, 3, 4, 5}, {3, 1, 2, 2}, {padding = 5, stride = 3, dilation = 2, groups = 3})
    compare("conv2d", {2, 3, 40, 33}, {3, 1, 3, 3}, {padding = 1, groups = 3}, unaligned)
    compare("conv3d", {2, 3, 5, 4, 6}, {6, 1, 3, 2, 3}, {padding = {1, 0, 2}, stride = {1, 2, 1}, groups = 3})
    compare("conv_transpose1d", {2, 4, 7}, {4, 2, 3}, {stride = 2, groups = 4})
    compare("conv_transpose2d", {2, 4, 8, 7}, {4, 1, 3, 3}, {padding = 1, groups = 4})
    compare("conv_transpose2d", {2, 4, 5, 6}, {4, 1, 3, 2},
      {padding = 1, stride = 2, dilation = 2, output_padding = 1, groups = 4})
  end)

  it("compute several groups of several channels", function()
    compare("conv2d", {3, 8, 9, 8}, {4, 4, 3, 3}, {padding = 1, stride = 2, groups = 2})
    compare("conv2d", {3, 6, 9, 8}, {9, 2, 2, 3}, {dilation = 2, groups = 3}, unaligned)
    compare("conv_transpose2d", {2, 8, 8, 7}, {8, 1, 3, 3}, {padding = 1, stride = 2, groups = 4})
  end)

  it("add the gradients of a weight image by image in slots", function()
    compare("conv2d", {5, 3, 9, 8}, {4, 3, 3, 3}, {padding = 1, stride = 2})
    compare("conv2d", {5, 3, 9, 8}, {4, 3, 1, 1}, {}, unaligned)
    compare("conv_transpose2d", {5, 3, 4, 5}, {3, 4, 3, 3}, {stride = 2})
  end)

  it("add the gradients of more images than there are slots", function()
    local n = 2400 -- two slots for three images: 64 MB hold two weights of n by n
    local x, grad = torch.randn(3, n), torch.randn(3, n)
    local weight = torch.zeros(n, n, 1, 1, {device = "cuda", requires_grad = true})
    F.conv2d(x:cuda():view(3, n, 1, 1), weight):backward(grad:cuda():view(3, n, 1, 1))
    assert(weight.grad:cpu():view(n, n):allclose(grad:t():matmul(x), {atol = 1e-5}))
  end)
end)

-- --- sampling by a grid ------------------------------------------------------------------------------------
section("grid_sample on CUDA", function()
  before_each(function() torch.manual_seed(4) end)
  local paddings = {"zeros", "border", "reflection"}

  -- A grid with places inside, outside and on the edge of the image.
  local function places(...)
    local grid = torch.rand(...) * 3 - 1.5
    grid:view(-1)["0:6"] = torch.tensor{-1, 1, 1, 1, 40, -0.5}
    return grid
  end

  it("adds gradients of the image up by keys, of the grid by places", function()
    for _, padding in ipairs(paddings) do
      for _, align in ipairs{true, false} do
        for _, mode in ipairs{"bilinear", "nearest", "bicubic"} do
          local options = {mode = mode, padding_mode = padding, align_corners = align}
          for _, dtype in ipairs(floats) do
            both(("%s, %s, align_corners = %s"):format(mode, padding, align), dtype,
              function(x, grid) return F.grid_sample(x, grid, options) end, {torch.randn(3, 5, 9, 7), places(3, 6, 8, 2)})
          end
        end
      end
    end
  end)

  it("takes volumes, and addresses that are not aligned", function()
    for _, padding in ipairs(paddings) do
      for _, mode in ipairs{"bilinear", "nearest"} do
        local options = {mode = mode, padding_mode = padding, align_corners = false}
        for _, dtype in ipairs(floats) do
          both(("volumes, %s, %s"):format(mode, padding), dtype, function(x, grid) return F.grid_sample(x, grid, options) end,
            {torch.randn(2, 3, 4, 5, 3), places(2, 3, 4, 5, 3)}, unaligned)
        end
      end
    end
  end)

  it("takes places that are no numbers or infinite", function()
    local grid = torch.tensor{0 / 0, 0, 0, 0 / 0, 0 / 0, 0 / 0, math.huge, 0, -math.huge, 0, 1e4, 0}:view(1, 1, 6, 2)
    for _, dtype in ipairs(floats) do
      for _, padding in ipairs(paddings) do
        for _, mode in ipairs{"bilinear", "nearest", "bicubic"} do
          local options = {mode = mode, padding_mode = padding, align_corners = true}
          if mode == "bilinear" and padding == "zeros" then -- the CPU, as PyTorch's, has NaN there; a GPU, as PyTorch's, zeros
            local x = torch.randn(1, 1, 2, 3, {dtype = torch[dtype], device = "cuda", requires_grad = true})
            local y = F.grid_sample(x, grid:to("cuda", torch[dtype]), options)
            y:sum():backward()
            assert.are.equal(0, (y:abs():sum() + x.grad:abs():sum()):item())
          else
            both(("%s, %s"):format(mode, padding), dtype, function(x, g) return F.grid_sample(x, g, options) end,
              {torch.randn(1, 1, 2, 3), grid})
          end
        end
      end
    end
  end)

  it("adds many places to one pixel in the same order", function()
    for _, dtype in ipairs(floats) do
      both("one pixel", dtype, function(x, grid) return F.grid_sample(x, grid, {align_corners = false}) end,
        {torch.randn(2, 2, 1, 1), torch.rand(2, 40, 41, 2) - 0.5})
    end
  end)

  it("differentiates twice", function()
    for _, dtype in ipairs{"float32", "float64"} do
      both("the gradient of a gradient", dtype, function(x, grid)
        local y = F.grid_sample(x, grid, {align_corners = false})
        local by_image, by_grid = torch.autograd.grad((y * y):sum(), {x, grid}, {create_graph = true})
        return (by_image * by_image):sum() + (by_grid * by_grid):sum()
      end, {torch.randn(2, 3, 6, 5), torch.rand(2, 4, 5, 2) * 2 - 1})
    end
  end)
end)

-- --- scatter -----------------------------------------------------------------------------------------------
section("scatter_add of rows on CUDA", function()
  before_each(function() torch.manual_seed(5) end)

  it("adds in the order of the source, as on the CPU", function()
    -- rows, elements of a row, added to each: one part, three parts (five of float64), one element, many of each
    for _, sizes in ipairs{{40, 100, 300}, {33, 20000, 2000}, {50, 33, 1}, {33, 7, 700}, {64, 1, 50}, {32, 16, 1}} do
      local rows, n, m = table.unpack(sizes)
      local index = torch.randint(0, n, {rows, m})
      index[3]:fill_(n - 1)
      for _, dtype in ipairs(floats) do
        both("scatter_add to " .. table.concat(sizes, " "), dtype,
          function(x, src) return x:scatter_add(1, index:to(x.device), src) end, {torch.randn(rows, n), torch.randn(rows, m)})
        local x, src = torch.randn(rows, n):to(torch[dtype]), torch.randn(rows, m):to(torch[dtype])
        local there = x:cuda():scatter_add(1, index:cuda(), src:cuda())
        assert(there:equal(unaligned(x, "cuda"):scatter_add(1, unaligned(index, "cuda"), unaligned(src, "cuda"))))
        if dtype:find "float[36]" then assert(x:scatter_add(1, index, src):equal(there:cpu()), "not the CPU's bits") end
      end
    end
  end)

  it("adds nothing where nothing is given", function()
    for _, dtype in ipairs(floats) do
      local x = torch.randn(40, 10):to(torch[dtype])
      local none, nothing = torch.zeros(40, 0):long(), torch.zeros(40, 0):to(torch[dtype])
      assert(x:equal(x:cuda():scatter_add(1, none:cuda(), nothing:cuda()):cpu()))
    end
  end)

  it("sums the gradients of gather and of max_pool2d", function()
    local index = torch.randint(0, 30, {40, 50})
    for _, dtype in ipairs(floats) do
      both("gather", dtype, function(x) return x:gather(1, index:to(x.device)) end, {torch.randn(40, 30)})
      both("max_pool2d", dtype, function(x) return F.max_pool2d(x, 3, 2, 1) end, {torch.randn(8, 8, 9, 9)})
    end
  end)

  it("refuses an index that is out of range, and the device goes on", function()
    local x, ones = torch.zeros(40, 10, {device = "cuda"}), torch.ones(40, 10, {device = "cuda"})
    local index = torch.zeros(40, 10):long()
    for _, wrong in ipairs{10, -1} do
      index[5][3] = wrong
      local function add()
        x:scatter_add(1, index:cuda(), ones)
        torch.cuda.synchronize()
      end
      gpus.fails(("scatter_add(): index %d is out of bounds for dimension 1 with size 10"):format(wrong), add)
    end
    assert.are.equal(400, x:scatter_add(1, torch.zeros(40, 10):long():cuda(), ones):sum():item())
  end)
end)
