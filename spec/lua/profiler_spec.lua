-- profiler_spec.lua: what a profile counts, its tables and its trace; that it ends whatever happens.
local torch = require "torch"
local programs = require "programs"
local nn, profiler = torch.nn, torch.profiler

local function rows_of(list)
  local out = {}
  for i = 0, #list - 1 do out[list[i].key] = list[i] end
  return out
end

describe("tables of a profile", function()
  local rows = {
    {"aten::addmm", 6, 1203.5, 1203.5, 8064, 8064}, {"forward", 1, 12210.25, 154.75, 26440, 0},
    {"aten::a_name_that_is_longer_than_the_fifty_five_columns_that_it_gets", 300, 2.5e6, 1.5e6, -3 << 20, 5 << 30}, {"aten::t", 6, 7.0, 7.0, 0, 0},
  }
  local gpu = {{2500.5, 2500.5, 4096, 4096}, {3e6, 0, 5000, 0}, {1.25e6, 1.25e6, -2048, 1 << 21}, {0, 0, 0, 0}}
  local total, on_gpu = 0, {}
  for i, row in ipairs(rows) do
    total = total + row[4]
    local function fields()
      return {key = row[1], count = row[2], cpu_time_total = row[3], self_cpu_time_total = row[4], cpu_memory_usage = row[5],
        self_cpu_memory_usage = row[6]}
    end
    rows[i] = profiler._row(fields())
    on_gpu[i] = fields()
    on_gpu[i].device_time_total, on_gpu[i].self_device_time_total = gpu[i][1], gpu[i][2]
    on_gpu[i].device_memory_usage, on_gpu[i].self_device_memory_usage = gpu[i][3], gpu[i][4]
    profiler._row(on_gpu[i])
  end
  local list, calls = profiler._averages(rows, total), {}
  for name in ("self_cpu_time_total cpu_time_total cpu_time cpu_memory_usage self_cpu_memory_usage count"):gmatch "%S+" do
    calls[#calls + 1] = {sort_by = name}
  end
  calls[#calls + 1] = {row_limit = 2}
  calls[#calls + 1] = {sort_by = "count", header = "A header"}
  calls[#calls + 1] = {sort_by = "count", max_name_column_width = 12}
  local gpu_list, first_of_gpu = profiler._averages(on_gpu, total), #calls + 1
  for _, call in ipairs{{row_limit = 100}, {sort_by = "self_cuda_time_total"}, {sort_by = "cuda_time"}, {sort_by = "self_device_memory_usage"}} do
    calls[#calls + 1] = call
  end
  local i = 0
  for expected in (programs.read "spec/golden/profiler/tables.expected" .. "\f\n"):gmatch "(.-)\f\n" do
    i = i + 1
    local call, number = calls[i], i
    it("are laid out as PyTorch's (" .. i .. ")", function()
      local of = (number >= first_of_gpu and call or number > #calls + 1) and gpu_list or list
      assert.equal(expected, call and of:table(call) or tostring(of[0]) .. "\n")
    end)
  end
  it("are all asked for", function() assert.equal(#calls + 2, i) end)
end)

describe("torch.profiler.profile", function()
  local a, b = torch.rand(8, 8), torch.rand(8, 8)

  it("counts operators, their time and memory", function()
    local kept = {}
    local p = profiler.profile({with_stack = false}, function()
      for i = 1, 5 do kept[i] = a:matmul(b) end
      kept[6] = torch.zeros(1024)
    end)
    local rows = rows_of(p:key_averages())
    assert.equal(5, rows["aten::mm"].count)
    assert.equal(6, #kept)
    assert.equal(1, rows["aten::zeros"].count)
    assert.is_true(rows["aten::zeros"].cpu_memory_usage >= 4096)
    for _, row in pairs(rows) do assert.is_true(row.cpu_time_total > 0 and row.cpu_time_total == row.self_cpu_time_total) end
    assert.is_true(p.seconds > 0)
  end)

  it("counts what backward calls", function()
    local w = torch.rand(8, 8, {requires_grad = true})
    local p = profiler.profile(function() (a * w):sum():backward() end)
    local rows = rows_of(p:key_averages())
    assert.is_true(rows["aten::mul"].count >= 2)   -- its rule multiplies
  end)

  it("names modules by their paths", function()
    local net = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
    local p = profiler.profile({with_stack = false}, function() return net(a) end)
    local rows = rows_of(p:by_module())
    assert.truthy(rows["Sequential.0 (Linear)"])
    assert.truthy(rows["Sequential.1 (ReLU)"])
    assert.is_nil(rows["(no module)"])
    assert.truthy(tostring(p:by_module()):find("# of Operators", 1, true))
    assert.truthy(tostring(p:key_averages()):find("# of Calls", 1, true))
  end)

  it("counts lines", function()
    local first = debug.getinfo(1, "l").currentline
    local p = profiler.profile(function()
      local x = a
      for _ = 1, 10 do
        x = x + b
      end
      return x
    end)
    local text = p:by_line()
    local line = text:match(("profiler_spec%%.lua:%d [^\n]*"):format(first + 4))
    assert.truthy(line)
    assert.equal("10", line:match "(%d+) *$")
    local n = 0
    for _, e in ipairs(p.events) do n = n + (p.lines.names[e.mark]:find((":%d$"):format(first + 4)) and 1 or 0) end
    assert.equal(10, #p.events)
    assert.equal(10, n)
    assert.is_nil(debug.gethook())
  end)

  it("has all events, wherever the collector runs", function()
    for _ = 1, 2000 do
      local p = profiler.profile(function() return a + b end)
      if #p.events ~= 1 then error(#p.events .. " events", 0) end
    end
  end)

  it("shows ranges with names", function()
    local p = profiler.profile(function()
      local value = profiler.record_function("step", function(x) return x * 2 end, a)
      assert.is_true(torch.is_tensor(value))
    end)
    local row = rows_of(p:key_averages()).step
    assert.equal(1, row.count)
    assert.is_true(row.cpu_time_total > row.self_cpu_time_total)
    assert.equal(3, (profiler.record_function("nothing", function() return 3 end)))
  end)

  it("prints PyTorch's columns", function()
    local p = profiler.profile(function() return a + b end)
    local text = p:key_averages():table{sort_by = "self_cpu_time_total", row_limit = 1}
    assert.truthy(text:find("Name +Self CPU %% +Self CPU +CPU total %% +CPU total +CPU time avg +CPU Mem +Self CPU Mem +# of Calls  \n"))
    assert.truthy(text:find "aten::add +100%.00%%")
    assert.truthy(tostring(p):find "Line +Time %%")
    assert.has_error(function() p:key_averages():table{sort_by = "no_such"} end)
  end)

  it("writes a trace", function()
    local p = profiler.profile(function() return nn.Linear(8, 8)(a) end)
    local name = os.tmpname()
    p:export_chrome_trace(name)
    local text = programs.read(name)
    os.remove(name)
    assert.truthy(text:find('{"traceEvents": [', 1, true))
    local _, count = text:gsub('"ph": "X"', "")
    assert.equal(#p.events + 1, count)
    assert.has_error(function() p:export_chrome_trace "/no/such/folder/trace.json" end)
  end)

  it("ends where the function fails, and refuses a second one inside", function()
    local done, message = pcall(profiler.profile, function() error "stopped" end)
    assert.is_false(done)
    assert.truthy(tostring(message):find "stopped")
    done, message = pcall(profiler.profile, function() profiler.profile(function() end) end)
    assert.is_false(done)
    assert.truthy(tostring(message):find "a profile is on already")
    assert.is_nil(debug.gethook())
    assert.equal(1, #profiler.profile(function() return a + b end).events)
    assert.has_error(function() profiler.profile(3) end)
    assert.has_error(function() profiler.profile() end)
  end)

  it("is left at the end of the program, too", function()
    local pipe = io.popen(programs.tocha .. [[ -e "torch.profiler.profile(function() torch.rand(3):add(1); os.exit(7, true) end)"; echo $?]])
    assert.equal("7\n", pipe:read "a")
    pipe:close()
  end)
end)
