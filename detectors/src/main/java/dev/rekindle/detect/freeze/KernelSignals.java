package dev.rekindle.detect.freeze;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** {@code kill(2)} of the C library: the image has no shell, and Java itself has no SIGSTOP. */
final class KernelSignals implements SignalSender {
  private static final int NO_SUCH_PROCESS = 3;

  private final MethodHandle kill;
  private final VarHandle errno;
  private final StructLayout state = Linker.Option.captureStateLayout();

  // Native access is granted on the command line; kill takes and gives nothing but numbers.
  @SuppressWarnings("restricted")
  KernelSignals() {
    var linker = Linker.nativeLinker();
    kill =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("kill"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"));
    errno = state.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  }

  @Override
  public void send(long process, int signal) throws IOException {
    // 0 and below are groups of processes, 1 is the init of the node.
    if (process <= 1 || process > Integer.MAX_VALUE) {
      throw new IOException("no signal is sent to process " + process);
    }
    try (var arena = Arena.ofConfined()) {
      var called = arena.allocate(state);
      if ((int) kill.invoke(called, (int) process, signal) == 0) {
        return;
      }
      var error = (int) errno.get(called, 0L);
      if (error != NO_SUCH_PROCESS) {
        throw new IOException(
            "signal " + signal + " to process " + process + " failed: errno " + error);
      }
    } catch (IOException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException(e);
    }
  }
}
