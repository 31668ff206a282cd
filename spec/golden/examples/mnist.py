import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, Subset, TensorDataset
from common import large_digits


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout(0.5)
        self.fc1 = nn.Linear(9216, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = self.dropout1(F.max_pool2d(x, 2))
        x = torch.flatten(x, 1)
        x = self.dropout2(F.relu(self.fc1(x)))
        return F.log_softmax(self.fc2(x), dim=1)


def train(model, loader, optimizer, epoch):
    model.train()
    for batch_idx, (images, target) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.nll_loss(model(images), target)
        loss.backward()
        optimizer.step()
        print("Train Epoch: %d [%d/%d] Loss: %.6f" % (epoch, batch_idx * len(images), len(loader.dataset), loss))


def test(model, loader):
    model.eval()
    test_loss, correct = 0, 0
    with torch.no_grad():
        for images, target in loader:
            output = model(images)
            test_loss += F.nll_loss(output, target, reduction="sum").item()
            pred = output.argmax(dim=1, keepdim=True)
            correct += pred.eq(target.view_as(pred)).sum().item()
    print("Test set: Average loss: %.3f, Accuracy: %d/%d" % (test_loss / len(loader.dataset), correct, len(loader.dataset)))


torch.manual_seed(1)
images, targets = large_digits()
dataset = TensorDataset((images - 0.1307) / 0.3081, targets)
train_loader = DataLoader(Subset(dataset, range(640)), batch_size=64, shuffle=True)
test_loader = DataLoader(Subset(dataset, range(1500, 1797)), batch_size=100)

model = Net()
optimizer = optim.Adadelta(model.parameters(), lr=1.0)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)
for epoch in range(1, 3):
    train(model, train_loader, optimizer, epoch)
    test(model, test_loader)
    scheduler.step()
