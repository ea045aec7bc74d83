package dev.rekindle.detect.python;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MappedFileTest {
  private static final String PROGRAM =
      """
      55d8c0a00000-55d8c0a01000 r--p 00000000 08:01 17 /opt/conda/bin/python3.11
      55d8c0a01000-55d8c0a02000 r-xp 00001000 08:01 17 /opt/conda/bin/python3.11
      7f10a0000000-7f10a0100000 rw-p 00000000 00:00 0
      """;
  private static final String LIBRARY =
      """
      7f10b0000000-7f10b0100000 r--p 00000000 08:01 18 /usr/lib/libpython3.11.so.1.0
      7f10b0100000-7f10b0200000 r-xp 00100000 08:01 18 /usr/lib/libpython3.11.so.1.0
      7f10c0000000-7f10c0100000 r--p 00000000 08:01 19 /usr/lib/libpython3.so
      7f10d0000000-7f10d0100000 r--p 00000000 08:01 20 /tmp/my python3.11 notes.txt
      7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]
      """;

  @Test
  void shouldFindAProgram() {
    assertThat(MappedFile.interpreters(PROGRAM))
        .containsExactly(new MappedFile("/opt/conda/bin/python3.11", 0x55d8c0a00000L));
  }

  /** The program that uses a library has a main function and no more. */
  @Test
  void shouldTakeALibraryFirst() {
    assertThat(MappedFile.interpreters(PROGRAM + LIBRARY))
        .extracting(MappedFile::path)
        .containsExactly("/usr/lib/libpython3.11.so.1.0", "/opt/conda/bin/python3.11");
  }

  @Test
  void shouldFindAnInterpreterThatWasDeletedMeanwhile() {
    assertThat(MappedFile.interpreters("1000-2000 r--p 00000000 08:01 7 /x/python3 (deleted)"))
        .hasSize(1);
  }

  @Test
  void shouldBoundWhatAProcessMaps() {
    var maps = new StringBuilder();
    for (int i = 1; i <= 100; i++) {
      maps.append("%x000-%x000 r--p 00000000 08:01 %d /%d/python3\n".formatted(i, i + 1, i, i));
    }
    assertThat(MappedFile.interpreters(maps.toString())).hasSize(8);
    assertThat(MappedFile.interpreters("nothing\n-\n")).isEmpty();
  }
}
