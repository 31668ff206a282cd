-- The old names of types convert, too.
local torch = require "torch"
local x = torch.tensor{1.5, -2.0}
print(x:type(torch.LongTensor), x:type(torch.BoolTensor), x:type(torch.FloatTensor).dtype)
print(x:type "torch.DoubleTensor")
print(torch.LongTensor.dtype)
