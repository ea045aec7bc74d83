# shellcheck shell=bash
# Spiderpool with Multus, the real ones, only when asked for: its controller with its webhooks and an agent
# per node beside the cluster, its IPAM plugin on the nodes. Sourced by testbed.sh, after lib.sh and cluster.sh.
#
# A pod's eth0 stays what it is, with an address by host-local. Only for NICs that a pod asks for by annotation
# Multus calls further plugins, and these Spiderpool for an address. So other jobs keep their network, whether
# Spiderpool is there or not.

SPIDERPOOL_WEBHOOKS=https://127.0.0.1:5722
# What a rail is here: an end of a pair of devices, on which each pod gets a macvlan. All nodes are one machine, so a
# rail is one network.
RAILS="tbrail1 tbrail2"

rails_up() {
  local rail
  for rail in $RAILS; do
    ip link show "$rail" > /dev/null 2>&1 || ip link add "$rail" type veth peer name "$rail-peer"
    ip link set "$rail" up
    ip link set "$rail-peer" up
    echo "$rail"
  done > "$RUN/rails"
}
rails_down() {
  xargs -rn 1 ip link del < "$RUN/rails"
  rm -f "$RUN/rails"
}

spiderpool_certificate() {
  mkdir -p "$RUN/spiderpool/certs"
  cd "$RUN/spiderpool"
  openssl req -x509 -newkey rsa:2048 -nodes -keyout certs/tls.key -out certs/tls.crt -days 30 \
    -subj /CN=spiderpool-testbed -addext subjectAltName=IP:127.0.0.1,DNS:localhost
}

# spiderpool_settings SOCKET : what the chart's ConfigMap holds. Unlike there one IP version, no SpiderSubnet, and
# pods are changed.
spiderpool_settings() {
  cat << Y
ipamUnixSocketPath: $1
enableIPv4: true
enableIPv6: false
enableStatefulSet: true
enableKubevirtStaticIP: true
enableSpiderSubnet: false
enableAutoPoolForApplication: false
enableIPConflictDetection: false
enableGatewayDetection: false
tuneSysctlConfig: false
podResourceInject: {enabled: true, namespacesExclude: [kube-system, spiderpool], namespacesInclude: []}
Y
}

