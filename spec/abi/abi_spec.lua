-- abi_spec.lua: a program that was compiled against an earlier version runs with this one: nothing of libtocha.txt or of
-- tocha_lua.txt is gone or has changed. If that is meant: docs/embedding.md, "What lasts", then write.lua writes the lists anew
package.path = "runtime/list/?.lua;" .. package.path
local abi, json, programs = require "abi", require "json", require "programs"

local text = assert(programs.read(programs.folder .. "/generated/tocha_api.json"), "tocha_api.json is missing: build the target api")
local function read() return json.decode(text, "tocha_api.json") end

local function split(listed)
  local out = {}
  for line in listed:gmatch "[^\n]+" do if not line:find "^#" then out[#out + 1] = line end end
  return out
end

local recorded, recorded_of_lua = split(assert(programs.read "spec/abi/libtocha.txt")), split(assert(programs.read "spec/abi/tocha_lua.txt"))

-- Returns the recorded lines that are layouts, or those that are not.
local function recorded_layouts(wanted, lines)
  local out = {}
  for _, line in ipairs(lines or recorded) do
    if (line:find "^layout " ~= nil) == wanted then out[#out + 1] = line end
  end
  return out
end

local function find(list, name)
  for i, entry in ipairs(list) do if entry.name == name then return entry, i end end
  error(name)
end

describe("the interface of libtocha", function()
  it("has all functions, structs and enumerators of the list, unchanged", function()
    assert.is_true(#recorded > 2500)
    assert.are.same({}, abi.breaks(recorded_layouts(false), abi.lines(read())))
  end)

  it("has the layouts of the list", function()
    if not os.execute "command -v cc >/dev/null" and not os.getenv "CI" then pending "cc is missing" return end   -- in CI every tool is expected
    local layouts, message = abi.layouts(read(), programs.folder, "tocha/tocha.h")
    assert.is_not_nil(layouts, message)
    assert.are.same({}, abi.breaks(recorded_layouts(true), layouts))
  end)

  it("has all of <tocha/lua.h>, unchanged", function()
    local has_cc = os.execute "command -v cc >/dev/null"
    local api = has_cc and abi.of_lua(programs.folder)
    if not api then pending "needs cc and Lua's headers" return end
    assert.is_true(#recorded_of_lua > 40)
    assert.are.same({}, abi.breaks(recorded_layouts(false, recorded_of_lua), abi.lines(api)))
    local layouts, message = abi.layouts(api, programs.folder, "tocha/lua.h")
    assert.is_not_nil(layouts, message)
    assert.are.same({}, abi.breaks(recorded_layouts(true, recorded_of_lua), layouts))
  end)

  -- Each change is planted into a copy of the interface.
  local changes = {
    {"a function is removed", function(api) table.remove(api.functions, select(2, find(api.functions, "tocha_add"))) end,
      "function tocha_add is gone"},
    {"an argument is added", function(api)
      table.insert(find(api.functions, "tocha_open").parameters, {name = "more", type = "int"})
    end, "function tocha_open was tocha_context *(const tocha_options *), is tocha_context *(const tocha_options *, int)"},
    {"a struct is reordered", function(api)
      local fields = find(api.structs, "tocha_device").fields
      fields[1], fields[2] = fields[2], fields[1]
    end, "struct tocha_device was {int16_t type; int16_t index;}, is {int16_t index; int16_t type;}"},
    {"a field is added to a struct of the caller's", function(api)
      table.insert(find(api.structs, "tocha_scope").fields, {name = "more", type = "int"})
    end, "struct tocha_scope was {size_t mark;}, is {size_t mark; int more;}"},
    {"a field is put into the midst of a struct that may grow", function(api)
      local fields = find(api.structs, "tocha_linear_options").fields
      table.insert(fields, #fields, {name = "more", type = "int"})
    end, "struct tocha_linear_options was + {size_t struct_size; int64_t in_features; int64_t out_features; bool bias; tocha_device device; " ..
      "tocha_dtype dtype;}, is + {size_t struct_size; int64_t in_features; int64_t out_features; bool bias; tocha_device device; int more; " ..
      "tocha_dtype dtype;}"},
    {"an enumerator has another value", function(api) find(api.enums, "tocha_digits").values[2].value = 7 end,
      "enumerator TOCHA_DIGITS_PYTORCH was 1, is 7"},
    {"a function becomes inline", function(api) find(api.functions, "tocha_version").inline = true end, "function tocha_version is gone"},
  }
  for _, change in ipairs(changes) do
    it("is broken if " .. change[1], function()
      local api = read()
      local before = abi.lines(api)
      change[2](api)
      assert.are.same({change[3]}, abi.breaks(before, abi.lines(api)))
    end)
  end

  it("is broken if a layout changes", function()
    assert.are.same({"layout tocha_device was 4: 0 2, is 8: 0 4"},
      abi.breaks({"layout tocha_device 4: 0 2"}, {"layout tocha_device 8: 0 4"}))
  end)

  it("may grow", function()
    local api = read()
    local before = abi.lines(api)
    table.insert(api.functions, {name = "tocha_later", result = "void", parameters = {}})
    table.insert(find(api.enums, "tocha_error_code").values, {name = "TOCHA_LATER_ERROR", value = 99})
    table.insert(find(api.structs, "tocha_op").fields, {name = "later", type = "int"})
    table.insert(find(api.structs, "tocha_conv2d_options").fields, {name = "later", type = "int"})
    assert.are.same({}, abi.breaks(before, abi.lines(api)))
    assert.are.same({}, abi.breaks({"layout tocha_op + 8: 0 4"}, {"layout tocha_op + 16: 0 4 8"}))
  end)
end)

describe("tocha_api.json", function()
  local api = read()

  it("declares every type that it uses", function()
    local known, unknown = {}, {}
    for name in ("void bool char int double float size_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t FILE " ..
      "const struct union"):gmatch "%S+" do known[name] = true end
    for _, list in ipairs {"structs", "enums", "opaque", "types"} do
      for _, entry in ipairs(api[list]) do if entry.name then known[entry.name] = true end end
    end
    local function see(type, user)
      if type:find "%(" or type == "..." then return end   -- a callback: names of parameters stand among its types
      for word in type:gmatch "[%a_][%w_]*" do if not known[word] then unknown[#unknown + 1] = user .. ": " .. word end end
    end
    for _, f in ipairs(api.functions) do
      see(f.result, f.name)
      for _, p in ipairs(f.parameters) do see(p.type, f.name) end
    end
    for _, s in ipairs(api.structs) do for _, field in ipairs(s.fields) do see(field.type, s.name) end end
    assert.are.same({}, unknown)
  end)

  it("says who owns every pointer that is returned", function()
    local without = {}
    for _, f in ipairs(api.functions) do
      if f.result:find "%*$" and not (f.owner and api.owners[f.owner]) then without[#without + 1] = f.name end
      if f.free and f.free ~= "deleter" then find(api.functions, f.free) end
    end
    assert.are.same({}, without)
    assert.are.equal("scope", find(api.functions, "tocha_add").owner)
    assert.are.equal("tocha_module_release", find(api.functions, "tocha_nn_linear_with").free)
    assert.are.equal("borrowed", find(api.functions, "tocha_grad").owner)
    assert.are.equal("tocha_free", find(api.functions, "tocha_to_string").free)
  end)
end)

describe("libtocha.so", function()
  -- Returns the versions of the symbols that the library exports.
  local function exported()
    local out = {}
    for line in programs.output(("nm -D --defined-only %s/libtocha.so"):format(programs.folder)):gmatch "[^\n]+" do
      local name, version = line:match " [TBDRVW] ([%w_]+)@@?([%w_.]+)$"
      if name then out[name] = version end
    end
    return out
  end

  it("exports what the JSON lists, with a version", function()
    if not os.execute "command -v nm >/dev/null" and not os.getenv "CI" then pending "nm is missing" return end
    local versions, missing, count = exported(), {}, 0
    for _, f in ipairs(read().functions) do
      if not f.inline then
        count = count + 1
        if not (versions[f.name] or ""):find "^TOCHA_%d" then missing[#missing + 1] = f.name end
      end
    end
    assert.is_true(count > 2000)
    assert.are.same({}, missing)
  end)

  it("exports every operator under both names, and private ones in a node of this version", function()
    if not os.execute "command -v nm >/dev/null" and not os.getenv "CI" then pending "nm is missing" return end
    local versions, wrong = exported(), {}
    local function_names, private_node = require "c_types".function_names, "TOCHA_PRIVATE_" .. read().version
    for _, op in ipairs(require "read".load "runtime") do
      for _, name in ipairs {function_names(op)} do
        local private = name:find "^tocha_private_" ~= nil
        local version = private and private_node or "TOCHA_0"
        if (versions[name] or ""):sub(1, #version) ~= version or name:find "__" then wrong[#wrong + 1] = name end
      end
    end
    assert.are.same({}, wrong)
  end)
end)

describe("declarations.lua", function()
  local declarations = require "declarations"

  -- What `cc -E -C -dD` makes of a header with these lines, after one of the system's.
  local function reading(header)
    return declarations.read('# 1 "/usr/include/other.h" 1\nint other(void);\n# 1 "include/tocha/example.h" 1\n' .. header)
  end

  it("reads functions", function()
    local api = reading [[
/* Returns a text. */
__attribute__((visibility("default"))) const char *tocha_text(tocha_context *cx, char room[24],
                                  void (*release)(void *user, int n), ...);
static inline _Bool tocha_yes(void) {
  if (1) { return 1; }
  return 0;
}]]
    assert.are.same({
      {name = "tocha_text", result = "const char *", header = "tocha/example.h", doc = "Returns a text.", inline = false, parameters = {
        {name = "cx", type = "tocha_context *"}, {name = "room", type = "char [24]"},
        {name = "release", type = "void (*)(void *user, int n)"}, {name = "...", type = "..."}}},
      {name = "tocha_yes", result = "bool", header = "tocha/example.h", doc = "Returns a text.", inline = true, parameters = {}},
    }, api.functions)
  end)

  it("reads structs, enumerators and constants", function()
    local api = reading [[
#define TOCHA_MANY (1 + 2)
typedef struct tocha_hidden tocha_hidden;
typedef enum tocha_color { TOCHA_RED = -1, /* the first */ TOCHA_GREEN, TOCHA_BLUE = 4, TOCHA_LAST = TOCHA_BLUE } tocha_color;

typedef struct tocha_pair {
  int first, *second; /* two */
  union { double real; _Bool flag; } value;
  tocha_hidden *hidden[3];
} tocha_pair;]]
    assert.are.same({{name = "tocha_pair", header = "tocha/example.h", fields = {
      {name = "first", type = "int"}, {name = "second", type = "int *"},
      {name = "value", type = "union", fields = {{name = "real", type = "double"}, {name = "flag", type = "bool"}}},
      {name = "hidden", type = "tocha_hidden *[3]"}}}}, api.structs)
    assert.are.same({{name = "TOCHA_RED", value = -1}, {name = "TOCHA_GREEN", value = 0}, {name = "TOCHA_BLUE", value = 4},
      {name = "TOCHA_LAST", value = 4}}, api.enums[1].values)
    assert.are.same({{name = "TOCHA_MANY", value = "(1 + 2)", header = "tocha/example.h"}}, api.constants)
    assert.are.same({{name = "tocha_hidden", header = "tocha/example.h"}}, api.opaque)
  end)

  it("refuses what it cannot read", function()
    assert.is_false(pcall(reading, "int tocha_open(int a"))
    assert.is_false(pcall(reading, "int tocha_value;"))
  end)
end)
