package dev.rekindle.detect.freeze;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class GroupTest {
  /** A read of a file that is open fails with a plain exception: a pod was rebuilt for it once. */
  @Test
  void shouldKnowAGroupThatGoesAwayByWhatTheKernelAnswers() {
    String file = Path.of("cgroup.procs").toString();
    assertThat(Group.goesAway(new IOException("No such device"))).isTrue();
    assertThat(Group.goesAway(new FileSystemException(file, null, "No such device"))).isTrue();
    assertThat(Group.goesAway(new IOException("Input/output error"))).isFalse();
    assertThat(Group.goesAway(new FileSystemException(file))).isFalse();
  }
}
