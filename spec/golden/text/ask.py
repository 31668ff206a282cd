"""Makes a small byte-pair encoding in GPT-2's files (vocab.json, merges.txt) of the sonnets of examples/pytorch/data, and writes what the
package tokenizers says of some texts: bpe.expected, a text (as JSON) and its numbers a line. Needs: pip install tokenizers."""
import json
import os

from tokenizers import ByteLevelBPETokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
tokenizer = ByteLevelBPETokenizer()
tokenizer.train(os.path.join(HERE, "..", "..", "..", "examples", "pytorch", "data", "sonnets.txt"), vocab_size=400, show_progress=False)
tokenizer.save_model(HERE)
texts = [
    "", "Shall I compare thee to a summer's day?", "And often is his gold complexion dimm'd", "  two  spaces,   three\n\nlines \n", "\ttab \t tab",
    "we'll they've I'm 'tis 're 'S don't", "x = 3.14159; y=[1,2,33]", "naïve café Ωmega Straße", "日本語のテキスト 123", "emoji 🙂🙃 end", "½ of Ⅷ and ٣٤",
    "no\u00a0break\u3000space \u2028 line", "trailing ", " ", "\n", "a\u0301 combining", "!!! ... ?!", "'", "'s", "O'er th' unthrifty",
]
with open(os.path.join(HERE, "bpe.expected"), "w") as file:
    for text in texts:
        file.write(text.encode("utf-8").hex() + "\t" + " ".join(map(str, tokenizer.encode(text).ids)) + "\n")
