-- cpu only: a bad index is an error at the next synchronization
-- movedim, flatten, split, select, as_strided and the like; a tensor's attributes and comparisons.
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
try [==[M:movedim(0, -1).shape]==]
try [==[M:flatten(1).shape]==]
try [==[M:split({1, 2}, 1)[2]]==]
try [==[M:unbind(1)[1]]==]
try [==[M:swapaxes(0, 1).shape]==]
try [==[M:select(1, -1)]==]
try [==[M:narrow(2, 1, 2)]==]
try [==[M:diagonal(0, 1, 2)]==]
try [==[M:diagonal(0, 1, 1)]==]
try [==[M:squeeze().shape]==]
try [==[M:as_strided({2, 2}, {1, 2}, 3)]==]
try [==[M:as_strided({30}, {1})]==]
try [==[M:expand(2, 2, 3, 4).shape]==]
try [==[M:expand(3, 3, 4)]==]
try [==[M:index_select(1, torch.tensor{0, 2})]==]
try [==[M:take(torch.tensor{0, 23})]==]
try [==[M:take(torch.tensor{24})]==]
try [==[M:masked_select(M:gt(21))]==]
try [==[M:rot90(1, {1, 2})]==]
try [==[M:unflatten(2, {2, -1}).shape]==]
try [==[M:unflatten(2, {3, 2})]==]
try [==[M:tolist()[1][2][3]]==]
try [==[#M]==]
try [==[#torch.tensor(1)]==]
try [==[M.T.shape]==]
try [==[if M == M then end]==]
try [==[M == 3]==]
try [==[M < M]==]
try [==[M:eq(M):all()]==]
try [==[torch.tensor{1} < 2]==]
try [==[torch.tensor{1, 2} < 2]==]
try [==[torch.tensor{} < 2]==]
try [==[torch.tensor{1} == torch.tensor{1.0}]==]
try [==[M:item()]==]
try [==[torch.zeros(0):item()]==]
try [==[M:nothing()]==]
try [==[M.nothing]==]
try [==[M.shape[5]]==]
try [==[M.shape[-1]]==]
try [==[M.shape["a"]]==]
