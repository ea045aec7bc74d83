#!/bin/bash
# Make everything a cluster needs that is not yet there: Debian packages, binaries from their Go modules, images,
# PyTorch. Safe to run again at any time; what exists is kept. Nothing is taken from an image registry.
#
#   testbed/install.sh [PART...]     parts: packages binaries images torch transformers; none: all of them.
#                                    And what is made only when asked for:
#                                    kwok, for `testbed scale`; kueue, coscheduling and spiderpool, for
#                                    `testbed up --with`;
#                                    moto, an object store for the tests of checkpoints: prints its folder;
#                                    promtool, for the tests of the chart's alerts
#
# Measured on 2 cores, cold: Kubernetes 257 s, etcd 16 s, CoreDNS 93 s, training operator 64 s, helm 64 s, images 36 s,
# PyTorch 40 s; transformers 10 s, coscheduling 170 s, Kueue 135 s, Spiderpool with Multus 130 s.
set -euo pipefail
. "$(dirname "$(realpath "$0")")/lib.sh"

# command:Debian package
PACKAGES="containerd:containerd runc:runc iptables:iptables conntrack:conntrack ip:iproute2 debootstrap:debootstrap
 openssl:openssl curl:curl jq:jq flock:util-linux setsid:util-linux pgrep:procps"

packages() {
  local missing=() pair
  for pair in $PACKAGES; do command -v "${pair%%:*}" > /dev/null || missing+=("${pair##*:}"); done
  [ -x /usr/lib/cni/bridge ] || missing+=(containernetworking-plugins)
  # For the tests in which a controller's clock is set: no command, but a library that is preloaded.
  compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' > /dev/null || missing+=(libfaketime)
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get > /dev/null || die "missing here, and no apt-get to install it with: ${missing[*]}"
  [ "$(id -u)" = 0 ] || die "root is needed to install: ${missing[*]}"
  step "Debian packages: index" apt-get update -qq
  # Not started as a service by us: every node runs a containerd of its own.
  step "Debian packages: ${missing[*]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends "${missing[@]}"
}

need_go() {
  local version
  command -v go > /dev/null || die \
    "Go 1.24 or newer is needed to build the cluster's binaries (package golang, or the archive from the Go project)"
  version=$(go env GOVERSION); version=${version#go}
  [ "$(printf '%s\n' 1.24 "$version" | sort -V | head -n 1)" = 1.24 ] ||
    die "Go 1.24 or newer is needed, this one is $version"
}

SPIDERPOOL_MODULE=github.com/spidernet-io/spiderpool

# Kubernetes' staging modules: its own go.mod names them as v0.0.0, so a build from outside pins every one of
# them.
STAGING="api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap
 code-generator component-base component-helpers controller-manager cri-api cri-client csi-translation-lib
 dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy
 kube-scheduler kubectl kubelet metrics mount-utils
 pod-security-admission sample-apiserver"
# staging_pins VERSION : of Kubernetes, without its leading 1.
staging_pins() {
  local module
  echo "replace ("
  printf '\tk8s.io/kubernetes => k8s.io/kubernetes v1.%s\n' "$1"
  for module in $STAGING; do printf '\tk8s.io/%s => k8s.io/%s v0.%s\n' "$module" "$module" "$1"; done
  echo ")"
}

# checksums_of MODULE VERSION : what is fetched is compared with a public database. It knows not all that Spiderpool is
# built from, so there Spiderpool's own list, which is a part of what has been compared, is what the rest is compared
# with.
checksums_of() {
  local source
  rm -f go.sum
  [ "$1" = "$SPIDERPOOL_MODULE" ] || return 0
  source=$(go mod download -json "$1@$2" | jq -r .Dir)
  install -m 644 "$source/go.sum" go.sum
}

# go_build NAME MODULE VERSION LDFLAGS PACKAGE... : through a module of our own that requires just this one.
go_build() {
  local dir=$CACHE/src/$1 module=$2 version=$3 ldflags=$4 package
  shift 4
  mkdir -p "$dir"
  {
    printf 'module rekindle.dev/testbed/build\n\ngo 1.24.0\n\nrequire %s %s\n\n' "$module" "$version"
    case $module in
      k8s.io/kubernetes) staging_pins "${KUBERNETES#1.}" ;;
      sigs.k8s.io/scheduler-plugins) staging_pins "$COSCHEDULING_KUBERNETES" ;;
    esac
  } > "$dir/go.mod"
  {
    printf '//go:build tools\n\npackage tools\n\n'
    for package in "$@"; do printf 'import _ "%s"\n' "$package"; done
  } > "$dir/tools.go"
  (cd "$dir" && checksums_of "$module" "$version" && go mod tidy && mkdir -p out &&
    go build -ldflags "-s -w $ldflags" -o out/ "$@")
}

