-- objects_spec.lua: torch's objects beside those of Lua programs: errors as text, classes with events, operands of other classes,
-- what is left open when a script ends.
local torch = require "torch"
local nn = torch.nn
local programs = require "programs"
require "torch.testing"

local function error_of(f, ...)
  local ok, e = pcall(f, ...)
  assert.is_false(ok)
  return e
end
local function wrong_shapes() return torch.ones(2, 3) * torch.ones(4) end
local message = "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"

describe("an error of torch's", function()
  it("has the methods of strings, on its text", function()
    local e = error_of(wrong_shapes)
    assert.are.equal("3", e:match "tensor a %((%d)%)")
    assert.are.equal(1, (e:find("The size of", 1, true)))
    assert.are.equal("THE SIZE", e:upper():sub(1, 8))
    assert.are.equal(#e, e:len())
    assert.are.equal(message, e:sub(1, #message))
    assert.are.equal(1, select(2, e:gsub("size of tensor a", "")))
    assert.is_nil(e.nothing)
    assert.are.equal(message, e.message)
  end)

  it("is compared by its message in busted", function()
    assert.has_error(wrong_shapes, message)
    assert.has_error(function() error("plain", 0) end, "plain")
    assert.has_no.errors(function() return torch.ones(2) * 2 end)
    assert.has_error(function() assert.has_error(wrong_shapes, "The size of tensor a") end)
    assert.error_matches(wrong_shapes, "must match the size")
  end)
end)

describe("operands of other classes", function()
  local Other = {__add = function(a, b) return torch.is_tensor(a) and "tensor first" or "tensor second", b end, __name = "Other"}
  local other = setmetatable({}, Other)
  it("decide by their events", function()
    assert.are.equal("tensor first", torch.ones(2) + other)
    assert.are.equal("tensor second", other + torch.ones(2))
  end)
  it("that have none are an error", function()
    assert.has_error(function() return torch.ones(2) - other end, "unsupported operand type(s) for -: 'Tensor' and 'object'")
    assert.has_error(function() return torch.ones(2) + "text" end, "unsupported operand type(s) for +: 'Tensor' and 'str'")
    assert.has_error(function() return torch.ones(2) + nil end, "unsupported operand type(s) for +: 'Tensor' and 'NoneType'")
  end)
end)

-- A class of each kind that has every event that is asked below.
local function with_events(Class)
  function Class:init(n) self.n = n end
  function Class:__call(x) return self.n * x end
  function Class.__add(a, b) return (type(a) == "number" and a or a.n) + (type(b) == "number" and b or b.n) end
  function Class.__lt(a, b) return a.n < b.n end
  function Class.__eq(a, b) return a.n == b.n end
  function Class:__unm() return -self.n end
  function Class:__len() return self.n end
  function Class:__pairs() return function(_, k) if not k then return "n", self.n end end end
  function Class.__concat(a, b) return "joined" .. type(a) .. type(b) end
  function Class:__close() self.closed = true end
  Class.__index = Class
  return Class
end

describe("events of a class", function()
  for name, make in pairs{
    module = function(base) return (base or nn.Module):extend "Own" end,
    dataset = function(base) return (base or torch.utils.data.Dataset):extend "Own" end,
  } do
    for way, Class in pairs{[name] = with_events(make()), [name .. " that is extended"] = make(with_events(make()))} do
      it("are honoured: " .. way, function()
        local a, b = Class(2), Class(3)
        assert.are.equal(10, a(5))
        assert.are.same({5, 3, 6, -2, 3}, {a + b, a + 1, 3 + b, -a, #b})
        assert.is_true(a < b)
        assert.is_false(b < a)
        assert.is_true(a == Class(2))
        assert.is_false(a == b)
        local seen = {}
        for k, v in pairs(a) do seen[k] = v end
        assert.are.same({n = 2}, seen)
        assert.are.equal("joined" .. type(a) .. "string", a .. "x")
        do local _ <close> = b end
        assert.is_true(b.closed)
      end)
    end
  end

  it("are told of where a class has none", function()
    local plain = nn.Linear(1, 1)
    assert.has_error(function() return plain + 1 end, "unsupported operand type(s) for +: 'Linear' and 'int'")
    assert.has_error(function() return plain < plain end, "'<' not supported between instances of 'Linear' and 'Linear'")
    assert.is_false(plain == nn.Linear(1, 1))
    do local _ <close> = plain end
  end)

  it("that nothing would call are refused", function()
    local Bad = nn.Module:extend "Bad"
    function Bad.__index() end
    assert.has_error(Bad, "class 'Bad' defines __index, which modules do not call")
    local Set = torch.utils.data.Dataset:extend "Set"
    assert.has_error(function() function Set.__index() end end, "class 'Set' defines __index, which its objects do not call")
  end)
end)

describe("a mode that a script keeps to its end", function()
  it("is no matter for a warning", function()
    assert.are.equal("", programs.run "guard = torch.no_grad()")
    assert.are.equal("", programs.run "local guard = torch.autocast('cpu')")
  end)
  it("is one where its guard was dropped", function()
    assert.is_truthy(programs.run("do local _ = torch.no_grad() end collectgarbage() collectgarbage()"):find("guard dropped", 1, true))
  end)
end)
