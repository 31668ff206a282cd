-- Every initializer, odd shapes, float64.
local torch = require "torch"
local nn, init = torch.nn, torch.nn.init
torch.manual_seed(12)
for _, d in ipairs{torch.float32, torch.float64} do
  for _, s in ipairs{{3, 5}, {4, 4}, {16, 2}, {2, 3, 2, 2}} do
    local w = torch.empty(s, {dtype = d})
    print(init.uniform_(w, -0.1, 0.1)) print(init.normal_(w, 1, 0.02))
    print(init.xavier_uniform_(w)) print(init.xavier_normal_(w, {gain = 0.5}))
    print(init.kaiming_uniform_(w, {nonlinearity = "relu"})) print(init.kaiming_normal_(w, {mode = "fan_out"}))
    print(init.trunc_normal_(w, {mean = 0.5, std = 0.2, a = 0, b = 1}))
    print(init.kaiming_uniform_(w, {a = 0.1, nonlinearity = "leaky_relu"}))
  end
end
print(torch.rand(1))



print(init.calculate_gain("sigmoid"), init.calculate_gain("selu"))