# binary 'NAME...' MODULE VERSION LDFLAGS PACKAGE... : builds PACKAGE... unless all of NAME... are there; the names go
# with the packages.
binary() {
  local names dir built i=0
  read -ra names <<< "$1"
  dir=$CACHE/src/${names[0]}
  for built in "${names[@]}"; do [ -x "$BIN/$built" ] || break; i=$((i + 1)); done
  [ $i -lt ${#names[@]} ] || return 0
  need_go
  step "building ${names[*]} $3" go_build "${names[0]}" "${@:2}"
  mkdir -p "$BIN"
  i=0
  # A package whose path ends in its major version gives a binary of that name, so names are ours, in the order of the
  # packages.
  for package in "${@:5}"; do mv "$dir/out/$(built_name "$package" "$dir/out")" "$BIN/${names[$i]}"; i=$((i + 1)); done
  rm -rf "$dir/out"
}
built_name() {
  local last=${1##*/} parent=${1%/*}
  if [ -f "$2/$last" ]; then echo "$last"; else echo "${parent##*/}"; fi
}

binaries() {
  local v=k8s.io/component-base/version c=k8s.io/kubernetes/cmd
  local stamp="-X $v.gitVersion=v$KUBERNETES -X $v.gitMajor=1 -X $v.gitMinor=${KUBERNETES:2:2}"
  binary "kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy" k8s.io/kubernetes "v$KUBERNETES" \
    "$stamp" \
    $c/kube-apiserver $c/kube-controller-manager $c/kube-scheduler $c/kubelet $c/kube-proxy
  command -v kubectl > /dev/null || binary kubectl k8s.io/kubernetes "v$KUBERNETES" "$stamp" $c/kubectl
  binary etcd go.etcd.io/etcd/server/v3 "v$ETCD" "" go.etcd.io/etcd/server/v3
  binary coredns github.com/coredns/coredns "v$COREDNS" "" github.com/coredns/coredns
  binary training-operator.v1 github.com/kubeflow/training-operator "v$TRAINING_OPERATOR" "" \
    github.com/kubeflow/training-operator/cmd/training-operator.v1
  # Unstamped, helm takes itself for a client of Kubernetes 1.20 and refuses to render charts that want a newer one.
  local helm="" package
  for package in pkg/chartutil pkg/lint/rules; do
    helm+=" -X helm.sh/helm/v3/$package.k8sVersionMajor=1"
    helm+=" -X helm.sh/helm/v3/$package.k8sVersionMinor=${KUBERNETES:2:2}"
  done
  binary helm helm.sh/helm/v3 "v$HELM" "-X helm.sh/helm/v3/internal/version.version=v$HELM $helm" \
    helm.sh/helm/v3/cmd/helm
  if [ ! -f "$CACHE/kubeflow.org_pytorchjobs.yaml" ]; then
    local source
    source=$(cd "$CACHE/src/training-operator.v1" && go list -m -f '{{.Dir}}' github.com/kubeflow/training-operator)
    install -m 644 "$source/manifests/base/crds/kubeflow.org_pytorchjobs.yaml" "$CACHE/"
  fi
}

# Without its service discoveries, which no check of rules needs.
promtool() {
  GOFLAGS="${GOFLAGS:-} -tags=remove_all_sd" binary promtool github.com/prometheus/prometheus "v$PROMETHEUS" "" \
    github.com/prometheus/prometheus/cmd/promtool
}

kwok() { binary kwok sigs.k8s.io/kwok "v$KWOK" "" sigs.k8s.io/kwok/cmd/kwok; }

# The directory of the source of MODULE, which NAME was built from.
source_of() { (cd "$CACHE/src/$1" && go list -m -f '{{.Dir}}' "$2"); }

# What Kueue and the scheduler with gangs are given to the cluster beside their binaries: kept, so that a cluster needs
# no Go to start.
kueue() {
  local out=$CACHE/kueue source
  binary kueue sigs.k8s.io/kueue "v$KUEUE" "" sigs.k8s.io/kueue/cmd/kueue
  [ ! -f "$out/webhooks.yaml" ] || return 0
  source=$(source_of kueue sigs.k8s.io/kueue)/config/components
  mkdir -p "$out/crds"
  install -m 644 "$source"/crd/bases/*.yaml "$out/crds/"
  install -m 644 "$source/webhook/manifests.yaml" "$out/webhooks.yaml"
}

coscheduling() {
  local out=$CACHE/coscheduling
  binary gang-scheduler sigs.k8s.io/scheduler-plugins "v$COSCHEDULING" "" sigs.k8s.io/scheduler-plugins/cmd/scheduler
  [ ! -f "$out/crd.yaml" ] || return 0
  mkdir -p "$out"
  install -m 644 "$(source_of gang-scheduler sigs.k8s.io/scheduler-plugins)/manifests/coscheduling/crd.yaml" "$out/"
}

# Spiderpool's controller, its agent for the nodes and its IPAM plugin, and Multus, which calls them for every further
# NIC of a pod.
spiderpool() {
  local out=$CACHE/spiderpool c=$SPIDERPOOL_MODULE/cmd source
  binary "spiderpool-controller spiderpool-agent spiderpool" $SPIDERPOOL_MODULE "v$SPIDERPOOL" "" \
    $c/spiderpool-controller $c/spiderpool-agent $c/spiderpool
  # This path has its versions, the one on GitHub has none for version 4.
  binary multus gopkg.in/k8snetworkplumbingwg/multus-cni.v4 "v$MULTUS" "" \
    gopkg.in/k8snetworkplumbingwg/multus-cni.v4/cmd/multus
  [ ! -d "$out/crds" ] || return 0
  source=$(source_of spiderpool-controller $SPIDERPOOL_MODULE)/charts/spiderpool/crds
  mkdir -p "$out/crds.new"
  # Beside them lie those of the SR-IOV operator.
  install -m 644 "$source"/spiderpool.spidernet.io_*.yaml "$source"/k8s.cni.cncf.io_*.yaml "$out/crds.new/"
  mv "$out/crds.new" "$out/crds"
}

# pack NAME ROOT OUT [COMMAND] : one folder as an image of one layer, in the archive form that `docker save` writes and
# containerd reads.
pack() {
  local name=$1 root=$2 out=$3 command=${4:-/bin/sh} dir digest arch
  dir=$(mktemp -d -p "$CACHE")
  arch=$(case $(uname -m) in aarch64) echo arm64 ;; *) echo amd64 ;; esac)
  tar -C "$root" --numeric-owner --sort=name -cf "$dir/layer.tar" .
  digest=$(sha256sum "$dir/layer.tar" | cut -d' ' -f1)
  printf '{"architecture":"%s","os":"linux","config":{"Cmd":["%s"],"Env":["PATH=%s"]},' \
    "$arch" "$command" /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin > "$dir/config.json"
  printf '"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$digest" >> "$dir/config.json"
  printf '[{"Config":"config.json","RepoTags":["%s"],"Layers":["layer.tar"]}]' "$name" > "$dir/manifest.json"
  tar -C "$dir" -cf "$out.new" manifest.json config.json layer.tar
  mv "$out.new" "$out"
  rm -rf "$dir"
}

pause_image() {
  local dir
  dir=$(mktemp -d)
  cat > "$dir/main.go" <<'GO'
// The process that holds a pod's namespaces: waits to be ended.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGINT, syscall.SIGTERM)
	<-end
}
GO
  mkdir "$dir/root"
  (cd "$dir" && CGO_ENABLED=0 go build -ldflags "-s -w" -o root/pause main.go)
  pack localhost/pause:1 "$dir/root" "$CACHE/pause.tar" /pause
  rm -rf "$dir"
}

trainer_image() {
  local root=$CACHE/trainer-root
  if [ ! -x "$root/usr/bin/python$TORCH_PYTHON" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase --include=python3,procps,iproute2 bookworm "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
    rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/doc/*
  fi
  pack localhost/trainer:1 "$root" "$CACHE/trainer.tar"
}

images() {
  [ -f "$CACHE/pause.tar" ] || { need_go; step "image localhost/pause:1" pause_image; }
  [ -f "$CACHE/trainer.tar" ] || { [ "$(id -u)" = 0 ] ||
    die "root is needed for debootstrap"; step "image localhost/trainer:1" trainer_image; }
}

# Of servers it trusts those that the system trusts, as pip, Go and Maven do here; the second name is that of older uv.
export UV_SYSTEM_CERTS=true UV_NATIVE_TLS=true

uv_path() {
  command -v uv && return
  [ -x "$CACHE/uv/bin/uv" ] || { python3 -m venv "$CACHE/uv" && "$CACHE/uv/bin/pip" install -q uv; } >&2 ||
    die "uv, or python3 with venv and pip, is needed to fetch PyTorch"
  echo "$CACHE/uv/bin/uv"
}

# The wheels lie beside the image and are mounted into the pods: 5 GB, most of it CUDA libraries that a CPU run links
# but never uses.
fetch_torch() {
  local uv
  uv=$(uv_path)
  rm -rf "$CACHE/torch.new"
  "$uv" pip install --python-version $TORCH_PYTHON --only-binary :all: --target "$CACHE/torch.new" \
    ${TORCH_INDEX_URL:+--index-url "$TORCH_INDEX_URL"} "torch==$TORCH" numpy tabulate
  mv "$CACHE/torch.new" "$CACHE/torch"
}

# What a job of Hugging Face's Trainer imports beside PyTorch, in a folder of its own: other jobs do not see it. What
# PyTorch's folder has already is left out.
fetch_transformers() {
  local uv overrides
  uv=$(uv_path)
  overrides=$(mktemp)
  printf "%s ; sys_platform == 'never'\n" torch numpy filelock fsspec typing-extensions > "$overrides"
  rm -rf "$CACHE/transformers.new"
  "$uv" pip install --python-version $TORCH_PYTHON --only-binary :all: --target "$CACHE/transformers.new" --override \
    "$overrides" \
    "transformers==$TRANSFORMERS" "accelerate==$ACCELERATE" "safetensors==$SAFETENSORS"
  rm -f "$overrides"
  mv "$CACHE/transformers.new" "$CACHE/transformers"
}

# Pods see the wheels read-only, so without byte code every process of every rank compiles two thousand modules anew:
# importing torch takes 2.0 s then, and 1.0 s with it. Made with the image's own interpreter, under the path that the
# pods see.
compile_wheels() {
  "$CACHE/trainer-root/usr/bin/python$TORCH_PYTHON" -m compileall -q -j 0 -s "$CACHE/$1" -p "/opt/$1" "$CACHE/$1" ||
    true # some files are in the syntax of other Python versions, and stay as they are
  touch "$CACHE/$1/.compiled"
}

torch() {
  [ -d "$CACHE/torch/torch" ] || step "PyTorch $TORCH (3 GB to fetch, 5 GB on disk)" fetch_torch
  [ -f "$CACHE/torch/.compiled" ] || step "PyTorch's byte code" compile_wheels torch
}

transformers() {
  [ -d "$CACHE/transformers/transformers" ] || step "transformers $TRANSFORMERS (20 MB to fetch, 200 MB on disk)" \
    fetch_transformers
  [ -f "$CACHE/transformers/.compiled" ] || step "transformers' byte code" compile_wheels transformers
}

# Its dependencies are of the interpreter of this host.
fetch_moto() {
  local uv
  uv=$(uv_path)
  rm -rf "$CACHE/moto.new"
  "$uv" pip install -q --only-binary :all: --target "$CACHE/moto.new" "moto[server]==$MOTO"
  mv "$CACHE/moto.new" "$CACHE/moto-$MOTO"
}

moto() {
  [ -d "$CACHE/moto-$MOTO" ] || step "moto $MOTO" fetch_moto >&2
  echo "$CACHE/moto-$MOTO"
}

main() {
  local part
  [ $# -gt 0 ] || set -- packages binaries images torch transformers
  mkdir -p "$CACHE"
  for part in "$@"; do
    case $part in
      packages | binaries | kwok | kueue | coscheduling | spiderpool | promtool | images | torch | transformers | moto)
        "$part" ;;
      *) die "no such part: $part" ;;
    esac
  done
}
locked "$CACHE/.lock" main "$@"
