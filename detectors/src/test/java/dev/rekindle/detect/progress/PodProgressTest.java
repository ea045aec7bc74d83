package dev.rekindle.detect.progress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.LoadErrorKind;
import dev.rekindle.api.LoggedSaves;
import dev.rekindle.detect.ncclog.LogFact.DeviceError;
import dev.rekindle.detect.ncclog.LoggedLine;
import dev.rekindle.detect.ncclog.RecentLines;
import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** What is read of the lines of a log. */
class PodProgressTest extends PodProgressFixture {
  @Test
  void shouldReadSavesBetweenSteps() throws IOException {
    print(0, 1, "step 1");
    print(0, 2, "saving checkpoint at iteration      1 to /ckpt in torch_dist format");
    print(0, 3, "  successfully saved checkpoint from iteration       1 to /ckpt");
    print(0, 4, "step 2");
    print(0, 5, "REKINDLE saving step 2");
    print(0, 6, "REKINDLE saved step 2");
    assertThat(poll().lastStep()).isEqualTo(2);
    assertThat(pod.saves())
        .isEqualTo(new LoggedSaves(2, 2L, at(6), 0, null, null, null, 1.0, false, 1.0, null));
    print(0, 7, "step 3");
    poll();
    assertThat(pod.saves())
        .isEqualTo(new LoggedSaves(2, 2L, at(6), 1, 3.0, 3.0, 1L, 1.0, false, 2.0, null));
  }

  @Test
  void shouldKeepFewLinesThatSayWhyRanksWait() throws IOException {
    var line = "[rank%d]: RuntimeError: CUDA error: error %d";
    print(0, 1, "step 1");
    print(0, 2, line.formatted(3, 0));
    print(0, 3, line.formatted(3, 0));
    poll();
    assertThat(pod.said()).containsExactly(new LoggedLine(3, at(2), new DeviceError("error 0")));
    assertThat(pod.said()).isSameAs(pod.said());
    for (int rank = 0; rank < 100; rank++) {
      for (int error = 0; error < 20; error++) {
        print(0, 4, line.formatted(rank, error));
      }
    }
    poll();
    assertThat(pod.said()).hasSize(64 * RecentLines.MOST_LINES);
    assertThat(pod.said().getFirst().fact())
        .as("the first of an episode stays")
        .isEqualTo(new DeviceError("error 0"));
    print(1, 5, "step 1");
    poll();
    assertThat(poll().run()).isEqualTo(1);
    assertThat(pod.said()).isEmpty();
  }

  @Test
  void shouldReadTheErrorBelowACallThatLoadsACheckpoint() throws IOException {
    var call = "  File \"/python/accelerate/checkpointing.py\", line 9, in load_accelerator_state";
    print(0, 1, call);
    print(0, 2, "EOFError");
    poll();
    assertThat(pod.loadError())
        .isEqualTo(new LoadErrorLine(LoadErrorKind.PICKLE, "EOFError", 0, at(2)));
    print(0, 3, call);
    print(1, 4, "OSError: [Errno 22] Invalid argument");
    poll();
    assertThat(poll().run()).isEqualTo(1);
    assertThat(pod.loadError()).as("the call was of the run before").isNotNull();
    assertThat(pod.loadError().time()).isEqualTo(at(2));
  }

  @Test
  void shouldKeepWhyNoStepCouldBeMadeUntilOneIs() throws IOException {
    var error = "[rank0]: RuntimeError: PytorchStreamReader failed reading zip archive";
    print(0, 1, "resuming from /ckpt/step-20.pt");
    print(0, 2, error);
    poll();
    var found = new LoadErrorLine(LoadErrorKind.ARCHIVE, error, 0, at(2));
    assertThat(pod.loadError()).isEqualTo(found);
    print(1, 3, "resuming from /ckpt/step-10.pt");
    poll();
    poll();
    assertThat(pod.loadError()).as("of the run before").isEqualTo(found);
    print(1, 4, "step 11 loss nan");
    poll();
    assertThat(pod.loadError()).as("a step was made").isNull();
    assertThat(pod.loss()).isEqualTo(new Loss(null, 1, null));
    print(1, 5, error);
    poll();
    assertThat(pod.loadError()).as("after a step it is about something else").isNull();
  }

  @Test
  void shouldReportTheLossOfTheTrainingOnly() throws IOException {
    print(0, 1, "step 1 loss 2.5");
    print(0, 2, "Validation step 1/4 loss: nan");
    print(0, 3, "{'loss': 2.25, 'epoch': 0.5}");
    print(0, 4, "a loss of nan is bad");
    poll();
    assertThat(pod.loss()).isEqualTo(new Loss(2.25, 0, null));
  }

