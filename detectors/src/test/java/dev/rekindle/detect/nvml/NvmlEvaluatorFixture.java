package dev.rekindle.detect.nvml;

import java.time.Instant;
import java.util.List;

/** Two GPUs whose readings a test changes; no library, no clock. */
abstract class NvmlEvaluatorFixture {
  static final String FIRST = "0000:3b:00";
  static final String SECOND = "0000:5e:00";
  NvmlEvaluator polls = new NvmlEvaluator("node-1", "boot-1");
  NvmlMemory memory = NvmlMemory.EMPTY;
  Instant now = Instant.parse("2026-01-01T00:00:00Z");
  final GpuDraft first = new GpuDraft(FIRST);
  final GpuDraft second = new GpuDraft(SECOND);

  NvmlDecision poll(NvmlReadings readings) {
    now = now.plusSeconds(15);
    var decision = polls.decide(memory, readings, now);
    memory = decision.memory();
    return decision;
  }

  NvmlDecision poll() {
    return poll(new NvmlReadings(List.of(first.reading(), second.reading()), List.of()));
  }

  static List<String> reported(NvmlDecision decision) {
    return decision.observations().stream()
        .map(
            one -> one.fault().componentId() + " " + one.fault().code() + " " + one.fault().fence())
        .toList();
  }

  static List<String> cleared(NvmlDecision decision) {
    return decision.clearances().stream()
        .map(one -> one.componentId() + " " + one.codes() + " " + one.by())
        .toList();
  }
}
