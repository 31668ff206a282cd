-- result_type, can_cast and promote_types.
local torch = require "torch"
local x = torch.ones(2, {dtype = torch.int32})
print(torch.result_type(x, 1.0), torch.result_type(x, 1), torch.result_type(x, torch.tensor(1.0)), torch.result_type(1, 2.5))
print(torch.result_type(x, torch.ones(1, {dtype = torch.uint8})), torch.result_type(torch.tensor(true), x))
print(torch.can_cast(torch.float64, torch.int32), torch.can_cast(torch.int32, torch.float32), torch.can_cast(torch.int64, torch.bool))
print(torch.can_cast(torch.float64, torch.float16), torch.can_cast(torch.bool, torch.uint8))
print(torch.promote_types(torch.int32, torch.float16), torch.promote_types(torch.uint8, torch.int8), torch.promote_types(torch.float16, torch.bfloat16))
print(torch.is_floating_point(x), torch.is_floating_point(torch.ones(1)), x:is_signed(), torch.ones(1, {dtype = torch.uint8}):is_signed())
