-- tree_spec.lua: what a tree of modules may be: no module is a part of itself, and none is nested deeper than all that walks
-- the tree can follow.
local torch = require "torch"
local nn = torch.nn

local function refused(outer, inner)
  local ok, problem = pcall(function() outer:append(inner) end)
  return not ok and tostring(problem):match "[^\n]*" == "maximum recursion depth exceeded"
end

-- A chain of `depth` Sequentials around a Linear.
local function nested(depth)
  local m = nn.Linear(2, 2)
  for _ = 1, depth do m = nn.Sequential(m) end
  return m
end

describe("a tree of modules", function()
  it("has no cycle, however often one is tried", function()
    local outer, inner = nn.Sequential(nn.ReLU()), nn.Sequential()
    outer:append(inner)
    for _ = 1, 3 do assert.is_true(refused(inner, outer)) end
    assert.is_true(refused(outer, outer))
    assert.equal(0, #inner)
    assert.equal("tensor([1., 1.])", tostring(outer(torch.ones(2))))
  end)

  it("has no cycle along the longer of two ways", function()
    local top, middle, bottom = nn.Sequential(), nn.Sequential(), nn.Sequential()
    top:append(bottom)
    top:append(middle)
    middle:append(bottom)
    for _ = 1, 3 do
      assert.is_true(refused(bottom, top))
      assert.is_true(refused(bottom, middle))
    end
    local other = nn.Sequential(nn.Sequential(nn.Sequential(top)))   -- moves all of them down
    for _ = 1, 3 do assert.is_true(refused(bottom, other)) end
    other:append(bottom)
    assert.equal(2, #other)
  end)

  it("is as before after a cycle was refused", function()
    local outer, inner = nn.Sequential(), nn.Sequential()
    outer:append(inner)
    for _ = 1, 1000 do refused(inner, outer) end   -- each would have moved both down
    local deep = nested(300)
    inner:append(deep)
    assert.equal("torch.Size([2])", tostring(outer(torch.ones(2)).shape))
  end)

  it("can be walked as deep as it may be", function()
    local m = nested(390)
    assert.equal("torch.Size([2])", tostring(m(torch.ones(2)).shape))
    m:eval()
    local count, modules, training = 0, 0, 0
    for _ in m:named_parameters() do count = count + 1 end
    for part in m:modules() do
      modules = modules + 1
      training = training + (part.training and 1 or 0)
    end
    assert.same({2, 391, 0}, {count, modules, training})
    assert.equal(2, #m:state_dict())
    m:load_state_dict(m:state_dict())
    assert.equal(391, select(2, tostring(m:double()):gsub("%(0%): ", "")) + 1)
    assert.equal("maximum recursion depth exceeded", tostring(select(2, pcall(nested, 500))):match "[^\n]*")
  end)
end)
