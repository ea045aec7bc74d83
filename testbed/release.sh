# shellcheck shell=bash
# Rekindle itself, installed by its chart from the image that the build makes. Sourced by testbed.sh, after lib.sh and
# nodes.sh.

RELEASE=rekindle
RELEASE_NAMESPACE=rekindle-system
HELM_ARGS=()
IMAGE=

h() { "$BIN/helm" --kubeconfig "$ADMIN" --namespace "$RELEASE_NAMESPACE" "$@"; }

# Whether the image archive is there and no source is newer.
image_is_current() {
  [ -f "$IMAGE_TAR" ] || return 1
  local modules=("$ROOT"/{crd-models,detectors,pages,console,controller}/{pom.xml,src/main,src/image})
  [ -z "$(find "$ROOT/pom.xml" "${modules[@]}" -newer "$IMAGE_TAR" -type f -print -quit 2> /dev/null)" ]
}

build_image() {
  image_is_current && return 0
  command -v mvn > /dev/null || die \
    "Maven 3.8.7 or newer is needed to build Rekindle's image (package maven), and a JDK 25"
  step "building Rekindle" \
    mvn -f "$ROOT/pom.xml" -q -Dmaven.test.skip=true -Pimage package --projects controller --also-make
  [ -f "$IMAGE_TAR" ] || die "the build made no $IMAGE_TAR"
}

# The key of the webhook in values.yaml. Before the pods, as a kubelet takes a minute to mount one that comes later.
release_secret() {
  k create namespace "$RELEASE_NAMESPACE" --dry-run=client -o yaml | k apply -f - > /dev/null
  k -n "$RELEASE_NAMESPACE" create secret generic rekindle-webhook --dry-run=client -o yaml \
    --from-literal=secret=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw | k apply -f - > /dev/null
}

release_up() {
  local values=$RUN/values.yaml had=false
  [ -n "$IMAGE" ] || build_image
  step "loading the image" load_everywhere "${IMAGE:-$IMAGE_TAR}"
  sed "s|\${RUN}|$RUN|g" "$HERE/values.yaml" > "$values"
  if h status "$RELEASE" > /dev/null 2>&1; then had=true; fi
  # Helm installs the files of a chart's crds/ once and never again, and leaves them there when the release goes.
  if k get crd recoveries.rekindle.dev > /dev/null 2>&1; then
    step "resource definitions" k apply --server-side --force-conflicts -f "$ROOT/charts/rekindle/crds"
  fi
  release_secret
  step "helm" h upgrade --install "$RELEASE" "$ROOT/charts/rekindle" --create-namespace --values "$values" \
    ${HELM_ARGS[@]+"${HELM_ARGS[@]}"}
  # The tag stays the same when the image changes, so nothing replaces the pods of an earlier one. All at once, being in
  # a hurry.
  if $had; then step "replacing the pods" k -n "$RELEASE_NAMESPACE" delete pods -l \
    "app.kubernetes.io/instance=$RELEASE" --grace-period=1; fi
  step "controller and agents Ready" release_ready || release_why
}

release_json() { k -n "$RELEASE_NAMESPACE" get "$1" -l "app.kubernetes.io/instance=$RELEASE" -o json; }

# All there that is wanted, in the newest version, and Ready. A DaemonSet without any pod is not, so nodes are counted,
# too.
release_complete() {
  release_json deployment,daemonset | jq -e --argjson nodes "$NODES" '
    ([.items[] | select(.kind == "DaemonSet") | .status.numberReady] | add) == $nodes and
    all(.items[]; .status.observedGeneration == .metadata.generation and
      if .kind == "DaemonSet"
      then .status | .desiredNumberScheduled == .numberReady and .updatedNumberScheduled == .numberReady
      else .spec.replicas as $n | .status
        | .replicas == $n and .updatedReplicas == $n and .readyReplicas == $n
      end)'
}
release_crashes() { release_json pods | jq -e \
  'any(.items[].status.containerStatuses[]?; .restartCount >= 2 and (.ready | not))'; }

# No use to wait for what crashes again and again.
release_ready() {
  local deadline=$((SECONDS + 240))
  until release_complete; do
    if release_crashes || [ $SECONDS -ge $deadline ]; then return 1; fi
    sleep 0.5
  done
}

release_why() {
  k -n "$RELEASE_NAMESPACE" get pods -o wide >&2
  k -n "$RELEASE_NAMESPACE" get events --sort-by=.lastTimestamp 2> /dev/null | tail -n 15 >&2
  k -n "$RELEASE_NAMESPACE" logs -l "app.kubernetes.io/instance=$RELEASE" --all-containers --tail=10 --prefix >&2 ||
    true
  die "Rekindle did not become Ready"
}
