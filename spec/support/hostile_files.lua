-- hostile_files.lua: changes bytes as accidents and attackers do, and measures the memory that reading them takes.
local hostile_files = {}

--- The number of files of each format: TOCHA_HOSTILE=2000.
hostile_files.COUNT = tonumber(os.getenv "TOCHA_HOSTILE" or "") or 120

-- A generator of its own, so that the files are the same everywhere.
local seed
function hostile_files.seed(n) seed = n end
function hostile_files.random(n)
  seed = (seed * 6364136223846793005 + 1442695040888963407)
  return (seed >> 33) % n + 1
end
local random = hostile_files.random

local SPLICES = {
  "\xff\xff\xff\xff", "\xff\xff\xff\x7f", "\0\0\0\0", "\xff\xff\xff\xff\xff\xff\xff\xff", "\0\0\0\0\0\0\0\x80", "\x8a\xff", "\x8b\xff\xff\xff\x7f",
  "(", "t", "R", "Q", "b", "s", "u", "a", "e", "0", "1", "2", "h\0", "q\xff", "r\xff\xff\xff\x7f", "j\0\1\0\0", "\x94", "\x93",
  "\x81", "]", "}", ")",
  "N", "K\xff", "J\xff\xff\xff\xff", "\x85", "\x86", "\x87", "\x90", "X\xff\xff\xff\x7f", "\x8d\xff\xff\xff\xff\xff\xff\xff\x7f", ".", "PK\1\2", "PK\5\6",
  "ctorch\nSize\n", "ccollections\nOrderedDict\n", "ctorch._utils\n_rebuild_tensor_v2\n", "c__builtin__\neval\n", "-1", "[", "{", '"',
  "1e9", "99999999999999999999",
}

local changes = {
  function(s) local i = random(#s) return s:sub(1, i - 1) .. string.char(random(256) - 1) .. s:sub(i + 1) end,
  function(s) local i = random(#s) return s:sub(1, i - 1) .. string.char(s:byte(i) ~ 1 << random(8) - 1) .. s:sub(i + 1) end,
  function(s) return s:sub(1, random(#s)) end,
  function(s) local i = random(#s) return s:sub(1, i - 1) .. s:sub(i + random(64)) end,
  function(s) local i, j = random(#s), random(#s) return s:sub(1, i) .. s:sub(j, j + random(64)) .. s:sub(i + 1) end,
  function(s) local i, x = random(#s), SPLICES[random(#SPLICES)] return s:sub(1, i) .. x .. s:sub(i + #x + 1) end,
  function(s) local i, x = random(#s), SPLICES[random(#SPLICES)] return s:sub(1, i) .. x .. s:sub(i + 1) end,
}

--- Returns bytes with one to three changes.
function hostile_files.change(bytes)
  for _ = 1, random(3) do
    if #bytes > 0 then bytes = changes[random(#changes)](bytes) end
  end
  return bytes
end

--- Returns the peak memory of the process in bytes since the last call, or nil if the system does not report it.
function hostile_files.peak_memory()
  local file = io.open "/proc/self/status"
  local kib = file and file:read "a":match "VmHWM:%s*(%d+)"
  if file then file:close() end
  local clear = io.open("/proc/self/clear_refs", "w")
  if not clear or not clear:write "5" or not clear:close() then return nil end
  return kib and 1024 * tonumber(kib)
end

return hostile_files
