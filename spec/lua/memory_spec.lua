-- memory_spec.lua: memory without collectgarbage: peaks of loops, failures, early release.
local torch = require "torch"
local programs = require "programs"
local nn, optim = torch.nn, torch.optim

local MiB = 1 << 20

-- How often a long loop runs. With sanitizers a step takes ten times as long, and what they look for shows early.
local function many(count) return os.getenv "ASAN_OPTIONS" and count // 10 or count end

-- Live bytes, and the most of them: the host's, and the GPU's where tensors are there (TOCHA_SPEC_DEVICE).
local on_gpu = torch.get_default_device().type == "cuda"
local function allocated() return torch._memory().allocated + (on_gpu and torch.cuda.memory_allocated() or 0) end
local function most() return torch._memory().max_allocated + (on_gpu and torch.cuda.max_memory_allocated() or 0) end

-- The highest number of live bytes while fn runs, above what was live before.
local function peak(fn)
  torch._collect()
  torch._collect()
  torch._reset_peak_memory()
  if on_gpu then torch.cuda.reset_peak_memory_stats() end
  local before = allocated()
  fn()
  return most() - before
end

describe("memory", function()
  it("20,000 temporaries of 1 MiB stay within 128 MiB", function()
    local x = torch.ones(512, 512)
    assert.is_true(peak(function()
      for _ = 1, many(20000) do local _ = x:clone() end
    end) < 128 * MiB)
  end)

  it("a ring of 100 live tensors of 1 MiB, replaced for 10,000 steps, stays within 300 MiB", function()
    local x = torch.ones(512, 512)
    assert.is_true(peak(function()
      local ring = {}   -- luacheck: ignore
      for step = 0, many(10000) - 1 do ring[step % 100 + 1] = x:clone() end
    end) < 300 * MiB)
  end)

  it("small temporaries do not pile up either", function()
    local a, b = torch.ones(3, 3), torch.ones(3, 3)
    assert.is_true(peak(function()       -- 390 MB in all
      local c
      for _ = 1, many(3000000) do c = a + b end
      return c
    end) < 100 * MiB)
  end)

  it("a large Lua heap makes collections neither dear nor rare", function()
    local heap = {}   -- luacheck: ignore
    for i = 1, 300000 do heap[i] = {i} end
    local x, before = torch.ones(512, 512), nil
    local bytes = peak(function()
      before = torch._memory()
      for _ = 1, many(2000) do local _ = x:clone() end   -- two kinds of calls: the register of one keeps the last result
      for _ = 1, many(2000) do local _ = x + x end
      for _ = 1, many(2000) do local _ = x * x + x end
    end)
    assert.is_true(bytes < 64 * MiB, bytes .. " bytes")
    local full = torch._memory().full_collections - before.full_collections
    assert.is_true(full <= 60, full .. " full collections")
  end)

  it("large results are collected one by one", function()
    local x = torch.ones(10 * MiB, {dtype = torch.uint8}):reshape(-1)
    local bytes = peak(function()
      for _ = 1, many(200) do local _ = x + x end
    end)
    assert.is_true(bytes <= 64 * MiB, bytes .. " bytes")
  end)

  it("a training loop of 10,000 steps keeps its size", function()
    torch.manual_seed(0)
    local model = nn.Sequential(nn.Linear(1, 10), nn.ReLU(), nn.Linear(10, 1))
    local loss_fn, optimizer = nn.MSELoss(), optim.SGD(model:parameters(), {lr = 0.01})
    local x = torch.rand(64, 1)
    local y = x * 2
    local function train(steps)
      for _ = 1, steps do
        optimizer:zero_grad()
        loss_fn(model(x), y):backward()
        optimizer:step()
      end
    end
    train(10000)
    local first = peak(function() train(10000) end)
    local second = peak(function() train(10000) end)
    assert.is_true(second < first + 8 * MiB, ("%d, then %d bytes"):format(first, second))
    assert.is_true(second < 32 * MiB, second .. " bytes")
  end)

  it("an allocation that fails is an error, and the smaller one after it succeeds", function()
    local ok, err = pcall(torch.zeros, 1 << 40, 1 << 6)
    assert.is_false(ok)
    assert.matches("allocate", tostring(err))
    assert.are.equal("OutOfMemoryError", err.code)
    assert.are.equal(4, torch.zeros(2, 2):numel())
    assert.are.equal(0, torch.zeros(1000, 1000):sum():item())
  end)

  it("an allocation that fails once is tried again after a collection", function()
    torch._collect()
    local _ = torch.ones(100, 1000)              -- garbage, too little to be collected before memory lacks
    _ = nil
    torch._empty_cache()
    local before = torch._memory().collections
    torch._fail_allocation(0)
    local t = torch.ones(3000, 1000)
    torch._fail_allocation(-1)
    assert.are.equal(3000000, t:sum():item())
    assert.is_true(torch._memory().collections > before)
  end)

  it("every allocation of a training step may fail without harm", function()
    local model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    local x, y = torch.rand(5, 3), torch.tensor{0, 1, 0, 1, 1}
    local loss_fn, optimizer = nn.CrossEntropyLoss(), optim.Adam(model:parameters())
    local function step()
      optimizer:zero_grad()
      local loss = loss_fn(model(x), y)
      loss:backward()
      optimizer:step()
      return loss:item()
    end
    step()
    local finished
    for n = 0, 400 do
      torch._empty_cache()
      torch._fail_allocation(n)
      finished = pcall(step)
      torch._fail_allocation(-1)
    end
    assert.is_true(finished)                  -- past the last allocation it is whole again
    assert.is_true(step() > 0)
  end)

  it("a convolution in groups takes memory for a few of them at a time", function()
    local x, w = torch.rand(1, 64, 128, 128):double():requires_grad_(), torch.rand(64, 1, 7, 7):double():requires_grad_()
    local y
    assert.is_true(peak(function()
      y = torch.nn.functional.conv2d(x, w, nil, 1, 3, 1, 64)
      y:sum():backward()
    end) < 64 * MiB)   -- the windows of all of them: 392 MiB
    for _, i in ipairs{0, 40, 63} do
      local alone = torch.nn.functional.conv2d(x:narrow(1, i, 1), w:narrow(0, i, 1), nil, 1, 3)
      assert.is_true(torch.allclose(y:narrow(1, i, 1), alone))
    end
    local middle = w.grad["63, 0, 3, 3"]:item()   -- of the window that covers the whole image
    assert.is_true(math.abs(middle - x["0, 63"]:sum():item()) < 1e-8 * middle)
  end)

  it("a convolution of one large image takes memory for a band of it", function()
    local F = torch.nn.functional
    local x, w = torch.rand(1, 16, 256, 256):double():requires_grad_(), torch.rand(4, 16, 3, 3):double():requires_grad_()
    local y
    assert.is_true(peak(function()
      y = F.conv2d(x, w, nil, 1, 1)
      y:sum():backward()
    end) < 60 * MiB)   -- the windows of all of it: 72 MiB
    local part = F.conv2d(x:narrow(2, 119, 102), w, nil, 1, {0, 1})
    assert.is_true(torch.allclose(y:narrow(2, 120, 100), part))
    assert.is_true(torch.allclose(x.grad:narrow(2, 1, 254):narrow(3, 1, 254), w:sum{0, 2, 3}:view(1, 16, 1, 1):expand(1, 16, 254, 254)))
    assert.is_true(torch.allclose(w.grad[{0, ":", 1, 1}], x:sum{0, 2, 3}))
    y = F.conv_transpose2d(y:detach(), w, nil, 2, 1, 1)
    local whole = F.conv_transpose2d(torch.ones(1, 4, 256, 256):double(), w, nil, 2, 1, 1)
    assert.equal("torch.Size([1, 16, 512, 512])", tostring(y.shape))
    assert.is_true(torch.allclose(whole[{0, ":", "1:-1:2", "1:-1:2"}][{":", 100, 200}], w[{":", ":", "::2", "::2"}]:sum{0, 2, 3}))
  end)

  it("free() and <close> give memory back at once", function()
    torch._collect()
    local before = allocated()
    local x = torch.ones(1024, 1024)
    assert.is_true(allocated() - before >= 4 * MiB)
    x:free()
    assert.is_true(allocated() - before < MiB)
    assert.is_false((pcall(function() return x + 1 end)))
    do
      local y <close> = torch.ones(1024, 1024)
      assert.are.equal(1 << 20, y:sum():item())   -- (a view of y would keep its memory)
    end
    assert.is_true(allocated() - before < MiB)
  end)

  it("backward frees what it has passed", function()
    local x = torch.ones(512, 512, {requires_grad = true})
    local y = x
    for _ = 1, 20 do y = y * 2 end
    local loss = y:sum()
    y = nil           -- luacheck: ignore
    torch._collect()
    local before = allocated()
    loss:backward()
    torch._collect()
    assert.is_true(allocated() <= before + 2 * MiB)
  end)

  it("a chain of 1,000,000 additions goes backward and is freed", function()
    local x = torch.ones(1, {requires_grad = true})
    local y = x
    for _ = 1, 1000000 do y = y + 1 end
    y:backward()
    assert.are.equal(1, x.grad:item())
  end)
end)

