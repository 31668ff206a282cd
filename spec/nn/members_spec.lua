-- members_spec.lua: a module computes with the members that it has now, whatever it computed with before.
local torch = require "torch"
local nn = torch.nn

-- Names of classes, the arguments of their constructors, the sizes of an input, and a member to replace.
local cases = {
  {"Linear", {3, 4}, {2, 3}, "weight"},
  {"Conv2d", {3, 4, 2}, {2, 3, 5, 5}, "bias"},
  {"BatchNorm1d", {3}, {4, 3}, "weight"},
  {"BatchNorm1d", {3}, {4, 3}, "running_mean"},
  {"InstanceNorm1d", {3, {affine = true}}, {2, 3, 4}, "bias"},
  {"LayerNorm", {3}, {2, 3}, "weight"},
  {"MultiheadAttention", {4, 2}, {5, 2, 4}, "in_proj_weight"},
}

local function result(net, x)
  if net.num_heads then return (net(x, x, x, {need_weights = false})) end
  return net(x)
end

local function new(case)
  torch.manual_seed(0)
  return nn[case[1]](table.unpack(case[2])):eval()
end

-- Returns a new module after two calls.
local function called(case, x)
  local net = new(case)
  for _ = 1, 2 do result(net, x) end
  return net
end

-- Returns other values for a member.
local function other(net, name)
  local values = torch.rand(net[name]:size()) + 2
  return name == "running_mean" and values or nn.Parameter(values)
end

for _, case in ipairs(cases) do
  local x = torch.rand(table.unpack(case[3]))

  describe("a call of " .. case[1] .. " with another " .. case[4], function()
    it("uses a member that has replaced another", function()
      local net = called(case, x)
      local before, values = result(net, x), other(net, case[4])
      net[case[4]] = values
      local fresh = new(case)
      fresh:load_state_dict(net:state_dict())
      assert.is_true(torch.equal(result(fresh, x), result(net, x)))
      assert.is_false(torch.equal(before, result(net, x)))
    end)

    it("uses values that were written, and other dtypes", function()
      local net = called(case, x)
      local before = result(net, x)
      torch.no_grad(function() net[case[4]]:add_(1) end)
      assert.is_false(torch.equal(before, result(net, x)))
      assert.equal(torch.float64, result(net:double(), x:double()).dtype)
    end)
  end)
end

describe("a call of BatchNorm1d", function()
  it("uses no statistics once they are None", function()
    local net, x = nn.BatchNorm1d(3):eval(), torch.rand(4, 3)
    local before = net(x)
    net.running_mean, net.running_var = nil, nil
    net:register_buffer("running_mean", nil)
    net:register_buffer("running_var", nil)
    assert.is_false(torch.equal(before, net(x)))
  end)
end)

describe("a call of a module with a computed member", function()
  it("computes it every time", function()
    local net, x, calls = nn.Linear(2, 2), torch.rand(1, 2), 0
    net(x)
    local Half = nn.Module:extend "Half"
    function Half:init() nn.Module.init(self) end
    function Half:forward(weight)
      calls = calls + 1
      return weight / 2
    end
    local before = net(x) - net.bias
    torch.nn.utils.parametrize.register_parametrization(net, "weight", Half())
    local counted = calls
    assert.is_true(torch.allclose(before / 2, net(x) - net.bias))
    net(x)
    assert.is_true(calls >= counted + 2)
    torch.no_grad(function() net.parametrizations.weight.original:zero_() end)
    assert.equal(0, (net(x) - net.bias):abs():sum():item())
  end)
end)
