-- distributed/algorithms/join.lua: torch.distributed.algorithms.join: uneven inputs for several objects that run collectives in each pass:
--   join.Join({ddp, optimizer}, function() for input in inputs do ... end end)
local torch = ...
local support = torch._part "support"
local part = torch._part "distributed.join"
local fail = support.fail

local MODULE = "torch.distributed.algorithms.join"

--- What a rank that has ended does in each pass of the others (main_hook), and once all have ended (post_hook(is_last_joiner)).
local JoinHook = support.class("JoinHook", nil, MODULE)
function JoinHook:main_hook() end
function JoinHook:post_hook(is_last_joiner) end   -- luacheck: ignore

--- A class whose objects take part: it defines join_hook(options), join_device() and join_process_group(), and calls
-- Join.notify_join_context(self) before the collectives of a pass.
local Joinable = support.class("Joinable", nil, MODULE)
function Joinable:join_hook() return fail("NotImplementedError", "A Joinable defines join_hook(options)") end
function Joinable:join_device() return fail("NotImplementedError", "A Joinable defines join_device()") end
function Joinable:join_process_group() return fail("NotImplementedError", "A Joinable defines join_process_group()") end

--- Join(joinables, enable = true, throw_on_early_termination = false, ...[, block]): a block in which ranks may have different numbers of
-- inputs. Other options go to the join_hook of each joinable.
local Join = {notify_join_context = function(joinable) return (part.notify(joinable)) end}

local function start(_, joinables, ...)
  local given, options = table.pack(...), {}
  local block = type(given[given.n]) == "function" and table.remove(given, given.n) or nil
  for _, value in ipairs(given) do
    if support.is_plain(value) then options = value end
  end
  if type(given[1]) == "boolean" then options = {enable = given[1], throw_on_early_termination = given[2] == true} end
  return part.block(joinables, options, block)
end

local join = {JoinHook = JoinHook, Joinable = Joinable, Join = setmetatable(Join, {__call = start})}
return torch._namespace(join, MODULE)
