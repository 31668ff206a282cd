import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset
from common import large_digits


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(input_size=28, hidden_size=64, batch_first=True)
        self.batchnorm = nn.BatchNorm1d(64)
        self.dropout1 = nn.Dropout2d(0.25)
        self.dropout2 = nn.Dropout2d(0.5)
        self.fc1 = nn.Linear(64, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, input):
        input = input.reshape(-1, 28, 28)
        output, hidden = self.rnn(input)
        output = output[:, -1, :]
        output = self.batchnorm(output)
        output = F.dropout(output, 0.25, self.training)
        output = F.relu(self.fc1(output))
        output = F.dropout(output, 0.5, self.training)
        return F.log_softmax(self.fc2(output), dim=1)


torch.manual_seed(1)
images, targets = large_digits()
train_loader = DataLoader(TensorDataset(images[:1280], targets[:1280]), batch_size=64, shuffle=True)
test_loader = DataLoader(TensorDataset(images[1500:], targets[1500:]), batch_size=100)

model = Net()
optimizer = optim.Adadelta(model.parameters(), lr=0.5)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.7)

for epoch in range(1, 3):
    model.train()
    for i, (images, target) in enumerate(train_loader):
        optimizer.zero_grad()
        loss = F.nll_loss(model(images), target)
        loss.backward()
        optimizer.step()
        print("Train Epoch: %d [%d] Loss: %.6f" % (epoch, i, loss))

    model.eval()
    with torch.no_grad():
        correct = 0
        for images, target in test_loader:
            correct += model(images).argmax(1).eq(target).sum().item()
    print("Test set: Accuracy: %d/%d" % (correct, len(test_loader.dataset)))
    scheduler.step()
