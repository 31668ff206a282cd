-- duck_typed_spec.lua: a data set is anything that has a length and items; a list is anything that has them from 1.
local torch = require "torch"
local data = torch.utils.data

local function batches(set, options)
  local out = {}
  for x in data.DataLoader(set, options or {batch_size = 2}) do out[#out + 1] = tostring(x) end
  return table.concat(out, " ")
end

local function problem(f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  return (tostring(message):match "^[^\n]*"), tostring(message):match "hint: ([^\n]*)"
end

local function item(_, i) return torch.tensor(i) end
local function three() return 3 end
local WANTED = "tensor([0, 1]) tensor([2])"

local Class = {getitem = item, __len = three}
Class.__index = Class

describe("a data set of one's own", function()
  local sets = {
    ["a plain table of functions"] = {getitem = item, __len = three},
    ["an object of a class"] = setmetatable({}, Class),
    ["a class without a metatable for its length"] = setmetatable({}, {__index = {getitem = item, len = three}}),
    ["one with Python's names"] = setmetatable({}, {__index = {__getitem__ = item, __len__ = three}}),
    ["a proxy"] = setmetatable({}, {__len = three, __index = function(_, i) return torch.tensor(i + 0) end}),
    ["a list with a metatable"] = setmetatable({torch.tensor(0), torch.tensor(1), torch.tensor(2)}, {__name = "List"}),
  }
  local there, class = pcall(require, "pl.class")
  if there then
    local Set = class()
    Set._init, Set.getitem, Set.__len = function() end, item, three
    sets["a class of penlight"] = Set()
  end
  for name, set in pairs(sets) do
    it("may be " .. name, function()
      assert.equal(WANTED, batches(set))
      assert.equal(WANTED, batches(set, {batch_size = 2, num_workers = 1}))
      assert.equal(3, #data.DataLoader(set, {batch_size = 1}))
      assert.equal(2, data.Subset(set, {2, 0})[0]:item())
      assert.equal(1, data.ConcatDataset{set, set}[4]:item())
      if getmetatable(set) then assert.equal(1, data.StackDataset(set, set)[1][2]:item()) end   -- a plain table in last place is keywords
      local a, b = data.random_split(set, {2, 1})
      assert.equal(3, #a + #b)
    end)
  end

  it("may stand alone among the loader's arguments", function()
    assert.equal(3, #data.DataLoader{getitem = item, __len = three})
    assert.equal(2, #data.DataLoader{dataset = {getitem = item, __len = three}, batch_size = 2})
  end)

  it("gives several values as one sample", function()
    local set = {getitem = function(_, i) return torch.tensor(i), i * 10 end, __len = three}
    local x, y = data.DataLoader(set, {batch_size = 3}):first()
    assert.equal("tensor([0, 1, 2])", tostring(x))
    assert.equal("tensor([ 0, 10, 20])", tostring(y))
  end)

  it("is told what it lacks", function()
    for _, case in ipairs{
      {{getitem = item}, "object of type 'dict' has no len()"},
      {setmetatable({}, {__index = {getitem = item}}), "object of type '"},
      {setmetatable({}, {__len = three}), "' object is not subscriptable"},
      {setmetatable({}, {__index = {get = item, len = three}}), "' object is not subscriptable"},
      {5, "object of type 'int' has no len()"},
      {three, "object of type 'function' has no len()"},
    } do
      local message, hint = problem(batches, case[1])
      assert.truthy(message:find(case[2], 1, true), message)
      assert.truthy(hint:find("__len() return n end, function Set:getitem(i)", 1, true))
    end
  end)
end)

describe("torch.tensor", function()
  it("asks a proxy for its length and items", function()
    local proxy = setmetatable({}, {__len = three, __index = function(_, i) return i * 10 end})
    assert.equal("tensor([10, 20, 30])", tostring(torch.tensor(proxy)))
    assert.equal("tensor([[10, 20, 30],\n        [ 1,  2,  3]])", tostring(torch.tensor{proxy, {1, 2, 3}}))
    assert.equal("tensor([10., 20., 30.])", tostring(torch.tensor(proxy, {dtype = torch.float32})))
  end)

  it("refuses a list that has a value at 0", function()
    for _, list in ipairs{{[0] = 1, 2}, {[0] = {1}, {2}}, {{1, 2}, {[0] = 5, 3, 4}}, {[0] = 1}} do
      local message, hint = problem(torch.tensor, list)
      assert.equal("a list counts from 1 in Lua, and this table has a value at 0", message)
      assert.truthy(hint:find "table.move")
    end
  end)
end)

describe("torch.serialization.resumable", function()
  it("fetches no batch again", function()
    local fetched = {}
    local set = {getitem = function(_, i)
      fetched[#fetched + 1] = i
      return torch.tensor(i)
    end, __len = function() return 8 end}
    for _, options in ipairs{{batch_size = 2}, {batch_size = 2, shuffle = true}, {batch_size = 2, shuffle = true, generator = torch.Generator()}} do
      torch.manual_seed(3)
      local whole, rest = {}, {}
      local first = torch.serialization.resumable(data.DataLoader(set, options))
      local state
      local n = 0
      for x in first do
        n = n + 1
        whole[n] = tostring(x)
        if n == 2 then state = first:state_dict() end
      end
      fetched = {}
      local second = torch.serialization.resumable(data.DataLoader(set, options))
      second:load_state_dict(state)
      for x in second do rest[#rest + 1] = tostring(x) end
      assert.same({whole[3], whole[4]}, rest)
      assert.equal(4, #fetched)
    end
  end)
end)

describe("a subscript of an optimizer", function()
  it("is refused with the way to its groups", function()
    local message, hint = problem(function() return torch.optim.SGD({torch.ones(1):requires_grad_()})[1] end)
    assert.equal("'SGD' object is not subscriptable", message)
    assert.truthy(hint:find "param_groups%[1%]")
  end)
end)
