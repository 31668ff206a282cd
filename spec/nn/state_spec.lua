-- state_spec.lua: states in which classes written in Lua have a say: versions, extra states, methods of their own. (Hooks:
-- spec/golden/nn/state_hooks.lua.)
local torch = require "torch"
require "torch.testing"
local nn, serialization = torch.nn, torch.serialization

local function again(value, legacy) return serialization.load_bytes(serialization.save_bytes(value, legacy)) end
local function message_of(...) return select(2, pcall(...)).message end
local function names_of(state)
  local names = {}
  for name in pairs(state) do names[#names + 1] = name end
  return table.concat(names, " ")
end

describe("the versions of a state", function()
  local net = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
  local text = "OrderedDict([('', {'version': 1}), ('0', {'version': 1}), ('1', {'version': 2})])"

  it("are those of PyTorch's classes, and go into files", function()
    assert.are.equal(text, tostring(net:state_dict()._metadata))
    for _, legacy in ipairs {false, true} do
      local state = again(net:state_dict(), legacy)
      assert.are.equal(text, tostring(state._metadata))
      assert.are.equal(text, tostring(again(state)._metadata))
    end
    assert.is_nil(again(serialization.OrderedDict())._metadata)
  end)

  it("says what the lists of keys are after a script changed them", function()
    local layer = nn.Linear(1, 1)
    local keys = layer:load_state_dict(layer:state_dict())
    keys.missing_keys, keys.unexpected_keys = torch.float16, {"a", torch.int8, 3}
    assert.are.equal("_IncompatibleKeys(missing_keys=torch.float16, unexpected_keys=['a', 'torch.int8', '3'])", tostring(keys))
  end)

  it("say what an old state may lack", function()
    local state = net:state_dict()
    state["1.num_batches_tracked"] = nil
    assert.truthy(message_of(net.load_state_dict, net, state):find 'Missing key%(s%) in state_dict: "1.num_batches_tracked"')
    assert.truthy(message_of(net.load_state_dict, net, again(state)):find "Missing")
    state._metadata = {[""] = {version = 1}, ["1"] = {version = 1}}
    assert.are.equal("<All keys matched successfully>", tostring(net:load_state_dict(state)))
    assert.are.equal("<All keys matched successfully>", tostring(net:load_state_dict(again(state))))
    state._metadata = nil
    assert.are.equal("<All keys matched successfully>", tostring(net:load_state_dict(state)))
    state["1.weight"] = nil
    assert.truthy(message_of(net.load_state_dict, net, state):find "Missing")
  end)

  it("are no metadata of a .safetensors file", function()
    local bytes = torch.utils.safetensors.save(net:state_dict())
    assert.is_nil(bytes:find "__metadata__")
  end)

  it("are given to a class that loads old states its own way", function()
    local New, seen = nn.Module:extend "New", {}
    New._version = 3
    function New:init() self.gain = nn.Parameter(torch.zeros(2)) end
    function New:_load_from_state_dict(state, prefix, metadata, ...)
      seen[#seen + 1] = metadata.version or "none"
      if (metadata.version or 0) < 3 then state[prefix .. "gain"], state[prefix .. "scale"] = state[prefix .. "scale"], nil end
      nn.Module._load_from_state_dict(self, state, prefix, metadata, ...)
    end
    local net_ = nn.Sequential(New())
    assert.are.equal(3, net_:state_dict()._metadata["0"].version)
    local given = {["0.scale"] = torch.ones(2)}
    assert.are.equal("<All keys matched successfully>", tostring(net_:load_state_dict(given)))
    assert.are.same({1, 1}, net_[0].gain:tolist())
    assert.is_truthy(given["0.scale"])   -- what is changed is a copy
    net_:load_state_dict(again(net_:state_dict()))
    assert.are.same({"none", 3}, seen)
    assert.are.equal('Error(s) in loading state_dict for Sequential:\n\tMissing key(s) in state_dict: "0.gain". ',
      message_of(net_.load_state_dict, net_, {}))
    assert.truthy(message_of(net_.load_state_dict, net_, {["0.scale"] = torch.ones(3)}):find "size mismatch for 0.gain: copying a param")
  end)
end)

describe("an extra state", function()
  local Counter = nn.Module:extend "Counter"
  function Counter:init()
    self.steps = 0
    self.linear = nn.Linear(1, 1)
  end
  function Counter:get_extra_state() return {steps = self.steps, names = {"a"}} end
  function Counter:set_extra_state(state) self.steps = state.steps end

  it("is saved and loaded with the tensors", function()
    local made = nn.Sequential(Counter(), nn.Sequential(Counter()))
    made[0].steps, made[1][0].steps = 3, 4
    local state = made:state_dict()
    assert.are.equal("0._extra_state 0.linear.weight 0.linear.bias 1.0._extra_state 1.0.linear.weight 1.0.linear.bias", names_of(state))
    assert.are.equal("a", state["0._extra_state"].names[1])
    for _, given in ipairs {state, again(state), again(state, true)} do
      local other = nn.Sequential(Counter(), nn.Sequential(Counter()))
      assert.are.equal("<All keys matched successfully>", tostring(other:load_state_dict(given)))
      assert.are.same({3, 4}, {other[0].steps, other[1][0].steps})
      assert.is_true(torch.equal(made[1][0].linear.weight, other[1][0].linear.weight))
    end
  end)

  it("is missing, or not expected", function()
    local counter = Counter()
    local state = counter:state_dict()
    assert.truthy(message_of(nn.Linear(1, 1).load_state_dict, nn.Linear(1, 1), state):find "Unexpected.*_extra_state")
    state._extra_state = nil
    assert.truthy(message_of(counter.load_state_dict, counter, state):find 'Missing key%(s%) in state_dict: "_extra_state"')
    assert.are.same({"_extra_state"}, counter:load_state_dict(state, {strict = false}).missing_keys)
  end)

  it("may be any value that a file holds", function()
    for _, value in ipairs {1, "text", true, torch.ones(2)} do
      local Any = nn.Module:extend "Any"
      function Any:get_extra_state() return value end
      function Any:set_extra_state(state) self.got = state end
      local any = Any()
      any:load_state_dict(again(any:state_dict()))
      assert.are.equal(tostring(value), tostring(any.got))
    end
  end)
end)

describe("states", function()
  it("of a class with a state_dict of its own are asked from it", function()
    local Own = nn.Module:extend "Own"
    function Own:init() self.linear = nn.Linear(1, 1) end
    function Own:state_dict(...)
      local state = nn.Module.state_dict(self, ...)
      state.mine = torch.ones(1)
      return state
    end
    assert.are.equal("linear.weight linear.bias mine", names_of(Own():state_dict()))
    assert.are.equal("0.linear.weight 0.linear.bias mine", names_of(nn.Sequential(Own()):state_dict()))
  end)

  it("are put into one dict", function()
    local state = nn.Linear(1, 1):state_dict()
    assert.are.equal("weight bias b.weight b.bias", names_of(nn.Linear(1, 1):state_dict{destination = state, prefix = "b."}))
    assert.are.equal("OrderedDict([('', {'version': 1}), ('b', {'version': 1})])", tostring(state._metadata))
  end)

  it("may be replaced by a private hook", function()
    local linear = nn.Linear(1, 1)
    linear:_register_state_dict_hook(function() return {other = torch.ones(1)} end)
    assert.are.equal("other", names_of(linear:state_dict()))
    local public = nn.Linear(1, 1)
    public:register_state_dict_post_hook(function() return {} end)
    assert.are.equal("state_dict post-hook must return None", message_of(public.state_dict, public))
  end)
end)

describe("a deep copy", function()
  it("of a state dict is on its own, and knows its versions", function()
    local norm = nn.BatchNorm1d(2)
    local best = torch.deepcopy(norm:state_dict())
    assert.are.equal(names_of(norm:state_dict()), names_of(best))
    assert.are.equal(2, best._metadata[""].version)
    torch.no_grad(function() norm.weight:fill_(7) end)
    assert.are.same({1, 1}, best.weight:tolist())
    norm:load_state_dict(best)
    assert.are.same({1, 1}, norm.weight:tolist())
  end)

  it("of what a checkpoint holds keeps its order", function()
    local loaded = again(serialization.OrderedDict{{"z", 1}, {"n"}, {"a", serialization.tuple(table.pack(1, nil))}, {"m", {2, 3}}, {serialization.None, 4}})
    local copy = torch.deepcopy(loaded)
    assert.are.equal(tostring(loaded), tostring(copy))
    copy.m[1] = 5
    copy.b = 6
    assert.are.equal("OrderedDict([('z', 1), ('n', None), ('a', (1, None)), ('m', [2, 3]), (None, 4)])", tostring(loaded))
    assert.are.equal(2, torch.deepcopy(again(nn.BatchNorm1d(1):state_dict()))._metadata[""].version)
  end)
end)

describe("a state dict", function()
  it("has the methods of Python's", function()
    local state = nn.Linear(2, 3):state_dict()
    local copy = state:copy()
    assert.are.equal(tostring(state._metadata), tostring(copy._metadata))
    local weight = copy:pop "weight"
    assert.shape({3, 2}, weight)
    assert.are.equal("bias", names_of(copy))
    assert.are.equal("weight bias", names_of(state))
    assert.are.equal(5, copy:pop("weight", 5))
    assert.are.equal("weight", message_of(copy.pop, copy, "weight"))
    assert.is_nil(copy:get "weight")
    assert.are.equal(7, copy:get("weight", 7))
    copy:update{weight = weight, bias = torch.zeros(3)}
    assert.are.equal("bias weight", names_of(copy))
    copy:update(state)
    assert.is_true(torch.equal(copy.bias, state.bias))
    copy:update(copy)
    assert.are.equal("bias weight", names_of(copy))
  end)

  it("loses the prefix of a wrapped model", function()
    local net = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1))
    local wrapped = nn.Sequential()
    wrapped:add_module("module", net)
    for _, state in ipairs {wrapped:state_dict(), again(wrapped:state_dict())} do
      nn.utils.consume_prefix_in_state_dict_if_present(state, "module.")
      assert.are.equal(names_of(net:state_dict()), names_of(state))
      assert.are.equal(tostring(net:state_dict()._metadata), tostring(state._metadata))
      net:load_state_dict(state)
    end
  end)
end)

