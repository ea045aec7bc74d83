package dev.rekindle.detect.kernelfault;

import dev.rekindle.detect.fault.AffectedPod;
import dev.rekindle.detect.kernel.Finding;

/** Says which training pod a finding hit. */
@FunctionalInterface
public interface AffectedPods {
  /** The pod, if it is known, and the process that the kernel record names. */
  AffectedPod of(Finding finding);
}
