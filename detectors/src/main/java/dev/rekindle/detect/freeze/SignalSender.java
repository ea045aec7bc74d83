package dev.rekindle.detect.freeze;

import java.io.IOException;

/** Sends a signal to a process. */
interface SignalSender {
  int KILL = 9;
  int CONTINUE = 18;
  int STOP = 19;

  /**
   * Sends it; a process that is gone is no failure.
   *
   * @throws IOException when this is not permitted
   */
  void send(long process, int signal) throws IOException;
}
