-- course_spec.lua: torch.utils.benchmark, and what spec/golden/course cannot ask.
local torch = require "torch"

describe("torch.utils.benchmark", function()
  local benchmark = torch.utils.benchmark

  it("sums measurements up as PyTorch does", function()
    local m = benchmark.Measurement(10, {2e-5, 3e-5, 2.5e-5, 2e-5, 9e-5}, {label = "add", sub_label = "small", description = "here"})
    assert.equal("add: small\nhere\n  Median: 2.50 us\n  IQR:    1.00 us (2.00 to 3.00)\n  5 measurements, 10 runs per measurement, 1 thread\n" ..
      "  WARNING: Interquartile range is 40.0% of the median measurement.\n           This suggests significant environmental influence.",
      (tostring(m):gsub("^[^\n]*\n", "")))
    assert.equal(3.7e-6, tonumber(("%.3g"):format(m.mean)))
    assert.equal(1, m:significant_figures())
    assert.equal("x = 1\n  3.00 s\n  1 measurement, 2 runs , 4 threads",
      (tostring(benchmark.Measurement(2, {6.0}, {stmt = "x = 1", num_threads = 4})):gsub("^[^\n]*\n", "")))
  end)

  it("runs functions and texts", function()
    local clock, runs = 0, 0
    local function tick()
      clock = clock + 0.5
      return clock
    end
    local timer = benchmark.Timer{stmt = function() runs = runs + 1 end, timer = tick}
    local m = timer:timeit(100)
    assert.equal(102, runs)
    assert.equal(0.005, m.mean)
    local seen = {}
    benchmark.Timer{stmt = "seen[1] = x + y", setup = "y = 2", globals = {seen = seen, x = 1}}:timeit(3)
    assert.same({3}, seen)
    assert.is_nil(_G.y)
    assert.truthy(#benchmark.Timer{stmt = "local z = 1"}:blocked_autorange{min_run_time = 0.001}.times >= 1)
    assert.truthy(#benchmark.Timer{stmt = "local z = 1"}:adaptive_autorange{max_run_time = 0.01}.times >= 1)
    assert.is_false((pcall(benchmark.Timer, {stmt = "x ="})))
  end)
end)

describe("torch.metrics", function()
  it("can be derived from, and starts anew", function()
    local Longest = torch.metrics.Metric:extend "Longest"
    function Longest:init() self.gathered = 0 end
    function Longest:reset() self.gathered = 0 end
    function Longest:update(x) self.gathered = math.max(self.gathered, x) end
    function Longest:compute() return self.gathered end
    function Longest._merged(_, a, b) return math.max(a, b) end
    local metric = Longest()
    assert.equal(3, metric(3))
    assert.equal(2, metric(2))
    assert.equal(3, metric:compute())
    metric:reset()
    assert.equal(0, metric:compute())
    local ok, problem = pcall(torch.metrics.Accuracy, {task = "other"})
    assert.is_false(ok)
    assert.truthy(problem.message:find "Invalid Classification")
  end)
end)

describe("SummaryWriter", function()
  it("writes pictures", function()
    local folder = os.tmpname()
    os.remove(folder)
    local writer = torch.utils.tensorboard.SummaryWriter(folder)
    writer:add_image("picture", torch.rand(3, 4, 5), 0)
    writer:add_image("grey", torch.zeros(4, 5, {dtype = torch.uint8}), {global_step = 1, dataformats = "HW"})
    writer:add_images("several", torch.rand(10, 1, 4, 5), 2)
    writer:close()
    assert.equal(folder, writer:get_logdir())
    local pipe = io.popen("cat " .. folder .. "/events*")
    local text = pipe:read "a"
    pipe:close()
    os.execute("rm -r " .. folder)
    assert.equal(3, select(2, text:gsub("\x89PNG\r\n", "")))
    local shapes = {}
    for at in text:gmatch "()\x89PNG\r\n" do
      local picture = torch.vision.io.decode_png(torch.frombuffer(text:sub(at), {dtype = torch.uint8}))
      shapes[#shapes + 1] = tostring(picture.shape)
      if #shapes == 2 then assert.equal(0, picture:max():item()) end
    end
    assert.same({"torch.Size([3, 4, 5])", "torch.Size([3, 4, 5])", "torch.Size([3, 8, 40])"}, shapes)
  end)
end)
