#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Slurm: an array of tasks, one GPU each, that share the scenes of one jobs file.
#   sbatch scripts/slurm-array.sh jobs.yaml /scratch/images
# All tasks run the same command. Each takes the next scene that is neither done nor taken by another
# (DIR/NAME.status.json, DIR/.batch.lock), so that none waits for a slow one; more tasks may be added at any time, and
# one that is put back into the queue goes on.
#SBATCH --job-name=cornerturn
#SBATCH --array=0-3
#SBATCH --gpus-per-task=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=64G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=TERM@60
#SBATCH --output=cornerturn-%A-%a.log
set -u
if (($# != 2)); then
    echo "usage: sbatch scripts/slurm-array.sh JOBS.yaml|DIR FOLDER_FOR_IMAGES" >&2
    exit 2
fi
export CORNERTURN_LOG_FORMAT=json CORNERTURN_THREADS=${SLURM_CPUS_PER_TASK:-0}

run=(cornerturn batch "$1" -o "$2" --resume)
if [[ -z ${SLURM_ARRAY_JOB_ID:-} ]]; then exec "${run[@]}"; fi # not under Slurm: one task does all
srun "${run[@]}"
code=$?
# 0 all done; 1 some scenes failed, the table says which; 2 never; 3 a device was lost; 143 the time is up (--signal
# above), and the scene was ended cleanly. Another node, or more time, may do.
if ((code == 143 || code == 3 && ${SLURM_RESTART_COUNT:-0} < 3)); then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$code"
