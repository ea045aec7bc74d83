package dev.rekindle.detect.kernelfault;

import dev.rekindle.detect.fault.Victim;
import dev.rekindle.detect.kernel.Finding;

/** Says which training pod a finding hit. */
@FunctionalInterface
public interface Victims {
  /** The pod, if it is known, and the process that the kernel record names. */
  Victim of(Finding finding);
}
