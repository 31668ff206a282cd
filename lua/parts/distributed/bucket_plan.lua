-- distributed/bucket_plan.lua: the buckets of DistributedDataParallel travel with the module's state. Sums over three and more ranks depend on
-- the place in a bucket, and buckets follow the first backward pass: without its plan, a run that goes on from a checkpoint would
-- differ in the last bits from one that was never interrupted. The plan is a text in the state dict's _metadata, under the path of the
-- wrapped module; PyTorch, and a run with other ranks or parameters, pay no heed to it.
local plans = {}

local NAME = "ddp_buckets"   -- bindings/nn/state.c leaves it with a module that is loaded before it is wrapped, as module._ddp_buckets

-- Returns the beginning of a plan's text: the ranks and parameters for which it holds.
local function head(ddp, module)
  local ignored, parts = {}, {}
  for _, name in ipairs(ddp.parameters_to_ignore) do ignored[name] = true end
  for name, p in module:named_parameters() do
    if p.requires_grad and not ignored[name] then parts[#parts + 1] = ("%s %s"):format(p.dtype, table.concat(p.shape:tolist(), "x")) end
  end
  return ("%d ranks: %s: "):format(ddp.process_group.count, table.concat(parts, ", "))
end

-- Returns a plan, a list of lists of numbers, as a text; nil for nil.
local function written(ddp, module, plan)
  if not plan then return nil end
  local buckets = {}
  for i, members in ipairs(plan) do buckets[i] = table.concat(members, " ") end
  return head(ddp, module) .. table.concat(buckets, ", ")
end

-- Returns the plan of a text; nil if it is none, or for other ranks or parameters.
local function read(ddp, module, text)
  local start = head(ddp, module)
  if type(text) ~= "string" or text:sub(1, #start) ~= start then return nil end
  local plan = {}
  for bucket in text:sub(#start + 1):gmatch "[^,]+" do
    local members = {}
    for number in bucket:gmatch "%d+" do members[#members + 1] = math.tointeger(tonumber(number)) end
    plan[#plan + 1] = members
  end
  return plan
end

--- Returns the plan that the state of the DistributedDataParallel's module brought, and forgets it; nil if there is none that fits.
function plans.take(ddp)
  local text = ddp.module._ddp_buckets
  if text == nil then return nil end
  ddp.module._ddp_buckets = nil
  return read(ddp, ddp.module, text)
end

--- Saves the reducer's plan with the state of the module, and takes a plan from a state that is loaded. The module does not keep its wrapper.
function plans.follow(ddp, reducer)
  local weak = setmetatable({ddp = ddp, reducer = reducer}, {__mode = "v"})
  ddp.module:_register_state_dict_hook(function(module, _, _, facts)
    if weak.ddp and weak.reducer then facts[NAME] = written(weak.ddp, module, weak.reducer:find_plan()) end
  end)
  ddp.module:_register_load_state_dict_pre_hook(function(module, _, _, facts)
    if weak.ddp and weak.reducer then weak.reducer:take_plan(read(weak.ddp, module, facts[NAME])) end
  end, true)
end

return plans