# As the chart has them, called where the controller listens.
spiderpool_webhooks() {
  jq -n --arg url "$SPIDERPOOL_WEBHOOKS" --arg ca "$(base64 -w0 < "$RUN/spiderpool/certs/tls.crt")" '
    def hook($kind; $path; $rule): {
      name: ($kind + ".spiderpool.spidernet.io"), admissionReviewVersions: ["v1"], sideEffects: "None",
      failurePolicy: "Fail", clientConfig: {url: ($url + $path), caBundle: $ca}, rules: [$rule]};
    def own($verb; $operations): "spiderippool", "spidermultusconfig", "spiderreservedip" |
      hook(.; "/\($verb)-spiderpool-spidernet-io-v2beta1-\(.)";
        {apiGroups: ["spiderpool.spidernet.io"], apiVersions: ["v2beta1"], operations: $operations,
          resources: [. + "s"]});
    def pods: hook("pods"; "/mutate--v1-pod";
        {apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"]}) +
      {namespaceSelector: {matchExpressions: [{
        key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["kube-system", "spiderpool"]}]}};
    def configuration($kind; $hooks):
      {apiVersion: "admissionregistration.k8s.io/v1", kind: $kind, metadata: {name: "spiderpool-controller"},
        webhooks: $hooks};
    configuration("MutatingWebhookConfiguration"; [own("mutate"; ["CREATE", "UPDATE"]), pods]),
    configuration("ValidatingWebhookConfiguration"; [own("validate"; ["CREATE", "UPDATE"])])'
}

# spiderpool_agent NUMBER : that of a node. All of them are on one machine, so each has a socket and ports of its own.
spiderpool_agent() {
  local i=$1 dir=$RUN/node-$1/spiderpool
  mkdir -p "$dir"
  spiderpool_settings "$dir/agent.sock" > "$dir/conf.yml"
  start "spiderpool-agent-$i" env KUBECONFIG="$ADMIN" SPIDERPOOL_NODE_NAME="node-$i" \
    SPIDERPOOL_POD_NAME="spiderpool-agent-$i" SPIDERPOOL_POD_NAMESPACE=spiderpool \
    SPIDERPOOL_HEALTH_PORT=$((15710 + 10 * i)) SPIDERPOOL_METRIC_HTTP_PORT=$((15711 + 10 * i)) \
    SPIDERPOOL_GOPS_LISTEN_PORT= MULTUS_CLUSTER_NETWORK=spiderpool/testbed \
    "$BIN/spiderpool-agent" daemon --config-path "$dir/conf.yml"
}

# multus_on NUMBER : pods of that node get what they got before from the node's own conflist, called testbed, and
# then what they ask for. What Spiderpool writes for a NIC has no path of a socket in it, so the plugin is called
# through a few lines that put it in.
multus_on() {
  local dir=$RUN/node-$1
  cat > "$dir/cni-bin/spiderpool" << Y
#!/bin/bash
jq -c '.ipam.ipam_unix_socket_path = "$dir/spiderpool/agent.sock"' | exec "$BIN/spiderpool"
Y
  chmod +x "$dir/cni-bin/spiderpool"
  ln -sf "$BIN/multus" "$dir/cni-bin/multus"
  # Written in place: containerd 1.6 reads its folder anew for a file that is written, and not for one
  # that is moved there.
  cat > "$dir/cni/00-multus.conf" << Y
{"cniVersion": "0.4.0", "name": "multus-cni-network", "type": "multus", "kubeconfig": "$ADMIN",
  "clusterNetwork": "testbed", "multusNamespace": "spiderpool", "confDir": "$dir/cni", "cniDir": "$dir/multus",
  "binDir": "$dir/cni-bin"}
Y
}

spiderpool_up() {
  local i
  rails_up
  spiderpool_certificate
  k apply --server-side -f "$CACHE/spiderpool/crds"
  k wait --for=condition=Established --timeout=120s -f "$CACHE/spiderpool/crds"
  k create namespace spiderpool --dry-run=client -o yaml | k apply -f -
  # Without anything in it: Multus takes the conflist of that name on each node, and warns of every pod
  # if it does not exist.
  k apply -f - << 'Y'
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: testbed, namespace: spiderpool}
Y
  spiderpool_settings "$RUN/spiderpool/unused.sock" > conf.yml
  start spiderpool env KUBECONFIG="$ADMIN" SPIDERPOOL_POD_NAME=spiderpool-controller \
    SPIDERPOOL_POD_NAMESPACE=spiderpool SPIDERPOOL_GOPS_LISTEN_PORT= SPIDERPOOL_METRIC_HTTP_PORT=5721 \
    SPIDERPOOL_MULTUS_CONFIG_ENABLED=true \
    SPIDERPOOL_CNI_CONFIG_DIR="$RUN/node-0/cni" \
    "$BIN/spiderpool-controller" daemon --config-path "$RUN/spiderpool/conf.yml" \
    --tls-server-cert "$RUN/spiderpool/certs/tls.crt" --tls-server-key "$RUN/spiderpool/certs/tls.key"
  for i in $(seq 0 $(($(cat "$RUN/nodes") - 1))); do spiderpool_agent "$i"; done
  within 180 "Spiderpool's controller ready" curl -sf http://127.0.0.1:5720/v1/runtime/startup
  for i in $(seq 0 $(($(cat "$RUN/nodes") - 1))); do
    within 180 "Spiderpool's agent of node-$i ready" curl -sf "http://127.0.0.1:$((15710 + 10 * i))/v1/runtime/startup"
    multus_on "$i"
  done
  within 180 "Spiderpool's webhooks answer" \
    curl -sf --cacert "$RUN/spiderpool/certs/tls.crt" "$SPIDERPOOL_WEBHOOKS/webhook-health-check"
  # Until it answers, nothing may ask it: its webhook for pods stands before every pod of the cluster.
  spiderpool_webhooks > webhooks.json
  k apply --server-side -f webhooks.json
}

# Pods with NICs of Spiderpool must be gone. Its objects carry finalizers that it alone takes off.
spiderpool_down() {
  local i kind
  k delete mutatingwebhookconfigurations,validatingwebhookconfigurations spiderpool-controller --ignore-not-found
  for i in $(seq 0 $(($(cat "$RUN/nodes") - 1))); do
    rm -f "$RUN/node-$i/cni/00-multus.conf"
    stop KILL "spiderpool-agent-$i"
    rm -f "$RUN/pids/spiderpool-agent-$i"
  done
  stop KILL spiderpool
  rm -f "$RUN/pids/spiderpool"
  for kind in spiderippools spiderendpoints spidercoordinators; do
    k get "$kind.spiderpool.spidernet.io" -A -o json |
      jq -r '.items[] | (.metadata.namespace // "default") + " " + .metadata.name' |
      while read -r namespace name; do
        k -n "$namespace" patch "$kind.spiderpool.spidernet.io" "$name" --type merge \
          -p '{"metadata":{"finalizers":null}}'
      done
  done
  k delete --timeout=120s -f "$CACHE/spiderpool/crds"
  k delete namespace spiderpool --timeout=120s
  for i in $(seq 0 $(($(cat "$RUN/nodes") - 1))); do
    rm -rf "$RUN/node-$i/cni-bin/spiderpool" "$RUN/node-$i/cni-bin/multus" "$RUN/node-$i/multus" \
      "$RUN/node-$i/spiderpool"
  done
  rails_down
}
