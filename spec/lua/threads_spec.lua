-- Threads: they wait without work, the digits of a product do not depend on them, and what OpenMP's variables or the
-- limits of the shell say hangs nothing.
local programs = require "programs"
local torch = require "torch"

-- Runs a program with `environment` before it; what it printed, or nil where it took too long or failed.
local function run(environment, program)
  local pipe = io.popen(("%s timeout 60 %s -e %s 2>&1"):format(environment, programs.quote(programs.tocha), programs.quote(program)))
  local out = pipe:read "a"
  return pipe:close() and out or nil, out
end

local TRAINING = [[
  torch.manual_seed(0)
  local nn = torch.nn
  local net = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
  local x, y = torch.randn(128, 64), torch.randint(0, 10, {128})
  local optimizer, loss = torch.optim.Adam(net:parameters()), nn.CrossEntropyLoss()
  local function step()
    optimizer:zero_grad()
    loss(net(x), y):backward()
    optimizer:step()
  end
  for _ = 1, 10 do step() end
  local start = os.clock()
  for _ = 1, 200 do step() end
  print(os.clock() - start)
]]

describe("threads", function()
  local threads = torch.get_num_threads()
  after_each(function() torch.set_num_threads(threads) end)

  it("are as many as the processors that the process may use", function()
    if not os.execute "command -v taskset >/dev/null" then return pending "taskset is missing" end
    assert.are.equal("1\n", run("env -u OMP_NUM_THREADS taskset -c 0", "print(torch.get_num_threads())"))
  end)

  it("leave the digits of products as they are", function()
    torch.manual_seed(1)
    for _, shape in ipairs {{455, 893, 132}, {44, 560, 451}, {128, 256, 256}, {700, 333, 700}, {1120, 1024, 1000}, {48, 1024, 192},
      {5000, 1000, 1}, {1, 1000, 5000}} do
      for _, dtype in ipairs {torch.float32, torch.float64} do
        local m, k, n = table.unpack(shape)
        local a, at = torch.randn(m, k, {dtype = dtype}), torch.randn(k, m, {dtype = dtype}):t()
        local b, bt = torch.randn(k, n, {dtype = dtype}), torch.randn(n, k, {dtype = dtype}):t()
        local function products() return {a:mm(b), at:mm(b), a:mm(bt), at:mm(bt)} end
        torch.set_num_threads(1)
        local one = products()
        for _, count in ipairs {2, 3, 7} do
          torch.set_num_threads(count)
          for i, product in ipairs(products()) do
            assert.is_true(torch.equal(one[i], product), ("%dx%dx%d, product %d, %d threads"):format(m, k, n, i, count))
          end
        end
      end
    end
  end)

  it("leave the digits of everything else as they are", function()
    local F = torch.nn.functional
    torch.manual_seed(2)
    local m, x, k = torch.randn(700, 900), torch.randn(600000), torch.randint(-500, 500, {600000})
    local image, grid = torch.randn(1, 2, 300, 310), torch.rand(1, 500, 400, 2)
    local function results()
      local w = m:clone():requires_grad_()
      F.batch_norm(w, nil, nil, nil, nil, true):square():sum():backward()
      local list = {w.grad, torch.stack({x, x:neg()}, 1), torch.cat({m, m}, 1), m:roll(1, 1), m:flip(1), m:rot90(), x:repeat_interleave(2),
        F.pad(image, {1, 2, 1, 2}), F.max_pool2d(image, 3, 2, 1), F.avg_pool2d(image, 3, 2, 1), F.grid_sample(image, grid, "bilinear", "zeros", false),
        torch.searchsorted(x:sort(), x), m:log_softmax(1), m:softmax(1), x:dot(x), x:dot(x:abs()),
        F.linear(m[0], m), F.linear(m[{":1"}], m, x[{"0:" .. m.shape[0]}])}
      for _, t in ipairs {torch.unique(k, true, true, true)} do list[#list + 1] = t end
      for _, t in ipairs {torch.unique(x, true, true, true)} do list[#list + 1] = t end
      return list
    end
    torch.set_num_threads(1)
    local one = results()
    for _, count in ipairs {2, 3} do
      torch.set_num_threads(count)
      for i, result in ipairs(results()) do
        assert.is_true(torch.equal(one[i], result), ("result %d, %d threads"):format(i, count))
      end
    end
  end)

  it("do not spin for a core that somebody else has", function()
    local pid = io.popen "sh -c 'while :; do :; done' >/dev/null & echo $!":read "l"
    local one, two = run("OMP_NUM_THREADS=1", TRAINING), run("OMP_NUM_THREADS=4", TRAINING)
    os.execute("kill " .. pid)
    assert.is_truthy(two, "four threads took too long")
    local limit = 2 * tonumber(one) + 0.1   -- of processor time
    assert.is_true(tonumber(two) < limit, ("%s s with four threads, %s with one"):format(two, one))
  end)

  local environments = {"OMP_THREAD_LIMIT=1 OMP_NUM_THREADS=2", "OMP_DYNAMIC=true OMP_NUM_THREADS=2"}
  -- the address sanitizer reserves terabytes
  if not os.getenv "ASAN_OPTIONS" then environments[3] = "ulimit -v 200000;" end
  for _, environment in ipairs(environments) do
    it("hang nothing: " .. environment, function()
      local answer, out = run(environment, "local x = torch.ones(400, 400); print(x:mm(x):sum():item())")
      assert.are.equal("64000000.0\n", answer, out)
    end)
  end
end)
