-- init.lua: runs when torch is loaded, and stays small: everything else is a part of its own, whose file path
-- is its name (torch/utils/data/init.lua), loaded when that name is first read.
local torch = ...

function torch._define(signature) return torch._part "define"(signature) end
function torch._doctor() return torch._part "doctor" end

-- --- names that are short to say in Lua ---------------------------------------------------------------

function torch.get_rng_state() return torch.default_generator:get_state() end
function torch.set_rng_state(state) torch.default_generator:set_state(state) end
function torch.seed()
  local seed = torch.default_generator:seed()
  torch._seed_devices(seed)
  return seed
end
function torch.from_numpy(array) return torch.numpy.to_tensor(array) end
torch.strided = setmetatable({}, {__tostring = function() return "torch.strided" end})
function torch.Tensor.numpy(tensor, ...)
  if type((...)) == "number" then torch._raise("TypeError", "numpy() takes 0 positional arguments but 1 was given") end
  return torch.numpy.of_tensor(tensor, ...)
end

-- torch.unique(x, {sorted, return_inverse, return_counts, dim}): as many results as were asked for.
function torch.unique(x, options)
  if type(x) == "table" and not torch.is_tensor(x) then x, options = x[1] or x.input, x end
  options = options or {}
  local values, inverse, counts = torch._unique2(x, true, options.return_inverse or false,
    options.return_counts or false)
  if options.return_inverse and options.return_counts then return values, inverse, counts end
  if options.return_inverse then return values, inverse end
  if options.return_counts then return values, counts end
  return values
end
torch.Tensor.unique = torch.unique

-- torch.Tensor(2, 3): uninitialized float32 of these sizes; torch.Tensor{1, 2}: these numbers as float32. The other
-- old constructors, torch.LongTensor and its like, do the same in their dtypes.
local function constructor(dtype)
  return function(_, first, ...)
    if type(first) == "number" then return torch.empty({first, ...}, {dtype = dtype}) end
    if first == nil then return torch.empty({0}, {dtype = dtype}) end
    return torch.tensor(first, {dtype = dtype})
  end
end
setmetatable(torch.Tensor, {__call = constructor(torch.float32)})
for name, dtype in pairs{FloatTensor = torch.float32, DoubleTensor = torch.float64, LongTensor = torch.int64, IntTensor = torch.int32,
    ShortTensor = torch.int16, CharTensor = torch.int8, ByteTensor = torch.uint8, BoolTensor = torch.bool, HalfTensor = torch.float16} do
  torch[name] = setmetatable({}, {__call = constructor(dtype), __tostring = function() return "<class 'torch." .. name .. "'>" end})
end
