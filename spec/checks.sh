# shellcheck shell=sh
# checks.sh: what the source code is checked by: luacheck, clang-format, clang-tidy, and nvcc, whose kernels are read and counted;
# and a host under valgrind.
# run.sh reads this file.

# ---- source code ----

sources() {
  find runtime bindings cuda examples spec/c bench \
    \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' \) 2>/dev/null | sort
}

check_format() { sources | xargs clang-format --dry-run -Werror; }

# Prints compile_commands.json with each file once: what is compiled for every instruction set and type
# (runtime/loops.cmake) is read as the last of them.
one_command_a_file() {
  awk '/^[{]/ { entry = "{" }
    /^  / { entry = entry "\n" $0 }
    /^  "file":/ { entries[$2] = entry }
    END { for (file in entries) { printf "%s%s\n}", comma ? ",\n" : "[\n", entries[file]; comma = 1 } print "\n]" }' \
    "$BUILD/compile_commands.json"
}

# Prints the C files that clang-tidy has to read: those changed since it last passed, or all if a header changed.
untidied() {
  stamp=$BUILD/clang-tidy.stamp
  newer=
  if [ -e "$stamp" ] && [ -z "$(find runtime bindings cuda examples .clang-tidy CMakeLists.txt \
    \( -name '*.h' -o -name '*.def' -o -name .clang-tidy -o -name CMakeLists.txt \) \
    -newer "$stamp" 2>/dev/null)" ]; then
    newer="-newer $stamp"
  fi
  # $newer is two words or none
  # shellcheck disable=SC2086
  find runtime bindings examples -name '*.c' $newer 2>/dev/null
}

# Prints the C files that differ from the last commit.
uncommitted() {
  git status --porcelain --untracked-files=all runtime bindings examples 2>/dev/null | sed -n 's/^.[^D] \(.* -> \)*\(.*\.c\)$/\2/p'
}

# tidy FILE...: runs clang-tidy on those of the files that are compiled.
tidy() {
  mkdir -p "$BUILD/tidy"
  one_command_a_file >"$BUILD/tidy/compile_commands.json"
  files=$(for name in "$@"; do
    if grep -q "/$name\"" "$BUILD/tidy/compile_commands.json"; then echo "$name"; fi
  done)
  [ -z "$files" ] || echo "$files" | xargs -n 1 -P "$(cores)" clang-tidy -p "$BUILD/tidy" --quiet --warnings-as-errors='*'
}

# names of files have no spaces
# shellcheck disable=SC2046
tidy_all() { tidy $(untidied) && touch "$BUILD/clang-tidy.stamp"; }
# shellcheck disable=SC2046
tidy_uncommitted() { tidy $(uncommitted); }

# check_with TOOL COMMAND...
check_with() {
  tool=$1
  shift
  if have "$tool"; then
    check "$tool" "$BUILD/test-$tool.log" "$@"
  else
    skip "$tool" "it is not installed"
  fi
}

check_sources() {
  check_with luacheck luacheck -q .
  check_with clang-format check_format
  check_with clang-tidy tidy_all
}

# absent NAME REASON: a tool that not even CI has to have.
absent() {
  say skipped "$1" "$2"
  skipped=$((skipped + 1))
}

# beside FOLDER: the programs, beside another build of the plug-in.
beside() { cp "$BUILD/tocha" "$BUILD"/libtocha.so* "$BUILD/torch.so" "$1/"; }

# Finds cuobjdump and nvdisasm, which it calls: $CUOBJDUMP, the toolkit's, or NVIDIA's packages of PyPI, kept in the
# build folder.
find_cuobjdump() {
  fetched=$BUILD/cuobjdump/nvidia/cu13/bin
  PATH=$PATH:/usr/local/cuda/bin:$fetched
  if ! have "${CUOBJDUMP:-cuobjdump}"; then
    python3 -m pip install --quiet --no-deps --target "$BUILD/cuobjdump" \
      'nvidia-cuda-cuobjdump>=13,<14' 'nvidia-cuda-nvdisasm>=13,<14' >"$BUILD/cuobjdump.log" 2>&1
  fi
  have "${CUOBJDUMP:-cuobjdump}"
}

# The plug-in for real GPUs, for one architecture: where there is a CUDA toolkit, nvcc must take the kernels. What it
# makes of them is read, and what the host does for an operator counted.
check_cuda() {
  if ! have nvcc && [ ! -x /usr/local/cuda/bin/nvcc ]; then
    absent "nvcc takes the kernels" "there is no CUDA toolkit"
    return
  fi
  folder=$BUILD/cuda-check
  step "configure for CUDA" "$BUILD/configure-cuda.log" configure "$folder" \
    -DCMAKE_BUILD_TYPE=Release -DTOCHA_CUDA=on -DTOCHA_CUDA_ARCHITECTURES=90 -DTOCHA_SIMULATOR=OFF
  check "nvcc takes the kernels" "$BUILD/test-cuda.log" \
    cmake --build "$folder" --parallel "$(cores)" --target tocha_cuda_null
  if [ -e "$folder/null" ] && find_cuobjdump; then
    counted "registers and instructions of kernels" "$BUILD/test-sass.log" "$LUA" spec/cuda/sass/check.lua "$folder"
  else
    absent "registers and instructions of kernels" "there is no cuobjdump, and pip brings none"
  fi
  if have valgrind && [ -e "$folder/null" ]; then
    beside "$folder/null"
    counted "the host's instructions an operator" "$BUILD/test-null.log" "$LUA" spec/cuda/null/check.lua "$folder/null"
    counted "launches of operators and networks" "$BUILD/test-families.log" "$LUA" spec/cuda/null/families.lua "$folder/null"
  else
    skip "the host's instructions an operator" "valgrind is not installed"
  fi
}

# ---- a host, under valgrind ----

# Valgrind knows no AVX-512: OpenBLAS asks the processor that valgrind imitates.
run_host_under_valgrind() (
  unset OPENBLAS_CORETYPE
  OMP_NUM_THREADS=1
  export OMP_NUM_THREADS
  valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
    "$BUILD/host"
)

test_host() {
  if [ ! -x "$BUILD/host" ]; then
    say FAILED "C host program" "$BUILD/host was not built"
    failed=$((failed + 1))
  elif have valgrind; then
    check "C host program under valgrind" "$BUILD/test-host.log" run_host_under_valgrind
  else
    skip "C host program under valgrind" "it is not installed"
  fi
}
