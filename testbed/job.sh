#!/bin/bash
# Print the example job, made from job.yaml and these settings (environment variables, or NAME=VALUE arguments):
#
#   NAME=mnist  NAMESPACE=default  WORKERS=2  RESTART_POLICY=OnFailure  STEPS=100000  STEP_SECONDS=0.1
#   SCRIPT=train.py                of examples/pytorchjob; fsdp.py: FSDP and DCP; huggingface.py: Hugging Face's Trainer
#   CKPT_DIR=$RUN/ckpt/$NAME       on the host; mounted at /ckpt
#   CHECKPOINT_EVERY=10  CHECKPOINT_ATOMIC=1  CHECKPOINT_PADDING_MB=0
#   SHARDED=0                      1: FSDP instead of DDP
#   GRACE_SECONDS=5                the pods' terminationGracePeriodSeconds: as PID 1 the script ignores SIGTERM, so it
# takes all of it
#   TIMEOUT_SECONDS=600            of a collective
#   ANNOTATIONS={...}              of the job, as JSON; without: opted in, with its checkpoint directory
#   TORCH_DIR TRANSFORMERS_DIR EXAMPLE_DIR PACKAGE_DIR          on the host
#
#   testbed/job.sh NAME=a WORKERS=3 | kubectl apply -f -
set -euo pipefail
. "$(dirname "$(realpath "$0")")/lib.sh"

SETTINGS="NAME NAMESPACE WORKERS RESTART_POLICY STEPS STEP_SECONDS CKPT_DIR CHECKPOINT_EVERY
 CHECKPOINT_ATOMIC CHECKPOINT_PADDING_MB SHARDED GRACE_SECONDS TIMEOUT_SECONDS ANNOTATIONS SCRIPT
 TORCH_DIR TRANSFORMERS_DIR EXAMPLE_DIR PACKAGE_DIR"

main() {
  local argument setting text
  for argument in "$@"; do
    if [[ $argument != *=* ]] || ! grep -qw -e "${argument%%=*}" <<< "$SETTINGS"; then die "not a setting: $argument"; \
      fi
    declare -g "$argument"
  done
  : "${NAME:=mnist}" "${NAMESPACE:=default}" "${WORKERS:=2}" "${RESTART_POLICY:=OnFailure}" "${STEPS:=100000}" \
    "${STEP_SECONDS:=0.1}"
  : "${CKPT_DIR:=$RUN/ckpt/$NAME}" "${CHECKPOINT_EVERY:=10}" "${CHECKPOINT_ATOMIC:=1}" "${CHECKPOINT_PADDING_MB:=0}" \
    "${SHARDED:=0}"
  : "${GRACE_SECONDS:=5}" "${TIMEOUT_SECONDS:=600}" "${TORCH_DIR:=$CACHE/torch}" \
    "${EXAMPLE_DIR:=$ROOT/examples/pytorchjob}"
  : "${SCRIPT:=train.py}" "${TRANSFORMERS_DIR:=$CACHE/transformers}" "${PACKAGE_DIR:=$ROOT/python/src}"
  local opted_in='{"rekindle.dev/recover": "true", "rekindle.dev/checkpoint": "/ckpt",'
  opted_in+=' "rekindle.dev/checkpoint-shared": "true"}'
  : "${ANNOTATIONS:=$opted_in}"
  text=$(cat "$HERE/job.yaml")
  for setting in $SETTINGS; do text=${text//"\${$setting}"/"${!setting}"}; done
  printf '%s\n' "$text"
}
main "$@"
