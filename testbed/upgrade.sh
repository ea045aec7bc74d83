#!/bin/bash
# An upgrade under way: ./rekindle testbed upgrade [COMMIT]
#
# Builds Rekindle of COMMIT (the previous one, HEAD^), installs its chart and image, and runs UpgradeIT, which opens
# recoveries, has each wait in another phase, upgrades to the chart and image of this tree, sees every one of them
# end, and rolls back. Takes a quarter of an hour on two cores. Leaves the testbed as `testbed up` does.
set -euo pipefail
. "$(dirname "$(realpath "$0")")/lib.sh"
. "$HERE/release.sh"

case ${1:-} in
  -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "$0"; exit ;;
esac
COMMIT=${1:-HEAD^}
export NODES=8   # as the tests expect
git -C "$ROOT" rev-parse --quiet --verify "$COMMIT^{commit}" > /dev/null || die "no such commit: $COMMIT"

before=$(mktemp -d)
remove_before() { git -C "$ROOT" worktree remove --force "$before" || true; }
trap remove_before EXIT
git -C "$ROOT" worktree add --quiet --detach --force "$before" "$COMMIT"

# A tag of its own: both images are on the nodes during the upgrade.
step "building Rekindle of $COMMIT" \
  mvn -f "$before/pom.xml" -q -Dmaven.test.skip=true -Pimage package --projects controller --also-make \
    -Dimage.name=localhost/rekindle:before
build_image
"$HERE/testbed.sh" up --bare
# With its own values and resource definitions.
"$before/testbed/testbed.sh" up --image "$before/controller/target/rekindle-image.tar" --set image.tag=before
step "loading the image of this tree" "$HERE/testbed.sh" load "$IMAGE_TAR"
sed "s|\${RUN}|$RUN|g" "$HERE/values.yaml" > "$RUN/values.yaml"
mvn -f "$ROOT/pom.xml" --batch-mode --no-transfer-progress verify -Pcluster -DskipUnitTests=true -Dformat.skip=true \
  -Djib.skip=true -Dtestbed.reuse=true -Dtestbed.upgrade=true -Dit.test=UpgradeIT \
  -Dsurefire.failIfNoSpecifiedTests=false -Dfailsafe.failIfNoSpecifiedTests=false
