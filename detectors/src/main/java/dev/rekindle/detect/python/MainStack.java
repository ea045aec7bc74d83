package dev.rekindle.detect.python;

import dev.rekindle.api.RankEvidence.Frame;
import java.util.List;

/**
 * Where the main thread of a Python process is.
 *
 * @param frames its innermost frames, innermost first, at most {@link
 *     dev.rekindle.api.RankEvidence#MOST_FRAMES}; empty where they cannot be read
 * @param compiles whether it is inside of a compiler of PyTorch or Triton, whose frames may be far
 *     below the innermost ones
 */
public record MainStack(List<Frame> frames, boolean compiles) {
  /** Nothing could be read. */
  public static final MainStack UNKNOWN = new MainStack(List.of(), false);

  public MainStack {
    frames = List.copyOf(frames);
  }
}
