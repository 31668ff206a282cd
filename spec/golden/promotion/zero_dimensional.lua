-- A tensor without dimensions does not raise the dtype of one with dimensions.
local torch = require "torch"
local dtypes = {torch.bool, torch.uint8, torch.int16, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64}
for _, a in ipairs(dtypes) do
  for _, b in ipairs(dtypes) do
    local x, y = torch.ones(2, {dtype = a}), torch.tensor(1, {dtype = b})
    print(a, b, (x + y).dtype, (x * y).dtype, (y / x).dtype, (y + y).dtype)
  end
end
for _, x in ipairs {torch.tensor(3), torch.tensor(true), torch.ones({}, {dtype = torch.uint8})} do
  for _, name in ipairs {"deg2rad", "rad2deg", "exp", "sqrt", "sigmoid", "atan", "logit", "erf", "lgamma", "sinc"} do
    local result = torch[name](x)
    print(name, result, result.dtype)
  end
end
