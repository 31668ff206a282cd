-- random_spec.lua: random numbers of a device: what PyTorch's users have published for seeds, and every
-- distribution against a model of its own, here in Lua (spec/support/philox_model.lua).
local torch = require "torch"
local philox = require "philox_model"
local fails = require "gpus".raises
local limit, own_limit, launch, single = philox.limit, philox.own_limit, philox.launch, philox.single
local model, served, places, remainder = philox.sources, philox.served, philox.places, philox.remainder

local section = require("gpus").with_one

local seed, start = 0x123456789abcd, 12
local function generator() return torch.Generator "cuda":manual_seed(seed):set_offset(start) end

-- t:name(..., {generator = g}) against value(x), x being the source's; of all dtypes and sizes given.
local function check(dtype, source, tolerance, sizes, fill, value)
  for _, n in ipairs(sizes) do
    local g = generator()
    local t = torch.empty(n, {device = "cuda", dtype = dtype})
    fill(t, g)
    local l = launch(n, served[source], seed, start)
    local what = ("%s of %d"):format(dtype, n)
    assert.are.equal(start + l.taken, g:get_offset(), what .. ": words taken")
    local host = t:cpu()
    for _, i in ipairs(places(n, l.threads)) do
      local wanted = torch.tensor(value(model[source](l, i)), {dtype = dtype}):item()
      local got = host[i]:item()
      if type(wanted) == "boolean" or tolerance == 0 then
        assert.are.equal(wanted, got, what .. " element " .. i)
      else
        assert(math.abs(wanted - got) <= tolerance * (1 + math.abs(wanted)),
               ("%s element %d: %s, not %s"):format(what, i, got, wanted))
      end
    end
  end
end

local function sizes() return {1, 5, 700, 5 * own_limit() * 256 + 3} end

-- --- published numbers -------------------------------------------------------------------------------------

