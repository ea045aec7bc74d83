package dev.rekindle.simulator.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.controller.port.ClusterGateway;
import dev.rekindle.simulator.process.Answers.Call;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Whatever the controller can ask the API server for can be refused in a run. */
class GatewayCallsTest {
  /** Leases of nodes are not modelled: none is ever there. */
  private static final Set<String> NOT_MODELLED = Set.of("LEASE");

  /** Read right before a fault is cleared, and that can be refused. */
  private static final Set<String> BEFORE_A_CALL = Set.of("LIVE_NODE");

  /** Creates an Event as well, and is refused with that. */
  private static final Set<String> OF_ANOTHER_CALL = Set.of("RECORD_EVENT_ONCE");

  @Test
  void shouldHaveACallForEachMethodOfTheGateway() {
    Set<String> methods =
        Arrays.stream(ClusterGateway.class.getDeclaredMethods())
            .filter(method -> !method.isSynthetic())
            .map(Method::getName)
            .map(name -> name.replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT))
            .collect(Collectors.toCollection(TreeSet::new));
    methods.removeAll(NOT_MODELLED);
    methods.removeAll(BEFORE_A_CALL);
    methods.removeAll(OF_ANOTHER_CALL);
    Set<String> calls = Arrays.stream(Call.values()).map(Call::name).collect(Collectors.toSet());
    assertThat(calls).containsExactlyInAnyOrderElementsOf(methods);
  }
}
