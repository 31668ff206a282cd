-- serialization/resume.lua: resumes training as if it had never stopped: torch.serialization.save_checkpoint, load_checkpoint,
-- resumable (docs/files.md).
local torch = ...
local support = torch._part "support"
local serialization = torch._part "serialization.files"
local fail = support.fail

local resume = {}

-- --- the position of a loader ------------------------------------------------------------------------------

local Resumable = support.class("resumable", nil, "torch.serialization")

function Resumable:init(loader)
  if type(loader) ~= "table" or not (loader.start and loader.load_state_dict) then fail("TypeError", "resumable takes a DataLoader") end
  self.loader, self.batches = loader, 0
end

function Resumable:__len() return #self.loader end

-- Returns the state of the generator that orders the samples: the loader's own, or the default one.
local function order_of(self)
  return (self.loader.generator or torch.default_generator):get_state()
end

function Resumable.start(self)
  if self.batches > 0 and self.first then   -- continues the interrupted pass at its next batch; earlier ones are not fetched
    self.loader:load_state_dict{batches = self.batches, generator = self.first}
  else
    self.first, self.batches = order_of(self), 0
  end
  local step, close = self.loader:start()
  local function count(first, ...)
    self.batches = first ~= nil and self.batches + 1 or 0
    return first, ...
  end
  return function() return count(step()) end, close
end

--- Returns the generator's state at the beginning of the pass, and how many batches of it were given.
function Resumable:state_dict() return {first = self.first, batches = self.batches} end
function Resumable:load_state_dict(state) self.first, self.batches = state.first, state.batches end

resume.resumable = Resumable

-- --- everything at once ------------------------------------------------------------------------------------

local function has(object, method)
  local kind = type(object)
  return (kind == "userdata" or kind == "table") and not torch.is_tensor(object)
    and (kind == "userdata" or getmetatable(object) ~= nil) and type(object[method]) == "function"
end

local function is_generator(object) return torch._python_type(object) == "torch.Generator" end

local function state_of(object)
  if is_generator(object) then return object:get_state() end
  if has(object, "state_dict") then return object:state_dict() end
  return object
end

local function random_states()
  local states = {cpu = torch.get_rng_state()}
  if torch.cuda.is_available() then states.cuda = torch.cuda.get_rng_state_all() end
  return states
end

--- save_checkpoint(path, {model = model, optimizer = optimizer, epoch = 3, ...}) saves the states of all objects, other values as
-- they are, and the states of the default generators.
function resume.save_checkpoint(path, objects)
  local states = {generators = random_states()}
  if objects.generators ~= nil then fail("ValueError", "'generators' is a name of save_checkpoint's own") end
  for name, object in pairs(objects) do states[name] = state_of(object) end
  serialization.save(states, path)
end

local function restore(name, object, state)
  if state == nil then fail("KeyError", "the checkpoint holds no '%s'", tostring(name)) end
  if is_generator(object) then
    object:set_state(state)
  elseif has(object, "load_state_dict") then
    object:load_state_dict(state)
  end
end

--- load_checkpoint(path, {model = model, ...}) restores the states of the objects and of the default generators. Returns all
-- values in the file: local epoch = load_checkpoint(path, {...}).epoch
function resume.load_checkpoint(path, objects)
  local states = serialization.load(path, {map_location = "cpu"})
  for name, object in pairs(objects) do restore(name, object, states[name]) end
  local random = states.generators
  if random then
    torch.set_rng_state(random.cpu)
    if random.cuda and torch.cuda.is_available() then torch.cuda.set_rng_state_all(random.cuda) end
  end
  return states
end

return resume
