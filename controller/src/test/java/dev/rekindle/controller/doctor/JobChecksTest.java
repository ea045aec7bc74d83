package dev.rekindle.controller.doctor;

import static dev.rekindle.controller.Given.T0;
import static dev.rekindle.controller.Given.gang;
import static dev.rekindle.controller.Given.job;
import static dev.rekindle.controller.Given.nodes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.api.RankReportStatus.Witnesses;
import dev.rekindle.controller.Given;
import dev.rekindle.controller.diagnosis.JobSnapshot;
import dev.rekindle.controller.doctor.Check.Status;
import dev.rekindle.controller.model.JobView;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.controller.model.RankView;
import dev.rekindle.controller.network.Installation;
import dev.rekindle.detect.WatchedNamespaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobChecksTest {
  private static final Instant NOW = T0.plusSeconds(3600);
  private static final List<PodView> PODS = gang("");
  private static final Map<String, String> ALL =
      Map.of(
          "TORCH_NCCL_DEBUG_INFO_PIPE_FILE", "/tmp/fr_pipe_",
          "TORCH_FR_DUMP_TEMP_FILE", "/tmp/fr_rank_",
          "TORCH_FR_BUFFER_SIZE", "2000",
          "TORCH_NCCL_DUMP_ON_TIMEOUT", "1");

  private static List<RankView> ranks(List<PodView> pods, Instant observed) {
    var pace = new Pace(200, 200, 900, 950, 21_600, 1, false);
    return Given.ranks(pods, 42L, NOW.minusSeconds(1), observed).stream()
        .map(r -> r.withPace(pace))
        .toList();
  }

  private static ExaminedJob examined(
      JobView job, List<PodView> pods, List<RankView> ranks, Map<String, String> variables) {
    Map<String, Map<String, String>> all = new HashMap<>();
    pods.forEach(pod -> all.put(pod.uid(), variables));
    return new ExaminedJob(
        new JobSnapshot(job, pods, nodes(), List.of(), ranks, List.of()),
        Optional.of(Policy.DEFAULT),
        "",
        true,
        "",
        all,
        Map.of(),
        WatchedNamespaces.ALL,
        Installation.NONE,
        List.of());
  }

  /** The ranks that agents have found in the pods, in their order; fewer than pods: not in all. */
  private static ExaminedJob found(ExaminedJob e, Witnesses... witnesses) {
    Map<String, Witnesses> byPod = new HashMap<>();
    for (int i = 0; i < witnesses.length; i++) {
      byPod.put(PODS.get(i).uid(), witnesses[i]);
    }
    return new ExaminedJob(
        e.job(),
        e.policy(),
        e.note(),
        e.nodesRead(),
        e.hidden(),
        e.variables(),
        byPod,
        WatchedNamespaces.ALL,
        Installation.NONE,
        List.of());
  }

  private static ExaminedJob watched(ExaminedJob e, String namespaces) {
    return new ExaminedJob(
        e.job(),
        e.policy(),
        e.note(),
        e.nodesRead(),
        e.hidden(),
        e.variables(),
        e.witnesses(),
        WatchedNamespaces.parse(namespaces),
        e.spiderpool(),
        List.of());
  }

  private static Map<String, Check> checks(ExaminedJob e) {
    Map<String, Check> byName = new HashMap<>();
    JobChecks.of(e, NOW).forEach(c -> byName.put(c.name(), c));
    return byName;
  }

  private static Check check(ExaminedJob e, String name) {
    return checks(e).getOrDefault(name, new Check(name, Status.UNKNOWN, "not there", ""));
  }

  @Test
  void shouldFindEverythingInAJobThatHasIt() {
    var e = examined(job().view(), PODS, ranks(PODS, NOW), ALL);
    assertThat(JobChecks.of(e, NOW)).allMatch(c -> c.status() == Status.OK && c.advice().isEmpty());
    assertThat(check(e, "stall").detail())
        .isEqualTo(
            "a stall after 30 s: 99 % of intervals took at most 0.9 s, the longest 0.9 s,"
                + " 21600 s trained");
    assertThat(check(e, "restart in place").detail()).isEqualTo("3 of 3 pods stay where they are");
  }

  @ParameterizedTest
  @CsvSource({
    "TORCH_NCCL_DEBUG_INFO_PIPE_FILE, dump pipe",
    "TORCH_FR_DUMP_TEMP_FILE, dump path",
    "TORCH_FR_BUFFER_SIZE, recorder length",
    "TORCH_NCCL_DUMP_ON_TIMEOUT, dump in time"
  })
  void shouldNameTheVariableThatIsMissing(String variable, String name) {
    var without = new HashMap<>(ALL);
    without.remove(variable);
    var e = examined(job().view(), PODS, ranks(PODS, NOW), without);
    assertThat(JobChecks.of(e, NOW).stream().filter(c -> c.status() != Status.OK).toList())
        .singleElement()
        .satisfies(
            c -> {
              assertThat(c.name()).isEqualTo(name);
              assertThat(c.status()).isEqualTo(Status.MISSING);
              assertThat(c.advice()).contains("How to get dumps", variable);
            });
    var elsewhere = new HashMap<>(ALL);
    elsewhere.put(variable, "");
    assertThat(check(examined(job().view(), PODS, ranks(PODS, NOW), elsewhere), name).status())
        .isEqualTo(Status.UNKNOWN);
    var wrong = new HashMap<>(ALL);
    wrong.put(variable, "relative");
    assertThat(check(examined(job().view(), PODS, ranks(PODS, NOW), wrong), name).status())
        .isEqualTo(Status.MISSING);
  }

  /** An image or the script itself may set what the spec does not. */
  @Test
  void shouldSayThatNothingIsDoneForAJobOfANamespaceThatIsNotWatched() {
    var e = examined(job().view(), PODS, ranks(PODS, NOW), ALL);
    String own = e.job().job().key().namespace();

    assertThat(checks(e)).doesNotContainKey("namespace");
    assertThat(check(watched(e, own + ",other"), "namespace").status()).isEqualTo(Status.OK);
    assertThat(JobChecks.of(watched(e, "other,third"), NOW).getFirst())
        .satisfies(c -> assertThat(c.status()).isEqualTo(Status.MISSING))
        .satisfies(
            c ->
                assertThat(c.detail())
                    .isEqualTo(
                        "Rekindle does not watch "
                            + own
                            + ", only other, third: nothing is done for this job"))
        .satisfies(c -> assertThat(c.advice()).contains("watchNamespaces"));
  }

  @Test
  void shouldGoByTheRanksThatRunRatherThanTheSpec() {
    var e = examined(job().view(), PODS, ranks(PODS, NOW), Map.of());
    var all = new Witnesses(2, 2, 0);
    assertThat(check(found(e, all, all, all), "dump pipe"))
        .isEqualTo(new Check("dump pipe", Status.OK, "6 of 6 ranks read their pipe", ""));
    assertThat(check(found(e, all, all), "dump pipe").status())
        .as("one was not inspected")
        .isEqualTo(Status.MISSING);
    var asked = examined(job().view(), PODS, ranks(PODS, NOW), ALL);
    assertThat(check(found(asked, all, all), "dump pipe").detail()).isEqualTo("set in all 3 pods");
  }

  @ParameterizedTest
  @CsvSource({
    "8, 2, read of 6 of 6 ranks",
    "8, 1, read of 5 of 6 ranks; dumps and stacks are enough",
    "0, 2, not there"
  })
  void shouldCountTheRanksWhoseGpuIsRead(long gpus, int read, String detail) {
    var pods = PODS.stream().map(pod -> pod.with(b -> b.gpus(gpus))).toList();
    var e = examined(job().view(), pods, ranks(pods, NOW), ALL);
    var all = new Witnesses(2, 2, 0, 2);
    var one = new Witnesses(2, 2, 0, read);
    assertThat(check(found(e, all, all, one), "GPU use").detail()).isEqualTo(detail);
    assertThat(checks(found(e, all, one))).as("one was not inspected").doesNotContainKey("GPU use");
    assertThat(JobChecks.of(found(e, all, all, one), NOW))
        .as("it is not needed")
        .allMatch(c -> c.status() == Status.OK);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2 | 1 | 1 | 1 of 2 ranks do not read their pipe | TORCH_FR_BUFFER_SIZE",
        "2 | 1 | 0 | 1 of 2 ranks: TORCH_NCCL_DEBUG_INFO_PIPE_FILE not set | a path prefix",
        "0 | 0 | 0 | no process has RANK in its environment | torchrun"
      })
  void shouldNameThePodWhoseRanksCannotBeAsked(
      int ranks, int read, int unread, String detail, String advice) {
    var e = examined(job().view(), PODS, ranks(PODS, NOW), ALL);
    var all = new Witnesses(2, 2, 0);
    var check = check(found(e, all, new Witnesses(ranks, read, unread)), "dump pipe");
    assertThat(check.status()).isEqualTo(Status.MISSING);
    assertThat(check.detail()).isEqualTo(PODS.get(1).name() + ": " + detail);
    assertThat(check.advice()).contains(advice);
  }

  @Test
  void shouldNotGoByWhatASilentAgentHasFound() {
    var e = examined(job().view(), PODS, ranks(PODS, NOW.minusSeconds(31)), ALL);
    var none = new Witnesses(1, 0, 1);
    assertThat(check(found(e, none, none, none), "dump pipe").detail())
        .isEqualTo("set in all 3 pods");
  }

  @Test
  void shouldPrintWhatTheDocumentationShows() throws IOException {
    var without = new HashMap<>(ALL);
    without.remove("TORCH_NCCL_DEBUG_INFO_PIPE_FILE");
    var e = examined(job().view(), PODS, ranks(PODS, NOW), without);
    var shown =
        Files.readString(Path.of("../docs/hangs.md"))
            .lines()
            .dropWhile(line -> !line.contains("./rekindle doctor"))
            .skip(1)
            .takeWhile(line -> line.startsWith("    "))
            .map(String::strip)
            .toList();
    assertThat(shown).hasSize(2);
    assertThat(CheckTable.of(JobChecks.of(e, NOW)).lines().map(String::strip))
        .containsSubsequence(shown)
        .filteredOn(line -> line.contains("missing"))
        .hasSize(1);
  }

  /** An agent that is silent on one node: said, and neither learnt nor restarted in place. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldNameThePodWhoseAgentIsSilent(int silent) {
    List<RankView> ranks = new ArrayList<>(ranks(PODS, NOW));
    ranks.set(silent, ranks.get(silent).withObservedTime(NOW.minusSeconds(31)));
    var e = examined(job().view(), PODS, ranks, ALL);
    assertThat(check(e, "agents").status()).isEqualTo(Status.MISSING);
    assertThat(check(e, "agents").detail())
        .contains(PODS.get(silent).name(), PODS.get(silent).node());
    assertThat(check(e, "stall").detail()).startsWith("a stall after 600 s: not every agent");
    assertThat(check(e, "restart in place").status()).isEqualTo(Status.MISSING);
  }

  @Test
  void shouldSayThatNoStallIsFoundWithoutSteps() {
    var e = examined(job().view(), PODS, List.of(), ALL);
    assertThat(check(e, "steps").status()).isEqualTo(Status.MISSING);
    assertThat(check(e, "stall").status()).isEqualTo(Status.MISSING);
  }

  @Test
  void shouldRequestTheAnnotation() {
    var job = job().view().withOptIn(new JobView.OptIn.No());
    var e = examined(job, PODS, ranks(PODS, NOW), ALL);
    assertThat(check(e, "opt-in").advice()).isEqualTo("set rekindle.dev/recover: \"true\"");
  }

  @Test
  void shouldCountPodsThatAreNotThere() {
    var pods = PODS.subList(0, 2);
    var e = examined(job().view(), pods, ranks(pods, NOW), ALL);
    assertThat(check(e, "pods")).returns("2 of 3 run", Check::detail);
    assertThat(check(e, "pods").status()).isEqualTo(Status.MISSING);
  }

  @Test
  void shouldNotGuessWhatCannotBeRead() {
    var full = examined(job().view(), PODS, ranks(PODS, NOW), ALL);
    var e =
        new ExaminedJob(
            full.job(),
            Optional.empty(),
            "",
            false,
            "",
            full.variables(),
            Map.of(),
            WatchedNamespaces.ALL,
            Installation.NONE,
            List.of());
    assertThat(check(e, "opt-in").status()).isEqualTo(Status.UNKNOWN);
    assertThat(check(e, "restart in place").status()).isEqualTo(Status.UNKNOWN);
  }
}
