-- help_examples.lua: an example for the names that are used most: the name, what is typed, what is shown. spec/docs/help_spec.lua runs them.
return [==[
torch.nn.functional.cross_entropy
> torch.nn.functional.cross_entropy(torch.tensor{{2., 1., 0.}, {0., 3., 0.}}, torch.tensor{0, 1})
tensor(0.2513)

torch.nn.functional.log_softmax
> torch.nn.functional.log_softmax(torch.tensor{0., 1., 2.}, {dim = 0})
tensor([-2.4076, -1.4076, -0.4076])

torch.nn.functional.softmin
> torch.nn.functional.softmin(torch.tensor{0., 1., 2.}, {dim = 0})
tensor([0.6652, 0.2447, 0.0900])

torch.nn.functional.nll_loss
> torch.nn.functional.nll_loss(torch.tensor{{-0.5, -1.}, {-2., -0.1}}, torch.tensor{0, 1})
tensor(0.3000)

torch.Tensor.T
> torch.tensor{{1, 2}, {3, 4}}.T
tensor([[1, 3],
        [2, 4]])

torch.Tensor.backward
> local w = torch.tensor(3., {requires_grad = true}); (w * w):backward(); return w.grad
tensor(6.)

torch.Tensor.contiguous
> torch.zeros(2, 3).T:contiguous():is_contiguous()
true

torch.Tensor.dtype
> torch.tensor{1, 2}.dtype
torch.int64

torch.Tensor.expand
> torch.tensor{{1}, {2}}:expand(2, 3)
tensor([[1, 1, 1],
        [2, 2, 2]])

torch.Tensor.item
> torch.tensor{3.5}:item()
3.5

torch.Tensor.numel
> torch.zeros(2, 3):numel()
6

torch.Tensor.rep
> torch.tensor{1, 2}:rep(2)
tensor([1, 2, 1, 2])

torch.Tensor.shape
> torch.zeros(2, 3).shape
torch.Size([2, 3])

torch.Tensor.to
> torch.tensor{1.7, 2.2}:to(torch.int64)
tensor([1, 2])

torch.Tensor.tolist
> torch.tensor{1, 2}:tolist()[1]
1

torch.Tensor.view
> torch.arange(6):view(3, -1)
tensor([[0, 1],
        [2, 3],
        [4, 5]])

torch.abs
> torch.abs(torch.tensor{-1, 2})
tensor([1, 2])

torch.add
> torch.add(torch.tensor{1, 2}, torch.tensor{10, 20}, {alpha = 2})
tensor([21, 42])

torch.all
> torch.tensor{false, true}:all()
tensor(False)

torch.allclose
> torch.allclose(torch.ones(2), torch.ones(2) + 1e-9)
true

torch.any
> torch.tensor{false, true}:any()
tensor(True)

torch.arange
> torch.arange(0, 10, 2)
tensor([0, 2, 4, 6, 8])

torch.argmax
> torch.tensor{{1, 5}, {7, 3}}:argmax(1)
tensor([1, 0])

torch.argmin
> torch.tensor{3, 1, 2}:argmin()
tensor(1)

torch.argsort
> torch.tensor{3, 1, 2}:argsort()
tensor([1, 2, 0])

torch.bincount
> torch.bincount(torch.tensor{0, 2, 2})
tensor([1, 0, 2])

torch.broadcast_shapes
> torch.broadcast_shapes({2, 1}, {3})
torch.Size([2, 3])

torch.cat
> torch.cat({torch.ones(2), torch.zeros(1)})
tensor([1., 1., 0.])

torch.chunk
> #torch.chunk(torch.arange(6), 3)
3

torch.clamp
> torch.clamp(torch.arange(5), 1, 3)
tensor([1, 1, 2, 3, 3])

torch.cumsum
> torch.arange(1, 5):cumsum(0)
tensor([ 1,  3,  6, 10])

torch.diag
> torch.diag(torch.tensor{1, 2})
tensor([[1, 0],
        [0, 2]])

torch.div
> torch.div(torch.tensor{7, -7}, 2, {rounding_mode = "floor"})
tensor([ 3, -4])

torch.dot
> torch.dot(torch.tensor{1, 2}, torch.tensor{3, 4})
tensor(11)

torch.einsum
> torch.einsum("ij->j", torch.tensor{{1, 2}, {3, 4}})
tensor([4, 6])

torch.eq
> torch.tensor{1, 2}:eq(torch.tensor{1, 3})
tensor([ True, False])

torch.exp
> torch.exp(torch.tensor{0., 1.})
tensor([1.0000, 2.7183])

torch.eye
> torch.eye(2)
tensor([[1., 0.],
        [0., 1.]])

torch.finfo
> torch.finfo(torch.float32).eps
1.1920928955078e-07

torch.flatten
> torch.zeros(2, 3, 4):flatten(1).shape
torch.Size([2, 12])

torch.flip
> torch.arange(3):flip(0)
tensor([2, 1, 0])

torch.format
> torch.format("%.2f", torch.tensor{1.234})
1.23

torch.full
> torch.full({2, 2}, 7)
tensor([[7, 7],
        [7, 7]])

torch.gather
> torch.tensor{{1, 2}, {3, 4}}:gather(1, torch.tensor{{1}, {0}})
tensor([[2],
        [3]])

torch.gt
> torch.tensor{1, 2}:gt(1)
tensor([False,  True])

torch.hstack
> torch.hstack{torch.tensor{1, 2}, torch.tensor{3}}
tensor([1, 2, 3])

torch.index_select
> torch.tensor{{1, 2}, {3, 4}}:index_select(0, torch.tensor{1})
tensor([[3, 4]])

torch.linalg.det
> torch.linalg.det(torch.tensor{{1., 2.}, {3., 4.}})
tensor(-2.)

torch.linalg.inv
> torch.linalg.inv(torch.tensor{{2., 0.}, {0., 4.}})
tensor([[0.5000, 0.0000],
        [0.0000, 0.2500]])

torch.linalg.norm
> torch.linalg.norm(torch.tensor{3., 4.})
tensor(5.)

torch.linalg.solve
> torch.linalg.solve(torch.tensor{{2., 0.}, {0., 4.}}, torch.tensor{2., 4.})
tensor([1., 1.])

torch.linspace
> torch.linspace(0, 1, 5)
tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])

