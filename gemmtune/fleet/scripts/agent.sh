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
files_folder=${files_folder:-$folder/bundles/$files_bundle}
run_folder=${run_folder:-$folder/runs/$run}
[ -n "$program" ] || program=$bundle_folder/bin/gemmtune

say_why() { # the last words of a file as one line
  tail -c 2000 "$1" 2>/dev/null | tr '\n\r' '  '
}

# A job holds two locks from before it begins until it has ended: its shard's, which tells whether it runs, and its
# device's, beside which nothing is measured. They are this host's own, also where the working folder is not.
locks=/tmp/gemmtune-locks-$(id -u)/$(printf %s "$folder" | cksum | tr ' ' -)

# Another request may hold a shard's lock for a moment: that is no running job, and ends by itself. A job says its
# process.
is_running() { # SHARD [RUN]
  job_folder=$run_folder/$1
  [ -z "${2:-}" ] || job_folder=$folder/runs/$2/$1
  looks=0
  while :; do
    flock -s -n -E 75 "$locks/${2:-$run}-$1" true 2>/dev/null
    [ $? -eq 75 ] || return 1
    holder=$(cat "$job_folder/pid" 2>/dev/null)
    if [ -n "$holder" ] && kill -0 "$holder" 2>/dev/null; then return 0; fi
    looks=$((looks + 1))
    [ "$looks" -lt 100 ] || return 0
    sleep 0.1
  done
}

# The shard's lock, as descriptor 8. False if its job runs.
lock_shard() { # SHARD
  ! is_running "$1" && exec 8>>"$locks/$run-$1" && flock -w 10 8
}

processes_in() { # FOLDER: those whose working folder it is
  [ -d "$1" ] || return
  find /proc -maxdepth 2 -name cwd -printf '%h %l\n' 2>/dev/null |
    real=$(readlink -f "$1") awk 'substr($0, index($0, " ") + 1) == ENVIRON["real"] { print substr($1, 7) }'
}

# What is left of a job whose script was killed must not go on beside the next try.
end_the_rest_of() { # SHARD
  for process in $(processes_in "$run_folder/$1"); do kill -KILL "$process" 2>/dev/null; done
  end_container "$1"
}

# A container goes on when the program that started it is killed.
end_container() { # SHARD
  if in_container; then "$(engine)" kill "gemmtune-$run-$1" >/dev/null 2>&1; fi
}

in_container() {
  [ -n "$container" ]
}

engine() {
  if [ -n "$container_engine" ]; then echo "$container_engine"
  elif command -v docker >/dev/null 2>&1; then echo docker
  else echo podman; fi
}

# Runs the program on this host, in its container if there is one.
run_program() {
  if in_container; then
    container_name=gemmtune-$run-${1}
    shift
    export folder container container_variables container_engine container_vendor container_name container_shm
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
  return 0
}

