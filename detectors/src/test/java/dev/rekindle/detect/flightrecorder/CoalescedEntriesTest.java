package dev.rekindle.detect.flightrecorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Batches as NCCL's recorder keeps them: their calls stay scheduled, what ends them does not. */
class CoalescedEntriesTest {
  private final List<String> entries = new ArrayList<>();

  private void call(String name, boolean peer, int collective, int number, String state) {
    entries.add(
        """
        {"record_id": %d, "pg_id": 0, "process_group": ["7", "PP"], %s
         "collective_seq_id": %d, "p2p_seq_id": %d, "profiling_name": "nccl:%s", "state": "%s",
         "retired": false}
        """
            .formatted(
                entries.size(), peer ? "\"is_p2p\": true," : "", collective, number, name, state));
  }

  private GroupProgress read() throws DumpException {
    var text =
        """
        {"version": "2.9", "pg_config": {"7": {"name": "7", "desc": "PP", "ranks": "[0, 1, 2]"}},
         "entries": [%s]}
        """
            .formatted(String.join(",", entries));
    var dump = new DumpReader().read(1, text.getBytes(StandardCharsets.UTF_8));
    return dump.groups().values().iterator().next();
  }

  private static List<String> pending(GroupProgress progress) {
    return progress.operations().stream()
        .filter(Collective::pending)
        .map(Collective::operation)
        .toList();
  }

  @Test
  void shouldTakeTheStateOfTheBatchForItsSendsAndReceives() throws DumpException {
    call("recv 1<-0", true, 0, 1, "scheduled");
    call("coalesced", true, 0, 1, "completed");
    call("send 1->2", true, 0, 2, "scheduled");
    call("recv 1<-2", true, 0, 2, "scheduled");
    call("coalesced", true, 0, 2, "scheduled");
    assertThat(pending(read())).containsExactly("send 1->2", "recv 1<-2");
  }

  /** PyTorch 2.4 and before: the batch counts as a collective, and its end is no send. */
  @Test
  void shouldKnowBatchesOfOldVersions() throws DumpException {
    call("recv 1<-0", true, 1, 0, "scheduled");
    call("coalesced", false, 1, 0, "completed");
    call("send 1->2", true, 2, 0, "scheduled");
    call("coalesced", false, 2, 0, "scheduled");
    var progress = read();
    assertThat(pending(progress)).containsExactly("send 1->2");
    assertThat(progress.operations()).allMatch(Collective::pointToPoint);
  }

  @Test
  void shouldTakeTheCollectivesOfABatchForOne() throws DumpException {
    call("_reduce_scatter_base", false, 1, 0, "scheduled");
    call("_reduce_scatter_base", false, 1, 0, "scheduled");
    call("coalesced", false, 1, 0, "completed");
    call("_reduce_scatter_base", false, 2, 0, "scheduled");
    call("_all_gather_base", false, 2, 0, "scheduled");
    call("coalesced", false, 2, 0, "scheduled");
    var progress = read();
    assertThat(progress.operations()).extracting(Collective::call).containsOnly("coalesced");
    assertThat(progress.enqueued()).isEqualTo(2);
    assertThat(progress.completed()).isEqualTo(1);
  }

  @Test
  void shouldNameACollectiveThatIsAloneInItsBatch() throws DumpException {
    call("all_reduce", false, 1, 0, "scheduled");
    call("coalesced", false, 1, 0, "completed");
    var progress = read();
    assertThat(progress.operations()).extracting(Collective::operation).containsOnly("all_reduce");
    assertThat(progress.waits()).isFalse();
  }

  /** Without what is over, a batch that is over has lost its end. */
  @Test
  void shouldNotTakeBatchesThatAreOverForPending() throws DumpException {
    call("recv 1<-0", true, 0, 1, "scheduled");
    call("send 1->2", true, 0, 2, "scheduled");
    call("recv 1<-2", true, 0, 2, "scheduled");
    call("recv 1<-0", true, 0, 3, "scheduled");
    call("coalesced", true, 0, 3, "scheduled");
    assertThat(pending(read())).containsExactly("recv 1<-0");
    assertThat(read().operations()).hasSize(4);
  }

  /** The host stands inside of the batch: it has begun no half of it. */
  @Test
  void shouldLeaveOutABatchThatHasNotEnded() throws DumpException {
    call("recv 1<-0", true, 0, 1, "scheduled");
    call("coalesced", true, 0, 1, "completed");
    call("send 1->2", true, 0, 2, "scheduled");
    call("recv 1<-2", true, 0, 2, "scheduled");
    assertThat(pending(read())).isEmpty();
  }

  @Test
  void shouldLeaveSendsAndReceivesOutsideOfBatchesAsTheyAre() throws DumpException {
    call("recv 1<-0", false, 3, 1, "completed");
    call("send 1->2", false, 3, 2, "scheduled");
    var progress = read();
    assertThat(pending(progress)).containsExactly("send 1->2");
    assertThat(progress.operations()).allMatch(Collective::pointToPoint);
  }

  @Test
  void shouldReadRanksThatAreAList() throws DumpException {
    var text =
        """
        {"version": "2.9", "entries": [],
         "pg_config": {"7": {"name": "7", "desc": "PP", "ranks": [0, 1, 2]}}}
        """;
    var dump = new DumpReader().read(1, text.getBytes(StandardCharsets.UTF_8));
    assertThat(dump.groups().keySet()).extracting(ProcessGroup::ranks).contains(List.of(0, 1, 2));
  }

  /** One text of many ranks, and very many groups that have it. */
  @Test
  void shouldRefuseMoreGroupsThanAJobHas() {
    var groups = new StringBuilder();
    for (int i = 0; i < 5000; i++) {
      groups.append(i == 0 ? "" : ",").append("\"").append(i).append("\": {\"ranks\": \"[0]\"}");
    }
    var text = "{\"version\": \"2.9\", \"entries\": [], \"pg_config\": {" + groups + "}}";
    assertThatThrownBy(() -> new DumpReader().read(0, text.getBytes(StandardCharsets.UTF_8)))
        .hasMessageContaining("process groups");
  }

  /** Each of them would be compared with those of all other ranks. */
  @Test
  void shouldRefuseMoreMembersThanAJobHas() {
    var ranks = IntStream.range(0, 1000).boxed().toList().toString();
    var groups =
        IntStream.range(0, 1001)
            .mapToObj(i -> "\"%d\": {\"ranks\": \"%s\"}".formatted(i, ranks))
            .collect(Collectors.joining(","));
    var text = "{\"version\": \"2.9\", \"entries\": [], \"pg_config\": {" + groups + "}}";
    assertThatThrownBy(() -> new DumpReader().read(0, text.getBytes(StandardCharsets.UTF_8)))
        .hasMessageContaining("members of process groups");
  }
}
