-- cpu only: draws in the order of memory
-- Dropout of every kind within modules.
local torch = require "torch"
local nn, F = torch.nn, torch.nn.functional
torch.manual_seed(10)
local x = torch.ones(2, 3, 4)
print(nn.Dropout(0.3)(x)) print(nn.Dropout1d(0.5)(x)) print(nn.AlphaDropout(0.3)(x)) print(nn.Dropout2d(0.5)(torch.ones(2, 3, 2, 2)))
print(F.dropout(x, {p = 0.5, training = true})) print(F.dropout(x:double(), 0.1))
local y = torch.ones(5, {requires_grad = true})
local z = nn.Dropout(0.4)(y) print(z) z:sum():backward() print(y.grad)
local w = torch.ones(6) F.dropout(w, {p = 0.5, inplace = true}) print(w)
print(nn.Dropout{p = 0.2, inplace = true}, nn.Dropout())
print(F.dropout(torch.ones(40), 0.75)) 
print(torch.rand(1))
