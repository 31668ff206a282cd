-- a parameter that stands in a group twice is stepped twice, with one state
local torch = require "torch"
warn "@off"
local classes = {{"SGD", {lr = 0.1, momentum = 0.9, weight_decay = 0.1}}, {"SGD", {lr = 0.1, momentum = 0.5, nesterov = true}},
  {"Adam", {lr = 0.1}}, {"AdamW", {lr = 0.1}}, {"Adagrad", {lr = 0.1}}, {"RMSprop", {lr = 0.1, momentum = 0.9, centered = true}},
  {"Adadelta", {lr = 0.5}}, {"Adamax", {lr = 0.1}}}
for _, class in ipairs(classes) do
  local t = torch.tensor({1.0, 2.0}, {requires_grad = true})
  local other = torch.tensor({3.0}, {requires_grad = true})
  local optimizer = torch.optim[class[1]]({t, other, t}, class[2])
  for _ = 1, 3 do
    optimizer:zero_grad()
    local loss = (t * t):sum() + other:sum()
    loss:backward()
    optimizer:step()
  end
  print(class[1], t, other, t._version)
end

local empty = torch.ones({2, 0}, {requires_grad = true})
local optimizer = torch.optim.SGD({empty}, {lr = 0.2, momentum = 0.9})
empty:sum():backward()
optimizer:step()
print(empty._version)

-- a parameter whose elements share memory is refused, and stays as it was
local row = torch.tensor {1.0, 2.0}
local rows = row:expand(2, 2)
rows.requires_grad = true
optimizer = torch.optim.SGD({rows}, {lr = 0.2})
rows:sum():backward()
local _, message = pcall(optimizer.step, optimizer)
print(tostring(message):match "^[^\n]*", row)
