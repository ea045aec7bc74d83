package dev.rekindle.detect.flightrecorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DumpReaderTest {
  private static final Path EXAMPLES = Path.of("../examples/flight-recorder");

  private static final ProcessGroup WORLD = new ProcessGroup("0", "default_pg", List.of());

  private static Dump json(int rank, String text) throws DumpException {
    return new DumpReader().read(rank, text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource({
    "slow-loader/comm_lib_trace_rank_0,0,39,38",
    "slow-loader/comm_lib_trace_rank_2,2,38,38",
    "mismatch/rank_0.json,0,39,38",
    "mismatch/rank_1.json,1,39,38",
    "lock/rank_1,1,45,45",
    "lock/rank_2,2,46,45"
  })
  void shouldReadRecordedDumps(String file, int rank, long enqueued, long completed)
      throws Exception {
    var dump = new DumpReader().read(rank, Files.readAllBytes(EXAMPLES.resolve(file)));
    var world = dump.groups().get(WORLD);
    assertThat(world).isNotNull();
    assertThat(world.enqueued()).isEqualTo(enqueued);
    assertThat(world.completed()).isEqualTo(completed);
    assertThat(world.inferred()).isFalse();
    assertThat(world.operations().stream().filter(Collective::pending))
        .hasSize((int) (enqueued - completed));
  }

  /** Every beginning of a dump, but for blanks at its end, is refused. */
  @ParameterizedTest
  @ValueSource(strings = {"slow-loader/comm_lib_trace_rank_0", "mismatch/rank_0.json"})
  void shouldRefuseADumpThatIsCutOff(String file) throws Exception {
    byte[] whole = Files.readAllBytes(EXAMPLES.resolve(file));
    for (int length = 0; length < whole.length - 1; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> new DumpReader().read(0, part)).isInstanceOf(DumpException.class);
    }
  }

  /** The groups of rank 10 have other numbers than those of its peers, and it has no entry. */
  @Test
  void shouldPairNamesAndNumbersWhereNoEntryDoes() throws Exception {
    var dump =
        json(
            10,
            "{'version':'2.9','entries':[],'pg_config':{'0':{'desc':'default_pg','ranks':'[9,"
                + " 10]'},'40':{'desc':'TP','ranks':'[10, 11]'}},"
                + "'pg_status':{'0':{'last_enqueued_collective':5,'last_completed_collective':5},"
                + "'7':{'last_enqueued_collective':'8','last_completed_collective':'7'}}}");
    assertThat(dump.groups())
        .hasSize(2)
        .containsEntry(
            new ProcessGroup("40", "TP", List.of(10, 11)),
            new GroupProgress(8, 7, false, List.of()));
  }

  @Test
  void shouldNotPairWhereAnEntrySaysOtherwise() throws Exception {
    var dump =
        json(
            0,
            "{'version':'2.9','entries':[{'pg_id':1,'process_group':['3','A'],"
                + "'collective_seq_id':4,'state':'scheduled'}],'pg_config':{'2':{'desc':'B','ranks':'[0,"
                + " 1]'},'3':{'desc':'A','ranks':'[0, 2]'}},"
                + "'pg_status':{'1':{'last_enqueued_collective':4,'last_completed_collective':3},"
                + "'5':{'last_enqueued_collective':9,'last_completed_collective':9}}}");
    assertThat(dump.groups().get(new ProcessGroup("3", "A", List.of(0, 2))))
        .matches(p -> p != null && p.enqueued() == 4 && !p.inferred());
    assertThat(dump.groups().get(new ProcessGroup("2", "B", List.of(0, 1))))
        .as("not known, rather than of another group")
        .matches(p -> p != null && p.inferred());
  }

  @Test
  void shouldInferProgressFromTheEntriesWhereThereIsNoStatus() throws Exception {
    var dump =
        json(
            0,
            "{'version':'2.4','entries':["
                + "{'pg_id':0,'process_group':['0',''],'collective_seq_id':7,'state':'completed'},"
                + "{'pg_id':0,'process_group':['0',''],'collective_seq_id':8,'state':'scheduled'},"
                + "{'pg_id':0,'process_group':['0',''],'collective_seq_id':9,'state':'scheduled'}]}");
    assertThat(dump.groups().values())
        .singleElement()
        .matches(p -> p.enqueued() == 9 && p.completed() == 7 && p.inferred());
  }

  /** Gloo's threads write the status in any order; entries are retired one by one. */
  @ParameterizedTest
  @CsvSource({
    "true, true, true, 9",
    "true, true, false, 8",
    "true, false, true, 7",
    "false, false, false, 6"
  })
  void shouldBelieveTheEntriesWhereTheStatusIsBehind(
      boolean seventh, boolean eighth, boolean ninth, long completed) throws Exception {
    var entry =
        "{'pg_id':0,'process_group':['0',''],'collective_seq_id':%d,'state':'scheduled','retired':%s}";
    var dump =
        json(
            0,
            "{'version':'2.10','entries':["
                + entry.formatted(7, seventh)
                + ","
                + entry.formatted(8, eighth)
                + ","
                + entry.formatted(9, ninth)
                + "],'pg_status':{'0':{'last_enqueued_collective':9,'last_completed_collective':6}}}");
    assertThat(dump.groups().values())
        .singleElement()
        .isEqualTo(
            new GroupProgress(
                9, completed, false, dump.groups().values().iterator().next().operations()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|no version",
        "[1]|not a pickle",
        "{'version':'3.0'}|not known",
        "{'version':5}|no version",
        "nonsense|not a pickle",
        "''|is empty"
      })
  void shouldSayWhyAFileIsNoDump(String text, String why) {
    assertThatThrownBy(() -> json(0, text)).hasMessageContaining(why);
  }

  @Test
  void shouldTakeFieldsOfAnyTypeForMissing() throws Exception {
    var dump =
        json(
            0,
            "{'version':'2.9','entries':[3,null,{'process_group':[1],'input_sizes':[[['x']]],"
                + "'input_dtypes':{}}],'pg_config':[],'pg_status':{'0':'x','1':{}}}");
    assertThat(dump.groups()).hasSize(1);
    assertThatThrownBy(() -> json(0, "{'version':'2.9','x':" + "[".repeat(10_000)))
        .isInstanceOf(DumpException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"[0, 0]", "[-1]", "[0, x]", "0, 1", "[999999999]", "[]"})
  void shouldTakeNoListOfRanksThatIsNone(String list) {
    assertThat(new DumpReader().ranks(list)).isEmpty();
  }
}
