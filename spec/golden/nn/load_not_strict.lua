-- Loading what fits.
local torch = require "torch"
local nn = torch.nn
torch.manual_seed(3)
local small, large = nn.Sequential(nn.Linear(2, 2)), nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
local result = large:load_state_dict(small:state_dict(), {strict = false})
print(result)
print(#result.missing_keys, result.missing_keys[1], result.missing_keys[2], #result.unexpected_keys)
print(small:load_state_dict(large:state_dict(), {strict = false}))
print(torch.equal(small[0].weight, large[0].weight))
local sd = small:state_dict()
sd["0.weight"] = torch.zeros(2, 2)
print(small:load_state_dict(sd))
print(small[0].weight)
