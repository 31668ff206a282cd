-- operators.lua: the families of operators, and the files of each family's entries, in the order in which overloads
-- of one name are tried. A family is a folder with its entries (the notation: read.lua), its C files and, in cpu/,
-- its loops. cuda/ has a folder of the same name for its kernels.

family "ops/pointwise" {"arithmetic", "rounding", "bounds", "functions", "comparison", "activation", "special", "backward"}
family "ops/random" {"random"}
family "ops/creation" {"creation", "copy"}
family "ops/shape" {"views", "cat", "split", "view_scatter", "combine", "pad", "complex"}
family "ops/indexing" {"indexing", "embedding"}
family "ops/reduction" {"reduction", "covariance", "distance", "backward"}
family "ops/scan" {"scan"}
family "ops/sorting" {"sorting"}
family "ops/normalization" {"softmax", "norm"}
family "ops/matmul" {"matmul"}
family "ops/convolution" {"convolution"}
family "ops/pooling" {"pooling"}
family "ops/resampling" {"resampling", "sampling"}
family "ops/recurrent" {"recurrent", "packed"}
family "ops/attention" {"attention"}
family "ops/linalg" {"factors", "solvers", "products"}
family "ops/loss" {"loss", "margin", "numbered_reductions"}
family "amp" {"amp"}
