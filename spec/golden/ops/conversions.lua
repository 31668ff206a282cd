-- Floating numbers as integers: truncated; what is not a number, or too large, as the processor has it.
local torch = require "torch"
local values = {3e9, -3e9, 1e20, -1e20, 0 / 0, math.huge, -math.huge, 300.0, -1.5, 1e10, 0.99, -0.0, 200.0, -129.0}
for _, from in ipairs {torch.float64, torch.float32, torch.float16, torch.bfloat16} do
  for _, to in ipairs {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64} do
    local few = torch.tensor(values, {dtype = from}):to(to)
    local many = torch.tensor(values, {dtype = from}):repeat_interleave(40):to(to)
    print(from, to, few:equal(many["::40"]))
    print(few)
  end
end
print(torch.tensor {300, -1, 70000, 3000000000}:to(torch.uint8), torch.tensor {300, -1, 70000, 3000000000}:int())
print(torch.tensor({-1, 127}, {dtype = torch.int8}):to(torch.uint8), torch.tensor({255}, {dtype = torch.uint8}):to(torch.int8))
