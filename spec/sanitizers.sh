# shellcheck shell=sh
# sanitizers.sh: specs and C tests with AddressSanitizer and UndefinedBehaviorSanitizer, and what runs on several threads with
# ThreadSanitizer.
# run.sh reads this file.

# ---- sanitizers ----

# The compiler's sanitizer library must be loaded before stock Lua, which knows nothing of it.
sanitizer_library() {
  compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$SANITIZED/CMakeCache.txt")
  for name in libasan.so libclang_rt.asan-x86_64.so libclang_rt.asan-aarch64.so; do
    library=$("$compiler" -print-file-name="$name")
    if [ "$library" != "$name" ] && [ -e "$library" ]; then
      echo "$library"
      return
    fi
  done
}

run_sanitized_specs() (
  LD_PRELOAD=$1
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  shift
  export LD_PRELOAD ASAN_OPTIONS UBSAN_OPTIONS
  run_specs "$SANITIZED" 2 "$@"
)

# A fault in a kernel is the sanitizer's to report.
run_sanitized_gpu() (
  TOCHA_CUDA=simulate
  export TOCHA_CUDA
  run_sanitized_specs "$@"
)

# Without oneDNN, whose generated code LeakSanitizer does not survive.
run_leak_check() (
  TOCHA_ONEDNN=off
  export TOCHA_ONEDNN
  ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  export ASAN_OPTIONS UBSAN_OPTIONS
  "$SANITIZED/tocha" "$1"
)

test_sanitized() {
  if ! build_sanitized; then
    failed=$((failed + 1))
    return
  fi
  library=$(sanitizer_library)
  if [ -z "$library" ]; then
    skip "specs with sanitizers" "the compiler has no shared sanitizer library"
  else
    # the tutorials with two threads, for one thread does nothing else; $process_specs is several words
    # shellcheck disable=SC2086,SC2154
    suite "specs with sanitizers" "$BUILD/test-sanitize.log" \
      one_by_one "$(specs_in spec | grep -v -x -F "$(printf '%s\n' $process_specs)")" run_sanitized_specs "$library" --filter-out='one thread$'
    suite "specs of devices with sanitizers" "$BUILD/test-sanitize-devices.log" \
      one_by_one "$(specs_of sanitized_devices)" run_sanitized_gpu "$library"
  fi
  test_c "$SANITIZED" ", sanitized" spec/c/*.c
  if [ -e "$SANITIZED/simulator_spec" ]; then
    counted "simulated GPU, sanitized" "$BUILD/test-simulator-sanitize.log" "$SANITIZED/simulator_spec"
  fi
  for script in examples/*.lua; do
    check "leaks in $script" "$BUILD/test-leaks-$(basename "$script" .lua).log" run_leak_check "$script"
  done
}

# ---- threads ----

# What several threads run at once, for ThreadSanitizer. Without oneDNN and OpenBLAS, whose code it does not see, and without
# lua_interrupt_test, whose limits on time mean nothing at that speed.
thread_tests="distributed_engine_test dlpack_test lua_service_test lua_states_test lua_threads_test module_share_test share_test"

build_for_threads() {
  step "configure with ThreadSanitizer" "$BUILD/configure-threads.log" \
    configure "$BUILD/threads" -DCMAKE_BUILD_TYPE=Debug -DTOCHA_SANITIZE=thread -DTOCHA_LOOPS=native -DTOCHA_BLAS=OFF \
    -DTOCHA_SIMULATOR=OFF || return
  # several words
  # shellcheck disable=SC2086
  step "build with ThreadSanitizer" "$BUILD/build-threads.log" \
    cmake --build "$BUILD/threads" --parallel "$(cores)" --target $thread_tests
}

test_threads() {
  build_for_threads || { failed=$((failed + 1)) && return; }
  export TOCHA_ONEDNN=off TSAN_OPTIONS="suppressions=$PWD/spec/support/gloo.tsan"
  # shellcheck disable=SC2086
  test_c "$BUILD/threads" ", threads" $thread_tests
  unset TOCHA_ONEDNN TSAN_OPTIONS
}
