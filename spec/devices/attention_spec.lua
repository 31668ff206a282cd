-- attention_spec.lua: attention of 16-bit tensors by tensor cores (one kernel forward, two backward) against the CPU in
-- float32: lengths, widths, masks, groups of heads, views, dropout, the same bits twice.
local torch = require "torch"
local F = torch.nn.functional

local gpus = require "gpus"

-- The difference from the CPU's answer, relative to the largest element.
local allowed = {float16 = 4e-3, bfloat16 = 2e-2}
local names = {"out", "grad of query", "grad of key", "grad of value"}

-- Returns attention of tensors of the CPU on a device, in a dtype, and the gradients that `slope` gives them.
local function attend(device, dtype, inputs, slope, options)
  local leaves, given = {}, {}
  for i, x in ipairs(inputs) do leaves[i] = x:to(device, dtype):requires_grad_() end
  for name, value in pairs(options) do
    if not torch.is_tensor(value) then
      given[name] = value
    elseif value.dtype == torch.bool or value.dtype == torch.float32 then
      given[name] = value:to(device)
    else
      given[name] = value:to(device, dtype)
    end
  end
  local out = F.scaled_dot_product_attention(leaves[1], leaves[2], leaves[3], given)
  out:backward(slope:to(device, dtype))
  local all = {out, leaves[1].grad, leaves[2].grad, leaves[3].grad}
  for i, x in ipairs(all) do all[i] = x:detach():cpu():float() end
  return all
end

local function close(title, expected, answer, dtype)
  for i, e in ipairs(expected) do
    local off, size = (e - answer[i]):abs():max():item(), math.max(e:abs():max():item(), 0.1)
    local fits = off <= allowed[dtype] * size -- false for NaN
    if not fits then error(("%s %s, %s: %g off (largest %g)"):format(title, dtype, names[i], off, size), 2) end
  end
end

-- Random query, key, value and slope of (batch, heads, key_heads, queries, keys, width).
local function random(dtype, batch, heads, key_heads, queries, keys, width)
  local function drawn(...) return torch.randn(...):to(torch[dtype]) end
  return {drawn(batch, heads, queries, width), drawn(batch, key_heads, keys, width), drawn(batch, key_heads, keys, width)},
    drawn(batch, heads, queries, width)
end

-- Compares for both dtypes, and the results of two runs bit by bit.
local function compare(sizes, options)
  for _, dtype in ipairs {"bfloat16", "float16"} do
    local inputs, slope = random(dtype, table.unpack(sizes))
    options.enable_gqa = sizes[2] ~= sizes[3] or nil
    local expected = attend("cpu", torch.float32, inputs, slope, options)
    local answer = attend("cuda", torch[dtype], inputs, slope, options)
    local again = attend("cuda", torch[dtype], inputs, slope, options)
    local title = table.concat(sizes, " ") .. (options.is_causal and " causal" or "")
    close(title, expected, answer, dtype)
    for i, x in ipairs(answer) do assert(x:equal(again[i]), title .. ": other bits in the second run") end
  end
end

