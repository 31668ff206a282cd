-- Every pair of dtypes divided.
local torch = require "torch"
local dtypes = {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
                torch.float16, torch.bfloat16, torch.float32, torch.float64}
for _, a in ipairs(dtypes) do
  for _, b in ipairs(dtypes) do
    local x, y = torch.ones(2, {dtype = a}), torch.ones(2, {dtype = b})
    print(a, b, (x / y).dtype)
  end
end
