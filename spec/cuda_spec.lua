-- cuda_spec.lua: torch.cuda as scripts see it: cards, streams, events, memory, errors. Runs on a card and on the
-- simulated GPU (TOCHA_CUDA=simulate; the parts for two cards with TOCHA_SIMULATED_GPUS=2).
local torch = require "torch"
local nn, optim, cuda = torch.nn, torch.optim, torch.cuda

local TOCHA = os.getenv "TOCHA" or "build/tocha"
local simulated = os.getenv "TOCHA_CUDA" == "simulate"
local cached = os.getenv "TOCHA_CUDA_CACHE" ~= "off"
local KiB, MiB = 1 << 10, 1 << 20

local function section(title, body, wanted, lack)
  if wanted then return describe(title, body) end
  pending(title .. ": " .. lack)
end
local function with_card(title, body) section(title, body, cuda.is_available(), "no CUDA") end
local function with_two(title, body) section(title, body, cuda.device_count() >= 2, "fewer than two cards") end
local function with_cache(title, body)
  section(title, body, cuda.is_available() and cached, "no CUDA, or no caching allocator")
end

-- The first line of what f raises, and the hint.
local function error_of(f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  err = tostring(err)
  return err:match "^[^\n]*", err:match "\nhint: ([^\n]*)" or ""
end

local function fails(message, f, ...)
  local line, hint = error_of(f, ...)
  assert.are.equal(message, line)
  return hint
end

-- What a program of its own prints, with other variables ("TOCHA_CUDA=off"); and how it ended.
local function run(variables, program, interpreter)
  local script = os.tmpname()
  local file <close> = assert(io.open(script, "w"))
  file:write(program)
  file:close()
  local pipe = assert(io.popen(("env %s %s %s 2>&1"):format(variables, interpreter or TOCHA, script)))
  local printed = pipe:read "a"
  local ended = pipe:close()
  os.remove(script)
  return printed, ended
end

local function prints(expected, variables, program, interpreter)
  local printed, ended = run(variables, program, interpreter)
  assert.are.equal(expected, printed)
  assert.is_truthy(ended)
end

local function on_card(...) return torch.tensor({...}, {device = "cuda"}) end

-- --- the cards ---------------------------------------------------------------------------------------

with_card("torch.cuda", function()
  it("counts and describes the cards", function()
    local p = cuda.get_device_properties(0)
    assert.is_true(cuda.is_available() and cuda.is_initialized())
    assert.are.equal("", cuda.reason())
    assert.is_true(cuda.device_count() >= 1)
    assert.are.equal(0, cuda.current_device())
    assert.are.equal(p.name, cuda.get_device_name())
    assert.are.equal(p.name, cuda.get_device_name "cuda:0")
    local major, minor = cuda.get_device_capability(torch.device("cuda", 0))
    assert.are.equal(p.major, major)
    assert.are.equal(p.minor, minor)
    assert.are.equal(major >= 8, cuda.is_bf16_supported())
    assert.are.equal(32, p.warp_size)
    local free, total = cuda.mem_get_info()
    assert.is_true(free <= total and total <= p.total_memory * 1.01)
    assert.is_truthy(tostring(p):find("^_CudaDeviceProperties%(name='.+', major=%d+, minor=%d+, total_memory=%d+MB"))
  end)

  it("refuses cards that are not there", function()
    local ordinal = "CUDA error: invalid device ordinal"
    for _, index in ipairs{cuda.device_count(), 99, 65536, 1 << 32, 1 << 62} do
      for _, name in ipairs{"set_device", "device", "synchronize", "current_stream", "default_stream", "Stream",
                            "mem_get_info", "memory_allocated", "reset_peak_memory_stats", "get_rng_state"} do
        local ok, err = pcall(cuda[name], index)
        assert(not ok and tostring(err):find(ordinal, 1, true), name .. " took card " .. index)
      end
      fails("Invalid device id", cuda.get_device_properties, index)
    end
    fails("Invalid device id", cuda.get_device_name, -2)
    assert.is_truthy(fails(ordinal, torch.ones, 2, {device = "cuda:99"}):find "cuda:0")
    fails(ordinal, function() return torch.ones(2):cuda(99) end)
    fails("Expected a cuda device, but got: cpu", cuda.synchronize, "cpu")
    fails("device must be torch.device or int, not float", cuda.set_device, 1.5)
    fails("Device index must not be negative", torch.device, "cuda", -1)
    fails("Invalid device string: 'cuda:'", torch.device, "cuda:")
    cuda.set_device(-1) -- changes nothing, as in PyTorch
    assert.are.equal(0, cuda.current_device())
  end)

  it("is torch.accelerator", function()
    local a = torch.accelerator
    assert.is_true(a.is_available())
    assert.are.equal("cuda", tostring(a.current_accelerator()))
    assert.are.equal(cuda.device_count(), a.device_count())
    assert.are.equal(0, a.current_device_index())
    a.set_device_index(0)
    a.synchronize()
    assert.are.equal(cuda.current_stream(), a.current_stream())
    assert.are.equal(cuda.memory_allocated(), a.memory_allocated())
    a.reset_peak_memory_stats()
    a.empty_cache()
    assert.is_true(a.max_memory_allocated() <= a.max_memory_reserved())
  end)

  it("seeds its generators", function()
    local function draw() return torch.rand(5, {device = "cuda"}) end
    cuda.manual_seed(7)
    local first = draw()
    cuda.manual_seed_all(7)
    assert.is_true(first:equal(draw()))
    torch.manual_seed(7)
    assert.is_true(first:equal(draw()))
    assert.is_false(first:equal(draw()))
    local state = cuda.get_rng_state()
    first = draw()
    cuda.set_rng_state(state)
    assert.is_true(first:equal(draw()))
    assert.are.equal(7, cuda.initial_seed())
  end)
end)

-- --- devices of tensors ----------------------------------------------------------------------------------

with_card("devices of tensors", function()
  after_each(function() torch.set_default_device "cpu" end)

  it("are named, compared and printed", function()
    assert.are.equal(torch.device "cuda:0", torch.device("cuda", 0))
    assert.are_not.equal(torch.device "cuda", torch.device "cuda:0")
    assert.are.equal("cuda:0", tostring(torch.ones(1, {device = "cuda"}).device))
    local d = torch.ones(1):cuda().device
    assert.are.equal("cuda", d.type)
    assert.are.equal(0, d.index)
    assert.is_nil(torch.device "cuda".index)
    assert.are.equal(0, on_card(1):get_device())
  end)

  it("are the default where a script says so", function()
    local function place() return tostring(torch.ones(1).device) end
    torch.set_default_device "cuda"
    assert.are.equal("cuda:0", place())
    assert.are.equal("cuda:0", tostring(torch.get_default_device()))
    assert.are.equal("cuda:0", tostring(nn.Linear(2, 2).weight.device))
    torch.set_default_device(nil)
    assert.are.equal("cpu", place())
    do
      local _ <close> = torch.set_default_device "cuda"
      assert.are.equal("cuda:0", place())
    end
    assert.are.equal("cpu", place())
    assert.are.equal("cuda:0", torch.device("cuda", place))
    assert.are.equal("cuda:0", torch.device("cuda", 0, place))
    assert.are.equal("cuda:0", torch.set_default_device("cuda:0", place))
    assert.is_false((pcall(torch.device, "cuda", function() error "no" end)))
    assert.is_false((pcall(torch.device, "cuda", 99, place)))
    assert.are.equal("cpu", place())
    collectgarbage()                         -- a guard that was dropped changes nothing
    torch.set_default_device "cuda"
    collectgarbage()
    assert.are.equal("cuda:0", place())
  end)

  it("change with cuda, cpu, half and to", function()
    local x = torch.arange(6, {dtype = torch.float32}):view(2, 3)
    local there = x:cuda()
    assert.is_true(there.is_cuda and not x.is_cuda)
    assert.is_true(rawequal(there, there:cuda()) or there:cuda():data_ptr() == there:data_ptr())
    assert.are_not.equal(there:data_ptr(), there:to("cuda", {copy = true}):data_ptr())
    assert.is_true(there:cpu():equal(x))
    assert.is_true(x:t():cuda():cpu():equal(x:t()))
    assert.are.equal("torch.float16", tostring(there:half().dtype))
    local y = x:to("cuda", torch.float64, {non_blocking = true, copy = true})
    assert.are.equal("cuda:0 torch.float64", tostring(y.device) .. " " .. tostring(y.dtype))
    assert.is_true(y:to(x):equal(x))                              -- device and dtype of another
    assert.is_true(there["0:2, 1"]:to("cpu"):equal(x["0:2, 1"]))
    assert.is_true(x:view(2, 3, 1):expand(2, 3, 4):cuda():cpu():equal(x:view(2, 3, 1):expand(2, 3, 4)))
    assert.are.equal(0, torch.zeros(0, 3):cuda():cpu():numel())
    local z = torch.zeros(2, 3)
    z:t():copy_(there:t())                                         -- to a strided target
    assert.is_true(z:equal(x))
    there:t():copy_(torch.ones(3, 2))
    assert.are.equal(6, there:sum():item())
    local leaf = torch.ones(2, {requires_grad = true})
    leaf:cuda():mul(3):sum():backward()
    assert.is_true(leaf.grad:equal(torch.tensor{3.0, 3.0}))
  end)

  it("print with their tensors", function()
    local function text(values, options)
      options.device = "cuda"
      return tostring(torch.tensor(values, options))
    end
    assert.are.equal("tensor([1.5000, 2.0000], device='cuda:0')", text({1.5, 2.0}, {}))
    assert.are.equal("tensor([1., 2.], device='cuda:0', dtype=torch.float16)", text({1.0, 2.0}, {dtype = torch.float16}))
    assert.are.equal("tensor([1., 2.], device='cuda:0', dtype=torch.bfloat16)", text({1.0, 2.0}, {dtype = torch.bfloat16}))
    assert.are.equal("tensor([1, 2], device='cuda:0')", text({1, 2}, {}))
    assert.are.equal("tensor([ True, False], device='cuda:0')", text({true, false}, {}))
    assert.are.equal("tensor(3, device='cuda:0')", text(3, {}))
    assert.are.equal("tensor([], device='cuda:0')", text({}, {}))
    assert.are.equal("tensor([], device='cuda:0', size=(2, 0))", tostring(torch.zeros(2, 0, {device = "cuda"})))
    assert.are.equal("tensor([1.], device='cuda:0', requires_grad=True)", text({1.0}, {requires_grad = true}))
    assert.is_truthy(tostring(on_card(1.0):requires_grad_():exp()):find("device='cuda:0', grad_fn=<ExpBackward0>)", 1, true))
    assert.are.equal("tensor([0, 1, 2,  ..., 1997, 1998, 1999], device='cuda:0')",
                     (tostring(torch.arange(2000, {device = "cuda"})):gsub("%[ +", "["):gsub(",  +(%d)", ", %1")))
    assert.are.equal(3, on_card(3):item())
    assert.are.equal("[1, 2]", "[" .. table.concat(on_card(1, 2):tolist(), ", ") .. "]")
  end)

  it("change for modules and their states", function()
    torch.manual_seed(1)
    local model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    local x = torch.rand(5, 3)
    local expected = model(x)
    local weight = model[0].weight
    assert.are.equal(model, model:cuda())
    assert.are.equal(weight, model[0].weight)               -- the same parameters, elsewhere
    assert.is_true(weight.is_cuda and weight.is_leaf and weight.requires_grad)
    assert.is_true(torch.allclose(model(x:cuda()):cpu(), expected, 1e-5, 1e-6))
    local state = model:state_dict()
    assert.is_true(state["0.weight"].is_cuda)
    local other = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    other:load_state_dict(state)                             -- from a card to the CPU
    assert.is_false(other[0].weight.is_cuda)
    assert.is_true(torch.allclose(other(x), expected, 1e-5, 1e-6))
    other:cuda():load_state_dict(model:cpu():state_dict())   -- and back
    assert.is_true(other[0].weight.is_cuda and not model[0].weight.is_cuda)
    assert.are.equal("torch.float16", tostring(other:half()[2].bias.dtype))
    assert.are.equal("cpu torch.float64", tostring(other:to("cpu", torch.float64)[2].bias.device) .. " "
      .. tostring(other[2].bias.dtype))
  end)

  it("may change before and after an optimizer is made", function()
    local function train(moves_first, make)
      torch.manual_seed(2)
      local model = nn.Linear(3, 1)
      if moves_first then model:cuda() end
      local optimizer = make(model:parameters())
      if not moves_first then model:cuda() end
      local x = torch.arange(12, {dtype = torch.float32}):view(4, 3):cuda() / 10
      for _ = 1, 3 do
        optimizer:zero_grad()
        model(x):pow(2):mean():backward()
        optimizer:step()
      end
      return model.weight:detach():cpu()
    end
    for _, make in ipairs{function(p) return optim.SGD(p, {lr = 0.1, momentum = 0.9}) end,
                          function(p) return optim.Adam(p, {lr = 0.1}) end} do
      assert.is_true(train(true, make):equal(train(false, make)))
    end
  end)

  it("scale gradients in mixed precision", function()
    local model = nn.Linear(4, 1):cuda()
    local optimizer, scaler = optim.SGD(model:parameters(), {lr = 0.1}), torch.amp.GradScaler("cuda")
    local x = torch.ones(2, 4, {device = "cuda"})
    local function step(factor)
      optimizer:zero_grad()
      local loss
      do
        local _ <close> = torch.autocast "cuda"
        local y = model(x)
        assert.are.equal("torch.float16", tostring(y.dtype))
        loss = nn.functional.mse_loss(y, torch.zeros(2, 1, {device = "cuda"})) * factor
      end
      scaler:scale(loss):backward()
      scaler:step(optimizer)
      scaler:update()
      return scaler:get_scale()
    end
    local before = model.weight:detach():clone()
    assert.are.equal(32768, step(math.huge))
    assert.is_true(before:equal(model.weight:detach()))
    assert.are.equal(32768, step(1))
    assert.is_false(before:equal(model.weight:detach()))
  end)
end)

-- --- streams and events ---------------------------------------------------------------------------------

with_card("streams", function()
  it("are current, default or new", function()
    local default = cuda.default_stream()
    assert.are.equal(default, cuda.current_stream())
    local side = cuda.Stream()
    assert.are_not.equal(default, side)
    assert.are.equal("cuda:0", tostring(side.device))
    assert.are.equal(0, side.device_index)
    assert.is_truthy(tostring(side):find("^<torch.cuda.Stream device=cuda:0 cuda_stream=0x%x+>$"))
    do
      local _ <close> = cuda.stream(side)
      assert.are.equal(side, cuda.current_stream())
    end
    assert.are.equal(default, cuda.current_stream())
    assert.are.equal(side, cuda.stream(side, function() return cuda.current_stream() end))
    assert.is_false((pcall(cuda.stream, side, function() error "no" end)))
    assert.are.equal(default, cuda.current_stream())
    cuda.stream(nil, function() assert.are.equal(default, cuda.current_stream()) end)
    cuda.set_stream(side)
    assert.are.equal(side, cuda.current_stream())
    cuda.set_stream(default)
    assert.is_truthy(cuda.Stream{priority = -1})
    fails("expected a torch.cuda.Stream, not int", cuda.set_stream, 3)
  end)

  it("wait for each other where a script says so", function()
    local main, side = cuda.current_stream(), cuda.Stream()
    local x = torch.rand(1000, {device = "cuda"})
    for _, wait in ipairs{
      function(later, earlier) later:wait_stream(earlier) end,
      function(later, earlier) later:wait_event(earlier:record_event()) end,
      function(later, earlier)
        local event = cuda.Event()
        event:record(earlier)
        event:wait(later)
      end,
      function(_, earlier) earlier:synchronize() end,
      function() cuda.synchronize() end,
    } do
      wait(side, main)
      local y = cuda.stream(side, function() return x * 2 + 1 end)
      x:record_stream(side)
      wait(main, side)
      assert.is_true(torch.allclose(y:cpu(), x:cpu() * 2 + 1))
    end
    cuda.synchronize()
    assert.is_true(side:query() and main:query())
  end)

  it("take time, which events measure", function()
    local start, stop = cuda.Event{enable_timing = true}, cuda.Event{enable_timing = true}
    assert.is_true(start:query())
    assert.are.equal("<torch.cuda.Event uninitialized>", tostring(start))
    fails("Both events must be recorded before calculating elapsed time.", start.elapsed_time, start, stop)
    start:record()
    local x = torch.rand(100, 100, {device = "cuda"})
    for _ = 1, 5 do x = x:matmul(x) / 50 end
    stop:record()
    stop:synchronize()
    assert.is_true(stop:query())
    local time = start:elapsed_time(stop)
    assert.is_true(time >= 0 and time < 1e5)
    fails("Both events must be created with argument 'enable_timing=True'.", start.elapsed_time, start, cuda.Event())
    start:synchronize()
    for _ = 1, 1000 do cuda.Event():record() end           -- they are freed, too
    collectgarbage()
  end)

  if simulated then
    -- In a process of its own, since the error stays.
    it("that nothing orders are found by the simulator", function()
      local program = [[
        local x = torch.ones(1000, {device = "cuda"})
        local side = torch.cuda.Stream()
        local y = torch.cuda.stream(side, function() return x * 2 end)
        print(pcall(torch.cuda.synchronize))]]
      local printed = run("TOCHA_SIMULATOR_FAULTS=1", program)
      assert.is_truthy(printed:find("unordered: ", 1, true), printed)
      printed = run("TOCHA_SIMULATOR_FAULTS=1", (program:gsub("local y", "side:wait_stream(torch.cuda.current_stream())\n%0")))
      assert.are.equal("true\n", printed)
    end)
  end
end)

with_card("pinned memory", function()
  it("holds copies", function()
    local x = torch.rand(2, 3)
    assert.is_false(x:is_pinned())
    local pinned = x:t():pin_memory()
    assert.is_true(pinned:is_pinned() and pinned:equal(x:t()))
    assert.are.equal(pinned:data_ptr(), pinned:pin_memory():data_ptr())
    assert.is_true(pinned:to("cuda", {non_blocking = true}):cpu():equal(x:t()))
    local back = torch.empty(2, 3):pin_memory()
    back:copy_(x:cuda(), true)
    cuda.synchronize()
    assert.is_true(back:equal(x))
    assert.are.equal(0, torch.empty(0):pin_memory():numel())
    fails("cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned", x:cuda().pin_memory, x:cuda())
  end)

  it("is not used again before its copies are done", function()
    local sum = torch.zeros(1, {device = "cuda"})
    for i = 1, 200 do
      local batch = torch.full({1000}, i):pin_memory():to("cuda", {non_blocking = true})
      sum = sum + batch[999]
    end
    assert.are.equal(20100, sum:item())
  end)

  it("is what a DataLoader gives where it is asked to", function()
    local data = torch.utils.data
    local set = data.TensorDataset(torch.rand(10, 2), torch.arange(10))
    local count = 0
    for x, y in data.DataLoader(set, {batch_size = 4, pin_memory = true}) do
      assert.is_true(x:is_pinned() and y:is_pinned())
      count = count + x:to("cuda", {non_blocking = true}):size(0)
    end
    assert.are.equal(10, count)
    for x in data.DataLoader(set, {batch_size = 4}) do assert.is_false(x:is_pinned()) end
  end)
end)

-- --- memory ---------------------------------------------------------------------------------------------

-- Nothing is cached, and what this process holds is held.
local function settle()
  cuda.synchronize()
  torch._collect()
  torch._collect()
  cuda.empty_cache()
  cuda.reset_peak_memory_stats()
end

with_cache("the caching allocator", function()
  before_each(settle)

  local function figures() return cuda.memory_allocated(), cuda.memory_reserved() end
  -- By how much the figures grow with a tensor of as many bytes.
  local function growth(bytes)
    local allocated, reserved = figures()
    local x = torch.empty(bytes, {dtype = torch.uint8, device = "cuda"})
    local more, taken = figures()
    return more - allocated, taken - reserved, x
  end

  it("rounds requests and segments as PyTorch's", function()
    for _, case in ipairs{ -- request, in tensors, from the card
      {1, 512, 2 * MiB}, {512, 512, 2 * MiB}, {513, 1024, 2 * MiB}, {MiB, MiB, 2 * MiB},
      {MiB + 1, MiB + 512, 20 * MiB}, {5 * MiB, 5 * MiB, 20 * MiB}, {10 * MiB - 512, 10 * MiB - 512, 20 * MiB},
      {10 * MiB, 10 * MiB, 10 * MiB}, {11 * MiB, 12 * MiB, 12 * MiB}, {12 * MiB + 1, 12 * MiB + 512, 14 * MiB},
    } do
      settle()
      local allocated, reserved, x = growth(case[1])
      -- a small request may fit beside what this process holds
      assert.are.equal(case[2], allocated)
      assert(reserved == case[3] or case[1] <= MiB and reserved == 0, ("%d: %d"):format(case[1], reserved))
      x:free()
    end
    local before = figures()
    assert.is_truthy(torch.empty(0, {device = "cuda"}))
    assert.are.equal(before, (figures()))
  end)

  it("uses freed memory again", function()
    local allocated, reserved = figures()
    local x = torch.empty(3 * MiB, {dtype = torch.uint8, device = "cuda"})
    local place = x:data_ptr()
    x:free()
    assert.are.equal(allocated, (figures()))
    assert.are.equal(reserved + 20 * MiB, cuda.memory_reserved())
    x = torch.empty(3 * MiB, {dtype = torch.uint8, device = "cuda"})
    assert.are.equal(place, x:data_ptr())
    x:free()
    cuda.empty_cache()
    assert.are.equal(reserved, cuda.memory_reserved())
  end)

  it("splits segments and joins their parts again", function()
    local parts, places = {}, {}
    for i = 1, 5 do
      parts[i] = torch.empty(4 * MiB, {dtype = torch.uint8, device = "cuda"})
      places[i] = parts[i]:data_ptr()
      assert.are.equal(places[1] + (i - 1) * 4 * MiB, places[i])
    end
    for _, i in ipairs{2, 4, 3} do parts[i]:free() end        -- 2 and 4 join 3
    local x = torch.empty(12 * MiB - 512, {dtype = torch.uint8, device = "cuda"})
    assert.are.equal(places[2], x:data_ptr())
    x:free()
    parts[1]:free()
    parts[5]:free()
    x = torch.empty(20 * MiB, {dtype = torch.uint8, device = "cuda"}) -- all of it
    assert.are.equal(places[1], x:data_ptr())
    x:free()
  end)

  it("keeps a segment that is partly in use", function()
    local _, _, x = growth(4 * MiB)
    local reserved = cuda.memory_reserved()
    growth(4 * MiB)
    torch._collect()
    cuda.empty_cache()
    assert.are.equal(reserved, cuda.memory_reserved())
    x:free()
    cuda.empty_cache()
    assert.are.equal(reserved - 20 * MiB, cuda.memory_reserved())
  end)

  it("notes peaks", function()
    local x = torch.empty(30 * MiB, {dtype = torch.uint8, device = "cuda"})
    x:free()
    assert.is_true(cuda.max_memory_allocated() >= cuda.memory_allocated() + 30 * MiB)
    cuda.empty_cache()
    assert.is_true(cuda.max_memory_reserved() >= cuda.memory_reserved() + 30 * MiB)
    cuda.reset_peak_memory_stats()
    assert.are.equal(cuda.memory_allocated(), cuda.max_memory_allocated())
    assert.are.equal(cuda.memory_reserved(), cuda.max_memory_reserved())
    local stats = cuda.memory_stats()
    assert.are.equal(cuda.memory_allocated(), stats["allocated_bytes.all.current"])
    assert.is_truthy(cuda.memory_summary():find("in tensors", 1, true))
  end)

  it("gives memory of another stream back after its work", function()
    local side = cuda.Stream()
    local x = torch.zeros(4 * MiB, {dtype = torch.uint8, device = "cuda"})
    local place = x:data_ptr()
    side:wait_stream(cuda.current_stream())
    local y = cuda.stream(side, function() return x + 1 end)
    x:record_stream(side)
    x:free()
    -- The side stream may still be at it: the block is not given out before it was seen to be done.
    local z = torch.full({4 * MiB}, 9, {dtype = torch.uint8, device = "cuda"})
    if simulated then assert.are_not.equal(place, z:data_ptr()) end -- nothing has run yet there
    cuda.synchronize()
    assert.are.equal(1, y:max():item())
    z = torch.empty(4 * MiB, {dtype = torch.uint8, device = "cuda"})
    local again = torch.empty(4 * MiB, {dtype = torch.uint8, device = "cuda"})
    assert.is_true(z:data_ptr() == place or again:data_ptr() == place)
  end)

  it("keeps the memory of each stream apart", function()
    local side = cuda.Stream()
    local x = torch.empty(4 * MiB, {dtype = torch.uint8, device = "cuda"})
    local place = x:data_ptr()
    x:free()
    local y = cuda.stream(side, function() return torch.empty(4 * MiB, {dtype = torch.uint8, device = "cuda"}) end)
    assert.are_not.equal(place, y:data_ptr())
  end)
end)

with_card("memory of a card", function()
  before_each(settle)

  it("stays bounded without collectgarbage", function()
    local x = torch.ones(64 * KiB, {device = "cuda"})        -- 256 KiB
    local before = cuda.memory_allocated()
    for _ = 1, 10000 do local _ = x:clone() end
    assert.is_true(cuda.max_memory_allocated() - before < 128 * MiB)
  end)

  it("is the same after more steps of training", function()
    local model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)):cuda()
    local optimizer = optim.Adam(model:parameters())
    local x, y = torch.rand(32, 4, {device = "cuda"}), torch.rand(32, 1, {device = "cuda"})
    local function train(steps)
      for _ = 1, steps do
        optimizer:zero_grad()
        nn.functional.mse_loss(model(x), y):backward()
        optimizer:step()
      end
      torch._collect()
      torch._collect()
      return cuda.memory_allocated()
    end
    local before = train(50)
    assert.are.equal(before, train(500))
  end)

  it("goes with <close> and free", function()
    local before = cuda.memory_allocated()
    do
      local _ <close> = torch.ones(1000, {device = "cuda"})
      assert.is_true(cuda.memory_allocated() >= before + 4000)
    end
    assert.are.equal(before, cuda.memory_allocated())
  end)

  if simulated then
    local full = "TOCHA_SIMULATED_GPUS=1 TOCHA_SIMULATED_MEMORY=64M TOCHA_CUDA_CACHE=on"

    it("may be full: the error has the figures, and the session goes on", function()
      prints("CUDA out of memory. Tried to allocate 40.00 MiB. GPU 0 has a total capacity of 64.00 MiB of which 24.00 MiB "
        .. "is free. Of the allocated memory 40.00 MiB is allocated by Tocha, and 0 bytes is reserved by Tocha but "
        .. "unallocated.\n1\ttrue\ttrue\n0\t41943040\n3\n", full, [[
        local x = torch.empty(40 << 20, {dtype = torch.uint8, device = "cuda"})
        local ok, err = pcall(torch.empty, 40 << 20, {dtype = torch.uint8, device = "cuda"})
        print(tostring(err):match "^[^\n]*")
        local stats = torch.cuda.memory_stats()
        print(stats.num_ooms // stats.num_ooms, stats.num_alloc_retries > 0, stats.num_ooms > 0)
        x:free()
        print(torch.cuda.memory_allocated(), torch.cuda.memory_reserved())
        print(torch.ones(3, {device = "cuda"}):sum():cpu():item() // 1 | 0)]])
    end)

    it("may be full of garbage, which is collected first", function()
      prints("true\ttrue\n", full, [[
        collectgarbage "stop"
        for _ = 1, 40 do local _ = torch.empty(8 << 20, {dtype = torch.uint8, device = "cuda"}) end
        local most = torch.empty(60 << 20, {dtype = torch.uint8, device = "cuda"})
        print(most.is_cuda, torch.cuda.memory_stats().num_alloc_retries > 0)]])
    end)

    it("may be full of what is cached in other sizes", function()
      prints("41943040\n", full, [[
        local parts = {}
        for i = 1, 50 do parts[i] = torch.empty(1 << 20, {dtype = torch.uint8, device = "cuda"}) end
        for i = 1, 50 do parts[i]:free() end
        local x = torch.empty(40 << 20, {dtype = torch.uint8, device = "cuda"})
        print(torch.cuda.memory_allocated())]])
    end)

    it("may be full in a step of training, which can be repeated with less", function()
      prints("false\ttrue\n", full, [[
        local model = torch.nn.Linear(1000, 1000):cuda()
        local function step(n) model(torch.ones(n, 1000, {device = "cuda"})):sum():backward() return true end
        print(pcall(step, 20000) , (select(2, pcall(step, 100))))]])
    end)
  end
end)

-- --- mistakes --------------------------------------------------------------------------------------------

with_card("mistakes with devices", function()
  local places = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"

  it("name both devices, and the cure", function()
    local here, there = torch.ones(2, 2), torch.ones(2, 2, {device = "cuda"})
    for _, f in ipairs{function(a, b) return a + b end, function(a, b) return a:mm(b) end,
                       function(a, b) return torch.cat{a, b} end, function(a, b) return nn.functional.mse_loss(a, b) end,
                       function(a, b) return torch.where(a:gt(0), a, b) end} do
      for _, pair in ipairs{{there, here}, {here, there}} do
        local ok, err = pcall(f, pair[1], pair[2])
        assert.is_false(ok)
        assert.is_truthy(tostring(err):find("Expected all tensors to be on the same device", 1, true), tostring(err))
      end
    end
    assert.is_truthy(fails(places, function() return there + here end):find(':to("cuda:0")', 1, true))
    assert.are.equal(8, (there + torch.tensor(1)):sum():item()) -- a number of the CPU may join
    fails("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
          there.numpy, there)
  end)

  it("name the module and the move that is missing", function()
    local Net = nn.Module:extend "Net"
    function Net:init() self.layers = nn.Sequential(nn.ReLU(), nn.Linear(2, 2)) end
    function Net:forward(x) return self.layers(x) end
    local net = Net():cuda()
    local ok, err = pcall(function() return net(torch.ones(1, 2)) end)
    assert.is_false(ok)
    err = tostring(err)
    assert.are.equal(places, err:match "^[^\n]*")
    assert.is_truthy(err:find("in net.layers.1 (Linear)", 1, true), err)
    assert.is_truthy(err:find('hint: the module\'s parameters are on cuda:0 and its input is on cpu: write input:to("cuda:0")',
                              1, true), err)
  end)

  it("with indices are errors at the next wait, and harmless then", function()
    local x, bad = torch.arange(4, {device = "cuda"}), on_card(1, 9)
    local message = "%s(): index 9 is out of bounds for dimension 0 with size 4"
    local waits = {function() cuda.synchronize() end, function(y) return y:cpu() end,
                   function(y) return y:sum():item() end, function(y) return tostring(y) end,
                   function() cuda.current_stream():synchronize() end,
                   function()
                     local event = cuda.Event()
                     event:record()
                     event:synchronize()
                   end}
    for _, wait in ipairs(waits) do
      fails(message:format "index", function() wait(x[bad]) end)
      assert.are.equal(6, x:sum():item())
    end
    fails(message:format "gather", function() waits[1](x:gather(0, bad)) end)
    fails(message:format "index_select", function() waits[1](x:index_select(0, bad)) end)
    cuda.synchronize()
  end)

  it("with dtypes and shapes are those of the CPU", function()
    for _, f in ipairs{function(d) return torch.ones(2, 3, d):mm(torch.ones(2, 3, d)) end,
                       function(d) return torch.ones(2, d) + torch.ones(3, d) end,
                       function(d) return torch.ones(2, d):view(3) end,
                       function(d) return torch.ones(2, d)[5] end,
                       function(d) return torch.ones(2, d):sum(4) end} do
      assert.are.equal((error_of(f, {device = "cpu"})), (error_of(f, {device = "cuda"})))
    end
  end)
end)

with_two("two cards", function()
  after_each(function() cuda.set_device(0) end)

  it("are current in turn", function()
    cuda.set_device(1)
    assert.are.equal(1, cuda.current_device())
    assert.are.equal("cuda:1", tostring(torch.ones(1):cuda().device))
    assert.are.equal("cuda:1", tostring(torch.ones(1, {device = "cuda"}).device))
    cuda.set_device "cuda:0"
    do
      local _ <close> = cuda.device(1)
      assert.are.equal(1, cuda.current_device())
    end
    assert.are.equal(0, cuda.current_device())
    assert.are.equal("cuda:1", cuda.device(1, function() return tostring(torch.ones(1, {device = "cuda"}).device) end))
    local side = cuda.Stream(1)
    assert.are.equal("cuda:1", tostring(side.device))
    cuda.stream(side, function() assert.are.equal(1, cuda.current_device()) end)
    assert.are.equal(0, cuda.current_device())
    assert.is_false(torch.device "cuda:0" == torch.device "cuda:1")
  end)

  it("copy from one to the other", function()
    local x = torch.arange(6, {dtype = torch.float32}):view(2, 3)
    local first, second = x:to "cuda:0", x:to "cuda:1"
    assert.is_true(first:to "cuda:1":equal(second))
    assert.is_true(first:t():to("cuda:1", torch.float64):cpu():equal(x:t():double()))
    second:zero_()
    second:t():copy_(first:t() + 1)
    assert.is_true(second:cpu():equal(x + 1))
    local y = first
    for i = 1, 50 do y = (y + 1):to("cuda:" .. i % 2) end    -- each copy waits for the work before it
    assert.is_true(y:cpu():equal(x + 50))
    local leaf = torch.ones(2, {requires_grad = true, device = "cuda:0"})
    leaf:to "cuda:1":mul(3):sum():backward()
    assert.are.equal("tensor([3., 3.], device='cuda:0')", tostring(leaf.grad))
    assert.are.equal(cuda.can_device_access_peer(0, 1), cuda.can_device_access_peer(1, 0))
  end)

  it("are not mixed", function()
    local a, b = torch.ones(2, {device = "cuda:0"}), torch.ones(2, {device = "cuda:1"})
    fails("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!",
          function() return a + b end)
    assert.is_true((a + torch.tensor(1, {device = "cpu"})).is_cuda)
  end)

  it("have memory, streams and events of their own", function()
    local before, other = cuda.memory_allocated(0), cuda.memory_allocated(1)
    local x = torch.empty(1 << 20, {device = "cuda:1"})
    assert.are.equal(before, cuda.memory_allocated(0))
    assert.are.equal(other + (4 << 20), cuda.memory_allocated "cuda:1")
    x:record_stream(cuda.Stream(0))                             -- a stream of another card
    x:free()
    local event = cuda.Event()
    event:record(cuda.current_stream(1))
    cuda.current_stream(0):wait_event(event)
    fails("Event device 1 does not match recording stream's device 0.", event.record, event, cuda.current_stream(0))
    cuda.synchronize(1)
    cuda.synchronize(0)
  end)

  it("report bad indices each for itself", function()
    local x, bad = torch.arange(4, {device = "cuda:1"}), torch.tensor({9}, {device = "cuda:1"})
    local _ = x[bad]
    cuda.synchronize(0)
    fails("index(): index 9 is out of bounds for dimension 0 with size 4", cuda.synchronize, 1)
    assert.are.equal(6, x:sum():item())
  end)
end)

-- --- without a card, and at the end ----------------------------------------------------------------------

describe("CUDA in other processes", function()
  local no_driver = "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a "
    .. "driver from http://www.nvidia.com/Download/index.aspx\n"

  it("is not there where it is switched off", function()
    prints("false\t0\t0\n" .. no_driver:rep(2) .. "nil\tfalse\n6.0\n", "TOCHA_CUDA=off", [[
      print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.memory_allocated())
      local function first_line(f, ...) print((tostring(select(2, pcall(f, ...))):match "^[^\n]*")) end
      first_line(torch.ones, 2, {device = "cuda"})
      first_line(torch.cuda.synchronize)
      print(torch.accelerator.current_accelerator(), torch.cuda.is_bf16_supported())
      torch.cuda.empty_cache()
      torch.cuda.manual_seed_all(3)
      torch.manual_seed(3)
      local net = torch.nn.Linear(2, 1)
      print(torch.arange(4):sum():item() + 0.0)]])
    local printed = run("TOCHA_CUDA=off", "print(pcall(torch.ones, 2, {device = 'mps'}))")
    assert.is_truthy(printed:find("The MPS backend is supported on MacOS 14.0+", 1, true), printed)
    printed = run("TOCHA_CUDA=off", "torch.ones(2):cuda()")
    assert.is_truthy(printed:find("hint: choose the device with torch.cuda.is_available()", 1, true), printed)
    local pipe = assert(io.popen("TOCHA_CUDA=off " .. TOCHA .. " --doctor 2>&1"))
    printed = pipe:read "a"
    pipe:close()
    assert.is_truthy(printed:find("not available: the environment says TOCHA_CUDA=off", 1, true), printed)
  end)

  it("is not there where its library is missing", function()
    local folder = os.tmpname()
    os.remove(folder)
    os.execute(("mkdir %s && cp -L %s $(dirname %s)/libtocha.so.0 %s"):format(folder, TOCHA, TOCHA, folder))
    for _, variable in ipairs{"TOCHA_CUDA=simulate", "TOCHA_CUDA="} do
      prints("false\n3.0\n", variable .. " LD_LIBRARY_PATH=", [[
        print(torch.cuda.is_available())
        print(torch.ones(3):sum():item())]], folder .. "/tocha")
      local pipe = assert(io.popen(("%s %s/tocha --doctor 2>&1"):format(variable, folder)))
      local printed = pipe:read "a"
      pipe:close()
      assert.is_truthy(printed:find("libtocha_cuda[_a-z]*%.so is not there"), printed)
    end
    os.execute("rm -r " .. folder)
  end)

  it("is linked by nothing", function()
    local pipe = assert(io.popen(("ldd %s $(dirname %s)/libtocha.so.0 2>&1"):format(TOCHA, TOCHA)))
    local printed = pipe:read "a"
    pipe:close()
    assert.is_truthy(printed:find("libtocha", 1, true), printed)
    assert.is_nil(printed:lower():find "cuda" or printed:lower():find "cublas")
  end)

  if cuda.is_available() then
    local stock = ("lua5.4 -e 'package.cpath = \"%s/?.so;;\" torch = require \"torch\"'"):format(TOCHA:match "^(.*)/" or ".")

    it("may be left with work under way", function()
      for _, interpreter in ipairs{TOCHA, stock} do
        prints("", "", [[
          local x = torch.rand(100, 100, {device = "cuda"})
          kept = {x, x:matmul(x), torch.cuda.Stream(), torch.cuda.Event(), torch.rand(10):pin_memory()}
          for i = 1, 20 do kept[#kept + 1] = x * i end
          kept[4]:record()
          kept[5]:to("cuda", {non_blocking = true})
          kept[#kept + 1] = x[torch.tensor({500}, {device = "cuda"})]
          model = torch.nn.Linear(100, 3):cuda()
          model(x):sum():backward()
          optimizer = torch.optim.Adam(model:parameters())
          optimizer:step()
          torch.set_default_device "cuda"
          guard = torch.cuda.stream(kept[3])]], interpreter)
        prints("", "", [[
          local x = torch.rand(100, 100, {device = "cuda"})
          local y = x:matmul(x)
          os.exit(0, true)]], interpreter)
      end
    end)

    it("is closed with an error as well", function()
      local printed, ended = run("", [[local x = torch.ones(3, {device = "cuda"}) * 2 error "end"]])
      assert.is_truthy(printed:find("end", 1, true))
      assert.is_falsy(ended)
    end)
  end
end)
