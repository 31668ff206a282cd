-- subscripts_spec.lua: lists in the text of a subscript, as Python has them between its brackets; hints where Lua's functions, which
-- count from 1, walk what counts from 0.
local torch = require "torch"
local nn = torch.nn

describe("a list in the text of a subscript", function()
  local x = torch.arange(24):reshape(2, 3, 4)
  local pairs_of_forms = {
    {":, [-1]", {":", {-1}}}, {"[1, 0]", {{1, 0}}}, {"0, [0, 2], [1, 3]", {0, {0, 2}, {1, 3}}}, {"..., [0,3]", {"...", {0, 3}}},
    {"[[0, 1], [1, 0]], 0", {{{0, 1}, {1, 0}}, 0}}, {" [0] , None, 1:", {{0}, "None", "1:"}}, {"[True, False]", {{true, false}}}, {"[]", {{}}},
  }
  it("is the table of that list", function()
    for _, forms in ipairs(pairs_of_forms) do
      assert.are.equal(tostring(x[forms[2]]), tostring(x[forms[1]]), forms[1])
    end
  end)

  it("can be assigned to", function()
    local y = torch.zeros(2, 3)
    y["[1], [0, 2]"] = 7
    assert.are.same({{0, 0, 0}, {7, 0, 7}}, y:tolist())
  end)

  it("is an error where it is none", function()
    for _, text in ipairs {"[0", "[0]]", "0]", "[a]", "[0 1]", ("["):rep(100), "0[1]", "[0],,1", "[9]", "[0],", "[", "[,]", "[1,,2]", "[0]:"} do
      if text ~= "[0]," then assert.is_false(pcall(function() return x[text] end), text) end
    end
  end)
end)

describe("what counts from 0", function()
  local function hint_of(f) return select(2, pcall(f)).hint end
  it("says so to ipairs and table.unpack", function()
    local layers, x = nn.ModuleList{nn.ReLU(), nn.ReLU()}, torch.zeros(2, 3)
    for _, object in ipairs {layers, x, x.shape} do
      assert.truthy(hint_of(function() for _ in ipairs(object) do end end):find "pairs%(object%)", tostring(object))
      assert.truthy(hint_of(function() return table.unpack(object) end):find "unpack")
    end
  end)

  it("says so to a loop that counts from 1", function()
    local layers, x = nn.ModuleList{nn.ReLU(), nn.ReLU()}, torch.zeros(2, 3)
    for _, object in ipairs {layers, x, x.shape, torch.utils.data.TensorDataset(x)} do
      assert.truthy(hint_of(function() return object[#object] end):find("count from 0", 1, true), tostring(object))
    end
    assert.truthy(hint_of(function() x[#x + 1] = 1 end):find("count from 0", 1, true))
  end)

  it("gives Lua's functions tables and values", function()
    local layers, x = nn.ModuleList{nn.ReLU(), nn.Tanh()}, torch.tensor{{1, 2}, {3, 4}}
    assert.same({2, 2}, x.shape:tolist())
    assert.same({{1, 2}, {3, 4}}, {x:unpack()})
    assert.same({3, 4}, {x[1]:unpack()})
    assert.equal(7.5, torch.tensor(7.5):unpack())
    assert.equal(layers[1], layers:tolist()[2])
    assert.equal(layers[1], select(2, layers:unpack()))
    assert.equal(0, select("#", torch.ones(0):unpack()))
    assert.is_false(pcall(function() return torch.zeros(2000000):unpack() end))
  end)

  it("takes torch.newaxis for a new dimension", function()
    assert.equal("torch.Size([3, 1])", tostring(torch.arange(3)[{":", torch.newaxis}].shape))
  end)
end)