for kind, make in pairs {["a state dict"] = function(state) return state end, ["a state dict from a file"] = again} do
describe(kind .. " has the methods of an OrderedDict:", function()
  local state
  before_each(function() state = make(nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1)):state_dict()) end)

  it("keys, values, items, get, pop, update and copy", function()
    local names = {}
    for name in state:keys() do names[#names + 1] = name end
    for value in state:values() do names[#names + 1] = value:numel() end
    for name, value in state:items() do names[#names + 1] = name .. value:numel() end
    assert.are.same({"0.weight", "0.bias", "1.weight", "1.bias", 1, 1, 1, 1, "0.weight1", "0.bias1", "1.weight1", "1.bias1"}, names)
    assert.are.equal(7, state:get("x", 7))
    assert.is_nil(state:get "x")
    local copy = state:copy()
    assert.is_true(torch.is_tensor(state:pop "0.bias"))
    assert.are.equal(8, state:pop("0.bias", 8))
    assert.is_truthy(message_of(state.pop, state, "0.bias"):find "0.bias")
    assert.are.equal("0.weight 1.weight 1.bias", names_of(state))
    assert.are.equal("0.weight 0.bias 1.weight 1.bias", names_of(copy))
    assert.are.equal(tostring(state._metadata), tostring(copy._metadata))
    state:update {["0.bias"] = torch.zeros(2)}
    assert.are.equal(2, state["0.bias"]:numel())
    assert.are.equal("0.weight 1.weight 1.bias 0.bias", names_of(state))
  end)

  it("move_to_end", function()
    state:move_to_end "0.bias"
    assert.are.equal("0.weight 1.weight 1.bias 0.bias", names_of(state))
    state:move_to_end("1.bias", false)
    assert.are.equal("1.bias 0.weight 1.weight 0.bias", names_of(state))
    state.n = 3
    state:move_to_end("n", false)
    assert.are.equal("n 1.bias 0.weight 1.weight 0.bias", names_of(state))
    assert.are.equal(3, state.n)
    assert.are.equal("'x'", message_of(state.move_to_end, state, "x"))
  end)

  it("popitem", function()
    local last, first = state["1.bias"], state["0.weight"]
    local name, value = state:popitem()
    assert.are.equal("1.bias", name)
    assert.is_true(torch.equal(last, value))
    name, value = state:popitem(false)
    assert.are.equal("0.weight", name)
    assert.is_true(torch.equal(first, value))
    assert.are.equal("0.bias 1.weight", names_of(state))
  end)

  it("setdefault, fromkeys and clear", function()
    assert.are.equal(3, state:setdefault("n", 3))
    assert.are.equal(3, state:setdefault("n", 4))
    assert.is_true(torch.equal(state["0.bias"], state:setdefault("0.bias", torch.zeros(2))))
    local other = state:fromkeys({"b", "a"}, torch.ones(1))
    assert.are.equal("b a", names_of(other))
    assert.are.equal(1, other.a:item())
    assert.are.equal(5, #state)
    local metadata = tostring(state._metadata)
    state:clear()
    assert.are.equal(0, #state)
    assert.are.equal(metadata, tostring(state._metadata))
    assert.are.equal("'dictionary is empty'", message_of(state.popitem, state))
  end)
end)
end
