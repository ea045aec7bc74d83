package dev.rekindle.detect.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** The functions of a shared library, by name, each linked when it is first called. */
final class NativeFunctions implements Closeable {
  private final Arena arena = Arena.ofShared();
  private final SymbolLookup symbols;
  private final Map<String, MethodHandle> functions = new HashMap<>();

  /**
   * Loads the library.
   *
   * @throws IOException when it is no library for this machine, or one it needs is missing
   */
  // Native access is granted on the command line.
  @SuppressWarnings("restricted")
  NativeFunctions(Path file) throws IOException {
    try {
      symbols = SymbolLookup.libraryLookup(file, arena);
    } catch (IllegalArgumentException e) {
      arena.close();
      throw new IOException(file + " cannot be loaded", e);
    }
  }

  /**
   * Calls a function that returns an int.
   *
   * @param missing the answer where the library has no such function
   * @param arguments handles, numbers and buffers, in their order in C
   */
  int call(String name, int missing, Object... arguments) {
    var function = functions.get(name);
    if (function == null) {
      var symbol = symbols.find(name);
      if (symbol.isEmpty()) {
        return missing;
      }
      function = link(symbol.get(), arguments);
      functions.put(name, function);
    }
    try {
      return (int) function.invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  // Every argument is a handle, a number or a buffer of the size that the layout says.
  @SuppressWarnings("restricted")
  private static MethodHandle link(MemorySegment symbol, Object... arguments) {
    var layouts = new MemoryLayout[arguments.length];
    for (int i = 0; i < layouts.length; i++) {
      layouts[i] =
          switch (arguments[i]) {
            case Integer _ -> JAVA_INT;
            case Long _ -> JAVA_LONG;
            default -> ADDRESS;
          };
    }
    return Linker.nativeLinker().downcallHandle(symbol, FunctionDescriptor.of(JAVA_INT, layouts));
  }

  @Override
  public void close() {
    arena.close();
  }
}
