-- list_spec.lua: the notation of runtime/nn/modules.lua: what it becomes in C, what it refuses, and what a new entry
-- compiles again.
local lfs = require "lfs"
local programs = require "programs"

package.path = "runtime/list/?.lua;" .. package.path
local write_modules = require "write_modules"
local members = require "members"
local connections = require "connections"
local initializers = {}
for _, i in ipairs(write_modules.load("runtime").initializers) do initializers[i.name] = i end

-- An entry with these fields and a constructor that takes some of everything.
local function entry(fields)
  fields[1] = "(int n, int groups=1, int[] kernel_size=[1], float gain=1.0, bool affine=true, Tensor? weight, dtype? dtype)"
  fields.doc = "An example."
  return write_modules.module("Example", fields, initializers)
end

local writers = {quote = function(s) return (("%q"):format(s)) end}
local function source_of(fields)
  local out = {}
  local init, reset = members.source(entry(fields), "example", writers, out)
  return table.concat(out), init, reset
end

local function contains(text, part) assert.is_truthy(text:find(part, 1, true), text .. "\nlacks " .. part) end

describe("an entry of the list of modules", function()
  it("makes parameters in order, with their sizes and conditions", function()
    local c, init, reset = source_of {parameters = {
      "weight (2 * n, n // groups, *kernel_size): kaiming_uniform_(a=sqrt(5), mode='fan_out')",
      "bias () if affine and groups == 1: zeros_()",
    }}
    assert.same({"init_example", "reset_example"}, {init, reset})
    contains(c, '"weight", true, 2, (const int64_t[]){(int64_t)((uint64_t)2 * (uint64_t)options[0].value.integer), ' ..
      'tocha_floor_quotient(options[0].value.integer, options[1].value.integer)}, &options[2]) &&')
    contains(c, '"bias", (options[4].value.flag && (options[1].value.integer == 1)), 0, NULL, NULL) &&')
    contains(c, 'tocha_init_kaiming_uniform_(cx, weight, sqrt(5.0), "fan_out", "leaky_relu", NULL);')
    contains(c, "if (bias) {\n    tocha_init_zeros_(cx, bias);")
  end)

  it("computes bounds from what is there", function()
    local c = source_of {parameters = {"weight (n, n): uniform_(-low, high) where low = gain / sqrt(fan_in(weight)), high = low + weight.size(1)"}}
    contains(c, "const double low = tocha_quotient(options[3].value.real, sqrt(tocha_fan_in(cx, weight)));")
    contains(c, "const double high = (low + (double)tocha_size_along(cx, weight, 1));")
    contains(c, "tocha_init_uniform_(cx, weight, (0 - low), high, NULL);")
  end)

  it("makes buffers, of a dtype of their own or given by the caller", function()
    local c = source_of {buffers = {"mean (n): zeros_()", "int64 count () if affine: zeros_()", "weight"}}
    contains(c, '"mean", true, TOCHA_NO_DTYPE, 1, (const int64_t[]){options[0].value.integer}, NULL)')
    contains(c, '"count", options[4].value.flag, TOCHA_INT64, 0, NULL, NULL)')
    contains(c, 'tocha_module_adopt_buffer(cx, module, "weight")')
  end)

  it("checks first, then calls the functions it names", function()
    local c = source_of {check = {"n % groups == 0: {n} of {groups}", "0 < gain: AssertionError: no"}, init = "x", reset = "y",
      parameters = {"weight (n): ones_()", "other (n)"}}
    contains(c, "return tocha_module_check(cx, module, (tocha_modulo(options[0].value.integer, options[1].value.integer) == 0), " ..
      'TOCHA_VALUE_ERROR, "{n} of {groups}") &&')
    contains(c, 'TOCHA_ASSERTION_ERROR, "no") &&\n         tocha_module_add_parameter(')
    contains(c, "tocha_module_init_x(cx, module) &&\n         reset_example(cx, module);")
    contains(c, "return !tocha_failed(cx) && tocha_module_reset_y(cx, module);")
  end)

  local mistakes = {
    {"unknown field 'parameter'", {parameter = {}}},
    {"unknown name m", {parameters = {"w (m): ones_()"}}},
    {"the size gain is no whole number", {parameters = {"w (gain): ones_()"}}},
    {"*n is no list of sizes", {parameters = {"w (*n): ones_()"}}},
    {"*sizes come last", {parameters = {"w (*kernel_size, n): ones_()"}}},
    {"in 'n': n is not true or false", {parameters = {"w (n) if n: ones_()"}}},
    {"in 'ones()': no initializer", {parameters = {"w (n): ones()"}}},
    {"unknown argument b", {parameters = {"w (n): constant_(1, b=2)"}}},
    {"val is missing", {parameters = {"w (n): constant_()"}}},
    {"val is given twice", {parameters = {"w (n): constant_(1, val=2)"}}},
    {"too many arguments", {parameters = {"w (n): ones_(1)"}}},
    {"v is no parameter above", {parameters = {"w (n): constant_(fan_in(v))"}}},
    {"unknown function log", {parameters = {"w (n): constant_(log(n))"}}},
    {"')' expected", {check = {"(n > 0: no"}}},
    {"nothing fills 'w (n)'", {parameters = {"w (n)"}}},
    {"cannot read 'w n'", {parameters = {"w n"}}},
    {"cannot read 'unless affine'", {parameters = {"w (n) unless affine: ones_()"}}},
    {"needs sizes and no dtype", {parameters = {"weight"}}},
    {"no Tensor argument", {buffers = {"gain"}}},
    {"write `and`", {check = {"0 < n < 2: no"}}},
    {"cannot read the check", {check = {"n > 0"}}},
    {"unknown kind of error 'OtherError'", {check = {"n > 0: OtherError: no"}}},
  }
  for _, mistake in ipairs(mistakes) do
    it("that is wrong is refused: " .. mistake[1], function()
      local ok, problem = pcall(entry, mistake[2])
      assert.is_false(ok)
      contains(tostring(problem), mistake[1])
      contains(tostring(problem), "Example")
    end)
  end
end)

