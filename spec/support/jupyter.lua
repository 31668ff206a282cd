-- jupyter.lua: the requirements of specs on notebooks: a Python with jupyter_client and nbconvert (TOCHA_JUPYTER names it),
-- libzmq, and the kernel installed in a folder of its own.
local programs = require "programs"
local TOCHA, quote = programs.tocha, programs.quote
local jupyter = {python = os.getenv "TOCHA_JUPYTER" or "python3"}

--- Returns true if a command succeeds.
function jupyter.succeeds(command) return (os.execute("{ " .. command .. "; } >/dev/null 2>&1 </dev/null")) end

--- The reason why notebooks cannot be tested; nil if they can.
if not jupyter.succeeds(quote(jupyter.python) .. " -c 'import jupyter_client, nbconvert'") then
  jupyter.missing = "needs jupyter_client and nbconvert; TOCHA_JUPYTER names a Python that has them"
elseif not jupyter.succeeds(quote(TOCHA) .. " --doctor | grep -q 'zeromq *libzmq'") then
  jupyter.missing = "needs libzmq"
end

--- Returns a new folder.
function jupyter.folder()
  local folder = os.tmpname()
  os.remove(folder)
  assert(jupyter.succeeds("mkdir -p " .. quote(folder)))
  return folder
end

function jupyter.install(folder) return jupyter.succeeds(("JUPYTER_DATA_DIR=%s %s --install-kernel"):format(quote(folder), quote(TOCHA))) end

return jupyter
