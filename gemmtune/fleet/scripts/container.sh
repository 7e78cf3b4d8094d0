#!/bin/sh
# How gemmtune's fleet runs the program in a container. A copy of this file can be edited and given back with
# --container_template. The program and its arguments are "$@". These variables are set:
#   container          the image
#   container_engine   docker or podman; "": the first of them that is here
#   container_vendor   nvidia, amd, or "": what this host has
#   container_name     a name that no other job has
#   container_shm      the size of shared memory
#   folder             the working folder: the program, the inputs and the outputs are in it
# With GEMMTUNE_DRY_RUN=1 the command is printed and not run.
set -u
if [ -z "$container_engine" ]; then
  container_engine=podman
  command -v docker >/dev/null 2>&1 && container_engine=docker
fi
if [ -z "$container_vendor" ]; then
  [ -e /dev/nvidiactl ] && container_vendor=nvidia
  [ -e /dev/kfd ] && container_vendor=amd
fi
case $container_vendor in
  nvidia)
    if [ "$container_engine" = podman ]; then set -- --device nvidia.com/gpu=all "$container" "$@"
    else set -- --gpus all "$container" "$@"; fi
    ;;
  amd)
    set -- --device /dev/kfd --device /dev/dri --group-add video --group-add render \
      --security-opt seccomp=unconfined --cap-add SYS_PTRACE "$container" "$@"
    ;;
  *) set -- "$container" "$@" ;;
esac
# Variables of these prefixes reach the program.
for variable in $(env | sed -n 's/^\(\(GEMMTUNE\|AITER\|HIP\|ROCR\|CUDA\|NCCL\|TRITON\|HSA\|HF\)_[A-Za-z0-9_]*\)=.*/\1/p'); do
  set -- --env "$variable" "$@"
done
set -- run --rm --init --name "$container_name" --network host --ipc private --shm-size "$container_shm" \
  --user "$(id -u):$(id -g)" --env HOME="$folder/home" --volume "$folder:$folder" --workdir "$PWD" --entrypoint "" "$@"
[ -n "${run_folder:-}" ] && [ "$run_folder" != "$folder" ] && [ -z "${run_folder##/*}" ] && case $run_folder in
  "$folder"/*) ;;
  *) shift; set -- run --volume "$run_folder:$run_folder" "$@" ;;
esac
if [ "${GEMMTUNE_DRY_RUN:-}" = 1 ]; then
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
