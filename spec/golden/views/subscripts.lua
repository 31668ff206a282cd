-- cpu only: a bad index is an error at the next synchronization
-- Subscripts: numbers, slices, None, lists, masks.
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
try [==[M[0]]==]
try [==[M[-1]["1"]]==]
try [==[M[2]]==]
try [==[M["2"]]==]
try [==[M["0, 3"]]==]
try [==[M["0, 0, 0, 0"]]==]
try [==[M["..., 1"]]==]
try [==[M["1, ..., ::2"]]==]
try [==[M["None, 0, None, 1"].shape]==]
try [==[M["0:1, :, 1:3"]]==]
try [==[M["::-1"]]==]
try [==[M["::0"]]==]
try [==[M["5:"]]==]
try [==[M["-1:"]]==]
try [==[M[{{0, 1}, {1, 2}}]]==]
try [==[M[{{0, 1}, {1, 2}, {0}}]]==]
try [==[M[{{0, 1}, {1, 2, 0}}]]==]
try [==[M[{":", {0, 5}}]]==]
try [==[M[{":", torch.tensor{true, false, true}}]]==]
try [==[M[{":", torch.tensor{true, false}}]]==]
try [==[M[torch.tensor{true, false}]]==]
try [==[M[torch.tensor{true, false, true}]]==]
try [==[M[torch.tensor{0.5}]]==]
try [==[M[torch.tensor({1, 0}, {dtype = torch.int32})]]==]
try [==[M[torch.tensor({1, 0}, {dtype = torch.uint8})]]==]
try [==[M[torch.tensor{0, 5}]]==]
try [==[M[torch.tensor{0, -3}]]==]
try [==[M[M:gt(20)]]==]
try [==[M[M:gt(100)]]==]
try [==[M[1.5]]==]
try [==[M["foo"]]==]
try [==[M["0,"]]==]
try [==[M["true"]]==]
try [==[M[{0, "...", torch.tensor{0, 1}}]]==]
try [==[M[{0, torch.tensor{{0, 1}, {2, 0}}}].shape]==]
try [==[M[{torch.tensor{0, 1}, ":", torch.tensor{0, 1}}]]==]
try [==[M[{torch.tensor{0, 1}, 0, torch.tensor{0, 1}}]]==]
try [==[M[{torch.tensor{0, 1}, torch.tensor{0, 1, 2}}]]==]
try [==[M[{}].shape]==]
try [==[M[true].shape]==]
