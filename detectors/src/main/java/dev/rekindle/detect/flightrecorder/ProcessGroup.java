package dev.rekindle.detect.flightrecorder;

import java.util.List;

/**
 * A process group of {@code torch.distributed}, the same for all its ranks.
 *
 * <p>The local number {@code pg_id} is not here: groups of one kind have other numbers on other
 * ranks.
 *
 * @param name the name that all members share; Gloo and {@code split_group} give one name to
 *     several groups, so the ranks count, too
 * @param description as the program named it, for example {@code TENSOR_MODEL_PARALLEL_GROUP}
 * @param ranks global ranks in the order of the group, so that the n-th is rank n inside it; empty
 *     when the dump has no list for it
 */
public record ProcessGroup(String name, String description, List<Integer> ranks) {
  public ProcessGroup {
    ranks = List.copyOf(ranks);
  }

  /** For people: the description, and the name where it adds something. */
  public String label() {
    var known = description.isEmpty() || description.equals("undefined");
    return known ? "group " + name : description + " (group " + name + ")";
  }
}
