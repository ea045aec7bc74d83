package dev.rekindle.detect.ncclog;

/**
 * A process group as the prefix of a line has it; four generations of PyTorch write it differently.
 *
 * @param name the name or number; empty where the line has only a rank
 * @param shared whether all members have the same name for it; a number of older versions is one of
 *     the process
 * @param description {@code default_pg}; empty where the line does not say
 * @param rank the rank inside the group; -1 where the line does not say
 */
public record LoggedGroup(String name, boolean shared, String description, long rank) {
  static final LoggedGroup NONE = new LoggedGroup("", false, "", -1);

  /** Whether it is the group of all ranks, as far as the line shows: ranks in it are global. */
  public boolean isDefault() {
    return description.isEmpty()
        ? name.equals("0") || (name.isEmpty() && rank >= 0)
        : description.equals("default_pg");
  }
}
