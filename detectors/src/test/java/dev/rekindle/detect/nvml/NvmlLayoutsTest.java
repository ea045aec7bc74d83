package dev.rekindle.detect.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.StructLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Our layouts beside what the C compiler of this machine makes of the same structs. */
class NvmlLayoutsTest {
  private static final List<StructLayout> ALL =
      List.of(
          NvmlLayouts.EVENT_DATA,
          NvmlLayouts.FIELD_VALUE,
          NvmlLayouts.PCI_INFO,
          NvmlLayouts.FABRIC_V2,
          NvmlLayouts.FABRIC_V3,
          NvmlLayouts.SRAM_STATUS,
          NvmlLayouts.UTILIZATION,
          NvmlLayouts.PROCESS_INFO);

  @Test
  void shouldLieWhereTheCompilerPutsThem(@TempDir Path directory)
      throws IOException, InterruptedException {
    var program = Compiler.compile("layouts.c", directory.resolve("layouts"));
    Map<String, Long> expected = new TreeMap<>();
    for (var line : Compiler.run(List.of(program.toString())).lines().toList()) {
      var words = line.split(" ", -1);
      expected.put(words[0], Long.valueOf(words[1]));
    }
    Map<String, Long> ours = new TreeMap<>();
    for (var struct : ALL) {
      var name = struct.name().orElseThrow();
      ours.put(name, struct.byteSize());
      for (var member : struct.memberLayouts()) {
        member
            .name()
            .ifPresent(field -> ours.put(name + "." + field, NvmlLayouts.offset(struct, field)));
      }
    }
    assertThat(ours).isEqualTo(expected);
  }

  @Test
  void shouldMarkVersionsAsTheHeaderDoes() {
    assertThat(NvmlLayouts.version(NvmlLayouts.FABRIC_V2, 2)).isEqualTo(0x02000024);
    assertThat(NvmlLayouts.version(NvmlLayouts.FABRIC_V3, 3)).isEqualTo(0x03000028);
    assertThat(NvmlLayouts.version(NvmlLayouts.SRAM_STATUS, 1)).isEqualTo(0x01000068);
  }
}
