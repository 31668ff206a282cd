import torch
from torch import nn
from torch.utils import data
import common

torch.manual_seed(0)
images, labels = common.digits()
train = data.TensorDataset(images[:1500], labels[:1500])
loader = data.DataLoader(train, batch_size=50, shuffle=True)
test_images, test_labels = images[1500:], labels[1500:]

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(128, 10),
)
print(model)
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

for epoch in range(1, 6):
    total = 0.0
    for x, y in loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    with torch.no_grad():
        right = model(test_images).argmax(1).eq(test_labels).sum().item()
    print("epoch %d  loss %.4f  %d of %d new digits are read correctly" % (epoch, total / len(loader), right, len(test_labels)))
