import torch
from torch import nn
import common  # noqa: F401 (one thread)

names = """hydrogen helium lithium beryllium boron carbon nitrogen oxygen fluorine neon sodium magnesium aluminium silicon phosphorus
    sulfur chlorine argon potassium calcium scandium titanium vanadium chromium manganese iron cobalt nickel copper zinc gallium germanium
    arsenic selenium bromine krypton rubidium strontium yttrium zirconium niobium molybdenum technetium ruthenium rhodium palladium silver
    cadmium indium tin antimony tellurium iodine xenon caesium barium lanthanum cerium praseodymium neodymium promethium samarium europium
    gadolinium terbium dysprosium holmium erbium thulium ytterbium lutetium hafnium tantalum tungsten rhenium osmium iridium platinum gold
    mercury thallium lead bismuth polonium astatine radon francium radium actinium thorium protactinium uranium""".split()

CONTEXT = 3
inputs, targets = [], []
for name in names:
    context = [0] * CONTEXT
    for letter in [ord(c) - 96 for c in name] + [0]:
        inputs.append(context)
        targets.append(letter)
        context = context[1:] + [letter]
x, y = torch.tensor(inputs), torch.tensor(targets)
print(len(names), "names", x.shape[0], "letters", sep="\t")

torch.manual_seed(7)
model = nn.Sequential(nn.Embedding(27, 8), nn.Flatten(), nn.Linear(8 * CONTEXT, 64), nn.Tanh(), nn.Linear(64, 27))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for step in range(101):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 25 == 0:
        print("step %3d  loss %.3f" % (step, loss))

with torch.no_grad():
    for _ in range(8):
        context, letters = [0] * CONTEXT, []
        while True:
            letter = torch.multinomial(model(torch.tensor([context]))[0].softmax(0), 1).item()
            letters.append(chr(96 + letter) if letter > 0 else "")
            context = context[1:] + [letter]
            if letter == 0 or len(letters) == 20:
                break
        print("".join(letters))
