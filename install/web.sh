# shellcheck shell=sh
# web.sh: `./bootstrap web`: Tocha for a browser (build/web) and the pages with it (build/site). It uses bootstrap's steps.

WEB=$BUILD/web

missing_web_packages() {
  have emcc || echo emscripten
  have python3 || echo python3
  have dpkg-source || echo dpkg-dev # unpacks Lua's source
  have brotli || echo brotli
}

# Emscripten's own tools in JavaScript look for Debian's packages there.
NODE_PATH=${NODE_PATH:-/usr/share/nodejs}
export NODE_PATH

configure_web() {
  install/lua_source "$WEB" &&
    configure "$WEB" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_TOOLCHAIN_FILE="$(em-config EMSCRIPTEN_ROOT)/cmake/Modules/Platform/Emscripten.cmake"
}

# build_web [TARGET...]: tocha for node, the page's module and the tests in C; or these.
build_web() {
  step "configure for a browser" "$BUILD/configure-web.log" configure_web || return 1
  if [ $# -gt 0 ]; then set -- --target "$@"; fi
  step "build for a browser" "$BUILD/build-web.log" cmake --build "$WEB" --parallel "$(cores)" "$@"
}

build_site() {
  build tocha torch && build_web web &&
    step "pages" "$BUILD/site.log" "$BUILD/tocha" docs/make/site.lua "$BUILD/site" "$WEB"
}
