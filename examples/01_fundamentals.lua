-- PyTorch's fundamentals, told in Lua: making tensors, their attributes, arithmetic, shapes,
-- subscripts, arrays, seeds, devices. PyTorch prints the same for the same steps.
local torch = require "torch"

-- Scalars, vectors, matrices, tensors -----------------------------------------
local scalar = torch.tensor(7)
print(scalar)
print(scalar.ndim)
print(scalar:item())

local vector = torch.tensor{7, 7}
print(vector)
print(vector.ndim)
print(vector.shape)

local MATRIX = torch.tensor{{7, 8},
                            {9, 10}}
print(MATRIX)
print(MATRIX.ndim)
print(MATRIX[1])
print(MATRIX.shape)

local TENSOR = torch.tensor{{{1, 2, 3},
                             {3, 6, 9},
                             {2, 4, 5}}}
print(TENSOR)
print(TENSOR.ndim)
print(TENSOR.shape)
print(TENSOR[0])

-- Random tensors: the same seed gives the numbers that PyTorch gives ----------
torch.manual_seed(42)
local random_tensor = torch.rand(3, 4)
print(random_tensor)
local random_img_size_tensor = torch.rand{size = {224, 224, 3}}
print(random_img_size_tensor.shape, random_img_size_tensor.ndim)

-- Zeros and ones ---------------------------------------------------------------
local zeros = torch.zeros{size = {3, 4}}
print(zeros)
print(zeros * random_tensor)
local ones = torch.ones{size = {3, 4}}
print(ones)
print(ones.dtype)

-- Ranges and tensors-like (`end` is a Lua keyword: say stop, or ["end"]) -------
local one_to_ten = torch.arange{start = 1, stop = 11, step = 1}
print(one_to_ten)
print(torch.arange{start = 1, ["end"] = 11, step = 1})
print(torch.arange(1, 11))
print(torch.zeros_like{input = one_to_ten})

-- Datatypes --------------------------------------------------------------------
local float_32_tensor = torch.tensor({3.0, 6.0, 9.0},
                                     {dtype = nil, device = nil, requires_grad = false})
print(float_32_tensor)
print(float_32_tensor.dtype)
local float_16_tensor = float_32_tensor:type(torch.float16)
print(float_16_tensor)
print(float_16_tensor * float_32_tensor)
local int_32_tensor = torch.tensor{{3, 6, 9}, dtype = torch.int32}
print(int_32_tensor)
print(float_32_tensor * int_32_tensor)

-- Attributes -------------------------------------------------------------------
torch.manual_seed(0)
local some_tensor = torch.rand(3, 4)
print(some_tensor:size(), some_tensor.shape)
print(some_tensor)
print("Datatype of tensor: " .. some_tensor.dtype)
print("Shape of tensor: " .. some_tensor.shape)
print("Device tensor is on: " .. some_tensor.device)

-- Manipulating tensors ---------------------------------------------------------
local tensor = torch.tensor{1, 2, 3}
print(tensor + 10)
print(tensor * 10)
print(tensor)
print(tensor - 10)
print(torch.mul(tensor, 10))
print(torch.add(tensor, 10))

-- Matrix multiplication ----------------------------------------------------------
print(torch.matmul(torch.rand(8, 10), torch.rand(10, 8)).shape)
print(tostring(tensor) .. " * " .. tostring(tensor))
print("Equals: " .. tensor * tensor)
print(torch.matmul(tensor, tensor))
print(tensor:matmul(tensor))
local value = 0
for i = 0, #tensor - 1 do
  value = value + tensor[i] * tensor[i]
end
print(value)

-- Shape errors -------------------------------------------------------------------
local tensor_A = torch.tensor{{1, 2},
                              {3, 4},
                              {5, 6}}
local tensor_B = torch.tensor{{7, 10},
                              {8, 11},
                              {9, 12}}
