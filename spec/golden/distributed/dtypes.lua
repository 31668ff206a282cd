-- ranks: 1 2
-- Which dtypes the reductions take, and what they make of them.
local torch = require "torch"
local dist = torch.distributed
dist.init_process_group("gloo")
local rank = dist.get_rank()
for _, name in ipairs{"bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "float64"} do
  for _, op in ipairs{"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR"} do
    local x = (torch.tensor{0, 1, 3, 100} + rank):to(torch[name])
    local ok, e = pcall(dist.all_reduce, x, dist.ReduceOp[op])
    print(name, op, ok and tostring(x) or e.code .. ": " .. e.message:match "^[^\n]*")
  end
  local x = (torch.tensor{0, 1, 3, 100} + rank):to(torch[name])
  dist.broadcast(x, 0)
  print(name, "broadcast", x)
end
dist.destroy_process_group()
