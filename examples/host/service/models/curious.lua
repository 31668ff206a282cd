-- curious.lua: looks at what is none of its business.
local passwords = io.open "/etc/passwd"
return require("torch").nn.Linear(passwords and 4 or error "there are no files", 3)
