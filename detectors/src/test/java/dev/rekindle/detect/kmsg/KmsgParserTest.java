package dev.rekindle.detect.kmsg;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KmsgParserTest {
  private static KmsgParsed parse(String text) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    return KmsgParser.parse(bytes, bytes.length);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "4,339,5140900,-;NVRM: Xid (PCI:0000:3b:00): 79|0|4|339|5140900|NVRM: Xid (PCI:0000:3b:00):"
            + " 79",
        "30,0,0,-;facility 3, level 6|3|6|0|0|facility 3, level 6",
        "6,7,8,c,caller=T1,more=x;text|0|6|7|8|text",
        "6,7,8;no flags|0|6|7|8|no flags",
        "6,7,8,-;semi;colons; stay|0|6|7|8|semi;colons; stay",
        "6,7,8,-;tab\\x09 back\\x5cslash|0|6|7|8|tab\t back\\slash",
        "6,7,8,-;bad \\xZZ and cut \\x0|0|6|7|8|bad \\xZZ and cut \\x0",
        "12,7,8,-;said by a process|1|4|7|8|said by a process",
        "6,7,8,-;\\xc3\\xa9|0|6|7|8|é",
      })
  void shouldReadEveryFieldWhenFramingIsRight(
      String raw, int facility, int level, long sequence, long micros, String text) {
    assertThat(parse(raw + "\n"))
        .isEqualTo(new KmsgRecord(facility, level, sequence, micros, text));
    assertThat(parse(raw)).isEqualTo(new KmsgRecord(facility, level, sequence, micros, text));
  }

  @Test
  void shouldLeaveOutDictionaryWhenContinuationLinesFollow() {
    assertThat(parse("7,160,424069,-;pci_root PNP0A03:00: ok\n SUBSYSTEM=acpi\n DEVICE=+acpi:P\n"))
        .isEqualTo(new KmsgRecord(0, 7, 160, 424069, "pci_root PNP0A03:00: ok"));
  }

  @Test
  void shouldGiveLineBreaksWhenOneRecordHoldsSeveralLines() {
    assertThat(parse("3,1,2,-;one\\x0atwo\\x0athree\n"))
        .isEqualTo(new KmsgRecord(0, 3, 1, 2, "one\ntwo\nthree"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n",
        "no prefix",
        "1,2;x",
        ";x",
        "a,2,3,-;x",
        "1,-2,3,-;x",
        "1,2,3.5,-;x",
        "1,,3,-;x",
        "1,9999999999999999999,3,-;x",
        "4294967296,2,3,-;x",
        " DEVICE=+acpi:P",
        "1,2,3,-"
      })
  void shouldSayMalformedWhenFramingIsWrong(String raw) {
    assertThat(parse(raw)).isInstanceOf(KmsgParsed.Malformed.class);
  }

  @Test
  void shouldSayMalformedWhenLongerThanTheKernelsLimit() {
    var fits = "6,7,8,-;" + "x".repeat(KmsgParser.MAX_BYTES - 9) + "\n";
    assertThat(parse(fits)).isInstanceOf(KmsgRecord.class);
    assertThat(parse("x" + fits)).isInstanceOf(KmsgParsed.Malformed.class);
  }

  @Test
  void shouldNeverThrowWhenBytesAreRandomlyBroken() {
    var random = new Random(20260101);
    var good = "4,339,5140900,-,caller=T12;NVRM: Xid \\x0a (PCI:0000:3b:00): 79\n DEVICE=b1:2\n";
    var records = 0;
    for (int round = 0; round < 20_000; round++) {
      var bytes = good.getBytes(StandardCharsets.UTF_8);
      for (int edit = random.nextInt(4); edit >= 0; edit--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      if (KmsgParser.parse(bytes, random.nextInt(bytes.length + 1)) instanceof KmsgRecord) {
        records++;
      }
    }
    assertThat(records).as("the edits leave some records readable").isBetween(2_000, 19_000);
  }
}
