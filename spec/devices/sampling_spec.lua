-- sampling_spec.lua: choices at random on a device, against a model in Lua (spec/support/philox_model.lua): bernoulli, permutations,
-- categories, dropout.
local torch = require "torch"
local philox = require "philox_model"
local fails = require "gpus".raises
local own_limit, launch, words, unit = philox.own_limit, philox.launch, philox.words, philox.unit
local model, places, remainder = philox.sources, philox.places, philox.remainder
local F = torch.nn.functional

local section = require("gpus").with_one

local seed, start = 0x123456789abcd, 12
local function generator() return torch.Generator "cuda":manual_seed(seed):set_offset(start) end

-- --- choices -----------------------------------------------------------------------------------------------

section("choices on a device", function()
  -- Four neighbours a thread share a block of words.
  local function bernoulli(n, p)
    local list, l = {}, {seed = seed, offset = start}
    for i = 0, n - 1 do list[i + 1] = unit(words(l, i // 4, 0)[i % 4 + 1]) <= p(i) and 1 or 0 end
    return torch.tensor(list, {dtype = torch.float32})
  end

  it("bernoulli with a probability an element", function()
    local n = 3001
    local p = torch.rand(n)
    local g = generator()
    local wanted = bernoulli(n, function(i) return p[i]:item() end)
    local got = torch.bernoulli(p:cuda(), {generator = g})
    assert(wanted:equal(got:cpu()))
    assert.are.equal(start + 12, g:get_offset())
    local whole = torch.zeros(n, {device = "cuda", dtype = torch.int32}):bernoulli_(p:cuda(), {generator = generator()})
    assert(wanted:int():equal(whole:cpu()))
    local double = torch.bernoulli(p:double():cuda(), {generator = generator()})
    assert(wanted:double():equal(double:cpu()))
    local row = torch.tensor({0.0, 0.5, 1.0}, {device = "cuda"})
    local many = torch.empty(40, 3, {device = "cuda"}):bernoulli_(row, {generator = generator()})
    assert(bernoulli(120, function(i) return ({0.0, 0.5, 1.0})[i % 3 + 1] end):equal(many:flatten():cpu()))
    local odds = torch.rand(3, 40)
    local transposed = torch.empty(3, 40, {device = "cuda"}):t():bernoulli_(odds:cuda():t(), {generator = generator()})
    local flat = odds:flatten()
    assert(bernoulli(120, function(i) return flat[i]:item() end):equal(transposed:t():flatten():cpu()))
    fails(function() torch.zeros(3, {device = "cuda"}):bernoulli_(torch.ones(3, {device = "cuda", dtype = torch.int64})) end,
                     "expected probabilities tensor to have floating type, got Long")
  end)

  -- Sorted by keys of so many bits; what has equal keys is shuffled by the first of them.
  local function permutation(n)
    local bits = math.ceil(math.log(n - (6 * n * n + 1) / (12 * math.log(0.9)), 2))
    local wide = bits > 32
    local l, keys, order = launch(n, 2, seed, start), {}, {}
    for i = 0, n - 1 do
      local x = model.wide_bits(l, i)
      local key
      if wide then
        key = x == -1 and math.mininteger or x + math.mininteger
      else
        key = remainder(x, 0xffffffff) - (1 << 31)
      end
      keys[i], order[i + 1] = key & ((1 << bits) - 1), i
    end
    table.sort(order, function(a, b) return keys[a] < keys[b] or keys[a] == keys[b] and a < b end)
    local ties, shuffle = 0, {seed = seed, offset = start + l.taken}
    local i = 1
    while i <= n do
      local last = i
      while last < n and keys[order[last + 1]] == keys[order[i]] do last = last + 1 end
      local taken = 0
      for k = last - i, 1, -1 do
        local word = words(shuffle, i - 1, taken // 4)[taken % 4 + 1]
        local other = i + word % (k + 1)
        order[i + k], order[other] = order[other], order[i + k]
        taken, ties = taken + 1, ties + 1
      end
      i = last + 1
    end
    return order, start + l.taken + (n + 3) // 4 * 4, ties
  end

  it("randperm", function()
    for _, n in ipairs{1, 2, 10, 257, 3000, 31000} do
      local g = generator()
      local got = torch.randperm(n, {device = "cuda", generator = g})
      local order, offset = permutation(n)
      assert.are.equal("torch.int64", tostring(got.dtype))
      assert(torch.tensor(order):equal(got:cpu()), "randperm of " .. n)
      assert.are.equal(offset, g:get_offset())
    end
    assert.are.equal(0, torch.randperm(0, {device = "cuda"}):numel())
    assert.are.equal("torch.float32", tostring(torch.randperm(9, {device = "cuda", dtype = torch.float32}).dtype))
  end)

  it("randperm shuffles equal keys", function()
    local old, seen = seed, 0
    for s = 1, 60 do
      seed = s
      local order, _, ties = permutation(40)
      if ties > 0 then
        seen = seen + 1
        local got = torch.randperm(40, {device = "cuda", generator = generator()})
        assert(torch.tensor(order):equal(got:cpu()), "seed " .. s)
      end
    end
    seed = old
    assert(seen > 0)
  end)

  it("multinomial without replacement: the greatest of weight / exponential", function()
    local weights = torch.rand(4, 50)
    local shares = weights / torch.empty(4, 50, {device = "cuda"}):exponential_(1, {generator = generator()}):cpu()
    local got = torch.multinomial(weights:cuda(), 5, {generator = generator()})
    local _, wanted = shares:topk(5)
    assert(wanted:equal(got:cpu()))
    local one = torch.multinomial(weights:cuda(), 1, true, {generator = generator()})
    assert(shares:argmax(-1, true):equal(one:cpu()))
  end)

  it("multinomial with replacement: the running sum is searched", function()
    local weights = torch.tensor{{0.0, 1, 2, 0, 5, 0}, {3.0, 0, 0, 1, 0, 0}}
    local sums = weights:cumsum(1) / weights:sum(1, true)
    local g = generator()
    local got = torch.multinomial(weights:cuda(), 300, true, {generator = g}):cpu()
    assert.are.equal(start + 4, g:get_offset())
    local l = {seed = seed, offset = start}
    for row = 0, 1 do
      for i = 0, 299 do
        local x, category = unit(words(l, row * 384 + i, 0)[1]), 0
        while category < 5 and sums[{row, category}]:item() < x do category = category + 1 end
        assert.are.equal(category, got[{row, i}]:item())
      end
    end
    local flat = torch.multinomial(weights[1]:half():cuda(), 20, true):cpu()
    assert(flat:eq(0):logical_or(flat:eq(3)):all():item())
    assert.are.equal("torch.Size([20])", tostring(flat.shape))
  end)

  it("multinomial does not wait; what is no distribution is refused at the next wait", function()
    local function refuses(message, weights, samples, replacement)
      torch.multinomial(torch.tensor(weights, {device = "cuda"}), samples or 1, replacement or false)
      fails(torch.cuda.synchronize, message)
    end
    local wrong = "probability tensor contains either `inf`, `nan` or element < 0"
    refuses(wrong, {1.0, -1.0})
    refuses(wrong, {1.0, 0 / 0})
    refuses(wrong, {1.0, 1 / 0}, 4, true)
    refuses(wrong, {{0.0, 0.0}, {1.0, 0 / 0}}, 2)
    refuses("invalid multinomial distribution (sum of probabilities <= 0)", {{1.0, 0.0}, {0.0, 0.0}})
    assert.are.equal(1, torch.multinomial(torch.tensor({0.0, 2.0}, {device = "cuda"}), 1):item())
  end)
end)

-- --- dropout -----------------------------------------------------------------------------------------------

section("dropout on a device", function()
  -- Which of n elements, in the order in which they are taken, stay. width: how many a thread takes in a row.
  local function kept(n, width, keep)
    local l, list = launch(n, 4, seed, start), {}
    for i = 0, n - 1 do
      local thread, slot, lane
      if width == 1 then
        thread, slot, lane = i % l.threads, i // l.threads // 4, i // l.threads % 4
      else
        local group = i // width
        local per = (width + 3) // 4
        thread, slot = group % l.threads, group // l.threads * per + i % width // 4
        lane = i % width % 4
      end
      list[i + 1] = unit(words(l, thread, slot)[lane + 1]) < keep and 1 or 0
    end
    return torch.tensor(list, {dtype = torch.float64}), l.taken
  end

  local function draw(x, p)
    torch.cuda.manual_seed(seed)
    torch.cuda.default_generators[0]:set_offset(start)
    return F.dropout(x, p)
  end

  it("takes what its width says", function()
    for _, case in ipairs{{torch.float32, 4000, 4}, {torch.float32, 1002, 2}, {torch.float32, 1001, 1}, {torch.float64, 600, 2},
        {torch.float64, 601, 1}, {torch.float16, 4000, 8}, {torch.bfloat16, 1004, 4}, {torch.float16, 17, 1}} do
      local dtype, n, width = table.unpack(case)
      local keep, taken = kept(n, width, 0.75)
      local x = torch.ones(n, {device = "cuda", dtype = dtype})
      local y = draw(x, 0.25)
      local scale = torch.tensor(1 / 0.75, {dtype = dtype == torch.float64 and dtype or torch.float32}):to(dtype):item()
      assert((keep * scale):to(dtype):equal(y:cpu()), tostring(dtype) .. " " .. n)
      assert.are.equal(start + taken, torch.cuda.default_generators[0]:get_offset())
    end
  end)

  it("takes fewer in a row where the input is not aligned", function()
    local x = torch.ones(4002, {device = "cuda"})
    assert((kept(4000, 2, 0.5) * 2):float():equal(draw(x["2:"], 0.5):cpu()))
    assert((kept(4000, 1, 0.5) * 2):float():equal(draw(x["1:4001"], 0.5):cpu()))
  end)

  it("takes turns where a launch has fewer threads than elements", function()
    local n = 5 * own_limit() * 256
    local y = draw(torch.ones(n + 1, {device = "cuda"}), 0.5):cpu() -- odd: one element a thread
    local l = launch(n + 1, 4, seed, start)
    for _, i in ipairs(places(n + 1, l.threads)) do
      assert.are.equal(model.unit(l, i) < 0.5 and 2.0 or 0.0, y[i]:item(), "element " .. i)
    end
    local rows = draw(torch.ones(n, {device = "cuda"}), 0.5):cpu()
    for _, i in ipairs{0, 5, n // 2, 4 * l.threads - 1, 4 * l.threads, n - 1} do
      local group = i // 4
      local word = words(l, group % l.threads, group // l.threads)[i % 4 + 1]
      assert.are.equal(unit(word) < 0.5 and 2.0 or 0.0, rows[i]:item(), "element " .. i)
    end
  end)

  it("goes along memory where that is dense, else along indices", function()
    local dense = torch.ones(6, 10, {device = "cuda"}):t()
    assert((kept(60, 4, 0.5) * 2):float():equal(draw(dense, 0.5):t():flatten():cpu()))
    assert.are.same(dense:stride(), draw(dense, 0.5):stride())
    local odd = torch.ones(7, 5, {device = "cuda"}):t()
    assert((kept(35, 1, 0.5) * 2):float():equal(draw(odd, 0.5):flatten():cpu()))
    local gaps = torch.ones(6, 20, {device = "cuda"})[{":", "::2"}]
    assert((kept(60, 1, 0.5) * 2):float():equal(draw(gaps, 0.5):flatten():cpu()))
    local repeated = torch.ones(6, 1, {device = "cuda"}):expand(6, 10)
    assert((kept(60, 1, 0.5) * 2):float():equal(draw(repeated, 0.5):flatten():cpu()))
  end)

  it("has the mask's gradient, and its gradient's", function()
    local x = torch.rand(30, 4, {device = "cuda", requires_grad = true})
    local y = draw(x, 0.5)
    assert(tostring(y.grad_fn):find "^<NativeDropoutBackward0")
    local weight = torch.rand(30, 4, {device = "cuda", requires_grad = true})
    local grad = torch.autograd.grad(y, x, {grad_outputs = weight, create_graph = true})
    if type(grad) == "table" then grad = grad[1] end
    assert(torch.allclose(grad, weight:detach() * y:detach() / x:detach()))
    grad:sum():backward()
    assert(torch.allclose(weight.grad, y:detach() / x:detach()))
  end)

  it("leaves what it should leave", function()
    local g = torch.cuda.default_generators[0]
    local x = torch.rand(8, {device = "cuda"})
    torch.cuda.manual_seed(1)
    assert(rawequal(F.dropout(x, 0.5, false), x) or F.dropout(x, 0.5, false):equal(x))
    assert(F.dropout(x, 0.0):equal(x))
    assert(F.dropout(x, 1.0):eq(0):all():item())
    assert.are.equal(0, F.dropout(torch.empty(0, {device = "cuda"})):numel())
    assert.are.equal(0, g:get_offset())
    local y = x:clone()
    F.dropout(y, 0.5, true, true)
    assert(y:eq(0):logical_or(torch.isclose(y, 2 * x)):all():item())
    local z = F.dropout2d(torch.ones(4, 3, 5, 5, {device = "cuda"}), 0.5)
    assert(z:amax({2, 3}):equal(z:amin({2, 3})))
    local layer = torch.nn.Dropout(0.5)
    assert(layer(torch.ones(100, {device = "cuda"})):eq(0):any():item())
    layer:eval()
    assert(layer(torch.ones(100, {device = "cuda"})):eq(1):all():item())
  end)
end)
