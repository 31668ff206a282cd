import torch
from torch import nn
import common  # noqa: F401 (one thread)

x = torch.arange(6).reshape(2, 3)
print(x * 10 + 1)
print(x.float().mean(dim=0))

w = torch.tensor(2.0, requires_grad=True)
cube = w ** 3
cube.backward()
print("gradient", w.grad, sep="\t")

torch.manual_seed(0)
t = torch.linspace(-3, 3, 200).unsqueeze(1)
model = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
for step in range(301):
    loss = nn.functional.mse_loss(model(t), t.sin())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print("step %3d  loss %.4f" % (step, loss))
