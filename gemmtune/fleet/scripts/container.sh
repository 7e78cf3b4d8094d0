#!/bin/sh
# How gemmtune's fleet runs the program in a container. A copy of this file can be edited and given back with
# --container_template. The program and its arguments are "$@". These variables are set:
#   container          the image
#   container_engine   docker or podman; "": the first of them that is here
#   container_vendor   nvidia, amd, or "": what this host has
#   container_name     a name that no other job has
#   container_shm      the size of shared memory
#   folder             the working folder: the program, the inputs and the outputs are in it
#   container_variables  names of variables that are handed on
#   container_workdir  where the program is started; "": here
# With GEMMTUNE_DRY_RUN=1 the command is printed and not run.
set -u
dry_run=${GEMMTUNE_DRY_RUN:-}
unset GEMMTUNE_DRY_RUN # the program does not get it
if [ -z "$container_engine" ]; then
  container_engine=podman
  command -v docker >/dev/null 2>&1 && container_engine=docker
fi
if [ -z "$container_vendor" ]; then
  [ -e /dev/nvidiactl ] && container_vendor=nvidia
  [ -e /dev/kfd ] && container_vendor=amd
fi
engine_name=${container_engine##*/}
is_rootless_podman=
if [ "$engine_name" = podman ] && [ "$(id -u)" != 0 ]; then is_rootless_podman=1; fi

# The groups that may use AMD's devices, by number: an image need not know their names, and may give them other numbers.
device_groups() {
  for device in /dev/kfd /dev/dri/renderD*; do
    [ -e "$device" ] && stat -c %g "$device"
  done | sort -u
}

case $container_vendor in
  nvidia)
    if [ "$engine_name" = podman ]; then set -- --device nvidia.com/gpu=all "$container" "$@"
    else set -- --gpus all "$container" "$@"; fi
    ;;
  amd)
    set -- --device /dev/kfd --device /dev/dri --security-opt seccomp=unconfined --cap-add SYS_PTRACE "$container" "$@"
    groups=$(device_groups)
    if [ -n "$is_rootless_podman" ]; then groups=keep-groups; fi
    for group in ${groups:-video render}; do set -- --group-add "$group" "$@"; done
    ;;
  *) set -- "$container" "$@" ;;
esac
# A working folder belongs to the user outside, and has no label of SELinux for containers.
if [ -n "$is_rootless_podman" ]; then set -- --userns keep-id "$@"; fi
if [ "$engine_name" = podman ]; then set -- --security-opt label=disable "$@"; fi
# The variables of the hosts file, and those of these prefixes, reach the program.
for variable in ${container_variables:-} $(env | sed -n 's/^\(\(GEMMTUNE\|AITER\|HIP\|ROCR\|CUDA\|NCCL\|TRITON\|HSA\|HF\)_[A-Za-z0-9_]*\)=.*/\1/p'); do
  set -- --env "$variable" "$@"
done
init=--init # ends what the program leaves. Podman's is a package of its own.
if [ "$engine_name" = podman ] && ! command -v catatonit >/dev/null 2>&1 &&
  [ ! -x /usr/libexec/podman/catatonit ]; then
  init=
fi
set -- run --rm ${init:+"$init"} --name "$container_name" --network host --ipc private --shm-size "$container_shm" \
  --user "$(id -u):$(id -g)" --env HOME="$folder/home" --volume "$folder:$folder" --workdir "${container_workdir:-$PWD}" \
  --entrypoint "" "$@"
if [ "$dry_run" = 1 ]; then
  printf '%s' "$container_engine"
  for word; do
    case $word in
      *[!A-Za-z0-9_./:=,+@%-]* | '') printf " '%s'" "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  echo
  exit
fi
mkdir -p "$folder/home"
exec "$container_engine" "$@"
