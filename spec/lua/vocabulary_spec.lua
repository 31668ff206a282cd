-- vocabulary_spec.lua: torch.text: byte-pair encoding by GPT-2's files gives the numbers of the package tokenizers
-- (spec/golden/text/ask.py); vocabularies and word tokenizers are torchtext's.
local torch = require "torch"
local programs = require "programs"
local text = torch.text
local folder = "spec/golden/text/"

describe("torch.text.transforms.GPT2BPETokenizer", function()
  local tokenizer = text.transforms.GPT2BPETokenizer(folder .. "vocab.json", folder .. "merges.txt")

  local count = 0
  for hex, numbers in programs.read(folder .. "bpe.expected"):gmatch "(%x*)\t([%d ]*)\n" do
    count = count + 1
    local line = hex:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end)
    it(("encodes %q and back"):format(line), function()
      assert.equal(numbers, table.concat(tokenizer:encode(line), " "))
      assert.equal(line, tokenizer:decode(tokenizer(line)))
      assert.equal(line, tokenizer:decode(torch.tensor(tokenizer(line), {dtype = torch.int64})))
    end)
  end
  it("has texts", function() assert.is_true(count > 15) end)

  it("gives tokens, and takes several texts", function()
    local tokens = text.transforms.GPT2BPETokenizer(folder .. "vocab.json", folder .. "merges.txt", {return_tokens = true})
    assert.equal("S|h|al|l|ĠI", table.concat(tokens "Shall I", "|"))
    assert.same({{}, tokenizer "a b"}, tokenizer{"", "a b"})
  end)

  it("reads escapes", function()
    local path = os.tmpname()
    programs.write(path, [[ {"\u0120a" : 0, "\"": 1, "\\": 2, "\ud83d\ude42": 3, "\\u": 4, "a": 5 } ]])
    local small = text.transforms.GPT2BPETokenizer(path, folder .. "merges.txt")
    os.remove(path)
    assert.same({["Ġa"] = 0, ['"'] = 1, ["\\"] = 2, ["🙂"] = 3, ["\\u"] = 4, a = 5}, small.encoder)
  end)

  it("refuses what is no such file, and bytes that are no text", function()
    assert.error_matches(function() text.transforms.GPT2BPETokenizer("/nowhere", "/nowhere") end, "No such file")
    for _, wrong in ipairs{"", "[1]", '{"a": "b"}', '{"a": 1', '{"a', '{"a\\'} do
      local path = os.tmpname()
      programs.write(path, wrong)
      assert.error_matches(function() text.transforms.GPT2BPETokenizer(path, folder .. "merges.txt") end, "an object of tokens")
      os.remove(path)
    end
    assert.error_matches(function() tokenizer:encode "\xff" end, "no UTF%-8")
    assert.error_matches(function() tokenizer:decode{100000} end, "100000")
  end)
end)

describe("torch.text.vocab", function()
  local lines = {{"b", "a", "b"}, {"c", "a", "b", "<unk>"}}

  it("counts words", function()
    local vocab = text.vocab.build_vocab_from_iterator(lines, {specials = {"<unk>", "<pad>"}})
    assert.same({"<unk>", "<pad>", "b", "a", "c"}, vocab:get_itos())
    assert.same({3, 2}, vocab{"a", "b"})
    assert.equal(4, vocab:index "c")
    assert.equal(5, #vocab)
    assert.is_true(vocab:contains "a")
    assert.same({"b", "<pad>"}, vocab:lookup_tokens(torch.tensor{2, 1}))
    assert.error_matches(function() vocab:index "z" end, "Token z not found and default index is not set")
    vocab:set_default_index(0)
    assert.same({0, 3}, vocab{"z", "a"})
    assert.error_matches(function() vocab:lookup_token(5) end, "out of bounds")
  end)

  it("leaves out the rare, and words beyond a number", function()
    assert.same({"b", "a"}, text.vocab.build_vocab_from_iterator(lines, {min_freq = 2}):get_itos())
    assert.same({"b", "a", "<unk>"}, text.vocab.build_vocab_from_iterator(lines, {specials = {"<unk>"}, special_first = false, max_tokens = 3}):get_itos())
  end)

  it("takes more words", function()
    local vocab = text.vocab.build_vocab_from_iterator(lines)
    vocab:insert_token("first", 0)
    vocab:append_token "last"
    assert.same({first = 0, b = 1, a = 2, ["<unk>"] = 3, c = 4, last = 5}, vocab:get_stoi())
    assert.error_matches(function() vocab:append_token "a" end, "Token a already exists in the Vocab with index: 2")
  end)
end)

it("torch.text.data.get_tokenizer splits as torchtext does", function()
  local basic = text.data.get_tokenizer "basic_english"
  assert.same({"you", "can", "'", "t", ",", "(", "really", ")", "!", "ok", "."}, basic "You can't, (really)! \"OK\"; .")
  assert.same({"You", "can't"}, text.data.get_tokenizer(nil) "You  can't")
  assert.error_matches(function() text.data.get_tokenizer "spacy" end, "Requested tokenizer spacy")
end)
