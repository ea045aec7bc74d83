package dev.rekindle.detect.python;

import dev.rekindle.api.RankEvidence.Frame;
import java.util.List;

/**
 * Frames that are on a stack only while something is compiled: by torch.compile (Dynamo, which
 * traces, and Inductor, which generates code), by Triton, or an extension in C++.
 *
 * <p>Recorded with PyTorch 2.11: a compilation of 20 s had one of these at each of 24 samples, 15
 * to 60 frames from the innermost one. The code that was compiled has frames of {@code
 * eval_frame.py} and {@code output_code.py} as it runs, and none of these. Older versions run
 * through {@code compile_fx.py} too, in functions that are called {@code run}.
 */
final class CompilerFrame {
  private static final List<String> FILES =
      List.of(
          "torch/_dynamo/convert_frame.py",
          "torch/_inductor/compile_fx.py",
          "torch/_inductor/runtime/triton_heuristics.py",
          "torch/utils/cpp_extension.py",
          "triton/compiler/compiler.py");

  private static final List<String> WORDS = List.of("compile", "autotune", "benchmark");

  private CompilerFrame() {}

  /** Whether this is one. */
  static boolean is(Frame frame) {
    String function = frame.function().substring(frame.function().lastIndexOf('.') + 1);
    return FILES.stream().anyMatch(frame.file()::endsWith)
        && WORDS.stream().anyMatch(function::contains);
  }
}
