-- store_spec.lua: torch.distributed's stores: what PyTorch's answer to the same calls (golden/distributed/stores.json), the file of
-- a FileStore, the death of a server, and exchange with PyTorch's TCPStore.
local torch = require "torch"
local programs = require "programs"
local json = torch._part "tools.json"
local distributed = torch.distributed

local golden = assert(json.read(programs.read "spec/golden/distributed/stores.json"))

-- Returns the error of a call.
local function error_of(f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  return message
end

-- Returns what a store answers, in the form of the golden answers.
local function answer_of(store, call)
  local result = table.pack(pcall(store[call[1]], store, table.unpack(call, 2)))
  if not result[1] then return {error = result[2].code, message = result[2].message} end
  if call[1] == "list_keys" then table.sort(result[2]) end
  return result[2]
end

-- Compares the calls of a kind of store. PyTorch's error may be of a kind that ours is derived from.
local function compare(store, kind)
  store:set_timeout(0.3)
  for _, row in ipairs(golden[kind]) do
    local expected, got = row.answer, answer_of(store, row.call)
    local label = ("%s: %s"):format(kind, table.concat({row.call[1], tostring(row.call[2])}, " "))
    if type(expected) == "table" and expected.error then
      assert(type(got) == "table", label .. " has no error")
      assert.are.equal(expected.message, got.message, label)
      local kinds = table.concat(expected.error, " ")
      assert(kinds:find(got.error, 1, true) or (got.error == "DistStoreError" and kinds:find "^RuntimeError"), label .. ": " .. got.error)
    else
      assert.are.same(expected, got, label)
    end
  end
end

local function tcp(world_size) return distributed.TCPStore("127.0.0.1", 0, world_size, true, 10, false) end

describe("the calls of", function()
  it("a HashStore", function() compare(distributed.HashStore(), "HashStore") end)
  it("a TCPStore", function() compare(tcp(), "TCPStore") end)
  it("a FileStore", function()
    local name = os.tmpname()
    os.remove(name)
    compare(distributed.FileStore(name, 1), "FileStore")
    collectgarbage()
    collectgarbage()
    assert.is_nil(programs.read(name)) -- the last of its users removes it
  end)
  it("a PrefixStore", function() compare(distributed.PrefixStore("pre", tcp()), "PrefixStore") end)
end)

describe("a store", function()
  it("says what it is", function()
    local store = tcp()
    local prefix = distributed.PrefixStore("a", store)
    assert.are.equal("127.0.0.1", store.host)
    assert.is_true(store.port > 0)
    assert.are.equal(10.0, store.timeout)
    assert.are.equal(("TCPStore(host=127.0.0.1, port=%d)"):format(store.port), tostring(store))
    assert.are.equal(store.port, prefix.underlying_store.port)
    prefix:set_timeout(2)
    assert.are.equal(2.0, store.timeout)
    assert.is_nil(store.path)
  end)
  it("keeps zero bytes and long values", function()
    for _, store in ipairs{tcp(), distributed.HashStore()} do
      store:set("zero", "a\0b")
      assert.are.equal("a\0b", store:get "zero")
      local long = ("x"):rep(3 << 20)
      store:set("long", long)
      assert.is_true(store:get "long" == long)
    end
  end)
  it("refuses what is no string", function()
    local store = distributed.HashStore()
    assert.are.equal("TypeError", error_of(store.set, store, "a", {}).code)
    assert.are.equal("TypeError", error_of(store.wait, store, "a").code)
    assert.are.equal("TypeError", error_of(store.check, store, {1}).code)
    assert.are.equal("ValueError", error_of(store.get, store, "a\0b").code)
    assert.are.equal("TypeError", error_of(distributed.PrefixStore, "a", 3).code)
  end)
  it("says that a value is no number", function()
    local store = distributed.HashStore()
    store:set("a", "b")
    local message = error_of(store.add, store, "a", 1)
    assert.are.equal("stoll", message.message)
    assert.is_truthy(message.hint:find "'a' is no number")
  end)
end)

describe("a TCPStore", function()
  it("shares its port among the masters of a state", function()
    local store = tcp()
    local second = distributed.TCPStore{host_name = "127.0.0.1", port = store.port, is_master = true, multi_tenant = true}
    second:set("a", "1")
    assert.are.equal("1", store:get "a")
  end)
  it("says that its port is taken", function()
    local store = tcp()
    local message = error_of(distributed.TCPStore, "127.0.0.1", store.port, 1, true)
    assert.are.equal("DistNetworkError", message.code)
    assert.are.equal(("The server socket has failed to listen on any local network address. port: %d, useIpv6: false, code: -98, " ..
      "name: EADDRINUSE, message: address already in use"):format(store.port), message.message)
    assert.is_truthy(message.hint:find(("ss -ltnp 'sport = :%d'"):format(store.port), 1, true))
  end)
  it("says that nobody listens", function()
    local message = error_of(distributed.TCPStore, "127.0.0.1", 1, 2, false, 0.3)
    assert.are.equal("DistNetworkError", message.code)
    assert.are.equal("The client socket has timed out after 300ms while trying to connect to (127.0.0.1, 1).", message.message)
    assert.is_truthy(message.hint:find "Connection refused")
  end)
  it("says how many did not come", function()
    local message = error_of(distributed.TCPStore, "127.0.0.1", 0, 3, true, 0.3)
    assert.are.equal("DistStoreError", message.code)
    assert.is_truthy(message.message:find "^Timed out after %d seconds waiting for clients%. 1/3 clients joined%.$")
  end)
  it("says that its server has died", function()
    local name = os.tmpname()
    programs.write(name, [[
      local store = torch.distributed.TCPStore("127.0.0.1", 0, nil, true)
      print(store.port, torch._process and select(2, torch._process()))
      io.stdout:flush()
      store:get "never"
    ]])
    local pipe = io.popen(("{ %s %s; } 2>/dev/null"):format(programs.quote(programs.tocha), name))
    local port, process = pipe:read("n", "n")
    local store = distributed.TCPStore("127.0.0.1", port, nil, false, 10)
    store:set("a", "1")
    os.execute(("(sleep 0.2; kill -9 %d) &"):format(process))
    local message = error_of(store.get, store, "b")
    assert.are.equal("DistNetworkError", message.code)
    assert.are.equal("Failed to recv, got 0 bytes. Connection was likely closed. Did the remote server shutdown or crash?", message.message)
    assert.is_truthy(message.hint:find(("port %d"):format(port), 1, true))
    pipe:close()
    os.remove(name)
  end)
end)

local PYTHON = os.getenv "TOCHA_PYTHON"
describe("with PyTorch", function()
  if not PYTHON then return pending "TOCHA_PYTHON names no Python with PyTorch" end

  -- Starts a program in Python, with a word after it; returns the pipe of its output.
  local function start(program, word)
    local name = os.tmpname()
    programs.write(name, program)
    return io.popen(("timeout 60 %s -u %s %s 2>/dev/null; rm %s"):format(PYTHON, name, word, name))
  end

  it("a client of PyTorch's uses our server", function()
    local store = tcp()
    local pipe = start([==[
import datetime, json, sys
import torch.distributed as dist
calls = [row["call"] for row in json.load(open("spec/golden/distributed/stores.json"))["TCPStore"]]
sys.argv[0] = "spec/golden/distributed/stores.py"
source = open(sys.argv[0]).read()
functions = {}
exec(source[:source.index("with tempfile")], functions)
client = dist.TCPStore("127.0.0.1", int(sys.argv[1]), None, False)
print(json.dumps(functions["ask"](client, calls)))
]==], store.port)
    local rows = assert(json.read(pipe:read "a"))
    pipe:close()
    assert.are.same(golden.TCPStore, rows)
  end)
  for _, backend in ipairs{"True", "False"} do
    it("our client uses PyTorch's server, use_libuv = " .. backend, function()
      local pipe = start([==[
import sys
import torch.distributed as dist
server = dist.TCPStore("127.0.0.1", 0, None, True, use_libuv=sys.argv[1] == "True")
print(server.port)
server.set_timeout(__import__("datetime").timedelta(seconds=30))
server.get("done")
]==], backend)
      local store = distributed.TCPStore("127.0.0.1", assert(pipe:read "n"), nil, false, 10)
      if backend == "True" then
        compare(store, "TCPStore")
      else -- without queues
        store:set("k", "v")
        assert.are.equal("v", store:get "k")
        assert.are.equal(5, store:add("n", 5))
        store:append("k", "w")
        assert.are.same({"vw", "5"}, store:multi_get{"k", "n"})
        assert.are.equal("wait timeout after 200ms, keys: /never", error_of(store.wait, store, {"never"}, 0.2).message)
        store:barrier("one", 1)
      end
      store:set("done", "1")
      pipe:close()
    end)
  end
  it("a FileStore has PyTorch's format", function()
    local name = os.tmpname()
    os.remove(name)
    local store = distributed.FileStore(name, 2)
    store:set("ours", "1")
    local pipe = start([==[
import sys
import torch.distributed as dist
store = dist.FileStore(sys.argv[1], 2)
print(store.get("ours").decode(), store.add("n", 2))
store.set("theirs", "3")
store.delete_key("ours")
store.get("end")
]==], name)
    assert.are.equal("1 2", pipe:read "l")
    store:set_timeout(20)
    assert.are.equal("3", store:get "theirs")
    while store:check{"ours"} do end
    assert.are.equal(3, store:add("n", 1))
    store:set("end", "")
    pipe:close()
    do local _ <close> = store end
    assert.is_nil(programs.read(name))
  end)
end)
