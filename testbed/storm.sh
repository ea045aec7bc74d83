#!/bin/bash
# From a fault to a cordoned node, beside the bare call, and what an agent weighs: ./rekindle testbed storm [OPTION...]
#
#   --nodes N,N     sizes of the cluster (1000,10000)
#   --struck N      nodes struck at once (150; 0: not)
#   --together N    so often (3)
#   --rounds N      faults one after another on one node (100)
#   --idle N        an agent that has nothing to do, for so many seconds (180: as often as it clears out its heap; 0:
#                   neither this nor the next)
#   --seconds N     2,000 faults a second in one node's log, for so long (60)
#   --page-loads N  the faults one by one a second and a third time, with a console that keeps the recoveries, and then
#                   with so many loads of its pages a second beside them (0: not)
#   --recoveries N  that the console keeps (10000)
#   --out FILE      results, a line of JSON each (testbed/target/storm.jsonl); appended
#
# Real: API server, etcd, Rekindle's controller and one agent as processes of this machine. Stand-ins: a pipe for
# /dev/kmsg, where no process may speak as the kernel, with reads that wait as those of the device do; kwok for the
# nodes; for faults on many nodes one process that makes the calls of as many agents. The breaker is wide open, and
# every GPU node may be fenced, with or without a job.
set -euo pipefail
RUN=${RUN:-/tmp/rekindle-scale}
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$HERE/cluster.sh"
. "$HERE/release.sh"
. "$HERE/nodes.sh"
. "$HERE/kwok.sh"

SIZES=1000,10000
STRUCK=150
TOGETHER=3
ROUNDS=100
IDLE=180
SECONDS_LONG=60
OUT=$ROOT/testbed/target/storm.jsonl
AGENT_PORT=18081
PAGE_LOADS=0
RECOVERIES=10000
CONSOLE_PORT=18082

