/* kernels.cpp: the table of the family attention. */
#include "attention/launch.h"
#include "common/entry.h"

namespace tocha {

extern const tocha_attention_kernels attention_kernels;
const tocha_attention_kernels attention_kernels = {
    nullptr,
    nullptr,
    entry<tocha_score_block, launch_block_weights>,
    entry<tocha_score_block, launch_block_slopes>,
};

} // namespace tocha
