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

local function trace_of(profile)
  local name = os.tmpname()
  profile:export_chrome_trace(name)
  local text = programs.read(name)
  os.remove(name)
  return text
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
    assert.is_truthy(trace_of(p):find '"cat": "gpu_op", "name": "aten::add", "pid": "GPU 0"')
  end)

  it("names kernels, copies and fills, with their times", function()
    if not gpus.simulated then return pending "CUPTI may be missing, or in use by another tool" end
    local p = profiler.profile({with_stack = false, activities = {CPU, CUDA}}, function()
      local x = torch.ones(64):cuda()
      for _ = 1, 3 do x = x:tanh() end
      return x:cpu()
    end)
    local rows, total = rows_of(p:key_averages()), 0
    assert.are.equal(1, rows["Memcpy HtoD (Pinned -> Device)"].count)
    assert.are.equal(1, rows["Memcpy DtoH (Device -> Pageable)"].count)
    assert.are.equal(5, #p.activities)
    local kernel
    for i, activity in ipairs(p.activities) do
      local start, seconds = activity.start, activity.seconds
      assert.is_true(activity.gpu == 0 and seconds > 0 and start >= p.start and start + seconds <= p.start + p.seconds + 1)
      assert.is_true(i == 1 or start >= p.activities[i - 1].start)
      if activity.name:find "^elementwise" then kernel = activity.name end
      total = total + 1e6 * seconds
    end
    local row = rows[kernel]
    assert.are.equal(3, row.count)
    assert.are.equal("CUDA", row.device_type)
    assert.are.equal(0, row.cpu_time_total)
    assert.is_true(row.cuda_time_total > 0 and row.cuda_time_total <= rows["aten::tanh"].cuda_time_total)
    local of_rows = 0
    for _, r in pairs(rows) do of_rows = of_rows + (r.device_type == "CUDA" and r.self_device_time_total or 0) end
    assert.is_true(math.abs(of_rows - total) < 1e-6 * total)
    assert.is_truthy(trace_of(p):find('"cat": "kernel", "name": "' .. kernel .. '", "pid": "GPU 0"', 1, true))
  end)

  it("has no kernels without CUPTI, or without CUDA among the activities", function()
    local program = [[
      local x = torch.ones(64, {device = "cuda"})
      torch.cuda.synchronize()
      local function activities(of)
        local p = torch.profiler.profile({with_stack = false, activities = of}, function() return x:tanh() end)
        return #p.activities, p:key_averages()[0].cuda_time > 0
      end
      print(activities {"CPU", "CUDA"})
      print(activities {"CPU"})]]
    assert.are.equal("1\ttrue\n0\tfalse\n", gpus.run("TOCHA_CUDA=simulate", program))
    assert.are.equal("0\ttrue\n0\tfalse\n", gpus.run("TOCHA_CUDA=simulate TOCHA_SIMULATOR_CUPTI=off", program))
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
