-- sampling.lua: images sampled at the places of a grid (the notation: list/read.lua). Modes: 0 bilinear, 1 nearest,
-- 2 bicubic. Paddings: 0 zeros, 1 border, 2 reflection. "Along" a tangent means the derivative in its direction.
-- Operators along a tangent have no derivatives, so samples have only two.

op "grid_sample" {
  "(Tensor input, Tensor grid, string mode='bilinear', string padding_mode='zeros', bool? align_corners) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {
    {{2, 3, 3, 5}, {2, 3, 2, 2}, align_corners = false}, {{1, 2, 4, 6}, {1, 3, 2, 2}, "nearest", align_corners = true},
    {{1, 2, 3, 5}, {1, 3, 2, 2}, "bicubic", "border", false}, {{1, 2, 4, 6}, {1, 3, 2, 2}, padding_mode = "reflection", align_corners = true},
    {{1, 2, 3, 7, 5}, {1, 2, 3, 2, 3}, align_corners = false}, {{1, 2, 3, 7, 5}, {1, 2, 3, 2, 3}, "bilinear", "reflection", false},
  },
  details = "The result is (N, C) and the grid's sizes between: for images (N, H', W', 2) gives (N, C, H', W'). padding_mode, for places " ..
    "outside, is zeros, border or reflection; mode is bilinear, nearest or bicubic. torch.nn.functional.affine_grid makes grids.",
  doc = "The input (N, C, H, W) or (N, C, D, H, W) at the places of a grid (N, ..., 2 or 3), which tells the last dimension first, -1 and 1 being its edges.",
}
op "grid_sampler" {
  "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
  forms = {"torch"}, composite = true,
  sample = {{2, 3, 3, 5}, {2, 3, 2, 2}, 0, 2, false},
  doc = "grid_sample, with numbers for its modes.",
}
op "grid_sampler_2d" {
  "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
  implementation = "tocha_op_grid_sampler_nd", with = {space = 2},
  forms = {"torch"},
  grad = {
    input = "_grid_sampler_2d_image(grad, grid, sizes(input), interpolation_mode, padding_mode, align_corners)",
    grid = "_grid_sampler_2d_slope(grad, input, grid, interpolation_mode, padding_mode, align_corners)",
  },
  samples = {{{2, 3, 4, 6}, {2, 3, 2, 2}, 0, 0, true}, {{1, 2, 3, 5}, {1, 3, 2, 2}, 2, 1, false}},
  doc = "grid_sample of (N, C, H, W).",
}
op "grid_sampler_3d" {
  "(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
  implementation = "tocha_op_grid_sampler_nd", with = {space = 3},
  forms = {"torch"},
  grad = {
    input = "_grid_sampler_3d_image(grad, grid, sizes(input), interpolation_mode, padding_mode, align_corners)",
    grid = "_grid_sampler_3d_slope(grad, input, grid, interpolation_mode, padding_mode, align_corners)",
  },
  samples = {{{1, 2, 3, 7, 5}, {1, 2, 3, 2, 3}, 1, 1, false}, {{1, 2, 3, 7, 5}, {1, 2, 3, 2, 3}, 0, 1, false}},
  doc = "grid_sample of (N, C, D, H, W).",
}

-- Declares the gradients of grid_sampler_2d or grid_sampler_3d, which differ in the names of their nodes.
local function gradients(name, sample_of_image, sample_of_slope)
  op(name .. "_image") {
    "(Tensor grad_output, Tensor grid, int[] sizes, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
    implementation = "_grid_sampler_image_along(grad_output, grid, nil, sizes, interpolation_mode, padding_mode, align_corners)",
    forms = {},
    grad = {
      grad_output = "grid_sampler(grad, grid, interpolation_mode, padding_mode, align_corners)",
      grid = name .. "_slope(grad_output, grad, grid, interpolation_mode, padding_mode, align_corners)",
    },
    sample = sample_of_image,
    doc = "The gradient of grid_sample for its input: what arrives, shared out by the same weights.",
  }
  op(name .. "_slope") {
    "(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
    implementation = "_grid_sampler_slope_along(grad_output, input, grid, nil, interpolation_mode, padding_mode, align_corners)",
    forms = {},
    grad = {
      grad_output = "_grid_sampler_along(input, grid, grad, interpolation_mode, padding_mode, align_corners)",
      input = "_grid_sampler_image_along(grad_output, grid, grad, sizes(input), interpolation_mode, padding_mode, align_corners)",
      grid = "_grid_sampler_slope_along(grad_output, input, grid, grad, interpolation_mode, padding_mode, align_corners)",
    },
    sample = sample_of_slope,
    doc = "The gradient of grid_sample for its grid.",
  }