# Once the bundle is there: which devices the program sees, and whether it is our version.
inspect() {
  cd "$folder" || exit 5 # which a container has, too
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

# A bundle as a tar archive on stdin. It takes its place only if every file is what the head has.
receive_bundle() { # ID
  part=$folder/bundles/$1.part.$$
  find "$folder/bundles" -maxdepth 1 -name '*.part.*' -mmin +600 -exec rm -rf {} + 2>/dev/null
  mkdir -p "$part" && (cd "$part" && tar -xf -) || { rm -rf "$part"; exit 5; }
  (cd "$part" && sha256sum -c MANIFEST >"$here/why" 2>&1) || {
    grep -v ': OK$' "$here/why" | head -3 >&2
    rm -rf "$part"
    exit 5
  }
  rm -rf "${folder:?}/bundles/$1"
  mv "$part" "$folder/bundles/$1"
  note_sound "$1"
}

# Sizes and times of the files, as they were when their hashes were right: hashing takes seconds.
bundle_state() { # ID
  (cd "$folder/bundles/$1" && find . -type f -printf '%p %s %T@\n' | LC_ALL=C sort)
}

note_sound() { # ID
  bundle_state "$1" >"$folder/bundles/$1.sound.$$" && mv "$folder/bundles/$1.sound.$$" "$folder/bundles/$1.sound"
}

check_bundle() { # ID
  place=$folder/bundles/$1
  if [ ! -f "$place/MANIFEST" ]; then
    echo "bundle=absent"
  elif [ -f "$place.sound" ] && [ "$(bundle_state "$1")" = "$(cat "$place.sound")" ]; then
    echo "bundle=sound"
  elif (cd "$place" && sha256sum -c MANIFEST >/dev/null 2>&1); then
    note_sound "$1"
    echo "bundle=sound"
  else
    echo "bundle=damaged"
  fi
}

# A shard's inputs as a tar archive on stdin, and its job begins. A try is known by its number: a request that is
# repeated because its answer was lost begins nothing twice, and one that was on its way while the head decided
# otherwise (fence) comes too late. Exit codes: 6 the shard's job runs already, 7 the device is used by another job.
put_and_start() { # SHARD TRY
  shard=$run_folder/$1
  part=$run_folder/.$1.$2.$$
  [ ! -f "$run_folder" ] || { echo "$1 comes too late: the run is over" >&2; exit 5; }
  mkdir -p "$part" "$locks" && (cd "$part" && tar -xf -) || { rm -rf "$part"; disk_state >&2; exit 5; }
  (cd "$part" && sha256sum -c MANIFEST >/dev/null 2>&1) || { rm -rf "$part"; echo "the inputs came in parts" >&2; exit 5; }
  (begin_try "$1" "$2")
  code=$?
  rm -rf "$part"
  exit $code
}

begin_try() { # SHARD TRY, with its inputs in $part
  if ! lock_shard "$1"; then
    [ "$2" -eq "$(known_try "$1")" ] && exit 0
    echo "its job is running here" >&2
    exit 6
  fi
  known=$(known_try "$1")
  [ "$2" -eq "$known" ] && [ -f "$shard/exit" ] && exit 0
  [ "$2" -gt "$known" ] || { echo "try $2 of $1 comes too late" >&2; exit 5; }
  exec 9>>"$locks/device-$(tr -c 'A-Za-z0-9\n' - <"$part/device")" || exit 5
  flock -w 2 9 || { echo "another job uses the device" >&2; exit 7; }
  end_the_rest_of "$1"
  echo "$2" >"$run_folder/$1.try" && rm -rf "$shard" && mv "$part" "$shard" || { disk_state >&2; exit 5; }
  setsid sh "$here/agent.sh" job "$1" </dev/null >/dev/null 2>&1 &
  # Until it is in its own session, it would end with this one.
  while [ ! -s "$shard/pid" ] && kill -0 $! 2>/dev/null; do sleep 0.02; done
}

known_try() { # SHARD
  number=$(cat "$run_folder/$1.try" 2>/dev/null)
  echo "${number:-0}"
}

# What became of the try, and of all before it: after "absent", it never begins.
fence() { # SHARD TRY
  mkdir -p "$run_folder" "$locks"
  if lock_shard "$1"; then
    end_the_rest_of "$1"
    [ "$2" -le "$(known_try "$1")" ] || echo "$2" >"$run_folder/$1.try" || exit 5
  fi
  exec 8>&-
  state "$1"
}

disk_state() {
  echo "$(disk_free) kB are free in $folder"
}

# The job itself, in a session of its own: it outlives a lost connection. A TERM is for the program, which then writes
# what is finished; this script goes on and records how it ended. In the foreground, timeout(1) hands a signal to the
# program once, and a second one would end it at once.
job() {
  cd "$run_folder/$1" || exit 5
  trap : TERM INT HUP
  echo $$ >pid
  ln -sfn "$files_folder" files # what the user shipped
  . ./arguments.sh
  limit_words="timeout --foreground -k 30 $limit"
  run_program "$1" "$@" >out.txt 2>log.txt 8>&- 9>&-
  code=$?
  [ $code -lt 124 ] || end_container "$1"
  disk_state >disk.txt 2>/dev/null
  echo $code >exit.part && mv exit.part exit
}

# Says how many shapes are done, until the job has ended and its exit code is known.
wait_for() {
  shard=$run_folder/$1
  while is_running "$1"; do
    echo "shapes=$(grep -c '\[[0-9]*/[0-9]*\] ' "$shard/log.txt" 2>/dev/null)"
    flock -s -w 1 "$locks/$run-$1" true # a second, or less if it ends
  done
  state "$1" | sed 's/^state=/exit=/'
}

# "absent", "running", "lost" or the exit code.
state() {
  shard=$run_folder/$1
  if is_running "$1"; then
    echo "state=running"
  elif [ -f "$shard/exit" ]; then
    echo "state=$(cat "$shard/exit")"
  elif [ -d "$shard" ]; then
    end_the_rest_of "$1"
    echo "state=lost"
  else
    echo "state=absent"
  fi
}

# What a job wrote, as a tar archive on stdout.
get() {
  cd "$run_folder/$1" || exit 5
  tar -cf - --exclude=./arguments.sh --exclude=./pid --exclude=./files --exclude=./MANIFEST --exclude=./inputs .
}

# All that this run left here, but for the program. An empty file stays in place of its folder, so that a request that
# was delayed on its way begins nothing any more.
drop_run() {
  rm -rf "${run_folder:?}"
  : >"$run_folder"
  rm -f "$locks/$run-"*
}

stop() {
  shard=$run_folder/$1
  is_running "$1" || return
  for process in $(processes_in "$shard"); do
    [ "$(cat "/proc/$process/comm" 2>/dev/null)" = timeout ] && kill -TERM "$process"
  done
  flock -s -w 20 "$locks/$run-$1" true || end_the_rest_of "$1"
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
  [ -n "$shard" ] && [ "$(cat "$run_folder/$shard/tasks" 2>/dev/null)" = "$1" ] || exit 3 # it is another array's now
  [ -f "$run_folder/$shard/exit" ] && return
  node=${SLURMD_NODENAME:-$(uname -n)}
  devices=${CUDA_VISIBLE_DEVICES:-${ROCR_VISIBLE_DEVICES:-0}}
  name=$node.$(echo "$devices" | tr -c 'A-Za-z0-9\n' '-')
  echo "$name" >"$run_folder/$shard/device"
  echo "$node" >"$run_folder/$shard/node"
  calibrate_node || exit 5
  job "$shard"
}

# Each device of a node first measures what all devices measure, and again at times. The head compares the times.
calibrate_node() {
  [ -d "$here/calibration" ] || return 0
  known=$here/nodes/$name
  age=$(($(date +%s) - $(date -r "$known/exit" +%s 2>/dev/null || echo 0)))
  if [ ! -f "$known/exit" ] || [ "$age" -gt "$calibration_interval" ]; then
    rm -rf "$known"
    mkdir -p "$known"
    cp "$here/calibration"/* "$known/" || return 1
    echo "$name" >"$known/device"
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
    is_running "$(basename "$shard")" "$(basename "$(dirname "$shard")")" && state=running
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
  probe | inspect | fence | state | get | stop | report | job | slurm) "$verb" "$@" ;;
  receive-bundle) receive_bundle "$@" ;;
  check-bundle) check_bundle "$@" ;;
  wait) wait_for "$@" ;;
  stop-all) stop_all ;;
  drop-run) drop_run ;;
  put-and-start) put_and_start "$@" ;;
  *) echo "agent.sh: unknown verb $verb" >&2; exit 2 ;;
esac
