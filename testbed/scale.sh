#!/bin/bash
# How long a recovery takes with the size of the gang: ./rekindle testbed scale [OPTION...]
#
#   --pods N,N         sizes of the gang (64,1024)
#   --ways WAY,WAY     inPlace, rebuild20, rebuild500: the number is the training operator's --kube-api-qps
# (inPlace,rebuild20,rebuild500)
#   --rounds N         so many recoveries each way (1)
#   --report-seconds N how often each agent reports its rank (the chart: 5); 0: before the fault, and then only news
# (0). A thousand
#                      agents write 205 times a second, which two cores do not carry beside a recovery
#   --out FILE         results, a line of JSON for each run (testbed/target/scale.jsonl); appended; beside it, a picture
#   --profile          a flight recording of the controller beside FILE
#
# Real: API server, etcd, scheduler, controller manager, training operator, Rekindle's controller as a process of this
# machine. Stand-ins: kwok for the nodes; one process for the agents (20 to 60 ms to freeze or to kill, then the report)
# and for what kubelets do to a killed container (1 s until the next one runs). Nothing trains: steps are reported,
# not made. The job names no checkpoint directory, so there is no inspector. No ValidatingAdmissionPolicy: one process
# speaks for all nodes. It has a network of its own, and so runs beside a testbed, which would share its processors and
# spoil its figures.
set -euo pipefail
RUN=${RUN:-/tmp/rekindle-scale}
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$HERE/cluster.sh"
. "$HERE/release.sh"
. "$HERE/kwok.sh"

JOB=scale
PODS=64,1024
WAYS=inPlace,rebuild20,rebuild500
ROUNDS=1
REPORTS=0
OUT=$ROOT/testbed/target/scale.jsonl
FAST=500

job_path() { echo "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs/$JOB"; }
merge() { api PATCH "$1" -H 'Content-Type: application/merge-patch+json' -d "$2"; }

# A process may be gone by its number before its ports are.
operator_ports_free() {
  local port
  for port in 8180 8181 19443; do
    ! (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null || return 1
  done
}

# operator_at CALLS_PER_SECOND: 20 is the operator's default, with its default burst.
operator_at() {
  stop KILL training-operator
  within 60 "the operator's ports free" operator_ports_free
  if [ "$1" = 20 ]; then operator_start; else operator_start --kube-api-qps "$1" --kube-api-burst "$1"; fi
  within 900 "the training operator ready" operator_ready  # it lists all pods first
}

job_up() {
  local pod='{"spec": {"containers": [{"name": "pytorch", "image": "localhost/stand-in:1",
    "resources": {"limits": {"nvidia.com/gpu": 8}}}]}}'
  k create -f - << Y
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: $JOB, namespace: default, annotations: {rekindle.dev/recover: "true"}}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, restartPolicy: OnFailure, template: $pod}
    Worker: {replicas: $(($1 - 1)), restartPolicy: OnFailure, template: $pod}
Y
}
# As the operator reports it: it has gone through all pods and Services then, and has nothing left to do.
job_runs() {
  api GET "$(job_path)" | jq -e --argjson workers $(($1 - 1)) \
    '.status.replicaStatuses.Worker.active == $workers and .status.replicaStatuses.Master.active == 1'
}

scale_up() {
  local pods=$1
  preflight
  mkdir -p "$RUN"/{pki,log,kube,pids}
  echo 0 > "$RUN/nodes"
  step "stand-ins" compile
  audit_policy
  step "identities" identities
  step "control plane" control_plane
  step "API server" within 60 "the API server" api GET /readyz
  step "controllers" controllers
  step "training operator" operator
  # Freeze and restart have all the time they take: so many reports from one process through so few cores take longer
  # than from as many nodes.
  step "controller" controller_up '{mode: auto, budget: {maxRestarts: 100},
    timeouts: {startSeconds: 3600, drainSeconds: 3600}, restart: {freezeSeconds: 120},
    detection: {kubeletRestartSeconds: 3600}}'
  step "$((pods + 8)) kwok nodes" kwok_up $((pods + 8))
  step "nodes Ready" within 600 "all nodes Ready" kwok_nodes_ready $((pods + 8))
  step "default account" within 30 "the default service account" default_account
  step "operator at $FAST calls/s" operator_at $FAST
  job_up "$pods" > /dev/null
  step "$pods pods running" within 1500 "$pods pods running" job_runs "$pods"
}

recover() {
  local pods=$1 way=$2 mode=null rate=20
  case $way in
    rebuild*) mode='"rebuild"'; rate=${way#rebuild} ;;
  esac
  step "operator at $rate calls/s" operator_at "$rate"
  merge "$(job_path)" "{\"metadata\": {\"annotations\": {\"rekindle.dev/restart\": $mode}}}" > /dev/null
  step "the gang whole" within 600 "$pods pods running" job_runs "$pods"
  say "$pods pods, $way:"
  scale recover "$ADMIN" "$JOB" "$pods" "$way" "$REPORTS" "$RUN/log/audit.json" "$OUT"
}

main() {
  local pods way round all=("$@")
  while [ $# -gt 0 ]; do
    case $1 in
      --pods) PODS=$2; shift 2 ;;
      --ways) WAYS=$2; shift 2 ;;
      --rounds) ROUNDS=$2; shift 2 ;;
      --report-seconds) REPORTS=$2; shift 2 ;;
      --out) OUT=$(realpath -m "$2"); shift 2 ;;
      --profile) PROFILE=(-XX:StartFlightRecording:filename="$OUT.jfr,settings=profile"); shift ;;
      *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
    esac
  done
  [[ $PODS =~ ^[0-9]+(,[0-9]+)*$ ]] || die "not a list of sizes: $PODS"
  [[ ,$WAYS =~ ^(,(inPlace|rebuild[0-9]+))+$ ]] || die "not a list of ways: $WAYS"
  [ "$(id -u)" = 0 ] || die "root is needed: a network of its own is made"
  if [ -z "${SCALE_INSIDE:-}" ]; then
    "$HERE/install.sh" packages binaries kwok
    build_image
    SCALE_INSIDE=1 exec unshare --net --mount "$0" "${all[@]}"
  fi
  inside
  [ ! -d "$RUN" ] || step "removing what is left of an earlier testbed" cluster_down
  mkdir -p "$(dirname "$OUT")"
  trap '[ ! -d "$RUN" ] || step "testbed down" kwok_down' EXIT
  for pods in ${PODS//,/ }; do
    scale_up "$pods"
    for round in $(seq "$ROUNDS"); do
      for way in ${WAYS//,/ }; do recover "$pods" "$way"; done
    done
    scale picture "$OUT" > "${OUT%.jsonl}.svg"
    [ "$pods" = "${PODS##*,}" ] || step "testbed down" kwok_down
  done
  scale table "$OUT"
}
if [ -n "${SCALE_INSIDE:-}" ]; then locked "$RUN.lock" main "$@"; else main "$@"; fi
