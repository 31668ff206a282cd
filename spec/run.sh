# shellcheck shell=sh
# run.sh: `./bootstrap test`, which reads this file and calls run_tests. It uses bootstrap's steps, builds and folders.

passed=0
failed=0
skipped=0

# ---- counting ----

# check NAME LOG COMMAND...: a step that counts as one test.
check() {
  if step "$@"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
}

# skip NAME REASON: visible; in CI, where every tool is expected, a failure.
skip() {
  if [ "${CI:-}" = true ]; then
    say FAILED "$1" "$2"
    failed=$((failed + 1))
  else
    say skipped "$1" "$2"
    skipped=$((skipped + 1))
  fi
}

# counted NAME LOG COMMAND...: a program that closes with "N passed, M failed"; one that counts nothing is one
# test.
counted() {
  counted_log=$2
  step "$@"
  counted_status=$?
  counts=$(sed -n 's|^\([0-9]*\) passed, \([0-9]*\) failed.*|\1 \2|p' "$counted_log" | tail -n 1)
  if [ -z "$counts" ]; then
    if [ "$counted_status" -eq 0 ]; then counts="1 0"; else counts="0 1"; fi
  fi
  # two numbers
  # shellcheck disable=SC2086
  set -- $counts
  passed=$((passed + $1))
  failed=$((failed + $2))
  if [ "$counted_status" -ne 0 ] && [ "$2" -eq 0 ]; then failed=$((failed + 1)); fi
}

# Which tests of the suite are pending and why; what an earlier suite has shown is not shown again.
show_pending() {
  shown=$BUILD/test-pending.txt
  touch "$shown"
  grep -A 1 '^Pending' "$suite_log" | grep -v '^--\|^Pending' | sort -u | grep -v -x -F -f "$shown" >"$shown.new"
  sed 's/^/         pending: /' "$shown.new"
  cat "$shown.new" >>"$shown"
  rm -f "$shown.new"
}

# suite NAME LOG COMMAND...: runs busted, once or for several files, and adds up what it counted.
suite() {
  suite_name=$1 suite_log=$2
  if ! have busted; then
    skip "$suite_name" "busted is not installed"
    return
  fi
  step "$@"
  suite_status=$?
  counts=$(sed -n 's|^\([0-9]*\) success[a-z]* / \([0-9]*\) failure[a-z]* / \([0-9]*\) error[a-z]* / \([0-9]*\) pending.*|\1 \2 \3 \4|p' \
    "$suite_log" | awk '{ for (i = 1; i <= 4; i++) sum[i] += $i } END { if (NR) print sum[1], sum[2], sum[3], sum[4] }')
  if [ -z "$counts" ]; then
    say FAILED "$suite_name" "it ended without a summary"
    failed=$((failed + 1))
    return
  fi
  # four numbers
  # shellcheck disable=SC2086
  set -- $counts
  say "" "" "$1 passed, $(($2 + $3)) failed, $4 pending"
  passed=$((passed + $1))
  failed=$((failed + $2 + $3))
  skipped=$((skipped + $4))
  show_pending
  if [ "$suite_status" -ne 0 ] && [ $(($2 + $3)) -eq 0 ]; then
    failed=$((failed + 1)) # all tests passed and yet busted did not end well
  elif [ "$1" -eq 0 ]; then
    say FAILED "$suite_name" "no test ran"
    failed=$((failed + 1))
  fi
}

# ---- steps beside others ----

# aside COMMAND...: runs steps in the background, with what other steps leave of the processors. join_aside waits for them, shows
# what they said, and adds up what they counted.
aside() {
  aside_folder=$(mktemp -d) || return
  (
    renice -n 19 -p "$(exec sh -c 'echo $PPID')" >/dev/null 2>&1
    passed=0 failed=0 skipped=0
    "$@" >"$aside_folder/log" 2>&1
    echo "$passed $failed $skipped" >"$aside_folder/counts"
  ) &
  aside_process=$!
  trap 'kill 0' INT # a shell's background ignores Ctrl-C
}

