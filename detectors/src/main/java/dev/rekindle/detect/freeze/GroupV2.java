package dev.rekindle.detect.freeze;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A group of cgroup version 2. Frozen processes take SIGKILL as they are. */
record GroupV2(Path folder) implements Group {
  static final String FREEZE = "cgroup.freeze";
  static final String HOW = "cgroup-v2";

  @Override
  public String how() {
    return HOW;
  }

  @Override
  public void freeze() throws IOException {
    Group.write(folder.resolve(FREEZE), "1");
  }

  @Override
  public boolean isFrozen() throws IOException {
    return Files.readAllLines(folder.resolve("cgroup.events")).contains("frozen 1");
  }

  @Override
  public void thaw() throws IOException {
    Group.write(folder.resolve(FREEZE), "0");
  }

  @Override
  public void kill(SignalSender signals) throws IOException {
    var kill = folder.resolve("cgroup.kill");
    if (Files.exists(kill)) {
      Group.write(kill, "1");
      return;
    }
    // Linux before 5.14. Nothing forks meanwhile: it is frozen.
    freeze();
    for (var process : processes()) {
      signals.send(process, SignalSender.KILL);
    }
  }
}
