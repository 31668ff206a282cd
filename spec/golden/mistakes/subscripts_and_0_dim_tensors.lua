-- cpu only: a bad index is an error at the next synchronization
-- Errors of subscripts, of tensors without dimensions, of dropout, products and dtypes; names of nodes.
local torch = require "torch"
local nn = torch.nn
local F = nn.functional
local function try(name, f)
  local r = table.pack(pcall(f))
  for i = 2, r.n do r[i] = tostring(r[i]) end
  print(name, r[1] and table.concat(r, " | ", 2, r.n):gsub("\n", " // ") or "error: " .. tostring(r[2]):match "^[^\n]*")
end
local function fn(t) return t.grad_fn and t.grad_fn:name() or "none" end
local x = torch.ones(2, 3, 4)
for _, s in ipairs{"..., 5", "None, 5", "0, 5", "0, None, 5", "None, None, 0, 5", ":, ..., 5", "0, ..., 9", "None, ..., None, 9", "1, 1, 9"} do try(s, function() return x[s] end); try(s, function() x[s] = 1 end) end
try("tensor idx", function() return x[{torch.tensor{0}, "None", torch.tensor{9}}] end)
try("tensor idx 2", function() return x[{"None", torch.tensor(9)}] end)
try("tensor idx 3", function() return x[{0, torch.tensor(9)}] end)
local y = torch.ones(2, 3, {requires_grad = true}) * 1
for _, s in ipairs{{"0:2"}, {":"}, {"0:5"}, "0:2", ":", ":, 0:3", {"0:2", "0:3"}, {"1:"}, {"..."}, {"None"}, {0}, {"0:2", "None"}, {"...", ":"}, {":", "..."}} do try("view", function() return fn(y[s]) end) end
try("0dim slice tuple", function() return torch.tensor(1.)[{":"}] end)
try("0dim slice", function() return torch.tensor(1.)[":"] end)
try("0dim int tuple", function() return torch.tensor(1.)[{0}] end)
try("0dim int", function() return torch.tensor(1.)[0] end)
try("0dim slice tuple set", function() torch.tensor(1.)[{":"}] = 1 end)
try("0dim slice set", function() torch.tensor(1.)[":"] = 1 end)
try("0dim step", function() return torch.tensor(1.)[{"::0"}] end)
local function setn(s, v) local t = torch.ones(2, 3, {requires_grad = true}) * 1; t[s] = v; return fn(t) end
local i2, i1 = torch.tensor{{0}, {1}}, torch.tensor{0, 1}
local cases = {{":2", 2}, {"0:2", 2}, {{":"}, 2}, {":", 2}, {{":", ":"}, 2}, {{"0:2", "0:3"}, 2}, {{"0:2", i1}, 3}, {{":", i1}, 3}, {{i1}, 3}, {{i1, ":"}, 3}, {{i2}, 3}, {{i1, i1}, 3}, {{0, i1}, 3}, {{"0:1", i1}, 3}, {{"None", i1}, 3}, {{i1, "None"}, 3}, {{"...", i1}, 3}, {{torch.tensor(1), i1}, 3}, {{i1, 0}, 3}, {{torch.tensor{true, false}}, 3}, {{"0:1", torch.tensor{true, false, true}}, 3}, {{torch.ones(2, 3):gt(0)}, 3}, {{torch.ones(2, 3):gt(0)}, torch.tensor(3.)}, {{torch.tensor{true, false}}, torch.tensor(3.)}, {{torch.tensor{true, false}}, torch.tensor{3.}}, {{torch.tensor{true, false}}, torch.ones(3)}, {{i1}, torch.tensor(3.)}, {{"None", torch.ones(2, 3):gt(0)}, 3}, {{torch.tensor(true)}, 3}, {{torch.tensor(1)}, 3}, {{"..."}, 3}, {{"..."}, torch.tensor(3.)}, {{0}, 3}, {0, 3}, {{i1, torch.tensor{true, false, true}}, 3}, {{{0, 1}}, 3}, {{{0}}, 3}, {{torch.tensor{-1}}, 3}}
for k, c in ipairs(cases) do try("set " .. k, function() return setn(c[1], c[2]) end) end
local e = torch.zeros(0, 3)
try("empty 1", function() return e[torch.tensor{0}] end)
try("empty 2", function() return e[torch.tensor{{0}}] end)
try("empty 5", function() return e[{{0}, "..."}] end)
try("empty 6", function() return e[{":", torch.tensor{5}}] end)
try("empty 7", function() return torch.zeros(3, 0)[{torch.tensor{7}, ":"}] end)
try("empty 8", function() torch.zeros(3)[{torch.tensor{7}, "None"}] = 1 end)
try("empty 10", function() return torch.zeros(3, 2)[{torch.tensor{7}, ":0"}] end)
try("empty 11", function() torch.zeros(3, 2)[{torch.tensor{7}, ":0"}] = torch.tensor(1.) end)
for _, d in ipairs{"dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout"} do for n = 0, 5 do
  try(d .. n, function() local t = torch.ones(({{}, {2}, {2, 3}, {2, 3, 2}, {2, 3, 2, 2}, {2, 3, 2, 2, 2}})[n + 1], {requires_grad = true}); local y = F[d](t, {inplace = false}); return fn(y), y.shape end)
  try(d .. " eval" .. n, function() local t = torch.ones(({{}, {2}, {2, 3}, {2, 3, 2}, {2, 3, 2, 2}, {2, 3, 2, 2, 2}})[n + 1], {requires_grad = true}); local y = F[d](t, 0.5, false); return fn(y), y.shape end)
