-- check_spec.lua: tocha --check: finds the mistakes of first days, and none where there is none.
local programs = require "programs"
local torch = require "torch"

-- Returns the findings of a text as one string.
local function found(text)
  local lines = {}
  for _, f in ipairs(torch._part "check".text(text, "script.lua")) do
    lines[#lines + 1] = ("%d:%d: %s | %s"):format(f.line, f.column, f.message, f.write or "-")
  end
  return table.concat(lines, "\n")
end

local preamble = [[
local torch = require "torch"; local nn, optim, data, F = torch.nn, torch.optim, torch.utils.data, torch.nn.functional
local x, y, a, k, n = torch.tensor{1, 2, 3}, torch.rand(10, 4), torch.randint(0, 3, {10}), 2, 10
local net = nn.Linear(4, 2); local opt = optim.SGD(net:parameters(), {lr = 0.1})
]]

-- A line, a plain text within its message, and the text to write instead.
local mistakes = {
  {"print(x == 2)", "`x == 2` is always false", "x:eq(2)"},
  {"print(3 ~= x)", "`3 ~= x` is always true", "x:ne(3)"},
  {"print(y[a == k])", "no mask", "a:eq(k)"},
  {"print(y[a > 1])", "no mask", "a:gt(1)"},
  {"y[y < 0] = 0", "no mask", "y:lt(0)"},
  {"print((torch.arange(4) == 2):sum())", "which has no methods", "torch.arange(4):eq(2):sum()"},
  {"print(torch.where(y > 0, y, -y))", "not a tensor", "y:gt(0)"},
  {"if x:gt(0) then print(1) end", "every tensor is true", "x:gt(0):any():item()"},
  {"while not y:eq(1) do break end", "every tensor is true", "y:eq(1):any():item()"},
  {"if x:eq(2):all() then print(1) end", "every tensor is true", "x:eq(2):all():item()"},
  {"print(x.sum())", "with a colon", "x:sum()"},
  {"opt.zero_grad()", "with a colon", "opt:zero_grad()"},
  {"net.eval()", "with a colon", "net:eval()"},
  {"for i = 1, #x do print(x[i]) end", "counts from 0", "for i = 0, #x - 1 do, or for i, value in pairs(x) do"},
  {"for i = 1, y:size(0) do print(y[i]) end", "counts from 0", "for i = 0, y:size(0) - 1 do"},
  {"for i = 1, x do print(i) end", "limit of a loop", "#x is its length"},
  {"for i, v in ipairs(x) do print(i, v) end", "ipairs counts from 1", "pairs(x)"},
  {"for row in y do print(row) end", "no iterator", "for i, value in pairs(y) do"},
  {"for p in pairs(net:parameters()) do print(p) end", "iterator goes into the loop", "for p in net:parameters() do"},
  {"print(x:shape())", "shape is a field", "x.shape[0], or x:size(0)"},
  {"print(x.dtype())", "dtype is a field", "x.dtype"},
  {"print(x[#x])", "out of bounds", "x[-1]"},
  {"x[#x + 1] = 4", "does not grow", "torch.cat{x, more}"},
  {"local w = torch.rand(3, {requires_grad = true}); for _ = 1, 3 do w = w - 0.1 * w.grad end", "no leaf",
    "torch.no_grad(function() w:sub_(0.1 * w.grad) end)"},
  {"print(torch.zeros(\"3\"))", "must be tuple of ints, not str", "tonumber"},
  {"print(x:mean())", "mean(): could not infer", "x:float()"},
  {"x:div_(2)", "can't be cast", "torch.tensor{1.0"},
  {"print(torch.tensor({1, 2}, {requires_grad = true}))", "Only Tensors of floating point", "torch.tensor{1.0"},
  {"print(torch.relu(y:max(1)))", "both go into the call", "(y:max(1))"},
  {"print(F.mse_loss(y:max(1)))", "both go into the call", "(y:max(1))"},
  {"print(string.format('%.2f', x))", "takes numbers, not tensors", "torch.format"},
  {"print(('%d %.2f'):format(k, x))", "takes numbers, not tensors", "x:item()"},
  {"local names = {'a', 'b'}; print(names[y:argmax()])", "no key of a table", "names[y:argmax():item() + 1]"},
  {"print(y[math.random(#y)])", "counts from 0", "math.random(0, #y - 1)"},
  {"local set = data.TensorDataset(y, a); local u, v = set[0]; print(u, v)", "one table", "table.unpack(set[0])"},
  {"local brain = nn.Linear(3, 2); print(brain(x))", "same dtype", "x:float()"},
  {"print(nn.CrossEntropyLoss(y, a))", "must be bool, not Tensor", "made first, and then called"},
  {"for i = 1, 3 do local loss = i end; print(loss)", "'loss' is not defined", "declare it before the block"},
  {"local N = nn.Module:extend 'N'; function N.forward(self, z) return z.sum() end; N()(y)", "with a colon", "z:sum()"},
  {"local f, g = ('a=1'):match '(%a)=(%d)'; print(torch.tensor{f, g})", "str", "tonumber"},
  {"print(torch.cat{y:max(1)})", "both go into the list", "(y:max(1))"},
  {"print(torch.zeroes(3))", "no attribute 'zeroes'", "torch.zeros"},
  {"print(nn.Linaer(3, 2))", "no attribute 'Linaer'", "torch.nn.Linear"},
  {"print(nn.Linear.new(3, 2))", "does not exist", "nn.Linear(...)"},
  {"print(net:clone())", "no method 'clone'", "torch.deepcopy(net)"},
  {"optim.Adam(net:parameters(), {learning_rate = 1})", "unexpected keyword argument 'learning_rate'", "lr"},
  {"print(y:sum{dims = 1})", "dims=int", "dim"},
  {"print(nn.Linear(n / 2, 2))", "float", "//"},
  {"print(y[n / 2])", "subscripts are integers", "n // 2"},
  {"print(y:reshape{n / 2, 8})", "float", "//"},
  {"if x ~= None then print(1) end", "'None' is not defined", "nil"},
  {"print(len(x))", "'len' is not defined", "#x"},
  {"print(np.zeros(3))", "'np' is not defined", "torch.numpy"},
  {"local total = 0; print(totl)", "'totl' is not defined", "total"},
  {"local count = 0; for i = 1, 3 do coutn = count + i end", "'coutn' is assigned and never read", "count"},
  {"io.write(x)", "io.write takes strings", "tostring(x)"},
  {"print(table.concat(x))", "table.concat takes a table", "x:tolist()"},
  {"print(math.sqrt(x))", "math.sqrt takes numbers", "x:sqrt()"},
  {"if x.device == \"cpu\" then print(1) end", "a device never equals a string", "x.device.type == \"cpu\""},
  {"if x.dtype == \"float32\" then print(1) end", "a dtype never equals a string", "x.dtype == torch.float32"},
  {"if x.shape == {3} then print(1) end", "a torch.Size never equals a table", "torch.Size({3})"},
  {"print(y:sumn(1))", "no attribute 'sumn'", "sum"},
  {"for xs, ys in data.DataLoader(data.TensorDataset(y, a)) do if ys == 1 then print(xs) end end", "always false", "ys:eq(1)"},
  {"local function act(c) if c == 1 then return 1 end end; act(torch.multinomial(y[0], 1))", "always false", "c:item() == 1"},
  {"local N = nn.Module:extend \"N\"; function N:forward(z) if z == 0 then return z end end; N()(y)", "always false", "z:eq(0)"},
  {"print(tonumber(x))", "nil for a tensor", "x:item()"},
  {"table.insert(x, 4)", "does not grow", "torch.cat"},
  {"print(table.unpack(x))", "counts from 1", "x:unpack()"},
  {"optim.SGD(net, {lr = 1})", "not iterable", "optim.SGD(net:parameters(), ...)"},
  {"if k != 2 then print(1) end", "!= is not Lua", "~="},
  {"k += 1", "Lua has no +=", "k = k + 1"},
  {"print(2 ** 3)", "** is not Lua", "x ^ 2"},
  {"f() = 3", "syntax error", "-"},
  {"if a and then end", "unexpected symbol", "-"},
}

describe("tocha --check finds", function()
  for _, mistake in ipairs(mistakes) do
    it(mistake[1], function()
      local said = found(preamble .. mistake[1])
      local line = said:match "4:[^\n]*" or ""
      assert.truthy(line:find(mistake[2], 1, true), said)
      assert.truthy(line:match("| (.*)$"):find(mistake[3], 1, true), said)
      assert.is_nil(said:find "^[1235]:", said)
    end)
  end

  it("a line that goes on with the one above", function()
    assert.truthy(found(preamble .. "local w = torch.rand(2)\n(w * w):sum()"):find("put a ; before it", 1, true))
  end)

  it("where it stands: file, line and column, and exits with 1", function()
    local name = os.tmpname()
    programs.write(name, "local x = torch.ones(3)\nprint(1, x == 2)\n")
    local pipe = io.popen(("%s --check %s; echo $?"):format(programs.quote(programs.tocha), name))
    local out = pipe:read "a"
    pipe:close()
    os.remove(name)
    assert.are.equal(name .. ":2:10: `x == 2` is always false: a tensor never equals a number in Lua\n" ..
      "    write: x:eq(2) for each element, x:item() == 2 for a tensor of one\n1\n", out)
  end)
end)

-- Programs that contain mistakes on purpose.
local on_purpose = {["spec/golden/views/comparison_of_tensors.lua"] = true, ["spec/golden/views/sizes_as_tensors.lua"] = true,
  ["spec/golden/schedulers/states.lua"] = true, ["spec/golden/nn/losses_of_kinds.lua"] = true,
  ["spec/golden/nn/lazy_refusals.lua"] = true}

local function lua_files(folder)
  local names = {}
  local pipe = io.popen(("find %s -name '*.lua'"):format(folder))
  for name in pipe:lines() do
    if not name:find "mistakes" and not name:find "/typo.lua$" and not on_purpose[name] then names[#names + 1] = name end
  end
  pipe:close()
  table.sort(names)
  return names
end

describe("tocha --check finds nothing in", function()
  for _, folder in ipairs {"examples", "spec/golden"} do
    it(folder, function()
      local names = lua_files(folder)
      assert.is_true(#names > 15)
      local pipe = io.popen(("%s --check %s 2>&1; echo $?"):format(programs.quote(programs.tocha), table.concat(names, " ")))
      local out = pipe:read "a"
      pipe:close()
      assert.are.equal("0\n", out)
    end)
  end

  it("lua/parts/nn/forward", function()
    local names = lua_files "lua/parts/nn/forward"
    assert.is_true(#names > 3)
    for _, name in ipairs(names) do assert.are.equal("", found(programs.read(name))) end
  end)

  it("a file that is not there, and runs nothing", function()
    local folder, name = os.tmpname(), os.tmpname()
    os.remove(folder)
    local script = "io.open(%q, 'w'):close(); torch.vision.datasets.MNIST{root = %q, download = true}; torch.save({}, %q)\n"
    programs.write(name, script:format(folder, folder, folder))
    local said = programs.output(("%s --check %s; %s --check nothing.lua"):format(programs.tocha, name, programs.tocha))
    os.remove(name)
    assert.is_nil(io.open(folder))
    assert.are.equal(programs.tocha .. ": nothing.lua: No such file or directory", said:match "[^\n]*")
  end)
end)