describe("the operator of an entry", function()
  local operators = {}
  for _, op in ipairs(require "read".load "runtime") do operators[op.name] = op end
  local function connect(signature, fields)
    fields[1], fields.doc = signature, "An example."
    return connections.of(write_modules.module("Example", fields, initializers), operators)
  end

  it("takes members for tensors, and for tensors or numbers", function()
    local weight = {"weight (n): ones_()"}
    assert.same({"0", "TOCHA_FROM_MEMBER"}, connect("(int n)", {op = "prelu", parameters = weight}))
    assert.same({"0", "TOCHA_FROM_MEMBER"}, connect("(int n)", {op = "mul", as = {other = "weight"}, parameters = weight}))
  end)

  it("takes options, the flag training and defaults", function()
    assert.same({"0", "TOCHA_FROM_OPTIONS + 0"}, connect("(float factor)", {op = "mul", as = {other = "factor"}}))
    assert.same({"0", "TOCHA_FROM_OPTIONS + 0", "TOCHA_FROM_TRAINING", "TOCHA_FROM_DEFAULT"}, connect("(Scalar p=0.5)", {op = "dropout"}))
    assert.same({}, connect("(int n)", {forward = "example"}))
  end)

  local weight = {"weight (2): ones_()"}
  local mistakes = {
    {"there is no operator mull", "()", {op = "mull"}},
    {"nothing of the module suits the parameter other of its operator mul", "()", {op = "mul"}},
    {"as: relu has no parameter other", "()", {op = "relu", as = {other = "weight"}, parameters = weight}},
    {"as: there is no option or member wieght", "()", {op = "linear", as = {bias = "wieght"}, parameters = weight}},
    {"relu has no parameter for the member weight", "()", {op = "relu", parameters = weight}},
    {"relu has no parameter for the option gain", "(float gain=1.0)", {op = "relu"}},
    {"the option weight is no member", "(Tensor? weight)", {op = "cross_entropy", inputs = "input, target"}},
    {"the option bias is no member", "(float bias=1.0)", {op = "linear", parameters = weight}},
    {"the member weight is a tensor, the parameter lambd of hardshrink is", "()", {op = "hardshrink", as = {lambd = "weight"}, parameters = weight}},
    {"the option text is string, the parameter lambd of hardshrink is", "(string text='a')", {op = "hardshrink", as = {lambd = "text"}}},
    {"the option lambd may be None", "(float? lambd)", {op = "hardshrink"}},
    {"not every input is a parameter of relu", "()", {op = "relu", inputs = "input, other"}},
    {"not every input is a parameter of linear", "()", {op = "linear", inputs = "input, scale?", parameters = weight}},
    {"the input dim of softmax is no tensor", "()", {op = "softmax", inputs = "input, dim"}},
    {"tanhshrink has no in-place form", "(bool inplace=false)", {op = "tanhshrink"}},
    {"uses: there is no option gain", "()", {op = "relu", uses = {gain = "float"}}},
    {"defaults: there is no option gain", "(float a=1.0)", {forward = "example", defaults = {a = "gain"}}},
    {"repr: there is no option gain", "()", {op = "relu", repr = "gain={gain}"}},
  }
  for _, mistake in ipairs(mistakes) do
    it("that would compute something else is refused: " .. mistake[1], function()
      local ok, problem = pcall(connect, mistake[2], mistake[3])
      assert.is_false(ok)
      contains(tostring(problem), mistake[1])
      contains(tostring(problem), "Example")
    end)
  end
end)

describe("a new entry", function()
  local folder

  local function files_below(path, out, prefix)
    for name in lfs.dir(path) do
      local whole = path .. "/" .. name
      if name:find "^%." == nil then
        if lfs.attributes(whole, "mode") == "directory" then files_below(whole, out, prefix .. name .. "/")
        else out[prefix .. name] = programs.read(whole) end
      end
    end
    return out
  end

  setup(function()
    local pipe = io.popen "mktemp -d"
    folder = pipe:read "l"
    pipe:close()
    assert(os.execute(("tar cf - $(find runtime -name '*.lua') | tar xf - -C %s"):format(folder)))
  end)
  teardown(function() os.execute("rm -r " .. folder) end)

  it("changes the table of modules, and no header that other files include", function()
    local function generated(name)
      assert(os.execute(("%s %s/runtime/list/generate.lua %s/runtime %s/%s"):format(programs.lua, folder, folder, folder, name)))
      return files_below(folder .. "/" .. name, {}, "")
    end
    local before = generated "before"
    local list = assert(io.open(folder .. "/runtime/nn/modules.lua", "a"))
    list:write [[
      module "Extra" {"(int n)", init = "extra", parameters = {"weight (n): ones_()"}, doc = "One more."}
    ]]
    list:close()
    local changed = {}
    for name, text in pairs(generated "after") do
      if before[name] ~= text then changed[#changed + 1] = name end
    end
    table.sort(changed)
    assert.same({"include/tocha/cpp/modules.hpp", "include/tocha/modules.h", "include/tocha/nn/extra.h", "nn/functions/extra.h", "nn/modules.c"}, changed)
    local pipe = io.popen [[grep -rl 'include "tocha/modules.h"' runtime bindings cuda examples | sort]]
    assert.equal("runtime/include/tocha/cpp/module.hpp\nruntime/include/tocha/tocha.h\nruntime/list/write_modules.lua\n", pipe:read "a")
    pipe:close()
  end)
end)
