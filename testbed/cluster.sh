# shellcheck shell=bash
# The cluster: control plane, nodes, network, names, training operator. Sourced by testbed.sh, after lib.sh.

NODES=${NODES:-4}
GRACE=${GRACE:-20s}      # how long a node may be silent before it is NotReady; Kubernetes' default is 50s
# More for the API server, and for controller manager and scheduler: the scale benchmark has some.
APISERVER_ARGS=()
CONTROLLER_ARGS=()
PORTS="2379 2380 5720 5722 6443 8180 8181 10249 10256 10257 10259 10269 18081 18443 19443 29443"
# The training operator reads its certificate from this fixed place, and nowhere else: one operator per machine.
OPERATOR_CERTS=/tmp/k8s-webhook-server/serving-certs

node_numbers() { seq 0 $((NODES - 1)); }

preflight() {
  local port busy=() i
  [ "$(id -u)" = 0 ] || die "root is needed: containers, bridges and iptables rules are made"
  for port in $PORTS; do
    if (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then busy+=("$port"); fi
  done
  [ ${#busy[@]} = 0 ] || die "these ports are taken by something else: ${busy[*]}"
  for i in $(node_numbers); do
    if ip link show "tb$i" > /dev/null 2>&1; then die "a network device tb$i exists and is not ours"; fi
  done
}

# One CA, one serving certificate, static tokens. Node authorizer and RBAC are on, so that permissions are tested for
# real; pods get real service-account tokens, signed with sa.key.
identities() {
  local user i
  cd "$RUN/pki"
  openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 30 -subj /CN=testbed
  openssl req -newkey rsa:2048 -nodes -keyout api.key -out api.csr -subj /CN=kube-apiserver
  local names=DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc
  echo "subjectAltName=IP:127.0.0.1,IP:10.96.0.1,IP:10.244.0.1,$names" > san
  openssl x509 -req -in api.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile san -out api.crt
  openssl genrsa -out sa.key 2048
  {
    echo 'admin,admin,admin,"system:masters"'
    for user in kube-controller-manager kube-scheduler kube-proxy; do echo "$user,system:$user,$user"; done
    for i in $(node_numbers); do echo "node-$i,system:node:node-$i,node-$i,\"system:nodes\""; done
  } > tokens.csv
  for user in $(cut -d, -f1 tokens.csv); do kubeconfig_of "$user" > "$RUN/kube/$user"; done
}

kubeconfig_of() {
  cat << Y
apiVersion: v1
kind: Config
clusters: [{name: testbed, cluster: {server: "$API", certificate-authority-data: $(base64 -w0 < "$RUN/pki/ca.crt")}}]
users: [{name: $1, user: {token: $1}}]
contexts: [{name: testbed, context: {cluster: testbed, user: $1}}]
current-context: testbed
Y
}

# A bridge and a /24 for the pods of each node, routed by this host. The bridges carry the nodes' addresses (so that
# every kubelet can listen on port 10250) and so exist before the kubelets. What we change on the host is written down,
# for `down`.
network() {
  local i
  ls /run/netns > "$RUN/netns-before" 2> /dev/null || true
  iptables -S FORWARD | sed -n 's/^-P FORWARD //p' > "$RUN/forward-policy-before"
  kube_chains > "$RUN/kube-chains-before"
  modprobe br_netfilter 2> /dev/null || true  # often built in
  sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1
  iptables -P FORWARD ACCEPT
  for i in $(node_numbers); do
    # An address of its own. Without one a bridge takes the lowest of its ports', so that it changes with the pods of
    # the node, and the others lose their gateway for up to half a minute, until their neighbour entry has timed out.
    ip link add "tb$i" address "$(printf '02:00:0a:f4:%02x:01' "$i")" type bridge
    ip addr add "10.244.$i.1/24" dev "tb$i"
    ip link set "tb$i" up
  done
}

control_plane() {
  cd "$RUN"
  start etcd "$BIN/etcd" --data-dir "$RUN/etcd" --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls \
    http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --unsafe-no-fsync --log-level error --watch-progress-notify-interval 5s
  start apiserver "$BIN/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --bind-address 0.0.0.0 \
    --advertise-address 10.244.0.1 \
    --tls-cert-file pki/api.crt --tls-private-key-file pki/api.key --client-ca-file pki/ca.crt --token-auth-file \
      pki/tokens.csv \
    --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction --allow-privileged=true \
    --service-account-key-file pki/sa.key --service-account-signing-key-file pki/sa.key \
    --service-account-issuer https://kubernetes.default.svc --service-cluster-ip-range 10.96.0.0/16 \
    --kubelet-preferred-address-types InternalIP ${APISERVER_ARGS[@]+"${APISERVER_ARGS[@]}"}
}

controllers() {
  cd "$RUN"
  start controller-manager "$BIN/kube-controller-manager" --kubeconfig kube/kube-controller-manager \
    --authentication-kubeconfig kube/kube-controller-manager --authorization-kubeconfig kube/kube-controller-manager \
    --service-account-private-key-file pki/sa.key --root-ca-file pki/ca.crt --use-service-account-credentials \
      --leader-elect=false \
    --node-monitor-grace-period="$GRACE" ${CONTROLLER_ARGS[@]+"${CONTROLLER_ARGS[@]}"}
  start scheduler "$BIN/kube-scheduler" --kubeconfig kube/kube-scheduler --authentication-kubeconfig \
    kube/kube-scheduler \
    --authorization-kubeconfig kube/kube-scheduler --leader-elect=false ${CONTROLLER_ARGS[@]+"${CONTROLLER_ARGS[@]}"}
}

# start_with_disk NODE NAME COMMAND... : as `start`, in a mount namespace of its own in which $RUN/disk is that node's
# folder: a path of the host that is another disk on each node, and no mount of one node is seen by others.
start_with_disk() {
  local node=$1 name=$2
  shift 2
  mkdir -p "$RUN/disk" "$RUN/$node/disk"
  # shellcheck disable=SC2016  # for the inner shell
  start "$name" unshare --mount sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' \
    "$RUN/$node/disk" "$RUN/disk" "$@"
}

# One containerd per kubelet (a kubelet removes every sandbox it does not know), each with its own pod logs and CNI
# state.
containerd_of() {
  local i=$1 dir=$RUN/node-$1
  mkdir -p "$dir"/{cni,cni-bin,containerd,kubelet,podlogs,state}
  # A folder of its own, as Multus and Spiderpool differ by node.
  ln -s /usr/lib/cni/* "$dir/cni-bin/"
  cat > "$dir/cni/10-bridge.conflist" << Y
{"cniVersion": "0.4.0", "name": "testbed",
  "plugins": [{"type": "bridge", "bridge": "tb$i", "isGateway": true, "hairpinMode": true,
    "ipam": {"type": "host-local", "dataDir": "$dir/ipam", "ranges": [[{"subnet": "10.244.$i.0/24"}]],
      "routes": [{"dst": "0.0.0.0/0"}]}}]}
Y
  cat > "$dir/containerd.toml" << Y
version = 2
root = "$dir/containerd/root"
state = "$dir/containerd/state"
[grpc]
  address = "$dir/containerd/sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$dir/containerd/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  # Where this machine lacks CAP_SYS_RESOURCE, runc cannot lower it and dies with
  # "can't get final child's PID from pipe: EOF".
  restrict_oom_score_adj = true
  stream_server_port = "0"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "$dir/cni-bin"
  conf_dir = "$dir/cni"
Y
  start_with_disk "node-$i" "containerd-$i" containerd -c "$dir/containerd.toml"
}

kubelet_of() {
  local i=$1 dir=$RUN/node-$1
  cat > "$dir/kubelet.yaml" << Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 10.244.$i.1
healthzBindAddress: 10.244.$i.1
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failSwapOn: false
failCgroupV1: false
clusterDNS: [10.244.0.1]
clusterDomain: cluster.local
resolvConf: ""
containerRuntimeEndpoint: unix://$dir/containerd/sock
podLogsDir: $dir/podlogs
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: "0%", nodefs.available: "0%", nodefs.inodesFree: "0%", imagefs.available: "0%"}
nodeStatusUpdateFrequency: 4s
nodeLeaseDurationSeconds: 20
Y
  # With the mounts of its containerd, as both have a part in those of a pod. Two nodes to a leaf switch: what topology
  # discovery would write on a real fabric.
  start "kubelet-$i" nsenter --mount="/proc/$(cat "$RUN/pids/containerd-$i")/ns/mnt" \
    "$BIN/kubelet" --config "$dir/kubelet.yaml" --kubeconfig "$RUN/kube/node-$i" --hostname-override "node-$i" \
    --node-ip "10.244.$i.1" --root-dir "$dir/kubelet" --cert-dir "$dir/kubelet/pki" --node-labels \
      "fabric.topograph.run/tier-0=leaf-$((i / 2))"
}

import_into() {
  local sock=$RUN/$1/containerd/sock
  ctr -a "$sock" -n k8s.io images import "$2"
}

# All nodes have one kernel and so one /dev/kmsg; each gets a file of its own with the same record framing. It begins
# with a record of no interest, as a kernel log is never empty.
kernel_log_of() { kernel_record 6 "rekindle-testbed: kernel log of node-$1" > "$RUN/node-$1/kmsg"; }

# With cgroupsPerQOS off the pods of all nodes are in one group, which by default gets as much of the processors as a
# single session of a shell: beside a busy build probes and leases would fail. Where it cannot be set, it stays.
pods_share() {
  if [ -d /sys/fs/cgroup/cpu ]; then
    mkdir -p /sys/fs/cgroup/cpu/k8s.io && echo 20480 > /sys/fs/cgroup/cpu/k8s.io/cpu.shares
  else
    mkdir -p /sys/fs/cgroup/k8s.io && echo 2000 > /sys/fs/cgroup/k8s.io/cpu.weight
  fi 2> /dev/null || true
}

nodes_up() {
  local i jobs=()
  pods_share
  for i in $(node_numbers); do kernel_log_of "$i"; done
  for i in $(node_numbers); do within 180 "containerd of node-$i" ctr -a "$RUN/node-$i/containerd/sock" version; done
  # pause first and for all, as no pod starts without it; the trainer is imported while the kubelets start.
  for i in $(node_numbers); do import_into "node-$i" "$CACHE/pause.tar"; done
  for i in $(node_numbers); do kubelet_of "$i"; done
  for i in $(node_numbers); do
    import_into "node-$i" "$CACHE/trainer.tar" & jobs+=($!)
  done
  wait_all "${jobs[@]}"
}
wait_all() { local job; for job in "$@"; do wait "$job"; done; }

# Services: one kube-proxy, as the traffic of all pods passes through this host. Names: CoreDNS on the first bridge,
# without a cache, so that a re-created master is found at once.
services() {
  cd "$RUN"
  start proxy "$BIN/kube-proxy" --kubeconfig kube/kube-proxy --proxy-mode iptables --hostname-override node-0 \
    --conntrack-max-per-core 0
  cat > Corefile << C
.:53 {
  bind 10.244.0.1
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $ADMIN testbed
    pods insecure
    ttl 0
  }
}
C
  start coredns "$BIN/coredns" -conf "$RUN/Corefile"
}

# The operator runs beside the cluster. It wants an existing Secret for its webhook's certificate, fills it, and then
# waits for the files that a mounted Secret would show. There is no ValidatingWebhookConfiguration, so nothing calls
# that webhook. The CRD is larger than the annotation that a client-side apply leaves behind, hence --server-side.
operator() {
  cd "$RUN"
  k create namespace kubeflow
  k -n kubeflow create secret generic training-operator-webhook-cert
  k apply --server-side -f "$CACHE/kubeflow.org_pytorchjobs.yaml"
  # Workers wait for the master's name. getent, since BusyBox' nslookup fails as soon as one of the search names does
  # not resolve.
  cat > init-container.yaml << 'Y'
- name: init-pytorch
  image: localhost/trainer:1
  imagePullPolicy: IfNotPresent
  command: ['sh', '-c', 'for i in $(seq 1200); do getent hosts {{.MasterAddr}} && exit 0; sleep 0.1; done; exit 1']
Y
  operator_start
  within 180 "the training operator's certificate" operator_certificate
}
operator_start() {
  start training-operator "$BIN/training-operator.v1" --enable-scheme=pytorchjob --kubeconfig "$ADMIN" \
    --metrics-bind-address 127.0.0.1:8180 \
    --health-probe-bind-address 127.0.0.1:8181 --webhook-server-port 19443 --pytorch-init-container-template-file \
      "$RUN/init-container.yaml" "$@"
}
# Polled, so every failure is reported by hand: errexit is off inside a condition.
operator_certificate() {
  local file secret=$RUN/pki/operator-secret
  mkdir -p $OPERATOR_CERTS && api GET /api/v1/namespaces/kubeflow/secrets/training-operator-webhook-cert > "$secret" ||
    return 1
  for file in tls.crt tls.key; do
    jq -er ".data[\"$file\"]" "$secret" > "$secret.$file" && base64 -d "$secret.$file" > "$RUN/pki/operator-$file" ||
      return 1
  done
  cp "$RUN/pki/operator-tls.crt" $OPERATOR_CERTS/tls.crt && cp "$RUN/pki/operator-tls.key" $OPERATOR_CERTS/tls.key
}

all_nodes_ready() { [ "$(k get nodes --no-headers | awk '$2 == "Ready"' | wc -l)" = "$NODES" ]; }
operator_ready() { alive training-operator && curl -sf http://127.0.0.1:8181/readyz; }
default_account() { api GET /api/v1/namespaces/default/serviceaccounts/default; }

all_ready() {
  within 180 "all nodes Ready" all_nodes_ready
  within 180 "the training operator ready" operator_ready
  within 180 "the default service account" default_account
}
controllers_and_services() { controllers; services; }

cluster_up() {
  local i
  preflight
  mkdir -p "$RUN"/{pki,log,kube,pids,ckpt}
  echo "$NODES" > "$RUN/nodes"
  step "identities" identities
  step "network" network
  step "control plane" control_plane
  for i in $(node_numbers); do containerd_of "$i"; done
  step "API server" within 180 "the API server" api GET /readyz
  step "controllers and services" controllers_and_services
  step "$NODES nodes" nodes_up
  step "training operator" operator
  step "Ready" all_ready
}

# --- down: only what we started
# -------------------------------------------------------------------------------------------------

# The containers of our own containerds. Shims are found by the socket in their command line, which is in RUN.
stop_containers() {
  local sock=$RUN/$1/containerd/sock ids
  [ -S "$sock" ] || return 0
  ids=$(timeout 20 ctr -a "$sock" -n k8s.io tasks ls -q)
  # shellcheck disable=SC2086
  [ -z "$ids" ] || timeout 60 ctr -a "$sock" -n k8s.io tasks delete -f $ids
} > /dev/null 2>&1

stop_shims() {
  local pid
  for pid in $(pgrep -f "containerd-shim.* -address $RUN/node-"); do kill -KILL "$pid" 2> /dev/null || true; done
}

names() { local p; for p in "$RUN"/pids/$1; do [ -e "$p" ] && basename "$p"; done; }
none_alive() { local n; for n in "$@"; do if alive "$n"; then return 1; fi; done; }

cluster_down() {
  local node jobs=() bridge netns
  [ -d "$RUN" ] || { say "no testbed is running"; return 0; }
  # shellcheck disable=SC2046  # names have no spaces
  {
    # Kubelets and controllers first, or they would bring back what is being stopped. Nothing here needs to end
    # gracefully.
    stop KILL $(names 'kubelet-*') controller-manager scheduler coredns training-operator proxy kueue coscheduling \
      $(names 'spiderpool*')
    for node in $(nodes); do stop_containers "$node" & jobs+=($!); done
    [ ${#jobs[@]} = 0 ] || wait "${jobs[@]}" || true
    stop TERM $(names 'containerd-*')
    stop KILL apiserver etcd
    stop_shims
    within 10 "our processes gone" none_alive $(names '*') || stop KILL $(names '*')
  }
  cd /
  # Mounts, deepest first. Those of nodes have ended with them; no other may be removed with its files.
  awk -v run="$RUN/" 'index($2, run) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount -l 2> /dev/null || true
  # A benchmark's nodes have no pods, and the namespaces there are those of a testbed beside it.
  for netns in /run/netns/cni-*; do
    [ -e "$netns" ] && [ -f "$RUN/netns-before" ] || continue
    grep -qxF "$(basename "$netns")" "$RUN/netns-before" || ip netns del "$(basename "$netns")" || true
  done
  for node in $(nodes); do bridge=tb${node#node-}; ip link del "$bridge" 2> /dev/null || true; done
  [ ! -f "$RUN/rails" ] || xargs -rn 1 ip link del < "$RUN/rails" 2> /dev/null || true
  restore_firewall
  [ ! -f "$RUN/pki/operator-tls.crt" ] || rm -rf "$OPERATOR_CERTS"
  [ ! -d "$RUN/kueue" ] || rm -f /etc/kueue/metrics/certs/tls.crt /etc/kueue/metrics/certs/tls.key
  rm -rf "$RUN"
}

# "table chain" of what kube-proxy and kubelets make; the latter never take theirs back.
kube_chains() { iptables-save 2> /dev/null | awk \
  '/^\*/ { table = substr($1, 2) } /^:KUBE-/ { print table, substr($1, 2) }' | sort; }

restore_firewall() {
  local policy table chain
  # Chains that existed before belong to other software.
  if [ -f "$RUN/kube-chains-before" ] && [ ! -s "$RUN/kube-chains-before" ]; then
    "$BIN/kube-proxy" --cleanup > /dev/null 2>&1 || true
    kube_chains | while read -r table chain; do
      iptables-save -t "$table" | sed -n "s/^-A \(.* -j $chain\)\$/-D \1/p" |
        while read -r rule; do xargs -r iptables -t "$table" <<< "$rule"; done
      iptables -t "$table" -F "$chain"
    done
    kube_chains | while read -r table chain; do iptables -t "$table" -X "$chain"; done
  fi
  policy=$(cat "$RUN/forward-policy-before" 2> /dev/null || true)
  [ -z "$policy" ] || iptables -P FORWARD "$policy"
}
