-- state_spec.lua: state dicts of optimizers that only Lua can have, and the fields of groups, of which C keeps the numbers.
local torch = require "torch"

local function adam() return torch.optim.Adam({torch.nn.Parameter(torch.ones(2))}, {lr = 0.5}) end

describe("a state dict of an optimizer", function()
  it("that contains itself is refused, or copied where nobody reads it", function()
    local ring = {}
    ring[1] = ring
    for _, key in ipairs{"lr", "betas"} do
      local optimizer = adam()
      local state = optimizer:state_dict()
      state.param_groups[1][key] = ring
      local ok, problem = pcall(optimizer.load_state_dict, optimizer, state)
      assert.is_false(ok)
      assert.matches("^optimizer option '" .. key .. "' must be", tostring(problem))
      assert.equal(0.5, optimizer.param_groups[1].lr)
    end
    local optimizer = adam()
    local state = optimizer:state_dict()
    state.param_groups[1].note = ring
    optimizer:load_state_dict(state)
    local note = optimizer.param_groups[1].note
    assert.is_true(note ~= ring and note[1] == note)
  end)

  it("replaces the numbers of the groups, which keep their kinds", function()
    local optimizer = adam()
    local group = optimizer.param_groups[1]
    group.initial_lr, group.count, group.is_fast, group.name = 0.5, 3, true, "first"
    local state = optimizer:state_dict()
    group.later, group.count = 7, nil
    assert.is_nil(group.count)
    optimizer:load_state_dict(state)
    assert.equal("integer", math.type(group.count))
    assert.same({0.5, 3, true, "first"}, {group.initial_lr, group.count, group.is_fast, group.name})
    assert.is_nil(group.later)
    group.count = "three"
    assert.equal("three", group.count)
    group.count = 3.0
    assert.equal("float", math.type(group.count))
  end)
end)
