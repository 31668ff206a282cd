-- amp.lua: gradient scaling (the notation: list/read.lua).

op "_amp_foreach_non_finite_check_and_unscale_" {
  "(Tensor[] self, Tensor found_inf, Tensor inv_scale) -> Tensor",
  forms = {"torch"}, composite = true, nondifferentiable = true, nogradcheck = true,
  sample = {{{3, 4}, {5}}, {1, positive = true}, {1, positive = true}},
  doc = "Every tensor times inv_scale, in place; found_inf, which is returned, becomes 1 where an element was not finite.",
}
op "_amp_update_scale_" {
  "(Tensor self, Tensor growth_tracker, Tensor found_inf, float scale_growth_factor, float scale_backoff_factor, int growth_interval) -> Tensor",
  forms = {"torch"}, composite = true, writes_self = true, nondifferentiable = true, nogradcheck = true,
  sample = {{1, positive = true}, {1, int = 3, dtype = "int32"}, {1, positive = true}, 2.0, 0.5, 3},
  doc = "self becomes self * backoff where found_inf is set, and self * growth after growth_interval calls without.",
}
