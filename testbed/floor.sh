#!/bin/bash
# The floor: a restart of the example job by hand, as fast as this machine can do it. Nothing is detected and nothing is
# decided: the fault is the moment the script begins to act. It cordons a node, suspends the job, waits for zero pods,
# patches the templates with the newest checkpoint and resumes; whatever Rekindle takes beyond this is its own cost.
#
#   testbed/floor.sh [--in-place | --no-controller] [--grace-cap SECONDS] [--steps-before N] [--keep] [NAME=VALUE...]
#
#   --in-place            nothing is suspended: stop all ranks (SIGSTOP), delete the pod on the cordoned node, kill rank
# 0, then the rest
#   --no-controller       no fault of a node and no controller: one rank is killed, its peers fail with it, the
# kubelets restart them
#   --grace-cap SECONDS   deletes the pods itself with this grace period, all at once, just before it suspends the job
# (not for
#                         restartPolicy Never: a running pod that is being deleted fails such a job); without it the
# operator
#                         deletes them, with their own grace period
#   --steps-before N      act when the job has reached step N (25)
#   --keep                leave the job running afterwards
#   NAME=VALUE            settings of the job, see job.sh
#
# Prints one line of JSON, all times in seconds: each phase, and "total" from the fault to the first step past the
# highest one that any rank had reached. Talks to the API server by curl, polling every 20 to 50 ms: a kubectl takes
# longer than some of the phases.
set -euo pipefail
. "$(dirname "$(realpath "$0")")/lib.sh"

NAMESPACE=default
NAME=floor
CAP=
BEFORE=25
KEEP=false
WAY=rebuild
PATIENCE=90

job_path() { echo "/apis/kubeflow.org/v1/namespaces/$NAMESPACE/pytorchjobs/$NAME"; }
pods_json() { api GET "/api/v1/namespaces/$NAMESPACE/pods?labelSelector=training.kubeflow.org/job-name=$NAME"; }
merge() { api PATCH "$1" -H 'Content-Type: application/merge-patch+json' -d "$2" > /dev/null; }
since() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f", b - a }'; }

