-- out= of several results, words of what is none, memory shared with the inputs, resizing.
local torch = require "torch"
local x = torch.tensor{{3., 1., 2.}, {6., 5., 4.}}
local values, indices = torch.empty(0), torch.empty({0}, {dtype = torch.int64})
local function try(f, ...)
  local ok, result = pcall(f, ...)
  if ok then print(result) else print((tostring(result):match "[^\n]*")) end
end
for _, name in ipairs{"sort", "max", "min", "topk", "kthvalue", "median", "mode", "cummax"} do
  torch[name](x, name == "topk" and 2 or 1, {out = {values, indices}})
  print(name, values, indices)
  values, indices = torch.empty(0), torch.empty({0}, {dtype = torch.int64})
end
torch.aminmax{x, dim = 1, out = {values, torch.empty(0)}}
print(values)
for _, out in ipairs{{values}, {values, indices, values}, {indices, indices}, {values, values}, values, "x", 3} do
  try(torch.topk, x, 1, {out = out})
end
for _, out in ipairs{"x", {x}} do
  try(torch.add, x, x, {out = out})
  try(torch.exp, x, {out = out})
  try(torch.sum, x, 0, {out = out})
  try(torch.isnan, x, {out = out})
end
-- memory
local line = torch.arange(10.)
try(torch.exp, line[":8"], {out = line["1:9"]})
try(torch.add, line[":8"], 1, {out = line[":8"]})
try(torch.take, line, torch.tensor{1, 2}, {out = line[":2"]})
try(torch.cat, {line["0:2"], line["2:4"]}, {out = line["1:5"]})
try(torch.gather, line, 0, torch.tensor{0, 1}, {out = line[":2"]})
try(torch.index_select, line, 0, torch.tensor{0, 1}, {out = torch.empty(1):expand(2)})
try(torch.index_select, line, 0, torch.tensor{0, 1}, {out = torch.empty(1):expand(3)})
try(torch.masked_select, line, line:gt(3), {out = line})
try(torch.cumsum, line, 0, {out = line})
try(torch.add, torch.ones(3), 1, {out = torch.empty(1):expand(3)})
-- dtypes
try(torch.sum, x, 0, {out = torch.empty({0}, {dtype = torch.int32})})
try(torch.sum, x, 0, {dtype = torch.float32, out = torch.empty({0}, {dtype = torch.float64})})
try(torch.mean, torch.tensor{0.1, 0.2, 0.4}, {out = torch.empty({0}, {dtype = torch.float64})})
try(torch.cumsum, x, 0, {out = torch.empty({0}, {dtype = torch.float64})})
try(torch.cat, {x, x}, {out = torch.empty({0}, {dtype = torch.int32})})
try(torch.all, x, {out = torch.empty(0)})
