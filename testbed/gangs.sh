# shellcheck shell=bash
# What schedules gangs and queues them, beside the cluster and only when asked for: Kueue, and the scheduler plugin
# Coscheduling. Sourced by testbed.sh, after lib.sh and cluster.sh.

GANG_SCHEDULER=scheduler-plugins-scheduler
KUEUE_WEBHOOKS=https://127.0.0.1:29443
# With certificates of ours Kueue looks for those of its metrics here, and nowhere else.
KUEUE_METRICS_CERTS=/etc/kueue/metrics/certs
# The only kinds that Kueue's webhooks are called for: it answers for no others when it is given one framework.
KUEUE_HOOKED='(pytorchjob|workload|clusterqueue|resourceflavor|cohort)\.kb\.io$'

# --- Kueue, outside the cluster, with its webhooks
# ------------------------------------------------------------------------------

kueue_certificate() {
  mkdir -p "$RUN/kueue/certs" "$KUEUE_METRICS_CERTS"
  cd "$RUN/kueue"
  openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 30 -subj /CN=kueue-testbed
  openssl req -newkey rsa:2048 -nodes -keyout certs/tls.key -out tls.csr -subj /CN=kueue
  echo 'subjectAltName=IP:127.0.0.1,DNS:localhost' > san
  openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile san -out certs/tls.crt
  cp certs/tls.crt certs/tls.key "$KUEUE_METRICS_CERTS"
}

# One version is stored and another one served too, so reading a Workload calls Kueue.
kueue_crds() {
  k create --dry-run=client -o json -f "$CACHE/kueue/crds" |
    jq --arg url "$KUEUE_WEBHOOKS/convert" --arg ca "$(base64 -w0 < "$RUN/kueue/ca.crt")" '
    (if .items then .items[] else . end) |
    (select(.spec.names.plural
      | IN("localqueues", "clusterqueues", "cohorts", "workloads", "multikueueclusters")) | .spec.conversion) =
      {strategy: "Webhook", webhook: {conversionReviewVersions: ["v1"], clientConfig: {url: $url, caBundle: $ca}}}'
}
kueue_webhooks() {
  k create --dry-run=client -o json -f "$CACHE/kueue/webhooks.yaml" |
    jq --arg url "$KUEUE_WEBHOOKS" --arg ca "$(base64 -w0 < "$RUN/kueue/ca.crt")" --arg ours "$KUEUE_HOOKED" '
    (if .items then .items[] else . end) | .metadata.name = "kueue-" + .metadata.name |
    .webhooks |= [.[] | select(.name | test($ours))
      | .clientConfig = {url: ($url + .clientConfig.service.path), caBundle: $ca}]'
}
kueue_kinds() { k get crd -o name | sed -n \
  's|^customresourcedefinition.apiextensions.k8s.io/\(.*\.kueue\.x-k8s\.io\)$|\1|p'; }

kueue_up() {
  kueue_certificate
  kueue_crds > crds.json
  k apply --server-side -f crds.json
  # Started before they are established, Kueue exits.
  k wait --for=condition=Established --timeout=120s -f crds.json
  k create namespace kueue-system --dry-run=client -o yaml | k apply -f -
  cat > config.yaml << Y
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
namespace: kueue-system
health: {healthProbeBindAddress: "127.0.0.1:18081"}
metrics: {bindAddress: "127.0.0.1:18443"}
webhook: {host: 127.0.0.1, port: 29443, certDir: $RUN/kueue/certs}
leaderElection: {leaderElect: false}
internalCertManagement: {enable: false}
controller:
  groupKindConcurrency:
    Workload.kueue.x-k8s.io: 5
    LocalQueue.kueue.x-k8s.io: 1
    ClusterQueue.kueue.x-k8s.io: 1
    ResourceFlavor.kueue.x-k8s.io: 1
clientConnection: {qps: 50, burst: 100}
integrations: {frameworks: ["kubeflow.org/pytorchjob"]}
Y
  # The visibility server would want certificates of its own.
  start kueue "$BIN/kueue" --config "$RUN/kueue/config.yaml" --kubeconfig "$ADMIN" --feature-gates \
    VisibilityOnDemand=false
  within 180 "Kueue ready" curl -sf http://127.0.0.1:18081/readyz
  # Until they answer, nothing may ask them.
  kueue_webhooks > webhooks.json
  k apply --server-side -f webhooks.json
}

# Its objects carry finalizers that it alone takes off, so they go before it does.
kueue_down() {
  local kinds
  mapfile -t kinds < <(kueue_kinds)
  k get workloads.kueue.x-k8s.io -A -o json | jq -r '.items[] | .metadata.namespace + " " + .metadata.name' |
    while read -r namespace name; do
    k -n "$namespace" patch workloads.kueue.x-k8s.io "$name" --type merge -p '{"metadata":{"finalizers":null}}'
  done
  k delete validatingwebhookconfigurations kueue-validating-webhook-configuration --ignore-not-found
  k delete mutatingwebhookconfigurations kueue-mutating-webhook-configuration --ignore-not-found
  k delete crd "${kinds[@]}" --timeout=120s
  stop KILL kueue
  rm -f "$RUN/pids/kueue" "$KUEUE_METRICS_CERTS"/tls.crt "$KUEUE_METRICS_CERTS"/tls.key
}

# --- Coscheduling: a second scheduler, and an operator that makes PodGroups
# ------------------------------------------------------

coscheduling_up() {
  mkdir -p "$RUN/coscheduling"
  k apply --server-side -f "$CACHE/coscheduling/crd.yaml"
  k wait --for=condition=Established --timeout=120s crd/podgroups.scheduling.x-k8s.io
  cat > "$RUN/coscheduling/config.yaml" << Y
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {leaderElect: false}
clientConnection: {kubeconfig: $ADMIN}
profiles:
- schedulerName: $GANG_SCHEDULER
  plugins:
    multiPoint: {enabled: [{name: Coscheduling}]}
    queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: "*"}]}
  pluginConfig:
  - name: Coscheduling
    args: {permitWaitingTimeSeconds: 10}
Y
  start coscheduling "$BIN/gang-scheduler" --config "$RUN/coscheduling/config.yaml" --authentication-kubeconfig \
    "$ADMIN" \
    --authorization-kubeconfig "$ADMIN" --authentication-skip-lookup --secure-port 10269
  # It watches PodGroups only if the kind exists when it starts.
  operator_again --gang-scheduler-name=$GANG_SCHEDULER
}

coscheduling_down() {
  operator_again
  stop KILL coscheduling
  rm -f "$RUN/pids/coscheduling"
  k delete crd podgroups.scheduling.x-k8s.io --timeout=120s
}

# It has its ports from the one before it, and its certificate from a Secret that it may find half written: tried three
# times.
operator_again() {
  local try
  cd "$RUN"
  for try in 1 2 3; do
    stop KILL training-operator
    within 10 "the operator gone" none_alive training-operator
    operator_start "$@"
    if within 20 "the training operator ready" operator_ready; then return 0; fi
    cp "$RUN/log/training-operator.log" "$RUN/log/training-operator-$try.log"
  done
  return 1
}