# Straight from the files that the kubelets keep; they go with their pods, so the highest step must be read while the
# pods live.
log_lines() { tail -qn "$1" "$RUN"/node-*/podlogs/"${NAMESPACE}_${NAME}-"*/pytorch/*.log 2> /dev/null || true; }
reached() { log_lines 2 | sed -n 's/.* step \([0-9]*\) loss .*/\1/p' | sort -n | tail -n 1; }
at_least() { local step; step=$(reached); [ "${step:-0}" -ge "$1" ]; }

delete_all() {
  local pod uid jobs=()
  while read -r pod uid; do
    api DELETE "/api/v1/namespaces/$NAMESPACE/pods/$pod" -H 'Content-Type: application/json' \
      -d "{\"gracePeriodSeconds\": $CAP, \"preconditions\": {\"uid\": \"$uid\"}}" > /dev/null &
    jobs+=($!)
  done < <(pods_json | jq -r '.items[].metadata | "\(.name) \(.uid)"')
  wait "${jobs[@]}"
}

# The job with its templates set to resume from there, and no longer suspended.
resumed_job() {
  jq --arg path "/ckpt/$1" --arg step "$((10#$(tr -dc 0-9 <<< "$1")))" '
    def resumed: map(select(.name | startswith("REKINDLE_") | not)) + [
      {name: "REKINDLE_RESUME_FROM", value: $path}, {name: "REKINDLE_RESUME_STEP", value: $step},
      {name: "REKINDLE_ATTEMPT", value: "by-hand-1"}];
    .spec.runPolicy.suspend = false
    | .spec.pytorchReplicaSpecs[].template.spec.containers[] |= if .name == "pytorch" then .env |= resumed else . end'
}

# Nothing helps a gang that does not come up.
in_time() { [ $SECONDS -lt "$DEADLINE" ] || die "the restart by hand is not over after $PATIENCE s: $1"; }

restart_by_hand() {
  local node fault fenced drained patched resumed ready highest=0 step pods checkpoint first want
  want=$(pods_json | jq '.items | length')
  node=$(pods_json | jq -r '.items[] | select(.metadata.name | endswith("-worker-0")) | .spec.nodeName')
  CORDONED=$node
  DEADLINE=$((SECONDS + PATIENCE))
  fault=$(now)
  merge "/api/v1/nodes/$node" '{"spec": {"unschedulable": true}}'
  fenced=$(now)
  # Ours must be the first deletion: the operator begins with its own within milliseconds of the suspension, and a
  # kubelet (1.34) that waits out the grace period of a first deletion does not shorten it for a second one. No pod ends
  # before the job is suspended.
  [ -z "$CAP" ] || delete_all
  merge "$(job_path)" '{"spec": {"runPolicy": {"suspend": true}}}'
  while pods=$(pods_json | jq '.items | length'); [ "$pods" != 0 ]; do
    step=$(reached)
    [ "${step:-0}" -le "$highest" ] || highest=$step
    in_time "$pods pods still exist"
    sleep 0.01
  done
  drained=$(now)
  checkpoint=$(find "$CKPT_DIR" -name 'step-*.pt' -printf '%f\n' | sort | tail -n 1)
  # The operator writes the status; a status of its own can come between our read and our write.
  until resumed=$(api GET "$(job_path)" | resumed_job "$checkpoint") &&
    api PUT "$(job_path)" -H 'Content-Type: application/json' -d "$resumed" > /dev/null 2>&1; do in_time \
      "cannot resume the job"; sleep 0.01; done
  patched=$(now)
  while [ "$(ready)" != "$want" ]; do in_time "not all of $want pods are Ready"; sleep 0.02; done
  ready=$(now)
  first=$(first_past "$highest")
  report "$node" "$highest" "$first" "$fault" "$fenced" "$drained" "$patched" "$ready"
}

# All processes of container `pytorch` of the pods whose names match.
processes() {
  local id
  pods_json | jq -r --arg names "$1" '.items[] | select(.metadata.name | test($names))
    | .status.containerStatuses[]? | select(.name == "pytorch") | .containerID // empty' |
    while read -r id; do grep -lF -e "${id##*/}" /proc/[0-9]*/cgroup 2> /dev/null | cut -d/ -f3 || true; done
}
# shellcheck disable=SC2046
signal() { kill "-$1" $(processes "$2") 2> /dev/null || true; }
exists() { pods_json | jq -e --arg uid "$1" 'any(.items[]; .metadata.uid == $uid)' > /dev/null; }
ready() { pods_json | jq \
  '[.items[] | select(any(.status.conditions[]?; .type == "Ready" and .status == "True"))] | length'; }

in_place_by_hand() {
  local node uid fault fenced drained patched resumed highest first want
  want=$(pods_json | jq '.items | length')
  read -r node uid < <(pods_json | jq -r \
    '.items[] | select(.metadata.name | endswith("-worker-0")) | "\(.spec.nodeName) \(.metadata.uid)"')
  CORDONED=$node
  DEADLINE=$((SECONDS + PATIENCE))
  fault=$(now)
  merge "/api/v1/nodes/$node" '{"spec": {"unschedulable": true}}'
  signal STOP .
  fenced=$(now)
  highest=$(reached)
  api DELETE "/api/v1/namespaces/$NAMESPACE/pods/$NAME-worker-0" -H 'Content-Type: application/json' -d \
    '{"gracePeriodSeconds": 1}' > /dev/null
  while exists "$uid"; do in_time "the pod on $node does not end"; sleep 0.01; done
  drained=$(now)
  signal KILL "-master-0\$"
  while [ -n "$(processes "-master-0\$")" ]; do in_time "rank 0 does not end"; sleep 0.01; done
  signal KILL "-worker-[1-9][0-9]*\$"
  patched=$(now)
  while [ "$(ready)" != "$want" ]; do in_time "not all of $want pods are Ready"; sleep 0.02; done
  resumed=$(now)
  first=$(first_past "$highest")
  report "$node" "$highest" "$first" "$fault" "$fenced" "$drained" "$patched" "$resumed"
}

# A rank dies and only the kubelets and the operator act.
without_controller() {
  local fault highest first
  DEADLINE=$((SECONDS + PATIENCE))
  fault=$(now)
  signal KILL "-worker-0\$"
  highest=$(reached)
  first=$(first_past "$highest")
  report "" "$highest" "$first" "$fault" "$fault" "$fault" "$fault" "$fault"
}

# The time and the number of the first step past the given one.
first_past() {
  local first
  # By the time stamp that the container runtime gave the line.
  until first=$(log_lines +1 | awk -v past="$1" '$4 == "step" && $5 > past { print $1, $5 }' | sort | sed -n 1p) &&
    [ -n "$first" ]; do
    in_time "no step past $1"
    sleep 0.02
  done
  echo "$(date -d "${first% *}" +%s.%N) ${first#* }"
}

# report NODE REACHED "TIME STEP" FAULT FENCED DRAINED PATCHED READY
report() {
  # Only a rebuild says which checkpoint is resumed from; else the script finds it.
  jq -cn --arg grace "${CAP:-default}" --arg node "$1" --arg checkpoint "${checkpoint:-}" --argjson reached "$2" \
    --argjson first "${3#* }" \
    --argjson fence "$(since "$4" "$5")" --argjson drain "$(since "$5" "$6")" --argjson patch "$(since "$6" "$7")" \
    --argjson ready "$(since "$7" "$8")" --argjson train "$(since "$8" "${3% *}")" --argjson total \
      "$(since "$4" "${3% *}")" \
    '{total: $total, fence: $fence, drain: $drain, patch: $patch, ready: $ready, train: $train, grace: $grace,
      reached: $reached, first: $first, checkpoint: $checkpoint, node: $node}'
}

