-- model_spec.lua: the formulas by which bench/distributed/model.lua predicts how training scales.
-- `build/tocha bench/distributed/model.lua check` compares them with ranks behind a slow line (root, a minute).
local costs = dofile "bench/distributed/costs.lua"

local ethernet = {outer = {latency = 50e-6, bandwidth = 1.25e9}}
local hosts = {outer = {latency = 50e-6, bandwidth = 1.25e9}, inner = {latency = 10e-6, bandwidth = 12e9}, per_host = 8}

-- ResNet-50's gradients in five buckets, of which the first is ready after two thirds of the step.
local function resnet()
  local step = {seconds = 0.105, buckets = {}}
  for i = 1, 5 do step.buckets[i] = {bytes = 25557032 * 4 / 5, ready = 0.07} end
  return step
end

local function percent(algorithm, n) return math.floor(costs.efficiency(resnet(), ethernet, algorithm, n) * 100 + 0.5) end

local function near(expected, value) assert.is_true(math.abs(value / expected - 1) < 1e-9, ("%g, not %g"):format(value, expected)) end

describe("the model of all_reduce", function()
  it("has the figures of a calculation by hand", function()
    assert.is_true(math.abs(percent("ring", 8) - 49) <= 1)
    assert.are.equal(14, percent("ring", 1024))
    assert.are.equal(44, percent("tree", 1024))
  end)

  it("sends a message of half the tensor there and back between two ranks", function()
    local S = 1e6
    local expected = 2 * 50e-6 + S / 1.25e9
    near(expected, costs.ring(ethernet, 2, S))
    near(expected, costs.rabenseifner(ethernet, 2, S))
    near(2 * 50e-6 + 2 * S / 1.25e9, costs.tree(ethernet, 2, S))
    near(2 * 10e-6 + S / 12e9, costs.ring(hosts, 2, S))
    near(2 * 10e-6 + S / 12e9, costs.by_host(hosts, 2, S))
  end)

  it("takes longer with more bytes and, for powers of two, with more ranks", function()
    for _, network in ipairs{ethernet, hosts} do
      for _, algorithm in ipairs(costs.algorithms) do
        local before = 0
        for exponent = 1, 13 do
          local n = 1 << exponent
          local seconds = costs[algorithm](network, n, 1e6)
          assert.is_true(seconds >= before, ("%s, %d ranks"):format(algorithm, n))
          assert.is_true(costs[algorithm](network, n, 2e6) > seconds)
          before = seconds
        end
      end
    end
  end)

  it("has no algorithm that sends less than a ring, and a ring that waits most", function()
    local slow = {outer = {latency = 0, bandwidth = 1e9}}
    local far = {outer = {latency = 1e-3, bandwidth = math.huge}}
    for _, n in ipairs{2, 3, 8, 100, 1024, 10000} do
      for _, algorithm in ipairs(costs.algorithms) do
        assert.is_true(costs[algorithm](slow, n, 1e6) >= costs.ring(slow, n, 1e6) * (1 - 1e-9), algorithm)
        if n > 2 then assert.is_true(costs[algorithm](far, n, 1e6) <= costs.ring(far, n, 1e6), algorithm) end
      end
    end
  end)

  it("counts a host's line once for its ranks: Rabenseifner's way stays in the host while parts are large", function()
    local outer = {outer = {latency = 0, bandwidth = 1.25e9}, inner = {latency = 0, bandwidth = math.huge}, per_host = 8}
    near(2 * (1 - 8 / 64) * 1e6 / 1.25e9, costs.rabenseifner(outer, 64, 1e6))
    near(2 * (1 - 1 / 8) * 1e6 / 1.25e9, costs.by_host(outer, 64, 1e6))
  end)
end)

describe("the replay of a step", function()
  local function constant(seconds) return function() return seconds end end

  it("hides what is sent while backward goes on", function()
    local step = {seconds = 1, buckets = {{bytes = 1, ready = 0.2}, {bytes = 1, ready = 0.5}, {bytes = 1, ready = 1}}}
    near(1, costs.replay(step, constant(0)))
    near(1.1, costs.replay(step, constant(0.1)))      -- the last one cannot be hidden
    near(0.2 + 3 * 2, costs.replay(step, constant(2)))   -- each waits for the one before
  end)

  it("scales with the step", function()
    near(0.25, costs.scaled({seconds = 2, buckets = {{bytes = 8, ready = 1}}}, 0.5).buckets[1].ready)
  end)
end)

describe("the fit of a line", function()
  it("finds the latency and bandwidth that made the times", function()
    local measured = {}
    for i, bytes in ipairs{1e3, 1e5, 1e7} do
      measured[i] = {ranks = i + 1, bytes = bytes, seconds = costs.ring(ethernet, i + 1, bytes)}
    end
    local line, worst = costs.fit(measured)
    near(50e-6, line.latency)
    near(1.25e9, line.bandwidth)
    assert.is_true(worst < 1e-9)
  end)
end)
