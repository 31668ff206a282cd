-- first_days_spec.lua: what people write on their first days answers with the line to write instead.
local torch = require "torch"
local programs = require "programs"
local nn, optim, data, F = torch.nn, torch.optim, torch.utils.data, torch.nn.functional

local function scope()
  local net = nn.Linear(4, 2)
  return setmetatable({torch = torch, nn = nn, optim = optim, data = data, F = F, n = 10, t = torch.tensor{1, 2, 3}, y = torch.rand(4, 6), net = net,
    opt = optim.SGD(net:parameters(), {lr = 0.1}), set = data.TensorDataset(torch.rand(4, 2)), layers = nn.Sequential(nn.ReLU(), nn.Tanh())}, {__index = _G})
end

-- Lines, and a text of their hint. Lines with the same cure stand together.
local cures = {
  ["torch.tensor{1.0, 2.0}"] = {"t:div_(2)", "t:add_(0.5)", "t:std()", "t:softmax(0)", "t:requires_grad_()", "torch.tensor({1, 2}, {requires_grad = true})",
    "nn.Parameter(t)", "torch.linalg.inv(torch.tensor{{1, 2}, {3, 4}})", "torch.tensor{{1, 2}, {3, 4}}:det()", "F.mse_loss(t, t)", "t:normal_()",
    "torch.bernoulli(t)", "nn.init.xavier_uniform_(torch.tensor{{1, 2}})", "F.cross_entropy(torch.tensor{{1, 2}}, torch.tensor{0})", "F.gelu(t)",
    "torch.linalg.qr(torch.tensor{{1, 2}, {3, 4}})", "t:exponential_()"},
  ["x:float()"] = {"t:mean()", "t:norm()", "net(torch.ones(3, 4, {dtype = torch.int64}))", "torch.tensor{{1, 2}}:matmul(torch.rand(2))",
    "t:matmul(torch.rand(3))"},
  ["x:tolist()"] = {"y:item()", "y:totable()"}, ["tostring(x)"] = {"y:tostring()"}, ["x:numel()"] = {"y:len()"},
  ["does not grow"] = {"t[3] = 1", "t[#t + 1] = 4", "table.insert(t, 4)", "y:append(1)", "y:insert(1)"},
  ["torch.tensor{...}"] = {"return y + {1, 2}", "return {1, 2} * y", "F.cross_entropy(y, {1, 2, 3, 1})"},
  ["dtype = torch.float32"] = {"torch.rand(3, {dtype = 'float32'})", "torch.zeros(3, torch.float32)"},
  ["with a dot"] = {"torch:randn(3)", "torch:zeros(2)", "nn:Linear(2, 3)"}, ["nn.ReLU()"] = {"nn.Sequential(nn.Linear(2, 2), nn.ReLU)"},
  ["torch.save(value, path)"] = {"torch.save('model.pt', net:state_dict())"},
  ["io.open is nil"] = {"torch.save({1}, nil)", "torch.load(io.open '/no/such/file.pt')"},
  ["IterableDataset"] = {"for _ in data.DataLoader(coroutine.wrap(function() end)) do end",
    "for _ in data.DataLoader(coroutine.create(function() end)) do end"},
  ["count from 0"] = {"for i = 1, #t do local _ = t[i] end", "return t[#t]", "t[#t + 1] = 4", "return layers[#layers]", "return t.shape[1]",
    "return y:index_select(0, torch.tensor{4})", "return set[#set]"},
  ["classes count from 0"] = {"F.one_hot(t, 3)"},
  ["6 // 2"] = {"return t[n / 2]", "y:reshape{n / 2, 2}", "y:reshape(n / 2, 2)", "y:view(n / 2, 2)", "torch.randint(0, n / 2, {3})", "torch.zeros(n / 2)",
    "torch.linspace(0, 1, n / 2)", "y:narrow(0, 0, 4 / 2)", "y:sum(1.0)", "y:sum{dim = 1.0}", "nn.Linear(n / 2, 2)", "nn.Linear(2, n / 2)",
    "nn.Conv2d(3, 6 / 2, 3)", "nn.Embedding(n / 2, 3)", "data.DataLoader(set, {batch_size = n / 2})", "torch.full({n / 2}, 1)", "F.pad(y, {2 / 2, 0})",
    "return y[{0, 2 / 2}]", "torch.rand(2, n / 2)", "y:permute(1.0, 0)", "y:mean{1.0}"},
  ["tonumber(\"3\")"] = {"torch.zeros(\"3\")", "torch.zeros(2, \"3\")", "torch.zeros{\"3\", 2}", "y:reshape(\"3\", 2)", "y:sum(\"3\")", "y:add(\"3\")",
    "nn.Linear(\"3\", 2)", "nn.Dropout(\"3\")", "torch.arange(\"3\")", "optim.SGD(net:parameters(), {lr = \"3\"})",
    "optim.Adam(net:parameters(), {lr = \"3\"})",
    "data.DataLoader(set, {num_workers = \"3\"})", "data.DataLoader(set, {batch_size = \"3\"})", "data.DataLoader(set, {timeout = \"3\"})",
    "optim.lr_scheduler.StepLR(opt, \"3\")", "optim.lr_scheduler.StepLR(opt, 2, \"3\")", "optim.lr_scheduler.ExponentialLR(opt, \"3\")",
    "optim.lr_scheduler.CosineAnnealingLR(opt, \"3\")", "optim.lr_scheduler.MultiStepLR(opt, {\"3\"})", "data.random_split(set, {\"3\", \"1\"})",
    "torch.datasets.make_blobs{n_samples = \"3\"}", "optim.lr_scheduler.ReduceLROnPlateau(opt, {patience = \"3\"})",
      "return t[\"3\" + 0.0 and n / 3 and \"3\"] / \"3\""},
  ["torch.randint(0, 2, {1000})"] = {"torch.randint(0, 2, 1000)"},
  ["torch.stack{a, b}"] = {"torch.tensor{y[0], y[1]}"},
  ["x:unsqueeze(0)"] = {"nn.Conv2d(1, 1, 3)(torch.rand(28, 28))", "F.conv1d(torch.rand(8), torch.rand(1, 1, 3))"},
  ["(x:max(1))"] = {"torch.relu(y:max(1))", "net(y:max(1))", "nn.ReLU()(y:max(1))", "y:add(y:max(1))", "y:sigmoid(y:sort())"},
  ["for i, item in pairs(object) do"] = {"for x in set do end"},
  ["param_groups[1]"] = {"return opt[1]"},
  ["dimensions count from 0"] = {"return y:size(2)", "y:sum(2)"},
  ["requires_grad = true"] = {"y:sum():backward()"},
  ["a:matmul(b)"] = {"y:dot(y)"},
  ["torch.stack(list)"] = {"torch.cat{torch.tensor(1), torch.tensor(2)}", "torch.relu{y, y}"},
  ["nn.Module:extend \"Net\""] = {"nn.Module:extend()", "nn.Module.parameters({})"},
  ["did you mean 'dim'?"] = {"y:sum{dims = 1}"},
}
cures["tonumber(\"3\")"][#cures["tonumber(\"3\")"]] = nil

describe("the hint of", function()
  for cure, lines in pairs(cures) do
    for _, line in ipairs(lines) do
      it(line, function()
        local ok, e = pcall(assert(load(line, "=code", "t", scope())))
        assert.is_false(ok)
        assert.truthy(type(e) == "table" and (e.hint or ""):find(cure, 1, true), tostring(e))
        assert.is_nil(tostring(e):find("[tocha]", 1, true))
      end)
    end
  end
end)

-- Returns the output of the program tocha for a script.
local function said(code)
  local name = os.tmpname()
  programs.write(name, code)
  local pipe = io.popen(("%s %s 2>&1"):format(programs.quote(programs.tocha), name))
  local text = pipe:read "a"
  pipe:close()
  os.remove(name)
  return (text:gsub(name:gsub("%p", "%%%0"), "x.lua"))
end

describe("stock Lua", function()
  it("is told of string.format, whose results stay", function()
    local code = [[local torch = require "torch"; print(string.format("%s %5.1f%% %d %q %p", torch.tensor(1), 2.5, 3, "x", nil))
      print(select(2, pcall(string.format, "%d %.2f", 1, torch.tensor(1.5)))); print(("%s %d"):format(1, torch.tensor(1)))]]
    local pipe = io.popen(("LUA_CPATH=%s %s -e %s 2>&1"):format(programs.quote(programs.folder .. "/?.so;;"), programs.lua, programs.quote(code)))
    local text = pipe:read "a"
    pipe:close()
    assert.truthy(text:find("^tensor%(1%)   2.5%% 3 \"x\" %(null%)\n" ..
      "bad argument #3 to 'format' %(number expected, got torch%.Tensor%)\nhint: x:item%(%)"), text)
    assert.truthy(text:find("bad argument #2 to 'format' (number expected, got torch.Tensor)\nhint: x:item() is its number", 1, true), text)
  end)
end)

describe("a script is told of", function()
  local head = "local t, k = torch.tensor{1, 2, 3}, 2\n"
  for line, hint in pairs {
    ["print((torch.arange(4) == 2):sum())"] = "torch.arange(4):eq(2)", ["local m = t == k; print(m:sum())"] = "t:eq(k)",
    ["io.write(t)"] = "tostring(x)", ["print(table.concat(t))"] = "x:tolist()", ["for i = 1, t do print(i) end"] = "#x is its length",
    ["local net = torch.nn.Linear(1, 1); for p in pairs(net:parameters()) do print(p) end"] = "for p in model:parameters() do",
    ["torch.nn.Linear(1, 1):clone()"] = "torch.deepcopy(module)", ["torch.nn.Linear.new(1, 1)"] = "a class is called",
    ["local w = torch.rand(3, {requires_grad = true}); w:sum():backward(); w = w - w.grad; w = w - w.grad"] =
      "torch.no_grad(function() w:sub_(lr * w.grad) end)",
    ["print(('%.2f'):format(t))"] = "torch.format", ["print(t.shape())"] = "x.shape is a field", ["local nn = require 'nn'"] = "local nn = torch.nn",
    ["local names = {'a', 'b'}; print('' .. names[t[0]])"] = "names[k:item() + 1]", ["local o = setmetatable({}, {}); o()"] = "Net() makes an object",
  } do
    it(line, function()
      local text = said(head .. line .. "\n")
      assert.truthy(text:match("hint: [^\n]*"):find(hint, 1, true), text)
      assert.truthy(text:find("x.lua:2", 1, true), text)
    end)
  end

  it("subscripts that a comparison made, once for each line", function()
    local text = said(head .. "for _ = 1, 3 do\n  local _ = t[t == k]\n  t[t ~= k] = 5\nend\nlocal yes = true\nlocal _ = t[yes]\n")
    assert.truthy(text:find("x.lua:3: UserWarning: the subscript is false, the answer of Lua's comparison, and no mask. A mask is x[t:eq(k)]", 1, true), text)
    assert.truthy(text:find("x.lua:4: UserWarning: the subscript is true, the answer of Lua's comparison, and no mask. A mask is x[t:ne(k)]", 1, true), text)
    assert.equal(2, select(2, text:gsub("UserWarning", "")))
  end)

  it("the gradient of what is no leaf, in PyTorch's words", function()
    local text = said "local w = torch.rand(3, {requires_grad = true}); local v = w * 2; print(v.grad, w.grad)\nv:retain_grad(); " ..
      "print(v.grad, torch.ones(1).grad)\n"
    assert.truthy(text:find("x.lua:1: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.", 1, true), text)
    assert.equal(1, select(2, text:gsub("UserWarning", "")))
  end)

  it("its own line where a part of torch fails", function()
    local text = said "local function load_it()\n  torch.load 'nothing.pt'\nend\nload_it()\n"
    assert.truthy(text:find("No such file or directory: 'nothing.pt'\nat x.lua:2\nstack traceback:\n\tx.lua:2: in", 1, true), text)
    text = said "torch.utils.data.DataLoader({1}, {num_workers = {}})\n"
    assert.truthy(text:find "^[^\n]*x.lua:1: attempt to compare .* %(in torch, utils%.data%.loader:%d+%)\n", text)
  end)
end)

describe("unseeded numbers", function()
  it("differ from run to run; those of a Generator do not", function()
    local script = "print(torch.initial_seed(), torch.rand(1):item(), torch.randperm(1000)[0]:item(), torch.Generator():initial_seed())"
    local first, second = said(script), said(script)
    assert.are_not.equal(first, second)
    assert.truthy(first:find "\t67280421310721\n$")
  end)

  it("are repeated from torch.initial_seed()", function()
    assert.equal("true\n", said "local a = torch.rand(3); torch.manual_seed(torch.initial_seed()); print(torch.rand(3):equal(a))")
    assert.equal("true\n", said "local seed = torch.seed(); local a = torch.rand(3); torch.manual_seed(seed); print(torch.rand(3):equal(a))")
  end)
end)
