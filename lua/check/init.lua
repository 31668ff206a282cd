-- check/init.lua: tocha --check script.lua, which finds the usual mistakes of beginners without running the script.
local torch = ...
local check = {}

-- Returns the line and the column of an offset.
local function place(text, at)
  at = math.min(at, #text + 1)
  local before = text:sub(1, at - 1)
  local _, ends = before:gsub("\n", "")
  return ends + 1, #before:match "[^\n]*$" + 1
end

-- Returns Lua's own message on a script with a syntax error, as a finding.
local function finding_of_syntax(text, name, offset)
  local _, message = load(text, "@" .. name, "t")
  if not message then return nil end
  local hint = torch._part "hints".hint(message, text)
  local line, words = message:match ":(%d+): (.*)$"
  local at, number = 1, 1
  while number < (tonumber(line) or 1) do at, number = (text:find("\n", at, true) or #text) + 1, number + 1 end
  local near = words and words:match "near '(.*)'$"
  local column = near and text:find(near, at, true)
  return {at = offset ~= math.huge and offset or column or at, message = words or message, write = hint}
end

--- Returns the findings in a text, in order: {line, column, message, write}.
function check.text(text, name)
  text = text:gsub("^#[^\n]*", function(line) return (" "):rep(#line) end)
  local tree = torch._part "check.parser"(text)
  local findings = tree.findings
  if tree.syntax then
    findings[#findings + 1] = finding_of_syntax(text, name, tree.syntax)
  else
    local found
    torch.set_default_device("meta", function() found = torch._part "check.rules"(tree) end)
    table.move(found, 1, #found, #findings + 1, findings)
  end
  table.sort(findings, function(a, b)
    if a.at ~= b.at then return a.at < b.at end
    return a.message < b.message
  end)
  for _, finding in ipairs(findings) do finding.line, finding.column = place(text, finding.at) end
  return findings
end

--- Prints the findings in scripts. Returns true if there are none. Raises if a script cannot be read.
function check.files(names)
  local fine = true
  warn "@off"   -- calls on samples may warn
  for _, name in ipairs(names) do
    local file, message = io.open(name, "rb")
    if not file then error(message, 0) end
    local text, reason = file:read "a"
    file:close()
    if not text then error(name .. ": " .. reason, 0) end
    for _, f in ipairs(check.text(text, name)) do
      fine = false
      print(("%s:%d:%d: %s"):format(name, f.line, f.column, f.message))
      if f.write then print("    write: " .. f.write) end
    end
  end
  return fine
end

return check
