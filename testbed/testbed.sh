#!/bin/bash
# ./rekindle testbed COMMAND: a real cluster on this machine to try Rekindle on. ./rekindle --help lists the commands.
set -euo pipefail
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$HERE/nodes.sh"
. "$HERE/cluster.sh"
. "$HERE/release.sh"
. "$HERE/gangs.sh"
. "$HERE/spiderpool.sh"

# What there is only when asked for.
PARTS="kueue coscheduling spiderpool"

usage_error() { say "rekindle: $*"; say "see: ./rekindle --help"; exit 2; }

need_parts() {
  local part
  for part in "$@"; do
    case " $PARTS " in *" $part "*) ;; *) usage_error "no such part: '$part'; there are: $PARTS" ;; esac
  done
}

parts_up() {
  local part
  for part in "$@"; do
    if alive "$part"; then continue; fi
    "$HERE/install.sh" "$part"
    step "$part" "${part}_up"
  done
}

# down PART... : the cluster is what it was before.
parts_down() {
  local part
  for part in "$@"; do
    if alive "$part"; then step "$part: down" "${part}_down"; fi
  done
}

up() {
  local bare=false began=$SECONDS with=() without=()
  HELM_ARGS=()
  while [ $# -gt 0 ]; do
    # --name=VALUE is --name VALUE.
    [[ $1 != --*=* ]] || set -- "${1%%=*}" "${1#*=}" "${@:2}"
    case $1 in
      --nodes) NODES=${2:?--nodes needs a number}; shift 2; [[ $NODES =~ ^[1-9][0-9]?$ ]] ||
        usage_error "not a number of nodes: $NODES" ;;
      --bare) bare=true; shift ;;
      --with) IFS=, read -ra with <<< "${2:?--with needs a list of parts}"; shift 2; need_parts "${with[@]}" ;;
      --without) IFS=, read -ra without <<< "${2:?--without needs a list of parts}"; shift 2; need_parts \
        "${without[@]}" ;;
      --image) IMAGE=$(realpath "${2:?--image needs a file}"); shift 2 ;;
      --values) HELM_ARGS+=(--values "$(realpath "${2:?--values needs a file}")"); shift 2 ;;
      --set) HELM_ARGS+=(--set "${2:?--set needs KEY=VALUE}"); shift 2 ;;
      *) usage_error "testbed up: unknown option $1" ;;
    esac
  done
  "$HERE/install.sh"
  if is_up; then
    NODES=$(cat "$RUN/nodes")
    say "the cluster runs already, with $NODES nodes"
  else
    # Left from an `up` that failed, or from before a reboot.
    [ ! -d "$RUN" ] || step "removing what is left of an earlier testbed" cluster_down
    # Not `cluster_up || ...`: errexit would be off in all of it.
    trap 'say "the cluster did not come up; logs are in $RUN/log; ./rekindle testbed down removes it"' EXIT
    cluster_up
    trap - EXIT
  fi
  parts_down ${without[@]+"${without[@]}"}
  parts_up ${with[@]+"${with[@]}"}
  $bare || release_up
  say "up after $((SECONDS - began)) s; kubeconfig: $ADMIN"
}

status() {
  local process frozen
  if ! [ -d "$RUN" ]; then say "no testbed"; return 1; fi
  for process in $(names '*'); do
    frozen=$(sed -n 's/^State:[[:space:]]*T.*/ (stopped)/p' "/proc/$(cat "$RUN/pids/$process")/status" 2> /dev/null ||
      true)
    printf '%-22s %8s  %s%s\n' "$process" "$(cat "$RUN/pids/$process")" \
      "$(if alive "$process"; then echo runs; else echo "DEAD, see $RUN/log/$process.log"; fi)" "$frozen"
  done
  need_up
  echo; k get nodes -L fabric.topograph.run/tier-0
  echo; k get pods -A -o wide
  echo; k get pytorchjobs -A
  if k get crd recoveries.rekindle.dev > /dev/null 2>&1; then echo; k get \
    nodefaults.rekindle.dev,recoveries.rekindle.dev -A; fi
}

testbed() {
  local command=${1:-}
  [ $# -eq 0 ] || shift
  case $command in
    up) up "$@" ;;
    down) step "testbed down" locked "$RUN.lock" cluster_down ;;
    install) "$HERE/install.sh" "$@" ;;
    kubeconfig) need_up; echo "$ADMIN" ;;
    kubectl) need_up; k "$@" ;;
    load) need_up; [ $# = 1 ] || usage_error "testbed load IMAGE.tar"; load_everywhere "$1" ;;
    job) "$HERE/job.sh" "$@" ;;
    inject) [ $# = 2 ] || usage_error "testbed inject NODE LINE"; inject "$1" "$2" ;;
    signal) need_up; [ $# -ge 2 ] || usage_error "testbed signal SIGNAL POD [NAMESPACE]"; signal_pod "$1" \
      "${3:-default}" "$2" ;;
    freeze)
      case $#,${1:-} in
        1,*) need_node "$1"; freeze "$1" ;;
        2,--kubelet-only) need_node "$2"; freeze_kubelet "$2" ;;
        *) usage_error "testbed freeze [--kubelet-only] NODE" ;;
      esac ;;
    thaw) [ $# = 1 ] || usage_error "testbed thaw NODE"; thaw "$1" ;;
    drill) exec "$HERE/drill.sh" "$@" ;;
    scale | storm | upgrade) exec "$HERE/$command.sh" "$@" ;;
    status) status ;;
    *) usage_error "testbed: unknown command '$command'" ;;
  esac
}

case ${1:-} in
  '') usage_error "testbed: which command?" ;;
  up) locked "$RUN.lock" testbed "$@" ;;
  *) testbed "$@" ;;
esac