gpus.with_one("attention by tensor cores on CUDA", function()
  before_each(function() torch.manual_seed(3) end)

  it("takes any lengths", function()
    for _, length in ipairs {1, 17, 64, 100} do compare({1, 2, 2, length, length, 64}, {}) end
    compare({1, 1, 1, 257, 257, 64}, {})
    compare({2, 2, 2, 5, 100, 32}, {})
    compare({1, 1, 1, 140, 1, 16}, {})
  end)

  it("takes widths up to 128", function()
    for _, width in ipairs {8, 24, 32, 40, 72, 96, 128} do compare({1, 2, 2, 33, 40, width}, {}) end
  end)

  it("goes another way for other widths, types and scales", function()
    compare({1, 2, 2, 9, 11, 20}, {})
    compare({1, 1, 1, 9, 11, 136}, {})
    compare({1, 1, 1, 9, 11, 16}, {scale = -0.5})
  end)

  it("hides later keys, from the first query on", function()
    for _, length in ipairs {1, 17, 100} do compare({1, 2, 2, length, length, 64}, {is_causal = true}) end
    compare({1, 1, 1, 257, 257, 32}, {is_causal = true})
    compare({1, 1, 1, 40, 150, 64}, {is_causal = true})
    compare({1, 1, 1, 150, 40, 64}, {is_causal = true})
    compare({1, 1, 1, 90, 70, 128}, {is_causal = true})
  end)

  it("lets groups of query heads share a head of keys", function()
    compare({2, 6, 2, 30, 40, 64}, {})
    compare({1, 4, 1, 70, 70, 32}, {is_causal = true})
    compare({1, 4, 2, 20, 50, 128}, {})
  end)

  it("multiplies by another scale", function() compare({1, 2, 2, 20, 30, 64}, {scale = 0.5}) end)

  it("adds masks of floats, and hides by masks of bools, which broadcast", function()
    compare({2, 3, 3, 20, 40, 64}, {attn_mask = torch.randn(20, 40)})
    compare({2, 3, 3, 20, 40, 32}, {attn_mask = torch.randn(2, 1, 20, 40):half()})
    compare({2, 3, 3, 20, 40, 128}, {attn_mask = torch.randn(1, 3, 20, 1)})
    compare({2, 3, 3, 20, 40, 128}, {attn_mask = torch.rand(2, 1, 1, 40):gt(0.3)})
    compare({1, 2, 2, 150, 90, 64}, {attn_mask = torch.rand(150, 90):gt(0.5)})
    compare({1, 4, 2, 20, 40, 64}, {attn_mask = torch.rand(20, 40):gt(0.5), scale = 0.3})
    compare({1, 2, 2, 20, 40, 64}, {attn_mask = torch.randn(40, 20):t()})
  end)

  it("gives zeros to queries that see no key", function()
    local seen = torch.ones(70, 50, {dtype = torch.bool})
    seen:narrow(0, 3, 20):fill_(false)
    local minus = torch.zeros(70, 50):masked_fill(seen:logical_not(), -math.huge)
    for _, mask in ipairs {seen, minus} do
      compare({1, 2, 2, 70, 50, 64}, {attn_mask = mask})
      local inputs, slope = random("bfloat16", 1, 1, 1, 70, 50, 64)
      local all = attend("cuda", torch.bfloat16, inputs, slope, {attn_mask = mask})
      assert.are.equal(0, all[1]:narrow(2, 3, 20):abs():max():item())
      assert.are.equal(0, all[2]:narrow(2, 3, 20):abs():max():item())
    end
  end)

  it("keeps large scores finite, and passes NaN on in its row", function()
    local inputs, slope = random("float16", 1, 1, 1, 40, 60, 32)
    inputs[1]:mul_(300)
    local expected = attend("cpu", torch.float32, inputs, slope, {})
    local answer = attend("cuda", torch.float16, inputs, slope, {})
    assert(answer[1]:isfinite():all():item())
    close("large scores", {expected[1]}, answer, "float16")
    inputs[1]:mul_(0.001)
    inputs[1]:select(2, 7):fill_(0 / 0)
    local nan = attend("cuda", torch.float16, inputs, slope, {})[1]:isnan()
    assert(nan:select(2, 7):all():item())
    assert.are.equal(32, nan:sum():item())
  end)

  it("reads views of a packed projection, and writes heads side by side", function()
    local batch, length, heads, width = 2, 30, 3, 16
    local packed = torch.randn(batch, length, 3 * heads * width):bfloat16()
    local function heads_of(x)
      local all = {}
      for i, part in ipairs(x:chunk(3, -1)) do all[i] = part:view(batch, length, heads, width):transpose(1, 2) end
      return F.scaled_dot_product_attention(all[1], all[2], all[3], {is_causal = true})
    end
    local cpu = packed:float():requires_grad_()
    local gpu = packed:cuda():requires_grad_()
    local expected, answer = heads_of(cpu), heads_of(gpu)
    assert(answer:transpose(1, 2):is_contiguous())
    local slope = torch.randn(expected.shape):bfloat16()
    expected:backward(slope:float())
    answer:backward(slope:cuda())
    close("packed", {expected, cpu.grad}, {answer:cpu():float(), gpu.grad:cpu():float()}, "bfloat16")
    -- rows that do not begin at multiples of 16 bytes are copied
    local shifted = torch.randn(1, 2, 20, 17):bfloat16():cuda():narrow(3, 1, 16)
    local plain = shifted:contiguous()
    assert(F.scaled_dot_product_attention(shifted, shifted, shifted):equal(F.scaled_dot_product_attention(plain, plain, plain)))
  end)

  it("takes tensors of three dimensions", function()
    local q, mask = torch.randn(3, 20, 32):bfloat16(), torch.rand(3, 20, 20):gt(0.4)
    local expected = F.scaled_dot_product_attention(q:float(), q:float(), q:float(), mask)
    local answer = F.scaled_dot_product_attention(q:cuda(), q:cuda(), q:cuda(), mask:cuda())
    close("three dimensions", {expected}, {answer:cpu():float()}, "bfloat16")
  end)

  it("differentiates gradients, and masks", function()
    local function second(device, dtype)
      torch.manual_seed(5)
      local q = torch.randn(1, 1, 6, 8):to(device, dtype):requires_grad_()
      local out = F.scaled_dot_product_attention(q, q, q, {is_causal = true})
      local grad = torch.autograd.grad({out:square():sum()}, {q}, {create_graph = true})
      return torch.autograd.grad({grad:square():sum()}, {q}):cpu():float()
    end
    local expected, answer = second("cpu", torch.float32), second("cuda", torch.float16)
    assert(((expected - answer):abs():max() / expected:abs():max()):item() < 0.02)
    local mask = torch.zeros(6, 6, {dtype = torch.float16, device = "cuda"}):requires_grad_()
    local q = torch.randn(1, 1, 6, 8, {dtype = torch.float16, device = "cuda"})
    F.scaled_dot_product_attention(q, q, q, mask):sum():backward()
    assert.are.same({6, 6}, {mask.grad:size(0), mask.grad:size(1)})
  end)
end)