join_aside() {
  wait "$aside_process"
  trap - INT
  cat "$aside_folder/log"
  counts=$(cat "$aside_folder/counts" 2>/dev/null)
  # three numbers
  # shellcheck disable=SC2086
  set -- ${counts:-0 1 0}
  passed=$((passed + $1))
  failed=$((failed + $2))
  skipped=$((skipped + $3))
  rm -rf "$aside_folder"
}

# ---- busted for several files ----

# work LOGS FILES COMMAND...: runs busted by the command with each file that nobody has claimed. FILE:2/4 is the second
# of four parts of a file that walks the list of operators.
work() {
  logs=$1 files=$2
  shift 2
  for file in $files; do
    claim=$logs/$(echo "$file" | tr / .)
    if mkdir "$claim" 2>/dev/null; then
      started=$(now)
      case $file in
      *:*) OPS_PART=${file#*:} ;;
      *) OPS_PART=1/1 ;;
      esac
      export OPS_PART
      "$@" "${file%:*}" >"$claim/log" 2>&1
      echo $? >"$claim/status"
      if ! grep -q '^[0-9]* success' "$claim/log"; then
        echo "0 successes / 0 failures / 1 error / 0 pending: $file ended without a summary" >>"$claim/log"
      fi
      echo "$(($(now) - started)) s $file" >"$claim/time"
    fi
  done
}

# one_by_one FILES COMMAND...: runs the command with each file, a process for each core at a time; shows what they
# said; fails if one failed.
one_by_one() (
  folder=$(mktemp -d) || exit 1
  trap 'rm -rf "$folder"' EXIT
  core=$(cores)
  while [ "$core" -gt 0 ]; do
    work "$folder" "$@" &
    core=$((core - 1))
  done
  wait
  cat "$folder"/*/log
  sort -rn "$folder"/*/time
  ! cat "$folder"/*/status | grep -q -v -x 0
)

# The specs below files and folders. The longest begin, and ops_spec, longer than all others, comes in four parts.
specs_in() {
  find "$@" -name '*_spec.lua' | sort |
    sed 's|.*/ops_spec.lua|0 &:1/4\n0 &:2/4\n0 &:3/4\n0 &:4/4|; s|.*/notebook_spec|0 &|; s|.*/memory_spec|0 &|; s|.*/sound/|0 &|; t; s|^|1 |' |
    sort -s -k 1,1 | cut -d ' ' -f 2
}

# The specs of a task of .busted.
specs_of() {
  # several words
  # shellcheck disable=SC2046
  specs_in $(echo 'print(table.concat(dofile(".busted")[arg[1]].ROOT, " "))' | "$LUA" - "$1")
}

# Several processes with deadlines, which mean nothing with sanitizers.
process_specs="spec/distributed/death_spec.lua spec/distributed/elastic_spec.lua spec/distributed/engines_spec.lua
  spec/distributed/hosts_spec.lua spec/distributed/launcher_spec.lua spec/distributed/mistakes_spec.lua spec/distributed/nccl_groups_spec.lua spec/distributed/nccl_spec.lua
  spec/distributed/observation_spec.lua spec/distributed/segments_spec.lua spec/distributed/spawn_spec.lua"
# What measures time runs alone.
timed_specs="spec/lua/interrupts_spec.lua spec/lua/threads_spec.lua $(for file in $process_specs; do if [ -e "$file" ]; then echo "$file"; fi; done)"
untimed_specs() {
  # several words
  # shellcheck disable=SC2086
  specs_in spec | grep -v -x -F "$(printf '%s\n' $timed_specs)"
}

