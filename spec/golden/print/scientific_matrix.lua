-- Scientific notation in a matrix.
local torch = require "torch"
print(torch.tensor{{1e-6, 1.0}, {-2.5, 1e3}})
print(torch.tensor{{1e10, 1.5}, {2.5, 3.5}})
print(torch.tensor{{1234567.0, 0.25}, {-1234567.0, 0.75}})
print(torch.tensor{{0.00001, 0.00002}, {0.00003, 0.00004}})
