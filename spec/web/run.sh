# shellcheck shell=sh
# run.sh: `./bootstrap test web`: the build for browsers, in node and in a browser. spec/run.sh and install/web.sh are there already.

# What the page's module may weigh, compressed as a server sends it, in bytes.
MOST_BROTLI=1300000
MOST_GZIP=1700000

check_web_size() {
  small=$(brotli -c -q 11 -w 24 "$WEB/tocha_web.wasm" | wc -c)
  gzipped=$(gzip -9 -c "$WEB/tocha_web.wasm" | wc -c)
  echo "tocha_web.wasm: $(wc -c <"$WEB/tocha_web.wasm") bytes, $gzipped by gzip (at most $MOST_GZIP), $small by brotli (at most $MOST_BROTLI)"
  [ "$small" -le "$MOST_BROTLI" ] && [ "$gzipped" -le "$MOST_GZIP" ]
}

# Runs the examples of the help in an empty folder, where they leave files.
run_web_help() (
  project=$PWD
  folder=$(mktemp -d) || exit 1
  trap 'rm -rf "$folder"' EXIT
  cd "$folder" || exit 1
  "$project/$WEB/tocha" "$project/spec/web/help_test.lua"
)

# run_web_specs ARGUMENT...: specs that start the program, which is Tocha for node here.
run_web_specs() (
  LUA_CPATH="$BUILD/?.so;;"
  TOCHA_JUNK_CALLS=${TOCHA_JUNK_CALLS:-100000}
  export LUA_CPATH TOCHA_JUNK_CALLS
  run_specs "$WEB" 1 "$@"
)

# Tests the playground, the pages and their Run buttons in Chromium.
test_site() {
  if ! have chromedriver || ! have python3; then
    absent "the site in a browser" "chromium-driver or python3 is not installed"
    return
  fi
  build_site || { failed=$((failed + 1)) && return; }
  counted "the site in Chromium" "$BUILD/test-web-site.log" python3 spec/web/browser_test.py "$BUILD/site"
  if have firefox-esr || have firefox; then
    counted "the playground in Firefox" "$BUILD/test-web-firefox.log" python3 spec/web/firefox_test.py "$BUILD/site"
  else
    absent "the playground in Firefox" "firefox-esr is not installed"
  fi
}

test_web() {
  if ! have emcc; then
    absent "the build for browsers" "emscripten is not installed (./bootstrap web installs it)"
    return
  fi
  build_tests || return
  build_web || { failed=$((failed + 1)) && return; }
  check "size of the page's module" "$BUILD/test-web-size.log" check_web_size
  counted "the page's module in node" "$BUILD/test-web-page.log" node --no-experimental-fetch spec/web/page_test.js "$WEB"
  test_site
  counted "examples of the help, in node" "$BUILD/test-web-help.log" run_web_help
  # several words
  # shellcheck disable=SC2046
  test_c "$WEB" ", in node" $(cat "$WEB/tests.txt")
  # without the program that lists folders by a shell
  suite "programs and junk, in node" "$BUILD/test-web-specs.log" \
    one_by_one "spec/examples/programs_spec.lua spec/sound/junk_spec.lua" run_web_specs --filter-out=04_custom_datasets
  # without the blocks that are about shared libraries: a host in C, the module for stock Lua, what CUDA's plug-in says
  suite "blocks of the pages, in node" "$BUILD/test-web-blocks.log" run_web_specs --filter-out=is.a.program \
    --filter-out=docs/testing.md.has --filter-out=prints.what.it.says spec/docs/blocks_spec.lua
  suite "tutorials, in node" "$BUILD/test-web-tutorials.log" run_web_specs --filter=in.tocha,.one.thread spec/examples/tutorials_spec.lua
}
