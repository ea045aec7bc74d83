# shellcheck shell=bash
# Rekindle itself, installed by its chart from the image that the build makes. Sourced by ./rekindle, after lib.sh and nodes.sh.

RELEASE=rekindle
RELEASE_NAMESPACE=rekindle-system
HELM_ARGS=()
IMAGE=

h() { "$BIN/helm" --kubeconfig "$ADMIN" --namespace "$RELEASE_NAMESPACE" "$@"; }

# Whether the image archive is there and no source is newer.
image_is_current() {
  [ -f "$IMAGE_TAR" ] || return 1
  [ -z "$(find "$ROOT/pom.xml" "$ROOT"/{crd-models,detectors,controller}/{pom.xml,src/main,src/image} -newer "$IMAGE_TAR" -type f -print -quit 2> /dev/null)" ]
}

build_image() {
  image_is_current && return 0
  command -v mvn > /dev/null || die "Maven 3.9 or newer is needed to build Rekindle's image (package maven), and a JDK 25"
  step "building Rekindle" mvn -f "$ROOT/pom.xml" -q -DskipTests -Pimage package
  [ -f "$IMAGE_TAR" ] || die "the build made no $IMAGE_TAR"
}

release_up() {
  local values=$RUN/values.yaml had=false
  [ -n "$IMAGE" ] || build_image
  step "loading the image" load_everywhere "${IMAGE:-$IMAGE_TAR}"
  sed "s|\${RUN}|$RUN|g" "$HERE/values.yaml" > "$values"
  if h status "$RELEASE" > /dev/null 2>&1; then had=true; fi
  # Helm installs what lies in a chart's crds/ once and never again, and leaves them there when the release goes.
  if k get crd recoveries.rekindle.dev > /dev/null 2>&1; then
    step "resource definitions" k apply --server-side --force-conflicts -f "$ROOT/charts/rekindle/crds"
  fi
  step "helm" h upgrade --install "$RELEASE" "$ROOT/charts/rekindle" --create-namespace --values "$values" ${HELM_ARGS[@]+"${HELM_ARGS[@]}"}
  # The tag stays the same when the image changes, so pods of an earlier one must be told.
  if $had; then step "restart" k -n "$RELEASE_NAMESPACE" rollout restart deployment,daemonset -l "app.kubernetes.io/instance=$RELEASE"; fi
  step "controller and agents Ready" release_ready || release_why
}

# Told of every failure by hand, as errexit is off where this is called.
release_ready() {
  local workload
  for workload in $(k -n "$RELEASE_NAMESPACE" get deployment,daemonset -l "app.kubernetes.io/instance=$RELEASE" -o name); do
    k -n "$RELEASE_NAMESPACE" rollout status --timeout=120s "$workload" || return 1
  done
  # A DaemonSet whose pods cannot even be created counts as rolled out.
  [ "$(k -n "$RELEASE_NAMESPACE" get daemonset -l "app.kubernetes.io/instance=$RELEASE" -o json |
    jq '[.items[].status | select(.numberReady == .desiredNumberScheduled) | .numberReady] | add')" = "$NODES" ]
}

release_why() {
  k -n "$RELEASE_NAMESPACE" get pods -o wide >&2
  k -n "$RELEASE_NAMESPACE" get events --sort-by=.lastTimestamp 2> /dev/null | tail -n 15 >&2
  k -n "$RELEASE_NAMESPACE" logs -l "app.kubernetes.io/instance=$RELEASE" --all-containers --tail=10 --prefix >&2 || true
  die "Rekindle did not become Ready"
}
