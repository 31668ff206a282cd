-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.adjoint
> torch.adjoint(torch.tensor{{1., 2.}, {3., 4.}})
tensor([[1., 3.],
        [2., 4.]])

?torch.as_strided
> torch.as_strided(torch.arange(6), {2, 2}, {3, 1})
tensor([[0, 1],
        [3, 4]])
> torch.as_strided(torch.arange(6), {3}, {2})
tensor([0, 2, 4])

?torch.as_strided_scatter
> torch.as_strided_scatter(torch.zeros(6), torch.tensor{7., 8.}, {2}, {3})
tensor([7., 0., 0., 8., 0., 0.])

?torch.atleast_1d
> torch.atleast_1d(torch.tensor(3))
tensor([3])

?torch.atleast_2d
> torch.atleast_2d(torch.tensor{1, 2})
tensor([[1, 2]])

?torch.atleast_3d
> torch.atleast_3d(torch.tensor{1, 2}).shape
torch.Size([1, 2, 1])

?torch.block_diag
> torch.block_diag(torch.tensor{{1, 2}, {3, 4}}, torch.tensor{{5}})
tensor([[1, 2, 0],
        [3, 4, 0],
        [0, 0, 5]])

?torch.broadcast_shapes
> torch.broadcast_shapes({2, 1}, {3})
torch.Size([2, 3])

?torch.broadcast_tensors
> table.unpack(torch.broadcast_tensors(torch.tensor{1, 2}, torch.tensor{{3}, {4}}))
tensor([[1, 2],
        [1, 2]])
tensor([[3, 3],
        [4, 4]])

?torch.broadcast_to
> torch.broadcast_to(torch.tensor{1, 2, 3}, {2, 3})
tensor([[1, 2, 3],
        [1, 2, 3]])

?torch.cartesian_prod
> torch.cartesian_prod(torch.tensor{1, 2}, torch.tensor{3, 4})
tensor([[1, 3],
        [1, 4],
        [2, 3],
        [2, 4]])

?torch.cat
> torch.cat({torch.ones(2), torch.zeros(1)})
tensor([1., 1., 0.])
> torch.cat({torch.zeros(2, 3), torch.zeros(2, 1)}, {dim = 1}).shape
torch.Size([2, 4])

?torch.channel_shuffle
> torch.channel_shuffle(torch.arange(4.):reshape(1, 4, 1), 2)
tensor([[[0.],
         [2.],
         [1.],
         [3.]]])

?torch.chunk
> torch.chunk(torch.arange(6), 3)
{tensor([0, 1]), tensor([2, 3]), tensor([4, 5])}

?torch.column_stack
> torch.column_stack({torch.tensor{1, 2}, torch.tensor{3, 4}})
tensor([[1, 3],
        [2, 4]])

?torch.combinations
> torch.combinations(torch.tensor{1, 2, 3})
tensor([[1, 2],
        [1, 3],
        [2, 3]])

?torch.constant_pad_nd
> torch.constant_pad_nd(torch.tensor{1, 2}, {1, 2}, 7)
tensor([7, 1, 2, 7, 7])

?torch.detach
> x = torch.ones(2, {requires_grad = true})
> torch.detach(x).requires_grad
false

?torch.diag
> torch.diag(torch.tensor{1, 2})
tensor([[1, 0],
        [0, 2]])
> torch.diag(torch.tensor{{1, 2}, {3, 4}})
tensor([1, 4])

?torch.diag_embed
> torch.diag_embed(torch.tensor{{1, 2}, {3, 4}})
tensor([[[1, 0],
         [0, 2]],

        [[3, 0],
         [0, 4]]])

?torch.diagflat
> torch.diagflat(torch.tensor{1, 2})
tensor([[1, 0],
        [0, 2]])

?torch.diagonal
> torch.diagonal(torch.tensor{{1, 2}, {3, 4}})
tensor([1, 4])
> torch.diagonal(torch.tensor{{1, 2}, {3, 4}}, 1)
tensor([2])

?torch.diagonal_scatter
> torch.diagonal_scatter(torch.zeros(2, 2), torch.tensor{5., 6.})
tensor([[5., 0.],
        [0., 6.]])

?torch.dsplit
> torch.dsplit(torch.arange(4):reshape(1, 2, 2), 2)
{
  tensor([[[0],
           [2]]]),
  tensor([[[1],
           [3]]])
}

