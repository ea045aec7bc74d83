package dev.rekindle.detect.checkpoint;

import dev.rekindle.detect.checkpoint.accelerate.AccelerateFormat;
import dev.rekindle.detect.checkpoint.dcp.DcpFormat;
import dev.rekindle.detect.checkpoint.dcp.TorchtitanFormat;
import dev.rekindle.detect.checkpoint.deepspeed.DeepSpeedFormat;
import dev.rekindle.detect.checkpoint.format.CheckpointFormat;
import dev.rekindle.detect.checkpoint.huggingface.TrainerFormat;
import dev.rekindle.detect.checkpoint.lightning.LightningFormat;
import dev.rekindle.detect.checkpoint.megatron.MegatronFormat;
import dev.rekindle.detect.checkpoint.nemo.NemoFormat;
import dev.rekindle.detect.checkpoint.nvrx.NvrxLocalFormat;
import dev.rekindle.detect.checkpoint.orbax.OrbaxFormat;
import dev.rekindle.detect.checkpoint.safetensors.SafetensorsFormat;
import dev.rekindle.detect.checkpoint.torch.TorchSaveFormat;
import dev.rekindle.detect.checkpoint.verl.VerlFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The formats that are judged, in the order in which they are asked: one whose checkpoints hold
 * those of another comes before it, and files that anybody may have come last.
 */
public final class Formats {
  /** Every format is accepted. */
  public static final String AUTO = "auto";

  /** All of them. */
  public static final List<CheckpointFormat> ALL =
      List.of(
          new NemoFormat(),
          new MegatronFormat(),
          new VerlFormat(),
          new TorchtitanFormat(),
          new TrainerFormat(),
          new AccelerateFormat(),
          new DeepSpeedFormat(),
          new LightningFormat(),
          new OrbaxFormat(),
          new NvrxLocalFormat(),
          new DcpFormat(),
          new SafetensorsFormat(),
          new TorchSaveFormat());

  private Formats() {}

  /** The format of that name. */
  public static Optional<CheckpointFormat> named(String name) {
    return ALL.stream().filter(format -> format.name().equals(name)).findFirst();
  }

  /** What a reader may write where a format is named: {@link #AUTO} and all names. */
  public static String words() {
    return AUTO
        + ", "
        + ALL.stream().map(CheckpointFormat::name).sorted().collect(Collectors.joining(", "));
  }

  /** Whether a text is {@link #AUTO} or the name of a format. */
  public static boolean isKnown(String name) {
    return name.equals(AUTO) || named(name).isPresent();
  }
}
