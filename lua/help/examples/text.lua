-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.text.data
> tokenize = torch.text.data.get_tokenizer "basic_english"
> tokenize "Hello, World!"
{"hello", ",", "world", "!"}

?torch.text.transforms torch.text.transforms.GPT2BPETokenizer
> for name, text in pairs{["vocab.json"] = '{"h": 0, "i": 1, "hi": 2}', ["merges.txt"] = "#version: 0.2\nh i\n"} do
>>   local file = io.open(name, "w")
>>   file:write(text):close()
>> end
> tokenize = torch.text.transforms.GPT2BPETokenizer("vocab.json", "merges.txt")
> tokenize "hi"
{2}

?torch.text.vocab torch.text.vocab.Vocab
> vocab = torch.text.vocab.Vocab{"<unk>", "cat", "dog"}
> vocab{"dog", "cat"}
{2, 1}
> vocab:lookup_tokens{1, 2}
{"cat", "dog"}

?torch.text.vocab.build_vocab_from_iterator
> lines = {{"a", "b", "a"}, {"a", "c"}}
> vocab = torch.text.vocab.build_vocab_from_iterator(lines, {specials = {"<unk>"}})
> vocab:set_default_index(0)
> vocab{"a", "c", "z"}
{1, 3, 0}
]==]
