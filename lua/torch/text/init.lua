-- text/init.lua: torch.text: the parts of torchtext: vocabularies (vocab), tokenizers (data.get_tokenizer,
-- transforms.GPT2BPETokenizer).
local torch = ...
local support = torch._part "support"

-- The replacements of torchtext's tokenizer "basic_english", in this order: patterns of Lua.
local BASIC_ENGLISH = {
  {"'", " '  "}, {'"', ""}, {"%.", " . "}, {"<br />", " "}, {",", " , "}, {"%(", " ( "}, {"%)", " ) "}, {"!", " ! "}, {"%?", " ? "}, {";", " "}, {":", " "},
}

local function words(text)
  local list = {}
  for word in text:gmatch "%S+" do list[#list + 1] = word end
  return list
end

local function basic_english(line)
  line = line:lower()
  for _, rule in ipairs(BASIC_ENGLISH) do line = line:gsub(rule[1], rule[2]) end
  return words(line)
end

--- Returns a function from a text to a table of words: nil splits at white space, "basic_english" normalizes first, and a
-- function is returned unchanged.
local function get_tokenizer(tokenizer)
  if tokenizer == nil then return words end
  if type(tokenizer) == "function" then return tokenizer end
  if tokenizer == "basic_english" then return basic_english end
  support.fail("ValueError", "Requested tokenizer %s, valid choices are a callable that takes a single string as input, 'basic_english', or None",
    support.python(tokenizer))
end

local data = {get_tokenizer = get_tokenizer}
data.utils = data
return torch._namespace({data = data}, "torch.text")
