/* game.c: a game at 60 steps a second of simulated time. A model in Lua, brain.lua, steers a chaser after its target, and is
 * loaded anew whenever the file changes. If the new version does not work, its error is shown and the old one goes on. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <tocha/lua.h>
#include <tocha/tocha.h>

enum { STEPS_PER_SECOND = 60, SECONDS = 600 };

typedef struct game {
  lua_State *L;
  tocha_context *cx;
  tocha_module *brain;       /* NULL: none yet */
  struct timespec last_time; /* of brain.lua */
  off_t last_size;
  float seen[3]; /* the way to the target, and how fast both move */
  double position, speed, target, target_speed;
} game;

/* Prints the pending error, with its place in the script, and clears it. */
static void show_error(game *g) {
  tocha_lua_push_error(g->L);
  puts(luaL_tolstring(g->L, -1, NULL));
  lua_pop(g->L, 2);
}

/* Asks a model what to do. The tensors of this frame are freed when the scope ends. */
static bool think(game *g, tocha_module *brain, double *acceleration) {
  const int64_t size[] = {1, 3};
  tocha_scalar answer;
  tocha_scope frame = tocha_scope_begin(g->cx);
  tocha_tensor *seen = tocha_from_memory(g->cx, g->seen, 2, size, TOCHA_FLOAT32, NULL, NULL);
  bool ok = tocha_item(g->cx, tocha_module_call(g->cx, brain, seen), &answer);
  if (ok) *acceleration = tocha_scalar_real(answer);
  tocha_scope_end(g->cx, frame, NULL);
  return ok;
}

/* Runs brain.lua and returns the module that it returned, owned by the caller, or NULL with an error. */
static tocha_module *load_brain(game *g) {
  double ignored;
  lua_getglobal(g->L, "dofile");
  lua_pushliteral(g->L, "brain.lua");
  if (!tocha_lua_call(g->L, 1, 1)) return NULL;
  tocha_module *brain = tocha_module_retain(tocha_lua_to_module(g->L, -1));
  lua_pop(g->L, 1);
  if (!brain) return tocha_fail(g->cx, TOCHA_TYPE_ERROR, "brain.lua must return a module");
  if (think(g, brain, &ignored)) return brain;
  tocha_module_release(brain);
  return NULL;
}

/* Returns true if brain.lua is not what it was at the last call. */
static bool has_changed(game *g) {
  struct stat s;
  if (stat("brain.lua", &s) != 0) return false;
  bool same = s.st_size == g->last_size && s.st_mtim.tv_sec == g->last_time.tv_sec &&
              s.st_mtim.tv_nsec == g->last_time.tv_nsec;
  g->last_size = s.st_size;
  g->last_time = s.st_mtim;
  return !same;
}

static void reload(game *g) {
  tocha_module *brain = load_brain(g);
  if (brain) {
    tocha_module_release(g->brain);
    g->brain = brain;
  } else {
    show_error(g);
  }
}

static void step(game *g, int frame) {
  const double dt = 1.0 / STEPS_PER_SECOND, time = frame * dt;
  double acceleration = 0;
  g->target = sin(time);
  g->target_speed = cos(time);
  g->seen[0] = (float)(g->target - g->position);
  g->seen[1] = (float)g->speed;
  g->seen[2] = (float)g->target_speed;
  if (has_changed(g)) reload(g);
  if (g->brain && !think(g, g->brain, &acceleration)) show_error(g);
  lua_gc(g->L, LUA_GCSTEP, 0); /* a young collection: a microsecond, and no pause later */
  g->speed += acceleration * dt;
  g->position += g->speed * dt;
}

/* In place of somebody at an editor: puts a version where the game finds it. A new file replaces the old one as a whole,
 * so that the game never reads half a script. */
static void edit(int frame) {
  static const struct {
    int second;
    const char *version;
  } edits[] = {{0, "follow.lua"}, {10, "typo.lua"}, {20, "wrong_size.lua"}, {30, "ahead.lua"}};
  char name[64], text[4096];
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    if (frame != edits[i].second * STEPS_PER_SECOND) continue;
    snprintf(name, sizeof name, "versions/%s", edits[i].version);
    printf("second %d: %s\n", edits[i].second, edits[i].version);
    FILE *in = fopen(name, "r"), *out = fopen("brain.new", "w");
    if (in && out) fwrite(text, 1, fread(text, 1, sizeof text, in), out);
    if (in) fclose(in);
    if (out && fclose(out) == 0) rename("brain.new", "brain.lua");
  }
}

/* Returns the bytes of Lua's live objects and of tensors. */
static size_t memory(game *g) {
  lua_gc(g->L, LUA_GCCOLLECT);
  size_t lua = (size_t)lua_gc(g->L, LUA_GCCOUNT) * 1024 + (size_t)lua_gc(g->L, LUA_GCCOUNTB);
  return lua + tocha_memory(g->cx, tocha_cpu()).allocated;
}

static void play(game *g) {
  double distance = 0;
  size_t memory_before = 0;
  for (int frame = 0; frame < SECONDS * STEPS_PER_SECOND; frame++) {
    edit(frame);
    step(g, frame);
    distance += fabs(g->target - g->position);
    if (frame % (10 * STEPS_PER_SECOND) == 10 * STEPS_PER_SECOND - 1) {
      int second = (frame + 1) / STEPS_PER_SECOND;
      if (second <= 50)
        printf("second %d: distance %.2f\n", second, distance / (10 * STEPS_PER_SECOND));
      if (second == 50) memory_before = memory(g);
      distance = 0;
    }
  }
  printf("second %d: memory has %s\n", SECONDS,
         memory(g) <= memory_before + 1024 ? "not grown" : "grown");
}

int main(void) {
  char message[256];
  tocha_lua_options options = {.memory = 64 << 20, .runtime = {.threads = 1}};
  game g = {.L = tocha_lua_new_state(&options, message, sizeof message)};
  if (!g.L) {
    fprintf(stderr, "%s\n", message);
    return EXIT_FAILURE;
  }
  g.cx = tocha_lua_context(g.L);
  tocha_set_inference_mode(g.cx, true);
  play(&g);
  tocha_module_release(g.brain);
  lua_close(g.L);
  return EXIT_SUCCESS;
}