local ok, err = pcall(torch.mm, tensor_A, tensor_B)
print(ok, (tostring(err):match("mat1 and mat2[^\n]*")))
print(tensor_B.T)
print(tensor_B.T.shape)
print("Original shapes: tensor_A = " .. tensor_A.shape .. ", tensor_B = " .. tensor_B.shape)
local output = torch.matmul(tensor_A, tensor_B.T)
print(output)
print("Output shape: " .. output.shape)

-- Aggregation --------------------------------------------------------------------
local x = torch.arange(1, 100, 10)
print(x, x.dtype)
print(torch.min(x), x:min())
print(torch.max(x), x:max())
ok, err = pcall(torch.mean, x)
print(ok, (tostring(err):match("mean%(%)[^\n]*")))
print(torch.mean(x:type(torch.float32)), x:type(torch.float32):mean())
print(torch.sum(x), x:sum())
print(x:argmin())
print(x[0])
print(x:argmax())
print(x[9])

-- Reshaping, viewing, stacking, squeezing -------------------------------------------
x = torch.arange(1., 10.)
print(x, x.shape)
local x_reshaped = x:reshape(1, 9)
print(x_reshaped, x_reshaped.shape)
local z = x:view(1, 9)
z[":, 0"] = 5
print(z)
print(x)
print(torch.stack({x, x, x, x}, {dim = 0}))
print(torch.stack{{x, x, x, x}, dim = 1})
print(torch.vstack{x, x, x, x})
print(torch.hstack{x, x})
print("Previous tensor: " .. x_reshaped)
print("Previous shape: " .. x_reshaped.shape)
local x_squeezed = x_reshaped:squeeze()
print("New tensor: " .. x_squeezed)
print("New shape: " .. x_squeezed.shape)
local x_unsqueezed = x_squeezed:unsqueeze{dim = 0}
print("New tensor: " .. x_unsqueezed)
print("New shape: " .. x_unsqueezed.shape)
local x_original = torch.rand{size = {224, 244, 3}}
local x_permuted = x_original:permute(2, 0, 1)
print("Previous shape: " .. x_original.shape)
print("New shape: " .. x_permuted.shape)
x_original[{0, 0, 0}] = 728218
print(x_original[{0, 0, 0}], x_permuted["0, 0, 0"])

-- Indexing: a subscript is a number, a table, or the text between the brackets -------
x = torch.arange(1, 10):reshape(1, 3, 3)
print(x)
print(x.shape)
print(x[0])
print(x[0][0])
print(x[0][1][1])
print(x[":, 0"])
print(x[":, :, 1"])
print(x[":, 1, 1"])
print(x["0, 0, :"])
print(x[{0, 0, ":"}])
print(x[{0, "1:", "::2"}])
print(x["..., -1"])
print(x[x:gt(4)])
print(x[0][2][2])
print(x[":, :, 2"])

-- NumPy: host arrays that share their memory with tensors ---------------------------
local np = require "torch.numpy"
local array = np.arange(1.0, 8.0)
local from_array = torch.from_numpy(array)
print(array)
print(from_array)
array = array + 1
print(array)
print(from_array)
array = torch.ones(7):numpy()
print(array.dtype)
local shared = torch.ones(7)
array = shared:numpy()
shared:add_(1)
print(array)
print(shared)

-- Reproducibility --------------------------------------------------------------------
torch.manual_seed(42)
local random_tensor_C = torch.rand(3, 4)
torch.manual_seed(42)
local random_tensor_D = torch.rand(3, 4)
print(random_tensor_C)
print(random_tensor_D)
print(random_tensor_C:eq(random_tensor_D))   -- Lua's == can only answer true or false
print(torch.equal(random_tensor_C, random_tensor_D))

-- Devices ------------------------------------------------------------------------------
local device = torch.cuda.is_available() and "cuda" or "cpu"
tensor = torch.tensor{1, 2, 3}
print(tensor, tensor.device)
local tensor_on_gpu = tensor:to(device)
local tensor_back_on_cpu = tensor_on_gpu:cpu():numpy()
print(tensor_back_on_cpu)
