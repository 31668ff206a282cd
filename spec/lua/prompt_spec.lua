-- Tests of the prompt's editor through a terminal, and of the session through a pipe.
local programs = require "programs"
local TOCHA, quote, read_file, write_file = programs.tocha, programs.quote, programs.read, programs.write

local temporary = {}

local function temporary_file(text)
  local name = os.tmpname()
  temporary[#temporary + 1] = name
  write_file(name, text or "")
  return name
end

-- Types keys: text, seconds to wait, and tables {text}, which wait until the screen shows the text (at most ten seconds).
-- Returns the terminal's input without escape sequences and carriage returns.
local function typed(keys, environment)
  local screen = temporary_file()
  local parts = {("shows() { n=0; until grep -qF -- \"$1\" %s || [ $n -ge 100 ]; do sleep 0.1; n=$((n + 1)); done; }"):format(quote(screen))}
  for _, key in ipairs(keys) do
    parts[#parts + 1] = type(key) == "number" and "sleep " .. key
      or type(key) == "table" and "shows " .. quote(key[1])
      or "printf %s " .. quote(key)
  end
  os.execute(("{ %s; sleep 0.2; printf '\\003\\004'; sleep 0.1; } | env -u LUA_INIT TERM=xterm %s timeout 60 script -qec %s /dev/null >%s 2>&1"):format(
    table.concat(parts, "; "), environment or "TOCHA_HISTORY=", quote("exec " .. quote(TOCHA)), quote(screen)))
  return (read_file(screen):gsub("\27%[[%d;?]*%a", ""):gsub("\27[78]", ""):gsub("\r", ""))
end

-- Returns the contents of a window of tmux, with the lines that scrolled out at its top, after these steps: each is a command
-- of tmux and the text to wait for.
local function window(steps)
  local socket = temporary_file()
  local function tmux(command)
    local pipe = io.popen(("tmux -S %s -f /dev/null %s 2>&1"):format(quote(socket .. ".tmux"), command))
    local text = pipe:read "a"
    pipe:close()
    return text
  end
  tmux("new-session -d -x 60 -y 14 " .. quote("env -u LUA_INIT TOCHA_HISTORY= " .. quote(TOCHA)))
  local text
  for _, step in ipairs(steps) do
    if step[1] ~= "" then tmux(step[1]) end
    for _ = 1, 50 do
      os.execute "sleep 0.1"
      text = tmux "capture-pane -p -S -"
      local shown = text:gsub("%f[^\n]>+%f[\n]", "%0 ")   -- tmux leaves out the blank behind a prompt
      if shown:find(step[2], 1, true) then break end
    end
  end
  os.execute "sleep 0.3"
  text = tmux "capture-pane -p -S -"
  tmux "kill-server"
  os.remove(socket .. ".tmux")
  return text
end

-- Returns the prompt's output for piped lines, without banner and prompts.
local function answers(lines)
  local out, err = temporary_file(), temporary_file()
  os.execute(("env -u LUA_INIT TOCHA_HISTORY= %s -i <%s >%s 2>%s"):format(quote(TOCHA), temporary_file(lines), out, err))
  local text = read_file(out):gsub("^Tocha [^\n]*\n", ""):gsub("^[> ]+", ""):gsub("\n[> ]+", "\n")
  return text:sub(1, -2), read_file(err)
end

local have_terminal = os.execute "script -qec true /dev/null >/dev/null 2>&1 </dev/null"
local on_terminal = have_terminal and it or function(name) pending(name .. " (needs util-linux's script)") end

local have_tmux = os.execute "tmux -V >/dev/null 2>&1"
local in_tmux = have_tmux and it or function(name) pending(name .. " (needs tmux)") end

local function has(text, part) assert.truthy(text:find(part, 1, true), text) end

describe("the prompt", function()
  after_each(function()
    for _, name in ipairs(temporary) do os.remove(name) end
    temporary = {}
  end)

  describe("shows", function()
    it("strings quoted, numbers with all their digits", function()
      assert.equal('"a\\nb"\t0.30000000000000004\n1e+100\n3\nnil\n', (answers '"a\\nb", 0.1 + 0.2\n1e100\n1 + 2\nnil\n'))
    end)

    it("tables readably: nested, cyclic, shortened, with tensors in them", function()
      assert.equal('{1, 2, a = {b = "c"}}\n{tensor([1., 1.]), tensor([1.])}\n',
        (answers "{1, 2, a = {b = 'c'}}\ntorch.ones(3):split(2)\n"))
      assert.equal("{self = <cycle>}\n", (answers "t = {} t.self = t\nt\n"))
      has((answers "t = {} for i = 1, 1000 do t[i] = i end\nt\n"), "... (940 more)")
    end)

    it("nothing where the entry ends in a semicolon", function()
      assert.equal("6\n", (answers "5;\n_ + 1\n"))
    end)

    it("the value of a last line after statements", function()
      assert.equal("1\n2\n", (answers "for i = 1, 2 do\nprint(i) end\n"))
      assert.equal("41\n42\n3\n", (answers "do print(41)\nend x = 42\nx\nx = 3; x\n"))
    end)
  end)

  describe("keeps", function()
    it("the last results", function()
      assert.equal("1\n2\n3\n1\n", (answers "1\n_ + 1\n_ + 1\n_3\n"))
    end)

    it("locals of the outermost level", function()
      assert.equal("1\t2\n3\n6\n", (answers("local a, b <const> = 1, 2\nlocal c, d = 1, 2\nc, d\n"
        .. "local function f(n) return n < 2 and n or n + f(n - 1) end\nf(2)\nf(3)\n")))
      local out = answers "local print2 = print\nlocal string = 'mine'\nstring\n('x'):rep(2)\nrequire 'torch'.ones(1)\n"
      assert.equal('"mine"\n"xx"\ntensor([1.])\n', out)
    end)

    it("them from workers of a loader, which have those that the data set names", function()
      assert.equal("tensor([11, 12])\n", (answers("local ten = 10\nlocal Set = torch.utils.data.Dataset:extend 'Set'\n"
        .. "function Set:__len() return 2 end\n"
        .. "function Set:getitem(i) return torch.tensor(ten + i + 1) end\n"
        .. "local loader = torch.utils.data.DataLoader(Set(), {batch_size = 2, num_workers = 1})\n"
        .. "for x in loader do print(x) end\n")))
    end)

    it("locals of blocks where they are", function() assert.equal("nil\n", (answers "do local z = 1 end\nz\n")) end)
  end)

  it("loads what an entry needs, and no more", function()
    assert.equal("prompt.habits\nprompt.session\n", (answers("local names = {} for name in pairs(debug.getregistry()['tocha.parts']) do "
      .. "names[#names + 1] = name end table.sort(names) print(table.concat(names, '\\n'));\n"):gsub("prompt.lexer\n", "")))
  end)

  it("shows the lines of a traceback, and the locals of each level by :trace", function()
    local out, err = answers "function f(n)\nlocal t = torch.ones(n, 2)\nreturn t:matmul(t)\nend\ny = f(3)\n:trace\n"
    has(err, "stdin:3: in function 'f'\n\t    return t:matmul(t)\n")
    has(err, "\nat stdin:3\n")
    has(out, "n = 3\n")
    has(out, "t = Tensor [3, 2] torch.float32 cpu\n")
  end)

  it("understands what Python means where that is no Lua", function()
    assert.equal("3\n5\nfunction\n", (answers "import torch\nx = 3\nx\nx += 2\nx\nimport torch.nn.functional as F\nprint(type(F.relu))\n"))
    has((answers "import numpy as np\nnp.arange(3)\n"), "array([0, 1, 2])")
    assert.equal("math\n4\n1\n", (answers("import math\nfrom torchvision import transforms\n'math'\nimport torch.nn as nn\nx = 3;\nx += 1\nx\n"
      .. "from tqdm import tqdm\n#{tqdm}\n"):gsub('"', "")))
    has((answers "torch.cat?\n"), "The tensors one after the other")
    assert.truthy((answers "%timeit torch.ones(3)\n"):match "^[%d.e+]+ [mun]?s %(")
    for _, word in ipairs {"exit()", "quit", "exit"} do assert.equal("1\n", (answers("1\n" .. word .. "\n2\n") .. "\n"):sub(1, 2)) end
    assert.equal("7\n8\n", (answers "local exit = 7\nexit\n8\n"))
    local _, loop = answers "for i in range(3):\n1\n"
    has(loop, "hint: in Lua: for i = 0, 2 do")
    assert.equal("5\n", (answers "if 'a: b' == 'a: b' then\nprint(5) end\n"))
    local _, err = answers "True\nx[:, 0]\n"
    has(err, "hint: True is true in Lua")
    has(err, "hint: a slice is a string")
    assert.equal("tensor([3, 2])\ttensor([1, 0])\n", (answers "torch.tensor{2, 3}:sort{descending = True}\n"))
    assert.equal("ReLU()\n2.0\n", (answers "import torch.nn as nn, torch.optim as optim\nnn.ReLU()\nimport math; math.sqrt(4)\n%matplotlib inline\n"))
    has((answers "help()\n"), ":profile EXPRESSION")
  end)

  it("tells of two ways to read a line what is wrong with the one that got further", function()
    for line, message in pairs {["2 ** 3"] = "stdin:1: unexpected symbol near '*'\nhint: in Lua: 2 ^ 3",
      ["x.shape == (2, 3)"] = "stdin:1: ')' expected near ','",
      ["'a' in 'abc'"] = "stdin:1: <eof> expected near 'in'\nhint: look for it in a loop", ["x = 2 ** 3"] = "stdin:1: unexpected symbol near '*'"} do
      local _, err = answers(line .. "\n")
      has(err, message)
    end
  end)

  it("says of an answer what Python's would be", function()
    local _, err = answers "x = torch.arange(3)\nx == 2\n3 == 3\nls\nunknown\n"
    assert.equal("hint: == asks whether it is the same object; the elements are compared by x:eq(2)\nhint: !ls is the shell's\n", err)
  end)

  it("knows what Python's words are", function()
    local names = "x = torch.arange(6):reshape(2, 3)\nmodel = torch.nn.Linear(2, 3)\n"
    for line, hint in pairs {["x.sum(axis=0)"] = "x:sum{axis = 0}", ["torch.stack(x, dim=1)"] = "torch.stack(x, {dim = 1})",
      ["f(torch.ones(2, dtype=torch.int8), 3)"] = "torch.ones(2, {dtype = torch.int8})", ["modle.weight"] = "did you mean 'model'?",
      ["x.mul(x)"] = "colon: x:mul(...)", ["a = {}; a.append(1)"] = "table.insert(list, value)", ["s = 'a'; s.upper()"] = "text:upper()",
      ["x:repeat(2)"] = "x:rep(2, 3)", ["'{:.2f}'.format(3)"] = '("%.2f"):format(x)', ["@torch.no_grad()"] = "a decorator is a call",
      ["time.time()"] = "os.clock()", ["print(x, end='')"] = "io.write"} do
      local _, err = answers(names .. line .. "\n")
      has(err, hint)
    end
    local _, err = answers(names .. "torch.mul(x)\n")
    assert.is_nil(err:find("colon", 1, true))
  end)

  it("says a line of Python in Lua", function()
    local names = "x = torch.arange(6):reshape(2, 3)\nmodel = torch.nn.Linear(2, 3)\nn = 1\n"
    for line, hint in pairs {['print(f"x is {n}")'] = 'print("x is " .. n)', ['f"{n:.2f} and {x.sum()}"'] = 'torch.format("%.2f and %s", n, x:sum())',
      ["x[1:3]"] = 'x["1:3"]', ["x[:, n]"] = 'x[{":", n}]', ["x[n:2]"] = 'x[n .. ":" .. 2]', ["x[0, 1] = 5"] = 'x["0, 1"] = 5',
      ["f = lambda a, b: a ** b"] = "f = function(a, b) return a ^ b end", ["y = 1 if n != 2 else 3"] = "y = n ~= 2 and 1 or 3",
      ["assert x.shape == (2, 3), 'no'"] = "assert(x.shape == torch.Size{2, 3}, 'no')", ["torch.cat([x, x], dim=1)"] = "torch.cat({x, x}, {dim = 1})",
      ["o = torch.optim.SGD(model.parameters(), lr=1e-3)"] = "o = torch.optim.SGD(model:parameters(), {lr = 1e-3})",
      ["{'a': [1, 2]}"] = "{['a'] = {1, 2}}", ["x = 3 # three"] = "x = 3 -- three", ["', '.join(['a'])"] = "table.concat({'a'}, ', ')",
      ["1_000"] = "1000", ["x is not None"] = "x ~= nil",
      ["print('%d %d' % (n, 2))"] = "print(('%d %d'):format(n, 2))", ['r"\\d"'] = "[[\\d]]"} do
      local _, err = answers(names .. line .. "\n")
      has(err, hint)
    end
  end)

  it("takes pasted Python with imports, and does not wait for more of a block that Lua cannot end", function()
    assert.equal("torch.Size([2, 3])\n", (answers "import torch\nx = torch.rand(2, 3)\nprint(x.shape)\n"))
    local session = require "torch"._part "prompt.session"
    assert.is_true(session.is_complete "import torch\nfrom torch import nn\nx = torch.rand(2, 3)\nx += 1\nx.shape")
    for _, text in ipairs {"for i in range(3):\n    print(i)", "if x:\n  print(1)\nelse:\n  print(2)", "while True:\n    pass"} do
      assert.is_true(session.is_complete(text), text)
    end
    assert.is_false(session.is_complete "for i = 1, 2 do\n  x:sum()")
    local hints = require "torch"._part "hints"
    assert.equal("in Lua: for i = 0, 2 do ... end", hints.hint("a:2: 'do' expected near <eof>", "for i in range(3):\n    print(i)"))
    has(hints.hint("a:2: 'do' expected near <eof>", "for i in x\n  print(i)"), "a loop: for i = 1, 3 do")
    assert.is_true(session.is_complete 'x = "abc')
    assert.is_false(session.is_complete 'x = "abc\\')
    assert.is_false(session.is_complete "%%time")
    assert.equal("x = 1\nx", require "torch"._part "prompt.habits".unprompted "$ tocha\n> x = 1\n> x\n1")
  end)

  it("takes a cell with IPython's %%time above it", function()
    assert.truthy((answers "%%time\nx = 3 return x + 1\n"):find "^4\n[%d.e+]+ [mun]?s")
  end)

  it("names the place of a warning as that of an error", function()
    local _, err = answers "torch.cuda.amp.GradScaler();\n"
    has(err, "Lua warning: stdin:1: FutureWarning")
  end)

  it("does not say what it is not sure of", function()
    local python_line = require "torch"._part "hints.python_line"
    for _, line in ipairs {"[i for i in x]", "sum([1, 2])", "x.max(dim=1).values", "super().__init__()", "for i in range(3):", "a in b", "print(x, end='')",
      "x + 1", "'unfinished", "f(", "]", "{1, 2}", "f(*args)", ""} do
      assert.is_nil(python_line.lua(line, function() return true end), line)
    end
  end)

  it("has hints for words of Python, of other languages and of shells", function()
    for line, hint in pairs {["import pandas as pd"] = "reads CSV", ["global x"] = "is global", ["else if x then"] = "elseif", ["const x = 3"] = "local x = 3",
      ["a && b"] = "a and b", ["git status"] = "!git status", ["'abc'[0]"] = ":sub(1, 1)", ["{k: v for k in t}"] = "a loop fills a dict",
      ["with open('f') as f:"] = "io.lines", ["if __name__ == '__main__':"] = "first line", ["os.environ['HOME']"] = "os.getenv", ["pass"] = "empty block",
      ["x = torch.ones(2)\ntype(x)"] = ":type x"} do
      local _, err = answers(line .. "\n")
      has(err, hint)
    end
    local _, err = answers "loss.item()\n"
    assert.is_nil(err:find("did you mean", 1, true))
    assert.equal("shell\n", (answers "%cat /dev/null\n!echo shell\n"))
    assert.equal("8.0\t3\n", (answers "x = 2\nx **= 3\ny = 7\ny //= 2\nx, y\n"))
  end)

  it("tells numbers with a point whatever the locale, and lists of numbers side by side", function()
    local list = {}
    for i = 1, 33 do list[i] = i end
    assert.equal([[
{
1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33
}
]], (answers("{" .. table.concat(list, ",") .. "}\n")))
    if os.setlocale "de_DE.UTF-8" then
      os.setlocale "C"
      assert.equal("1.5\n", (answers "os.setlocale 'de_DE.UTF-8';\n1.5\n"))
    end
  end)

  it("has entries and results by number", function()
    assert.equal("tensor([1., 1.])\n\"torch.ones(2)\"\ntrue\nnil\n", (answers "torch.ones(2)\nIn[1]\nrawequal(Out[1], _2)\nOut[99]\n"))
  end)

  it("does not keep the values of an entry's frames if memory ran out", function()
    local program = "function f() local big = torch.ones(10)\nlocal kept = setmetatable({big}, {__mode = 'v'})\n_G.weak = kept\n"
      .. "error(setmetatable({code = '%s'}, {__tostring = function() return 'no' end})) end\nf()\ncollectgarbage()\ncollectgarbage();\n#weak\n"
    assert.equal("0\n0\n", (answers(program:format "MemoryError")))
    assert.equal("0\n1\n", (answers(program:format "RuntimeError")))
  end)

  describe("has the command", function()
    it(":cd, :env, and lines of the shell in a variable", function()
      assert.equal("/tmp\n/tmp\n/\n/tmp\n", (answers "%cd /tmp\n!pwd\n:cd /\n:cd -\n"))
      local _, err = answers ":cd /nowhere/at/all\n"
      has(err, "[Errno 2] No such file or directory: '/nowhere/at/all'")
      assert.equal("ember\nember\n", (answers ":env TOCHA_SPEC=ember\n:env TOCHA_SPEC\n!echo $TOCHA_SPEC\n"))
      assert.equal('{"one", "two"}\n', (answers "lines = !printf 'one\\ntwo\\n'\nlines\n"))
    end)

    it(":reset, :insert, :page", function()
      assert.equal("3\n2 variables forgotten\nnil\nnil\n", (answers "a = 1\nlocal b = 2\na + b\n:reset -f\nb\n_1\n"))
      has((answers(":insert " .. temporary_file "6 * 7\n" .. "\n")), "6 * 7")
      local whole = answers ":page torch.arange(2000)\n"
      has(whole, "1999])")
      assert.is_nil(whole:find("...", 1, true))
      has((answers "torch.arange(2000)\n"), "...") -- and what is shown afterwards is short
      has((answers "s = ('line\\n'):rep(300);\nsetmetatable({}, {__tostring = function() return s end})\n"), "more lines; :page shows all)")
    end)

    it(":reload and :autoreload", function()
      local folder = os.tmpname()
      os.remove(folder)
      os.execute("mkdir " .. folder)
      local first, second = temporary_file "return {value = 1}\n", temporary_file "return {value = 2, more = true}\n"
      local lines = ("package.path = '%s/?.lua;' .. package.path\n!cp %s %s/spec_library.lua\nl = require 'spec_library'\n%%s\n")
        :format(folder, first, folder) .. ("!cp %s %s/spec_library.lua\n"):format(second, folder)
      assert.equal("libraries are loaded again when their files have changed\nloaded again: spec_library\n2\ttrue\ttrue\n",
        (answers(lines:format ":autoreload on" .. "l.value, l.more, l == require 'spec_library'\n")))
      assert.equal("2\n", (answers(lines:format "" .. ":reload spec_library\nl.value\n")))
      local _, err = answers ":reload nothing\n"
      has(err, "'nothing' was not required")
      os.execute("rm -r " .. folder)
    end)

    it(":debug, which steps, stops, shows and changes variables", function()
      local library = temporary_file("local function inner(n)\n  local total = 0\n  for i = 1, n do total = total + i end\n  return total\nend\n"
        .. "function outer(n)\n  local a = inner(n)\n  local b = inner(n + 1)\n  return a + b\nend\n")
      local start = ":load " .. library .. "\n:debug outer(3)\n"
      local out = answers(start .. "n\na\ns\nw\nu\nd\nc\n")
      has(out, "->   7    local a = inner(n)")
      has(out, "n = 3\na = 6\n")
      has(out, "->   2    local total = 0")
      has(out, "-> " .. library .. ":2 in ")
      assert.truthy(out:find "\n16\n$" or out:find "\n%(debug%) 16\n$", out)
      has((answers(start .. "n\na = 100\nc\n")), "110\n")
      has((answers(start .. "b 9\nc\np b\nc\n")), "(debug) 10\n")
      assert.equal("42\n", (answers(start .. "q\n42\n")):match "42\n$")
      out = answers("function f(n)\nlocal z = n * 2\nerror 'bad'\nend\nf(4)\n:debug\nz + n\nc\nq\n7\n")
      has(out, "->   3  error 'bad'")
      has(out, "(debug) 12\n")
      has(out, "it has ended")
      has((answers ":debug\n"), "no error yet")
      has((answers ":debug pcall(error, 'x')\n"), 'false\t"x"')
    end)

    it("?name and ??word", function()
      has((answers "?torch.cat\n"), "The tensors one after the other")
      has((answers "?cat\n"), "The tensors one after the other")
      has((answers "??cumulative\n"), "torch.cum")
    end)

    it(":time, :timeit, :type, :vars, :mem", function()
      has((answers ":time 1 + 1\n"), "2\n")
      assert.truthy((answers ":timeit torch.ones(3)\n"):match "^[%d.e+]+ [mun]?s %(")
      has((answers ":type torch.ones(2, 3):t()\n"), "torch.FloatTensor of torch.Size([3, 2]) on cpu, strides {1, 3}")
      has((answers ":type torch.nn.Linear(2, 3)\n"), "<class 'torch.nn.Linear'>")
      assert.truthy((answers "net = torch.nn.Linear(2, 3)\nloader = torch.utils.data.DataLoader{1}\nt = setmetatable({}, {__len = error})\n:vars\n")
        :match "loader +DataLoader *\nnet +Linear +Linear%(.-\nt +table +{}")
      assert.truthy((answers "x = torch.ones(2, 3)\nlocal n = 4\n:vars\n"):match "n +number +4 *\nx +Tensor +%[2, 3%] +torch.float32 +cpu +24 B")
      has((answers "torch.ones(1000);\n:mem\n"), "1 values, tensors of 4.0 KB")
    end)

    it(":save and :load", function()
      local name = temporary_file()
      answers("x = 6\ny = 7\n:save " .. name .. "\n")
      assert.equal("x = 6\ny = 7\n", read_file(name))
      assert.equal("42\n", (answers(":load " .. name .. "\nx * y\n")))
      write_file(name, "local x\nx.y = 1\n")
      local _, err = answers(":load " .. name .. "\n")
      has(err, ":2: in local 'script'\n\t    x.y = 1\n\t[C]: in ?\n")
    end)

    it("!shell, and an error for what it does not know", function()
      has((answers "!echo shell\n"), "shell\n")
      local _, err = answers ":tim\n"
      assert.equal("no command :tim; did you mean :time?\n", err)
      assert.equal(":timeit EXPRESSION: the median time of many runs\n", select(2, answers ":timeit\n"))
      assert.equal("(command):1: unexpected symbol near <eof>\n", select(2, answers ":time 1 +\n"))
      has((answers ":help\n"), "\n:profile EXPRESSION  its time and memory")
    end)
  end)

  describe("completes", function()
    local torch = require "torch"
    local complete = torch._part "prompt.complete"
    local names = {x = torch.ones(2), net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU()), t = {alpha = 1, inner = {beta = 2}},
      plt = torch.plot, torch = torch}
    names.opt = torch.optim.SGD(names.net:parameters(), {lr = 0.1})
    names.gen, names.dev, names.normal = torch.Generator(), torch.device "cpu", torch.distributions.Normal(0, 1)
    names.sched = torch.optim.lr_scheduler.StepLR(names.opt, 2)
    names.sd = names.net:state_dict()
    local asked = 0
    names.theirs = setmetatable({}, {__index = function() asked = asked + 1 end, __pairs = function() asked = asked + 1 end})

    local function offered(text)
      local out, _, list = {}, complete.at({locals = names}, text, #text + 1, function() return {"file.txt"} end)
      for i, one in ipairs(list) do out[i] = one.text end
      return table.concat(out, " ")
    end

    for typed_text, wanted in pairs {
      ["net[0].wei"] = "weight", ["opt:zer"] = "zero_grad", ["net[0]:reset_p"] = "reset_parameters", ["t['al"] = "alpha']", ["t.inner[\"b"] = 'beta"]',
      ["sd['0.w"] = "0.weight']", ["torch.zeros(2, {dt"] = "dtype = ", ["torch.nn.Linear(2, 3, {bi"] = "bias = ", ["plt.plot({1}, {lab"] = "label = ",
      ["torch.optim.Adam({}, {weight_"] = "weight_decay = ", ["torch.utils.data.DataLoader(t, {batch_si"] = "batch_size = ",
      ["torch.cuda.is_av"] = "is_available", ["x:sum{di"] = "dim = ", ["torch.zeros(2, {dtype = torch.float6"] = "float64", ["x:sum():ite"] = "item",
      ["torch.ones(2):sum_"] = "sum_to_size", ["(x + 1):sum_to"] = "sum_to_size", ["x:view(2):t():logsume"] = "logsumexp", ["x:sum():sum{keep"] = "keepdim = ",
      ["x:topk(1):ite"] = "", ["theirs(1):ite"] = "", ["x:to('cu"] = "cuda cuda:0", ["torch.autocast('cp"] = "cpu", ["torch.Generator('me"] = "meta",
      ["x:to('fi"] = "", ["torch.load('fi"] = "file.txt", ["torch.ones(2, {device = "] = '"cpu" "cuda" "cuda:0" "meta"', ["opt.param_g"] = "param_groups",
      ["gen:manual_s"] = "manual_seed", ["sched:get_last"] = "get_last_lr", ["dev.ind"] = "index", ["x.shape:un"] = "unpack", ["normal:log_"] = "log_prob",
      ["require 'torch.nn"] = "torch.nn", ["require('strin"] = "string",
      ["'a' .. net[0].bia"] = "bias", ["y = torch.nn.Sequentia"] = "Sequential", [":timei"] = "timeit", ["io.open('fi"] = "file.txt",
      ["theirs.a.b"] = "", ["theirs['a"] = "", ["theirs."] = "",
    } do
      it(typed_text, function() assert.equal(wanted, offered(typed_text)) end)
    end

    it("and runs nothing of the user's for it", function() assert.equal(0, asked) end)

    it("with what the names do", function()
      local _, list = complete.at({locals = names}, "x.shap", 7)
      assert.equal("The sizes, a torch.Size, counted from 0.", list[1].note)
      _, list = complete.at({locals = names}, ":timei", 7)
      assert.equal("the median time of many runs", list[1].note)
    end)
  end)

  describe("edits", function()
    on_terminal("with arrows, words, kills and undo", function()
      local screen = typed {{"> "}, "40 + 1", "\27[D\127", "4", "\5\127", "2\r", {"82"},
        "abc def\27\127\21print(7 * 6)\31\31\25\r", 0.3, "1 + 2\1\11\25\25\27b\r"}
      has(screen, "82\n")
    end)

    on_terminal("several lines as one block, pasted ones too", function()
      local screen = typed {{"> "}, "for i = 1, 2 do\r", {">> "}, "print(i * 21)\r", 0.2, "end\r", {"42"},
        "\27[200~local a = 5\nlocal function f(x)\n\treturn x + a\nend\nf(10 + 100)\n\27[201~", 0.2, "\r", {"115"}}
      has(screen, "21\n42\n")
      has(screen, "115\n")
    end)

    in_tmux("with the last line where its block begins, and strings of several lines as they are", function()
      local text = window{{"", "> "}, {"send-keys 'for i = 1, 2 do'", "do"}, {"send-keys Enter", ">>"},
        {"send-keys 'print(i)'", "i)"}, {"send-keys Enter", ">>   print(i)\n>>"}, {"send-keys -l end", "end"}, {"send-keys Enter", "1\n2"}}
      has(text, "> for i = 1, 2 do\n>>   print(i)\n>> end\n1\n2\n")
      text = window{{"", "> "}, {"send-keys 's = [['", "[["}, {"send-keys Enter", ">>"}, {"send-keys '  end]]; #s'", "#s"},
        {"send-keys Enter", "5"}}
      has(text, ">>   end]]; #s\n5\n")
    end)

    in_tmux("once in a window that became lower than they are", function()
      local lines = {}
      for i = 1, 8 do lines[i] = ("'a = %d' Enter"):format(i) end
      local text = window{{"", "> "}, {"send-keys 'function f()' Enter " .. table.concat(lines, " "), "a = 8"},
        {"resize-window -y 8", "a = 8"}, {"send-keys 'local b'", "local b"}, {"resize-window -y 5", "local b"}, {"send-keys 'c'", "local bc"}}
      local _, first = text:gsub("function f", "")
      local _, last = text:gsub("a = 8", "")
      assert.are.same({1, 1}, {first, last}, text)
    end)

    in_tmux("a line as wide as the window, and leaves all of an entry behind that was higher than it", function()
      local text = window{{"", "> "}, {"resize-window -x 20 -y 5", "> "}, {"send-keys 'for i = 1, 1234567 do' BSpace BSpace BSpace ' do' Enter", ">>"},
        {"send-keys a M-Enter b M-Enter c M-Enter d M-Enter e", "e"}, {"send-keys C-c", "> "}}
      has(text, "> for i = 1, 1234567\n do\n")
      has(text, "> for i = 1, 1234567\n do\n>>   a\n>> b\n>> c\n>> d\n>> e\n")
      text = window{{"", "> "}, {"resize-window -x 20 -y 5", "> "}, {"send-keys 'do local x = 12345' Enter 'end --'", "end --"}}
      has(text, "> do local x = 12345\n>> end --")
    end)

    on_terminal("keeps a history, searched and shared", function()
      local file = os.tmpname()
      os.remove(file)
      local environment = "TOCHA_HISTORY=" .. file
      typed({{"> "}, "answer = 40 + 2\r", 0.2, "do\rprint 'two lines'\rend\r", {"two lines"}}, environment)
      assert.equal("answer = 40 + 2\ndo\\nprint 'two lines'\\nend\n", read_file(file))
      local screen = typed({{"> "}, "\27[5~\27[5~\r", 0.3, "answer + 1\r", {"43"}, "\18two l\r", {"two lines"}, "ans\27[A\r", 0.3}, environment)
      has(screen, "43\n")
      has(screen, "two lines\n")
      temporary[#temporary + 1] = file
    end)

    on_terminal("goes through the lines of an entry from the history, then on to older ones", function()
      local screen = typed({{"> "}, "old = 40 + 2\r", 0.2, "do\rlocal y = 1\rprint(y + 1)\rend\r", {"2"}, "\27[A\27[A\5\127\12770)\27[B\r", {"71"},
        "\27[A\27[A\27[A\27[A\27[A", 0.2, "\27[A\27[A\27[A\27[A\5; print(old + 1)\r", {"43"}}, "TOCHA_HISTORY=" .. temporary_file())
      has(screen, "\n71\n")
      has(screen, "\n43\n")
    end)

    on_terminal("completes names, methods, keywords and files by TAB", function()
      local screen = typed {{"> "}, "torch.arang", 0.2, "\t(3)\r", {"tensor([0, 1, 2])"}, "x = torch.ones(2)\r", 0.2, "x:requires_gr", 0.2, "\t", 0.2,
        "\21torch.zeros(2, {dtyp", 0.2, "\ttorch.int8})\r", {"dtype=torch.int8"}, "torch.logsu", 0.2, "\t", 0.3}
      has(screen, "tensor([0, 1, 2])")
      has(screen, "tensor([0, 0], dtype=torch.int8)")
      has(screen, "x:requires_grad_")
      has(screen, "torch.logsumexp")
    end)

    in_tmux("with the rest of an earlier entry in grey behind it, which a key takes", function()
      local text = window{{"", "> "}, {"send-keys 'value = 40 + 2' Enter", "2\n> "}, {"send-keys 'val'", "> value = 40 + 2\n"}, {"send-keys Enter", "> val\n"}}
      has(text, "> val\nnil\n")
      text = window{{"", "> "}, {"send-keys 'value = 40 + 2' Enter", "2\n> "}, {"send-keys 'val'", "> value = 40 + 2\n"},
        {"send-keys Right '; value' Enter", "42"}}
      has(text, "> value = 40 + 2; value\n42\n")
      text = window{{"", "> "}, {"send-keys 'print(1, 2)' Enter", "1"}, {"send-keys 'pr'", "> print(1, 2)\n"}, {"send-keys M-f '(7)' Enter", "7"}}
      has(text, "> print(7)\n7\n")
    end)

    on_terminal("ten thousand characters on a line, and bytes that are no text", function()
      local screen = typed {{"> "}, "#'" .. ("x"):rep(10000) .. "'\r", {"10000"}, "\255\254\1\11", 0.1, "6 * 7\r", {"42"}}
      has(screen, "\n10000\n")
      has(screen, "\n42\n")
    end)

    on_terminal("a question to the terminal, whose answer is no entry, and what was typed before it is one", function()
      local screen = typed {{"> "}, "a = torch._ask_terminal('\\27[c', 9000)\r", {"\27[c"}, "\27[?62;4c", 0.2, "#a\r", {"\n8"}, 0.2, "6 * 7\r", {"42"},
        "for i = 1, 3e7 do end b = torch._ask_terminal('\\27[0c', 9000)\r", 0.05, "type(b)\r", {'"nil"'}, "5 * 5\r", {"25"}}
      has(screen, "\n8\n")
      has(screen, "\n42\n")
      has(screen, '\n"nil"\n')
      assert.error_matches(function() require "torch"._ask_terminal("", -1) end, "0 to 10000")
    end)

    on_terminal("plain lines where the terminal is dumb", function()
      local screen = typed({{"> "}, "40 + 2\r", {"42"}}, "TOCHA_HISTORY= TERM=dumb")
      has(screen, "\n42\n")
    end)
  end)
end)
