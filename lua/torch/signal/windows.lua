-- signal/windows.lua: torch.signal.windows: M weights that decrease towards both ends. They consist of operators.
local torch = ...
local windows, readers = {}, {}

local function refuse(kind, text, ...) torch._raise(kind, text:format(...)) end

-- Defines windows.NAME(M, *, ...). `own` lists the window's own parameters; values(a, like) returns the weights for M > 1,
-- `like` being the options for tensors of the window's dtype and device. checked(a) makes further checks of PyTorch; says: the
-- name in messages.
local function window(name, own, values, checked, says)
  windows[name] = function(...)
    local text = "(int M, *, " .. own .. "bool sym=true, dtype? dtype, layout?, device? device, bool requires_grad=false)"
    readers[name] = readers[name] or torch._define(name .. text)
    local a = readers[name](...)
    a.dtype = a.dtype or torch.get_default_dtype()
    if a.M < 0 then refuse("ValueError", "%s requires non-negative window length, got M=%s", says or name, a.M) end
    if a.layout and a.layout ~= torch.strided then
      refuse("ValueError", "%s is implemented for strided tensors only, got: %s", says or name, a.layout)
    end
    if a.dtype ~= torch.float32 and a.dtype ~= torch.float64 then
      refuse("ValueError", "%s expects float32 or float64 dtypes, got: %s", says or name, a.dtype)
    end
    if checked then checked(a) end
    local like = {dtype = a.dtype, device = a.device, requires_grad = a.requires_grad}
    if a.M == 0 then return torch.empty({0}, like) end
    if a.M == 1 and not a.tau then return torch.ones({1}, like) end
    return values(a, like)
  end
end

-- Returns the number of steps between the ends. The last weight of a periodic window would equal the first one and is omitted.
local function steps(a) return a.sym and a.M - 1 or a.M end

-- Returns M positions a step apart; the first is `first` steps from 0.
local function line(a, first, step, like) return torch.linspace(first * step, (first + a.M - 1) * step, a.M, like) end

local function cosines(a, like)
  local k = line(a, 0, 2 * math.pi / steps(a), like)
  local weights = {}
  for i, w in ipairs(a.a) do weights[i] = i % 2 == 1 and w or -w end
  local factors = torch.tensor(weights, like)
  local i = torch.arange(#weights, like)
  return (factors:unsqueeze(-1) * torch.cos(i:unsqueeze(-1) * k)):sum(0)
end

local function sum_of_cosines(weights)
  return function(a, like)
    a.a = weights or {a.alpha, 1 - a.alpha}
    return cosines(a, like)
  end
end

window("general_cosine", "a?, ", cosines, function(a)
  if type(a.a) ~= "table" or torch.is_tensor(a.a) then refuse("TypeError", "Coefficients must be a list/tuple") end
  if #a.a == 0 then refuse("ValueError", "Coefficients cannot be empty") end
end)
window("general_hamming", "float alpha=0.54, ", sum_of_cosines(), nil, "general_cosine")
window("hamming", "", sum_of_cosines {0.54, 0.46}, nil, "general_cosine")
window("hann", "", sum_of_cosines {0.5, 0.5}, nil, "general_cosine")
window("blackman", "", sum_of_cosines {0.42, 0.5, 0.08})
window("nuttall", "", sum_of_cosines {0.3635819, 0.4891775, 0.1365995, 0.0106411}, nil, "general_cosine")

window("bartlett", "", function(a, like) return 1 - torch.abs(torch.linspace(-1, -1 + (a.M - 1) * (2 / steps(a)), a.M, like)) end)

window("cosine", "", function(a, like)
  local step = math.pi / (a.sym and a.M or a.M + 1)
  return torch.sin(line(a, 0.5, step, like))
end)

window("exponential", "float? center, float tau=1.0, ", function(a, like)
  local step = 1 / a.tau
  return torch.exp(-torch.abs(line(a, -(a.center or (a.M > 1 and steps(a) or 0) / 2), step, like)))
end, function(a)
  if a.tau <= 0 then refuse("ValueError", "Tau must be positive, got: %s instead.", a.tau) end
  if a.sym and a.center then refuse("ValueError", "Center must be None for symmetric windows") end
end)

window("gaussian", "float std=1.0, ", function(a, like)
  local step = 1 / (a.std * math.sqrt(2))
  local k = line(a, -steps(a) / 2, step, like)
  return torch.exp(-k ^ 2)
end, function(a)
  if a.std <= 0 then refuse("ValueError", "Standard deviation must be positive, got: %s instead.", a.std) end
end)

window("kaiser", "float beta=12.0, ", function(a, like)
  local beta = torch.tensor(a.beta, {dtype = a.dtype, device = a.device})
  local last = torch.minimum(beta, -a.beta + (a.M - 1) * (2 * beta / steps(a)))
  local k = torch.linspace(-a.beta, last, a.M, like)
  return torch.i0(torch.sqrt(beta * beta - k ^ 2)) / torch.i0(beta)
end, function(a)
  if a.beta < 0 then refuse("ValueError", "beta must be non-negative, got: %s instead.", a.beta) end
end)

return torch._namespace(windows, "torch.signal.windows")
