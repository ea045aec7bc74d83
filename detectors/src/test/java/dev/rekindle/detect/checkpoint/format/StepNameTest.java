package dev.rekindle.detect.checkpoint.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.format.StepName.Other;
import dev.rekindle.detect.checkpoint.format.StepName.Step;
import dev.rekindle.detect.checkpoint.format.StepName.Stepless;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StepNameTest {
  @ParameterizedTest
  @CsvSource({
    "step-00000050.pt,50",
    "step50.pt,50",
    "checkpoint_50.pt,50",
    "checkpoint-1000.pt,1000",
    "checkpoint_0200.pth.tar,200",
    "checkpoint-1000-v2.ckpt,1000",
    "ckpt_120.PT,120",
    "my-ckpt=120.pth,120",
    "epoch_3_step_50.pt,50",
    "step_50_epoch_3.pt,50",
    "step50epoch3.pt,50",
    "step1000-tokens4B.pt,1000",
    "epoch=3-step=50.ckpt,50",
    "epoch=3-step=50-v1.ckpt,50",
    "epoch=07-train_loss=0.7051-step=400.ckpt,400",
    "step=400-train_loss=0.7051.ckpt,400",
    "global_step_50.pt,50",
    "globalstep10.pt,10",
    "iteration50.pth,50",
    "iter_0000050.pt,50",
    "model_v2_step_50.bin,50",
    "step-0.pt,0",
    "step-999999999999999999.pt,999999999999999999",
    "run-1234567890123456789012-step-5.pt,5",
  })
  void shouldFindStepWhenNameCallsItOne(String name, long step) {
    assertThat(StepName.ofFile(name)).isEqualTo(new Step(step));
  }

  @ParameterizedTest
  @CsvSource({
    "lstm-epoch=07-train_loss=0.7051.ckpt,an epoch is no step",
    "epoch_3.pt,an epoch is no step",
    "checkpoint_epoch_3.pt,an epoch is no step",
    "epoch3-checkpoint_7.pt,an epoch is no step",
    "last.ckpt,nothing in its name is called a step",
    "last-v1.ckpt,nothing in its name is called a step",
    "best.pt,nothing in its name is called a step",
    "checkpoint-v3.pt,nothing in its name is called a step",
    "model-7.pt,nothing in its name is called a step",
    "model_000120.pth,nothing in its name is called a step",
    "7.tar,nothing in its name is called a step",
    "loss=0.6907.ckpt,nothing in its name is called a step",
    "train_loss_step=12.ckpt,nothing in its name is called a step",
    "step=0.5.ckpt,nothing in its name is called a step",
    "checkpoint_1_5000.pt,nothing in its name is called a step",
    "checkpoint3.pt,nothing in its name is called a step",
    "footstep-3.pt,nothing in its name is called a step",
    "pytorch_model-00001-of-00003.bin,it is one part of a checkpoint of several files",
    "step-50-00001-of-00003.bin,it is one part of a checkpoint of several files",
    "iter_0000050_rank0.pt,it is one part of a checkpoint of several files",
    "step_50_step_60.pt,it names two steps",
    "step_10k.pt,its step is abbreviated",
    "ckpt-step2M.pt,its step is abbreviated",
    "step=1e5-best.pt,its step is abbreviated",
    "step-99999999999999999999.pt,its step has more than 18 digits",
  })
  void shouldSayWhyWhenNameHoldsNoStep(String name, String why) {
    assertThat(StepName.ofFile(name)).isEqualTo(new Stepless(why));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".step-50.pt",
        "step-50.pt.tmp",
        "step-50.tmp",
        "step-50",
        "train-50.log",
        "",
        "step-50.pt.part",
        ".pt",
        "step-50.pt~"
      })
  void shouldFindNothingWhenNameIsNoCheckpoint(String name) {
    assertThat(StepName.ofFile(name)).isEqualTo(new Other());
  }

  @ParameterizedTest
  @CsvSource({
    "step-100,100",
    "step_100,100",
    "checkpoint-500,500",
    "iter_0000010,10",
    "global_step10,10",
    "epoch=1-step=5.ckpt,5",
    "epoch_1_step_50,50",
    "model--val_loss=0.00-step=9-consumed_samples=80.0-last,9",
  })
  void shouldFindStepWhenNameOfAFolderCallsItOne(String name, long step) {
    assertThat(StepName.ofFolder(name)).isEqualTo(new Step(step));
  }

  @ParameterizedTest
  @ValueSource(strings = {"100", "last", "run-7", "epoch_3", "mine"})
  void shouldFindNoStepWhenNameOfAFolderCallsNothingOne(String name) {
    assertThat(StepName.ofFolder(name)).isInstanceOf(Stepless.class);
    assertThat(StepName.ofFolder("." + name)).isEqualTo(new Other());
  }
}
