-- float8_spec.lua: the float8 dtypes against PyTorch's answers (golden/float8.json, written by golden/float8.py): every code, many
-- numbers, every other dtype, and the sample calls of all operators, which accept float8 tensors or refuse them in PyTorch's words.
-- On another device: TOCHA_SPEC_DEVICE=cuda:0 busted spec/ops/float8_spec.lua
local torch = require "torch"
local answers = require "answers"
local samples = require "samples"
local calls = require "sample_calls"
local golden = answers.read "spec/golden/float8.json"
local read = require "read"
local device = os.getenv "TOCHA_SPEC_DEVICE" or "cpu"

local dtypes = {"float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"}
local floats = {float = true, positive = true, unit = true, sorted = true}
local refused = {}   -- PyTorch's refusals, by operator
for _, op in ipairs(read.load "runtime") do refused[op.name] = op.float8 or false end

local function codes(dtype) return torch.arange(256, {device = device}):to(torch.uint8):view(torch[dtype]) end

local function message(f, ...)
  local ok, err = pcall(f, ...)
  assert.is_false(ok)
  return (tostring(err):match "[^\n]*")
end

-- Returns the sum that golden/float8.py makes.
local function total(t)
  t = torch.nan_to_num(t:double(), 12345.0, 54321.0, -54321.0):cpu()
  return (t * (torch.arange(t:numel(), {device = "cpu"}) % 7 + 1)):sum():item()
end

local function finite(t) return t[torch.isfinite(t:float())] end

local function converted(dtype, other)
  local source = codes(dtype)
  if other:find "int" then
    local numbers = finite(source)
    local limit = other == "uint8" and 255 or other == "int8" and 127 or 30000
    local small = numbers:float():abs():le(limit)
    if other == "uint8" then small = small & numbers:float():ge(0) end
    source = numbers[small]
  end
  return total(source:to(torch[other]))
end

local function numbers(other)
  if other == "bool" then return torch.tensor({false, true}, {device = device}) end
  if other == "float16" or other == "bfloat16" then
    return torch.arange(-32768, 32768, {device = device}):to(torch.int16):view(torch[other])
  end
  if other == "float32" or other == "float64" then return torch.arange(-5000, 5000, {device = device}):to(torch[other]) * 0.37 end
  local byte = other == "int8" or other == "uint8"
  return torch.arange(other == "uint8" and 0 or -128, 128, {device = device}):to(torch[other]) * (byte and 1 or 97)
end