# The last line is the one to read.
report() {
  if [ "$skipped" -gt 0 ]; then echo "$skipped skipped (see above)"; fi
  echo "$passed passed, $failed failed"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

# ---- building ----

# What the tests need; the simulated GPU's own tests where there is a C++ compiler.
test_targets() {
  echo all
  if have_cxx; then echo simulator_spec; fi
}

# Once, whatever is tested; a build that fails is a failure.
build_tests() {
  if [ -z "${is_built:-}" ]; then
    is_built=no
    # shellcheck disable=SC2046
    if build $(test_targets); then is_built=yes; else failed=$((failed + 1)); fi
    name_blas_kernels
  fi
  [ "$is_built" = yes ]
}

# With the loops that will run.
# shellcheck disable=SC2046
build_sanitized() {
  step "configure with sanitizers" "$BUILD/configure-sanitize.log" \
    configure "$SANITIZED" -DCMAKE_BUILD_TYPE=Debug -DTOCHA_SANITIZE=ON -DTOCHA_LOOPS=native &&
    step "build with sanitizers" "$BUILD/build-sanitize.log" \
      cmake --build "$SANITIZED" --parallel "$(cores)" --target $(test_targets) || return
  name_blas_kernels
}

# shellcheck source=/dev/null
for part in spec/checks.sh spec/sanitizers.sh install/web.sh spec/web/run.sh; do . "$part"; done

# ---- specs, on the CPU and on the simulated GPU ----

# What drives notebooks in the specs, where pip brings it: $TOCHA_JUPYTER, a Python with the packages kept in the build
# folder.
find_jupyter() {
  folder=$BUILD/jupyter
  if [ -n "${TOCHA_JUPYTER:-}" ] || ! have python3; then return; fi
  if [ ! -e "$folder/python" ] &&
    python3 -m pip install --quiet --target "$folder" jupyter_client nbconvert >"$folder.log" 2>&1; then
    printf '#!/bin/sh\nPYTHONPATH=%s exec python3 "$@"\n' "$PWD/$folder" >"$folder/python"
    chmod +x "$folder/python"
  fi
  if [ -e "$folder/python" ]; then export TOCHA_JUPYTER="$PWD/$folder/python"; fi
}

# A file of specs that hangs ends after half an hour, where there is GNU's timeout; Ctrl-C still reaches it.
limit=
if timeout --foreground 1 true 2>/dev/null; then limit="timeout --foreground 1800"; fi

# run_specs FOLDER THREADS ARGUMENT...: busted with what was built there; .busted says the rest.
run_specs() (
  TOCHA=$1/tocha OMP_NUM_THREADS=$2
  export TOCHA OMP_NUM_THREADS LUA
  shift 2
  busted=$(command -v busted)
  # $limit is several words or none
  # shellcheck disable=SC2086
  if head -n 1 "$busted" | grep -q lua; then
    $limit "$LUA" "$busted" --output=plainTerminal "$@"
  else
    $limit "$busted" --output=plainTerminal "$@" # a wrapper made by luarocks
  fi
)

# run_on_simulated_gpu ORDER CACHE ARGUMENT...: specs where two GPUs are simulated. Threads of a block run in that
# order (ascending, descending); the caching allocator is on or off.
run_on_simulated_gpu() (
  TOCHA_CUDA=simulate TOCHA_SIMULATOR_FAULTS=1 TOCHA_SIMULATED_GPUS=2 TOCHA_SIMULATOR_ORDER=$1
  TOCHA_CUDA_CACHE=$2
  export TOCHA_CUDA TOCHA_SIMULATOR_FAULTS TOCHA_SIMULATED_GPUS TOCHA_SIMULATOR_ORDER TOCHA_CUDA_CACHE
  shift 2
  run_specs "$BUILD" 1 "$@"
)

# The specs that know nothing of devices, with their tensors on cuda:0.
run_moved_to_gpu() (
  TOCHA_SPEC_DEVICE=cuda:0
  export TOCHA_SPEC_DEVICE
  run_on_simulated_gpu "$@"
)

# run_strict ARGUMENT...: specs on the simulated GPU that checks alignments and cuts walks early.
run_strict() (
  TOCHA_CUDA=simulate TOCHA_SIMULATOR_FAULTS=1
  export TOCHA_CUDA TOCHA_SIMULATOR_FAULTS
  run_specs "$BUILD/strict" 1 "$@"
)
run_strict_moved() (
  TOCHA_SPEC_DEVICE=cuda:0
  export TOCHA_SPEC_DEVICE
  run_strict "$@"
)

test_strict() {
  step "build the strict simulated GPU" "$BUILD/build-strict.log" \
    cmake --build "$BUILD" --parallel "$(cores)" --target tocha_cuda_strict || { failed=$((failed + 1)) && return; }
  beside "$BUILD/strict"
  suite "specs of devices, strict" "$BUILD/test-strict.log" one_by_one "$(specs_of strict)" run_strict
  suite "operators on a simulated GPU, strict" "$BUILD/test-strict-moved.log" \
    one_by_one "$(specs_in spec/ops/ops_spec.lua)" run_strict_moved
}

# run_perturbed ARGUMENT...: runs specs on the simulated GPU whose functions and sums differ in the last digits.
run_perturbed() (
  TOCHA_CUDA=simulate TOCHA_SIMULATOR_FAULTS=1
  export TOCHA_CUDA TOCHA_SIMULATOR_FAULTS
  run_specs "$BUILD/perturbed" 1 "$@"
)
run_perturbed_moved() (
  TOCHA_SPEC_DEVICE=cuda:0
  export TOCHA_SPEC_DEVICE
  run_perturbed "$@"
)

# Finds specs that depend on last digits, which may differ on a GPU. It builds for minutes: run it weekly and before a GPU is there.
test_perturbed() {
  build_tests || return
  step "build the perturbed simulated GPU" "$BUILD/build-perturbed.log" \
    cmake --build "$BUILD" --parallel "$(cores)" --target tocha_cuda_perturbed || { failed=$((failed + 1)) && return; }
  beside "$BUILD/perturbed"
  suite "specs of devices, perturbed" "$BUILD/test-perturbed.log" one_by_one "$(specs_of devices)" run_perturbed
  suite "specs on a simulated GPU, perturbed" "$BUILD/test-perturbed-moved.log" \
    one_by_one "$(specs_of of_any_device)" run_perturbed_moved
}

# Checks that the package for a machine with a GPU runs with nothing but its own contents.
check_package() {
  check "the package for a GPU runs on its own" "$BUILD/test-package.log" \
    env TOCHA_CUDA=simulate BUILD="$BUILD" OUTPUT="$BUILD/card-simulated.tgz" bench/pack_card
}

# The specs of devices in both orders of threads: these files.
test_on_simulated_gpu() {
  if [ ! -e "$BUILD/simulator_spec" ]; then
    skip "simulated GPU" "there is no C++ compiler"
    return
  fi
  for order in ascending descending; do
    suite "specs of devices, $order" "$BUILD/test-devices-$order.log" \
      one_by_one "$1" run_on_simulated_gpu $order on
  done
}

# The same kernels as on a real GPU, compiled for this processor. The specs that know nothing of devices run once, with the last
# thread of a block first and every tensor an allocation of its own; the strict pass below has the first thread first.
test_devices() {
  build_tests || return
  if [ -e "$BUILD/simulator_spec" ]; then
    counted "simulated GPU" "$BUILD/test-simulator.log" "$BUILD/simulator_spec"
    suite "specs on a simulated GPU" "$BUILD/test-moved.log" \
      one_by_one "$(specs_of of_any_device)" run_moved_to_gpu descending off
  fi
  test_on_simulated_gpu "$(specs_of devices)"
  if [ -e "$BUILD/simulator_spec" ]; then
    test_strict
    if have busted; then check_package; fi
  fi
}

# Settings that must not change results: kernels of OpenBLAS for other processors, our own loops' instructions, libraries.
numbers_settings="OPENBLAS_CORETYPE=Haswell,TOCHA_ISA=avx2 OPENBLAS_CORETYPE=Zen OPENBLAS_CORETYPE=SkylakeX
  OPENBLAS_CORETYPE=Sandybridge OPENBLAS_CORETYPE=Prescott TOCHA_ISA=avx2 TOCHA_ISA=baseline TOCHA_ONEDNN=off
  TOCHA_BLAS=off TOCHA_BLAS=off,TOCHA_ONEDNN=off,TOCHA_ISA=avx2 TOCHA_DIGITS=fast"

# run_specs_with SETTING FOLDER ARGUMENT...: runs specs under the setting, variables of the environment separated by commas.
run_specs_with() (
  for variable in $(echo "$1" | tr , ' '); do export "${variable?}"; done
  folder=$2
  shift 2
  run_specs "$folder" 1 "$@"
)

# test_numbers_with SPECS SETTING...: runs specs under each setting.
test_numbers_with() {
  files=$1
  shift
  for setting in "$@"; do
    suite "numbers, $setting" "$BUILD/test-numbers-$(echo "$setting" | tr -c 'A-Za-z0-9\n' -).log" \
      one_by_one "$files" run_specs_with "$setting" "$BUILD"
  done
}

# Runs the specs of numbers under all settings, and without SLEEF, which takes a build.
test_numbers() {
  build_tests || return
  # several words
  # shellcheck disable=SC2086
  test_numbers_with "$(specs_of numbers)" $numbers_settings
  step "configure without SLEEF" "$BUILD/configure-no-sleef.log" \
    configure "$BUILD/no-sleef" -DCMAKE_BUILD_TYPE=Release -DTOCHA_SLEEF=OFF -DTOCHA_LOOPS=native &&
    step "build without SLEEF" "$BUILD/build-no-sleef.log" \
      cmake --build "$BUILD/no-sleef" --parallel "$(cores)" --target tocha torch ||
    { failed=$((failed + 1)) && return; }
  suite "numbers, without SLEEF" "$BUILD/test-numbers-no-sleef.log" \
    one_by_one "$(specs_of numbers)" run_specs "$BUILD/no-sleef" 1
}

test_ops() {
  build_tests || return
  suite "specs of operators" "$BUILD/test-ops.log" one_by_one "$(specs_of ops)" run_specs "$BUILD" 2
}

# ---- C ----

# run_c FOLDER LOGS NAME...: runs test programs that nobody has claimed; leaves what each said, its status and its seconds.
run_c() {
  programs=$1 logs=$2
  shift 2
  for name in "$@"; do
    if mkdir "$logs/$name" 2>/dev/null; then
      started=$(now)
      "$programs/$name" >"$logs/$name/log" 2>&1
      echo "$? $(($(now) - started))" >"$logs/$name/status"
    fi
  done
}

# replay FOLDER: says again what a program said, and ends as it did.
replay() {
  cat "$1/log"
  return "$(cut -d ' ' -f 1 "$1/status")"
}

# test_c FOLDER TITLE PROGRAM...: test programs in C, one for each core at a time, the longest first; most close with
# "N passed, M failed".
test_c() {
  folder=$1 title=$2
  shift 2
  c_tests=$(for source in "$@"; do basename "$source" .c; done | sed -E 's/^(null|lua_memory|lua_service|runtime)_test$/0 &/; t; s/^/1 /' | sort | cut -d ' ' -f 2)
  logs=$(mktemp -d) || return
  (
    core=$(cores)
    while [ "$core" -gt 0 ]; do
      # several words
      # shellcheck disable=SC2086
      run_c "$folder" "$logs" $c_tests &
      core=$((core - 1))
    done
    wait
  )
  for name in $c_tests; do
    step_took=$(cut -d ' ' -f 2 "$logs/$name/status")
    counted "$name$title" "$BUILD/test-$name-$(basename "$folder").log" replay "$logs/$name"
  done
  step_took=
  rm -rf "$logs"
}

# ---- what to run ----

test_quick() {
  build_tests || return
  check_with luacheck luacheck -q .
  check_with clang-tidy tidy_uncommitted
  test_c "$BUILD" "" spec/c/*.c
  suite "quick specs" "$BUILD/test-quick.log" one_by_one "$(specs_of quick)" run_specs "$BUILD" 1 --run=quick
}

# What reads the sources and compiles, since other steps leave a processor idle at times. A build that fails here fails again, and is
# counted, where its tests begin.
read_and_compile() {
  check_sources
  check_cuda
  build_sanitized
  build_for_threads
}

test_everything() {
  build_tests || return
  # shellcheck disable=SC2086
  suite "specs that measure time" "$BUILD/test-timed.log" run_specs "$BUILD" 2 $timed_specs
  aside read_and_compile
  test_c "$BUILD" "" spec/c/*.c
  find_jupyter
  suite "specs" "$BUILD/test-specs.log" one_by_one "$(untimed_specs)" run_specs "$BUILD" 2
  # the processor that most people have; the other settings: test numbers
  test_numbers_with "$(specs_of numbers)" OPENBLAS_CORETYPE=Haswell,TOCHA_ISA=avx2
  test_numbers_with "$(specs_in spec/ops/ops_spec.lua)" TOCHA_DIGITS=fast
  test_devices
  test_host
  test_web
  join_aside
  test_threads
  test_sanitized
}

# Prints the files and folders of spec/ that a name means: reduction, golden, nn_test, spec/nn, spec/ops/ops_spec.lua.
named() {
  found=
  for file in "spec/$1" "spec"/*/"$1" "spec"/*/"$1.lua" "spec"/*/"$1_spec.lua" "spec/c/$1.c" "$1"; do
    case $file in
    spec/*)
      if [ -e "$file" ]; then
        echo "$file"
        found=yes
      fi
      ;;
    esac
  done
  [ -n "$found" ]
}

# is_operator NAME: an entry of the lists has this name, or overloads of it.
is_operator() { cat runtime/ops/*/*.lua | grep -q "^op \"$1[\".]"; }

# test_operators NAME...: what specs that walk the list ask of these operators, and the samples of their gradients.
test_operators() {
  build_tests || return
  export OPS="$*"
  suite "specs of $OPS" "$BUILD/test-operators.log" \
    run_specs "$BUILD" 2 spec/ops/ops_spec.lua spec/ops/awkward_gradients_spec.lua
  unset OPS
}

# test_named FILE...: each where it means something.
test_named() {
  build_tests || return
  specs='' of_devices=''
  for file in "$@"; do
    case $file in
    *.c) test_c "$BUILD" "" "$file" ;;
    spec/c) test_c "$BUILD" "" spec/c/*.c ;;
    spec/cuda*) counted "simulated GPU" "$BUILD/test-simulator.log" "$BUILD/simulator_spec" ;;
    spec/devices*) of_devices="$of_devices $file" ;;
    *) specs="$specs $file" ;;
    esac
  done
  # several words
  # shellcheck disable=SC2086
  if [ -n "$specs" ]; then suite "specs" "$BUILD/test-named.log" one_by_one "$(specs_in $specs)" run_specs "$BUILD" 2; fi
  # shellcheck disable=SC2086
  if [ -n "$of_devices" ]; then test_on_simulated_gpu "$(specs_in $of_devices)"; fi
}

# Threads that wait sleep, so that a busy machine, or two suites at once, do not take many times as long.
OMP_WAIT_POLICY=passive
export OMP_WAIT_POLICY

# Stock Lua leaves the environment alone, so OpenBLAS would take kernels of 2004, with other digits, on processors newer than
# itself; specs take those that tocha takes.
name_blas_kernels() {
  blas_kernels=$("$BUILD/tocha" --doctor 2>/dev/null | sed -n 's/^blas .*, kernels for \([A-Za-z]*\)$/\1/p')
  if [ -n "$blas_kernels" ]; then export OPENBLAS_CORETYPE="${OPENBLAS_CORETYPE:-$blas_kernels}"; fi
}

# run_tests [quick|ops|numbers|devices|sanitized|threads|perturbed|web|NAME|OPERATOR...]: without words, everything but numbers and perturbed.
run_tests() {
  rm -f "$BUILD/test-pending.txt"
  [ $# -gt 0 ] || set -- everything
  names='' operators=''
  for word in "$@"; do
    case $word in
    everything | quick | ops | numbers | devices | sanitized | threads | perturbed | web) ;;
    *)
      if found=$(named "$word"); then
        names="$names $found"
      elif is_operator "$word"; then
        operators="$operators $word"
      else
        die "spec/ has no '$word', nor have the lists of operators"
      fi
      ;;
    esac
  done
  for word in "$@"; do
    case $word in
    everything | quick | ops | numbers | devices | sanitized | threads | perturbed | web) "test_$word" ;;
    esac
  done
  # several words
  # shellcheck disable=SC2086
  if [ -n "$names" ]; then test_named $names; fi
  # shellcheck disable=SC2086
  if [ -n "$operators" ]; then test_operators $operators; fi
  report
}
