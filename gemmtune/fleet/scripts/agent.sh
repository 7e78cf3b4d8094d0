#!/bin/sh
# What gemmtune's fleet does on a host: agent.sh VERB [ARGUMENT…]. The same file serves hosts that are reached by ssh,
# this machine, and the tasks of a Slurm array. settings.sh beside it says which folder, program and run are meant.
#
# Words on stdout are lines "key=value" for the program that asked. Names of shards are digits; every other name comes
# from settings.sh, where it is quoted. tar is not told a folder's name, since it reads backslashes in it.
set -u
umask 022
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd) || exit 5
. "$here/settings.sh"
case $folder in /*) ;; *) folder=$HOME/$folder ;; esac
bundle_folder=${bundle_folder:-$folder/bundles/$bundle}
run_folder=${run_folder:-$folder/runs/$run}
[ -n "$program" ] || program=$bundle_folder/bin/gemmtune

say_why() { # the last words of a file as one line
  tail -c 2000 "$1" 2>/dev/null | tr '\n\r' '  '
}

is_running() { # SHARD_FOLDER: its job's process is there, and is one of ours
  job_pid=$(cat "$1/pid" 2>/dev/null) && [ -n "$job_pid" ] && kill -0 "$job_pid" 2>/dev/null &&
    tr '\0' ' ' <"/proc/$job_pid/cmdline" 2>/dev/null | grep -q 'agent.sh job'
}

in_container() {
  [ -n "$container" ]
}

# Runs the program on this host, in its container if there is one.
run_program() {
  if in_container; then
    container_name=gemmtune-$run-${1}
    shift
    export folder container container_engine container_vendor container_name container_shm
    ${limit_words:-} sh "$here/container.sh" "$program" "$@"
  else
    shift
    ${limit_words:-} "$program" "$@"
  fi
}

disk_free() {
  df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { print $4 }'
}

probe_gpus() {
  if command -v nvidia-smi >/dev/null 2>&1; then
    timeout 30 nvidia-smi --query-gpu=index,name,driver_version,utilization.gpu,memory.used,memory.total \
      --format=csv,noheader,nounits 2>/dev/null | sed 's/^/gpu=/'
  elif command -v rocm-smi >/dev/null 2>&1; then
    timeout 30 rocm-smi --showid --showproductname --showuse --showmemuse --showdriverversion --csv 2>/dev/null |
      sed -n '/^card/s/^/rocm=/p'
  fi
}

probe_containers() {
  for engine in docker podman; do
    command -v "$engine" >/dev/null 2>&1 || continue
    timeout 20 "$engine" ps --format '{{.Names}} {{.Image}} {{.Status}}' 2>/dev/null | sed 's/^/container=/'
  done
}

probe() {
  echo "hostname=$(hostname 2>/dev/null || uname -n)"
  echo "system=$(uname -sr)"
  if ! mkdir -p "$folder" 2>"$here/why"; then
    echo "error=cannot make the working folder: $(say_why "$here/why")"
    return
  fi
  echo "folder=$folder"
  echo "disk_free_kb=$(disk_free)"
  probe_gpus
  probe_containers
  [ -f "$bundle_folder/MANIFEST" ] && echo "bundle=there"
  return 0
}

# Once the bundle is there: which devices the program sees, and whether it is our version.
inspect() {
  run_program inspect --version >"$here/version" 2>"$here/why"
  code=$?
  if [ $code -ne 0 ]; then
    echo "error=the program does not start here (exit code $code): $(say_why "$here/why")"
    return
  fi
  echo "version=$(cat "$here/version")"
  if run_program inspect devices --json >"$here/devices" 2>"$here/why"; then
    echo "devices=$(tr -d '\n' <"$here/devices")"
  else
    echo "error=the program finds no devices: $(say_why "$here/why")"
  fi
}

# The bundle as a tar archive on stdin. It takes its place only if every file is what the head has.
receive_bundle() {
  part=$folder/bundles/$bundle.part.$$
  rm -rf "$folder/bundles/$bundle.part."*
  mkdir -p "$part" && (cd "$part" && tar -xf -) || { rm -rf "$part"; exit 5; }
  (cd "$part" && sha256sum -c MANIFEST >"$here/why" 2>&1) || {
    grep -v ': OK$' "$here/why" | head -3 >&2
    rm -rf "$part"
    exit 5
  }
  rm -rf "$bundle_folder"
  mv "$part" "$bundle_folder"
}

check_bundle() {
  [ -f "$bundle_folder/MANIFEST" ] || { echo "bundle=absent"; return; }
  if (cd "$bundle_folder" && sha256sum -c MANIFEST >/dev/null 2>&1); then echo "bundle=sound"; else echo "bundle=damaged"; fi
}

# A shard's inputs as a tar archive on stdin, in place of what was there.
put() {
  shard=$run_folder/$1
  if is_running "$shard"; then echo "its job is running here" >&2; exit 5; fi
  rm -rf "$shard"
  mkdir -p "$shard" && (cd "$shard" && tar -xf -) || { disk_state >&2; exit 5; }
}

disk_state() {
  echo "$(disk_free) kB are free in $folder"
}

start() {
  shard=$run_folder/$1
  [ -f "$shard/exit" ] && return
  is_running "$shard" && return
  setsid sh "$here/agent.sh" job "$1" </dev/null >/dev/null 2>&1 &
  for i in 1 2 3 4 5 6 7 8 9 10; do
    [ -s "$shard/pid" ] && return
    sleep 0.1
  done
}

# The job itself, in a session of its own: it outlives a lost connection. A TERM is for the program, which then writes
# what is finished; this script goes on and records how it ended.
job() {
  cd "$run_folder/$1" || exit 5
  trap : TERM INT HUP
  echo $$ >pid
  ln -sfn "$bundle_folder/files" files # what the user shipped
  . ./arguments.sh
  limit_words="timeout -k 30 $limit"
  run_program "$1" "$@" >out.txt 2>log.txt
  code=$?
  disk_state >disk.txt 2>/dev/null
  echo $code >exit.part && mv exit.part exit
}

# Says how many shapes are done, until the job has ended and its exit code is known.
wait_for() {
  shard=$run_folder/$1
  looks=0
  while :; do
    if [ -f "$shard/exit" ]; then
      echo "exit=$(cat "$shard/exit")"
      return
    fi
    if [ ! -d "$shard" ]; then
      echo "exit=absent"
      return
    fi
    if ! is_running "$shard"; then
      sleep 0.3
      [ -f "$shard/exit" ] && continue
      echo "exit=lost"
      return
    fi
    echo "shapes=$(grep -c '\[[0-9]*/[0-9]*\] ' "$shard/log.txt" 2>/dev/null)"
    looks=$((looks + 1))
    if [ $looks -lt 20 ]; then sleep 0.2; else sleep 1; fi
  done
}

