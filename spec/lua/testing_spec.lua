-- testing_spec.lua: what torch.testing teaches luassert, and what spec/golden/training/testing.lua cannot ask.
local torch = require "torch"
local testing = require "torch.testing"

local function message(f, ...)
  local ok, problem = pcall(f, ...)
  assert.is_false(ok)
  return type(problem) == "table" and problem.message or tostring(problem)
end

describe("torch.testing under busted", function()
  local a = torch.tensor{1.0, 2.0, 3.0}

  it("compares mappings by their keys", function()
    testing.assert_close({x = a, y = 1}, {x = a, y = 1})
    assert.equal("Scalars are not equal!\n\nExpected 2 but got 1.\nAbsolute difference: 1\nRelative difference: 0.5\n\n" ..
      "The failure occurred for item ['y']", message(testing.assert_close, {x = a, y = 1}, {x = a, y = 2}))
    assert.truthy(message(testing.assert_close, {x = 1, y = 1}, {x = 1, z = 1}):find("Missing keys in the actual mapping: ['z']", 1, true))
  end)

  it("has assert.tensor.close with PyTorch's message", function()
    assert.tensor.close(a, a + 1e-7)
    assert.tensor.close(a, a + 0.5, {rtol = 0, atol = 0.6})
    assert.tensor.close(a, a + 0.5, 0.6)
    assert.is_not.tensor.close(a, a + 1)
    local text = message(function() assert.tensor.close(a, a + 1) end)
    assert.truthy(text:find("Mismatched elements: 3 / 3 (100.0%)", 1, true), text)
  end)

  it("has assert.tensor.equal and assert.shape", function()
    assert.tensor.equal(a, a:clone())
    assert.is_not.tensor.equal(a, a:double())
    assert.shape({3}, a)
    assert.shape({2, 0}, torch.empty(2, 0))
    assert.is_not.shape({3, 1}, a)
    assert.truthy(message(function() assert.shape({4}, a) end):find("the shape is (3), not (4)", 1, true))
  end)

  it("makes are.equal and are.same answer for tensors", function()
    assert.are.equal(a, a:clone())
    assert.are.same(a, a:clone())
    assert.are.same({a, {x = a}}, {a:clone(), {x = a:clone()}})
    assert.are_not.equal(a, a + 1)
    assert.are_not.same({a}, {a + 1})
    assert.are_not.equal(a, 3)
    assert.are_not.equal(a, torch.zeros(2))
    assert.are.equal(3, 3)
    assert.truthy(message(function() assert.are.equal(a, a + 1) end):find("(tensor) tensor([2., 3., 4.])", 1, true))
  end)

  it("says what was passed and what was expected", function()
    local forms = {
      function() assert.tensor.close(a, a + 1) end, function() assert.tensor.equal(a, a + 1) end, function() assert.are.equal(a, a + 1) end,
      function() assert.are.same(a, a + 1) end,
    }
    for _, f in ipairs(forms) do
      assert.truthy(message(f):find("Passed in:\n(tensor) tensor([2., 3., 4.])\nExpected:\n(tensor) tensor([1., 2., 3.])", 1, true), message(f))
    end
    assert.truthy(message(function() assert.shape({4}, a) end):find "Passed in:\n%(tensor%)")
  end)

  it("compares state dicts", function()
    local function state() return torch.nn.Linear(2, 1):state_dict() end
    torch.manual_seed(0)
    local one = state()
    torch.manual_seed(0)
    local same = state()
    assert.are.same(one, same)
    assert.are.same({one}, {same})
    assert.are_not.same(one, state())
    same.more = a
    assert.are_not.same(one, same)
  end)

  it("warns of assert(mask:all())", function()
    local file = os.tmpname()
    local f <close> = io.open(file, "w")
    f:write('local torch = require "torch"\nrequire "luassert"\nrequire "torch.testing"\nassert(torch.tensor{1, 2}:gt(3):all())\n' ..
      'assert(torch.tensor(true):item())\n')
    f:flush()
    local pipe = io.popen(("%s %s 2>&1"):format(os.getenv "TOCHA" or "build/tocha", file))
    local text = pipe:read "a"
    pipe:close()
    os.remove(file)
    assert.truthy(text:find "UserWarning: a tensor is always true in Lua: assert%(mask:all%(%):item%(%)%)", text)
    assert.equal(1, select(2, text:gsub("UserWarning", "")))
  end)
end)
