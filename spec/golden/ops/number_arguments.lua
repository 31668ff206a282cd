-- cpu only: fills with numbers of 16 bits, which the CPU alone does not check
-- Every number that an operator takes, in every dtype, at the limits of the dtypes and beyond them: a value, or the first
-- line of an error.
local torch = require "torch"
local F = torch.nn.functional

local numbers = {
  {"-1", -1}, {"1.5", 1.5}, {"300", 300}, {"-300", -300}, {"65504", 65504}, {"1e5", 1e5}, {"-1e9", -1e9}, {"2^40", 1 << 40},
  {"1e39", 1e39}, {"inf", math.huge}, {"nan", 0 / 0}, {"true", true},
}
local dtypes = {"bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64"}

local mask, first = torch.tensor{true, false}, torch.tensor{0}
local function two(x, v, call) -- x is (2): as a matrix
  return call(torch.stack{x, x}, v)
end

local calls = {
  {"tensor", function(x, v) return torch.tensor({v}, {dtype = x.dtype}) end},
  {"full", function(x, v) return torch.full({1}, v, {dtype = x.dtype}) end},
  {"full_like", function(x, v) return torch.full_like(x, v) end},
  {"new_full", function(x, v) return x:new_full({1}, v) end},
  {"fill_", function(x, v) return x:clone():fill_(v) end},
  {"fill_ tensor", function(x, v) return x:clone():fill_(torch.tensor(v)) end},
  {"fill_diagonal_", function(x, v) return two(x, v, function(m, w) return m:fill_diagonal_(w) end) end},
  {"x[0] = v", function(x, v) x = x:clone() x[0] = v return x end},
  {"x[mask] = v", function(x, v) x = x:clone() x[mask] = v return x end},
  {"x[index] = v", function(x, v) x = x:clone() x[first] = v return x end},
  {"x[index, index] = v", function(x, v) return two(x, v, function(m, w) m[{first, first}] = w return m end) end},
  {"x[:] = v", function(x, v) x = x:clone() x[":"] = v return x end},
  {"where other", function(x, v) return torch.where(mask:logical_not(), x, v) end},
  {"where self", function(x, v) return torch.where(mask, v, x) end},
  {"masked_fill", function(x, v) return x:masked_fill(mask, v) end},
  {"masked_fill tensor", function(x, v) return x:masked_fill(mask, torch.tensor(v)) end},
  {"index_fill", function(x, v) return x:index_fill(0, first, v) end},
  {"index_fill tensor", function(x, v) return x:index_fill(0, first, torch.tensor(v)) end},
  {"scatter", function(x, v) return x:scatter(0, first, v) end},
  {"scatter add", function(x, v) return x:scatter(0, first, v, {reduce = "add"}) end},
  {"index_add", function(x, v) return x:index_add(0, first, x[{"0:1"}], {alpha = v}) end},
  {"index_put", function(x, v) return x:index_put({first}, torch.tensor(v)) end},
  {"add", function(x, v) return x + v end},
  {"add_", function(x, v) return x:clone():add_(v) end},
  {"add alpha", function(x, v) return torch.add(x, x, {alpha = v}) end},
  {"sub", function(x, v) return x - v end},
  {"sub alpha", function(x, v) return torch.sub(x, x, {alpha = v}) end},
  {"rsub", function(x, v) return torch.rsub(x, v) end},
  {"mul", function(x, v) return x * v end},
  {"mul_", function(x, v) return x:clone():mul_(v) end},
  {"div", function(x, v) return x / v end},
  {"div_", function(x, v) return x:clone():div_(v) end},
  {"floor_divide", function(x, v) return torch.floor_divide(x, v) end},
  {"fmod", function(x, v) return torch.fmod(x, v) end},
  {"remainder", function(x, v) return torch.remainder(x, v) end},
  {"pow", function(x, v) return torch.pow(x, v) end},
  {"rpow", function(x, v) return torch.pow(v, x) end},
  {"pow_", function(x, v) return x:clone():pow_(v) end},
  {"float_power", function(x, v) return torch.float_power(x, v) end},
  {"eq", function(x, v) return torch.eq(x, v) end},
  {"lt", function(x, v) return torch.lt(x, v) end},
  {"ge", function(x, v) return torch.ge(x, v) end},
  {"bitwise_and", function(x, v) return torch.bitwise_and(x, v) end},
  {"bitwise_left_shift", function(x, v) return torch.bitwise_left_shift(x, v) end},
  {"copysign", function(x, v) return torch.copysign(x, v) end},
  {"xlogy", function(x, v) return torch.xlogy(x, v) end},
  {"clamp min", function(x, v) return torch.clamp(x, {min = v}) end},
  {"clamp max", function(x, v) return torch.clamp(x, {max = v}) end},
  {"clamp both", function(x, v) return torch.clamp(x, v, v) end},
  {"clamp_", function(x, v) return x:clone():clamp_(v) end},
  {"clamp_min", function(x, v) return torch.clamp_min(x, v) end},
  {"clamp_max", function(x, v) return torch.clamp_max(x, v) end},
  {"clamp_max_", function(x, v) return x:clone():clamp_max_(v) end},
  {"hardtanh", function(x, v) return F.hardtanh(x, 0, v) end},
  {"threshold", function(x, v) return F.threshold(x, v, 0) end},
  {"threshold value", function(x, v) return F.threshold(x, 5, v) end},
  {"leaky_relu", function(x, v) return F.leaky_relu(-x, v) end},
  {"elu", function(x, v) return F.elu(-x, v) end},
  {"celu", function(x, v) return F.celu(-x, v) end},
  {"softplus beta", function(x, v) return F.softplus(x, v) end},
  {"softplus threshold", function(x, v) return F.softplus(x, 1, v) end},
  {"softshrink", function(x, v) return F.softshrink(x, v) end},
  {"hardshrink", function(x, v) return F.hardshrink(x, v) end},
  {"nan_to_num", function(x, v) return torch.nan_to_num(x / 0, {posinf = v}) end},
  {"pad", function(x, v) return F.pad(x, {1, 0}, {value = v}) end},
  {"lerp", function(x, v) return torch.lerp(x, x + x, v) end},
  {"addcmul", function(x, v) return torch.addcmul(x, x, x, {value = v}) end},
  {"addcdiv", function(x, v) return torch.addcdiv(x, x, x, {value = v}) end},
  {"addmm alpha", function(x, v) return two(x, v, function(m, w) return torch.addmm(m, m, m, {alpha = w}) end) end},
  {"addmm beta", function(x, v) return two(x, v, function(m, w) return torch.addmm(m, m, m, {beta = w}) end) end},
  {"addmv alpha", function(x, v) return two(x, v, function(m, w) return torch.addmv(x, m, x, {alpha = w}) end) end},
  {"addmv beta", function(x, v) return two(x, v, function(m, w) return torch.addmv(x, m, x, {beta = w}) end) end},
  {"addr alpha", function(x, v) return two(x, v, function(m, w) return torch.addr(m, x, x, {alpha = w}) end) end},
  {"addr beta", function(x, v) return two(x, v, function(m, w) return torch.addr(m, x, x, {beta = w}) end) end},
  {"baddbmm alpha", function(x, v)
    return two(x, v, function(m, w) return torch.baddbmm(m[{"None"}], m[{"None"}], m[{"None"}], {alpha = w}) end)
  end},
  {"addbmm beta", function(x, v)
    return two(x, v, function(m, w) return torch.addbmm(m, m[{"None"}], m[{"None"}], {beta = w}) end)
  end},
  {"arange", function(x, v) return torch.arange(v, v, {dtype = x.dtype}) end},
  {"linspace", function(x, v) return torch.linspace(0, v, 2, {dtype = x.dtype}) end},
  {"isin", function(x, v) return torch.isin(x, v) end},
  {"bucketize", function(x, v) return torch.bucketize(v, x) end},
  {"renorm", function(x, v) return two(x, v, function(m, w) return torch.renorm(m, 2, 0, w) end) end},
  {"norm", function(x, v) return torch.norm(x, v) end},
  {"dist", function(x, v) return torch.dist(x, x + x, v) end},
  {"histc", function(x, v) return torch.histc(x, 2, 0, v) end},
}

-- The elements of a result: numbers and bools as PyTorch and Lua both write them.
local function words(t)
  local parts = {}
  t = t:reshape(-1)
  for i = 0, t:numel() - 1 do
    local e = t[i]:item()
    local real = math.type(e) == "float"
    parts[#parts + 1] = real and (e ~= e and "nan" or string.format("%.5g", e)) or tostring(e)
  end
  return table.concat(parts, " ")
end

for _, call in ipairs(calls) do
  for _, dtype in ipairs(dtypes) do
    local x = torch.tensor({1, 1}, {dtype = torch[dtype]})
    local answers, order = {}, {}
    for _, number in ipairs(numbers) do
      local ok, result = pcall(call[2], x, number[2])
      local answer = ok and tostring(result.dtype):match "torch%.(%w+)" .. " " .. words(result) or tostring(result):match "^[^\n]*"
      if not answers[answer] then answers[answer] = {} order[#order + 1] = answer end
      table.insert(answers[answer], number[1])
    end
    for i, answer in ipairs(order) do order[i] = table.concat(answers[answer], ", ") .. " -> " .. answer end
    print(call[1] .. " (" .. dtype .. "): " .. table.concat(order, "; "))
  end
end