clean_up() {
  [ -z "${CORDONED:-}" ] || merge "/api/v1/nodes/$CORDONED" '{"spec": {"unschedulable": null}}'
  $KEEP || remove_job
}
no_pods() { [ "$(pods_json | jq '.items | length')" = 0 ]; }
remove_job() {
  api DELETE "$(job_path)" > /dev/null 2>&1 || true
  within 60 "the pods of $NAME gone" no_pods
}

main() {
  local settings=()
  while [ $# -gt 0 ]; do
    case $1 in
      --in-place) WAY=in-place; shift ;;
      --no-controller) WAY=no-controller; shift ;;
      --grace-cap) CAP=$2; shift 2 ;;
      --steps-before) BEFORE=$2; shift 2 ;;
      --keep) KEEP=true; shift ;;
      NAME=*) NAME=${1#*=}; shift ;;
      NAMESPACE=*) NAMESPACE=${1#*=}; shift ;;
      *=*) settings+=("$1"); shift ;;
      *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
    esac
  done
  need_up
  CKPT_DIR=$RUN/ckpt/$NAME
  remove_job
  rm -rf "$CKPT_DIR"
  trap clean_up EXIT
  # No annotation: Rekindle, where it is installed, keeps out of it.
  "$HERE/job.sh" ANNOTATIONS='{}' ${settings[@]+"${settings[@]}"} "NAME=$NAME" "NAMESPACE=$NAMESPACE" \
    "CKPT_DIR=$CKPT_DIR" | k create -f - > /dev/null
  within 120 "step $BEFORE" at_least "$BEFORE"
  case $WAY in
    rebuild) restart_by_hand ;;
    in-place) in_place_by_hand ;;
    no-controller) without_controller ;;
  esac
}
main "$@"
