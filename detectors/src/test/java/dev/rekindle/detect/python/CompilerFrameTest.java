package dev.rekindle.detect.python;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.RankEvidence.Frame;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Frames as PyTorch 2.11 and 2.15 have them, and older versions by their sources. */
class CompilerFrameTest {
  @ParameterizedTest
  @CsvSource({
    "compile_fx_inner, torch/_inductor/compile_fx.py, true",
    "_InProcessFxCompile.codegen_and_compile, torch/_inductor/compile_fx.py, true",
    "compile_fx_backward, torch/_inductor/compile_fx.py, true",
    "_compile, torch/_dynamo/convert_frame.py, true",
    "_compile.<locals>._compile_inner, torch/_dynamo/convert_frame.py, true",
    "CachingAutotuner.autotune_to_one_config, torch/_inductor/runtime/triton_heuristics.py, true",
    "compile, triton/compiler/compiler.py, true",
    "_jit_compile, torch/utils/cpp_extension.py, true",
    // As compiled code runs.
    "compile_wrapper, torch/_dynamo/eval_frame.py, false",
    "CompiledFxGraph.__call__, torch/_inductor/output_code.py, false",
    "align_inputs_from_check_idxs.<locals>.run, torch/_inductor/compile_fx.py, false",
    "CachingAutotuner.run, torch/_inductor/runtime/triton_heuristics.py, false",
    "CompiledKernel.launch_metadata, triton/compiler/compiler.py, false",
    // Of the program itself.
    "compile, train.py, false",
    "compile_fx, compile_fx.py, false",
  })
  void shouldBeOnAStackOnlyWhileSomethingIsCompiled(
      String function, String file, boolean compiles) {
    assertThat(CompilerFrame.is(new Frame(function, file, 1))).isEqualTo(compiles);
  }
}