gpus.with_one("dropout of attention by tensor cores on CUDA", function()
  local keep = 0.7

  -- Attention whose values are the unit matrix gives its weights (queries, 64).
  local function weights_of(q, k, options)
    torch.manual_seed(11)
    local value = torch.eye(64, {dtype = q.dtype, device = q.device}):view(1, 1, 64, 64)
    return F.scaled_dot_product_attention(q, k, value, options):view(-1, 64)
  end

  it("keeps weights with the probability asked for, divided by it", function()
    local q = torch.zeros(1, 1, 400, 64, {dtype = torch.float16, device = "cuda"})
    local k = torch.zeros(1, 1, 64, 64, {dtype = torch.float16, device = "cuda"})
    local weights = weights_of(q, k, {dropout_p = 1 - keep}):float()
    local kept = weights:ne(0)
    assert(math.abs(kept:float():mean():item() - keep) < 4 * math.sqrt(keep * (1 - keep) / 25600))
    assert(math.abs(weights:max():item() * 64 * keep - 1) < 1e-3)
    for dim = 0, 1 do -- no row or column is favoured
      local share, n = kept:float():mean{dim = dim}, dim == 0 and 400 or 64
      assert((share - keep):abs():max():item() < 4.5 * math.sqrt(keep * (1 - keep) / n))
    end
    local neighbours = kept:narrow(1, 0, 63):eq(kept:narrow(1, 1, 63)):float():mean():item()
    assert(math.abs(neighbours - keep ^ 2 - (1 - keep) ^ 2) < 0.02)
  end)

  it("draws anew at each call, and the same after the same seed", function()
    local q = torch.randn(1, 2, 20, 32, {device = "cuda"}):half()
    local function drawn() return F.scaled_dot_product_attention(q, q, q, {dropout_p = 0.5}) end
    torch.manual_seed(4)
    local first, second = drawn(), drawn()
    torch.manual_seed(4)
    assert(first:equal(drawn()) and second:equal(drawn()))
    assert(not first:equal(second))
    assert.are.equal(0, F.scaled_dot_product_attention(q, q, q, {dropout_p = 1}):abs():max():item())
  end)

  -- The gradients of softmax(q k^T / 8), of which `kept` stay, times value.
  local function by_formula(q, k, v, slope, kept)
    local p = (q:matmul(k:t()) / 8):softmax(-1)
    local slopes = slope:matmul(v:t()) * kept / keep
    local scores = p * (slopes - (p * slopes):sum{dim = -1, keepdim = true}) / 8
    return {(p * kept / keep):matmul(v), scores:matmul(k), scores:t():matmul(q), (p * kept / keep):t():matmul(slope)}
  end

  it("drops the same weights in the backward pass", function()
    torch.manual_seed(6)
    for _, queries in ipairs {50, 150} do
      local q, k, v = torch.randn(queries, 64):half(), torch.randn(64, 64):half(), torch.randn(64, 64):half()
      local slope = torch.randn(queries, 64):half()
      local function four(x) return x:cuda():view(1, 1, -1, 64) end
      local options = {dropout_p = 1 - keep}
      local kept = weights_of(four(q), four(k), options):ne(0):cpu():float()
      torch.manual_seed(11)
      local answer = attend("cuda", torch.float16, {four(q), four(k), four(v)}, four(slope), options)
      for i, x in ipairs(answer) do answer[i] = x:view(-1, 64) end
      close("dropout", by_formula(q:float(), k:float(), v:float(), slope:float(), kept), answer, "float16")
    end
  end)

  it("fails for a probability that is none", function()
    local q = torch.zeros(1, 1, 4, 8, {dtype = torch.float16, device = "cuda"})
    gpus.fails("dropout probability has to be between 0 and 1, but got 1.5", F.scaled_dot_product_attention, q, q, q,
      {dropout_p = 1.5})
  end)
end)

