-- saving_spec.lua: where torch.save writes: links, owners, folders that take no new file, mount points, full disks, unfinished files of
-- processes that are gone. What needs the rights of root is pending without them.
local torch = require "torch"
local np = require "torch.numpy"

local function run(format, ...) return (os.execute((format .. " >/dev/null 2>&1"):format(...))) end
local function output(format, ...)
  local pipe <close> = assert(io.popen(format:format(...)))
  return (pipe:read "a":gsub("\n$", ""))
end
local is_root = output "id -u" == "0"

local folder
before_each(function()
  folder = os.tmpname()
  os.remove(folder)
  assert(run("mkdir %s", folder))
end)
after_each(function() run("rm -rf %s", folder) end)

local function message_of(...)
  local ok, err = pcall(...)
  assert.is_false(ok)
  return err.message
end
local function touch(name) assert(io.open(folder .. "/" .. name, "wb")):close() end
local function check(name) assert.are.equal(7, torch.load(folder .. "/" .. name)[1]) end

describe("torch.save", function()
  it("writes where a link leads that leads to no file yet", function()
    run("mkdir %s/in %s/out", folder, folder)
    run("ln -s target.pt %s/link.pt; ln -s ../out/far.pt %s/in/link.pt; ln -s link.pt %s/in/twice.pt; ln -s round.pt %s/round.pt", folder, folder,
      folder, folder)
    torch.save({7}, folder .. "/link.pt")
    torch.save({7}, folder .. "/in/twice.pt")
    check "target.pt"
    check "out/far.pt"
    assert.are.equal("target.pt", output("readlink %s/link.pt", folder))
    assert.are.equal("link.pt", output("readlink %s/in/twice.pt", folder))
    assert.truthy(message_of(torch.save, {7}, folder .. "/round.pt"):find "^%[Errno 40%]")
    touch "old.pt"
    run("ln -s old.pt %s/there.pt", folder)
    torch.save({7}, folder .. "/there.pt")
    check "old.pt"
    assert.are.equal("old.pt", output("readlink %s/there.pt", folder))
  end)

  it("removes the unfinished files of processes that are gone", function()
    for _, name in ipairs {"x.pt.tmp-99999999-0", "other.npy.tmp-99999998-12", "x.pt.tmp-1-0", "x.tmp-99999999", ".tmp-99999999-0"} do touch(name) end
    torch.save({7}, folder .. "/x.pt")
    assert.are.equal(".tmp-99999999-0 x.pt x.pt.tmp-1-0 x.tmp-99999999", (output("LC_ALL=C ls -A %s", folder):gsub("\n", " ")))
  end)

  it("leaves files alone that somebody writes", function()
    if not run "command -v flock" then return pending "there is no flock" end
    touch "x.pt.tmp-99999999-0"
    run("flock %s/x.pt.tmp-99999999-0 sleep 5 &", folder)
    run "sleep 0.3"
    torch.save({7}, folder .. "/x.pt")
    assert.truthy(io.open(folder .. "/x.pt.tmp-99999999-0"))
  end)

  it("leaves no file of its own behind, and keeps the old one, if it fails", function()
    torch.save({7}, folder .. "/x.pt")
    assert.is_false((pcall(torch.save, {print}, folder .. "/x.pt")))
    assert.are.equal("x.pt", output("ls -A %s", folder))
    check "x.pt"
  end)

  it("keeps owner, group and mode", function()
    if not is_root then return pending "only root may give files away" end
    touch "x.pt"
    run("chown 1234:4321 %s/x.pt; chmod 640 %s/x.pt", folder, folder)
    torch.save({7}, folder .. "/x.pt")
    assert.are.equal("1234:4321 640", output("stat -c '%%u:%%g %%a' %s/x.pt", folder))
    np.savetxt(folder .. "/x.pt", torch.ones(2))
    assert.are.equal("1234:4321 640", output("stat -c '%%u:%%g %%a' %s/x.pt", folder))
  end)

  it("writes over a file that is a mount point, or lies in a folder that is read-only", function()
    touch "x.pt"
    touch "inner.pt"
    if not is_root or not run("mount --bind %s/x.pt %s/x.pt", folder, folder) then return pending "nothing can be mounted" end
    finally(function() run("umount %s/x.pt; umount %s/ro/f.pt; umount %s/ro", folder, folder, folder) end)
    torch.save({7}, folder .. "/x.pt")
    check "x.pt"
    assert.are.equal("inner.pt\nx.pt", output("ls -A %s", folder))
    run("mkdir %s/ro; mount -t tmpfs tmpfs %s/ro; touch %s/ro/f.pt; mount -o remount,ro %s/ro; mount --bind %s/inner.pt %s/ro/f.pt", folder, folder,
      folder, folder, folder, folder)
    torch.save({7}, folder .. "/ro/f.pt")
    check "inner.pt"
    assert.truthy(message_of(torch.save, {7}, folder .. "/ro/new.pt"):find "^%[Errno 30%] Read%-only file system: '.*new.pt'")
  end)

  it("names the file if the disk is full", function()
    run("mkdir %s/small", folder)
    if not is_root or not run("mount -t tmpfs -o size=64k tmpfs %s/small", folder) then return pending "nothing can be mounted" end
    finally(function() run("umount %s/small", folder) end)
    local x = torch.ones(100000)
    for name, save in pairs {["x.pt"] = torch.save, ["x.npy"] = function(t, path) np.save(path, t) end, ["x.txt"] = function(t, path) np.savetxt(path, t) end,
        ["x.npz"] = function(t, path) np.savez(path, t) end, ["x.safetensors"] = function(t, path) torch.utils.safetensors.save_file({x = t}, path) end} do
      local path = folder .. "/small/" .. name
      assert.are.equal(("[Errno 28] No space left on device: '%s'"):format(path), message_of(save, x, path))
    end
    assert.are.equal("", output("ls -A %s/small", folder))
  end)
end)
