#!/bin/bash
# mutate.sh [GROUP]: plants each mutation of mutations/list.txt (of that group) in the controller, and writes into
# docs/reliability/mutations.md what detects it: an invariant within SEEDS seeds from FROM, fresh ones each time; the
# counts of docs/reliability/outcomes.md, over its COUNTED seeds; or a unit test of the controller. Needs a build (mvn
# package, or install -DskipTests). Unattended; each mutation takes at most SECONDS_EACH, ten minutes and twice six
# minutes. SEEDS=0 leaves the invariants out, COUNTED=0 the counts, TESTS= the unit tests.
set -euo pipefail
ROOT=$(dirname "$(dirname "$(realpath "$0")")")
cd "$ROOT"
export SEEDS=${SEEDS:-6000} FROM=${FROM:-$RANDOM$RANDOM} THREADS=${THREADS:-1} SECONDS_EACH=${SECONDS_EACH:-120}
export COUNTED=${COUNTED:-1000}
# The one of the image's program needs Maven's class path.
export TESTS=${TESTS-'dev\.rekindle\.(controller|detect)\..*Test'}
if [ -z "${SIMULATOR_CP:-}" ]; then
  export SIMULATOR_CP=$ROOT/simulator/target/lib/*
  export TEST_CLASSES=$ROOT/controller/target/test-classes
  cp=$(mktemp)
  mvn -o -q -B dependency:build-classpath -pl controller -Dmdep.outputFile="$cp" -Dmdep.includeScope=test
  TEST_CP="$TEST_CLASSES"
  for module in controller detectors crd-models; do TEST_CP+=":$ROOT/$module/target/classes"; done
  TEST_CP+=":$(cat "$cp")"
  export TEST_CP
  rm -f "$cp"
fi
LAUNCHER=${M2:-$HOME/.m2/repository}/org/junit/platform/junit-platform-console-standalone
CONSOLE=${CONSOLE:-$(find "$LAUNCHER" -name '*.jar' 2> /dev/null | sort | tail -1)}
[ -n "$CONSOLE" ] || { echo \
  "mutate.sh: get org.junit.platform:junit-platform-console-standalone first (mvn dependency:get)" >&2; exit 2; }
export CONSOLE
exec "${JAVA_HOME:?JAVA_HOME names a JDK 25}/bin/java" simulator/mutations/Mutate.java "$ROOT" "${1:-}"