torch.log
> torch.log(torch.tensor{1., 10.})
tensor([0.0000, 2.3026])

torch.masked_select
> torch.arange(4):masked_select(torch.arange(4):gt(1))
tensor([2, 3])

torch.matmul
> torch.matmul(torch.tensor{{1, 2}, {3, 4}}, torch.tensor{1, 1})
tensor([3, 7])

torch.max
> torch.tensor{{1, 5}, {7, 3}}:max(1)
tensor([5, 7])
tensor([1, 0])

torch.mean
> torch.tensor{1., 2., 6.}:mean()
tensor(3.)

torch.meshgrid
> torch.meshgrid(torch.arange(2), torch.arange(2), {indexing = "ij"})[1]
tensor([[0, 0],
        [1, 1]])

torch.metrics.functional.accuracy
> torch.metrics.functional.accuracy(torch.tensor{0, 1, 1}, torch.tensor{0, 1, 0}, {task = "binary"})
tensor(0.6667)

torch.min
> torch.tensor{3, 1, 2}:min()
tensor(1)

torch.mm
> torch.mm(torch.tensor{{1, 2}}, torch.tensor{{3}, {4}})
tensor([[11]])

torch.mul
> torch.tensor{1, 2, 3} * 10
tensor([10, 20, 30])

torch.nn.Conv2d
> torch.nn.Conv2d(3, 8, {kernel_size = 3, padding = 1})(torch.zeros(1, 3, 16, 16)).shape
torch.Size([1, 8, 16, 16])

torch.nn.CrossEntropyLoss
> torch.nn.CrossEntropyLoss()(torch.tensor{{2., 0.}}, torch.tensor{0})
tensor(0.1269)

torch.nn.Embedding
> torch.nn.Embedding(10, 3)(torch.tensor{1, 2}).shape
torch.Size([2, 3])

torch.nn.Flatten
> torch.nn.Flatten()(torch.zeros(4, 3, 2)).shape
torch.Size([4, 6])

torch.nn.LSTM
> torch.nn.LSTM(4, 8, {batch_first = true})(torch.zeros(2, 5, 4)).shape
torch.Size([2, 5, 8])

torch.nn.Linear
> torch.nn.Linear(3, 2)(torch.ones(5, 3)).shape
torch.Size([5, 2])

torch.nn.MSELoss
> torch.nn.MSELoss()(torch.tensor{1., 2.}, torch.tensor{1., 4.})
tensor(2.)

torch.nn.MaxPool2d
> torch.nn.MaxPool2d(2)(torch.zeros(1, 3, 16, 16)).shape
torch.Size([1, 3, 8, 8])

torch.nn.Sequential
> torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
Sequential(
  (0): Linear(in_features=3, out_features=2, bias=True)
  (1): ReLU()
)

torch.nn.functional.one_hot
> torch.nn.functional.one_hot(torch.tensor{0, 2}, 3)
tensor([[1, 0, 0],
        [0, 0, 1]])

torch.nn.functional.pad
> torch.nn.functional.pad(torch.tensor{1, 2}, {1, 1})
tensor([0, 1, 2, 0])

torch.nn.functional.relu
> torch.nn.functional.relu(torch.tensor{-1., 2.})
tensor([0., 2.])

torch.no_grad
> torch.no_grad(function() return torch.is_grad_enabled() end)
false

