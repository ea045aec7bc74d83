package dev.rekindle.simulator.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rekindle.cli.UsageException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceReaderTest {
  private static final String HEADER = "node,start_day,end_day,level,class,description,source\n";
  private static final String GOOD = "n1,1.5,2,Hardware Failure,GPU,GPU Lost,x\n";

  private static Trace read(String text) throws UsageException {
    return TraceReader.parse(text, "t.csv", TraceReader.MAX_ROWS);
  }

  @Test
  void shouldFindColumnsByNameInAnyOrder() throws UsageException {
    String header = "Source,CLASS, description ,end_day,start_day,level,extra,node\n";
    Trace trace = read(header + "s,GPU,\"a, b\",2,1,L,?,n7\n");
    assertThat(trace.outages())
        .containsExactly(
            new Outage("n7", Duration.ofDays(1), Duration.ofDays(2), "L", "GPU", "a, b"));
    assertThat(trace.length()).isEqualTo(Duration.ofDays(2));
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      quoteCharacter = '`',
      value = {
        "n2,3,2,L,C,D,S => end_day \"2\" is before start_day \"3\"",
        "n2,x,2,L,C,D,S => start_day is not a number: \"x\"",
        "n2,1,,L,C,D,S => end_day is not a number: \"\"",
        "n2,NaN,2,L,C,D,S => start_day is not between 0 and 3660: \"NaN\"",
        "n2,1,1e300,L,C,D,S => end_day is not between 0 and 3660: \"1e300\"",
        "n2,-1,2,L,C,D,S => start_day is not between 0 and 3660: \"-1\"",
        "n2,1,Infinity,L,C,D,S => end_day is not between 0 and 3660: \"Infinity\"",
        ",1,2,L,C,D,S => no node",
        "a b,1,2,L,C,D,S => not the name of a node: \"a b\"",
        "../x,1,2,L,C,D,S => not the name of a node: \"../x\"",
        "x\u001b[31m,1,2,L,C,D,S => not the name of a node: \"x?[31m\"",
        "n2,1,2,L,C,D => 6 fields where the header has 7",
        "n2,1,2,L,C,D,S,T => 8 fields where the header has 7",
        "\"n2,1,2,L,C,D,S => a quote is never closed",
      })
  void shouldLeaveOutABadRowAndSayWhichAndWhy(String row, String why) throws UsageException {
    Trace trace = read(HEADER + row + "\n" + GOOD);
    assertThat(trace.rows()).isEqualTo(1);
    assertThat(trace.bad()).isEqualTo(1);
    assertThat(trace.problems()).containsExactly("line 2: " + why);
  }

  @Test
  void shouldRefuseWhatHasNoGoodRow() {
    assertThatThrownBy(() -> read(""))
        .isInstanceOf(UsageException.class)
        .hasMessage("t.csv is empty");
    assertThatThrownBy(() -> read(HEADER)).hasMessage("t.csv has no good row: it has no rows");
    assertThatThrownBy(() -> read(HEADER + "n,2,1,,,,\n"))
        .hasMessage("t.csv has no good row: line 2: end_day \"1\" is before start_day \"2\"");
    assertThatThrownBy(() -> read("node,start_day\nn,1\n"))
        .hasMessage("t.csv, line 1: no column end_day, level, class, description in the header");
  }

  @Test
  void shouldReportOnlyTheFirstErrorsOfMany() throws UsageException {
    Trace trace = read(HEADER + "n,2,1,,,,\n".repeat(500) + GOOD);
    assertThat(trace.bad()).isEqualTo(500);
    assertThat(trace.problems()).hasSize(TraceReader.MAX_PROBLEMS);
  }

  @Test
  void shouldJoinRowsOfOneNodeThatOverlap() throws UsageException {
    Trace trace =
        read(
            HEADER
                + "n1,5,6,L,GPU,third,x\n"
                + "n1,1,3,L,GPU,first,x\n"
                + "n1,2,4,L,NIC,second,x\n"
                + "n1,2.5,2.6,L,NIC,inside,x\n"
                + "n2,2,3,L,GPU,other node,x\n"
                + "n1,4,5,L,GPU,touches,x\n");
    assertThat(trace.rows()).isEqualTo(6);
    assertThat(trace.joined()).isEqualTo(2);
    assertThat(trace.outages())
        .extracting(Outage::node, Outage::description, o -> o.end().toDays())
        .containsExactly(
            tuple("n1", "first", 4L),
            tuple("n2", "other node", 3L),
            tuple("n1", "touches", 5L),
            tuple("n1", "third", 6L));
  }

  @Test
  void shouldGiveAFaultOfNoLengthAMinute() throws UsageException {
    Outage outage = read(HEADER + "n1,1,1,L,GPU,D,x\n").outages().getFirst();
    assertThat(outage.end().minus(outage.start())).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void shouldRefuseTooManyRows() {
    String text = HEADER + "n,1,2,,,,\n".repeat(11);
    assertThatThrownBy(() -> TraceReader.parse(text, "t.csv", 10))
        .hasMessage("t.csv has more than 10 rows (line 12)");
  }

  @Test
  void shouldRefuseAFileThatIsTooBigOrNotThere(@TempDir Path folder) throws IOException {
    Path big = folder.resolve("big.csv");
    try (RandomAccessFile file = new RandomAccessFile(big.toFile(), "rw")) {
      file.setLength(TraceReader.MAX_BYTES + 1);
    }
    assertThatThrownBy(() -> TraceReader.read(big)).hasMessageContaining("bigger than 64 MiB");
    assertThatThrownBy(() -> TraceReader.read(folder.resolve("none.csv")))
        .hasMessageContaining("none.csv cannot be read: no such file");
    assertThatThrownBy(() -> TraceReader.read(folder)).isInstanceOf(UsageException.class);
    Files.write(big, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1, 2});
    assertThatThrownBy(() -> TraceReader.read(big)).isInstanceOf(UsageException.class);
  }

  @Test
  void shouldReadOrRefuseWhateverItIsGiven() {
    Random random = new Random(5);
    List<String> parts =
        List.of(
            "n1", ",", ",", ",", "1", "2.5", "\n", "\"", "GPU", "-", "e9", "NaN", "\u0000", "é");
    for (int i = 0; i < 3000; i++) {
      StringBuilder text = new StringBuilder(random.nextBoolean() ? HEADER + GOOD : "");
      for (int p = 0; p < random.nextInt(80); p++) {
        text.append(parts.get(random.nextInt(parts.size())));
      }
      try {
        Trace trace = read(text.toString());
        assertThat(trace.rows()).isPositive();
        assertThat(trace.outages())
            .allMatch(o -> o.end().compareTo(o.start()) > 0 && !o.start().isNegative());
      } catch (UsageException refused) {
        assertThat(refused.getMessage()).isNotBlank();
      }
    }
  }
}