?torch.dstack
> torch.dstack({torch.tensor{1, 2}, torch.tensor{3, 4}})
tensor([[[1, 3],
         [2, 4]]])

?torch.flatten
> torch.flatten(torch.zeros(2, 3, 4)).shape
torch.Size([24])
> torch.flatten(torch.zeros(2, 3, 4), 1).shape
torch.Size([2, 12])

?torch.flip
> torch.flip(torch.arange(6):reshape(2, 3), {0})
tensor([[3, 4, 5],
        [0, 1, 2]])

?torch.fliplr
> torch.fliplr(torch.tensor{{1, 2}, {3, 4}})
tensor([[2, 1],
        [4, 3]])

?torch.flipud
> torch.flipud(torch.tensor{{1, 2}, {3, 4}})
tensor([[3, 4],
        [1, 2]])

?torch.hsplit
> torch.hsplit(torch.arange(6):reshape(2, 3), {1})
{
  tensor([[0],
          [3]]),
  tensor([[1, 2],
          [4, 5]])
}

?torch.hstack
> torch.hstack{torch.tensor{1, 2}, torch.tensor{3}}
tensor([1, 2, 3])

?torch.kron
> torch.kron(torch.tensor{1, 10}, torch.tensor{1, 2, 3})
tensor([ 1,  2,  3, 10, 20, 30])

?torch.meshgrid
> table.unpack(torch.meshgrid(torch.arange(2), torch.arange(3), {indexing = "ij"}))
tensor([[0, 0, 0],
        [1, 1, 1]])
tensor([[0, 1, 2],
        [0, 1, 2]])

?torch.movedim torch.moveaxis
> torch.movedim(torch.zeros(2, 3, 4), 0, 2).shape
torch.Size([3, 4, 2])
> torch.moveaxis(torch.zeros(2, 3, 4), {0, 1}, {1, 0}).shape
torch.Size([3, 2, 4])

?torch.narrow
> torch.narrow(torch.arange(6), 0, 2, 3)
tensor([2, 3, 4])

?torch.narrow_copy
> torch.narrow_copy(torch.arange(6), 0, 2, 3)
tensor([2, 3, 4])

?torch.numel
> torch.numel(torch.zeros(2, 3))
6

?torch.permute
> torch.permute(torch.zeros(2, 3, 4), {2, 0, 1}).shape
torch.Size([4, 2, 3])

?torch.pixel_shuffle
> torch.pixel_shuffle(torch.arange(4.):reshape(1, 4, 1, 1), 2)
tensor([[[[0., 1.],
          [2., 3.]]]])

?torch.pixel_unshuffle
> torch.pixel_unshuffle(torch.arange(4.):reshape(1, 1, 2, 2), 2)
tensor([[[[0.]],

         [[1.]],

         [[2.]],

         [[3.]]]])

?torch.ravel
> torch.ravel(torch.tensor{{1, 2}, {3, 4}})
tensor([1, 2, 3, 4])

?torch.repeat_interleave
> torch.repeat_interleave(torch.tensor{1, 2}, 2)
tensor([1, 1, 2, 2])
> torch.repeat_interleave(torch.tensor{1, 2}, torch.tensor{3, 1})
tensor([1, 1, 1, 2])

?torch.reshape
> torch.reshape(torch.arange(6), {2, 3})
tensor([[0, 1, 2],
        [3, 4, 5]])
> torch.reshape(torch.arange(6), {3, -1})
tensor([[0, 1],
        [2, 3],
        [4, 5]])

?torch.roll
> torch.roll(torch.arange(4), 1)
tensor([3, 0, 1, 2])

?torch.rot90
> torch.rot90(torch.tensor{{1, 2}, {3, 4}})
tensor([[2, 4],
        [1, 3]])

?torch.row_stack
> torch.row_stack({torch.tensor{1, 2}, torch.tensor{3, 4}})
tensor([[1, 2],
        [3, 4]])

?torch.select
> torch.select(torch.tensor{{1, 2}, {3, 4}}, 1, 0)
tensor([1, 3])

?torch.select_scatter
> torch.select_scatter(torch.zeros(2, 2), torch.tensor{5., 6.}, 0, 1)
tensor([[0., 0.],
        [5., 6.]])

?torch.slice_copy
> torch.slice_copy(torch.arange(6), 0, 1, 5, 2)
tensor([1, 3])

