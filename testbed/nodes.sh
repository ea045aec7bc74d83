# shellcheck shell=bash
# What one does to a node: load an image, write into its kernel log, freeze and thaw it. Sourced by testbed.sh, after
# lib.sh.

# --- kernel log
# -----------------------------------------------------------------------------------------------------------------

# kernel_record PRIORITY TEXT [SEQUENCE] : as a read of /dev/kmsg returns it: "priority,sequence,microseconds since
# boot,flags;text".
kernel_record() {
  local up
  read -r up _ < /proc/uptime
  printf '%s,%s,%s,-;%s\n' "$1" "${3:-0}" "${up/./}0000" "$2"
}

# inject NODE LINE : one record at priority 4 (warning), which is what the NVIDIA driver logs an Xid with.
inject() {
  local node=$1 line=$2 last
  need_node "$node"
  [[ $line != *$'\n'* ]] || die "one record is one line"
  (
    flock 8
    # The last record that is one: tests put nonsense into this file, too.
    last=$(awk -F, '/^[0-9]+,[0-9]+,[0-9]+,/ { last = $2 } END { print last + 0 }' "$RUN/$node/kmsg")
    # One write: a reader must never see half of it.
    printf '%s\n' "$(kernel_record 4 "$line" $((last + 1)))" >&8
  ) 8>> "$RUN/$node/kmsg"
}

# --- images
# ---------------------------------------------------------------------------------------------------------------------

load_everywhere() {
  local tar=$1 node jobs=()
  [ -f "$tar" ] || die "no such file: $tar"
  for node in $(nodes); do
    import_into "$node" "$tar" > /dev/null & jobs+=($!)
  done
  wait_all "${jobs[@]}"
}

# --- freeze and thaw
# ------------------------------------------------------------------------------------------------------------

# Every process of a node's pods. The container id is a part of the cgroup's path, in version 1 and in version 2, and
# with cgroupsPerQOS off it is all there is: the pod's UID is not in the path.
pod_processes() {
  local ids
  ids=$(ctr -a "$RUN/$1/containerd/sock" -n k8s.io tasks ls -q)
  [ -n "$ids" ] || return 0
  grep -lF -e "$ids" /proc/[0-9]*/cgroup 2> /dev/null | cut -d/ -f3 || true
}

# Those of them that still run: state T (stopped), Z (zombie) and X (gone) do not, nor do those that an agent has
# frozen, which will be stopped before they do anything else.
running_of() {
  local pid state
  for pid in "$@"; do
    state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$pid/status" 2> /dev/null) || continue
    case $state in T | Z | X | '') ;; *) is_frozen "$pid" || echo "$pid" ;; esac
  done
}

# By either version of the freezer: where both are mounted, an agent takes the one that has the container.
is_frozen() {
  local group top
  group=$(sed -n 's/^[0-9]*:freezer://p' "/proc/$1/cgroup" 2> /dev/null) || return 1
  [ "$(cat "/sys/fs/cgroup/freezer$group/freezer.state" 2> /dev/null)" != FROZEN ] || return 0
  group=$(sed -n 's/^0:://p' "/proc/$1/cgroup" 2> /dev/null) || return 1
  for top in /sys/fs/cgroup /sys/fs/cgroup/unified; do
    ! grep -q '^frozen 1' "$top$group/cgroup.events" 2> /dev/null || return 0
  done
  return 1
}

# freeze NODE : as if the machine hung. The kubelet is stopped first: one that sees its containers change would report
# it, or restart them. Then its pods' processes, until a check finds none running, since a process may fork
# meanwhile. containerd and its shims run on; without a kubelet nothing asks them.
freeze() {
  local node=$1 pids deadline=$((SECONDS + 60))
  freeze_kubelet "$node"
  # A process that waits for the disk stops when it has what it waits for.
  while [ $SECONDS -lt $deadline ]; do
    # shellcheck disable=SC2046
    pids=$(running_of $(pod_processes "$node"))
    [ -n "$pids" ] || break
    # shellcheck disable=SC2086
    kill -STOP $pids 2> /dev/null || true
    sleep 0.02
  done
  # shellcheck disable=SC2086
  [ -z "$pids" ] || die \
    "could not stop these processes of $node: $(ps -o pid=,stat=,args= -p "$(xargs <<< $pids | tr ' ' ,)")"
  echo "kubelet and pods" > "$RUN/$node/frozen"
}

freeze_kubelet() {
  need_node "$1"
  alive "kubelet-${1#node-}" || die "the kubelet of $1 does not run"
  kill -STOP "$(cat "$RUN/pids/kubelet-${1#node-}")"
  echo "kubelet" > "$RUN/$1/frozen"
}

# thaw NODE : the reverse, in the reverse order: first the pods, then the kubelet. On a machine that resumes, all of
# them run on at once, and processes of an old generation compute until a kubelet that has caught up with the API server
# kills them. This order makes sure that they do run before that, which is the harder case for a promise that two
# generations never train together.
thaw() {
  local node=$1 pids
  need_node "$node"
  pids=$(pod_processes "$node")
  # shellcheck disable=SC2086
  [ -z "$pids" ] || kill -CONT $pids 2> /dev/null || true
  alive "kubelet-${node#node-}" || die "the kubelet of $node does not run"
  kill -CONT "$(cat "$RUN/pids/kubelet-${node#node-}")"
  rm -f "$RUN/$node/frozen"
}

# signal_pod SIGNAL NAMESPACE POD : to every process of its container `pytorch`, from outside, as the kernel's
# out-of-memory killer or a hung driver would.
signal_pod() {
  local signal=$1 id pids
  id=$(api GET "/api/v1/namespaces/$2/pods/$3" | jq -r \
    '.status.containerStatuses[]? | select(.name == "pytorch") | .containerID // ""')
  [ -n "$id" ] || die "$2/$3 has no running container named pytorch"
  pids=$(grep -lF -e "${id#*://}" /proc/[0-9]*/cgroup 2> /dev/null | cut -d/ -f3 || true)
  [ -n "$pids" ] || die "no process of $2/$3 runs"
  # shellcheck disable=SC2086
  kill "-$signal" $pids
}
