-- profiler_spec.lua: the time and memory of GPUs in a profile.
local torch = require "torch"
local gpus = require "gpus"
local programs = require "programs"
local profiler = torch.profiler
local CPU, CUDA = profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.CUDA

local function rows_of(list)
  local out = {}
  for i = 0, #list - 1 do out[list[i].key] = list[i] end
  return out
end

gpus.with_one("a profile with GPUs", function()
  local a = torch.rand(32, 32, {device = "cuda"})
  local function work()
    local x = a
    for _ = 1, 300 do x = x:matmul(a):tanh() end   -- more calls than pairs of events
    return profiler.record_function("step", function() return x:sum():item() end)
  end

  it("tells the time of each operator on the GPU, and its memory", function()
    local p = profiler.profile({with_stack = false, activities = {CPU, CUDA}}, work)
    local rows = rows_of(p:key_averages())
    for _, name in ipairs{"aten::mm", "aten::tanh"} do
      local row = rows[name]
      assert.are.equal(300, row.count)
      assert.is_true(row.device_time_total > 0 and row.device_time_total == row.self_device_time_total)
      assert.are.equal(row.cuda_time_total, row.device_time_total)
      assert.are.equal(row.cuda_time, row.device_time_total / 300)
    end
    assert.is_true(rows["aten::mm"].device_memory_usage >= 4096)
    assert.are.equal(0, rows.step.self_device_time_total)
    assert.is_true(math.abs(rows["aten::sum"].device_time_total - rows.step.device_time_total) < 1e-3)
    for _, e in ipairs(p.events) do assert.is_true(e.gpu == 0 and e.gpu_seconds > 0 and e.gpu_start >= p.start) end
    local text = p:key_averages():table{sort_by = "cuda_time_total"}
    assert.is_truthy(text:find("CPU time avg +Self CUDA +Self CUDA %% +CUDA total +CUDA time avg"))
    assert.is_truthy(text:find "\nSelf CUDA time total: ")
    assert.is_truthy(tostring(p:by_module()):find("Self CUDA", 1, true))
  end)

  it("does not wait for the GPU", function()
    if not gpus.simulated then return pending "a GPU may be done at any time" end
    local event = torch.cuda.Event()
    local done
    profiler.profile({with_stack = false}, function()
      local _ = a:matmul(a)
      event:record()
      done = event:query()
    end)
    assert.is_false(done)
    profiler.profile({with_stack = false, activities = {CPU}}, function()
      event:record()
      local _ = a:matmul(a)
      done = event:query()
    end)
    assert.is_true(done)
  end)

  it("has the GPU's time in the trace", function()
    local p = profiler.profile({with_stack = false}, function() return a + a end)
    local name = os.tmpname()
    p:export_chrome_trace(name)
    local text = programs.read(name)
    os.remove(name)
    assert.is_truthy(text:find '"cat": "gpu_op", "name": "aten::add", "pid": "GPU 0"')
  end)

  it("works on other streams", function()
    local side = torch.cuda.Stream()
    local p = profiler.profile({with_stack = false}, function()
      side:wait_stream(torch.cuda.current_stream())
      torch.cuda.stream(side, function() return a:matmul(a) end)
      side:synchronize()
    end)
    assert.is_true(p.events[1].gpu_seconds > 0)
  end)

  it("leaves out the time of what a graph records", function()
    local y
    local graph = torch.cuda.CUDAGraph()
    local p = profiler.profile({with_stack = false}, function()
      torch.cuda.graph(graph, function() y = a * 2 end)
      graph:replay()
      return y + 1
    end)
    local rows = rows_of(p:key_averages())
    assert.are.equal(0, rows["aten::mul"].device_time_total)
    assert.is_true(rows["aten::add"].device_time_total > 0)
    assert.is_true(y:equal(a * 2))
  end)

  it("ends with the error of a kernel", function()
    local x = torch.arange(10, {device = "cuda"})
    local bad = torch.tensor({12}, {device = "cuda"})
    gpus.fails("index_select(): index 12 is out of bounds for dimension 0 with size 10",
      profiler.profile, {with_stack = false}, function() return x:index_select(0, bad) end)
    assert.are.equal(1, #profiler.profile({with_stack = false}, function() return x + 1 end).events)
  end)
end)

gpus.with_two("a profile with two GPUs", function()
  it("names the GPU of each operator", function()
    local x, y = torch.ones(8, {device = "cuda:0"}), torch.ones(8, {device = "cuda:1"})
    local p = profiler.profile({with_stack = false}, function()
      local _ = x + x
      return y + y
    end)
    assert.are.equal(0, p.events[1].gpu)
    assert.are.equal(1, p.events[2].gpu)
    assert.is_true(p.events[1].gpu_seconds > 0 and p.events[2].gpu_seconds > 0)
  end)
end)

describe("a profile without a GPU", function()
  it("warns if CUDA is asked for", function()
    local printed = gpus.run("TOCHA_CUDA=off", [[
      local p = torch.profiler.profile({activities = {"CPU", "CUDA"}, with_stack = false}, function() return torch.ones(2) end)
      print(p:key_averages()[0].device_time_total | 0)]])
    assert.is_truthy(printed:find "UserWarning: CUDA is not available, disabling CUDA profiling\n0\n$")
  end)
end)
