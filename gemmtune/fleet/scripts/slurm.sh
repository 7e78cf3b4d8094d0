#!/bin/sh
# A task of the array that gemmtune submits, in the run's folder. $1 is the list of shards.
exec sh ./agent.sh slurm "$1"