-- Returns the output of stock Lua for a program whose host configured the collector before torch was loaded.
local function hosted(text)
  local name = os.tmpname()
  programs.write(name, ("package.cpath = %q .. package.cpath\n"):format(programs.folder .. "/?.so;") .. text)
  local output = programs.output(programs.quote(programs.lua) .. " " .. name)
  os.remove(name)
  return output
end

describe("the collector of a host", function()
  it("that was stopped stays so until it is started again", function()
    assert.are.equal("false\t0\t0\ttrue\ntrue\n", hosted [[
      collectgarbage "stop"
      local torch = require "torch"
      local x, alive = torch.ones(1 << 18), setmetatable({{}}, {__mode = "v"})
      for _ = 1, 300 do local _ = x + 1 end
      local m = torch._memory()
      print(collectgarbage "isrunning", m.full_collections, m.young_collections, alive[1] ~= nil)
      collectgarbage "restart"
      for _ = 1, 300 do local _ = x + 1 end
      print(alive[1] == nil)
    ]])
  end)

  it("that is incremental stays so, and deals with tensors in steps", function()
    assert.are.equal("incremental\n0\ttrue\nincremental\n", hosted [[
      collectgarbage "incremental"
      local torch = require "torch"
      print(collectgarbage "incremental")
      local heap, x = {}, torch.ones(1 << 18)
      for i = 1, 300000 do heap[i] = {i} end
      for _ = 1, 1000 do local _ = x + 1 end
      print(torch._memory().full_collections, torch._memory().max_allocated < 300 << 20)
      print(collectgarbage "incremental")
    ]])
  end)

  it("may become incremental later", function()
    assert.are.equal("true\ttrue\n", hosted [[
      local torch = require "torch"
      collectgarbage "incremental"
      local x = torch.ones(1 << 18)
      for _ = 1, 2000 do local _ = x + 1 end
      local m = torch._memory()
      print(m.full_collections < 4, m.max_allocated < 300 << 20)
    ]])
  end)

  it("keeps the mode that stock Lua and tocha choose", function()
    assert.are.equal("generational\n", hosted "require 'torch' print(collectgarbage 'generational')")
    assert.are.equal("generational\n", programs.run "print(collectgarbage 'generational')")
  end)
end)
