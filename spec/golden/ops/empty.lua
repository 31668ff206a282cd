-- Operators on tensors without elements.
local torch = require "torch"
local e = torch.zeros(0, 3)
print(e + 1, e * e, e:sum(), e:sum(0), e:sum(1), e:mean(0), e.T.shape)
print(e:reshape(3, 0).shape, torch.cat{e, torch.ones(1, 3)}, e:relu().shape, e:matmul(torch.ones(3, 2)).shape)
print(e:prod(), e:any(), e:all(), torch.arange(0):sum(), e:numel(), #e, e:flatten())
