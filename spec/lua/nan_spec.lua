-- nan_spec.lua: a NaN that comes from the library has no sign: Lua prints "nan", as Python does, not "-nan".
local torch = require "torch"
local np = require "torch.numpy"

local function check(what, value) assert.are.equal("nan", tostring(value), what) end

it("numbers that were elements", function()
  for _, dtype in ipairs {"float16", "bfloat16", "float32", "float64"} do
    local quotient = torch.zeros(2, {dtype = torch[dtype]}) / 0
    for _, t in ipairs {quotient, -quotient, quotient:abs():neg(), torch.full({2}, -torch.nan, {dtype = torch[dtype]})} do
      check(dtype .. " item", t[0]:item())
      check(dtype .. " tolist", t:tolist()[2])
      check(dtype .. " tolist of rows", t:reshape(1, 2):tolist()[1][1])
    end
  end
  check("sqrt", torch.sqrt(torch.tensor(-1.0)):item())
  check("inf - inf", (torch.tensor(math.huge) - math.huge):item())
end)

it("constants", function()
  check("torch.nan", torch.nan)
  check("np.nan", np.nan)
end)

it("what genfromtxt cannot read, or lacks", function()
  local table_ = np.genfromtxt({"1,x,-nan", "nan,,3"}, {delimiter = ","})
  for _, row in ipairs(table_:tolist()) do
    for _, value in ipairs(row) do
      if value ~= value then check("genfromtxt", value) end
    end
  end
  check("a field of text", table_[{0, 1}])
  check("-nan", table_[{0, 2}])
  check("an empty field", table_[{1, 1}])
  check("nan as text", np.loadtxt({"-nan 1"})[0])
end)
