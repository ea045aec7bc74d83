package dev.rekindle.simulator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.simulator.engine.Loop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Two collections of one API server. */
abstract class CollectionFixture {
  static final String A = "team/a";
  static final long OWN_GRACE = 30;
  final Loop loop = new Loop();
  final ApiServer api = new ApiServer(loop);

  final Collection<Thing> plain =
      api.install(new Kind<Thing>("things", Map.of("spec.shelf", Thing::shelf), _ -> 0L));

  final Collection<Thing> graceful = api.install(new Kind<Thing>("pods", Map.of(), _ -> OWN_GRACE));

  static List<Change<Thing>> watch(Collection<Thing> collection) {
    List<Change<Thing>> changes = new ArrayList<>();
    collection.watch(changes::add);
    return changes;
  }

  static void refused(int code, ThrowingCallable call) {
    assertThatThrownBy(call).isInstanceOf(ApiError.class);
    assertThatExceptionOfType(ApiError.class)
        .isThrownBy(call)
        .satisfies(error -> assertThat(error.code()).isEqualTo(code));
  }
}
