-- A number before the tensor, or two numbers: what they give, of which dtype, and the words where PyTorch takes none.
local torch = require "torch"
local int, float = torch.tensor{3, 2, 1}, torch.tensor{1.5, 2.0, 3.0}
local calls = {{5, int}, {5.5, float}, {5, 3}, {2.5, 2}, {true, int}, {5, torch.tensor(2, {dtype = torch.int8})}, {2.5, torch.tensor(1, {dtype = torch.float16})},
  {5, "a"}, {int, "a"}, {"a", int}, {5}}
for _, name in ipairs{"add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "floor_divide", "float_power", "bitwise_and", "bitwise_or",
    "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "remainder", "fmod", "pow", "eq", "xlogy", "maximum"} do
  for _, arguments in ipairs(calls) do
    local ok, result = pcall(torch[name], table.unpack(arguments))
    if ok then print(name, result.dtype, result) else print((tostring(result):match "[^\n]*")) end
  end
end
print(torch.add(5, int, {alpha = 2}), torch.sub(5, float, {alpha = 2}), torch.add(5, 3, {alpha = 10}))
print(torch.div(7, int, {rounding_mode = "floor"}), torch.div(7, 2, {rounding_mode = "trunc"}))
print(torch.div(5, torch.tensor(2, {dtype = torch.int8}), {rounding_mode = "floor"}), 5 << torch.tensor(2, {dtype = torch.int8}))
float:requires_grad_()
print(torch.mul(5, float), torch.div(5, float), torch.sub(5, float), torch.remainder(5, float), torch.float_power(5, float))
torch.div(5, float):sum():backward()
print(float.grad)
