# shellcheck shell=bash
# A control plane whose nodes kwok plays, in a network of its own, for benchmarks. Sourced by scale.sh and storm.sh,
# after lib.sh, cluster.sh and release.sh.

GRACE=3h   # kwok's nodes send no heartbeats here: a thousand nodes' leases are the cluster's load, not Rekindle's
NODES=0
# What is between the operator and its pods shall not be the bottleneck: Kubernetes' own defaults are 50 (scheduler) and
# 20 calls/s.
APISERVER_ARGS=(--audit-policy-file "$RUN/audit.yaml" --audit-log-path "$RUN/log/audit.json" --audit-log-maxsize 1000)
CONTROLLER_ARGS=(--kube-api-qps 1000 --kube-api-burst 1000)
PROFILE=()

# What the controller's image is made of; the stand-ins need no more.
classpath() { printf '%s:' "$ROOT"/controller/target/rekindle-controller-*.jar "$ROOT/controller/target/image/libs/*"; }
scale() {
  REKINDLE_LOG_LEVEL=warn "$JAVA_HOME/bin/java" -XX:+UseSerialGC -Xmx3g -cp "$RUN/classes:$(classpath)" \
    dev.rekindle.testbed.scale.Scale "$@" &
  echo $! > "$RUN/pids/recover"
  wait $!
}
# By its own log the API server says when it answered the calls that matter, and how many there were.
# audit_policy [RULE...]
audit_policy() {
  cat > "$RUN/audit.yaml" << 'Y'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, verbs: [watch, list]}
- level: Metadata
  resources:
  - {group: rekindle.dev, resources: [restartorders, restartreports, recoveries, recoveries/status, nodefaults]}
- {level: Metadata, verbs: [delete], resources: [{group: "", resources: [pods]}]}
- {level: Metadata, resources: [{group: "", resources: [pods/binding]}]}
- level: Metadata
  verbs: [get, patch, update]
  resources: [{group: "", resources: [nodes]}, {group: kubeflow.org, resources: [pytorchjobs]}]
Y
  [ $# = 0 ] || printf -- '- %s\n' "$@" >> "$RUN/audit.yaml"
  echo '- {level: None}' >> "$RUN/audit.yaml"
}
compile() {
  local sources=() file
  for file in "$HERE"/src/test/java/dev/rekindle/testbed/scale/*.java; do
    [[ $file = *Test.java ]] || sources+=("$file")
  done
  "$JAVA_HOME/bin/javac" -proc:none -d "$RUN/classes" -cp "$(classpath)" "${sources[@]}"
}

kwok_up() {
  start kwok "$BIN/kwok" --kubeconfig "$ADMIN" --config "$HERE/kwok.yaml" --manage-all-nodes \
    --node-lease-duration-seconds 0 --node-ip 10.0.0.1
  scale nodes "$ADMIN" "$1"
}
kwok_nodes_ready() { [ "$(k get nodes --no-headers | awk '$2 == "Ready"' | wc -l)" = "$1" ]; }

# image_options FILE... : what the image's files give a JVM, without the class path and what follows it, which are true
# only in a container.
image_options() {
  local file
  for file in "$@"; do sed '/^-cp/,$d' "$ROOT/controller/target/image/root/app/$file"; done
}

# With the image's options but for the heap, which the chart's limit of 512Mi makes 26m to 256m, and without a pod.
# controller_up POLICY
controller_up() {
  k create namespace "$RELEASE_NAMESPACE"
  k apply --server-side -f "$ROOT/charts/rekindle/crds"
  within 30 "the resource definitions" api GET /apis/rekindle.dev/v1alpha1/recoverypolicies
  k create -f - << Y
apiVersion: rekindle.dev/v1alpha1
kind: RecoveryPolicy
metadata: {name: default}
spec: $1
Y
  local options
  mapfile -t options < <(image_options run.args)
  KUBECONFIG=$ADMIN REKINDLE_NAMESPACE=$RELEASE_NAMESPACE REKINDLE_IDENTITY=scale REKINDLE_INSPECTOR_IMAGE=none \
    REKINDLE_HTTP_PORT=18080 \
    start controller "$JAVA_HOME/bin/java" "${options[@]}" -Xms26m -Xmx256m -XX:HeapDumpPath="$RUN/log" \
    ${PROFILE[@]+"${PROFILE[@]}"} -cp "$(classpath)" dev.rekindle.Rekindle controller
  within 60 "the controller ready" curl -sf http://127.0.0.1:18080/readyz
}

kwok_down() {
  stop KILL kwok controller agent console
  cluster_down
}

# Ports and the operator's fixed folder, both for us alone.
inside() {
  ip link set lo up
  mkdir -p "$OPERATOR_CERTS"
  mount -t tmpfs scale "$(dirname "$OPERATOR_CERTS")"
}