  @Test
  void shouldFollowStepsWithTheRuntimesTimeWhenLogGrows() throws IOException {
    assertThat(poll()).isEqualTo(Progress.begin(0));
    print(0, 1, "hello");
    print(0, 2, "step 1 loss 2.0");
    assertThat(poll()).isEqualTo(new Progress(0, 1L, at(2), 1L, at(2)));
    print(0, 3, "step 2 loss 1.9");
    print(0, 4, "step 3 loss 1.8");
    assertThat(poll()).isEqualTo(new Progress(0, 1L, at(2), 3L, at(4)));
    assertThat(poll()).isEqualTo(new Progress(0, 1L, at(2), 3L, at(4)));
  }

  @Test
  void shouldStartOverWhenContainerWasStartedAgain() throws IOException {
    print(0, 1, "step 80");
    poll();
    print(0, 2, "step 81");
    print(1, 3, "starting");
    assertThat(poll()).isEqualTo(Progress.begin(1));
    print(1, 4, "step 51");
    assertThat(poll()).isEqualTo(new Progress(1, 51L, at(4), 51L, at(4)));
    Files.delete(directory.resolve("0.log"));
    print(10, 5, "step 52"); // the highest number, not the highest text
    print(9, 5, "step 7");
    assertThat(poll()).isEqualTo(new Progress(10, 52L, at(5), 52L, at(5)));
  }

  @Test
  void shouldRememberWhatThisRunRequestedAndTakeNoStepFromIt() throws IOException {
    print(0, 1, "step 80");
    print(0, 2, "REKINDLE restart before_step=70: loss spike at step 99");
    assertThat(poll()).isEqualTo(new Progress(0, 80L, at(1), 80L, at(1)));
    assertThat(pod.asked()).isEqualTo(new RestartLine("loss spike at step 99", 70L, at(2)));
    print(1, 3, "step 71");
    assertThat(poll().run()).isEqualTo(1);
    assertThat(pod.asked()).as("another run has not asked").isNull();
  }

  private static String bar(long step, long seconds) {
    return "\r 12%%|█▏ | %d/5000 [%02d:%02d<03:55,  9.00s/it]"
        .formatted(step, seconds / 60, seconds % 60);
  }

  @Test
  void shouldSeeTheNewestStepOfABarThatNeverEndsItsLine() throws IOException {
    var text = new StringBuilder();
    for (int i = 1; i <= 200; i++) {
      text.append(bar(i, i * 9L));
    }
    raw(0, TIME.formatted(1) + " stderr P " + text + "\r 12%|█▏ | 20\n");
    assertThat(poll()).isEqualTo(new Progress(0, 194L, at(1), 200L, at(1)));
    assertThat(pod.pace().longestMillis()).as("199 steps of 9 s").isEqualTo(199 * 9_000);
    raw(0, TIME.formatted(2) + " stderr P 1/5000 [30:09<03:55,  9.00s/it]" + bar(202, 1818) + "\n");
    assertThat(poll().lastStep()).isEqualTo(201);
    raw(0, TIME.formatted(3) + " stderr F \n");
    assertThat(poll()).isEqualTo(new Progress(0, 194L, at(1), 202L, at(3)));
  }

  @Test
  void shouldSeeTheBarThatALineWasWrittenOver() throws IOException {
    for (int i = 1; i < 6; i++) {
      print(0, i, bar(i, i * 9L) + "\r          \r{'loss': 2.1, 'epoch': 0.0" + i + "}");
    }
    assertThat(poll().lastStep()).isEqualTo(5);
  }

  @Test
  void shouldKeepBoundedMemoryWhenABarIsLongerThanAnyLine() throws IOException {
    raw(0, (TIME.formatted(1) + " stderr P " + "x".repeat(16_000) + "\n").repeat(50));
    raw(0, TIME.formatted(2) + " stderr P " + bar(1, 9) + bar(2, 18) + bar(3, 27) + "\r\n");
    assertThat(poll().lastStep()).isEqualTo(3);
  }

  @Test
  void shouldReadColouredLinesAndThoseOfAnOwnPatternAsShownAndAsPrinted() throws IOException {
    print(0, 1, "\u001b[31mstep: 10  \u001b[32mloss: 8.1\u001b[0m");
    assertThat(poll().lastStep()).isEqualTo(10);
    pod.use(StepPattern.of("^s (\\d+)$"));
    print(0, 2, "\u001b[1ms\u001b[0m 11");
    assertThat(poll().lastStep()).isEqualTo(11);
    pod.use(StepPattern.of("\\x1b\\[1ms\\x1b\\[0m (\\d+)$"));
    print(0, 3, "\u001b[1ms\u001b[0m 12");
    assertThat(poll().lastStep()).isEqualTo(12);
  }
}
