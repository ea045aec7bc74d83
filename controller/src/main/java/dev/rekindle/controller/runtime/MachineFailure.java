package dev.rekindle.controller.runtime;

/**
 * Errors of the virtual machine itself, such as that it can start no thread. Who works on one
 * object or one task after the other goes on after whatever one of them throws, also an {@link
 * Error}: it is of that one's input, and so is a {@link StackOverflowError}. After one of the
 * machine nothing is certain any more, and it must not be taken for an object that cannot be read.
 */
public final class MachineFailure {
  private MachineFailure() {}

  /** Whether it is one of the virtual machine, and not of what was worked on. */
  public static boolean is(Throwable thrown) {
    return thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError);
  }

  /**
   * Hands one of the virtual machine to the handler of what nothing catches, which ends the
   * process; does nothing for all others.
   */
  public static void raise(Throwable thrown) {
    if (is(thrown)) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
    }
  }
}
