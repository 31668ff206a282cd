-- The methods that end with an underscore.
local torch = require "torch"
local x = torch.tensor{1.0, 4.0, 9.0}
local steps = {{"add_", 1}, {"sub_", 1}, {"mul_", 2}, {"div_", 2}, {"sqrt_"}, {"pow_", 2}, {"neg_"}, {"abs_"}, {"exp_"},
               {"round_"}, {"clamp_", 2, 5}, {"clamp_", {min = 3}}, {"add_", torch.ones(3), {alpha = 3}}, {"sigmoid_"}, {"tanh_"}, {"reciprocal_"}, {"floor_"}, {"fill_", 0.5},
               {"ceil_"}, {"copy_", torch.arange(3)}, {"masked_fill_", x:eq(4), 8}, {"square_"}, {"relu_"}, {"trunc_"}, {"zero_"}}
for _, step in ipairs(steps) do
  local result = x[step[1]](x, table.unpack(step, 2))
  print(step[1], result, result:data_ptr() == x:data_ptr())
end