# "absent", "running" or the exit code.
state_of() {
  shard=$run_folder/$1
  if is_running "$shard"; then
    echo "state=running"
  elif [ -f "$shard/exit" ]; then
    echo "state=$(cat "$shard/exit")"
  elif [ -f "$shard/trials.db" ]; then
    echo "state=lost"
  else
    echo "state=absent"
  fi
}

# What a job wrote, as a tar archive on stdout.
get() {
  cd "$run_folder/$1" || exit 5
  tar -cf - --exclude=./arguments.sh --exclude=./pid --exclude=./files .
}

# All that this run left here, but for the program.
drop_run() {
  rm -rf "${run_folder:?}"
}

stop() {
  shard=$run_folder/$1
  is_running "$shard" || return
  kill -TERM "-$job_pid" 2>/dev/null
  for i in $(seq 1 100); do
    is_running "$shard" || return
    sleep 0.2
  done
  kill -KILL "-$job_pid" 2>/dev/null
  in_container && "$container_engine" kill "gemmtune-$run-$1" >/dev/null 2>&1
}

stop_all() {
  for pid_file in "$run_folder"/*/pid; do
    [ -f "$pid_file" ] || continue
    stop "$(basename "$(dirname "$pid_file")")" &
  done
  wait
}

# A task of a Slurm array: the shard in its line of the list. Its folder is on a file system that all nodes share.
slurm() {
  shard=$(sed -n "$((SLURM_ARRAY_TASK_ID + 1))p" "$here/$1")
  [ -n "$shard" ] && [ -d "$run_folder/$shard" ] || exit 3
  [ -f "$run_folder/$shard/exit" ] && return
  node=${SLURMD_NODENAME:-$(uname -n)}
  echo "$node" >"$run_folder/$shard/node"
  calibrate_node || exit 5
  job "$shard"
}

# Each device of a node first measures what all devices measure, and again at times. The head compares the times.
calibrate_node() {
  [ -d "$here/calibration" ] || return 0
  devices=${CUDA_VISIBLE_DEVICES:-${ROCR_VISIBLE_DEVICES:-0}}
  name=$node.$(echo "$devices" | tr -c 'A-Za-z0-9\n' '-')
  known=$here/nodes/$name
  age=$(($(date +%s) - $(date -r "$known/exit" +%s 2>/dev/null || echo 0)))
  if [ ! -f "$known/exit" ] || [ "$age" -gt "$calibration_interval" ]; then
    rm -rf "$known"
    mkdir -p "$known"
    cp "$here/calibration"/* "$known/" || return 1
    echo "$node" >"$known/node"
    shards_folder=$run_folder
    run_folder=$here/nodes
    job "$name"
    run_folder=$shards_folder
  fi
  [ "$(cat "$known/exit")" = 0 ]
}

# For `gemmtune status`: every job of every run in this host's working folder.
report() {
  probe_gpus
  probe_containers
  echo "disk_free_kb=$(disk_free)"
  for pid_file in "$folder"/runs/*/*/pid; do
    [ -f "$pid_file" ] || continue
    shard=$(dirname "$pid_file")
    state=ended
    is_running "$shard" && state=running
    [ "$state" = ended ] && [ ! -f "$shard/exit" ] && state=lost
    echo "job=$(basename "$(dirname "$shard")")/$(basename "$shard")"
    echo "state=$state"
    [ -f "$shard/exit" ] && echo "exit=$(cat "$shard/exit")"
    [ -f "$shard/shapes.csv" ] && echo "of=$(($(wc -l <"$shard/shapes.csv") - 1))"
    echo "shapes=$(grep -c '\[[0-9]*/[0-9]*\] ' "$shard/log.txt" 2>/dev/null)"
    for file in "$shard"/table.csv "$shard"/trials.db "$shard"/log.txt; do
      [ -f "$file" ] && echo "file=$(basename "$file") $(wc -c <"$file") $(date -u -r "$file" +%Y-%m-%dT%H:%M:%SZ)"
    done
    tail -n "${report_lines:-5}" "$shard/log.txt" 2>/dev/null | sed 's/^/log=/'
  done
}

verb=$1
shift
case $verb in
  probe | inspect | put | start | get | stop | report | job | slurm) "$verb" "$@" ;;
  receive-bundle) receive_bundle ;;
  check-bundle) check_bundle ;;
  wait) wait_for "$@" ;;
  state) state_of "$@" ;;
  stop-all) stop_all ;;
  drop-run) drop_run ;;
  put-and-start) put "$1" && start "$1" ;;
  *) echo "agent.sh: unknown verb $verb" >&2; exit 2 ;;
esac
