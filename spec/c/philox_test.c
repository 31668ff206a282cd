/* philox_test.c: Philox4x32-10 against the known answers published with it (Random123, kat_vectors:
 * https://github.com/DEShawResearch/random123/blob/main/tests/kat_vectors), and the offsets and states
 * of a GPU's generator. */
#include <string.h>

#include "check.h"
#include "random/philox.h"
#include "random/random.h"

static void test_known_answers(void) {
  static const struct {
    uint32_t counter[4], key[2], words[4];
  } known[] = {
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    tocha_philox_words counter;
    memcpy(counter.word, known[i].counter, sizeof counter.word);
    tocha_philox_words words = tocha_philox(counter, known[i].key[0], known[i].key[1]);
    EXPECT(memcmp(words.word, known[i].words, sizeof words.word) == 0, "a known answer");
  }
}

static void test_offsets(void) {
  tocha_generator g;
  tocha_philox_seed(&g, 3, 17);
  EXPECT(tocha_philox_take(&g, 4) == 0 && g.offset == 4, "four words");
  EXPECT(tocha_philox_take(&g, 10) == 4 && g.offset == 16, "ten words take three blocks");
  tocha_generator_reseed(&g, 18);
  EXPECT(g.philox && g.device == 3 && g.offset == 0 && tocha_generator_initial_seed(&g) == 18,
         "a seed leaves it a GPU's");
  tocha_generator_seed(&g, 18);
  EXPECT(!g.philox, "the CPU's seed makes it the CPU's");
}

static void test_states(void) {
  uint8_t state[TOCHA_PHILOX_STATE];
  tocha_generator g, h;
  tocha_philox_seed(&g, 0, UINT64_C(0x1122334455667788));
  tocha_philox_take(&g, 8);
  tocha_philox_get_state(&g, state);
  EXPECT(state[0] == 0x88 && state[7] == 0x11 && state[8] == 8 && state[9] == 0, "layout");
  tocha_philox_seed(&h, 1, 5);
  EXPECT(tocha_philox_set_state(&h, state, sizeof state), "its own state is accepted");
  EXPECT(h.offset == 8 && h.initial_seed == g.initial_seed && h.device == 1, "and taken");
  EXPECT(tocha_philox_set_state(&h, state, 8) && h.offset == 0, "a seed alone begins anew");
  EXPECT(!tocha_philox_set_state(&h, state, 15), "another size is refused");
  state[8] = 6;
  EXPECT(!tocha_philox_set_state(&h, state, sizeof state) && h.offset == 0,
         "an offset that is no multiple of four is refused");
}

int main(void) {
  test_known_answers();
  test_offsets();
  test_states();
  return finish();
}
