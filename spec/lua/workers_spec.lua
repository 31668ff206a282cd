-- workers_spec.lua: DataLoader{num_workers = n}, beside what spec/golden/data/workers.lua asks PyTorch: what travels, what cannot, how workers
-- end.
local programs = require "programs"
local torch = require "torch"
local data = torch.utils.data

local function set_of(n, getitem)
  local Set = data.Dataset:extend "Set"
  function Set.__len() return n end
  Set.getitem = getitem
  return Set()
end

local function first_of(set, options)
  options.num_workers = 1
  return data.DataLoader(set, options):first()
end

local function problem_of(f)
  local ok, problem = pcall(f)
  assert.is_false(ok)
  return problem
end

local function run(program, before) return programs.run(program, (before or "") .. " timeout 60", "; echo $?") end

describe("a worker has", function()
  it("the functions of the dataset, with what they share", function()
    local calls, sizes = 0, {2, 3}
    local function count() calls = calls + 1 return calls end
    local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
    local set = set_of(3, function() count() return count(), calls, sizes[2], fib(10), math.max(3, 4), ("x"):rep(2) end)
    assert.are.same({2, 2, 3, 55, 4, "xx"}, {first_of(set, {batch_size = false})})
    assert.are.equal(0, calls) -- a copy
  end)

  it("tables once that occur once, and cycles", function()
    local inner = {1}
    local set = set_of(1, function(self) return self.a == self.b, self.loop.loop == self.loop, getmetatable(self.a).__index(nil, "k"), self.a.k end)
    set.a = setmetatable(inner, {__index = function(_, key) return key .. "!" end})
    set.b, set.loop = inner, {}
    set.loop.loop = set.loop
    assert.are.same({true, true, "k!", "k!"}, {first_of(set, {batch_size = false})})
  end)

  it("torch's own objects, not copies of them", function()
    local F, relu, lists = torch.nn.functional, torch.relu, table
    local size, device, dtype = torch.Size{2, 3}, torch.device "cpu", torch.float16
    local g = torch.Generator():manual_seed(4)
    local set = set_of(1, function()
      local same = torch.utils.data.TensorDataset == data.TensorDataset and F == torch.nn.functional and relu == torch.relu and lists == table
      return same, tostring(size), device == torch.device "cpu", dtype == torch.float16, torch.rand(2, {generator = g}):tolist()
    end)
    assert.are.same({true, "torch.Size([2, 3])", true, true, torch.rand(2, {generator = torch.Generator():manual_seed(4)}):tolist()},
      {first_of(set, {batch_size = false})})
  end)

  it("the memory of tensors, of whatever stride, not a copy", function()
    local whole, small, weight = torch.zeros(100, 100), torch.zeros(2), torch.nn.Parameter(torch.ones(3))
    local column = whole[":, 3"]
    local set = set_of(4, function(_, i)
      column[i] = i + 1
      small:fill_(7)
      return column, weight
    end)
    local back, parameter
    for x, w in data.DataLoader(set, {batch_size = false, num_workers = 2}) do back, parameter = x, w end
    assert.are.equal(10, whole:sum():item())
    assert.are.equal(7, small[1]:item())
    assert.are.equal(whole:data_ptr() + 12, back:data_ptr())
    assert.is_true(parameter.requires_grad and torch._is_parameter(parameter))
    assert.are.equal(weight:data_ptr(), parameter:data_ptr())
    whole[{0, 3}] = 50
    assert.are.equal(50, back[0]:item())
  end)

  it("memory that goes with the last of those who have it", function()
    collectgarbage()
    collectgarbage()
    local before = torch._memory().allocated
    do
      local set = data.TensorDataset(torch.rand(1000, 100), torch.arange(1000))
      for _ = 1, 3 do
        for x in data.DataLoader(set, {batch_size = 100, num_workers = 2}) do assert.are.equal(100, #x) end
      end
    end
    collectgarbage()
    collectgarbage()
    assert.is_true(torch._memory().allocated - before < 200000)
  end)

  it("modules by their names, with data of their own", function()
    local folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir " .. folder)
    local f = assert(io.open(folder .. "/tocha_spec_module.lua", "w"))
    f:write "local m = {calls = 0} function m.count() m.calls = m.calls + 1 return m.calls end return m"
    f:close()
    local path = package.path
    package.path = folder .. "/?.lua;" .. path
    local module = require "tocha_spec_module"
    module.count()
    local set = set_of(2, function() return module.count() end)
    assert.are.equal(1, first_of(set, {batch_size = false}))
    assert.are.equal(1, module.calls)
    package.path, package.loaded.tocha_spec_module = path, nil
    os.execute("rm -r " .. folder)
  end)

  it("the global variables that its functions name", function()
    local out = run [[
      local data = torch.utils.data
      limit, unused, log = {5}, coroutine.create(print), io.stdout
      function helper(i) return i * limit[1] end
      local Set = data.Dataset:extend "Set"
      function Set:__len() return 2 end
      function Set:getitem(i) return helper(i), log == io.stdout, other == nil end
      for x, same, none in data.DataLoader(Set(), {batch_size = false, num_workers = 1}) do print(x, same, none) end
      log = io.tmpfile()
      print(pcall(function() return data.DataLoader(Set(), {num_workers = 1}):first() end))
    ]]
    assert.truthy(out:find("0\ttrue\ttrue\n5\ttrue\ttrue\n", 1, true), out)
    assert.truthy(out:find("the global 'log' is not in a worker: cannot pickle 'FILE*' object: log", 1, true), out)
  end)

  it("its number, its seed and one thread", function()
    local seen = {}
    local set = set_of(4, function() return torch.utils.data.get_worker_info() end)
    local function look()
      local info = torch.utils.data.get_worker_info()
      return info.id, info.num_workers, info.seed, torch.initial_seed(), torch.get_num_threads(), #info.dataset, info.started
    end
    local options = {num_workers = 2, collate_fn = look, worker_init_fn = function(id) torch.utils.data.get_worker_info().started = id + 10 end}
    for id, count, seed, own, threads, length, started in data.DataLoader(set, options) do
      assert.are.same({2, seed, 1, 4, id + 10}, {count, own, threads, length, started})
      seen[#seen + 1] = seed - id
    end
    assert.are.equal(4, #seen)
    assert.are.equal(seen[1], seen[2])
    assert.is_nil(data.get_worker_info())
  end)

  it("the default dtype", function()
    torch.set_default_dtype(torch.float64)
    local dtype = first_of(set_of(1, function() return tostring(torch.ones(1).dtype) end), {batch_size = false})
    torch.set_default_dtype(torch.float32)
    assert.are.equal("torch.float64", dtype)
  end)

  it("the choice of digits", function()
    local before = torch.backends.cpu.digits
    for _, digits in ipairs {"fast", "pytorch"} do
      torch.backends.cpu.digits = digits
      assert.are.equal(digits, (first_of(set_of(1, function() return torch.backends.cpu.digits end), {batch_size = false})))
    end
    torch.backends.cpu.digits = before
  end)
end)

describe("modules in a worker", function()
  local nn = torch.nn

  local Net = nn.Module:extend "Net"
  function Net:init()
    nn.Module.init(self)
    self.first = nn.Linear(3, 3)
    self.again = self.first
    self.drop = nn.Dropout(0.25):eval()
    self.list, self.me = {5}, {self}
    self:register_buffer("count", torch.zeros(1), {persistent = false})
    self:register_parameter("none", nil)
  end
  function Net:forward(x)
    self.count:add_(1)
    return self.drop(self.again(torch.relu(self.first(x)))) + #self.list
  end

  it("compute what they do in the program, on the same memory", function()
    local net, x, calls = Net(), torch.rand(2, 3), torch.zeros(1)
    net.again:register_forward_hook(function(_, _, out) calls:add_(1) return out * 2 end)
    local set, before = set_of(1, function(self)
      torch.no_grad(function() self.net.first.bias:add_(1) end)
      return self.net(x):detach()
    end), net.first.bias:detach():clone()
    set.net = net
    local got = first_of(set, {batch_size = false})
    assert.is_true(torch.equal(before + 1, net.first.bias))
    assert.are.equal(2, calls:item())
    assert.are.equal(1, net.count:item())
    assert.is_true(torch.equal(got, net(x):detach()))
  end)

  it("have their members in order, flags, fields, options, class", function()
    local set = set_of(1, function(self)
      local m, names = self.net, {}
      for name, t in m:named_parameters() do names[#names + 1] = name .. tostring(t.requires_grad) end
      return tostring(m), table.concat(names, " "), m.first == m.again, m.me[1] == m, m.drop.training, m.training, m.drop.p,
        m.list[1], m:isinstance(Net), #m:state_dict()
    end)
    set.net = Net()
    set.net.first.bias:requires_grad_(false)
    assert.are.same({tostring(set.net), "first.weighttrue first.biasfalse", true, true, false, true, 0.25, 5, true, 4},
      {first_of(set, {batch_size = false})})
  end)

  it("are those of the list, of torch's own Lua, of containers, with what wraps them", function()
    local modules = {
      nn.Sequential(nn.Conv2d(1, 2, {3, 3}, {padding = "same"}), nn.BatchNorm2d(2)):eval(), nn.Embedding(3, 4, {padding_idx = 1}),
      nn.LSTM(2, 3, {batch_first = true}), nn.CrossEntropyLoss(torch.ones(3)), nn.ModuleDict{a = nn.ReLU()}, nn.ModuleList{nn.Tanh(), nn.Identity()},
      nn.TransformerEncoderLayer(4, 2), nn.MultiheadAttention(4, 2), nn.ParameterList{torch.ones(2)}, nn.LazyLinear(3),
      torch.vision.models.resnet18(), nn.Sequential(torch.vision.transforms.CenterCrop(2)),
      nn.utils.parametrizations.weight_norm(nn.Linear(2, 3)), nn.utils.spectral_norm(nn.Linear(2, 3)),
    }
    local set = set_of(#modules, function(self, i)
      local m, names = self.modules[i + 1], {}
      for name, t in pairs(m:state_dict()) do names[#names + 1] = name .. (nn.parameter.is_lazy(t) and tostring(t) or tostring(t.shape)) end
      return tostring(m), table.concat(names, " "), i
    end)
    set.modules = modules
    for text, names, i in data.DataLoader(set, {num_workers = 2, batch_size = false}) do
      local expected_text, expected_names = set:getitem(i)
      assert.are.equal(expected_text, text)
      assert.are.equal(expected_names, names)
    end
  end)

  it("forget a hook whose handle travelled with them", function()
    local set = set_of(1, function(self)
      local before = self.net(torch.ones(1)):item()
      self.handle:remove()
      return before, self.net(torch.ones(1)):item()
    end)
    set.net = nn.ReLU()
    set.handle = set.net:register_forward_hook(function(_, _, out) return out * 5 end)
    assert.are.same({5.0, 1.0}, {first_of(set, {batch_size = false})})
    assert.are.equal(5.0, set.net(torch.ones(1)):item())
  end)

  it("come back in a batch", function()
    local out = first_of(set_of(1, function() return nn.Linear(2, 3) end), {batch_size = false})
    assert.are.equal("Linear(in_features=2, out_features=3, bias=True)", tostring(out))
    assert.are.same({1, 3}, {out(torch.ones(1, 2)):size(0), out(torch.ones(1, 2)):size(1)})
  end)
end)

describe("what cannot travel is named:", function()
  local function refused(set, options)
    local problem = problem_of(function() first_of(set, options or {}) end)
    assert.are.equal("TypeError", problem.code)
    return problem.message
  end

  it("a coroutine, an open file, a C function with a state", function()
    local set = set_of(1, function() return 1 end)
    set.streams = {coroutine.create(print)}
    assert.are.equal("cannot pickle 'coroutine' object: dataset.streams[1]", refused(set))
    set.streams = {deep = {log = io.tmpfile()}}
    assert.are.equal("cannot pickle 'FILE*' object: dataset.streams.deep.log", refused(set))
    set.streams = ("a b"):gmatch "%a"
    assert.are.equal("cannot pickle 'C function' object: dataset.streams", refused(set))
  end)

  it("a field, a hook of a module", function()
    local set, file = set_of(1, function() return 1 end), io.tmpfile()
    set.net = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Linear(1, 1))
    set.net[1].log = file
    assert.are.equal("cannot pickle 'FILE*' object: dataset.net.1.log", refused(set))
    set.net[1].log = nil
    set.net[0]:register_forward_hook(function() file:write "" end)
    assert.are.equal("cannot pickle 'FILE*' object: dataset.net.0.after[1][1], upvalue 'file'", refused(set))
    set.net = torch.nn.Linear(1, 1)
    set.net.scaled = set.net.weight * 2
    assert.truthy(problem_of(function() first_of(set, {}) end).message:find "^Cowardly refusing to serialize non%-leaf tensor which requires_grad")
  end)

  it("an upvalue, the collate function's", function()
    local file = io.tmpfile()
    assert.are.equal("cannot pickle 'FILE*' object: dataset.getitem, upvalue 'file'", refused(set_of(1, function() return file:read() end)))
    assert.are.equal("cannot pickle 'FILE*' object: collate_fn, upvalue 'file'",
      refused(set_of(1, function() return 1 end), {collate_fn = function() return file end}))
  end)

  it("what is nested too deeply, and what autograd computed", function()
    local set = set_of(1, function() return 1 end)
    set.list = {}
    local last = set.list
    for _ = 1, 2000 do
      last.next = {}
      last = last.next
    end
    assert.truthy(refused(set):find("too deeply nested", 1, true))
    set.list = torch.ones(1, {requires_grad = true}) * 2
    assert.truthy(problem_of(function() first_of(set, {}) end).message:find "^Cowardly refusing to serialize non%-leaf tensor which requires_grad")
  end)
end)

describe("an error in a worker", function()
  it("is an error in the loop, in PyTorch's words, with its kind and its stack", function()
    local set = set_of(6, function(_, i) return i < 3 and i or torch.ones(2):view(3) end)
    local seen = {}
    local problem = problem_of(function()
      for x in data.DataLoader(set, {num_workers = 2}) do seen[#seen + 1] = x:item() end
    end)
    assert.are.same({0, 1, 2}, seen)
    assert.are.equal("RuntimeError", problem.code)
    assert.truthy(problem.message:find("^Caught RuntimeError in DataLoader worker process 1.\nOriginal stack traceback:\n.*workers_spec.lua:"
      .. "%d+:.*\nRuntimeError: shape '%[3%]' is invalid for input of size 2$"), problem.message)
  end)

  it("in Lua's words, of worker_init_fn, of a result that cannot travel", function()
    local function message(options, getitem)
      return problem_of(function() first_of(set_of(1, getitem or function() return 1 end), options) end).message
    end
    assert.truthy(message({}, function() return nil + 1 end):find "RuntimeError: .*attempt to perform arithmetic on a nil value")
    assert.truthy(message({}, function() error {code = 5} end):find "RuntimeError: table: ")
    assert.truthy(message{worker_init_fn = function() torch._raise("ValueError", "no") end}:find
      "^Caught ValueError in DataLoader worker process 0.*ValueError: no$")
    assert.truthy(message{collate_fn = function() return coroutine.create(print) end}:find "TypeError: cannot pickle 'coroutine' object: batch$")
  end)

  it("is one of each kind", function()
    for _, kind in ipairs{"ValueError", "KeyError", "IndexError", "NotImplementedError"} do
      local problem = problem_of(function() first_of(set_of(1, function() torch._raise(kind, "x") end), {}) end)
      assert.are.equal(kind, problem.code)
    end
  end)

  it("may take longer than the timeout", function()
    local set = set_of(2, function(_, i) os.execute "sleep 0.5" return i end)
    assert.are.equal("DataLoader timed out after 0.1 seconds",
      problem_of(function() for _ in data.DataLoader(set, {num_workers = 1, timeout = 0.1}) do end end).message)
    assert.are.equal("_SingleProcessDataLoaderIter requires timeout == 0",
      problem_of(function() for _ in data.DataLoader(set, {timeout = 0.1}) do end end).message)
  end)
end)

-- The threads of this process.
local function threads()
  local file = io.open "/proc/self/status"
  local n = tonumber(file:read "a":match "Threads:%s+(%d+)")
  file:close()
  return n
end

-- luacheck: push ignore 512 (loops that are left)
describe("workers end", function()
  local set = set_of(100, function(_, i) return torch.ones(4) * i end)
  local before
  before_each(function()
    collectgarbage()
    collectgarbage()
    before = threads()
  end)

  it("with the last batch, with the loop over enumerate, with first", function()
    for _ in data.DataLoader(set, {num_workers = 2}) do assert.are.equal(before + 2, threads()) break end
    collectgarbage()
    for _ in data.DataLoader(set, {num_workers = 2, batch_size = 50}) do end
    assert.are.equal(before, threads())
    for i in data.DataLoader(set, {num_workers = 2}):enumerate() do if i == 3 then break end end
    assert.are.equal(before, threads())
    data.DataLoader(set, {num_workers = 2}):first()
    assert.are.equal(before, threads())
  end)

  it("when a loop was left by break or by an error, and is collected", function()
    local function leave()
      for _ in data.DataLoader(set, {num_workers = 2}) do break end
      pcall(function() for _ in data.DataLoader(set, {num_workers = 2}) do error "x" end end)
      pcall(function() for _ in data.DataLoader(set_of(9, function() error "y" end), {num_workers = 2}) do break end end)
    end
    leave()
    collectgarbage()
    collectgarbage()
    assert.are.equal(before, threads())
  end)

  it("before the next loop begins", function()
    local function leave() for _ in data.DataLoader(set, {num_workers = 2}) do break end end
    for _ = 1, 10 do leave() end
    assert.is_true(threads() <= before + 6)
  end)

  it("with the loader where they are persistent", function()
    local function epochs()
      local loader = data.DataLoader(set, {num_workers = 2, batch_size = 10, persistent_workers = true})
      local n = 0
      for epoch = 1, 3 do
        for x in loader do
          n = n + #x
          if epoch == 2 then break end
        end
        assert.are.equal(before + 2, threads())
      end
      return n
    end
    assert.are.equal(210, epochs())
    collectgarbage()
    collectgarbage()
    assert.are.equal(before, threads())
  end)

  local function end_within(getitem)
    local start = torch._clock()
    problem_of(function() for _ in data.DataLoader(set_of(4, getitem), {num_workers = 2, timeout = 0.1}) do end end)
    collectgarbage()
    collectgarbage()
    assert.are.equal(before, threads())
    assert.is_true(torch._clock() - start < 3)
  end

  it("within Lua code that never ends, and in pcall", function()
    end_within(function()
      while true do pcall(function() return {} end) end
    end)
  end)

  it("within a coroutine that never ends", function()
    end_within(function()
      coroutine.wrap(function()
        while true do pcall(function() return {} end) end
      end)()
    end)
  end)

  it("with the program, whose Ctrl-C is heard", function()
    local program = [[
      local Set = torch.utils.data.Dataset:extend "Set"
      function Set:__len() return 10 end
      function Set:getitem(i) if i == 1 then %s end while i > 0 do torch.ones(3) end return i end
      for x in torch.utils.data.DataLoader(Set(), {num_workers = %d, prefetch_factor = 1}) do print(x) %s end
    ]]
    local start = torch._clock()
    local out = run(program:format('io.popen("kill -INT $PPID"):close()', 2, ""))
    assert.truthy(out:find("interrupted!", 1, true), out)
    assert.truthy(out:find "\n1\n$", out)
    assert.is_true(torch._clock() - start < 4)
    assert.are.equal("tensor([0])\n0\n", run(program:format("", 1, "os.exit(0, true)")))
  end)
end)

-- luacheck: pop

describe("a pass with workers", function()
  it("says what PyTorch says of mistakes", function()
    local function message(options) return problem_of(function() for _ in data.DataLoader({1, 2}, options) do end end).message end
    assert.are.equal("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter", message{num_workers = 1, prefetch_factor = 0})
    assert.are.equal("prefetch_factor option should be non-negative", message{num_workers = 1, prefetch_factor = -1})
    assert.are.equal("multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got num_workers=0",
      message{multiprocessing_context = "fork"})
    assert.are.equal("multiprocessing_context option should specify a valid start method in ['fork', 'spawn', 'forkserver'], but got "
      .. "multiprocessing_context='threads'", message{num_workers = 1, multiprocessing_context = "threads"})
    assert.are.equal(2, data.DataLoader({1}, {num_workers = 1}).prefetch_factor)
    assert.is_nil(data.DataLoader({1}).prefetch_factor)
  end)

  it("gives what comes first where the order does not count", function()
    local set, seen = set_of(6, function(_, i) if i == 0 then os.execute "sleep 0.3" end return i end), {}
    for x in data.DataLoader(set, {num_workers = 2, in_order = false}) do seen[#seen + 1] = x:item() end
    assert.are.equal(1, seen[1])
    table.sort(seen)
    assert.are.same({0, 1, 2, 3, 4, 5}, seen)
  end)

  it("goes on where it was", function()
    local set = set_of(20, function(_, i) return i end)
    for _, options in ipairs{{}, {shuffle = true}} do
      options.num_workers, options.batch_size = 2, 3
      local loader, rest, state = data.DataLoader(set, options), {}, nil
      torch.manual_seed(1)
      for i, x in loader:enumerate() do
        if i == 2 then state = loader:state_dict() elseif i > 2 then rest[#rest + 1] = tostring(x) end
      end
      local again, seen = data.DataLoader(set, options), {}
      again:load_state_dict(state)
      for x in again do seen[#seen + 1] = tostring(x) end
      assert.are.same(rest, seen)
    end
  end)

  it("may have passes within it, also of the same loader", function()
    local set = set_of(3, function(_, i) return i end)
    local loader, seen = data.DataLoader(set, {num_workers = 1}), {}
    for x in loader do
      for y in loader do seen[#seen + 1] = x:item() * 10 + y:item() end
    end
    assert.are.same({0, 1, 2, 10, 11, 12, 20, 21, 22}, seen)
  end)

  it("gives many small batches in their order", function()
    local n = 0
    for x in data.DataLoader(data.TensorDataset(torch.arange(3000)), {num_workers = 2, prefetch_factor = 5}) do
      assert.are.equal(n, x:item())
      n = n + 1
    end
    assert.are.equal(3000, n)
  end)

  it("leaves no error behind where memory lacks", function()
    local set = data.TensorDataset(torch.rand(50, 10))
    for n = 0, 30 do
      torch._fail_allocation(n)
      pcall(function() for x in data.DataLoader(set, {num_workers = 1, batch_size = 10}) do assert(x) end end)
    end
    torch._fail_allocation(-1)
    local rows = 0
    for x in data.DataLoader(set, {num_workers = 1, batch_size = 10}) do rows = rows + #x end
    assert.are.equal(50, rows)
  end)
end)

describe("a loader whose workers do not start", function()
  -- each thread's stack would be as large as the limit, and no address space is left for it
  local NO_THREADS = "ulimit -s 2000000; ulimit -v 1000000; OMP_NUM_THREADS=1"
  local section = os.getenv "ASAN_OPTIONS" and pending or it -- the address sanitizer reserves terabytes

  section("warns once and loads the data itself", function()
    local out = run([[
      local torch = require "torch"
      local data = torch.utils.data
      local function batches(options)
        torch.manual_seed(3)
        options.shuffle, options.batch_size = true, 2
        local loader, seen = data.DataLoader(data.TensorDataset(torch.arange(6)), options), {}
        for _ = 1, 2 do
          for x in loader do seen[#seen + 1] = table.concat(x:tolist(), " ") end
        end
        return table.concat(seen, ", ")
      end
      local alone = batches{}
      print(batches{num_workers = 2} == alone, batches{num_workers = 1, persistent_workers = true, timeout = 5} == alone)
    ]], NO_THREADS)
    local _, warnings = out:gsub("could not create its", "")
    assert.are.equal(2, warnings, out)   -- one a loader
    assert.is_truthy(out:find("UserWarning: This DataLoader could not create its 2 workers: can't start new thread. Data loading continues in "
      .. "the main process, as with num_workers=0.\n", 1, true), out)
    assert.is_truthy(out:find("true\ttrue\n0\n$"), out)
  end)

  section("has no worker in its samples", function()
    local out = run([[
      local torch = require "torch"
      local data = torch.utils.data
      local Set = data.Dataset:extend "Set"
      function Set.__len() return 1 end
      function Set.getitem() return data.get_worker_info() == nil and 1 or 0 end
      torch._set_warnings(false)
      for x in data.DataLoader(Set(), {num_workers = 1}) do print(x) end
    ]], NO_THREADS)
    assert.are.equal("tensor([1])\n0\n", out)
  end)
end)