?torch.slice_scatter
> torch.slice_scatter(torch.zeros(4), torch.tensor{1., 2.}, 0, 1, 3)
tensor([0., 1., 2., 0.])

?torch.split
> torch.split(torch.arange(5), 2)
{tensor([0, 1]), tensor([2, 3]), tensor([4])}
> torch.split(torch.arange(5), {1, 4})
{tensor([0]), tensor([1, 2, 3, 4])}

?torch.split_with_sizes
> torch.split_with_sizes(torch.arange(5), {1, 4})
{tensor([0]), tensor([1, 2, 3, 4])}

?torch.squeeze
> torch.squeeze(torch.zeros(1, 3, 1)).shape
torch.Size([3])
> torch.squeeze(torch.zeros(1, 3, 1), 0).shape
torch.Size([3, 1])

?torch.stack
> torch.stack({torch.tensor{1, 2}, torch.tensor{3, 4}})
tensor([[1, 2],
        [3, 4]])
> torch.stack({torch.tensor{1, 2}, torch.tensor{3, 4}}, {dim = 1})
tensor([[1, 3],
        [2, 4]])

?torch.swapaxes
> torch.swapaxes(torch.tensor{{1, 2}, {3, 4}}, 0, 1)
tensor([[1, 3],
        [2, 4]])

?torch.swapdims
> torch.swapdims(torch.tensor{{1, 2}, {3, 4}}, 0, 1)
tensor([[1, 3],
        [2, 4]])

?torch.t
> torch.t(torch.tensor{{1, 2}, {3, 4}})
tensor([[1, 3],
        [2, 4]])

?torch.tensor_split
> torch.tensor_split(torch.arange(5), 2)
{tensor([0, 1, 2]), tensor([3, 4])}

?torch.tile
> torch.tile(torch.tensor{1, 2}, {2, 2})
tensor([[1, 2, 1, 2],
        [1, 2, 1, 2]])

?torch.transpose
> torch.transpose(torch.tensor{{1, 2}, {3, 4}}, 0, 1)
tensor([[1, 3],
        [2, 4]])

?torch.tril
> torch.tril(torch.ones(3, 3))
tensor([[1., 0., 0.],
        [1., 1., 0.],
        [1., 1., 1.]])

?torch.triu
> torch.triu(torch.ones(3, 3), 1)
tensor([[0., 1., 1.],
        [0., 0., 1.],
        [0., 0., 0.]])

?torch.unbind
> torch.unbind(torch.tensor{{1, 2}, {3, 4}})
{tensor([1, 2]), tensor([3, 4])}

?torch.unflatten
> torch.unflatten(torch.zeros(6, 2), 0, {2, 3}).shape
torch.Size([2, 3, 2])

?torch.unravel_index
> table.unpack(torch.unravel_index(torch.tensor{1, 4}, {2, 3}))
tensor([0, 1])	tensor([1, 1])

?torch.unsafe_chunk
> torch.unsafe_chunk(torch.arange(4), 2)
{tensor([0, 1]), tensor([2, 3])}

?torch.unsafe_split
> torch.unsafe_split(torch.arange(4), 2)
{tensor([0, 1]), tensor([2, 3])}

?torch.unsafe_split_with_sizes
> torch.unsafe_split_with_sizes(torch.arange(4), {1, 3})
{tensor([0]), tensor([1, 2, 3])}

?torch.unsqueeze
> torch.unsqueeze(torch.tensor{1, 2}, 1)
tensor([[1],
        [2]])

?torch.vsplit
> torch.vsplit(torch.tensor{{1, 2}, {3, 4}}, 2)
{tensor([[1, 2]]), tensor([[3, 4]])}

?torch.vstack
> torch.vstack{torch.tensor{1, 2}, torch.tensor{3, 4}}
tensor([[1, 2],
        [3, 4]])

?torch.detach_copy
> x = torch.ones(2, {requires_grad = true})
> torch.detach_copy(x)
tensor([1., 1.], grad_fn=<NotImplemented>)

?torch.alias_copy
> torch.alias_copy(torch.tensor{1, 2})
tensor([1, 2])

?torch.expand_copy
> torch.expand_copy(torch.tensor{{1}, {2}}, {2, 3})
tensor([[1, 1, 1],
        [2, 2, 2]])

?torch.permute_copy
> torch.permute_copy(torch.zeros(2, 3, 4), {2, 0, 1}).shape
torch.Size([4, 2, 3])

