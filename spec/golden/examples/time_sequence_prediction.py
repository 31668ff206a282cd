import torch
from torch import nn, optim
import common  # noqa: F401 (one thread)


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, 16)
        self.lstm2 = nn.LSTMCell(16, 16)
        self.linear = nn.Linear(16, 1)

    def forward(self, input, future=0):
        outputs = []
        h_t = torch.zeros(input.size(0), 16, dtype=torch.double)
        c_t = torch.zeros(input.size(0), 16, dtype=torch.double)
        h_t2 = torch.zeros(input.size(0), 16, dtype=torch.double)
        c_t2 = torch.zeros(input.size(0), 16, dtype=torch.double)

        for input_t in input.split(1, dim=1):
            h_t, c_t = self.lstm1(input_t, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs += [output]
        for i in range(future):
            h_t, c_t = self.lstm1(output, (h_t, c_t))
            h_t2, c_t2 = self.lstm2(h_t, (h_t2, c_t2))
            output = self.linear(h_t2)
            outputs += [output]
        return torch.cat(outputs, dim=1)


torch.manual_seed(0)
T, L, N = 20, 40, 12
x = torch.arange(L, dtype=torch.double).unsqueeze(0) + torch.randint(-4 * T, 4 * T, (N, 1))
waves = torch.sin(x / T * 3)
input, target = waves[3:, :-1], waves[3:, 1:]
test_input, test_target = waves[:3, :-1], waves[:3, 1:]

seq = Sequence().double()
criterion = nn.MSELoss()
optimizer = optim.LBFGS(seq.parameters(), lr=0.8)

for i in range(3):
    print("STEP: %d" % i)

    def closure():
        optimizer.zero_grad()
        loss = criterion(seq(input), target)
        print("loss: %.8f" % loss.item())
        loss.backward()
        return loss

    optimizer.step(closure)
    with torch.no_grad():
        pred = seq(test_input, future=10)
        print("test loss: %.8f" % criterion(pred[:, :-10], test_target).item())