# agent_up NODE LOG : the image's Java with the agent's options, and no container around it. What the options take from
# a container's memory is said outright: half of the chart's limit. The API server is named as in a pod: reading a
# kubeconfig weighs 10 MiB.
agent_up() {
  local image=$ROOT/controller/target/image/root options
  mapfile -t options < <(image_options agent.args run.args)
  options+=(-Xmx128m "-XX:HeapDumpPath=$RUN/log")
  printf admin > "$RUN/pki/agent-token"
  KUBERNETES_AUTH_TRYKUBECONFIG=false KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT=${API##*:} \
    KUBERNETES_CERTS_CA_FILE=$RUN/pki/ca.crt KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN=$RUN/pki/agent-token \
    REKINDLE_NODE_NAME=$1 REKINDLE_KMSG=$2 REKINDLE_STATE_DIR=$RUN/agent REKINDLE_POD_LOGS=$RUN/pods \
    REKINDLE_HTTP_PORT=$AGENT_PORT start agent "$image/opt/jre/bin/java" "${options[@]}" -cp "$(classpath)" \
      dev.rekindle.Rekindle agent
  within 60 "the agent ready" curl -sf "http://127.0.0.1:$AGENT_PORT/readyz"
}
agent_down() {
  stop TERM agent
  within 10 "the agent gone" none_alive agent
  rm -rf "$RUN/agent"
}

# The image's Java and options; as heap what they take of the chart's limit, at the begin and at most: this machine's
# memory is no limit of a container. Its class path is not that of other roles.
console_up() {
  local image=$ROOT/controller/target/image/root options libs
  mapfile -t options < <(image_options console.args)
  options+=(-Xms13m -Xmx64m "-XX:HeapDumpPath=$RUN/log")
  libs=$(printf '%s:' "$ROOT"/console/target/rekindle-console-*.jar "$ROOT"/console/target/image/libs/*.jar)
  printf admin > "$RUN/pki/console-token"
  KUBERNETES_AUTH_TRYKUBECONFIG=false KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT=${API##*:} \
    KUBERNETES_CERTS_CA_FILE=$RUN/pki/ca.crt KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN=$RUN/pki/console-token \
    MICRONAUT_SERVER_PORT=$CONSOLE_PORT MICRONAUT_SERVER_HOST=127.0.0.1 \
    start console "$image/opt/jre/bin/java" "${options[@]}" -cp "$libs" dev.rekindle.console.ConsoleMain
  within 120 "the console ready" curl -sf "http://127.0.0.1:$CONSOLE_PORT/readyz"
}
# weights WHEN : resident memory of the processes, in MiB, and what of it no file backs: a limit kills for that alone.
weights() {
  local name
  printf '{"what": "memory", "when": "%s"' "$1" >> "$OUT"
  for name in controller agent console; do
    ! alive "$name" || awk -v name="$name" '/^VmRSS/ { printf ", \"%sMiB\": %.1f", name, $2 / 1024 }
      /^RssAnon/ { printf ", \"%sAnonMiB\": %.1f", name, $2 / 1024 }' "/proc/$(cat "$RUN/pids/$name")/status" >> "$OUT"
  done
  echo '}' >> "$OUT"
}
# with_console ALONE... : the same as those arguments of `scale` say, beside a console, and beside loads of its pages.
with_console() {
  weights "before the console"
  step "$RECOVERIES recoveries" scale recoveries "$ADMIN" "$RECOVERIES"
  step "the console" console_up
  step "faults one by one, with the console" scale "$@"
  weights "with the console"
  step "faults one by one, $PAGE_LOADS page loads a second" scale "$@" "http://127.0.0.1:$CONSOLE_PORT/" "$PAGE_LOADS"
  weights "after the page loads"
  stop TERM console
  within 10 "the console gone" none_alive console
}

storm_up() {
  preflight
  mkdir -p "$RUN"/{pki,log,kube,pids,pods}
  echo 0 > "$RUN/nodes"
  step "stand-ins" compile
  audit_policy '{level: Metadata, resources: [{group: rekindle.dev, resources: [nodefaults/status]},
    {group: events.k8s.io, resources: [events]}]}' \
    '{level: Metadata, namespaces: ['"$RELEASE_NAMESPACE"'], resources: [{group: "", resources: [configmaps]}]}'
  step "identities" identities
  step "control plane" control_plane
  step "API server" within 60 "the API server" api GET /readyz
  step "controller" controller_up "{mode: auto, fencing: {scope: gpuNodes, maxNodes: 100000, maxPercent: 100}}"
  step "$1 kwok nodes" kwok_up "$1"
  step "nodes Ready" within 1200 "all nodes Ready" kwok_nodes_ready "$1"
}

# Reads of the real kernel log block; a file in its place is polled 20 times a second, which an idle agent
# would be charged.
agent_alone() {
  local log=$RUN/agent-kmsg
  step "an agent with the kernel's log" agent_up kwok-00000 /dev/kmsg
  sleep 30   # what starting costs is not what idling costs
  step "the agent idle" scale idle "$ADMIN" "$(cat "$RUN/pids/agent")" $AGENT_PORT "$IDLE" "$OUT"
  step "the agent down" agent_down
  k delete nodefaults --all > /dev/null   # of an earlier run, that the kernel's log still has
  kernel_record 6 "a log of its own" > "$log"
  step "an agent with a log of its own" agent_up kwok-00000 "$log"
  sleep 10
  step "2,000 faults a second" scale signals "$ADMIN" "$(cat "$RUN/pids/agent")" $AGENT_PORT "$log" "$SECONDS_LONG" \
    "$OUT"
  step "the agent down" agent_down
  k delete nodefaults --all > /dev/null
}

# An end of it stays open, or its reader would meet an end of the log.
pipe() {
  rm -f "$RUN/kmsg-pipe"
  mkfifo "$RUN/kmsg-pipe"
  exec 7<> "$RUN/kmsg-pipe"
}

main() {
  local size all=("$@")
  while [ $# -gt 0 ]; do
    case $1 in
      --nodes) SIZES=$2; shift 2 ;;
      --struck) STRUCK=$2; shift 2 ;;
      --together) TOGETHER=$2; shift 2 ;;
      --rounds) ROUNDS=$2; shift 2 ;;
      --idle) IDLE=$2; shift 2 ;;
      --seconds) SECONDS_LONG=$2; shift 2 ;;
      --page-loads) PAGE_LOADS=$2; shift 2 ;;
      --recoveries) RECOVERIES=$2; shift 2 ;;
      --out) OUT=$(realpath -m "$2"); shift 2 ;;
      *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
    esac
  done
  [[ $SIZES =~ ^[0-9]+(,[0-9]+)*$ ]] || die "not a list of sizes: $SIZES"
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
  for size in ${SIZES//,/ }; do
    storm_up "$size"
    [ "$size" != "${SIZES%%,*}" ] || [ "$IDLE" = 0 ] || agent_alone
    pipe
    step "an agent with a log of its own" agent_up kwok-00000 "$RUN/kmsg-pipe"
    step "$ROUNDS faults one by one, $size nodes" scale alone "$ADMIN" kwok-00000 "$RUN/kmsg-pipe" "$ROUNDS" "$OUT"
    [ "$PAGE_LOADS" = 0 ] || with_console alone "$ADMIN" kwok-00000 "$RUN/kmsg-pipe" "$ROUNDS" "$OUT"
    step "the agent down" agent_down
    [ "$STRUCK" = 0 ] || step "$STRUCK nodes at once, of $size" \
      scale together "$ADMIN" "$STRUCK" "$TOGETHER" "$RUN/log/audit.json" "$OUT"
    [ "$size" = "${SIZES##*,}" ] || step "testbed down" kwok_down
  done
  cat "$OUT"
}
if [ -n "${SCALE_INSIDE:-}" ]; then locked "$RUN.lock" main "$@"; else main "$@"; fi
