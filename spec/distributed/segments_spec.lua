-- segments_spec.lua: shared memory that an MPI leaves in /dev/shm when it is killed: the launcher removes that of its own job, and no other.
local lfs = require "lfs"
local deaths = require "deaths"
local programs = require "programs"
local read = programs.read

local SHARED = "/dev/shm/"

describe("shared memory of an MPI", function()
  local folder, mark

  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(lfs.mkdir(folder))
    mark = folder:match "[^/_]+$"
  end)
  after_each(function() os.execute(("rm -rf %s %s*%s*"):format(folder, SHARED, mark)) end)

  -- Writes a script, and returns its path.
  local function script(name, text)
    programs.write(folder .. "/" .. name, text)
    return folder .. "/" .. name
  end

  -- Returns the names in /dev/shm that have the mark, sorted.
  local function marked()
    local names = {}
    for name in lfs.dir(SHARED) do
      if name:find(mark, 1, true) then names[#names + 1] = name:gsub(mark, "") end
    end
    table.sort(names)
    return names
  end

  -- An mpirun that starts the processes, and is gone when one of them is.
  local mpirun = [[
#!/bin/sh
[ "$1" = --version ] && exit
shift 2
PMI_RANK=1 "$@" &
PMI_RANK=0 "$@"
kill -9 $$
]]

  -- Rank 0 maps the file of its MPI and one of its own, lets them be seen, and is killed; so does rank 1 with a file that is then made anew.
  local program = [[
local rank = os.getenv "RANK"
local function map(name)
  local path = "/dev/shm/" .. name
  io.open(path, "w"):close()
  return torch.from_file(path, {shared = true, size = 4096, dtype = torch.uint8})
end
if rank == "0" then
  local mine, own = map "mpich_shar_tmpMARK", map "mine_MARK"
  os.execute "sleep 1; kill -9 $PPID"
else
  local old = map "ucx_shm_posix_MARK"
  os.execute "sleep 0.5; rm /dev/shm/ucx_shm_posix_MARK; echo another >/dev/shm/ucx_shm_posix_MARK; sleep 60"
end]]

  it("is removed if a rank had mapped it, but not the script's own, and no other file of that name or kind", function()
    programs.write(SHARED .. "mpich_shar_tmpX" .. mark, "another job's")
    programs.write(SHARED .. "vader_segment.host.0.7." .. mark, "another job's")
    os.execute("chmod +x " .. script("mpirun", mpirun))
    local code = deaths.launch(script("script.lua", (program:gsub("MARK", mark))), 2, "--mpi", nil,
      ("env PMIX_NAMESPACE=22 TOCHA_MPIRUN=%s/mpirun"):format(folder))
    assert.are.equal(1, code)
    assert.truthy(read(folder .. "/script.lua.err"):find "First failure: rank 0 [^\n]* was killed by signal 9", read(folder .. "/script.lua.err"))
    assert.are.same({"mine_", "mpich_shar_tmpX", "ucx_shm_posix_", "vader_segment.host.0.7."}, marked())
  end)

  it("is removed if its name has the number of Open MPI's job", function()
    local own = programs.output "id -u":match "%d+"
    local names = {"vader_segment.host.%s.16.0" .. mark, "sm_segment.a.b.%s.16.1" .. mark, "vader_segment.host.%s.17.0" .. mark,
      "vader_segment.host.%s.160.0" .. mark}
    for i, name in ipairs(names) do
      names[i] = name:format(own)
      programs.write(SHARED .. names[i], "")
    end
    os.execute("chmod +x " .. script("mpirun", mpirun))
    deaths.launch(script("script.lua", 'os.execute "kill -9 $PPID"'), 1, "--mpi", nil, ("env PMIX_NAMESPACE=22 TOCHA_MPIRUN=%s/mpirun"):format(folder))
    assert.are.same({(names[4]:gsub(mark, "")), (names[3]:gsub(mark, ""))}, marked())
  end)

  -- Kills mpirun once the group stands.
  local looped = [[
local dist = torch.distributed
dist.init_process_group "mpi"
dist.barrier()
if dist.get_rank() == 0 then
  local shared = io.popen "grep -c -E '/dev/shm/(vader|sm)_segment[^ ]*$' /proc/$PPID/maps"
  print("segments", shared:read())
  os.execute "kill -9 $(ps -o ppid= $(ps -o ppid= $PPID))"
end
while true do dist.barrier() end]]

  local test = deaths.has "openmpi" and it or pending
  test("of Open MPI and its folder are removed when its mpirun is killed", function()
    assert(lfs.mkdir(folder .. "/tmp"))
    local before = {}
    for name in lfs.dir(SHARED) do before[name] = true end
    local code = deaths.launch(script("script.lua", looped), 2, "--mpi", nil, ("env TMPDIR=%s/tmp OMPI_ALLOW_RUN_AS_ROOT=1 " ..
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 TOCHA_MPI=openmpi TOCHA_MPIRUN=mpirun.openmpi"):format(folder))
    assert.are.equal(1, code)
    assert.truthy(read(folder .. "/script.lua.out"):find "segments\t[1-9]")
    assert.are.equal(0, deaths.count_of(folder .. "/script.lua"))
    assert.is_nil(deaths.find_in_shared_memory(before))
    for name in lfs.dir(folder .. "/tmp") do assert.truthy(name:find "^%." or name == "tocharun", name) end
  end)
end)
