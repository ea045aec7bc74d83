package dev.rekindle.detect.checkpoint.format;

import java.util.List;

/**
 * What a format has found in a directory.
 *
 * @param generations its checkpoints, complete or not, in any order
 * @param doubts clauses that say why these cannot be relied on as a list, such as a tracker that
 *     makes no sense: with one of them nothing is chosen
 * @param others paths of what belongs to them and is none itself, such as a tracker: no other
 *     format is asked about these
 */
public record Findings(List<Generation> generations, List<String> doubts, List<String> others) {
  /** Nothing. */
  public static final Findings NONE = new Findings(List.of(), List.of());

  public Findings {
    generations = List.copyOf(generations);
    doubts = List.copyOf(doubts);
    others = List.copyOf(others);
  }

  /** Generations, and nothing beside them. */
  public Findings(List<Generation> generations, List<String> doubts) {
    this(generations, doubts, List.of());
  }

  /** Generations, and nothing that speaks against them. */
  public static Findings of(List<Generation> generations) {
    return new Findings(generations, List.of());
  }
}
