#!/bin/bash
# Show a recovery, in plain words and as it happens: ./rekindle testbed drill [--keep]
#
# Three ranks of the example train on three of four nodes. A record that says that a GPU has fallen off the bus enters
# the kernel log of one of them. From then on this script only looks: at the Recovery object, the nodes, the pods and
# what the ranks print.
#
# What trains is a container, and a restart in place keeps the pod: so the generation before the fault is a set of
# containers, each written as UID/RESTARTS of its pod. The kubelet names log files alike.
set -euo pipefail
. "$(dirname "$(realpath "$0")")/lib.sh"

JOB=drill
NAMESPACE=default
XID='NVRM: Xid (PCI:0000:3b:00): 79, pid=1234, GPU has fallen off the bus.'
BEFORE=45        # act when training has reached this step
PATIENCE=180     # seconds until the drill counts as failed
KEEP=false
LEAVE=${LEAVE:-false}    # from the environment: a testbed of its own stays, without the job and the fence
STARTED=false
NODE=
OLD=             # the containers before the fault: UID/RESTARTS of each

job_path() { echo "/apis/kubeflow.org/v1/namespaces/$NAMESPACE/pytorchjobs/$JOB"; }
pods_json() { api GET "/api/v1/namespaces/$NAMESPACE/pods?labelSelector=training.kubeflow.org/job-name=$JOB"; }
recovery_json() {
  api GET "/apis/rekindle.dev/v1alpha1/namespaces/$NAMESPACE/recoveries" | jq -c --arg job "$JOB" --arg uid "$JOB_UID" \
    '[.items[] | select(.spec.jobRef.name == $job and .spec.jobRef.uid == $uid)]
      | sort_by(.metadata.creationTimestamp) | last // {}'
}
no_pods() { [ "$(pods_json | jq '.items | length')" = 0 ]; }

# "UID/RESTARTS" of every container `pytorch` of these pods; one that has not started yet is the pod's first.
CONTAINERS='[.items[]
  | "\(.metadata.uid)/\([.status.containerStatuses[]? | select(.name == "pytorch") | .restartCount] | first // 0)"]'

# "pod UID/RESTARTS step" of every container whose log is there, straight from the kubelets' files.
steps() {
  local file pod
  for file in "$RUN"/node-*/podlogs/"${NAMESPACE}_$JOB-"*/pytorch/*.log; do
    [ -f "$file" ] || continue
    pod=${file%/pytorch/*}; pod=${pod##*/podlogs/"${NAMESPACE}"_}
    tail -n 3 "$file" 2> /dev/null |
      sed -n "s|.* step \([0-9]*\) loss .*|${pod%_*} ${pod##*_}/$(basename "$file" .log) \1|p" | tail -n 1
  done
}
# highest old|new : the furthest step of the containers that OLD names, or of all others.
highest() {
  steps | awk -v old=" $OLD " -v want="$1" '
    (index(old, " " $2 " ") > 0) == (want == "old") && $3 > m { m = $3 } END { print m + 0 }'
}
at_least() { [ "$(highest new)" -ge "$1" ]; }

seconds() { awk -v a="$FAULT" -v b="$(now)" 'BEGIN { printf "%6.1f s", b - a }'; }
event() { printf '%s  %s\n' "$(seconds)" "$*"; }

prepare() {
  if ! is_up; then
    STARTED=true
    "$ROOT/rekindle" testbed up
  elif ! k get crd recoveries.rekindle.dev > /dev/null 2>&1; then
    "$ROOT/rekindle" testbed up
  fi
  api DELETE "$(job_path)" > /dev/null 2>&1 || true
  within 180 "an earlier $JOB job gone" no_pods
  rm -rf "$RUN/ckpt/$JOB"
  "$HERE/job.sh" NAME=$JOB NAMESPACE=$NAMESPACE | k create -f - > /dev/null
  JOB_UID=$(api GET "$(job_path)" | jq -r .metadata.uid)
  echo "The job '$JOB' is created: one master and two workers, real PyTorch over Gloo. Waiting for step $BEFORE."
  within 240 "step $BEFORE" at_least $BEFORE
  echo "It trains:"
  steps | sed 's/^\(.*\) .* \(.*\)/    \1 at step \2/'
}

break_a_gpu() {
  NODE=$(pods_json | jq -r --arg pod "$JOB-worker-0" '.items[] | select(.metadata.name == $pod) | .spec.nodeName')
  OLD=$(pods_json | jq -r "$CONTAINERS | join(\" \")")
  echo
  echo "Into the kernel log of $NODE, where $JOB-worker-0 trains, goes:"
  echo "    $XID"
  echo "From here on only Rekindle acts."
  echo
  FAULT=$(now)
  "$ROOT/rekindle" testbed inject "$NODE" "$XID"
}

