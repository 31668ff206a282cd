-- without_effect.lua: the options that options.lua finds unread, and the reason why each is right. An option has no effect in
-- PyTorch either, or none on results, or is read in a place that the walk cannot see.
local SIZES = "for the gradient, which has the sizes from it"
local BOTH = "the function always gives both; the binding leaves one out"
local NON_BLOCKING = "a hint: copies to and from a GPU wait for nothing but their stream"
local FOREACH = "chooses an implementation in PyTorch; there is one here, for all tensors at once"
local CUDNN = "chooses a library in PyTorch"
local ELSEWHERE = "the whole table of arguments goes to a function that reads it"

return {
  of_lua = {
    ["AUROC.__init__.ignore_index"] = ELSEWHERE,
    ["AdaptiveLogSoftmaxWithLoss.forward.input_"] = "the signature is for the messages of a call that does not fit",
    ["AdaptiveLogSoftmaxWithLoss.forward.target_"] = "the same",
    ["CIFAR10.__init__.transform"] = ELSEWHERE, ["CIFAR10.__init__.target_transform"] = ELSEWHERE,
    ["MNIST.__init__.transform"] = ELSEWHERE, ["MNIST.__init__.target_transform"] = ELSEWHERE,
    ["EMNIST.__init__.transform"] = ELSEWHERE, ["EMNIST.__init__.target_transform"] = ELSEWHERE,
    ["DataLoader.__init__.pin_memory_device"] = "PyTorch has deprecated it and takes the accelerator's",
    ["PowerSGDState.__init__.compression_stats_logging_frequency"] = "how often PyTorch logs a line of statistics, which compression_stats() tells",
    ["SummaryWriter.__init__.flush_secs"] = "when what waits is written; max_queue decides here, and close writes all",
    ["Timer.__init__.env"] = "a label for PyTorch's own comparison of environments",
    ["assert_close.allow_subclasses"] = "tensors have no subclasses",
    ["consume_prefix_in_state_dict_if_present.state_dict"] = "read by its place, not by its name",
    ["set_start_method.force"] = "one method is there, so a second choice is the first",
    ["summary.cache_forward_pass"] = "how often the model is run, not what is printed",
    ["tqdm.dynamic_ncols"] = "how the bar is refreshed", ["tqdm.maxinterval"] = "how the bar is refreshed",
    ["tqdm.miniters"] = "how the bar is refreshed", ["tqdm.smoothing"] = "how the bar is refreshed",
    ["tqdm.position"] = "how the bar is refreshed",
  },
  of_functions = {
    ["Module:to.non_blocking"] = NON_BLOCKING, ["Tensor:cuda.non_blocking"] = NON_BLOCKING, ["Tensor:type.non_blocking"] = NON_BLOCKING,
    ["torch.from_file.layout"] = "strided is the only layout",
    ["torch.nn.utils.clip_grad_norm_.foreach"] = FOREACH, ["torch.nn.utils.clip_grad_value_.foreach"] = FOREACH,
    ["torch.nn.utils.clip_grads_with_norm_.foreach"] = FOREACH, ["torch.nn.utils.get_total_norm.foreach"] = FOREACH,
  },
  of_operators = {
    ["_as_strided_gather.input_stride_count"] = SIZES, ["_as_strided_gather.stride_count"] = SIZES,
    ["_as_strided_scatter.input_stride_count"] = SIZES, ["_as_strided_scatter.stride_count"] = SIZES,
    ["as_strided_view.input_offset"] = SIZES, ["as_strided_view.input_stride"] = SIZES, ["as_strided_view.input_stride_count"] = SIZES,
    ["cat_parts.lengths"] = SIZES, ["cat_parts.lengths_count"] = SIZES, ["_block_diag.rows"] = SIZES,
    ["_convolution_backward_input.output_padding"] = SIZES, ["_convolution_backward_input.output_padding_count"] = SIZES,
    ["_convolution_backward_input.size_count"] = SIZES, ["_convolution_backward_weight.output_padding"] = SIZES,
    ["_convolution_backward_weight.output_padding_count"] = SIZES, ["_convolution_backward_weight.size_count"] = SIZES,
    ["_ctc_loss.zero_infinity"] = "of its gradient, and of ctc_loss, which calls it",
    ["_embedding_bag.scale_grad_by_freq"] = "of its gradient", ["embedding.scale_grad_by_freq"] = "of its gradient",
    ["embedding.padding_idx"] = "of its gradient",
    ["_without_derivative.reason"] = "of its gradient",
    ["_grid_sampler_image_along.count"] = SIZES,
    ["_max_unpool.count"] = SIZES,
    ["_unique2.sorted"] = "they are sorted in any case, in PyTorch too", ["unique_dim.sorted"] = "they are sorted in any case, in PyTorch too",
    ["unique_dim.return_inverse"] = BOTH, ["unique_dim.return_counts"] = BOTH,
    ["argsort_stable.stable"] = "sorting is always stable", ["sort_stable.stable"] = "sorting is always stable",
    ["batch_norm.cudnn_enabled"] = CUDNN, ["group_norm.cudnn_enabled"] = CUDNN,
    ["expand.implicit"] = "a mark of PyTorch's tracer",
    ["isin.assume_unique"] = "a promise that may save time; the result is the same",
    ["ldl_factor_ex.hermitian"] = "real matrices are symmetric and hermitian", ["ldl_solve.hermitian"] = "real matrices are symmetric and hermitian",
    ["softmax_functional.stacklevel"] = "of a warning", ["log_softmax_functional.stacklevel"] = "of a warning", ["softmin.stacklevel"] = "of a warning",
  },
}
