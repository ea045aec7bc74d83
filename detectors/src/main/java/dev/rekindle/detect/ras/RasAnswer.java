package dev.rekindle.detect.ras;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One answer.
 *
 * @param version of NCCL, {@code 2.28.7}
 * @param time as the answer has it
 * @param communicators those that the asked process is in, and what it reaches through them
 */
public record RasAnswer(String version, String time, List<Communicator> communicators) {
  /** Versions whose RAS has crashed jobs, nccl issues 1718 and 1996. */
  private static final Set<String> UNSAFE = Set.of("2.26.5", "2.27.7");

  public RasAnswer {
    communicators = List.copyOf(communicators);
  }

  /** Whether a job with this version may crash when it is asked, or by itself. */
  public boolean isUnsafe() {
    return UNSAFE.stream()
        .anyMatch(
            unsafe ->
                version.startsWith(unsafe)
                    && (version.length() == unsafe.length()
                        || !Character.isDigit(version.charAt(unsafe.length()))));
  }

  /**
   * A communicator.
   *
   * @param hash what makes it distinct
   * @param size ranks that it has
   * @param counts by kind of collective, how many each rank has launched
   * @param missing ranks that gave no answer
   * @param failed ranks whose communicator has an error
   */
  public record Communicator(
      String hash,
      int size,
      Map<String, Map<Integer, Long>> counts,
      List<Missing> missing,
      Set<Integer> failed) {
    public Communicator {
      counts = Map.copyOf(counts);
      missing = List.copyOf(missing);
      failed = Set.copyOf(failed);
    }
  }

  /**
   * A rank that gave no answer.
   *
   * @param rank inside the communicator
   * @param host address of its node or pod
   * @param process its process
   * @param dead whether it is assumed dead, after a minute
   */
  public record Missing(int rank, String host, long process, boolean dead) {}
}