# The state of the pods, in one line: those whose container is the old one, those that run another in the same pod,
# and those that are new altogether.
generations() {
  jq -r --arg old "$OLD" '
    ($old | split(" ")) as $containers | ($containers | map(split("/")[0])) as $uids | '"$CONTAINERS"' as $now
    | [.items | to_entries[] | $now[.key] as $container | .value | .metadata.uid as $uid | {
        kind: (if $containers | index($container) then "old" elif $uids | index($uid) then "again" else "new" end),
        ready: any(.status.conditions[]?; .type == "Ready" and .status == "True"),
        node: (.spec.nodeName // "no node yet")}]
    | def of(kind): map(select(.kind == kind));
      def ready: "\(map(select(.ready)) | length) of them Ready";
      if length == 0 then "no pod of the job exists" else
        [ (of("old") | if length > 0 then "\(length) of the old generation" else empty end),
          (of("again") | if length > 0 then "\(length) restarted in place, \(ready)" else empty end),
          (of("new") | if length > 0
            then "\(length) new, \(ready), on \(map(.node) | sort | join(" "))" else empty end) ]
        | "pods: " + join("; ") end'
}

# Everything new since the last look, one line each. What was printed before is in SEEN_*.
SEEN_TIMELINE=0 SEEN_FENCE=false SEEN_PODS="" SEEN_NO_NODE="" SEEN_STEP=0 REACHED=0 PAST=0
look() {
  local recovery entries line pods node reason step
  step=$(highest old)
  [ "$step" -le "$REACHED" ] || REACHED=$step
  step=$(highest new)
  recovery=$(recovery_json)
  pods=$(pods_json)
  if ! $SEEN_FENCE; then
    node=$(api GET "/api/v1/nodes/$NODE")
    if jq -e '.spec.unschedulable and (.metadata.annotations["rekindle.dev/fenced-by"] != null)' \
      <<< "$node" > /dev/null; then
      SEEN_FENCE=true
      reason=$(jq -r '.metadata.annotations["rekindle.dev/fence-reason"] // "no reason given"' <<< "$node")
      event "$NODE is fenced: $reason"
    fi
  fi
  entries=$(jq '.status.timeline // [] | length' <<< "$recovery")
  while [ "$SEEN_TIMELINE" -lt "$entries" ]; do
    line=$(jq -r --argjson i "$SEEN_TIMELINE" '.status.timeline[$i] | "\(.phase): \(.detail)"' <<< "$recovery")
    event "$line"
    SEEN_TIMELINE=$((SEEN_TIMELINE + 1))
  done
  line=$(generations <<< "$pods")
  if [ "$line" != "$SEEN_PODS" ]; then event "$line"; SEEN_PODS=$line; fi
  line=$(jq -r '[.items[].status.conditions[]? | select(.type == "PodScheduled" and .status == "False")
    | .message | sub("[.] .*"; "")] | first // ""' <<< "$pods")
  if [ "$line" != "$SEEN_NO_NODE" ]; then
    [ -z "$line" ] || event "no place for a pod: $line"
    SEEN_NO_NODE=$line
  fi
  if [ "$step" -gt 0 ] && [ "$SEEN_STEP" = 0 ]; then
    SEEN_STEP=$step
    event "training again, at step $step; it had reached step $REACHED"
  fi
  if [ "$SEEN_STEP" -gt 0 ] && [ "$PAST" = 0 ] && [ "$step" -gt "$REACHED" ]; then
    PAST=$step
    event "past the step it had reached: step $step"
  fi
  PHASE=$(jq -r '.status.phase // ""' <<< "$recovery")
}

watch() {
  local deadline=$((SECONDS + PATIENCE))
  PHASE=
  while [ $SECONDS -lt $deadline ]; do
    look
    case $PHASE in
      Recovered) if [ "$PAST" -gt 0 ]; then return 0; fi ;;
      Failed | Cancelled) return 1 ;;
    esac
    sleep 0.1
  done
  event "not recovered within $PATIENCE s"
  return 1
}

report() {
  local recovery
  recovery=$(recovery_json)
  echo
  jq -r '"The Recovery object \(.metadata.name // "(none)"):",
    (.status.timeline[]? | "    \(.time)  \(.phase): \(.detail)"), "",
    "    cause       \(.status.cause.reason // "-"): \(.status.cause.message // "-")",
    "    excluded    \(.status.plan.excludedNodes // [] | join(" "))",
    (.status.plan.checkpoint
      | "    checkpoint  \(.path // "-") (\(.verdict // "-") \(.level // ""))"),
    (.status.outcome
      | "    downtime    \(.downtimeSeconds // "-") s, \(.lostSteps // "-") steps trained twice",
        "    seconds     \(.secondsPerPhase // {} | to_entries
          | map("\(.key) \(.value)") | join(", "))")' <<< "$recovery"
}

# What the drill did to a testbed that was there before it: undone. A testbed of its own goes altogether.
clean_up() {
  local code=$?
  if $KEEP; then
    echo
    echo "Kept: the testbed (./rekindle testbed status), the job '$JOB', the fence on ${NODE:-no node}." \
      "Remove it all: ./rekindle testbed down"
  elif $STARTED && ! $LEAVE; then
    "$ROOT/rekindle" testbed down
  elif is_up; then
    api DELETE "$(job_path)" > /dev/null 2>&1 || true
    within 180 "the job's pods gone" no_pods || true
    [ -z "$NODE" ] || release_node
  fi
  exit "$code"
}
release_node() {
  local fault
  for fault in $(api GET /apis/rekindle.dev/v1alpha1/nodefaults |
    jq -r --arg node "$NODE" '.items[] | select(.spec.node == $node) | .metadata.name'); do
    api DELETE "/apis/rekindle.dev/v1alpha1/nodefaults/$fault" > /dev/null || true
  done
  api PATCH "/api/v1/nodes/$NODE" -H 'Content-Type: application/merge-patch+json' -d \
    '{"spec": {"unschedulable": null}, "metadata": {"annotations":
    {"rekindle.dev/fenced-by": null, "rekindle.dev/fence-reason": null,
    "rekindle.dev/fenced-at": null}}}' > /dev/null || true
}

main() {
  local ok=true
  while [ $# -gt 0 ]; do
    case $1 in
      --keep) KEEP=true; shift ;;
      *) say "usage: ./rekindle testbed drill [--keep]"; exit 2 ;;
    esac
  done
  trap clean_up EXIT
  prepare
  break_a_gpu
  watch || ok=false
  report
  echo
  if $ok; then echo "RECOVERED: trained past step $REACHED again without anybody's help."; else echo \
    "NOT RECOVERED (phase: ${PHASE:-no Recovery object})."; return 1; fi
}
main "$@"
