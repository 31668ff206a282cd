/* kernels.cpp: the table of the family attention. */
#include "attention/launch.h"
#include "common/entry.h"

namespace tocha {

extern const tocha_attention_kernels attention_kernels;
const tocha_attention_kernels attention_kernels = {
    nullptr,
    nullptr,
    [](tocha_stream *stream, const tocha_attention_args *args) {
      return takes_flash(own(stream), *args);
    },
    entry<tocha_attention_args, launch_flash_forward>,
    entry<tocha_attention_args, launch_flash_backward>,
    entry<tocha_score_block, launch_block_weights>,
    entry<tocha_score_block, launch_block_slopes>,
};

} // namespace tocha
