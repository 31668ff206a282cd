-- modules_spec.lua: what PyTorch's answers cannot ask: packed sequences against single ones, copies, states that go round.
local torch = require "torch"
local nn = torch.nn
local rnn = nn.utils.rnn

describe("the bases of recurrent layers", function()
  it("are what those layers and cells extend", function()
    assert.is_true(nn.LSTM(2, 3):isinstance(nn.RNNBase))
    assert.is_true(nn.GRUCell(2, 3):isinstance(nn.RNNCellBase))
    assert.is_false(nn.LSTM(2, 3):isinstance(nn.GRU))
    assert.is_true(nn.RNN(2, 3):isinstance(nn.Module))
  end)

  it("are extended by classes of a script", function()
    local Mine = nn.RNNBase:extend "Mine"
    function Mine:init(width) nn.RNNBase.init(self, "GRU", 2, width) end
    assert.are.equal("Mine(2, 3)", tostring(Mine(3)))
    assert.are.same({9, 2}, {Mine(3).weight_ih_l0:size(0), Mine(3).weight_ih_l0:size(1)})
  end)
end)

describe("a buffer that is assigned", function()
  it("goes through the class's own register_buffer", function()
    local seen, Net = {}, nn.Module:extend "Net"
    function Net:register_buffer(name, value, persistent)
      seen = {name, persistent}
      nn.Module.register_buffer(self, name, value, persistent)
    end
    local net = Net()
    net.x = nn.Buffer(torch.ones(1), {persistent = false})
    assert.are.same({"x", false}, seen)
    assert.are.equal(0, #net:state_dict())
  end)
end)

describe("packed sequences", function()
  for _, class in ipairs{"RNN", "GRU", "LSTM"} do
    it("give each sequence of " .. class .. " what it gets alone", function()
      torch.manual_seed(3)
      local layer = nn[class](3, 4, {num_layers = 2, bidirectional = true})
      local x, lengths = torch.rand(5, 3, 3), {2, 5, 3}
      local packed, states = layer(rnn.pack_padded_sequence(x, lengths, {enforce_sorted = false}))
      local padded = rnn.pad_packed_sequence(packed)
      for i, length in ipairs(lengths) do
        local alone, state = layer(x:select(1, i - 1):narrow(0, 0, length))
        assert.is_true(torch.allclose(padded:select(1, i - 1):narrow(0, 0, length), alone, {atol = 1e-6}))
        local h, one = class == "LSTM" and states[2] or states, class == "LSTM" and state[2] or state
        assert.is_true(torch.allclose(h:select(1, i - 1), one, {atol = 1e-6}))
      end
    end)
  end
end)

describe("torch.deepcopy", function()
  it("copies parameters, buffers, fields and what is tied", function()
    local Net = nn.Module:extend "Net"
    function Net:init()
      self.a = nn.Linear(2, 2)
      self.b = nn.Linear(2, 2)
      self.b.weight = self.a.weight
      self.norm = nn.BatchNorm1d(2)
      self.list = {1, {2}}
      self.again = self.list
    end
    function Net:forward(x) return self.norm(self.b(self.a(x))) end
    local net = Net():eval()
    local copy = net:deepcopy()
    local x = torch.rand(3, 2)
    assert.is_true(torch.equal(net(x), copy(x)))
    assert.is_true(rawequal(copy.a.weight, copy.b.weight))
    assert.is_false(rawequal(copy.a.weight, net.a.weight))
    assert.is_true(copy.a.weight.requires_grad)
    assert.same(net.list, copy.list)
    assert.is_true(copy.list ~= net.list and copy.again == copy.list)
    torch.no_grad(function() copy.a.weight:zero_() end)
    assert.is_false(torch.equal(net.a.weight, copy.a.weight))
    assert.is_false(copy.training)
  end)
  it("refuses a tensor in the midst of a graph", function()
    local ok, e = pcall(torch.deepcopy, torch.ones(2, {requires_grad = true}) * 2)
    assert.is_false(ok)
    assert.truthy(tostring(e):find("Only Tensors created explicitly by the user", 1, true))
  end)
end)

describe("a parametrized module", function()
  it("is saved, loaded and copied with what it is computed from", function()
    local one = nn.utils.parametrizations.weight_norm(nn.Conv1d(2, 3, 2))
    local two = nn.utils.parametrizations.weight_norm(nn.Conv1d(2, 3, 2))
    two:load_state_dict(one:state_dict())
    local x = torch.rand(1, 2, 4)
    assert.is_true(torch.equal(one(x), two(x)))
    assert.is_true(torch.equal(one(x), one:deepcopy()(x)))
  end)
  it("leaves no module without its weight to C", function()
    local layer = nn.Linear(2, 2)
    torch._remove_member(layer, "weight")
    local ok, e = pcall(layer, torch.ones(1, 2))
    assert.is_false(ok)
    assert.truthy(tostring(e):find("'Linear' object has no attribute 'weight'", 1, true))
  end)
end)

describe("junk options", function()
  local function refused(f, ...)
    local ok, e = pcall(f, ...)
    assert.is_false(ok)
    return tostring(e):match "^[^\n]*"
  end
  it("are errors", function()
    assert.equal("Invalid padding string 'full', should be one of {'valid', 'same'}", refused(nn.Conv2d, 1, 1, 3, {padding = "full"}))
    assert.truthy(refused(nn.Conv2d, 1, 1, {3, 3, 3}))
    assert.truthy(refused(nn.Conv2d, 1, 1, {}))
    assert.truthy(refused(nn.Conv2d, -2, 2, 3))
    local conv = nn.Conv2d(1, 1, 3)
    conv.stride = {1, 2, 3, 4}
    assert.truthy(refused(conv, torch.ones(1, 1, 5, 5)))
    conv.padding = {}
    assert.truthy(refused(conv, torch.ones(1, 1, 5, 5)))
    assert.truthy(refused(nn.LSTM, 3, -4))
    assert.truthy(refused(nn.LSTM, 3, 4, 0))
    assert.truthy(refused(nn.Embedding, 3, 4, {padding_idx = 3}))
    assert.truthy(refused(nn.Embedding, 3, 4, {_weight = torch.ones(4)}))
    assert.truthy(refused(nn.MultiheadAttention, 4, 3))
    assert.truthy(refused(nn.MultiheadAttention, 0, 0))
    assert.truthy(refused(nn.LSTM, 3, 1 << 62))
    assert.truthy(refused(nn.Embedding, 0, 3, {padding_idx = 5}))
    assert.truthy(refused(nn.ReflectionPad2d{1, 2}, torch.ones(1, 1, 4, 4)))
    assert.truthy(refused(nn.FractionalMaxPool2d, 2))
    assert.truthy(refused(nn.LinearCrossEntropyLoss, 3, 4, {weight = torch.ones(5)}))
  end)
end)

it("torch.compile gives the model itself", function()
  local net = nn.Linear(1, 1)
  local function double(x) return x * 2 end
  assert.equal(net, torch.compile(net))
  assert.equal(net, torch.compile(net, {mode = "reduce-overhead"}))
  assert.equal(double, torch.compile{fullgraph = true}(double))
end)

it("a class has its name under Python's, too", function()
  local Mine = nn.Linear:extend "Mine"
  assert.equal("Mine", Mine(1, 1).__class__.__name__)
  assert.equal("Linear", nn.Linear(1, 1).__class__.__name__)
  assert.equal("Subset", torch.utils.data.Subset({1}, {0}).__class__.__name__)
end)

it("a hook that was removed leaves nothing behind", function()
  local net = nn.Linear(2, 2)
  for _, register in ipairs {"register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
      "register_state_dict_post_hook"} do
    local first, second = net[register](net, print), net[register](net, print)
    first:remove()
    second:remove()
  end
  assert.same({}, torch._module_state.hooks(net))
end)

it("a lazy module refuses inputs under the name of its class", function()
  local Lazy = nn.LazyConv1d:extend "My_Conv"
  local ok, err = pcall(Lazy(3, 1), torch.ones(3))
  assert.is_false(ok)
  assert.truthy(tostring(err):find("batched) input to My_Conv, but got input of size: torch.Size([3])", 1, true))
end)

describe("a forward that one module is given", function()
  local x = torch.tensor {{1.0, -2.0}}

  it("is called instead of its class's, with the module before the inputs", function()
    local net = nn.Module()
    net.fc = nn.Linear(2, 2)
    function net:forward(y) return self.fc(y) * 2 end
    assert.is_true(torch.equal(net.fc(x) * 2, net(x)))
    local other = nn.Module()
    assert.has_error(function() other(x) end)
  end)

  it("is called within a container, with hooks, in a copy, and no more once it is nil", function()
    local net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    local plain, relu = net(x), net[1].forward
    net[1].forward = function(self, y) return relu(self, y) + 10 end
    assert.is_true(torch.equal(plain + 10, net(x)))
    assert.is_true(torch.equal(plain + 10, torch.deepcopy(net)(x)))
    local hook = net[1]:register_forward_hook(function(_, _, out) return out * 2 end)
    assert.is_true(torch.equal((plain + 10) * 2, net(x)))
    hook:remove()
    net[1].forward = nil
    assert.is_true(torch.equal(plain, net(x)))
  end)

  it("is called in a worker of a loader", function()
    local Set = torch.utils.data.Dataset:extend "Set"
    function Set:init()
      self.net = nn.Identity()
      self.net.forward = function(_, y) return y + 1 end
    end
    function Set:__len() return 2 end
    function Set:getitem(i) return self.net(torch.tensor(i)) end
    assert.equal("tensor([1, 2])", tostring(torch.utils.data.DataLoader(Set(), {batch_size = 2, num_workers = 1}):first()))
  end)
end)
