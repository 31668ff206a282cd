-- cuda/random.lua: torch.cuda's generators: one a GPU, with PyTorch's numbers for a seed.
local torch = ...
local define = torch._define
local random = {}

local function count() return torch._cuda.device_count() end

-- Returns the generator of the GPU that an argument names: a number, "cuda:1", a device; nil or "cuda": the current one.
local function generator_of(device)
  if type(device) == "string" then device = torch.device(device) end
  if type(device) ~= "number" then device = device and device.index end
  return torch._cuda_generator(device)
end

--- Seeds the generator of the current GPU. Without a GPU it does nothing.
random.manual_seed = define("manual_seed(seed)", function(seed)
  if count() > 0 then generator_of():manual_seed(seed) end
end)

--- Seeds the generators of all GPUs.
random.manual_seed_all = define("manual_seed_all(seed)", torch._seed_devices)

--- Seeds the current GPU's generator with a random seed of the system.
function random.seed()
  if count() > 0 then generator_of():seed() end
end

--- Seeds all GPUs with the same random seed.
function random.seed_all()
  if count() == 0 then return end
  torch._seed_devices(torch._cuda_generator(0):seed())
end

function random.initial_seed() return generator_of():initial_seed() end

--- Returns the seed and offset of a GPU's generator: 16 bytes, on the CPU.
random.get_rng_state = define("get_rng_state(device?)", function(device) return generator_of(device):get_state() end)
random.set_rng_state = define("set_rng_state(new_state, device?)", function(new_state, device)
  generator_of(device):set_state(new_state)
end)

--- Returns a table of the states of all GPUs.
function random.get_rng_state_all()
  local states = {}
  for i = 1, count() do states[i] = torch._cuda_generator(i - 1):get_state() end
  return states
end

function random.set_rng_state_all(states)
  for i, state in ipairs(states) do torch._cuda_generator(i - 1):set_state(state) end
end

--- The generators by GPU, from 0.
random.default_generators = setmetatable({}, {
  __index = function(_, index)
    if math.type(index) == "integer" and index >= 0 and index < count() then return torch._cuda_generator(index) end
  end,
  __len = count,
})

return random