describe("float8", function()
  for _, dtype in ipairs(dtypes) do
    it("decodes every code of " .. dtype, function()
      local values = codes(dtype):float():cpu()
      local bits = values:view(torch.int32):tolist()
      for k, value in ipairs(values:tolist()) do
        local wanted = golden.decoded[dtype][k]
        if wanted == "nan" then assert.is_true(value ~= value) else assert.are.equal(wanted, bits[k], "code " .. k - 1) end
      end
    end)

    it("rounds numbers to " .. dtype, function()
      local i = torch.arange(65536, {device = device})
      for k, low in ipairs{0, 1, 0x7fff, 0x8000, 0x8001, 0xffff} do
        local bits = i * 65536 + low
        local number = torch.where(bits:ge(2147483648), bits - 4294967296, bits):to(torch.int32):view(torch.float32)
        local found = number:to(torch[dtype]):view(torch.uint8):long() * (i % 251 + 1)
        assert.are.same(golden.encoded[dtype][k], found:view(64, 1024):sum(1):tolist())
      end
    end)

    it("converts " .. dtype .. " to and from other dtypes", function()
      for other, sum in pairs(golden.from[dtype]) do assert.are.equal(sum, converted(dtype, other), "to " .. other) end
      for other, sum in pairs(golden.to[dtype]) do
        assert.are.equal(sum, total(numbers(other):to(torch[dtype]):float()), "from " .. other)
      end
    end)

    it("copies strided views of " .. dtype, function()
      local x = codes(dtype):view(16, 16)
      local y = torch.zeros(16, 16, {dtype = torch[dtype], device = device})
      y:copy_(x:t())
      assert.is_true(torch.equal(x:view(torch.uint8):t(), y:view(torch.uint8)))
      local wide = torch.zeros(16, 8, {device = device}):copy_(x[{":", "1::2"}])
      assert.is_true(torch.equal(finite(x[{":", "1::2"}]):float(), wide[torch.isfinite(wide)]))
    end)

    it("has the finfo of " .. dtype, function() assert.are.equal(golden.finfo[dtype], tostring(torch.finfo(torch[dtype]))) end)
  end

  it("has dtypes with PyTorch's properties", function()
    for _, name in ipairs(dtypes) do
      local dtype = torch[name]
      assert.is_true(dtype.is_floating_point)
      assert.are.equal(name ~= "float8_e8m0fnu", dtype.is_signed)
      assert.are.equal(1, dtype.itemsize)
      assert.are.equal(dtype, torch.promote_types(dtype, dtype))
    end
  end)

  it("promotes to nothing", function()
    local x = torch.ones(2, {device = device}):to(torch.float8_e5m2)
    local words = "Promotion for Float8 Types is not supported, attempted to promote "
    assert.are.equal(words .. "Float8_e5m2 and Float", message(torch.promote_types, torch.float8_e5m2, torch.float32))
    assert.are.equal(words .. "Float and Float8_e5m2", message(torch.promote_types, torch.float32, torch.float8_e5m2))
    assert.are.equal(words .. "Float8_e5m2 and Float", message(torch.add, x, torch.ones(2, {device = device})))
    assert.are.equal(words .. "Long and Float8_e5m2", message(torch.add, torch.ones(2, {device = device}):long(), x))
    assert.are.equal(words .. "Float8_e5m2 and Float", message(torch.cat, {x, torch.ones(2, {device = device})}))
    assert.are.equal(words .. "Float8_e5m2 and Float8_e4m3fn", message(torch.where, x:eq(x), x, x:to(torch.float8_e4m3fn)))
    assert.are.equal(words .. "Float8_e5m2 and Float", message(torch.result_type, x, torch.ones(2)))
    assert.are.equal(torch.float8_e5m2, torch.result_type(x, 1.5))
    assert.are.equal("tensor([2., 2.])", tostring((torch.ones(2, {device = device}) + x[0]):cpu()))
  end)

  it("checks numbers that fill", function()
    local words = "value cannot be converted to type c10::%s without overflow"
    local function full(value, dtype) return torch.full({2}, value, {dtype = torch[dtype], device = device}):float():tolist()[1] end
    assert.are.equal(words:format "Float8_e4m3fn", message(full, 449, "float8_e4m3fn"))
    assert.are.equal(words:format "Float8_e4m3fn", message(full, math.huge, "float8_e4m3fn"))
    assert.are.equal(words:format "Float8_e8m0fnu", message(full, 0.0, "float8_e8m0fnu"))
    assert.are.equal(words:format "Float8_e5m2", message(full, 60000.0, "float8_e5m2"))
    assert.are.equal(math.huge, full(math.huge, "float8_e5m2"))
    assert.are.equal(2.0 ^ -127, full(0, "float8_e8m0fnu"))
    assert.are.equal(512.0, full(-448, "float8_e8m0fnu"))
    assert.are.equal(448.0, torch.tensor({500.0}, {dtype = torch.float8_e4m3fn}):float():item())
  end)

  it("passes gradients through a conversion", function()
    local x = torch.tensor({1.06, -300.0, 1000.0}, {device = device, requires_grad = true})
    local y = x:to(torch.float8_e4m3fn)
    assert.are.equal("ToCopyBackward0", y.grad_fn:name())
    y:float():sum():backward()
    assert.are.same({1.0, 1.0, 1.0}, x.grad:tolist())
    local leaf = torch.ones(2, {device = device}):to(torch.float8_e5m2):requires_grad_()
    leaf:float():mul(3):sum():backward()
    assert.are.equal(torch.float8_e5m2, leaf.grad.dtype)
    assert.are.same({3.0, 3.0}, leaf.grad:float():tolist())
  end)

  it("takes a dtype to reduce in", function()
    local x = torch.tensor({1.0, 2.0, 4.0}, {device = device}):to(torch.float8_e8m0fnu)
    assert.are.equal(7.0, x:sum{dtype = torch.float32}:item())
    assert.are.equal('"sum_cpu" not implemented for \'Float8_e8m0fnu\'', message(torch.sum, x))
    assert.are.equal('"arange_cpu" not implemented for \'Float8_e5m2\'', message(torch.arange, 3, {dtype = torch.float8_e5m2, device = device}))
  end)

  it("is no default dtype, and no array", function()
    assert.are.equal("couldn't find storage object Float8_e5m2Storage", message(torch.set_default_dtype, torch.float8_e5m2))
    if device == "cpu" then
      assert.are.equal("Got unsupported ScalarType Float8_e5m2", message(function() return codes("float8_e5m2"):numpy() end))
    end
  end)
end)

