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

  private static final String HEAD =
      """
      NCCL version 2.24.3 compiled with CUDA 12.4
      CUDA runtime version 12.4, driver version 12.4

      Job summary
      ===========

        Nodes  Processes         GPUs  Processes     GPUs
      (total)   per node  per process    (total)  (total)
            4          8            1         32       32

      """;

  private static String text(String size, String status, String details) {
    return """
    %sCommunicators... (2.05s)
    =============

    Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
        #  in group  per comm  per node  per comm  in group
        0         1         4       7-8    %s        32   RUNNING  %s
        1         8         4         1         4        32   RUNNING  OK

    %s\
    """
        .formatted(HEAD, size, status, details);
  }

  /** As the manual of NCCL 2.24 shows it: who is not listed has the other count. */
  @Test
  void shouldReadCountsFromText() throws RasException {
    var text =
        text(
            "32",
            "MISMATCH",
            """
            Warnings
            ========

            #0-0 (27a079b828ff1a75) MISMATCH
              Communicator ranks have different collective operation counts
              26 ranks have launched up to operation 6650
              6 ranks have launched up to operation 6649
              Rank 0 -- GPU 0 managed by process 483072 on node 172.16.64.210
              Rank 2 -- GPU 2 managed by process 483074 on node 172.16.64.210
              Rank 3 -- GPU 3 managed by process 483075 on node 172.16.64.210
              Rank 4 -- GPU 4 managed by process 483076 on node 172.16.64.210
              Rank 5 -- GPU 5 managed by process 483077 on node 172.16.64.210
              Rank 7 -- GPU 7 managed by process 483079 on node 172.16.64.210
            """);
    assertThat(RasReader.isAnswer("OK\n" + text)).isTrue();
    var answer = read("OK\r\n" + text);
    assertThat(answer.version()).isEqualTo("2.24.3");
    var all = answer.communicators().getFirst();
    assertThat(all.hash()).isEqualTo("27a079b828ff1a75");
    assertThat(all.size()).isEqualTo(32);
    assertThat(all.counts().get("collective"))
        .hasSize(32)
        .containsEntry(7, 6649L)
        .containsEntry(6, 6650L)
        .containsEntry(31, 6650L);
    assertThat(answer.communicators().getLast().size()).isEqualTo(4);
  }

  /** Since 2.26 by kind; one rank alone has a line of its own. */
  @Test
  void shouldReadCountsOfOneRankFromText() throws RasException {
    var answer =
        read(
            text(
                "8",
                "MISMATCH",
                """
                #0-0 (78db921d1c117b4a) MISMATCH
                  Communicator ranks have different AllReduce operation counts
                  7 ranks have launched up to operation 64
                  Rank 7 has launched up to operation 60 -- GPU 3 managed by process 16 on node n1
                  Communicator ranks have different status
                  7 ranks have status RUNNING
                  Rank 7 -- GPU 3 managed by process 16 on node n1
                """));
    assertThat(answer.communicators().getFirst().counts())
        .isEqualTo(
            Map.of(
                "AllReduce",
                Map.of(0, 64L, 1, 64L, 2, 64L, 3, 64L, 4, 64L, 5, 64L, 6, 64L, 7, 60L)));
  }

  @Test
  void shouldKnowNoCountsWhereSeveralGroupsAreNotListed() throws RasException {
    var answer =
        read(
            text(
                "8",
                "MISMATCH",
                """
                #0-0 (78db921d1c117b4a) MISMATCH
                  Communicator ranks have different AllReduce operation counts
                  4 ranks have launched up to operation 64
                  4 ranks have not launched any operations
                """));
    assertThat(answer.communicators().getFirst().counts()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"DEAD", "INCOMPLETE"})
  void shouldReadMissingRanksFromText(String state) throws RasException {
    var answer =
        read(
            text(
                "31-32",
                "INCOMPLETE",
                """
                Errors
                ======

                %s
                  1 job process is considered dead (unreachable via the RAS network)
                  Process 3487984 on node 172.16.64.213 managing GPU 5

                #0-0 (cf264af53edbe986) INCOMPLETE
                  Missing communicator data from 1 rank
                  The missing rank: 21

                Warnings
                ========

                TIMEOUT
                  Encountered 2 communication timeouts while gathering communicator data
                """
                    .formatted(state)));
    var all = answer.communicators().getFirst();
    assertThat(all.size()).isEqualTo(32);
    assertThat(all.missing())
        .containsExactly(new Missing(21, "172.16.64.213", 3487984, state.equals("DEAD")));
  }

  @Test
  void shouldReadSeveralMissingRanksFromText() throws RasException {
    var answer =
        read(
            text(
                "32",
                "INCOMPLETE",
                "#0-0 (cf264af53edbe986) INCOMPLETE\nThe missing ranks: 3, 5-7"));
    assertThat(answer.communicators().getFirst().missing())
        .extracting(Missing::rank)
        .containsExactly(3, 5, 6, 7);
  }

  @Test
  void shouldRefuseTextThatIsCutOff() {
    assertThat(RasReader.isAnswer(HEAD)).isTrue();
    assertThatThrownBy(() -> read(HEAD))
        .isInstanceOf(RasException.class)
        .hasMessageContaining("cut off");
  }

  /** Ranges of a hostile answer stand for very many ranks. */
  @Test
  void shouldHoldNoMoreRanksThanAJobHas() throws RasException {
    var many = "The missing ranks: 0-999999999\n".repeat(100);
    var answer = read(text("999999999", "INCOMPLETE", "#0-0 (c) INCOMPLETE\n" + many));
    assertThat(answer.communicators().getFirst().missing()).hasSizeLessThanOrEqualTo(1_000_000);
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
