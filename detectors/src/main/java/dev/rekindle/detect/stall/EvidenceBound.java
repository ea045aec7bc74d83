package dev.rekindle.detect.stall;

import dev.rekindle.api.EvidencePart;
import dev.rekindle.api.RankEvidence;
import dev.rekindle.api.RankEvidence.DumpState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;

/**
 * What a report can hold of what was found of the ranks on a node, in bytes: the API server takes
 * no more, and a report that it refuses shows nothing at all.
 *
 * <p>Each rank is there, with its process, its activity, its GPU and its addresses. Then all of the
 * ranks that {@link RankWeights} finds to differ from the others; of the rest their lines, their
 * stacks and at last their dumps, those first that show groups that no other one shows. A part that
 * does not fit is left out whole, and the rank says so.
 *
 * <p>Guarantees: the same evidence ends in the same report, whatever the order in which it comes;
 * no part is shortened.
 */
public final class EvidenceBound {
  private final List<RankEvidence> ranks;
  private final Map<Integer, Set<EvidencePart>> kept = new HashMap<>();
  private int left;

  private EvidenceBound(List<RankEvidence> ranks, int most) {
    this.ranks = ranks;
    this.left = most;
  }

  /** What one report holds of them, by rank. */
  public static List<RankEvidence> fit(List<RankEvidence> found) {
    return fit(found, RankEvidence.MOST_BYTES);
  }

  /** The same, for so many bytes. */
  static List<RankEvidence> fit(List<RankEvidence> found, int most) {
    List<RankEvidence> inOrder = new ArrayList<>(found);
    inOrder.sort(
        Comparator.comparingInt(RankEvidence::rank)
            .thenComparing(RankEvidence::pod)
            .thenComparing(RankEvidence::podUid));
    var weights = RankWeights.of(inOrder);
    return new EvidenceBound(inOrder, most).kept(weights);
  }

  private List<RankEvidence> kept(RankWeights weights) {
    List<Integer> there = new ArrayList<>();
    for (int i : weights.inOrder()) {
      if (there.size() < RankEvidence.MOST_RANKS && fits(EvidenceSize.core(ranks.get(i)))) {
        there.add(i);
        kept.put(i, EnumSet.noneOf(EvidencePart.class));
      }
    }
    for (int i : there) {
      if (weights.differs(i)) {
        keep(i, EvidencePart.DUMP, EvidenceSize::dump);
        keep(i, EvidencePart.LINES, EvidenceSize::lines);
        keep(i, EvidencePart.STACK, EvidenceSize::stack);
      }
    }
    there.forEach(i -> keep(i, EvidencePart.LINES, EvidenceSize::lines));
    there.forEach(i -> keep(i, EvidencePart.STACK, EvidenceSize::stack));
    there.forEach(i -> keep(i, EvidencePart.DUMP, EvidenceSize::dump));
    Collections.sort(there);
    return there.stream().map(i -> with(ranks.get(i), parts(i))).toList();
  }

  private Set<EvidencePart> parts(int i) {
    return kept.getOrDefault(i, Set.of());
  }

  private void keep(int i, EvidencePart part, ToIntFunction<RankEvidence> size) {
    var parts = parts(i);
    if (!parts.contains(part) && fits(size.applyAsInt(ranks.get(i)))) {
      parts.add(part);
    }
  }

  private boolean fits(int bytes) {
    if (bytes > left) {
      return false;
    }
    left -= bytes;
    return true;
  }

  private static RankEvidence with(RankEvidence rank, Set<EvidencePart> parts) {
    Set<EvidencePart> omitted = EnumSet.noneOf(EvidencePart.class);
    omitted.addAll(rank.omitted());
    boolean dump = parts.contains(EvidencePart.DUMP);
    boolean lines = parts.contains(EvidencePart.LINES);
    boolean stack = parts.contains(EvidencePart.STACK);
    if (!dump && rank.dump() == DumpState.READ) {
      omitted.add(EvidencePart.DUMP);
    }
    if (!lines && !rank.lines().isEmpty()) {
      omitted.add(EvidencePart.LINES);
    }
    if (!stack && !rank.stack().isEmpty()) {
      omitted.add(EvidencePart.STACK);
    }
    return rank.with(
        b ->
            b.dump(!dump && rank.dump() == DumpState.READ ? DumpState.UNREADABLE : rank.dump())
                .groups(dump ? rank.groups() : List.of())
                .lines(lines ? rank.lines() : List.of())
                .stack(stack ? rank.stack() : List.of())
                .calls(dump ? rank.calls() : null)
                .omitted(List.copyOf(omitted)));
  }
}
