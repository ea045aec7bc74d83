package dev.rekindle.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.NodeFaultStatus.State;
import dev.rekindle.api.Recovery;
import dev.rekindle.api.RecoveryPhase;
import dev.rekindle.api.RecoveryStatus;
import dev.rekindle.api.RecoveryStatus.Cause;
import dev.rekindle.api.RecoveryStatus.Evidence;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageRendererTest {
  static final PageRenderer FILE = new PageRenderer(Links.NONE);
  private static final PageRenderer SERVED = new PageRenderer(Links.SERVED);

  static Incident incident(Recovery recovery) {
    return new Incident(
        recovery,
        List.of(
            Samples.fault("node-06", "XID-79", -1, State.ACTIVE),
            Samples.fault("node-06", "XID-31", -90_000, State.CLEARED),
            Samples.fault("node-09", "XID-79", -1, State.ACTIVE)),
        Samples.at(60));
  }

  static String page(Recovery recovery) {
    return FILE.recoveries("test", List.of(incident(recovery)));
  }

  /** Text as it is seen: without markup, style and script. */
  private static String seen(String html) {
    return html.replaceAll("(?s)<(style|script)>.*?</\\1>", " ")
        .replaceAll("<[^>]*>", " ")
        .replaceAll("\\s+", " ");
  }

  @Test
  void shouldSayWhatHappenedWhatWasDoneAndWhatIsLeft() {
    assertThat(seen(page(Samples.recovered())))
        .contains("✓ Recovered llm-r1")
        .contains("XID-79 on GPU 0000:3b:00 of node node-06")
        .contains("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.")
        .contains("Restart in place Why so 23 of 24 pods stay where they are")
        .contains("Chosen /ckpt/step-150.pt Its step 150 Checked to level L3")
        .contains("Why, and passed over newest of 3")
        .contains("Down, from detection on 12.0 s")
        .contains("GPUs idle 38.4 GPU-minutes Steps trained twice 10")
        .contains("reboot the node")
        .contains("kubectl delete nodefault node-06.0000-3b-00.xid-79");
  }

  @Test
  void shouldSayWhatTheGangIsOnAndExplainIt() {
    assertThat(seen(page(Samples.onTcp())))
        .contains("RDMA restored False: NCCL of rank worker/0 sends over TCP")
        .contains("Before on RDMA, 8 devices, GPUDirect")
        .contains("A step took, before 1.5 s")
        .contains("collectives are several times slower");
    assertThat(seen(page(Samples.recovered()))).doesNotContain("RDMA restored");
  }

  @Test
  void shouldOrderPhasesAndFaultsByTimeInOneLane() {
    assertThat(seen(page(Samples.recovered())))
        .containsSubsequence(
            "−1.0 s XID-79 node-06", "+0.0 s Detected", "+1.0 s Draining", "+12.0 s Recovered");
  }

  @Test
  void shouldLeaveOutFaultsOfOtherNodesAndOtherTimes() {
    assertThat(page(Samples.recovered())).doesNotContain("XID-31").doesNotContain("node-09");
  }

  @Test
  void shouldNotListAnExcludedNodeAsKept() {
    assertThat(seen(page(Samples.recovered()))).contains("Nodes kept node-05 Checkpoint");
  }

  @Test
  void shouldShowHowToApproveWhatWaitsForAPerson() {
    assertThat(seen(page(Samples.awaitingApproval())))
        .contains("‖ Held llm-r2")
        .contains("It waits: the job asks for a person")
        .contains("kubectl patch recovery llm-r2 -n ml --type merge");
    assertThat(seen(page(Samples.approvalExpired())))
        .contains("kubectl rekindle approve llm-r2 -n ml")
        .doesNotContain("kubectl patch");
  }

  @Test
  void shouldMakeAPageOfAnObjectWithoutAStatus() {
    Recovery bare = Samples.recovered();
    bare.getMetadata().setName("llm-r4");
    bare.setStatus(null);
    bare.setSpec(null);
    assertThat(seen(page(bare))).contains("Opened llm-r4", "No cause is written down yet.");
  }

  static Recovery hostile(String text) {
    return Samples.recovery(
        "llm-r5",
        new RecoveryStatus(
            RecoveryPhase.HELD,
            Samples.T0,
            1,
            null,
            new Cause(
                "PodFailed",
                text,
                List.of(new Evidence("", text, text)),
                List.of(text),
                List.of(),
                List.of(text),
                null),
            null,
            null,
            List.of(Samples.entry(RecoveryPhase.HELD, 0, text)),
            List.of(Samples.condition("Refused", text))));
  }

  @Test
  void shouldAllowNothingButItsOwnStyleAndScript() {
    assertThat(page(Samples.recovered()))
        .contains("default-src &#39;none&#39;")
        .doesNotContain("style=")
        .doesNotContainPattern("\\son[a-z]+=")
        .doesNotContain("http://")
        .doesNotContain("https://");
    assertThat(SERVED.policy())
        .contains("default-src 'none'", "script-src 'sha256-", "frame-ancestors 'none'");
  }

  @Test
  void shouldListHeldFirstThenOpenThenTheNewest() {
    ListPage list =
        ListPage.of(
            List.of(
                RecoveryRow.of(Samples.recovered()), RecoveryRow.of(Samples.awaitingApproval())));
    assertThat(seen(SERVED.list(list, "")))
        .contains("2 recoveries; 1 held, mean time down 12.0 s, 38.4 GPU-minutes lost.")
        .contains("‖ Held AwaitingApproval")
        .containsSubsequence("llm-r2", "llm-r1")
        .contains("160→150→151");
    assertThat(SERVED.list(list, "")).contains("href=\"/recoveries/ml/llm-r1\"");
  }

  @Test
  void shouldShowANodeWithItsFaultsAndRecoveriesAndTheFleet() {
    List<FaultRow> faults =
        List.of(
            FaultRow.of(Samples.fault("node-06", "XID-79", -1, State.ACTIVE)),
            FaultRow.of(Samples.fault("node-07", "XID-31", -1, State.CLEARED)));
    List<RecoveryRow> rows = List.of(RecoveryRow.of(Samples.recovered()));
    assertThat(seen(SERVED.node(new NodePage("node-06", faults, rows))))
        .contains("1 faults stand, of 1 that are kept; 1 recoveries are about it.")
        .contains("XID-79 on GPU 0000:3b:00: Active");
    assertThat(seen(SERVED.fleet(FleetPage.of(faults, rows))))
        .containsSubsequence("node-06", "XID-79", "node-07")
        .contains("XID-79: 1");
  }

  @Test
  void shouldWriteTheSameAsMarkdownInWhichATenantsTextStaysText() {
    String report = FILE.markdown(incident(hostile("[a](javascript:x) | <b> `c`\n# d")));
    assertThat(report)
        .contains("\\[a\\]\\(javascript:x\\) \\| \\<b\\> \\`c\\` \\# d")
        .doesNotContainPattern("(?m)^# d");
    assertThat(FILE.markdown(incident(Samples.recovered())))
        .contains("## Timeline", "- Why so: 23 of 24 pods stay where they are");
  }
}