?torch.unfold_copy
> torch.unfold_copy(torch.arange(5), 0, 2, 1)
tensor([[0, 1],
        [1, 2],
        [2, 3],
        [3, 4]])

?torch.view_copy
> torch.view_copy(torch.arange(4), {2, 2})
tensor([[0, 1],
        [2, 3]])

?torch.split_copy
> torch.split_copy(torch.arange(5), 2)
{tensor([0, 1]), tensor([2, 3]), tensor([4])}

?torch.resolve_conj torch.resolve_neg
> torch.resolve_conj(torch.tensor{1., 2.}), torch.resolve_neg(torch.tensor{1., 2.})
tensor([1., 2.])	tensor([1., 2.])

?torch.resize_as_
> x = torch.arange(6)
> torch.resize_as_(x, torch.zeros(2, 2))
tensor([[0, 1],
        [2, 3]])

?torch.Tensor.contiguous torch.Tensor.is_contiguous
> x = torch.zeros(2, 3):t()
> x:is_contiguous()
false
> x:contiguous():is_contiguous()
true

?torch.Tensor.expand
> torch.tensor{{1}, {2}}:expand(2, 3)
tensor([[1, 1, 1],
        [2, 2, 2]])

?torch.Tensor.expand_as
> torch.tensor{{1}, {2}}:expand_as(torch.zeros(2, 3))
tensor([[1, 1, 1],
        [2, 2, 2]])

?torch.Tensor.rep torch.Tensor.repeat
> torch.tensor{1, 2}:rep(2)
tensor([1, 2, 1, 2])
> torch.tensor{1, 2}["repeat"](torch.tensor{1, 2}, 2, 2)
tensor([[1, 2, 1, 2],
        [1, 2, 1, 2]])

?torch.Tensor.reshape_as
> torch.arange(4):reshape_as(torch.zeros(2, 2))
tensor([[0, 1],
        [2, 3]])

?torch.Tensor.view
> torch.arange(6):view(3, -1)
tensor([[0, 1],
        [2, 3],
        [4, 5]])

?torch.Tensor.view_as
> torch.arange(4):view_as(torch.zeros(2, 2))
tensor([[0, 1],
        [2, 3]])

?torch.Tensor.unfold
> torch.arange(5):unfold(0, 2, 1)
tensor([[0, 1],
        [1, 2],
        [2, 3],
        [3, 4]])

?torch.Tensor.squeeze_ torch.Tensor.unsqueeze_
> x = torch.zeros(1, 3, 1)
> x:squeeze_().shape
torch.Size([3])
> x:unsqueeze_(0).shape
torch.Size([1, 3])

?torch.Tensor.swapaxes_ torch.Tensor.swapdims_ torch.Tensor.transpose_
> x = torch.arange(6):reshape(2, 3)
> x:transpose_(0, 1)
tensor([[0, 3],
        [1, 4],
        [2, 5]])
> x:swapaxes_(0, 1).shape, x:swapdims_(0, 1).shape
torch.Size([2, 3])	torch.Size([3, 2])

?torch.Tensor.sum_to_size
> torch.ones(2, 3):sum_to_size(1, 3)
tensor([[2., 2., 2.]])

?torch.Tensor.size
> x = torch.zeros(2, 3)
> x:size(), x:size(1)
torch.Size([2, 3])	3

?torch.Tensor.stride
> torch.zeros(2, 3):stride()
{3, 1}

?torch.Tensor.storage_offset
> torch.arange(6)["2:"]:storage_offset()
2

?torch.Tensor.dim torch.Tensor.ndimension
> torch.zeros(2, 3):dim(), torch.zeros(2, 3):ndimension()
2	2

?torch.Tensor.resize_
> x = torch.arange(6)
> x:resize_(2, 2)
tensor([[0, 1],
        [2, 3]])

?torch.Tensor.resize_as_
> x = torch.arange(6)
> x:resize_as_(torch.zeros(2, 2))
tensor([[0, 1],
        [2, 3]])

?torch.Tensor.unsafe_split
> torch.arange(4):unsafe_split(2)
{tensor([0, 1]), tensor([2, 3])}

?torch.Tensor.tensor_split
> torch.arange(5):tensor_split(2)
{tensor([0, 1, 2]), tensor([3, 4])}

?torch.Tensor.detach_
> x = torch.ones(2, {requires_grad = true}) * 2
> x:detach_()
tensor([2., 2.])
> x.requires_grad
false
]==]
