package dev.rekindle.detect.ras;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rekindle.detect.ras.RasAnswer.Missing;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RasReaderTest {
  private static final String ANSWER =
      """
      OK
      {
        "nccl_version": "2.28.7",
        "cuda_runtime_version": "13.0",
        "timestamp": "2026-11-24 10:00:00",
        "communicators_count": 1,
        "communicators": [
          {
            "hash": "0xae94423cfbb2ef4a",
            "secondary_hash": "0xb7e7187447156001:0xb8242ed28a71381e",
            "size": 3,
            "ranks_count": 2,
            "missing_ranks_count": 1,
            "ranks": [
              {
                "rank": 0, "host": "172.16.64.245", "pid": 7, "cuda_dev": 0, "nvml_dev": 0,
                "status": {"init_state": 0, "async_error": 7, "abort_flag": false},
                "collective_counts": {"Broadcast": 0, "AllReduce": 12}
              },
              {
                "rank": 2, "host": "172.16.64.246", "pid": 8, "cuda_dev": 0, "nvml_dev": 0,
                "status": {"init_state": 0, "async_error": 6},
                "collective_counts": {"Broadcast": 0, "AllReduce": 11}
              }
            ],
            "missing_ranks": [
              {
                "rank": 1,
                "host": "172.16.64.213",
                "pid": 3487984,
                "cuda_dev": 5,
                "nvml_dev": 5,
                "status": {
                  "unresponsive": true,
                  "considered_dead": true
                }
              }
            ]
          }
        ],
        "ras": {"collection_time_sec": 0.125, "timeouts_count": 2}
      }
      """;

  private static RasAnswer read(String text) throws RasException {
    return RasReader.read(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldReadAnAnswer() throws RasException {
    var answer = read(ANSWER);
    assertThat(answer.version()).isEqualTo("2.28.7");
    assertThat(answer.isUnsafe()).isFalse();
    assertThat(answer.communicators()).hasSize(1);
    var all = answer.communicators().getFirst();
    assertThat(all.size()).isEqualTo(3);
    assertThat(all.counts())
        .isEqualTo(Map.of("Broadcast", Map.of(0, 0L, 2, 0L), "AllReduce", Map.of(0, 12L, 2, 11L)));
    assertThat(all.missing()).containsExactly(new Missing(1, "172.16.64.213", 3487984, true));
    assertThat(all.failed()).containsExactly(2);
    assertThat(RasReader.isAnswer(ANSWER)).isTrue();
    assertThat(read(ANSWER.replace("OK\n", "SERVER PROTOCOL 2\r\nOK\nOK\n"))).isEqualTo(answer);
  }

  /** As NCCL 2.28.9 writes it. */
  @Test
  void shouldReadAnAnswerInWhichCommasAreMissing() throws RasException {
    for (var field : new String[] {"\"nvml_dev\": 5,", "\"pid\": 3487984,", "2.28.7\","}) {
      var broken = ANSWER.replace(field, field.substring(0, field.length() - 1));
      assertThat(broken).isNotEqualTo(ANSWER);
      assertThat(read(broken)).isEqualTo(read(ANSWER));
    }
    assertThat(
            new String(
                CommaRepair.of(
                    "{\"a,\\\" b\": [1, {}], \"c\": -1.5e3}".getBytes(StandardCharsets.UTF_8)),
                StandardCharsets.UTF_8))
        .as("what is complete stays")
        .isEqualTo("{\"a,\\\" b\": [1, {}], \"c\": -1.5e3}");
  }

  @Test
  void shouldRefuseText() {
    var text =
        """
        NCCL version 2.24.3 compiled with CUDA 12.4
        CUDA runtime version 12.4, driver version 12.4

        Job summary
        ===========
        """;
    assertThat(RasReader.isAnswer(text)).isTrue();
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(RasException.class)
        .hasMessageContaining("SET FORMAT json");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "OK\n",
        "OK\n{",
        "OK\n{\"communicators\": [{\"ranks\": [{\"rank\": 99999999999999999999}]}]}",
        "ERROR: Unknown command SET\n{}",
        "{\"communicators\": [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]}"
      })
  void shouldRefuseWhatIsNoWholeAnswer(String text) {
    assertThatThrownBy(() -> read(text)).isInstanceOf(RasException.class);
  }

  @Test
  void shouldPassOverWhatHasAnotherShape() throws RasException {
    var answer =
        read(
            "{\"nccl_version\": {}, \"communicators\": [1, {\"size\": \"x\", \"ranks\": {},"
                + " \"missing_ranks\": [{\"rank\": -1, \"status\": [{}]}, {\"rank\": 5}]}]}");
    assertThat(answer.communicators()).hasSize(1);
    assertThat(answer.communicators().getFirst().missing())
        .containsExactly(new Missing(5, "", -1, false));
  }

  @Test
  void shouldKnowVersionsThatMayNotBeAsked() throws RasException {
    assertThat(read(ANSWER.replace("2.28.7", "2.27.7+cuda12.9")).isUnsafe()).isTrue();
    assertThat(read(ANSWER.replace("2.28.7", "2.26.5")).isUnsafe()).isTrue();
    assertThat(read(ANSWER.replace("2.28.7", "2.26.51")).isUnsafe()).isFalse();
  }
}
