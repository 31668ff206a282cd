-- json_spec.lua: JSON as notebooks, vocabularies and the tests read and write it.
local json = require "torch"._part "tools.json"

describe("json.read", function()
  it("reads values of every kind", function()
    assert.same({a = {1, 2.5, -3e2, {}}, b = {c = true, d = false}, e = "x"},
      json.read ' { "a" : [1, 2.5,-3e2 , [] ] ,\n"b":{"c":true,"d":false},"e":"x","f":null} ')
    assert.equal("integer", math.type(json.read "7"))
    assert.equal("float", math.type(json.read "7.0"))
    assert.same({}, json.read "{}")
  end)

  it("reads strings with escapes", function()
    assert.equal('a"\\/\b\f\n\r\tb', json.read [["a\"\\\/\b\f\n\r\tb"]])
    assert.equal("\u{e9}\u{1f600}\u{fffd}\127", json.read('"\\u00e9\\ud83d\\ude00\\ud83d\127"'))
  end)

  it("refuses what is none, and says where", function()
    for text, message in pairs {
      ["[1, 2"] = "a comma or ] is missing at byte 6", ["[1 2]"] = "a comma or ] is missing at byte 4", ["[1,]"] = "no value at byte 4",
      ['{"a": 1'] = "a comma or } is missing at byte 8", ['{"a" 1}'] = "a colon is missing at byte 6", ["{1: 2}"] = "a name is missing at byte 2",
      ['{"a": 1,}'] = "a name is missing at byte 9", [""] = "no value at byte 1", ["01"] = "no value at byte 1", ["1."] = "no value at byte 1",
      ["nul"] = "no value at byte 1", ['"a'] = "a string has no end at byte 2", ['"\\x"'] = "a character that is not allowed at byte 2",
      ['"a\nb"'] = "a character that is not allowed at byte 3", ['"\\u12"'] = "four hexadecimal digits are missing at byte 4",
      ["1 2"] = "more behind the value at byte 3", [("["):rep(300)] = "too deep at byte 202",
    } do
      local value, problem = json.read(text)
      assert.is_nil(value)
      assert.equal(message, problem, text)
    end
  end)
end)

describe("json.write", function()
  it("writes what json.read reads", function()
    local value = {list = {1, 2.5, "x"}, nested = {yes = true, no = false}, text = 'a"\\\n\t\1\127\u{e9}'}
    assert.same(value, json.read(json.write(value)))
    assert.equal('{"a":[],"b":{},"c":null}', json.write {a = json.array {}, b = {}, c = json.null})
  end)

  it("writes no bytes that are not UTF-8, and no numbers that are none", function()
    assert.equal('"a\u{fffd}b"', json.write "a\xffb")
    assert.equal("[null,null]", json.write {0 / 0, math.huge})
  end)
end)
