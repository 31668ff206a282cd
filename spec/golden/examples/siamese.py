import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset
from common import digits


class SiameseNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, kernel_size=3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, kernel_size=3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d((2, 2)))
        self.fc = nn.Sequential(nn.Linear(16 * 4 * 2, 64), nn.ReLU(), nn.Linear(64, 1))
        self.sigmoid = nn.Sigmoid()
        self.features.apply(self.init_weights)
        self.fc.apply(self.init_weights)

    def init_weights(self, m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
            m.bias.data.fill_(0.01)

    def forward_once(self, x):
        return self.features(x).view(x.size(0), -1)

    def forward(self, input1, input2):
        output1, output2 = self.forward_once(input1), self.forward_once(input2)
        output = torch.cat((output1, output2), 1)
        return self.sigmoid(self.fc(output))


class Pairs(Dataset):
    def __init__(self, images, targets):
        self.images, self.targets = images, targets
        self.of_class = {c: targets.eq(c).nonzero().flatten() for c in range(10)}

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        cls = self.targets[index].item()
        other = cls
        if index % 2 == 1:
            other = (cls + torch.randint(1, 10, (1,)).item()) % 10
        candidates = self.of_class[other]
        second = candidates[torch.randint(0, len(candidates), (1,)).item()].item()
        return self.images[index], self.images[second], torch.tensor(1.0 if other == cls else 0.0)


torch.manual_seed(1)
images, targets = digits()
train_loader = DataLoader(Pairs(images[:640], targets[:640]), batch_size=32, shuffle=True)
test_loader = DataLoader(Pairs(images[1400:], targets[1400:]), batch_size=100)

model = SiameseNetwork()
optimizer = optim.Adadelta(model.parameters(), lr=1.0)
criterion = nn.BCELoss()

for epoch in range(1, 3):
    model.train()
    for batch_idx, (images_1, images_2, targets) in enumerate(train_loader):
        optimizer.zero_grad()
        outputs = model(images_1, images_2).squeeze()
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
        print("Train Epoch: %d [%d] Loss: %.6f" % (epoch, batch_idx, loss))

    model.eval()
    with torch.no_grad():
        correct = 0
        for images_1, images_2, targets in test_loader:
            outputs = model(images_1, images_2).squeeze()
            pred = torch.where(outputs > 0.5, 1, 0)
            correct += pred.eq(targets.view_as(pred)).sum().item()
    print("Test set: Accuracy: %d/%d" % (correct, len(test_loader.dataset)))
