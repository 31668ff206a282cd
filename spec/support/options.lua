-- options.lua: finds options that a function accepts and never reads. There are three kinds of lists of parameters and three walks,
-- each of which returns "FUNCTION.PARAMETER" for the unread ones:
--
--   options.of_lua()        torch._define "name(a, b=1)": the parameter is neither a field (a.b) nor a name anywhere in its file
--   options.of_functions()  bindings/functions.lua: args[i] does not occur in the C function
--   options.of_operators()  runtime/ops: the C function of an operator says (void)parameter
--
-- options_spec.lua compares them with the options that are known to be without effect (without_effect.lua).
package.path = "runtime/list/?.lua;" .. package.path
local programs = require "programs"
local options = {}

local function files(folder, pattern)
  local out = {}
  for path in programs.output(("find %s -name '%s' | sort"):format(folder, pattern)):gmatch "[^\n]+" do out[#out + 1] = path end
  return out
end

-- --- written in Lua ----------------------------------------------------------------------------------------------------

-- Returns the text of a file, with strings that continue over lines joined, and without comments, which may mention anything.
local function source(path)
  local text = programs.read(path):gsub("%-%-[^\n]*", ""):gsub('"%s*%.%.%s*"', "")
  return text
end

local function is_read(text, signature, name)
  local at = text:find(signature, 1, true)
  local rest = text:sub(1, at - 1) .. text:sub(at + #signature)
  if rest:find("[.\"']" .. name .. "%f[^%w_]") then return true end
  local uses = select(2, rest:gsub("%f[%w_]" .. name .. "%f[^%w_]", ""))
  return uses > 1   -- once is the parameter of the function that takes them in order
end

function options.of_lua()
  local out = {}
  for _, path in ipairs(files("lua", "*.lua")) do
    local text = source(path)
    for signature in text:gmatch '_define%s*%(?%s*"([^"]*)"' do
      local name, list = signature:match "^([%w_.]+)%((.*)%)$"
      for item in (list or ""):gmatch "[^,]+" do
        local parameter = item:gsub("=.*", ""):gsub("%?", ""):match "([%w_]+)%s*$"
        if parameter and not is_read(text, signature, parameter) then out[name .. "." .. parameter] = path end
      end
    end
  end
  return out
end

-- --- written in C -------------------------------------------------------------------------------------------------------

-- Returns name -> body of each function of these files whose name begins with a prefix.
local function bodies(folder, prefix)
  local out = {}
  for _, path in ipairs(files(folder, "*.c")) do
    for name, body in programs.read(path):gmatch("\n[%w_ %*]-%*?(" .. prefix .. "[%w_]+)%b()%s*(%b{})") do out[name] = body end
  end
  return out
end

function options.of_functions()
  local out, found = {}, bodies("bindings", "torch_")
  for _, f in ipairs(require "write_functions".load "bindings/functions.lua") do
    local body = found[f.c]
    local all = body and (body:find "[^&%w_]args[,);]" or body:find "args%[[%a]" or body:find "args %+") ~= nil   -- in a loop, or elsewhere
    for i, p in ipairs(body and not all and f.parameters or {}) do
      if not (p.taken or p.name == "self") and not body:find(("args[%d]"):format(i - 1), 1, true) then out[f.name .. "." .. p.name] = f.c end
    end
  end
  return out
end

function options.of_operators()
  local out = {}
  for name, body in pairs(bodies("runtime/ops", "tocha_op_")) do
    for parameter in body:gmatch "%(void%)([%w_]+)" do
      if parameter ~= "cx" and parameter ~= "op" then out[name:gsub("^tocha_op_", "") .. "." .. parameter] = name end
    end
  end
  return out
end

return options
