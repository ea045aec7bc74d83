package dev.rekindle.detect.stall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence.Frame;
import org.junit.jupiter.api.Test;

class PythonStackTest {
  private static final String TEXT =
      """
      Process 4281: python train.py
      Python v3.11.4 (/usr/bin/python3.11)

      Thread 4290 (idle): "pin_memory"
          select (selectors.py:415)
      Thread 4281 (idle): "MainThread"
          wait (threading.py:320)
          get (queue.py:171)
          _next_data (torch/utils/data/dataloader.py:1285)
          main (train.py:80)
      """;

  private static final String JSON =
      """
      [{"pid": 4281, "thread_id": 1, "thread_name": "pin_memory", "active": false,
        "frames": [{"name": "select", "filename": "/x/selectors.py", "line": 415}]},
       {"pid": 4281, "thread_id": 2, "thread_name": "MainThread", "active": true,
        "frames": [
          {"name": "wait", "filename": "/usr/lib/threading.py", "module": null,
           "short_filename": "threading.py", "line": 320, "locals": null},
          {"name": "get", "filename": "/usr/lib/queue.py", "line": 171}]}]
      """;

  @Test
  void shouldReadTheInnermostFramesOfTheMainThread() {
    assertThat(PythonStack.isStack(TEXT)).isTrue();
    assertThat(PythonStack.read(TEXT))
        .containsExactly(
            new Frame("wait", "threading.py", 320),
            new Frame("get", "queue.py", 171),
            new Frame("_next_data", "torch/utils/data/dataloader.py", 1285),
            new Frame("main", "train.py", 80));
    assertThat(PythonStack.isStack(JSON)).isTrue();
    assertThat(PythonStack.read(JSON))
        .containsExactly(
            new Frame("wait", "threading.py", 320), new Frame("get", "/usr/lib/queue.py", 171));
  }

  @Test
  void shouldReadNothingElse() {
    for (var text :
        new String[] {
          "",
          "[",
          "[1]",
          "[{\"thread_name\": {}, \"frames\": [[[]]]}]",
          "[{\"frames\": [{\"name\": []}]}]",
          JSON.substring(0, JSON.length() / 2),
          "[".repeat(5000),
          TEXT.replace("MainThread", "main")
        }) {
      assertThat(PythonStack.read(text)).as(text).isEmpty();
    }
    assertThat(PythonStack.isStack("[rank3]:[E626] Process")).isFalse();
    assertThat(PythonStack.read("\"MainThread\"\n  " + "x".repeat(9999)).getFirst().function())
        .hasSize(128);
  }
}
