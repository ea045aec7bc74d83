package dev.rekindle.controller.runtime;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;

/** Carries out actions that do not wait for each other. */
@FunctionalInterface
public interface ParallelExecutor {
  /**
   * Runs all of them and returns when all have ended, in whatever way.
   *
   * @throws RuntimeException what one of them threw
   */
  void run(List<Runnable> actions);

  /** Each on a virtual thread of its own, at most so many at a time. */
  static ParallelExecutor onVirtualThreads(int most) {
    return actions -> {
      Semaphore inFlight = new Semaphore(most);
      CompletableFuture<?>[] all =
          actions.stream()
              .map(Heartbeat::carried)
              .map(
                  action ->
                      CompletableFuture.runAsync(
                          () -> {
                            inFlight.acquireUninterruptibly();
                            try {
                              action.run();
                            } finally {
                              inFlight.release();
                            }
                          },
                          Thread::startVirtualThread))
              .toArray(CompletableFuture<?>[]::new);
      try {
        CompletableFuture.allOf(all).join();
      } catch (CompletionException failed) {
        throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
      }
    };
  }

  /** One after another, on the calling thread; all of them even when one throws. */
  static ParallelExecutor inOrder() {
    return actions -> {
      RuntimeException first = null;
      for (Runnable action : actions) {
        try {
          action.run();
        } catch (RuntimeException failed) {
          first = first == null ? failed : first;
        }
      }
      if (first != null) {
        throw first;
      }
    };
  }
}
