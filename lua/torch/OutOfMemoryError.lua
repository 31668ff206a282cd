-- OutOfMemoryError.lua: torch.OutOfMemoryError: the code of errors about memory: `err.code == torch.OutOfMemoryError`.
return "OutOfMemoryError"
