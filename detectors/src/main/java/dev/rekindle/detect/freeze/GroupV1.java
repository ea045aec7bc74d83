package dev.rekindle.detect.freeze;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A group of the freezer of cgroup version 1. Frozen processes die only once they are thawed. */
record GroupV1(Path folder) implements Group {
  static final String STATE = "freezer.state";
  static final String HOW = "cgroup-v1";

  @Override
  public String how() {
    return HOW;
  }

  @Override
  public void freeze() throws IOException {
    Group.write(folder.resolve(STATE), "FROZEN");
  }

  @Override
  public boolean isFrozen() throws IOException {
    return Files.readString(folder.resolve(STATE)).strip().equals("FROZEN");
  }

  @Override
  public void thaw() throws IOException {
    Group.write(folder.resolve(STATE), "THAWED");
  }

  @Override
  public void kill(SignalSender signals) throws IOException {
    // Frozen first, so that nothing forks between the list and the signals. With the signal pending
    // a thawed process ends before it runs another instruction of its own.
    // A signal that is refused leaves it frozen, never thawed alive.
    freeze();
    for (var process : processes()) {
      signals.send(process, SignalSender.KILL);
    }
    thaw();
  }
}
