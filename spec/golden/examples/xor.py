import torch
from torch import nn
import common  # noqa: F401 (one thread)

torch.manual_seed(1)
corners = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
labels = torch.tensor([0.0, 1.0, 1.0, 0.0])
points = corners.repeat_interleave(25, 0) + 0.1 * torch.randn(100, 2)
targets = labels.repeat_interleave(25)

model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.Flatten(0))
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)

for epoch in range(201):
    loss = loss_fn(model(points), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if epoch % 50 == 0:
        print("epoch %3d  loss %.4f" % (epoch, loss))

with torch.no_grad():
    probabilities = model(corners).sigmoid()
for i in range(4):
    print("%.0f xor %.0f: probability of 1 is %.2f" % (corners[i][0], corners[i][1], probabilities[i]))