-- What PyTorch printed: to four digits.
local function prints(wanted, t)
  local got = {}
  t = t:cpu():flatten()
  for i = 0, t:numel() - 1 do got[#got + 1] = ("%.4f"):format(t[i]:item()) end
  local list = {}
  for _, x in ipairs(wanted) do list[#list + 1] = ("%.4f"):format(x) end
  assert.are.same(list, got)
end

section("numbers published for seeds", function()
  local options = {device = "cuda"}

  it("rand, seed 0: NVIDIA/TensorRT-LLM tests/unittest/trt/model/redrafter, open-mmlab/mmdetection3d "
     .. "tests/test_models/test_heads", function()
    torch.manual_seed(0)
    prints({0.3990, 0.5167, 0.0249, 0.9401, 0.9459, 0.7967, 0.4150, 0.8203, 0.2290, 0.9096, 0.1183, 0.0752, 0.4092, 0.9601,
            0.2093, 0.1940, 0.8909, 0.4387, 0.3570, 0.5454, 0.8299, 0.2099, 0.7684, 0.4290, 0.2117, 0.6606, 0.1654, 0.4250,
            0.9927, 0.6964, 0.2472, 0.7028, 0.7494, 0.9303, 0.0494}, torch.rand(5, 7, options))
    prints({0.9722, 0.7910, 0.4690, 0.3300, 0.3345}, torch.rand(5, options))
  end)

  it("randn, seed 10: github.com/pytorch/pytorch/issues/79496", function()
    torch.manual_seed(10)
    prints({-0.1029, 1.6810, -0.2708}, torch.randn(3, options))
  end)

  it("randn, seed 0: gpu-mode/lectures, LoRA on a simple MLP", function()
    torch.manual_seed(0)
    prints({-0.9247, -0.4253, -2.6438, 0.1452, -0.1209, -0.5797, -0.6229, -0.3284,
            -1.0745, -0.3631, -1.6711, 2.2655, 0.3117, -0.1842, 1.2866, 1.1820}, torch.randn(8, 8, options)[":2"])
  end)

  it("randn, seed 42: github.com/pytorch/pytorch/issues/158398", function()
    local x = torch.randn(1, 64, 2048, {device = "cuda", generator = torch.Generator "cuda":manual_seed(42)})[0]
    prints({0.1940, 2.1614, -0.1721}, x["0, :3"])
    prints({1.4540, -2.7733, -0.8932, 0.1124, 0.2769, -1.2535, -1.0001, -1.1552, -0.6955}, x[":3, -3:"])
  end)

  it("normal_, seed 43: github.com/pytorch/pytorch/issues/62467", function()
    local g = torch.Generator "cuda":manual_seed(43)
    local x = torch.empty(1, 3, 128, 128, options):normal_{generator = g}
    prints({1.9983, 0.8704, 2.1127}, x[{"...", 0, 0}])
  end)

  it("normal_(5, 5 ** .5), seed 14: github.com/pytorch/pytorch/issues/97097", function()
    torch.manual_seed(14)
    local x = torch.empty(1000, 100, options):normal_(5, 5 ^ .5)
    prints({2.8731, 5.2727, 2.9889, 3.9968, 3.8097, 5.7328, 6.5552, 4.0857, 4.2315}, x[":3, :3"])
    prints({1.6853, 9.6331, 6.6319, 4.4029, 3.9804, 7.4698, 2.7704, 3.5479, 3.3063}, x[":3, -3:"])
  end)

  -- 108 processors of 2048 threads, 132 of 2048, 48 of 1536: the model gives what these GPUs gave.
  it("large tensors by GPU: A100 and H100 in pytorch/issues/143086, A4000 in 97097", function()
    local n = 49 * 12 * 112 * 144
    local function tail(processors, threads, seed_of, count, mean, deviation)
      local l, list = launch(count, 4, seed_of, 0, limit(processors, threads)), {}
      for i = count - 3, count - 1 do list[#list + 1] = model.normal(l, i) * deviation + mean end
      return torch.tensor(list, {dtype = torch.float64})
    end
    prints({0.1549, -0.6797, -0.1656}, tail(108, 2048, 1, n, 0, 1))
    prints({-0.6970, -0.7780, 0.3267}, tail(132, 2048, 1, n, 0, 1))
    prints({8.2207, 6.5395, 4.2604}, tail(48, 1536, 14, 100000, 5, 5 ^ .5))
  end)

  it("the whole of that tensor on this GPU, as its size has it", function()
    local n = 49 * 12 * 112 * 144
    local x = torch.randn(1, n, {device = "cuda", generator = torch.Generator "cuda":manual_seed(1)})[0]
    prints({-0.2963, 2.6764, -0.1408}, x[":3"])
    local l = launch(n, 4, 1, 0)
    prints({model.normal(l, n - 3), model.normal(l, n - 2), model.normal(l, n - 1)}, x["-3:"])
  end)
end)

-- --- distributions -----------------------------------------------------------------------------------------

section("distributions on a device", function()
  it("uniform", function()
    local function fill(t, g) t:uniform_(-1, 3, {generator = g}) end
    check(torch.float32, "unit", 1e-6, sizes(), fill, function(x) return x * 4 - 1 end)
    check(torch.float64, "wide_unit", 1e-15, sizes(), fill, function(x) return x * 4 - 1 end)
    check(torch.float16, "unit", 1e-3, sizes(), fill, function(x)
      local value = torch.tensor(x * 4 - 1, {dtype = torch.float16}):item()
      return value == 3 and -1.0 or value
    end)
    check(torch.bfloat16, "unit", 0, {5, 700}, function(t, g) t:uniform_{generator = g} end, function(x)
      local value = torch.tensor(x, {dtype = torch.bfloat16}):item()
      return value == 1 and 0.0 or value
    end)
  end)

  it("uniform never reaches its upper bound", function()
    torch.manual_seed(3)
    local x = torch.empty(100000, {device = "cuda", dtype = torch.bfloat16}):uniform_(0, 1)
    assert(x:max():item() < 1)
    assert(x:min():item() == 0) -- where those went that round to 1
  end)

  it("normal and log-normal", function()
    local function fill(t, g) t:normal_(2, 0.5, {generator = g}) end
    check(torch.float32, "normal", 4e-6, sizes(), fill, function(x) return x * 0.5 + 2 end)
    check(torch.float64, "wide_normal", 1e-14, sizes(), fill, function(x) return x * 0.5 + 2 end)
    check(torch.float16, "normal", 1e-3, {5, 700}, fill, function(x) return x * 0.5 + 2 end)
    check(torch.bfloat16, "normal", 8e-3, {5, 700}, fill, function(x) return x * 0.5 + 2 end)
    local function fill_log(t, g) t:log_normal_(0.2, 0.5, {generator = g}) end
    check(torch.float32, "normal", 1e-5, {1, 700}, fill_log, function(x) return math.exp(x * 0.5 + 0.2) end)
    check(torch.float64, "wide_normal", 1e-13, {1, 700}, fill_log, function(x) return math.exp(x * 0.5 + 0.2) end)
  end)

  it("exponential, cauchy, geometric", function()
    local function minus_log(x) return -math.log(x) / 1.5 end
    local function exponential(t, g) t:exponential_(1.5, {generator = g}) end
    check(torch.float32, "unit", 1e-5, sizes(), exponential, minus_log)
    check(torch.float64, "wide_unit", 1e-13, sizes(), exponential, minus_log)
    check(torch.float16, "unit", 1e-3, {700}, exponential, minus_log)
    local function turn(x) return 1 + 2 * math.tan(math.pi * (x - 0.5)) end
    check(torch.float32, "unit", 2e-4, {1, 700}, function(t, g) t:cauchy_(1, 2, {generator = g}) end, turn)
    check(torch.float64, "wide_unit", 1e-10, {1, 700}, function(t, g) t:cauchy_(1, 2, {generator = g}) end, turn)
    local function trials(x) return math.ceil(math.log(x) / math.log(1 - 0.2)) + 0.0 end
    for _, dtype in ipairs{torch.float32, torch.int32, torch.int64, torch.uint8, torch.bfloat16} do
      check(dtype, "unit", 0, {1, 700}, function(t, g) t:geometric_(0.2, {generator = g}) end, trials)
    end
    check(torch.float64, "wide_unit", 0, {1, 700}, function(t, g) t:geometric_(0.2, {generator = g}) end, trials)
  end)

  it("exponential is never 0, nor infinite", function()
    torch.manual_seed(5)
    for _, dtype in ipairs{torch.float16, torch.float32} do
      local x = torch.empty(300000, {device = "cuda", dtype = dtype}):exponential_()
      assert(x:min():item() > 0)
      assert(x:isfinite():all():item())
    end
  end)

  it("bernoulli with a number", function()
    for _, dtype in ipairs{torch.float32, torch.bool, torch.int64, torch.float16} do
      check(dtype, "unit", 0, sizes(), function(t, g) t:bernoulli_(0.3, {generator = g}) end,
            function(x) return x < single(0.3) and 1 or 0 end)
    end
    check(torch.float64, "wide_unit", 0, sizes(), function(t, g) t:bernoulli_(0.3, {generator = g}) end,
          function(x) return x < 0.3 and 1 or 0 end)
  end)

  it("integers between bounds, of 32 and of 64 bits", function()
    for _, dtype in ipairs{torch.int64, torch.int32, torch.uint8, torch.int8, torch.float32, torch.bfloat16} do
      check(dtype, "bits", 0, {1, 700}, function(t, g) t:random_(3, 90, {generator = g}) end,
            function(x) return x % 87 + 3 end)
    end
    check(torch.int64, "bits", 0, sizes(), function(t, g) t:random_(1000, {generator = g}) end,
          function(x) return x % 1000 end)
    check(torch.int64, "wide_bits", 0, sizes(), function(t, g) t:random_(-5, 1 << 40, {generator = g}) end,
          function(x) return remainder(x, (1 << 40) + 5) - 5 end)
    check(torch.int32, "wide_bits", 0, {700}, function(t, g) t:random_(0, 1 << 28, {generator = g}) end,
          function(x) return x & 0xfffffff end)
  end)

  it("integers of a dtype's range", function()
    for dtype, modulus in pairs{[torch.bool] = 2, [torch.uint8] = 256, [torch.int8] = 128, [torch.int16] = 1 << 15,
        [torch.int32] = 1 << 31, [torch.float16] = 2049, [torch.bfloat16] = 257, [torch.float32] = (1 << 24) + 1} do
      check(dtype, "bits", 0, {1, 700}, function(t, g) t:random_{generator = g} end,
            function(x) return dtype == torch.bool and x % 2 == 1 or dtype ~= torch.bool and x % modulus end)
    end
    check(torch.int64, "wide_bits", 0, {1, 700}, function(t, g) t:random_{generator = g} end,
          function(x) return x & math.maxinteger end)
    check(torch.int64, "wide_bits", 0, {1, 700}, function(t, g) t:random_(math.mininteger, nil, {generator = g}) end,
          function(x) return x end)
    check(torch.int32, "wide_bits", 0, {700},
          function(t, g) t:random_((1 << 31) - (1 << 28), nil, {generator = g}) end,
          function(x) return (x & 0xfffffff) + (1 << 31) - (1 << 28) end)
  end)

  it("factories draw as the methods do", function()
    local function same(make, fill, dtype)
      local a = make{device = "cuda", dtype = dtype, generator = generator()}
      local b = torch.empty(3, 5, {device = "cuda", dtype = dtype})
      fill(b, generator())
      assert(a:equal(b))
    end
    same(function(o) return torch.rand(3, 5, o) end, function(t, g) t:uniform_{generator = g} end, torch.float64)
    same(function(o) return torch.randn(3, 5, o) end, function(t, g) t:normal_{generator = g} end, torch.float32)
    same(function(o) return torch.randint(2, 9, {3, 5}, o) end, function(t, g) t:random_(2, 9, {generator = g}) end,
         torch.int16)
    same(function(o) return torch.normal(1.0, 2.0, {3, 5}, o) end, function(t, g) t:normal_(1, 2, {generator = g}) end,
         torch.float32)
    local like = torch.zeros(3, 5, {device = "cuda"})
    for name, fill in pairs{rand_like = "uniform_", randn_like = "normal_"} do
      torch.manual_seed(8)
      local a = torch[name](like)
      torch.manual_seed(8)
      assert(a:equal(torch.empty_like(like)[fill](torch.empty_like(like))))
    end
    local mean, deviation = torch.tensor({1.0, 2.0, 3.0}, {device = "cuda"}), torch.tensor({0.5, 1.0, 2.0}, {device = "cuda"})
    local z = torch.empty(3, {device = "cuda"}):normal_{generator = generator()}
    assert(torch.allclose(torch.normal(mean, deviation, {generator = generator()}), z * deviation + mean))
    fails(function() torch.normal(mean, -deviation) end, "normal expects all elements of std >= 0.0")
  end)

  it("goes along memory, whatever the strides", function()
    local plain = torch.empty(35, {device = "cuda"}):uniform_{generator = generator()}
    local transposed = torch.empty(5, 7, {device = "cuda"}):t():uniform_{generator = generator()}
    assert(transposed:t():flatten():equal(plain))
    local wide = torch.zeros(5, 14, {device = "cuda"})
    wide[{":", "::2"}]:uniform_{generator = generator()}
    assert(wide[{":", "::2"}]:flatten():equal(plain))
    assert(wide[{":", "1::2"}]:eq(0):all():item())
    local cube = torch.empty(7, 1, 5, {device = "cuda"}):permute(2, 1, 0):uniform_{generator = generator()}
    assert(cube:permute(2, 1, 0):flatten():equal(plain))
    local one = torch.empty({}, {device = "cuda"}):uniform_{generator = generator()}
    assert.are.equal(plain[0]:item(), one:item())
    fails(function() torch.empty(3, 1, {device = "cuda"}):expand(3, 4):uniform_() end)
  end)

  it("draws nothing for a tensor without elements", function()
    local g = generator()
    torch.rand(0, 3, {device = "cuda", generator = g})
    torch.empty(0, {device = "cuda"}):normal_{generator = g}
    torch.empty(0, {device = "cuda", dtype = torch.int64}):random_(5, {generator = g})
    assert.are.equal(start, g:get_offset())
  end)
end)

-- --- generators --------------------------------------------------------------------------------------------

section("generators of devices", function()
  local function draw() return torch.rand(4, {device = "cuda"}) end

  it("manual_seed seeds the CPU and the GPUs", function()
    torch.manual_seed(7)
    local a, b = draw(), torch.rand(4)
    torch.manual_seed(7)
    assert(torch.rand(4):equal(b))
    assert(draw():equal(a))
    assert.are.equal(7, torch.cuda.initial_seed())
    torch.cuda.manual_seed(7)
    assert(draw():equal(a))
    torch.cuda.manual_seed_all(7)
    assert(draw():equal(a))
    assert(not draw():equal(a))
    torch.cuda.seed()
    assert(not draw():equal(a))
    torch.cuda.seed_all()
    torch.seed()
    assert.are.equal(torch.initial_seed(), torch.cuda.initial_seed())
  end)

  it("keep states of 16 bytes: seed and offset", function()
    torch.manual_seed(258)
    draw()
    local state = torch.cuda.get_rng_state()
    assert.are.same({2, 1, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}, state:tolist())
    local a = draw()
    torch.cuda.set_rng_state(state)
    assert(draw():equal(a))
    local all = torch.cuda.get_rng_state_all()
    assert.are.equal(torch.cuda.device_count(), #all)
    local b = draw()
    torch.cuda.set_rng_state_all(all)
    assert(draw():equal(b))
    fails(function() torch.cuda.set_rng_state(torch.zeros(5, {dtype = torch.uint8})) end, "RNG state is wrong size")
  end)

  it("are objects", function()
    local g = torch.Generator{device = "cuda"}
    assert.are.equal("cuda:0", tostring(g.device))
    assert.are.equal(67280421310721, g:initial_seed())
    assert.are.equal(0, g:get_offset())
    torch.rand(3, {device = "cuda", generator = g})
    assert.are.equal(4, g:get_offset())
    local twin = g:clone_state()
    assert(torch.rand(3, {device = "cuda", generator = g}):equal(torch.rand(3, {device = "cuda", generator = twin})))
    fails(function() g:set_offset(6) end, "offset must be a multiple of 4")
    fails(function() torch.Generator():get_offset() end, "CPU Generator does not use offset")
    assert(g:seed() ~= 67280421310721)
    assert.are.equal("cpu", tostring(torch.Generator().device))
  end)

  it("fit their device", function()
    fails(function() torch.rand(3, {device = "cuda", generator = torch.Generator()}) end,
                     "Expected a 'cuda' device type for generator but found 'cpu'")
    fails(function() torch.rand(3, {generator = torch.Generator "cuda"}) end,
                     "Expected a 'cpu' device type for generator but found 'cuda'")
    fails(function() torch.randperm(3, {generator = torch.Generator "cuda"}) end,
                     "Expected a 'cpu' device type for generator but found 'cuda'")
  end)

  it("fork_rng leaves no trace on any", function()
    torch.manual_seed(9)
    local a, b = draw(), torch.rand(4)
    torch.manual_seed(9)
    torch.random.fork_rng(function()
      draw()
      torch.rand(4)
    end)
    assert(draw():equal(a))
    assert(torch.rand(4):equal(b))
  end)

  it("are one a GPU", function()
    if torch.cuda.device_count() < 2 then return pending "one GPU" end
    torch.manual_seed(11)
    local a = torch.rand(4, {device = "cuda:0"})
    assert(a:cpu():equal(torch.rand(4, {device = "cuda:1"}):cpu()))
    torch.rand(4, {device = "cuda:1"})
    assert.are.equal(4, torch.cuda.default_generators[0]:get_offset())
    assert.are.equal(8, torch.cuda.default_generators[1]:get_offset())
    assert.are.equal("cuda:1", tostring(torch.cuda.default_generators[1].device))
  end)
end)
