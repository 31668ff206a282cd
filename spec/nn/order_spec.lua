-- order_spec.lua: where Lua's order would make another network than the one written, there is a warning or an error.
local torch = require "torch"
local programs = require "programs"
local nn = torch.nn

-- What a class whose init has these lines is warned of.
local function said(lines)
  return programs.run('local torch = require "torch"\nlocal nn = torch.nn\nlocal Net = nn.Module:extend "Net"\nfunction Net:init()\n' ..
    lines .. "\nend\nNet() Net()\n")
end

describe("members set from right to left", function()
  it("are warned of, once", function()
    local text = said "self.a, self.b = nn.ReLU(), nn.Tanh()"
    assert.truthy(text:find("'b' is registered before 'a'. Write one assignment a line", 1, true), text)
    assert.equal(1, select(2, text:gsub("UserWarning", "")))
    assert.truthy(said "self.w, self.v =\n  nn.Parameter(torch.ones(1)),\n  nn.Parameter(torch.ones(1))":find("'v' is registered before 'w'", 1, true))
    assert.truthy(said "self['l-1'], self.c, self.d = nn.ReLU(), nn.ReLU(), nn.ReLU()":find("'d' is registered before 'c'", 1, true))
    assert.truthy(said "self.c, self['l-1'] = nn.ReLU(), nn.ReLU()":find("'l-1' is registered before 'c'", 1, true))
  end)

  it("are not, where nothing changes", function()
    assert.equal("", said "self.a = nn.ReLU()\nself.b = nn.Tanh()")
    assert.equal("", said "self.a = nn.ReLU() self.b = nn.Tanh()")
    assert.equal("", said "for i = 3, 1, -1 do self['l' .. i] = nn.ReLU() end")
    assert.equal("", said "self.a, self.w = nn.ReLU(), nn.Parameter(torch.ones(1))")
    assert.equal("", said "self.a = nn.ReLU()\nself.b = nn.ReLU()\nself.a, self.b = nn.Tanh(), nn.Tanh()")
    assert.equal("", said "self.n, self.m = 1, 2")
  end)
end)

describe("names in a table", function()
  it("are an error of Sequential that says what to write", function()
    for _, members in ipairs{{a = nn.ReLU(), b = nn.Tanh()}, {nn.ReLU(), act = nn.Tanh()}, {{"a", nn.ReLU()}, act = nn.Tanh()}} do
      local ok, e = pcall(nn.Sequential, members)
      assert.is_false(ok)
      assert.truthy(e.hint:find('nn.Sequential{{"', 1, true))
    end
    assert.equal(2, #nn.Sequential{nn.ReLU(), nn.Tanh()})
    assert.equal(0, #nn.Sequential{})
  end)

  it("are warned of in a ModuleDict of several", function()
    assert.truthy(said "self.d = nn.ModuleDict{b = nn.ReLU(), a = nn.Tanh()}":find('nn.ModuleDict{{"a", ...}, {"b", ...}}', 1, true))
    assert.equal("", said "self.d = nn.ModuleDict{b = nn.ReLU()}")
    assert.equal("", said "self.d = nn.ModuleDict{{'b', nn.ReLU()}, {'a', nn.ReLU()}}")
  end)
end)
