-- data_parallel_spec.lua: nn.DataParallel and torch.nn.parallel, on two GPUs (TOCHA_SIMULATED_GPUS=2), on one and on none.
local torch = require "torch"
local fails = require "gpus".raises
local nn = torch.nn

local count = torch.cuda.device_count()
local two = require("gpus").with_two

-- A net with parts of C and of Lua, a part that is used twice, and a frozen parameter.
local Block = nn.Module:extend "Block"
function Block:init(width)
  self.linear = nn.Linear(width, width)
  self.scale = nn.Parameter(torch.ones(width))
  self.frozen = nn.Parameter(torch.full({width}, 0.5), false)
end
function Block:forward(x) return torch.tanh(self.linear(x)) * self.scale + self.frozen end

local Net = nn.Module:extend "Net"
function Net:init(width)
  self.first = nn.Linear(4, width or 8)
  self.block = Block(width or 8)
  self.layers = nn.ModuleList{nn.Sequential(nn.Linear(width or 8, width or 8), nn.ReLU()), self.block}
  self.last = nn.Linear(width or 8, 3)
  self.devices = {}
  self:register_buffer("steps", torch.zeros(2))
end
function Net:forward(x)
  self.devices[#self.devices + 1] = tostring(x.device)
  x = self.block(torch.relu(self.first(x)))
  for _, layer in pairs(self.layers) do x = layer(x) end
  self.seen = true
  self.steps:add_(1)
  return self.last(x)
end

local function net(width)
  torch.manual_seed(3)
  local model = Net(width)
  return model:to("cuda:0")
end

local function close(a, b, what) assert(torch.allclose(a:cpu(), b:cpu(), 1e-5, 1e-6), what) end

local function gradients(model)
  local list = {}
  for name, p in model:named_parameters() do list[name] = p.grad and p.grad:clone() end
  return list
end

describe("DataParallel", function()
  it("is the module itself without a GPU", function()
    if count > 0 then return pending "there is a GPU" end
    local inner = nn.Linear(4, 2)
    local model = nn.DataParallel(inner)
    local x = torch.rand(5, 4)
    assert(model(x):equal(inner(x)))
    assert.are.equal(0, #model.device_ids)
    assert.are.equal("cpu", tostring(inner.weight.device))
    fails(function() nn.parallel.data_parallel(inner, x) end, "device type could not be determined")
  end)

  it("has PyTorch's names and printed form", function()
    local inner = nn.Linear(4, 2)
    local model = nn.DataParallel(inner, {device_ids = count > 0 and {0} or nil})
    assert.are.equal("DataParallel(\n  (module): Linear(in_features=4, out_features=2, bias=True)\n)", tostring(model))
    local names = {}
    for name in pairs(model:state_dict()) do names[#names + 1] = name end
    assert.are.same({"module.weight", "module.bias"}, names)
    assert(rawequal(model.module, inner))
    assert(model:isinstance(nn.DataParallel))
    assert.are.equal(nn.DataParallel, nn.parallel.DataParallel)
    fails(function() nn.DataParallel() end, "DataParallel.__init__() missing 1 required positional argument: 'module'")
  end)

  it("is the module on one GPU", function()
    if count == 0 then return pending "no GPU" end
    local inner = nn.Linear(4, 2)
    local model = nn.DataParallel(inner, {0})
    assert.are.equal("cuda:0", tostring(inner.weight.device))
    local x = torch.rand(5, 4)
    close(inner(x:cuda()), model(x))
    assert.are.equal("cuda:0", tostring(model(x).device))
  end)
end)

two("DataParallel on two GPUs", function()
  local x
  before_each(function()
    torch.manual_seed(5)
    x = torch.rand(7, 4)
  end)

  it("gives what the module gives, each half on its GPU", function()
    local inner = net()
    local model = nn.DataParallel(inner)
    local y = model(x)
    assert.are.same({"cuda:0", "cuda:1"}, inner.devices)
    assert.are.equal("cuda:0", tostring(y.device))
    close(inner(x:cuda()), y)
    close(y, model(x:to("cuda:1")))
  end)

  it("sums the gradients into the module's parameters", function()
    local inner = net()
    local model = nn.DataParallel(inner)
    model(x):pow(2):sum():backward()
    local both = gradients(inner)
    model:zero_grad()
    inner(x:cuda()):pow(2):sum():backward()
    for name, p in inner:named_parameters() do
      if p.requires_grad then
        assert.are.equal("cuda:0", tostring(both[name].device))
        close(p.grad, both[name], name)
      else
        assert.is_nil(both[name])
      end
    end
  end)

  it("does so for parameters that cross alone, and of several dtypes", function()
    local inner = net(300) -- 360 kB a matrix
    inner.first:double()
    local forward = inner.first.forward
    local Cast = nn.Module:extend "Cast"
    function Cast:init(part) self.part = part end
    function Cast:forward(v) return self.part(v:double()):float() end
    assert(forward)
    inner.first = Cast(inner.first)
    local model = nn.DataParallel(inner)
    model(x):pow(2):sum():backward()
    local both = gradients(inner)
    model:zero_grad()
    inner(x:cuda()):pow(2):sum():backward()
    for name, p in inner:named_parameters() do
      if p.requires_grad then close(p.grad, both[name], name) end
    end
  end)

  it("trains as the module does", function()
    local function train(model, inner)
      local optimizer = torch.optim.SGD(inner:parameters(), {lr = 0.1, momentum = 0.9})
      local last
      for step = 1, 10 do
        torch.manual_seed(step)
        local batch = torch.rand(8, 4)
        optimizer:zero_grad()
        local loss = model(batch:cuda()):pow(2):mean()
        loss:backward()
        optimizer:step()
        last = loss:item()
      end
      return last
    end
    local one, other = net(), net()
    local a, b = train(one, one), train(nn.DataParallel(other), other)
    assert(math.abs(a - b) < 1e-5)
    for name, p in one:named_parameters() do close(p, other:get_parameter(name), name) end
  end)

  it("uses as many GPUs as the batch fills", function()
    local inner = net()
    local model = nn.DataParallel(inner)
    local y = model(x[":1"])
    assert.are.same({"cuda:0"}, inner.devices)
    assert.are.equal("torch.Size([1, 3])", tostring(y.shape))
    y:sum():backward()
    assert(inner.first.weight.grad)
  end)

  it("keeps what replicas write on the first GPU, and loses the rest", function()
    local inner = net()
    nn.DataParallel(inner)(x)
    assert.are.same({1, 1}, inner.steps:tolist())
    assert.is_nil(inner.seen)
  end)

  it("takes output_device, device_ids and dim", function()
    local inner = nn.Linear(4, 4):to("cuda:1")
    local model = nn.DataParallel{inner, device_ids = {1, "cuda:0"}, output_device = 0}
    local y = model(x)
    assert.are.equal("cuda:0", tostring(y.device))
    close(inner(x:to("cuda:1")), y)
    y:sum():backward()
    assert.are.equal("cuda:1", tostring(inner.weight.grad.device))
    local Column = nn.Module:extend "Column"
    function Column:init() self.weight = nn.Parameter(torch.ones(4, 1)) end
    function Column:forward(v) return v * self.weight end
    local columns = nn.DataParallel(Column():to("cuda:0"), {dim = 1})
    assert.are.equal("torch.Size([4, 7])", tostring(columns(x:t()).shape))
  end)

  it("passes tables, keywords, numbers and nil, and takes tables and several results", function()
    local Mixed = nn.Module:extend "Mixed"
    function Mixed:init() self.weight = nn.Parameter(torch.ones(4)) end
    function Mixed:forward(pair, factor, nothing, options)
      assert(nothing == nil and options.name == "scaled")
      local sum = (pair[1] + pair.inner.second) * factor * self.weight
      return {sum = sum, rows = {sum:sum(1)}}, sum + options.shift
    end
    local model = nn.DataParallel(Mixed():to("cuda:0"))
    local other, shift = torch.rand(7, 4), torch.rand(7, 1)
    local answer, shifted = model({x, inner = {second = other}}, 3, nil, {name = "scaled", shift = shift})
    close((x + other) * 3, answer.sum)
    close(((x + other) * 3):sum(1), answer.rows[1])
    close((x + other) * 3 + shift, shifted)
  end)

  it("makes a vector of scalars", function()
    local Mean = nn.Module:extend "Mean"
    function Mean:init() self.weight = nn.Parameter(torch.ones({})) end
    function Mean:forward(v) return (v * self.weight):mean() end
    local model = nn.DataParallel(Mean():to("cuda:0"))
    local y = model(x[":6"])
    assert.are.equal("torch.Size([2])", tostring(y.shape))
    close(torch.stack{x[":3"]:mean(), x["3:6"]:mean()}, y)
    y:sum():backward()
    close(x[":3"]:mean() + x["3:6"]:mean(), model.module.weight.grad)
  end)

  it("runs without inputs, on the first GPU", function()
    local Constant = nn.Module:extend "Constant"
    function Constant:init() self.weight = nn.Parameter(torch.ones(3)) end
    function Constant:forward() return self.weight * 2 end
    close(torch.full({3}, 2.0), nn.DataParallel(Constant():to("cuda:0"))())
  end)

  it("records nothing in no_grad, and runs hooks on every GPU", function()
    local inner = net()
    local model, calls = nn.DataParallel(inner), {}
    inner.first:register_forward_hook(function(_, _, output) calls[#calls + 1] = tostring(output.device) end)
    torch.no_grad(function() assert.is_false(model(x).requires_grad) end)
    assert.are.same({"cuda:0", "cuda:1"}, calls)
    model:eval()
    local training = {}
    inner.first:register_forward_hook(function(module) training[#training + 1] = module.training end)
    model(x)
    assert.are.same({false, false}, training)
  end)

  it("gives memory back", function()
    local inner = net()
    local model = nn.DataParallel(inner)
    local function step()
      for _ = 1, 3 do model(x):sum():backward() end
      collectgarbage()
      collectgarbage()
      return torch.cuda.memory_allocated(1)
    end
    local before = step()
    assert.are.equal(before, step())
  end)

  it("says what is wrong", function()
    local model = nn.DataParallel(nn.Linear(4, 2))
    fails(function() model(x) end, "module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found "
      .. "one of them on device: cpu")
    local Broken = nn.Module:extend "Broken"
    function Broken:init() self.weight = nn.Parameter(torch.ones(4)) end
    function Broken:forward(v)
      if tostring(v.device) == "cuda:1" then return v:view(5, 5) end
      return v
    end
    local ok, err = pcall(nn.DataParallel(Broken():to("cuda:0")), x)
    assert(not ok)
    assert.are.equal("Caught RuntimeError in replica 1 on device 1.", tostring(err):match "^[^\n]*")
    assert(tostring(err):find("shape '[5, 5]' is invalid for input of size 12", 1, true))
    assert.are.equal(0, torch.cuda.current_device())
    fails(function() nn.DataParallel(nn.Linear(4, 2), {"cpu"}) end, "Expected a cuda device, but got: cpu")
  end)
end)

two("nn.parallel", function()
  local parallel = nn.parallel
  local devices = {0, 1}

  it("scatter and gather are each other's gradient", function()
    local x = torch.rand(5, 3, {requires_grad = true})
    local pieces = parallel.scatter(x, devices)
    assert.are.same({"cuda:0", "cuda:1"}, {tostring(pieces[1].device), tostring(pieces[2].device)})
    assert.are.same({3, 2}, {pieces[1].shape[0], pieces[2].shape[0]})
    local y = parallel.gather({pieces[1] * 2, pieces[2] * 3}, 1)
    assert.are.equal("cuda:1", tostring(y.device))
    y:sum():backward()
    assert(x.grad:equal(torch.cat{torch.full({3, 3}, 2.0), torch.full({2, 3}, 3.0)}))
    close(x:detach(), parallel.gather(parallel.scatter(x:detach(), devices, 1), "cpu", 1))
  end)

  it("scatter cuts tables, and shares what is no tensor", function()
    local pieces = parallel.scatter({torch.arange(4), "word", {torch.ones(2), 7}, name = torch.zeros(3)}, devices)
    assert.are.equal(2, #pieces)
    assert.are.same({{2, 3}, "word", 7}, {pieces[2][1]:tolist(), pieces[2][2], pieces[2][3][2]})
    assert.are.same({1, 2}, {pieces[1][3][1]:numel(), pieces[1].name:numel()})
    assert.are.same({5, 5}, parallel.scatter(5, devices))
    assert.are.equal(1, #parallel.scatter({torch.rand(1, 2)}, devices))
  end)

  it("gather joins tables, and refuses what it cannot join", function()
    local function on(i, n) return torch.full({n}, i + 0.0, {device = ("cuda:%d"):format(i)}) end
    local joined = parallel.gather({{a = on(0, 2), b = {on(0, 1)}}, {a = on(1, 1), b = {on(1, 1)}}}, 0)
    assert.are.same({0, 0, 1}, joined.a:tolist())
    assert.are.same({0, 1}, joined.b[1]:tolist())
    fails(function() parallel.gather({{a = on(0, 1)}, {}}, 0) end, "All dicts must have the same number of keys")
    fails(function() parallel.gather({torch.ones(2), torch.ones(2)}, 0) end, "Gather function not implemented for CPU tensors")
    fails(function() parallel.gather({1.5, 2.5}, 0) end, "'float' object is not iterable")
  end)

  it("replicate copies the tree", function()
    local inner = net()
    local replicas = parallel.replicate(inner, devices)
    assert(rawequal(replicas[1].layers[1], replicas[1].block))
    assert(not rawequal(replicas[2].layers[1], inner.block))
    assert.are.equal(tostring(inner), tostring(replicas[2]))
    assert(replicas[2]:isinstance(Net) and replicas[2].block:isinstance(Block))
    assert.are.equal("cuda:1", tostring(replicas[2].block.scale.device))
    assert(replicas[2].block.scale.requires_grad and not replicas[2].block.frozen.requires_grad)
    assert(rawequal(replicas[1].first.weight, inner.first.weight))
    assert(rawequal(replicas[2].devices, inner.devices)) -- fields are shared as they are
    replicas[2].extra = 1
    assert.is_nil(inner.extra)
    assert.are.same({}, parallel.replicate(inner, {}))
    local detached = parallel.replicate(inner, devices, true)
    assert.is_false(detached[2].block.scale.requires_grad)
  end)

  it("parallel_apply calls each on its GPU", function()
    local inner = nn.Linear(3, 2):to("cuda:0")
    local replicas = parallel.replicate(inner, devices)
    local pieces = parallel.scatter(torch.ones(4, 3), devices)
    local outputs = parallel.parallel_apply(replicas, pieces, nil, devices)
    assert.are.equal("cuda:1", tostring(outputs[2].device))
    local again = parallel.parallel_apply(replicas, {{pieces[1]}, {pieces[2]}})
    close(outputs[2], again[2])
    fails(function() parallel.parallel_apply(replicas, {1}) end, "The number of modules 2 is not equal to the number of inputs 1")
    fails(function() parallel.parallel_apply({inner}, {1}) end,
      "in replica 0, no device was provided and no tensor input was found; device cannot be resolved")
  end)

  it("data_parallel is DataParallel without the module around", function()
    local inner, x = net(), torch.rand(6, 4)
    close(inner(x:cuda()), parallel.data_parallel(inner, x))
    assert.are.equal("cuda:1", tostring(parallel.data_parallel(inner, x, {output_device = 1}).device))
    close(inner(x:cuda()), parallel.data_parallel(inner, x, {0}))
    assert.are.equal("cpu", tostring(parallel.data_parallel(inner, x, nil, -1).device))
  end)
end)