-- --- the list ---------------------------------------------------------------------------------------------------------------

-- Calls an operator with tensors of a float8 dtype, as golden/float8.py does. Returns true and the results, or false and the error.
local function run(op, call, dtype)
  local any_float, any = false, false
  for _, arguments in ipairs{call.positional, call.keywords} do
    for _, argument in pairs(arguments) do
      for _, spec in ipairs(calls.tensors_of(argument)) do
        if not spec.dtype then any, any_float = true, any_float or floats[spec.values] end
      end
    end
  end
  local options = {cast = function(spec)
    return not spec.dtype and (floats[spec.values] or not any_float) and dtype or nil
  end}
  if not any then options.keywords = {dtype = torch[dtype]} end
  torch.set_default_device(device)
  torch.manual_seed(1)
  local found = table.pack(pcall(function() return calls.results_of(op, (calls.build(call, options))) end))
  torch.set_default_device "cpu"
  return table.unpack(found, 1, found.n)
end

-- Operators of which PyTorch takes some calls (a sum over no elements, a flip along the first dimension), and Tocha none. conv_tbc is made of
-- another convolution.
local partly = {["sum.dim_IntList"] = true, count_nonzero = true, index_reduce = true, index_reduce_ = true, flipud = true, conv_tbc = true}

local function same(value, wanted)
  wanted = ({nan = 0 / 0, inf = math.huge, ["-inf"] = -math.huge})[wanted] or wanted
  if value == wanted or value ~= value and wanted ~= wanted then return true end
  return type(value) == "number" and type(wanted) == "number" and math.abs(value - wanted) <= 1e-5 * math.abs(wanted)
end

local function compare(got, wanted, what)
  if wanted.value ~= nil then
    return assert.is_true(same(torch.is_tensor(got) and got:item() or got, wanted.value), what)
  end
  assert.are.equal("torch." .. wanted.dtype, tostring(got.dtype), what)
  assert.are.equal("torch.Size([" .. table.concat(wanted.shape, ", ") .. "])", tostring(got.shape), what)
  if not wanted.values then return end
  local t = got.dtype.itemsize == 1 and got.dtype.is_floating_point and got:float() or got
  for k, value in ipairs(t:detach():reshape{-1}:tolist()) do
    if not same(value, wanted.values[k]) then
      error(("%s: element %d is %s, PyTorch has %s"):format(what, k - 1, value, wanted.values[k]), 0)
    end
  end
end

for _, dtype in ipairs{"float8_e4m3fn", "float8_e8m0fnu"} do
  describe("operators of " .. dtype, function()
    for _, op in ipairs(samples.load()) do
      local wanted = golden.operators[dtype][op.name]
      if not samples.unasked(op) and not op.lua_name:find "^_scaled" then
        it(op.name, function()
          for k, call in ipairs(samples.calls(op)) do
            local ok, results = run(op, call, dtype)
            local expected = wanted and wanted[k]
            if type(expected) == "table" and #expected > 0 and not partly[op.name] then
              if not ok then error(("%s, call %d: PyTorch takes it: %s"):format(op.name, k, tostring(results)), 0) end
              for i, result in ipairs(expected) do compare(results[i], result, ("%s, call %d"):format(op.name, k)) end
            elseif not ok then
              assert.is_nil(tostring(results):find("internal", 1, true))
            elseif type(refused[op.name]) == "string" then
              error(("%s, call %d: PyTorch refuses it"):format(op.name, k), 0)
            end
          end
        end)
      end
    end
  end)
end
