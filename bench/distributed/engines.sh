#!/bin/sh
# Times all_reduce by the engines of torch.distributed beside what they stand on, in turns: PyTorch's gloo, bare MPI.
#
#   bench/distributed/engines.sh [RANKS]
#
#   PYTHON=python3      a Python with PyTorch
#   BUILD=build         the folder of the build
#   ROUNDS=3            turns; the best of each counts
set -eu
cd "$(dirname "$0")/../.."
ranks=${1:-2} build=${BUILD:-build} rounds=${ROUNDS:-3} python=${PYTHON:-python3}
here=bench/distributed out=$build/bench
mkdir -p "$out"
rm -f "$out"/all_reduce.*
for mpi in openmpi mpich; do
  ! command -v mpicc.$mpi >/dev/null || mpicc.$mpi -O2 $here/bare_mpi.c -o "$out/bare_$mpi"
done
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

# Runs a command once for each rank, its number and the number of ranks appended.
each_rank() {
  folder=$(mktemp -d)
  rank=0
  while [ $rank -lt "$ranks" ]; do
    "$@" $rank "$ranks" "${port:-$folder}" &
    rank=$((rank + 1))
  done
  wait
  rm -rf "$folder"
}

round=0
while [ $round -lt "$rounds" ]; do
  round=$((round + 1))
  port='' each_rank "$build/bench_engine" gloo >>"$out/all_reduce.gloo"
  port=$((29800 + round)) each_rank "$python" $here/gloo.py >>"$out/all_reduce.pytorch" 2>"$out/python.log" || true
  for mpi in openmpi mpich; do
    [ -x "$out/bare_$mpi" ] || continue
    [ $mpi = openmpi ] && more=--oversubscribe || more=
    # one word or none
    # shellcheck disable=SC2086
    mpirun.$mpi $more -n "$ranks" "$build/bench_engine" mpi >>"$out/all_reduce.$mpi"
    # shellcheck disable=SC2086
    mpirun.$mpi $more -n "$ranks" "$out/bare_$mpi" >>"$out/all_reduce.bare_$mpi"
  done
done

awk '{ name = FILENAME; sub(/.*all_reduce\./, "", name); k = name " " $1; names[name]; sizes[$1]
       if (!(k in best) || $2 < best[k]) best[k] = $2 }
     function row(a, b, size) { if ((a " " size) in best && (b " " size) in best)
       printf "%-8s %10d B  %12.1f us  %12.1f us  %.2f\n", a, size, best[a " " size] * 1e6, best[b " " size] * 1e6, best[a " " size] / best[b " " size] }
     END { print "engine    bytes                 engine       beside it  ratio"
       for (s = 4; s <= 67108864; s *= s < 65536 ? 128 : 4) {
         row("gloo", "pytorch", s); row("openmpi", "bare_openmpi", s); row("mpich", "bare_mpich", s) } }' "$out"/all_reduce.*
