package dev.rekindle.agent.restart;

import static dev.rekindle.api.RestartInstruction.FREEZE;
import static dev.rekindle.api.RestartInstruction.RESTART_ALL;
import static dev.rekindle.api.RestartInstruction.RESTART_LEADER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.pod.TrainingPod;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.io.TempDir;

/** Whatever happens in whatever order, some things never do. The seed is the repetition. */
class RestartPropertyTest {
  private static final String LEADER = "pod-0-uid";

  @TempDir Path directory;
  private final Set<String> replacements = new HashSet<>();
  private int containers;

  private String container() {
    return "c" + containers++;
  }

  private List<String> alive(Gang gang) {
    return gang.pods.values().stream()
        .filter(pod -> pod.job().equals("job"))
        .filter(pod -> !pod.deleting())
        .map(TrainingPod::name)
        .toList();
  }

  private void disturb(Gang gang, Random random) throws Exception {
    var alive = alive(gang);
    var some = alive.isEmpty() ? "" : alive.get(random.nextInt(alive.size()));
    switch (random.nextInt(9)) {
      case 0 -> gang.restartAgent();
      case 1 -> {
        // The report may know less than the file: then the pods are frozen once more, or it is
        // reported.
        gang.crud.refuse = request -> 0;
        if (gang.report() != null) {
          Files.deleteIfExists(gang.notes);
        }
        gang.restartAgent();
      }
      case 2 -> gang.crud.refuse = r -> r.contains("restartreports") ? 403 : 0;
      case 3 -> gang.crud.refuse = r -> 0;
      case 4 -> gang.node.slow = !gang.node.slow;
      case 5 -> {
        if (!some.isEmpty()) {
          gang.delete(some);
        }
      }
      case 6 -> {
        var terminating = gang.pods.values().stream().filter(TrainingPod::deleting).findFirst();
        terminating.ifPresent(
            pod -> {
              gang.vanish(pod.name());
              var id = container();
              replacements.add(id);
              gang.pod("pod-" + id, "job", Gang.ORDERED.plusSeconds(random.nextInt(2)), id, 0);
            });
      }
      case 7 -> {
        if (!some.isEmpty() && !gang.pod(some).created().isAfter(Gang.OLD)) {
          gang.ended(some);
        }
      }
      default -> gang.now = gang.now.plusSeconds(random.nextInt(4));
    }
  }

  /** The kubelet starts again what is dead. */
  private void kubelet(Gang gang) {
    for (var name : alive(gang)) {
      var pod = gang.pod(name);
      var dead =
          gang.node.containers.getOrDefault(pod.container().id(), FakeNode.State.DEAD)
              == FakeNode.State.DEAD;
      if (dead) {
        gang.container(name, container(), pod.container().restartCount() + 1);
        if (!pod.created().equals(Gang.OLD)) {
          replacements.add(gang.pod(name).container().id());
        }
      }
    }
  }

  private void assertNothingForbidden(Gang gang, List<TrainingPod> before) {
    for (var call : gang.node.calls) {
      var id = call.substring(call.indexOf(' ') + 1);
      assertThat(id).as(call).doesNotStartWith("stranger").doesNotStartWith("sidecar");
      if (call.startsWith("freeze")) {
        assertThat(replacements).as(call).doesNotContain(id);
      }
      if (call.startsWith("thaw")) {
        assertThat(before)
            .as(call)
            .noneMatch(pod -> pod.deleting() && pod.container().id().equals(id));
      }
    }
    gang.node.calls.clear();
  }

  @RepeatedTest(60)
  void shouldNeverTouchStrangersNorFreezeReplacementsNorThawTheTerminating(RepetitionInfo run)
      throws Exception {
    var random = new Random(run.getCurrentRepetition());
    try (var gang = new Gang(directory.resolve("notes"))) {
      gang.job("job", "true");
      gang.job("other", "true");
      for (int i = 0; i < 3; i++) {
        gang.pod("pod-" + i, random.nextInt(5) == 0 ? "" : container());
      }
      gang.node.containers.put("sidecar-1", FakeNode.State.RUNS);
      gang.pod("stranger", "other", Gang.OLD, "stranger-1", 0);
      var instruction = FREEZE;
      gang.say(instruction, LEADER);
      for (int step = 0; step < 40; step++) {
        var before = List.copyOf(gang.pods.values());
        gang.round();
        assertNothingForbidden(gang, before);
        if (random.nextInt(3) == 0) {
          disturb(gang, random);
        }
        if (random.nextInt(2) == 0) {
          kubelet(gang);
        }
        if (random.nextInt(8) == 0 && instruction != RESTART_ALL) {
          instruction = instruction == FREEZE ? RESTART_LEADER : RESTART_ALL;
          gang.say(instruction, LEADER);
        }
        if (random.nextInt(40) == 0) {
          gang.orders.clear();
        }
      }
      gang.orders.clear();
      gang.node.slow = false;
      for (int step = 0; step < 5; step++) {
        var before = List.copyOf(gang.pods.values());
        gang.now = gang.now.plusSeconds(3);
        gang.round();
        assertNothingForbidden(gang, before);
      }
      assertThat(gang.node.containers).doesNotContainValue(FakeNode.State.FROZEN);
      assertThat(gang.node.containers.get("stranger-1")).isEqualTo(FakeNode.State.RUNS);
      assertThat(gang.loop.held()).isZero();
    }
  }

  @RepeatedTest(25)
  void shouldWriteAtMostOnceForEachInstructionWhenNothingGoesWrong(RepetitionInfo run) {
    var random = new Random(run.getCurrentRepetition());
    try (var gang = new Gang(directory.resolve("notes"))) {
      gang.job("job", "true");
      for (int i = 0; i < 1 + random.nextInt(3); i++) {
        gang.pod("pod-" + i, container());
      }
      gang.node.slow = random.nextBoolean();
      var leaderHere = random.nextBoolean();
      var deleted = gang.pods.size() > 1 && random.nextBoolean();
      List<Long> writes = new ArrayList<>();
      for (var instruction : List.of(FREEZE, RESTART_LEADER, RESTART_ALL)) {
        gang.say(instruction, leaderHere ? LEADER : "elsewhere-uid");
        if (instruction == RESTART_LEADER && deleted) {
          gang.delete("pod-" + (gang.pods.size() - 1));
        }
        for (int step = 0; step < 4 + random.nextInt(4); step++) {
          gang.round();
          if (random.nextInt(5) == 0) {
            gang.restartAgent();
          }
          if (instruction == RESTART_ALL || random.nextBoolean()) {
            kubelet(gang);
          }
        }
        gang.rounds(3);
        writes.add(gang.writes());
      }
      assertThat(writes).containsExactly(1L, leaderHere ? 2L : 1L, leaderHere ? 3L : 2L);
    }
  }
}
