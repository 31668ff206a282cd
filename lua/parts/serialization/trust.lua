-- serialization/trust.lua: the classes that a file may name although torch.load does not define them, by their Python names.
local torch = ...
local support = torch._part "support"

local trust = {public = {}}
local safe = {}   -- names in the order in which they were added

local function check_names(names)
  if not support.is_plain(names) then
    torch._raise("TypeError", "safe_globals must be a list of names, not " .. torch._python_type(names), 'add_safe_globals{"argparse.Namespace"}')
  end
  for _, name in ipairs(names) do
    if type(name) ~= "string" or not name:find "." then
      torch._raise("TypeError", "safe_globals must be a list of names, but one is " .. torch._python_type(name),
        'a class of Python is named by a string here: add_safe_globals{"argparse.Namespace"}')
    end
  end
  return names
end

local function with(names)
  local list, seen = {}, {}
  for _, part in ipairs{safe, names} do
    for _, name in ipairs(part) do
      if not seen[name] then list[#list + 1], seen[name] = name, true end
    end
  end
  return list
end

--- Returns the names that files may use now.
function trust.names() return safe end

--- add_safe_globals{"argparse.Namespace"} makes torch.load read objects of these classes as tables, also with weights_only =
-- true.
function trust.public.add_safe_globals(names) safe = with(check_names(names)) end
function trust.public.get_safe_globals() return table.move(safe, 1, #safe, 1, {}) end
function trust.public.clear_safe_globals() safe = {} end

--- safe_globals{"argparse.Namespace"} does the same for a block.
function trust.public.safe_globals(names, f)
  local before = safe
  safe = with(check_names(names))
  return support.guarded(function() safe = before end, f)
end

return trust
