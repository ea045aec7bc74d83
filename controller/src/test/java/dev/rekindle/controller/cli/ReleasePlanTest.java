package dev.rekindle.controller.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultSpec.FenceGuidance;
import dev.rekindle.controller.cli.ReleasePlan.Fault;
import dev.rekindle.controller.cli.ReleasePlan.Target;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReleasePlanTest {
  private static final List<Fault> FAULTS =
      List.of(
          new Fault("threshold", FenceGuidance.THRESHOLD, true),
          new Fault("always", FenceGuidance.ALWAYS, true),
          new Fault("cleared", FenceGuidance.ALWAYS, false),
          new Fault("never", FenceGuidance.NEVER, true));

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      delimiter = '|',
      value = {
        "true  | fault/always | false | uncordon node/n",
        "true  | ''           | false | leave the cordon of node/n: it is not Rekindle's",
        "false | ''           | false | -",
        "false | ''           | true  | forget the incidents and stalls of node/n",
      })
  void shouldUndoOnlyWhatIsOurs(boolean cordoned, String by, boolean forgive, String last) {
    var plan = ReleasePlan.of(new Target("n", cordoned, by, true), FAULTS, forgive);
    assertThat(plan.lines())
        .startsWith("delete nodefault/always", "delete nodefault/threshold")
        .hasSize(last == null ? 2 : 3);
    if (last != null) {
      assertThat(plan.lines()).last().isEqualTo(last);
    }
  }

  @ParameterizedTest
  @CsvSource({"false,false,true", "true,false,true", "false,true,true", "true,true,false"})
  void shouldBeEmptyWhereNothingIsOurs(boolean forgive, boolean troubled, boolean empty) {
    var node = new Target("n", true, "", troubled);
    assertThat(ReleasePlan.of(node, FAULTS.subList(2, 4), forgive).empty()).isEqualTo(empty);
  }
}
