package dev.rekindle.detect.python;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShortPathTest {
  @ParameterizedTest
  @CsvSource({
    "/usr/lib/python3/dist-packages/torch/utils/data/dataloader.py, torch/utils/data/dataloader.py",
    "/venv/lib/python3.11/site-packages/lightning/pytorch/loops.py, lightning/pytorch/loops.py",
    // A folder of the testbed, as of images that build PyTorch themselves.
    "/opt/torch/torch/autograd/graph.py, torch/autograd/graph.py",
    "/usr/lib/python3.12/multiprocessing/queues.py, multiprocessing/queues.py",
    "/root/.pyenv/versions/3.13.0/lib/python3.13/threading.py, threading.py",
    "/workspace/train.py, train.py",
    "train.py, train.py",
    "<frozen runpy>, <frozen runpy>",
    "'', ''"
  })
  void shouldNameTheFileInsideItsPackage(String path, String named) {
    assertThat(ShortPath.of(path)).isEqualTo(named);
  }
}
