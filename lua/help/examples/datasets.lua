-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.datasets.Digits
> digits = torch.datasets.Digits()
> #digits, digits.data.shape, digits.targets[":3"]
1797	torch.Size([1797, 1, 8, 8])	tensor([0, 1, 2])

?torch.datasets.Iris
> iris = torch.datasets.Iris()
> #iris, iris.data.shape
150	torch.Size([150, 4])

?torch.datasets.make_blobs
> X, y = torch.datasets.make_blobs({n_samples = 100, centers = 3, random_state = 0})
> X.shape, y:bincount()
torch.Size([100, 2])	tensor([34, 33, 33])

?torch.datasets.make_circles
> X, y = torch.datasets.make_circles({n_samples = 100, noise = 0.05, random_state = 0})
> X.shape, y:bincount()
torch.Size([100, 2])	tensor([50, 50])

?torch.datasets.make_moons
> X, y = torch.datasets.make_moons({n_samples = 100, random_state = 0})
> X.shape, y:bincount()
torch.Size([100, 2])	tensor([50, 50])

?torch.datasets.make_classification
> X, y = torch.datasets.make_classification({n_samples = 100, n_features = 4, random_state = 0})
> X.shape, y.shape
torch.Size([100, 4])	torch.Size([100])

?torch.datasets.make_regression
> X, y = torch.datasets.make_regression({n_samples = 100, n_features = 2, random_state = 0})
> X.shape, y.shape
torch.Size([100, 2])	torch.Size([100])

?torch.datasets.make_s_curve
> X, t = torch.datasets.make_s_curve({n_samples = 50, random_state = 0})
> X.shape, t.shape
torch.Size([50, 3])	torch.Size([50])

?torch.datasets.make_swiss_roll
> X, t = torch.datasets.make_swiss_roll({n_samples = 50, random_state = 0})
> X.shape, t.shape
torch.Size([50, 3])	torch.Size([50])

?torch.datasets.train_test_split
> X_train, X_test = torch.datasets.train_test_split(torch.arange(10), {test_size = 0.2, random_state = 0})
> X_train, X_test
tensor([4, 9, 1, 6, 7, 3, 0, 5])	tensor([2, 8])
]==]
