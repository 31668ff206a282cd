import torch
from torchvision import transforms
import going_modular

root = going_modular.draw({"train": 8, "test": 4})
transform = transforms.Compose([transforms.Resize((32, 32)), transforms.ConvertImageDtype(torch.float)])
train_dataloader, test_dataloader, class_names = going_modular.create_dataloaders(
    root + "/train", root + "/test", transform, transform, 8)

best = None
for hidden_units in (5, 10):
    for lr in (0.001, 0.003):
        print("hidden units %d, learning rate %g" % (hidden_units, lr))
        torch.manual_seed(42)
        model = going_modular.TinyVGG(3, hidden_units, len(class_names))
        optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        results = going_modular.train(model, train_dataloader, test_dataloader, optimizer, torch.nn.CrossEntropyLoss(), 2)
        test_loss = results["test_loss"][-1]
        if best is None or test_loss < best[0]:
            best = test_loss, hidden_units, lr
print("best: hidden units %d, learning rate %g, test loss %.5f" % (best[1], best[2], best[0]))
going_modular.remove(root)
