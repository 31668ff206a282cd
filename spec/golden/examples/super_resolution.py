from math import log10

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.nn import init
from torch.utils.data import DataLoader, TensorDataset
from common import digits


class Net(nn.Module):
    def __init__(self, upscale_factor):
        super().__init__()
        self.relu = nn.ReLU()
        self.conv1 = nn.Conv2d(1, 64, (5, 5), (1, 1), (2, 2))
        self.conv2 = nn.Conv2d(64, 64, (3, 3), (1, 1), (1, 1))
        self.conv3 = nn.Conv2d(64, 32, (3, 3), (1, 1), (1, 1))
        self.conv4 = nn.Conv2d(32, upscale_factor ** 2, (3, 3), (1, 1), (1, 1))
        self.pixel_shuffle = nn.PixelShuffle(upscale_factor)
        self._initialize_weights()

    def forward(self, x):
        x = self.relu(self.conv1(x))
        x = self.relu(self.conv2(x))
        x = self.relu(self.conv3(x))
        return self.pixel_shuffle(self.conv4(x))

    def _initialize_weights(self):
        init.orthogonal_(self.conv1.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv2.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv3.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv4.weight)


torch.manual_seed(123)
target = F.interpolate(digits()[0][:96], scale_factor=2, mode="bicubic").clamp(0, 1)
input = F.interpolate(target, scale_factor=0.5, mode="bilinear")
training_data_loader = DataLoader(TensorDataset(input[:80], target[:80]), batch_size=4, shuffle=True)
testing_data_loader = DataLoader(TensorDataset(input[80:], target[80:]), batch_size=8)

model = Net(2)
criterion = nn.MSELoss()
optimizer = optim.Adam(model.parameters(), lr=0.001)


def train(epoch):
    epoch_loss = 0
    for iteration, (x, y) in enumerate(training_data_loader, 1):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        epoch_loss += loss.item()
        loss.backward()
        optimizer.step()
        print("===> Epoch[%d](%d/%d): Loss: %.6f" % (epoch, iteration, len(training_data_loader), loss.item()))
    print("===> Epoch %d Complete: Avg. Loss: %.4f" % (epoch, epoch_loss / len(training_data_loader)))


def test():
    avg_psnr = 0
    with torch.no_grad():
        for x, y in testing_data_loader:
            mse = criterion(model(x), y)
            avg_psnr += 10 * log10(1 / mse.item())
    print("===> Avg. PSNR: %.3f dB" % (avg_psnr / len(testing_data_loader)))


for epoch in range(1, 3):
    train(epoch)
    test()