torch.nonzero
> torch.tensor{0, 3, 5}:nonzero()
tensor([[1],
        [2]])

torch.numpy.array
> torch.numpy.array({1, 2, 3}) * 2
array([2, 4, 6])

torch.numpy.linspace
> torch.numpy.linspace(0, 1, 3)
array([0. , 0.5, 1. ])

torch.ones
> torch.ones(2, {dtype = torch.int64})
tensor([1, 1])

torch.outer
> torch.outer(torch.tensor{1, 2}, torch.tensor{3, 4})
tensor([[3, 4],
        [6, 8]])

torch.permute
> torch.zeros(2, 3, 4):permute(2, 0, 1).shape
torch.Size([4, 2, 3])

torch.pow
> torch.tensor{1, 2, 3} ^ 2
tensor([1, 4, 9])

torch.prod
> torch.arange(1, 6):prod()
tensor(120)

torch.rand
> torch.manual_seed(0); return torch.rand(2, 2)
tensor([[0.4963, 0.7682],
        [0.0885, 0.1320]])

torch.randint
> torch.manual_seed(0); return torch.randint(0, 10, {size = {4}})
tensor([4, 9, 3, 0])

torch.randn
> torch.manual_seed(0); return torch.randn(3)
tensor([ 1.5410, -0.2934, -2.1788])

torch.randperm
> torch.manual_seed(0); return torch.randperm(5)
tensor([4, 0, 1, 3, 2])

torch.relu
> torch.relu(torch.tensor{-1., 2.})
tensor([0., 2.])

torch.reshape
> torch.arange(6):reshape(2, 3)
tensor([[0, 1, 2],
        [3, 4, 5]])

torch.roll
> torch.arange(4):roll(1)
tensor([3, 0, 1, 2])

torch.round
> torch.round(torch.tensor{0.5, 1.5, 2.567}, {decimals = 0})
tensor([0., 2., 3.])

torch.sigmoid
> torch.sigmoid(torch.tensor{-1., 0., 1.})
tensor([0.2689, 0.5000, 0.7311])

torch.softmax
> torch.softmax(torch.tensor{1., 2., 3.}, {dim = 0})
tensor([0.0900, 0.2447, 0.6652])

torch.sort
> torch.tensor{3, 1, 2}:sort()
tensor([1, 2, 3])
tensor([1, 2, 0])

torch.split
> torch.split(torch.arange(5), 2)[1]
tensor([0, 1])

torch.sqrt
> torch.sqrt(torch.tensor{4., 9.})
tensor([2., 3.])

torch.squeeze
> torch.zeros(1, 3, 1):squeeze().shape
torch.Size([3])

torch.stack
> torch.stack({torch.tensor{1, 2}, torch.tensor{3, 4}}, {dim = 1})
tensor([[1, 3],
        [2, 4]])

torch.std
> torch.tensor{1., 2., 6.}:std()
tensor(2.6458)

torch.sum
> torch.tensor{{1, 2}, {3, 4}}:sum{dim = 0}
tensor([4, 6])

torch.tanh
> torch.tanh(torch.tensor{0., 1.})
tensor([0.0000, 0.7616])

torch.tensor
> torch.tensor({{1, 2}, {3, 4}})
tensor([[1, 2],
        [3, 4]])

torch.topk
> torch.tensor{1, 5, 3}:topk(2)
tensor([5, 3])
tensor([1, 2])

torch.transpose
> torch.tensor{{1, 2}, {3, 4}}:transpose(0, 1)
tensor([[1, 3],
        [2, 4]])

torch.tril
> torch.tril(torch.ones(3, 3))
tensor([[1., 0., 0.],
        [1., 1., 0.],
        [1., 1., 1.]])

torch.unique
> torch.tensor{2, 1, 2}:unique()
tensor([1, 2])

torch.unsqueeze
> torch.tensor{1, 2}:unsqueeze(1)
tensor([[1],
        [2]])

torch.utils.data.DataLoader
> #torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.zeros(5, 2)), {batch_size = 2})
3

torch.utils.data.TensorDataset
> #torch.utils.data.TensorDataset(torch.zeros(5, 2), torch.zeros(5))
5

torch.var
> torch.tensor{1., 2., 6.}:var{correction = 0}
tensor(4.6667)

torch.vstack
> torch.vstack{torch.tensor{1, 2}, torch.tensor{3, 4}}
tensor([[1, 2],
        [3, 4]])

torch.where
> torch.where(torch.tensor{true, false}, 1, 0)
tensor([1, 0])

torch.zeros
> torch.zeros(2, 3)
tensor([[0., 0., 0.],
        [0., 0., 0.]])

torch.zeros_like
> torch.zeros_like(torch.tensor{1, 2, 3})
tensor([0, 0, 0])
]==]
