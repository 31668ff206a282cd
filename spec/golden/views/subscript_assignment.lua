-- Subscripts of tensors and masks, and assignment through subscripts.
local torch = require "torch"
local F = torch.nn.functional
local scope = setmetatable({torch = torch, F = F, x = torch.ones(2, 3), i = torch.arange(4), b = torch.tensor{true, false},
  d = torch.ones(2, 3, {dtype = torch.float64}), M = torch.arange(24):reshape(2, 3, 4),
  g = torch.tensor({1.0, 2.0, 3.0}, {requires_grad = true})}, {__index = _G})
local function show(ok, ...)
  if ok then print(...) else print((tostring((...)):match "[^\n]*")) end
end
local function try(code)
  show(pcall(load("return " .. code, code, "t", scope) or load(code, code, "t", scope)))
end
try [==[M[false].shape]==]
try [==[M[torch.tensor(1)]]==]
try [==[M[torch.tensor(true)].shape]==]
try [==[torch.tensor(5)[0]]==]
try [==[torch.tensor(5)["..."]]==]
try [==[torch.tensor(5)["None"]]==]
try [==[torch.tensor(5)[torch.tensor(true)]]==]
try [==[torch.zeros(0)[0]]==]
try [==[torch.zeros(3)["1:1"]]==]
try [==[local a = torch.zeros(2, 3) a[{{0, 1}, {1, 2}}] = 9 a[torch.tensor{0}] = -1 print(a)]==]
try [==[local a = torch.zeros(2, 3) a["..., None, 0"] = 4 print(a)]==]
try [==[local a = torch.zeros(2, 3) a[5] = 1]==]
try [==[local a = torch.zeros(2, 3) a["0, 7"] = 1]==]
try [==[local a = torch.zeros(2, 3) a["0"] = torch.ones(4)]==]
try [==[local a = torch.zeros(2, 3) a[{{0, 1}, {0, 1}}] = torch.ones(3)]==]
try [==[local a = torch.zeros(2, 3) a[torch.tensor{true, false}] = torch.ones(2, 3)]==]
try [==[local a = torch.zeros(2, 3) a[a:gt(5)] = torch.ones(2)]==]
try [==[local a = torch.zeros(2, 3) a[0] = "b"]==]
try [==[local a = torch.zeros(2, 3) a[0] = nil]==]
try [==[local a = torch.zeros(2, 3) a[torch.tensor{0, 1}] = torch.ones(2, 3, {dtype = torch.float64}) print(a)]==]
try [==[local a = torch.zeros(2, 3, {dtype = torch.int64}) a[torch.tensor{0, 1}] = torch.ones(3)]==]
try [==[local a = torch.zeros(2, 3, {dtype = torch.bool}) a[0] = 2 print(a)]==]
try [==[local a = torch.zeros(3, {dtype = torch.uint8}) a[0] = -1 a[1] = 300 print(a)]==]
try [==[local a = torch.zeros(3) a[":"] = torch.arange(3) print(a)]==]
try [==[local a = torch.zeros(3) a[{}] = 5 print(a)]==]
try [==[local a = torch.tensor(5) a[{}] = 7 print(a)]==]
try [==[local a = torch.tensor(5) a[0] = 7]==]
try [==[local a = torch.tensor(5) a["..."] = 9 print(a)]==]
try [==[local a = torch.arange(6) local b2 = a:view(2, 3) b2[0] = 0 print(a, a:data_ptr() == b2:data_ptr(), b2._base)]==]
try [==[local a = torch.arange(6) local b2 = a:reshape(3, 2):t() b2:add_(10) print(a, b2:is_contiguous(), b2:stride()[1], b2:storage_offset())]==]
try [==[local a = torch.arange(6) local c = a["::2"] c:mul_(-1) print(a, c:stride()[1])]==]
try [==[local a = torch.ones(2, 2) local c = a:expand(3, 2, 2) c[{0, 0, 0}] = 5 print(c)]==]
try [==[local a = torch.ones(2, 2) a:add_(a:t()) print(a)]==]
try [==[local a = torch.zeros(2) torch.add(torch.ones(3), 1, {out = a}) print(a)]==]
try [==[M:view(6, 4)["::2"]:stride()[1]]==]
try [==[M:permute(2, 0, 1).shape]==]
try [==[M:transpose(0, 2):reshape(-1)["3:9"]]==]
try [==[M:transpose(0, 2):view(-1)]==]
try [==[M:transpose(0, 2):contiguous():view(-1).shape]==]
try [==[M:unfold(2, 2, 1).shape]==]
