-- hints_spec.lua: slips of people who come from Python: what PyTorch says of them, where it says anything, and a hint that
-- says it in Lua (spec/golden/hints.txt, hints.py).
local torch = require "torch"
local programs = require "programs"
local nn = torch.nn

local function read_lines(name)
  local lines = {}
  for line in io.lines(name) do
    if not line:find "^#" then lines[#lines + 1] = line end
  end
  return lines
end

local answers = read_lines "spec/golden/hints.expected"

local function scope()
  local model = nn.Linear(3, 2)
  return setmetatable({torch = torch, nn = nn, F = torch.nn.functional, x = torch.ones(2, 3), model = model,
    optimizer = torch.optim.SGD(model:parameters(), {lr = 0.1}), loader = torch.utils.data.DataLoader {1, 2, 3},
    Set = torch.utils.data.Dataset:extend "Set"}, {__index = _G})
end

describe("hints where the two languages meet:", function()
  for i, line in ipairs(read_lines "spec/golden/hints.txt") do
    local code, hint = line:match "^(.-) | .- | (.*)$"
    it(code, function()
      local ok, e = pcall(assert(load(code, "=code", "t", scope())))
      assert.is_false(ok)
      if answers[i] ~= "-" then assert.are.equal(answers[i], e.message) end
      if hint == "-" then assert.is_nil(e.hint, tostring(e))
      else assert.truthy((e.hint or ""):find(hint, 1, true), tostring(e)) end
    end)
  end

  it("what PyTorch has is named as such, unless Tocha has it", function()
    local names = torch._part "hints.pytorch_names"
    local spaces = {["torch"] = torch, ["torch.nn"] = nn, ["torch.nn.functional"] = nn.functional, ["torch.optim"] = torch.optim}
    for space, where in pairs(spaces) do
      local absent = 0
      for name in names[space]:gmatch "%S+" do
        local ok, e = pcall(function() return where[name] end)
        if not ok then
          absent = absent + 1
          assert.are.equal(("PyTorch has %s.%s; Tocha does not yet"):format(space, name), e.hint)
        end
      end
      assert.is_true(absent > 0)
    end
  end)

  it("no private name is offered", function()
    for name in pairs(torch) do
      if type(name) == "string" and name:find "^_%l" then
        local ok, e = pcall(function() return torch[name:sub(2)] end)
        if not ok and e.hint then assert.is_nil(e.hint:find "%._") end
      end
    end
  end)

  it("an absent field of a module is nil, but where it looks like a slip", function()
    local m = nn.Sequential(nn.Linear(1, 1), nn.ReLU())
    m.fc1 = nn.Linear(1, 1)
    assert.is_nil(m.cache)
    assert.is_nil(m.fc2)
    assert.is_nil(m.h)
    assert.is_nil(m.to1)
    assert.has_error(function() return m.forwrad end)
    for _ = 1, 2 do assert.has_error(function() return m.parametres end) end
    for _ = 1, 2 do assert.is_nil(m.layer) end
    m.layers = nn.Linear(1, 1)
    assert.has_error(function() return m.layer end)
  end)

  it("pairs(loader) counts the batches", function()
    local seen = {}
    local x = torch.arange(5)
    for i, a, b in pairs(torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x * 2), {batch_size = 2})) do
      seen[#seen + 1] = {i, a:tolist(), b:tolist()}
    end
    assert.are.same({{0, {0, 1}, {0, 2}}, {1, {2, 3}, {4, 6}}, {2, {4}, {8}}}, seen)
  end)
end)

