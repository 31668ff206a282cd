-- Small questions about tensors.
local torch = require "torch"
local x = torch.arange(6):reshape(2, 3)
print(x:numel(), torch.numel(x), x:nelement(), x:dim(), x:ndimension(), x:element_size(), x:size(), x:size(0), x:size{dim = 1})
print(torch.is_tensor(x), torch.is_tensor(3), x:is_floating_point(), x:is_contiguous(), x:is_complex(), x:is_same_size(x))
print(x:tolist()[2][3], x:flatten():tolist()[6], #x, torch.is_nonzero(torch.tensor(3)))
print(torch.tensor(5):item() + 1, torch.tensor{2.5}:item() * 2)
print(x:cpu() == nil, x:equal(x), x:type())
