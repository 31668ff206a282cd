-- cpu only: steps are rounded once there
-- Steps on float16 and bfloat16 parameters: rounded after every operation; eps = 1e-8 is 0 in float16.
local torch = require "torch"
for _, dtype in ipairs{torch.float16, torch.bfloat16} do
  for _, case in ipairs{{"SGD"}, {"SGD", momentum = 0.9}, {"SGD", momentum = 0.9, nesterov = true, weight_decay = 0.1}, {"Adam"},
      {"Adam", amsgrad = true, weight_decay = 0.1}, {"AdamW"}, {"AdamW", maximize = true}, {"Adamax"}, {"Adagrad"}, {"Adagrad", weight_decay = 0.1},
      {"Adadelta"}, {"RMSprop"}, {"RMSprop", centered = true, momentum = 0.9}, {"RMSprop", weight_decay = 0.3}} do
    torch.manual_seed(3)
    local p = torch.randn(11):to(dtype):requires_grad_()
    local options = {lr = 0.1}
    for key, value in pairs(case) do if key ~= 1 then options[key] = value end end
    local optimizer = torch.optim[case[1]]({p}, options)
    for _ = 1, 3 do
      p.grad = p:detach() + 0
      optimizer:step()
    end
    print(case[1], p._version, p)
  end
end
local p = torch.tensor({0.0, 1.0}, {dtype = torch.float16, requires_grad = true})
p.grad = p:detach() * 1
torch.optim.Adam({p}, {lr = 0.1}):step()
print(p)