end end
local s0 = torch.tensor(1.)
for _, q in ipairs{"stride(0)", "stride(-1)", "stride(4)", "size(0)", "size(4)", "roll(1, 0)", "flip(0)", "unfold(0, 1, 1)", "diag_embed()", "baddbmm(torch.ones(1,1,1), torch.ones(1,1,1))", "narrow(0, 0, 1)", "select(0, 0)", "split(1)", "chunk(2)", "unbind()", "squeeze(0)", "squeeze(3)", "transpose(0, 0)", "sum(3)", "movedim(0, 0)", "index_select(0, torch.tensor{0})", "diagonal()", "diagonal(0, 0, -1)", "tril()", "t()", "adjoint()", "rot90()", "cumsum(0)", "softmax(0)", "sort(0)", "unsqueeze(2)", "tensor_split(2)", "expand(2)", "addmm(torch.ones(2,2), torch.ones(3,3))", "logical_and_(s0)"} do
  try("0dim " .. q, function() return load("local torch, t, s0 = ... return t:" .. q)(torch, s0:clone(), s0) end)
end
local m = torch.ones(2, 2)
for _, q in ipairs{"diagonal(0, -1, 1)", "diagonal(0, 0, 0)", "diag_embed(0, 1, -2)", "diag_embed(0, -1, -1)", "diag_embed{dim1 = -1}", "addmm_(torch.ones(2,3), torch.ones(3,3))", "baddbmm_(torch.ones(1,2,3), torch.ones(1,3,2))", "addbmm_(torch.ones(1,2,3), torch.ones(1,3,3))", "addmv_(torch.ones(2,3), torch.ones(3))", "cumsum_(0, {dtype = torch.float64})", "cumprod_(0, {dtype = torch.int32})", "cumsum_(5)", "int():add_(1.5)", "int():mul_(torch.tensor(1.5))", "int():div_(2)", "int():pow_(1.5)", "int():cumsum_(0, {dtype = torch.float32})", "int():fmod_(1.5)", "bool():add_(2)", "int():lerp_(m, 0.5)", "index_copy(0, torch.tensor({0}, {dtype = torch.int32}), torch.ones(1, 2))", "index_add(0, torch.tensor({0}, {dtype = torch.int32}), torch.ones(1, 2))", "index_add_(0, torch.tensor{-1}, torch.ones(1, 2))", "index_fill(0, torch.tensor({0}, {dtype = torch.int32}), 1)", "broadcast_to(3, 2, 2)", "expand_as(5)", "inner(torch.ones(0, 2))", "argwhere():stride(0)"} do
  try("m " .. q, function() return load("local torch, t, m = ... return t:" .. q)(torch, m:clone(), m) end)
end
try("linear", function() return F.linear(torch.ones(3, {dtype = torch.float64}), torch.ones(2, 2)) end)
try("linear", function() return F.linear(torch.ones(2, 3, {dtype = torch.float64}), torch.ones(2, 2), torch.ones(2)) end)
try("linear", function() return F.linear(torch.ones(4, 2, 3, {dtype = torch.float64}), torch.ones(2, 2), torch.ones(2)) end)
try("linear", function() return F.linear(torch.ones(3, {dtype = torch.float64}), torch.ones(2, 2), torch.ones(2)) end)
try("linear", function() return F.linear(torch.ones(2, {dtype = torch.float64}), torch.ones(2, 2), torch.ones(2)) end)
try("mm", function() return torch.mm(torch.ones(2, 3, {dtype = torch.float64}), torch.ones(2, 2)) end)
try("matmul", function() return torch.matmul(torch.ones(2, 3, {dtype = torch.float64}), torch.ones(2, 2)) end)
try("matmul mv", function() return torch.matmul(torch.ones(2, 3, {dtype = torch.float64}), torch.ones(2)) end)
try("bmm", function() return torch.bmm(torch.ones(1, 2, 3, {dtype = torch.float64}), torch.ones(1, 2, 2)) end)
try("addmm", function() return torch.addmm(torch.ones(2), torch.ones(2, 3, {dtype = torch.float64}), torch.ones(2, 2)) end)
try("addmm bias", function() return torch.addmm(torch.ones(2, {dtype = torch.float64}), torch.ones(2, 3), torch.ones(2, 2)) end)
try("arange", function() return torch.arange(0, 3, 0, {dtype = torch.bool}) end)
try("arange", function() return torch.arange(5, 0, 1, {dtype = torch.bool}) end)
try("arange", function() return torch.arange(0, 1e30, 1, {dtype = torch.bool}) end)
