-- Examples of names, in the form that lua/help/example.lua describes.
return [==[
?torch.addbmm
> torch.addbmm(torch.zeros(2, 2), torch.ones(3, 2, 4), torch.ones(3, 4, 2))
tensor([[12., 12.],
        [12., 12.]])

?torch.addmm
> torch.addmm(torch.ones(2, 2), torch.tensor{{1., 2.}, {3., 4.}}, torch.eye(2))
tensor([[2., 3.],
        [4., 5.]])

?torch.addmv
> torch.addmv(torch.ones(2), torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{1., 1.})
tensor([4., 8.])

?torch.addr
> torch.addr(torch.zeros(2, 2), torch.tensor{1., 2.}, torch.tensor{3., 4.})
tensor([[3., 4.],
        [6., 8.]])

?torch.baddbmm
> torch.baddbmm(torch.zeros(3, 2, 2), torch.ones(3, 2, 4), torch.ones(3, 4, 2)).shape
torch.Size([3, 2, 2])

?torch.bmm
> torch.bmm(torch.ones(10, 3, 4), torch.ones(10, 4, 5)).shape
torch.Size([10, 3, 5])

?torch.bilinear
> torch.bilinear(torch.tensor{{1., 2.}}, torch.tensor{{3., 4.}}, torch.ones(1, 2, 2))
tensor([[21.]])

?torch.cdist
> torch.cdist(torch.tensor{{0., 0.}}, torch.tensor{{3., 4.}, {6., 8.}})
tensor([[ 5., 10.]])

?torch.cholesky_inverse
> torch.cholesky_inverse(torch.tensor{{2., 0.}, {1., 2.}})
tensor([[ 0.3125, -0.1250],
        [-0.1250,  0.2500]])

?torch.cholesky_solve
> torch.cholesky_solve(torch.tensor{{4.}, {6.}}, torch.tensor{{2., 0.}, {1., 2.}})
tensor([[0.5000],
        [1.0000]])

?torch.cosine_similarity
> torch.cosine_similarity(torch.tensor{{1., 0.}}, torch.tensor{{1., 1.}})
tensor([0.7071])

?torch.cross
> torch.cross(torch.tensor{1., 0., 0.}, torch.tensor{0., 1., 0.})
tensor([0., 0., 1.])

?torch.det
> torch.det(torch.tensor{{1., 2.}, {3., 4.}})
tensor(-2.)

?torch.dot
> torch.dot(torch.tensor{1, 2}, torch.tensor{3, 4})
tensor(11)

?torch.einsum
> torch.einsum("ij,jk->ik", torch.tensor{{1., 2.}, {3., 4.}}, torch.eye(2))
tensor([[1., 2.],
        [3., 4.]])
> torch.einsum("ij->j", torch.tensor{{1, 2}, {3, 4}})
tensor([4, 6])

?torch.geqrf
> torch.geqrf(torch.tensor{{3., 1.}, {4., 2.}})
tensor([[-5.0000, -2.2000],
        [ 0.5000,  0.4000]])
tensor([1.6000, 0.0000])

?torch.inner
> torch.inner(torch.tensor{1, 2, 3}, torch.tensor{4, 5, 6})
tensor(32)

?torch.inverse
> torch.inverse(torch.tensor{{2., 0.}, {0., 4.}})
tensor([[0.5000, 0.0000],
        [0.0000, 0.2500]])

?torch.logdet
> torch.logdet(torch.tensor{{2., 0.}, {0., 4.}})
tensor(2.0794)

?torch.lu
> torch.lu(torch.tensor{{1., 2.}, {3., 4.}})
tensor([[3.0000, 4.0000],
        [0.3333, 0.6667]])
tensor([2, 2], dtype=torch.int32)

?torch.lu_solve
> A = torch.tensor{{2., 1.}, {1., 3.}}
> LU, pivots = torch.linalg.lu_factor(A)
> torch.lu_solve(torch.tensor{{3.}, {5.}}, LU, pivots)
tensor([[0.8000],
        [1.4000]])

?torch.lu_unpack
> LU, pivots = torch.linalg.lu_factor(torch.tensor{{1., 2.}, {3., 4.}})
> torch.lu_unpack(LU, pivots)
tensor([[0., 1.],
        [1., 0.]])
tensor([[1.0000, 0.0000],
        [0.3333, 1.0000]])
tensor([[3.0000, 4.0000],
        [0.0000, 0.6667]])

?torch.matmul
> torch.matmul(torch.tensor{{1, 2}, {3, 4}}, torch.tensor{1, 1})
tensor([3, 7])
> torch.matmul(torch.ones(5, 2, 3), torch.ones(3, 4)).shape
torch.Size([5, 2, 4])

?torch.matrix_exp
> torch.matrix_exp(torch.zeros(2, 2))
tensor([[1., 0.],
        [0., 1.]])

?torch.matrix_power
> torch.matrix_power(torch.tensor{{1., 1.}, {0., 1.}}, 5)
tensor([[1., 5.],
        [0., 1.]])

?torch.mm
> torch.mm(torch.tensor{{1, 2}}, torch.tensor{{3}, {4}})
tensor([[11]])

?torch.mv
> torch.mv(torch.tensor{{1, 2}, {3, 4}}, torch.tensor{1, 1})
tensor([3, 7])

?torch.orgqr
> a, tau = torch.geqrf(torch.tensor{{3., 1.}, {4., 2.}})
> torch.orgqr(a, tau)
tensor([[-0.6000, -0.8000],
        [-0.8000,  0.6000]])

?torch.ormqr
> a, tau = torch.geqrf(torch.tensor{{3., 1.}, {4., 2.}})
> torch.ormqr(a, tau, torch.eye(2))
tensor([[-0.6000, -0.8000],
        [-0.8000,  0.6000]])

?torch.outer
> torch.outer(torch.tensor{1, 2}, torch.tensor{3, 4})
tensor([[3, 4],
        [6, 8]])

?torch.pairwise_distance
> torch.pairwise_distance(torch.tensor{{0., 0.}}, torch.tensor{{3., 4.}})
tensor([5.0000])

?torch.pca_lowrank
> torch.manual_seed(0);
> U, S, V = torch.pca_lowrank(torch.randn(10, 3), {q = 2})
> U.shape, S.shape, V.shape
torch.Size([10, 2])	torch.Size([2])	torch.Size([3, 2])

?torch.svd_lowrank
> torch.manual_seed(0);
> U, S, V = torch.svd_lowrank(torch.randn(10, 4), {q = 2})
> U.shape, S.shape, V.shape
torch.Size([10, 2])	torch.Size([2])	torch.Size([4, 2])

?torch.pdist
> torch.pdist(torch.tensor{{0., 0.}, {3., 4.}, {6., 8.}})
tensor([ 5., 10.,  5.])

?torch.pinverse
> torch.pinverse(torch.tensor{{1., 0.}, {0., 2.}, {0., 0.}})
tensor([[1.0000, 0.0000, 0.0000],
        [0.0000, 0.5000, 0.0000]])

?torch.slogdet
> torch.slogdet(torch.tensor{{1., 2.}, {3., 4.}})
tensor(-1.)	tensor(0.6931)

?torch.svd
> U, S, V = torch.svd(torch.tensor{{3., 0.}, {0., -2.}})
> S
tensor([3., 2.])

?torch.tensordot
> torch.tensordot(torch.ones(2, 3), torch.ones(3, 4), 1)
tensor([[3., 3., 3., 3.],
        [3., 3., 3., 3.]])

?torch.triangular_solve
> torch.triangular_solve(torch.tensor{{3.}, {4.}}, torch.tensor{{1., 1.}, {0., 2.}})
tensor([[1.],
        [2.]])
tensor([[1., 1.],
        [0., 2.]])

?torch.vdot
> torch.vdot(torch.tensor{1, 2}, torch.tensor{3, 4})
tensor(11)

?torch.linalg.cholesky
> torch.linalg.cholesky(torch.tensor{{4., 2.}, {2., 5.}})
tensor([[2., 0.],
        [1., 2.]])

?torch.linalg.cholesky_ex
> L, info = torch.linalg.cholesky_ex(torch.tensor{{4., 2.}, {2., 5.}})
> L, info
tensor([[2., 0.],
        [1., 2.]])
tensor(0, dtype=torch.int32)

?torch.linalg.matrix_sqrth
> torch.linalg.matrix_sqrth(torch.tensor{{2., 1.}, {1., 2.}})
tensor([[1.3660, 0.3660],
        [0.3660, 1.3660]])

?torch.linalg.polar
> U, H = torch.linalg.polar(torch.tensor{{0., -2.}, {1., 0.}})
> U, H
tensor([[ 0., -1.],
        [ 1.,  0.]])
tensor([[1., 0.],
        [0., 2.]])

?torch.linalg.cond
> torch.linalg.cond(torch.tensor{{1., 0.}, {0., 4.}})
tensor(4.)

?torch.linalg.cross
> torch.linalg.cross(torch.tensor{1., 0., 0.}, torch.tensor{0., 1., 0.})
tensor([0., 0., 1.])

?torch.linalg.diagonal
> torch.linalg.diagonal(torch.tensor{{1., 2.}, {3., 4.}})
tensor([1., 4.])

?torch.linalg.eigh
> torch.linalg.eigh(torch.tensor{{2., 0.}, {0., 1.}})
tensor([1., 2.])
tensor([[0., 1.],
        [1., 0.]])

?torch.linalg.eigvalsh
> torch.linalg.eigvalsh(torch.tensor{{2., 1.}, {1., 2.}})
tensor([1., 3.])

?torch.linalg.householder_product
> a, tau = torch.geqrf(torch.tensor{{3., 1.}, {4., 2.}})
> torch.linalg.householder_product(a, tau)
tensor([[-0.6000, -0.8000],
        [-0.8000,  0.6000]])

?torch.linalg.inv
> torch.linalg.inv(torch.tensor{{2., 0.}, {0., 4.}})
tensor([[0.5000, 0.0000],
        [0.0000, 0.2500]])

?torch.linalg.inv_ex
> inverse, info = torch.linalg.inv_ex(torch.tensor{{2., 0.}, {0., 4.}})
> inverse, info
tensor([[0.5000, 0.0000],
        [0.0000, 0.2500]])
tensor(0, dtype=torch.int32)

?torch.linalg.ldl_factor
> torch.linalg.ldl_factor(torch.tensor{{4., 2.}, {2., 3.}})
tensor([[4.0000, 0.0000],
        [0.5000, 2.0000]])
tensor([1, 2], dtype=torch.int32)

?torch.linalg.ldl_factor_ex
> torch.linalg.ldl_factor_ex(torch.tensor{{4., 2.}, {2., 3.}})
tensor([[4.0000, 0.0000],
        [0.5000, 2.0000]])
tensor([1, 2], dtype=torch.int32)
tensor(0, dtype=torch.int32)

?torch.linalg.ldl_solve
> LD, pivots = torch.linalg.ldl_factor(torch.tensor{{4., 2.}, {2., 3.}})
> torch.linalg.ldl_solve(LD, pivots, torch.tensor{{6.}, {5.}})
tensor([[1.],
        [1.]])

?torch.linalg.lstsq
> A, b = torch.tensor{{0., 1.}, {1., 1.}, {2., 1.}}, torch.tensor{{1.}, {3.}, {5.}}
> solution = torch.linalg.lstsq(A, b)
> solution:round{decimals = 3}
tensor([[2.],
        [1.]])

?torch.linalg.lu
> P, L, U = torch.linalg.lu(torch.tensor{{1., 2.}, {3., 4.}})
> P, L, U
tensor([[0., 1.],
        [1., 0.]])
tensor([[1.0000, 0.0000],
        [0.3333, 1.0000]])
tensor([[3.0000, 4.0000],
        [0.0000, 0.6667]])

?torch.linalg.lu_factor
> torch.linalg.lu_factor(torch.tensor{{1., 2.}, {3., 4.}})
tensor([[3.0000, 4.0000],
        [0.3333, 0.6667]])
tensor([2, 2], dtype=torch.int32)

?torch.linalg.lu_factor_ex
> torch.linalg.lu_factor_ex(torch.tensor{{1., 2.}, {3., 4.}})
tensor([[3.0000, 4.0000],
        [0.3333, 0.6667]])
tensor([2, 2], dtype=torch.int32)
tensor(0, dtype=torch.int32)

?torch.linalg.lu_solve
> A = torch.tensor{{2., 1.}, {1., 3.}}
> LU, pivots = torch.linalg.lu_factor(A)
> torch.linalg.lu_solve(LU, pivots, torch.tensor{{3.}, {5.}})
tensor([[0.8000],
        [1.4000]])

?torch.linalg.matrix_norm
> torch.linalg.matrix_norm(torch.tensor{{1., 2.}, {3., 4.}})
tensor(5.4772)
> torch.linalg.matrix_norm(torch.tensor{{1., 2.}, {3., 4.}}, 1)
tensor(6.)

?torch.linalg.matrix_power
> torch.linalg.matrix_power(torch.tensor{{1., 1.}, {0., 1.}}, 5)
tensor([[1., 5.],
        [0., 1.]])

?torch.linalg.matrix_rank
> torch.linalg.matrix_rank(torch.tensor{{1., 2.}, {2., 4.}})
tensor(1)

?torch.linalg.multi_dot
> torch.linalg.multi_dot({torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 5)}).shape
torch.Size([2, 5])

?torch.linalg.norm
> torch.linalg.norm(torch.tensor{3., 4.})
tensor(5.)
> torch.linalg.norm(torch.tensor{{1., 2.}, {3., 4.}}, "fro")
tensor(5.4772)

?torch.linalg.pinv
> torch.linalg.pinv(torch.tensor{{1., 0.}, {0., 2.}, {0., 0.}})
tensor([[1.0000, 0.0000, 0.0000],
        [0.0000, 0.5000, 0.0000]])

?torch.linalg.qr
> Q, R = torch.linalg.qr(torch.tensor{{3., 1.}, {4., 2.}})
> Q, R
tensor([[-0.6000, -0.8000],
        [-0.8000,  0.6000]])
tensor([[-5.0000, -2.2000],
        [ 0.0000,  0.4000]])

?torch.linalg.slogdet
> torch.linalg.slogdet(torch.tensor{{1., 2.}, {3., 4.}})
tensor(-1.)	tensor(0.6931)

?torch.linalg.solve
> torch.linalg.solve(torch.tensor{{2., 1.}, {1., 3.}}, torch.tensor{3., 5.})
tensor([0.8000, 1.4000])

?torch.linalg.solve_ex
> torch.linalg.solve_ex(torch.tensor{{2., 1.}, {1., 3.}}, torch.tensor{3., 5.})
tensor([0.8000, 1.4000])	tensor(0, dtype=torch.int32)

?torch.linalg.solve_triangular
> torch.linalg.solve_triangular(torch.tensor{{1., 1.}, {0., 2.}}, torch.tensor{{3.}, {4.}}, {upper = true})
tensor([[1.],
        [2.]])

?torch.linalg.svd
> U, S, Vh = torch.linalg.svd(torch.tensor{{3., 0.}, {0., -2.}})
> S
tensor([3., 2.])

?torch.linalg.svdvals
> torch.linalg.svdvals(torch.tensor{{3., 0.}, {0., -2.}})
tensor([3., 2.])

?torch.linalg.tensorinv
> torch.linalg.tensorinv(torch.eye(6):reshape(6, 2, 3), {ind = 1}).shape
torch.Size([2, 3, 6])

?torch.linalg.tensorsolve
> torch.linalg.tensorsolve(torch.eye(4):reshape(2, 2, 2, 2), torch.tensor{{1., 2.}, {3., 4.}})
tensor([[1., 2.],
        [3., 4.]])

?torch.vander
> torch.vander(torch.tensor{1., 2., 3.})
tensor([[1., 1., 1.],
        [4., 2., 1.],
        [9., 3., 1.]])

?torch.linalg.vander
> torch.linalg.vander(torch.tensor{1., 2., 3.})
tensor([[1., 1., 1.],
        [1., 2., 4.],
        [1., 3., 9.]])

?torch.linalg.vecdot
> torch.linalg.vecdot(torch.tensor{{1., 2.}, {3., 4.}}, torch.tensor{{1., 1.}, {2., 2.}})
tensor([ 3., 14.])

?torch.linalg.vector_norm
> torch.linalg.vector_norm(torch.tensor{3., -4.})
tensor(5.)
> torch.linalg.vector_norm(torch.tensor{3., -4.}, 1)
tensor(7.)
]==]