end
gradients("_grid_sampler_2d", {{1, 2, 3, 2}, {1, 3, 2, 2}, {1, 2, 4, 5}, 2, 1, false}, {{1, 2, 3, 2}, {1, 2, 4, 5}, {1, 3, 2, 2}, 2, 1, false})
gradients("_grid_sampler_3d", {{1, 2, 2, 3, 2}, {1, 2, 3, 2, 3}, {1, 2, 3, 4, 5}, 0, 0, true}, {{1, 2, 2, 3, 2}, {1, 2, 3, 4, 5}, {1, 2, 3, 2, 3}, 0, 0, true})

op "_grid_sampler_along" {
  "(Tensor input, Tensor grid, Tensor tangent, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
  forms = {}, backward = "tocha_grad_not_implemented", differentiable = {"input", "grid", "tangent"}, nogradcheck = true,
  sample = {{1, 2, 4, 5}, {1, 3, 2, 2}, {1, 3, 2, 2}, 0, 0, true},
  doc = "How samples change with the grid, along a tangent.",
}
op "_grid_sampler_image_along" {
  "(Tensor grad_output, Tensor grid, Tensor tangent, int[] sizes, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
  forms = {}, backward = "tocha_grad_not_implemented", differentiable = {"grad_output", "grid", "tangent"}, nogradcheck = true,
  sample = {{1, 2, 3, 2}, {1, 3, 2, 2}, {1, 3, 2, 2}, {1, 2, 4, 5}, 0, 0, true},
  doc = "The gradient of _grid_sampler_along for its input.",
}
op "_grid_sampler_slope_along" {
  "(Tensor grad_output, Tensor input, Tensor grid, Tensor tangent, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
  forms = {}, backward = "tocha_grad_not_implemented", differentiable = {"grad_output", "input", "grid", "tangent"}, nogradcheck = true,
  sample = {{1, 2, 3, 2}, {1, 2, 4, 5}, {1, 3, 2, 2}, {1, 3, 2, 2}, 0, 0, true},
  doc = "The gradient of _grid_sampler_along for its grid.",
}
op "affine_grid" {
  "(Tensor theta, int[] size, bool? align_corners) -> Tensor",
  forms = {"nn.functional"}, composite = true,
  samples = {{{2, 2, 3}, {2, 1, 3, 4}, false}, {{1, 2, 3}, {1, 1, 1, 4}, align_corners = true}, {{1, 3, 4}, {1, 1, 2, 3, 2}, false}},
  doc = "The grid for grid_sample that transforms images of this size by affine matrices (N, 2, 3) or (N, 3, 4).",
}
op "affine_grid_generator" {
  "(Tensor theta, int[] size, bool align_corners) -> Tensor",
  forms = {"torch"},
  grad = {theta = "_affine_grid_backward(grad, size, align_corners)"},
  sample = {{2, 2, 3, dtype = "float32"}, {2, 1, 3, 4}, false},
  doc = "The grid for grid_sampler that transforms images of this size by affine matrices (N, 2, 3) or (N, 3, 4): what affine_grid calls.",
}
op "_affine_grid_backward" {
  "(Tensor grad, int[] size, bool align_corners) -> Tensor",
  forms = {},
  grad = {grad = "affine_grid_generator(grad, size, align_corners)"},
  sample = {{2, 3, 4, 2}, {2, 1, 3, 4}, false},
  doc = "The gradient of affine_grid for its matrices.",
}