gpus.with_one("backends of attention on CUDA", function()
  local attention, switches = torch.nn.attention, torch.backends.cuda
  local SDPBackend, sdpa_kernel = attention.SDPBackend, attention.sdpa_kernel
  local half = torch.randn(1, 2, 20, 16, {device = "cuda"}):half()
  local single = half:float()
  local missing = "No available kernel. Aborting execution."

  local function usable(q, mask, dropout)
    local params = switches.SDPAParams(q, q, q, mask, dropout or 0.0, false, false)
    return switches.can_use_flash_attention(params), switches.can_use_efficient_attention(params)
  end

  it("are asked if they take a call", function()
    local mask = torch.ones(20, 20, {dtype = torch.bool, device = "cuda"})
    assert.are.same({true, true}, {usable(half)})
    assert.are.same({false, true}, {usable(half, mask)})
    assert.are.same({true, true}, {usable(half, nil, 0.5)})
    assert.are.same({false, true}, {usable(single)})
    assert.are.same({false, false}, {usable(single, nil, 0.5)})
    sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION, function() assert.are.same({false, true}, {usable(half)}) end)
    assert.is_true(switches.is_flash_attention_available())
  end)

  it("compute what they take, and fail for the rest", function()
    local mask = torch.ones(20, 20, {dtype = torch.bool, device = "cuda"})
    local expected = F.scaled_dot_product_attention(single, single, single)
    local function agrees(q, backends, options)
      local _ <close> = sdpa_kernel(backends, options)
      assert((F.scaled_dot_product_attention(q, q, q) - expected):abs():max():item() < 4e-3)
    end
    for _, backend in ipairs {SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION} do
      agrees(half, backend)
      agrees(single, backend)
    end
    agrees(half, SDPBackend.FLASH_ATTENTION)
    agrees(half, {SDPBackend.MATH, SDPBackend.FLASH_ATTENTION}, {set_priority = true})
    local _ <close> = sdpa_kernel(SDPBackend.FLASH_ATTENTION)
    gpus.fails(missing, F.scaled_dot_product_attention, half, half, half, mask)
    gpus.fails(missing, F.scaled_dot_product_attention, single, single, single)
    sdpa_kernel(SDPBackend.CUDNN_ATTENTION, function()
      gpus.fails(missing, F.scaled_dot_product_attention, half, half, half)
    end)
    sdpa_kernel({}, function()
      gpus.fails("No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math " ..
        "kernel and the fused kernels.", F.scaled_dot_product_attention, half, half, half)
    end)
  end)

  it("are tried in the order that set_priority gives", function()
    local q = half:detach():requires_grad_()
    local function node(set_priority)
      local _ <close> = sdpa_kernel({SDPBackend.MATH, SDPBackend.FLASH_ATTENTION}, set_priority)
      return tostring(F.scaled_dot_product_attention(q, q, q).grad_fn)
    end
    assert.is_truthy(node(false):find "FusedAttention")
    assert.is_falsy(node(true):find "FusedAttention")
  end)
end)
