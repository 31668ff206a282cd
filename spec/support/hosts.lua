-- hosts.lua: hosts on this machine: namespaces of networks, with names of their own, that a switch joins. Needs root and iproute2.
--   local net <close> = require "hosts".open(2)
--   net:start(1, "first", "tocharun ...")        on host 1 (named host1, 10.77.0.1), in the background
--   net:cut(2)                                   the switch forgets host 2, which sees nothing of it
--   net:join(2)
--   local ended = net:await("first", 10)         {status = 0, output = "...", errors = "..."}; nil: it still runs
-- All hosts, their processes and devices are in a namespace of processes, whose first one is a shell that reads its commands from this
-- process: they end with it, however it ends.
local lfs = require "lfs"
local programs = require "programs"
local quote, read = programs.quote, programs.read
local hosts = {}
hosts.__index = hosts

local ENTER = "exec unshare --net --pid --fork --kill-child --mount-proc"
local PREFIX = "10.77.0."

local function pause() os.execute "sleep 0.02" end

--- Returns nil and a reason if hosts cannot be made here.
function hosts.available()
  local tried = ENTER .. " sh -ec 'ip link add switch type bridge; ip link add p0 type veth peer name e0; unshare --uts true; type nsenter' >/dev/null 2>&1"
  if os.execute(tried) then return true end
  return nil, "needs root, namespaces (unshare, nsenter) and iproute2 with bridge and veth"
end

--- Returns the address of a host, or of its network's port.
function hosts.address(host) return PREFIX .. host end

--- Lets the switch's shell carry out a text, and waits for it.
function hosts:shell(text)
  self.count = self.count + 1
  local done = ("%s/shell.%d"):format(self.folder, self.count)
  self.pipe:write(text, "\n: >", done, "\n")
  self.pipe:flush()
  local ends = os.time() + 20
  while not lfs.attributes(done) do
    assert(os.time() < ends, "the switch does not answer: " .. text)
    pause()
  end
end

local function add_host(net, host)
  net:shell(([[
ip link add p%d type veth peer name e%d
ip link set p%d master switch up
unshare --net --uts sleep 100000 &
h%d=$!
until [ "$(readlink /proc/$h%d/ns/uts)" != "$(readlink /proc/self/ns/uts)" ]; do sleep 0.01; done
ip link set e%d netns $h%d
nsenter -t $h%d -n -u sh -ec 'echo host%d >/proc/sys/kernel/hostname; ip addr add %s%d/24 dev e%d; ip link set e%d up; ip link set lo up']]):gsub("%%s",
    PREFIX):gsub("%%d", host))
end

--- Makes `count` hosts.
function hosts.open(count)
  local folder = os.tmpname()
  os.remove(folder)
  assert(lfs.mkdir(folder))
  local net = setmetatable({folder = folder, count = 0, pipe = io.popen(ENTER .. " sh 2>" .. folder .. "/switch.err", "w")}, hosts)
  net:shell "ip link add switch type bridge; ip link set switch up; ip link set lo up"
  for host = 1, count do add_host(net, host) end
  return net
end

--- Starts a command on a host.
function hosts:start(host, name, command)
  local path = self.folder .. "/" .. name
  self.pipe:write(("(nsenter -t $h%d -n -u sh -c %s </dev/null >%s.out 2>%s.err; echo $? >%s.new; mv %s.new %s.status) &\n"):format(host,
    quote(command), path, path, path, path, path))
  self.pipe:flush()
end

--- Waits until a command has ended. Returns nil if it still runs after the seconds.
function hosts:await(name, seconds)
  local path, ends = self.folder .. "/" .. name, os.time() + seconds
  while not lfs.attributes(path .. ".status") do
    if os.time() > ends then return nil, (read(path .. ".out") or "") .. (read(path .. ".err") or "") end
    pause()
  end
  return {status = math.tointeger(tonumber(read(path .. ".status"))), output = read(path .. ".out"), errors = read(path .. ".err")}
end

--- Takes a host's cable out of the switch: no sign of it reaches the host, or the others.
function hosts:cut(host) self:shell(("ip link set p%d nomaster"):format(host)) end
function hosts:join(host) self:shell(("ip link set p%d master switch"):format(host)) end

--- Ends all processes, and removes the hosts and their files.
function hosts:close()
  if not self.pipe then return end
  self.pipe:close()
  self.pipe = nil
  os.execute("rm -r " .. quote(self.folder))
end
hosts.__close = hosts.close
hosts.__gc = hosts.close

return hosts