-- Errors of the language itself get their hint from the interpreter.
describe("hints of tocha", function()
  local slips = {
    ["x[1] += 1"] = "x[1] = x[1] + 1", ["if x != 1 then end"] = "~=", ["x = x ** 2"] = "^ 2", ["y = x[:, 0]"] = "x[\":, 0\"]",
    ["y = x[0:2]"] = "x[\"0:2\"]", ["y = 2 * x @ x"] = "matmul", ["import csv"] = "require", ["from csv import reader"] = "are there",
    ["y = x[0, 1]"] = "x[\"0, 1\"]", ["y = x[..., 0]"] = "x[\"..., 0\"]", ["torch.zeros((2, 3))"] = "{2, 3}", ["y = {'a': 1}"] = "{['a'] = 1}",
    ["for i in range(3): print(i)"] = "for i = 0", ["del x"] = "nil", ["a = b = 3"] = "a, b", ["print(1, end='')"] = "io.write",
    ["y = 1 if torch else 2"] = "torch and 1 or 2", ["n = sum(p for p in {})"] = "loop", ["print('a' + 'b')"] = "..", ["print('a' * 3)"] = ":rep",
    ["print('%d' % 3)"] = ":format", ["print('abc'.upper())"] = ":upper", ["dir(torch)"] = "pairs", ["torch.ones(2).numpy()"] = "a colon",
    ["torch.ones(2).shape.numel()"] = "a colon",
    ["def f(x):"] = "function", ["class Net(nn.Module):"] = "extend", ["with torch.no_grad():"] = "no_grad(function()",
    ["for i in range(3):"] = "for i = 0", ["if x > 0:"] = "then", ["x = [1, 2]"] = "x = {1, 2}", ["x = 1 # comment"] = "--",
    ["torch.zeros(2, dtype=torch.int64)"] = "{dtype", ["len(x)"] = "#x", ["range(3)"] = "for i = 0", ["x = exit()"] = "os.exit",
    ["print(nn.Linear)"] = "local nn = torch.nn", ["print(f\"x {1}\")"] = "..", ["('%.3f'):format(torch.ones(1))"] = "torch.format",
    ["math.exp(torch.ones(1))"] = "torch.exp", ["y = {1} + 1"] = "torch.tensor", ["f = lambda x: x"] = "function(x)",
    ["xs = [i*i for i in range(5) if i > 1]"] = "local xs = {}; for i = 0, 4 do if i > 1 then xs[#xs + 1] = i * i end end",
    ["for i in range(10, 0, -1): print(i)"] = "for i = 10, 1, -1 do print(i) end",
    ["for i, (a, b) in enumerate(loader):\n    a = a.to(1)"] = "for i, a, b in pairs(loader) do ... end",
    ["for a, b in zip(xs, ys):\n    print(a)"] = "for i = 1, #xs do local a, b = xs[i], ys[i] ... end",
    ["for k, v in d.items(): print(k)"] = "for k, v in pairs(d) do print(k) end",
    ["def train(a, lr: float = 0.1, **more) -> None:\n    pass"] = "function train(a, lr, ...) lr = lr or 0.1 ... end",
    ["class Net(nn.Module):\n    def __init__(self, n=10):\n        self.n = n\n    def forward(self, x):\n        return x"] =
      "local Net = nn.Module:extend \"Net\"; function Net:init(n) n = n or 10 ... end; function Net:forward(x) ... end",
    ["if x != None: print(1)"] = "if x ~= nil then print(1) end", ["while len(xs) > 2:\n    pass"] = "while #xs > 2 do ... end",
    ["v = 0\nfor i in range(len(x)):\n  v += x[i]\nprint(v)"] = "for i = 0, #x - 1 do ... end",
    ["t = torch.tensor([3.0, 6.0],\n  dtype=None, # the kind\n  requires_grad=False) # or not"] =
      "t = torch.tensor({3.0, 6.0}, {dtype = nil, requires_grad = false})", -- over all its lines
    ["torch.arange(start=1, end=11)"] = "torch.arange{start = 1, [\"end\"] = 11}", ["torch.arange{start=1, end=11}"] = "[\"end\"] = 11",
    ["nosuch.foo = 1"] = "'nosuch' is not defined", ["for a, b in dataloader do print(a) end"] = "is nil",
    ["for i = 1, 3\n  print(i)\nend"] = "for i = 1, 3 do ... end", ["if torch\n  print(1)\nend"] = "if condition then",
    ["print(\"a)"] = "the quote that it began with", ["x = torch.ones(2, 3))"] = "one closing bracket too many", ["a, *b = xs"] = "table.unpack",
    ["x: int = 3"] = "no annotations: x = 3", ["x = 1j"] = "torch.complex", ["x = 'a' 'b'"] = "..",
    ["x = \",\".join([\"a\"])"] = "table.concat({\"a\"}, \",\")",
    ["x = \"a,b\".split(\",\")"] = "gmatch", ["torch.ones(2):to(\"gpu\")"] = "\"cuda\"", ["torch.ones(2, {dtype = \"float16\"})"] = "torch.float16",
    ["torch.tensor({1, \"a\"})"] = "numbers and truth values", ["torch.tensor{{1, 2}, {3}}"] = "same length",
    ["torch.stack({torch.ones(1), torch.ones(1), {dim = 0}})"] = "after the list",
    ["torch.optim.SGD({torch.ones(1)}, {learning_rate = 1})"] = "its keywords: params, lr, momentum",
    ["torch.nn.Linear(1, 1)(torch.ones(3, 1):double())"] = "x:float()",
    ["for k, v in next, torch.ones(2) do print(k, v) end"] = "in pairs(x) do", ["print(torch.ones(2).size[0])"] = "x.shape[0]",
    ["for _, p in ipairs(torch.nn.Linear(1, 1):parameters()) do print(p) end"] = "for p in model:parameters() do",
    ["print(torch.ones(2).sum[1])"] = "object:sum(...)",
    ["local ok, json = pcall(require, 'dkjson'); if not ok then error [[type 'userdata' is not supported by JSON]] end; json.encode{torch.ones(1)}"] =
      "x:tolist()",
    ["local _ <close> = torch.device(\"meta\")"] = "torch.set_default_device(device)",
  }
  for code, hint in pairs(slips) do
    it(code, function()
      for _, how in ipairs {"-e %s", "%s", not code:find "\n" and "-i <%s" or nil} do -- -i reads a pipe line by line
        local name = os.tmpname()
        programs.write(name, code .. "\n")
        local argument = programs.quote(how == "-e %s" and code or name)
        local pipe = io.popen(("%s %s 2>&1"):format(programs.tocha, how:format(argument)))
        local said = pipe:read "a"
        pipe:close()
        os.remove(name)
        assert.truthy(said:find("\nhint: [^\n]*" .. hint:gsub("%p", "%%%0")), code .. "\n" .. said)
      end
    end)
  end

  it("for a function that is not there, none of f-strings", function()
    local pipe = io.popen(("printf 'f(1)\\n' | %s -i 2>&1"):format(programs.tocha))
    local said = pipe:read "a"
    pipe:close()
    assert.truthy(said:find "global 'f'", said)
    assert.is_nil(said:find "format", said)
  end)

  it("a cursor key at the prompt", function()
    local pipe = io.popen(("printf '\\033[A\\n1 + 1\\n' | %s -i 2>&1"):format(programs.tocha))
    local said = pipe:read "a"
    pipe:close()
    assert.truthy(said:find "cursor key.*editor of the prompt knows them.*\n> 2\n", said)
  end)

  it("TOCHA_CUDA=simulate without a simulated GPU", function()
    local name = os.tmpname()
    os.execute(("mkdir -p %s.d && cp -L %s/libtocha.so.1 %s/torch.so %s.d"):format(name, programs.folder, programs.folder, name))
    local pipe = io.popen(("cd %s.d && TOCHA_CUDA=simulate LD_LIBRARY_PATH=%s.d LUA_CPATH=%s.d/?.so %s -e %s 2>&1"):format(name, name, name,
      programs.lua, programs.quote 'local torch = require "torch" print(torch.cuda.is_available(), pcall(torch.ones, 1, {device = "cuda"}))'))
    local said = pipe:read "a"
    pipe:close()
    os.execute(("rm -r %s %s.d"):format(name, name))
    assert.truthy(said:find "UserWarning: TOCHA_CUDA=simulate, but libtocha_cuda_simulated.so .*: there is no GPU\nfalse", said)
    assert.truthy(said:find "hint: libtocha_cuda_simulated.so", said)
  end)

  local function run(how, code)
    local name = os.tmpname()
    programs.write(name, code)
    local pipe = io.popen(how:format(name) .. " 2>&1 >/dev/null")
    local said = pipe:read "a"
    pipe:close()
    os.remove(name)
    return (said:gsub(name:gsub("%p", "%%%0"), "x.lua"))
  end
  local stock = ("LUA_CPATH=%s %s %%s"):format(programs.quote(programs.folder .. "/?.so"), programs.lua)

  it("what stands in other lines of a script", function()
    local base = "local Base = torch.nn.Module:extend 'Base'\nfunction Base:init() self.fc = torch.nn.Linear(1, 1) end\nlocal Net = Base:extend 'Net'\n"
    local scripts = {
      ["local n = tonumber(torch.tensor(3))\nprint(n + 1)"] = "x:item()", ["print(tonumber(torch.tensor(3)) + 1)"] = "x:item()",
      [base .. "function Net:init() end\nfunction Net:forward(x) return self.fc(x) end\nNet()(torch.ones(1))"] = "Base.init(self, ...)",
      ["local w = torch.ones(2)\n(w * w):sum()"] = "put a ; before it",
      ["local D = {items = {1, 2}}\nD.__index = D\nfunction D:__len() return 2 end\nfunction D:getitem(i) return self.items[i][1] end\n"
        .. "for x in torch.utils.data.DataLoader(setmetatable({}, D)) do print(x) end"] = "self.items[i + 1]",
    }
    for code, hint in pairs(scripts) do
      local said = run(programs.tocha .. " %s", code)
      assert.truthy(said:find("\nhint: [^\n]*" .. hint:gsub("%p", "%%%0")), said)
    end
    local said = run(programs.tocha .. " %s", "local t = {}\nprint(t.a.b)")   -- no getitem around it
    assert.is_nil(said:find "getitem", said)
  end)

  it("an error that nobody catches shows its stack, in tocha and in stock lua", function()
    local code = [[
      local torch = require "torch"
      local function inner(a) return torch.mm(a, torch.ones(3, 3)) end
      local function outer() inner(torch.ones(2, 2)) return 1 end
      %s]]
    for _, last in ipairs {"outer()", "coroutine.wrap(outer)()", "local ok, e = pcall(outer) error(e)"} do
      for _, how in ipairs {stock, programs.tocha .. " %s"} do
        local said = run(how, code:format(last))
        assert.truthy(said:find("mm: mat1 and mat2 shapes cannot be multiplied (2x2 and 3x3)\nat x.lua:2\n", 1, true)
          or said:find("mat1 and mat2 shapes cannot be multiplied (2x2 and 3x3)\nat x.lua:2\n", 1, true), said)
        assert.truthy(said:find "\nstack traceback:\n\tx.lua:2: in upvalue 'inner'\n\tx.lua:3: in ", said)
        assert.is_nil(said:find "traceback.*traceback", said)
      end
    end
  end)

  it("an error that is caught has its text alone, and debug.traceback adds the stack", function()
    local function fail() torch.mm(torch.ones(2, 2), torch.ones(3, 3)) return 1 end
    local _, e = pcall(fail)
    for _, text in ipairs {tostring(e), select(2, pcall(tostring, e)), select(2, xpcall(fail, tostring)),
      select(2, xpcall(fail, function(err) return tostring(err) end)), "" .. e} do
      assert.is_nil(text:find "traceback")
      assert.truthy(text:find "hint: ")
    end
    local text = select(2, xpcall(fail, debug.traceback))
    assert.truthy(text:find "hint: .*\nstack traceback:\n.*hints_spec.lua:%d+: in ")
    assert.is_nil(text:find "traceback.*traceback")
    assert.are.equal("x\nstack traceback:", debug.traceback("x"):match "^[^\n]*\n[^\n]*")
    assert.are.equal("x", debug.traceback(coroutine.create(print), "x", 0):match "^[^\n]*")
    local object = {}
    assert.are.equal(object, debug.traceback(object))
  end)

  it("PyTorch's warnings are shown once a line, and can be silenced", function()
    local code = [[
      local torch = require "torch"
      for i = 1, 3 do torch.nn.MSELoss()(torch.ones(3, 1), torch.ones(3)) end
      torch.nn.MSELoss()(torch.ones(3, 1), torch.ones(3))
      warn "@off"
      torch.nn.MSELoss()(torch.ones(3, 1), torch.ones(3))]]
    local warning = "Lua warning: x.lua:%d: UserWarning: Using a target size (torch.Size([3])) that is different to the input size "
      .. "(torch.Size([3, 1])). This will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.\n"
    local expected = warning:format(2) .. warning:format(3)
    assert.are.equal(expected, run(stock, code))
    assert.are.equal(expected, run(programs.tocha .. " %s", code))
    assert.are.equal(expected, run(programs.tocha .. " -W %s", code))
    assert.are.equal("", run(programs.tocha .. " -w %s", code))
  end)
end)
