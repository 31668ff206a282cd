-- owners.lua: the owners of the pointers that functions return, as the headers say in prose. write_api.lua refuses a function that
-- returns a pointer and is neither here nor covered by its rules: `const T *` is borrowed, a tensor belongs to the innermost scope,
-- a constructor tocha_nn_NAME gives the caller a module, tocha_optim_NAME an optimizer or a scheduler.
local function words(text)
  local out = {}
  for word in text:gmatch "%S+" do out[#out + 1] = word end
  return out
end

return {
  -- By the function with which the caller ends its ownership.
  caller = {
    tocha_free = words [[tocha_to_string tocha_module_to_string tocha_module_extra_repr tocha_optimizer_to_string
      tocha_state_dict_to_string tocha_save_bytes tocha_new_text tocha_distributed_trace]],
    tocha_close = words "tocha_open",
    tocha_release = words "tocha_retain tocha_scope_take",
    tocha_module_release = words "tocha_module_new tocha_module_copy tocha_module_retain tocha_module_replica tocha_module_from_shared",
    tocha_optimizer_release = words "tocha_optimizer_new tocha_optimizer_retain",
    tocha_scheduler_release = words "tocha_scheduler_retain",
    tocha_state_dict_release = words "tocha_state_dict_new tocha_state_dict_retain tocha_module_state_dict tocha_value_state_dict",
    tocha_generator_free = words "tocha_generator_new tocha_generator_copy",
    tocha_graph_free = words "tocha_graph_new",
    tocha_grad_scaler_release = words "tocha_grad_scaler_new tocha_grad_scaler_retain",
    tocha_checkpoint_free = words "tocha_checkpoint_new tocha_load tocha_load_bytes tocha_load_file tocha_load_from tocha_load_pickle",
    tocha_safetensors_close = words "tocha_safetensors_open tocha_safetensors_open_from tocha_safetensors_from_bytes",
    tocha_npz_close = words "tocha_npz_open tocha_npz_open_from",
    tocha_npz_finish = words "tocha_npz_begin tocha_npz_begin_to",
    tocha_data_loader_free = words "tocha_data_loader_new",
    tocha_file_finish = words "tocha_file_begin",
    tocha_text_close = words "tocha_text_open tocha_text_open_from",
    tocha_node_release = words "tocha_custom_node",
    tocha_shared_free = words "tocha_share",
    tocha_shared_module_free = words "tocha_module_share",
    tocha_device_memory_free = words "tocha_device_memory_new",
    tocha_dlpack_free = words "tocha_to_dlpack",
    tocha_store_free = words [[tocha_tcp_store_new tocha_file_store_new tocha_hash_store_new tocha_prefix_store_new tocha_store_retain
      tocha_store_clone]],
    tocha_work_free = words [[tocha_all_reduce tocha_broadcast tocha_reduce_to tocha_all_gather tocha_all_gather_into_tensor
      tocha_gather_to tocha_scatter_from tocha_reduce_scatter tocha_reduce_scatter_tensor tocha_all_to_all tocha_all_to_all_single
      tocha_send tocha_recv tocha_barrier tocha_coalescing_end]],
    tocha_ddp_free = words "tocha_ddp_new",
    deleter = words "tocha_to_dlpack_unversioned",   -- the struct's own
  },
  -- Part of an argument, of the context or of the library.
  borrowed = words [[tocha_base tocha_grad tocha_grad_fn tocha_node_edge tocha_data tocha_custom_user tocha_printing tocha_default_generator
    tocha_device_generator tocha_current_stream tocha_default_stream tocha_new_stream tocha_external_stream tocha_blas_handle tocha_set_stream tocha_stream_handle
    tocha_file_stream tocha_get_submodule tocha_get_parameter tocha_get_buffer tocha_module_child tocha_module_tensor tocha_module_option
    tocha_optimizer_parameter tocha_optimizer_state tocha_optimizer_option tocha_state_dict_tensor tocha_value_tensor
    tocha_grad_scaler_scale_tensor tocha_grad_scaler_tracker_tensor
    tocha_new_none tocha_new_bool tocha_new_int tocha_new_float tocha_new_string tocha_new_bytes tocha_new_tensor tocha_new_dtype
    tocha_new_device tocha_new_collection tocha_new_state_dict
    tocha_default_group tocha_new_group_of_members tocha_group_store tocha_prefix_store_underlying
    tocha_optimizer_state_dict tocha_scheduler_state_dict tocha_scheduler_optimizer]],
  -- Always NULL.
  nothing = words "tocha_fail tocha_fail_in tocha_hint",
}
