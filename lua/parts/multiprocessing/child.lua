-- multiprocessing/child.lua: the program of a process that torch.multiprocessing has started.
local torch = ...
local processes = torch._processes

-- Returns a stack without this file's own functions at its end.
local function of_program(stack) return (stack:gsub("\n%s*%[C%]: in function 'xpcall'\n%s*%[tocha%] multiprocessing%.child.*$", "")) end

-- Returns an error's text as the parent shows it: the stack, then the kind and the words.
local function describe(err)
  local of_torch = type(err) == "table" and err.traceback
  local stack = of_program(of_torch and err.traceback or debug.traceback("", 2):gsub("^\n", ""))
  local hint = of_torch and err.hint and "\nhint: " .. err.hint or ""
  if not of_torch then return ("%s\nRuntimeError: %s"):format(stack, tostring(err)) end
  return ("%s\n%s: %s%s"):format(stack, err.code or "RuntimeError", err.message, hint)
end

--- Calls the function in the file, with `front`, if there is one, before its arguments. An error is written to a file.
return function(file, error_path, front)
  local ok, failure = xpcall(function()
    local fn, args, dtype, digits = processes.unpack(processes.content(file))
    processes.close(file)
    torch.set_default_dtype(dtype)
    torch.backends.cpu.digits = digits
    if front then return fn(front, table.unpack(args, 1, args.n or #args)) end
    fn(table.unpack(args, 1, args.n or #args))
  end, describe)
  if ok then return end
  local out = io.open(error_path, "w")
  if out then
    out:write(failure)
    out:close()
  end
  os.exit(1, true)
end
