# shellcheck shell=bash
# What every testbed script shares: where things are, which versions, how processes are started and stopped.
# Sourced, never run.

HERE=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
ROOT=$(dirname "$HERE")
# What takes long to make is kept outside the tree and survives `down`; what belongs to one running cluster is in RUN
# and does not.
CACHE=${CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/rekindle-testbed}
RUN=${RUN:-/tmp/rekindle-testbed}
BIN=$CACHE/bin
ADMIN=$RUN/kube/admin
API=https://127.0.0.1:6443
IMAGE_TAR=$ROOT/controller/target/rekindle-image.tar

KUBERNETES=1.34.4        # the last minor version whose kubelet runs on cgroup v1 as well as on v2
ETCD=3.6.7
COREDNS=1.12.4
TRAINING_OPERATOR=1.9.4
HELM=3.18.6
KWOK=0.8.0               # nodes without machines, for `testbed scale` only
KUEUE=0.15.2             # both only with `testbed up --with`
COSCHEDULING=0.33.5      # scheduler-plugins, which is built against
COSCHEDULING_KUBERNETES=33.13
SPIDERPOOL=1.2.2         # with Multus, only with `testbed up --with`, too
MULTUS=4.2.2
PROMETHEUS=0.310.0       # as a Go module (3.10.0); promtool only, for the chart's alerts
TORCH=2.15.0
TRANSFORMERS=5.24.0      # with accelerate and safetensors, for jobs of Hugging Face's Trainer
ACCELERATE=1.15.0
MOTO=5.2.5               # an object store, for tests
SAFETENSORS=0.8.0
TORCH_PYTHON=3.11        # of the trainer image (Debian 12): wheels and byte code are made for it

say() { printf '%s\n' "$*" >&2; }
die() { say "rekindle: $*"; exit 1; }

# step TEXT COMMAND... : run it, say how long it took, and show its output only if it fails.
step() {
  local text=$1 began=$SECONDS log
  shift
  log=$(mktemp)
  if [ -t 2 ]; then printf '%s ...\r' "$text" >&2; else say "$text ..."; fi
  # In the background, as errexit would be off inside a condition: a function that fails halfway must not continue.
  ("$@") > "$log" 2>&1 &
  if wait $!; then
    say "$text: $((SECONDS - began)) s     "
    rm -f "$log"
  else
    say "$text: FAILED"
    tail -n 20 "$log" >&2
    rm -f "$log"
    return 1
  fi
}

# locked NAME COMMAND... : one at a time over all terminals. The daemons that COMMAND starts must not inherit the lock,
# see start.
locked() {
  local lock=$1
  shift
  mkdir -p "$(dirname "$lock")"
  exec 9> "$lock"
  if ! flock -n 9; then
    say "another testbed command holds $lock; waiting for it"
    flock 9
  fi
  "$@"
  exec 9>&-
}

# start NAME COMMAND... : a daemon in its own session, with a pid file and a log. It inherits no open file: a daemon
# that holds its starter's lock holds it for as long as it lives.
start() {
  local name=$1
  shift
  (
    for fd in "/proc/$BASHPID/fd/"*; do
      fd=${fd##*/}
      [ "$fd" -le 2 ] || eval "exec $fd>&-"
    done
    exec setsid nohup "$@" > "$RUN/log/$name.log" 2>&1 < /dev/null
  ) &
  echo $! > "$RUN/pids/$name"
}

# alive NAME : whether what we started under that name still runs (and is no other process that got its number later).
alive() {
  local pid
  pid=$(cat "$RUN/pids/$1" 2> /dev/null) && [ -d "/proc/$pid" ] && tr '\0' ' ' < "/proc/$pid/cmdline" |
    grep -qF -e "$RUN" -e "$BIN"
}

# stop SIGNAL NAME... : those of them that are alive. A stopped process takes no signal but KILL before it is continued.
stop() {
  local signal=$1 name
  shift
  for name in "$@"; do
    if alive "$name"; then kill -CONT "$(cat "$RUN/pids/$name")"; kill "-$signal" "$(cat "$RUN/pids/$name")"; fi
  done 2> /dev/null
  return 0
}

# within SECONDS WHAT COMMAND... : poll until COMMAND succeeds.
within() {
  local seconds=$1 what=$2 deadline=$((SECONDS + $1))
  shift 2
  until "$@" > /dev/null 2>&1; do
    if [ $SECONDS -ge $deadline ]; then say "not within $seconds s: $what"; return 1; fi
    sleep 0.2
  done
}

kubectl_path() { if [ -x "$BIN/kubectl" ]; then echo "$BIN/kubectl"; else type -P kubectl; fi; }
k() { "$(kubectl_path)" --kubeconfig "$ADMIN" "$@"; }

# api METHOD PATH [curl arguments] : one call as administrator; ten times faster than kubectl, which matters where we
# measure.
api() {
  local method=$1 path=$2
  shift 2
  curl -sS --fail-with-body --max-time 30 --cacert "$RUN/pki/ca.crt" -H 'Authorization: Bearer admin' -X "$method" \
    "$API$path" "$@"
}

is_up() { [ -s "$ADMIN" ] && alive apiserver && api GET /readyz > /dev/null 2>&1; }
need_up() { is_up || die "no testbed is running; start one with: ./rekindle testbed up"; }
nodes() { local d; for d in "$RUN"/node-*/; do [ -d "$d" ] && basename "$d"; done; }
need_node() { [[ ${1:-} =~ ^node-[0-9]+$ && -d $RUN/$1 ]] ||
  die "no such node: '${1:-}'; there are: $(nodes | xargs)"; }
now() { date +%s.%N; }
