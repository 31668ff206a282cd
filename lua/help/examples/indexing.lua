-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.argwhere
> torch.argwhere(torch.tensor{{0, 1}, {2, 0}})
tensor([[0, 1],
        [1, 0]])

?torch.gather
> torch.gather(torch.tensor{{1, 2}, {3, 4}}, 1, torch.tensor{{1}, {0}})
tensor([[2],
        [3]])

?torch.index_add
> torch.index_add(torch.zeros(3), 0, torch.tensor{0, 2, 0}, torch.tensor{1., 2., 3.})
tensor([4., 0., 2.])

?torch.index_copy
> torch.index_copy(torch.zeros(3), 0, torch.tensor{2, 0}, torch.tensor{1., 2.})
tensor([2., 0., 1.])

?torch.index_fill
> torch.index_fill(torch.tensor{1, 2, 3}, 0, torch.tensor{0, 2}, 9)
tensor([9, 2, 9])

?torch.index_put
> torch.index_put(torch.zeros(2, 2), {torch.tensor{0, 1}, torch.tensor{1, 0}}, torch.tensor{5., 6.})
tensor([[0., 5.],
        [6., 0.]])

?torch.index_reduce
> torch.index_reduce(torch.tensor{1., 2., 3.}, 0, torch.tensor{0, 0, 2}, torch.tensor{4., 5., 6.}, "amax")
tensor([5., 2., 6.])

?torch.index_select
> torch.index_select(torch.tensor{{1, 2}, {3, 4}}, 0, torch.tensor{1, 0})
tensor([[3, 4],
        [1, 2]])

?torch.masked_fill
> torch.masked_fill(torch.tensor{1., 2., 3.}, torch.tensor{true, false, true}, 0)
tensor([0., 2., 0.])

?torch.masked_scatter
> torch.masked_scatter(torch.zeros(3), torch.tensor{true, false, true}, torch.tensor{5., 6.})
tensor([5., 0., 6.])

?torch.masked_select
> torch.masked_select(torch.tensor{1, 2, 3}, torch.tensor{true, false, true})
tensor([1, 3])

?torch.nonzero
> torch.nonzero(torch.tensor{0, 3, 5})
tensor([[1],
        [2]])
> torch.nonzero(torch.tensor{{0, 1}, {2, 0}})
tensor([[0, 1],
        [1, 0]])

?torch.nonzero_static
> torch.nonzero_static(torch.tensor{0, 3, 5}, {size = 3})
tensor([[ 1],
        [ 2],
        [-1]])

?torch.put
> torch.put(torch.zeros(2, 2), torch.tensor{1, 2}, torch.tensor{5., 6.})
tensor([[0., 5.],
        [6., 0.]])

?torch.scatter
> torch.scatter(torch.zeros(2, 3), 1, torch.tensor{{0}, {2}}, torch.tensor{{5.}, {6.}})
tensor([[5., 0., 0.],
        [0., 0., 6.]])
> torch.scatter(torch.zeros(2, 3), 1, torch.tensor{{0}, {2}}, 1)
tensor([[1., 0., 0.],
        [0., 0., 1.]])

?torch.scatter_add
> torch.scatter_add(torch.zeros(3), 0, torch.tensor{0, 2, 0}, torch.tensor{1., 2., 3.})
tensor([4., 0., 2.])

?torch.scatter_reduce
> torch.scatter_reduce(torch.tensor{1., 2., 3.}, 0, torch.tensor{0, 0, 2}, torch.tensor{4., 5., 6.}, "sum")
tensor([10.,  2.,  9.])

?torch.take
> torch.take(torch.tensor{{1, 2}, {3, 4}}, torch.tensor{0, 3})
tensor([1, 4])

?torch.take_along_dim
> torch.take_along_dim(torch.tensor{{3, 1}, {2, 4}}, torch.tensor{{1, 0}, {0, 1}}, 1)
tensor([[1, 3],
        [2, 4]])

?torch.embedding
> torch.embedding(torch.tensor{{1., 2.}, {3., 4.}, {5., 6.}}, torch.tensor{2, 0})
tensor([[5., 6.],
        [1., 2.]])

?torch.embedding_bag
> bags = torch.embedding_bag(torch.tensor{{1., 2.}, {3., 4.}, {5., 6.}}, torch.tensor{0, 2, 1}, torch.tensor{0, 2})
> bags
tensor([[6., 8.],
        [3., 4.]])

?torch.embedding_renorm_
> w = torch.tensor{{3., 4.}, {0.3, 0.4}}
> torch.embedding_renorm_(w, torch.tensor{0}, 1, 2)
tensor([[0.6000, 0.8000],
        [0.3000, 0.4000]])

?torch.tril_indices
> torch.tril_indices(3, 3)
tensor([[0, 1, 1, 2, 2, 2],
        [0, 0, 1, 0, 1, 2]])

?torch.triu_indices
> torch.triu_indices(2, 3)
tensor([[0, 0, 0, 1, 1],
        [0, 1, 2, 1, 2]])

?torch.fill
> torch.fill(torch.tensor{1., 2.}, 7)
tensor([7., 7.])

?torch.zero_
> x = torch.tensor{1., 2.}
> torch.zero_(x)
tensor([0., 0.])

?torch.newaxis
> torch.arange(3)[{":", torch.newaxis}].shape
torch.Size([3, 1])

?torch.Tensor.apply_
> torch.tensor{1., 2.}:apply_(function(v) return v * v + 1 end)
tensor([2., 5.])

?torch.Tensor.map_
> torch.tensor{1., 2.}:map_(torch.tensor{3., 4.}, function(a, b) return a * b end)
tensor([3., 8.])

?torch.Tensor.map2_
> torch.tensor{1., 2.}:map2_(torch.tensor{3., 4.}, torch.tensor{5., 6.}, function(a, b, c) return a + b * c end)
tensor([16., 26.])
]==]
