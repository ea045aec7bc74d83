package dev.rekindle.detect.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.detect.checkpoint.CrashState.Kind;
import dev.rekindle.detect.checkpoint.CrashState.Node;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real checkpoints that something was done to after they were saved. */
class DamageTest {
  private static final String POINTER =
      """
      version https://git-lfs.github.com/spec/v1
      oid sha256:4d7a214614ab2935c943f9e0ff69d22e
      size 12345
      """;

  private static final String NEMO = "tiny--val_loss=1.50-step=20-consumed_samples=80.0-last";

  /** Does something to the files of the directory. */
  interface Damage {
    void to(Map<String, Node> nodes);
  }

  static Stream<Arguments> damages() {
    return Stream.of(
        row(
            "huggingface/beside",
            "Torn: checkpoint-is-incomplete.txt is in it",
            put("checkpoint-20/checkpoint-is-incomplete.txt", "x")),
        row(
            "huggingface/beside",
            "Unknown: model.safetensors: a pointer of Git LFS",
            put("checkpoint-20/model.safetensors", POINTER)),
        row(
            "huggingface/beside",
            "Unknown: optimizer.pt: a pointer of Git LFS",
            put("checkpoint-20/optimizer.pt", POINTER)),
        row(
            "huggingface/beside",
            "Torn: optimizer.pt: the file is empty",
            put("checkpoint-20/optimizer.pt", "")),
        row(
            "huggingface/beside",
            "Torn: the optimizer is missing",
            remove("checkpoint-20/optimizer.pt")),
        row("huggingface/beside", "Torn: no weights", remove("checkpoint-20/model.safetensors")),
        row(
            "huggingface/beside",
            "Unknown: trainer_state.json is of step 7",
            put("checkpoint-20/trainer_state.json", "{\"global_step\": 7}")),
        row("huggingface/beside", "Valid: ", put("checkpoint-20/_SUCCESS", "")),
        row(
            "huggingface/beside",
            "Valid: ",
            later("checkpoint-20/predictions.json", "{\"a\": 1}\n{\"a\": 2}\n")),
        row(
            "huggingface/beside",
            "Torn: optimizer.pt was written 3600 s after trainer_state.json",
            again("checkpoint-20/optimizer.pt")),
        row("huggingface/beside", "Valid: ", adapter("checkpoint-20/model.safetensors")),
        row(
            "huggingface/beside",
            "Torn: policy: adapter_model.safetensors: the file has",
            nodes -> {
              cut("checkpoint-20/model.safetensors", 1).to(nodes);
              adapter("checkpoint-20/model.safetensors").to(nodes);
            }),
        row(
            "deepspeed/beside",
            "Valid: latest names global_step99, which is not there",
            later("latest", "global_step99")),
        row("deepspeed/beside", "Valid: latest is empty", later("latest", "")),
        row(
            "deepspeed/beside",
            "Unknown: a universal checkpoint of DeepSpeed",
            nodes -> {
              folder("global_step20/zero").to(nodes);
              folder("global_step20/zero/weight").to(nodes);
              put("global_step20/zero/weight/fp32.pt", "x").to(nodes);
              nodes.keySet().removeIf(n -> n.endsWith("_optim_states.pt"));
            }),
        row(
            "huggingface/two-ranks",
            "Torn: rng_state_1.pth is missing",
            remove("checkpoint-20/rng_state_1.pth")),
        row(
            "huggingface/sharded",
            "Torn: the index of its shards is missing",
            remove("checkpoint-20/model.safetensors.index.json")),
        row(
            "huggingface/sharded",
            "Torn: model.safetensors.index.json: it names model-00001",
            nodes -> nodes.keySet().removeIf(n -> n.matches("checkpoint-20/model-00001.*"))),
        row("safetensors/beside", "Torn: the file has", cut("model-step-20.safetensors", 1)),
        row(
            "safetensors/beside",
            "Unknown: the header cannot be read: the data of a tensor",
            replace("model-step-20.safetensors", "data_offsets\":[0,", "data_offsets\":[1,")),
        row(
            "safetensors/beside",
            "Unknown: the header cannot be read: the data of a tensor",
            replace("model-step-20.safetensors", "\"shape\":[16,16]", "\"shape\":[16,17]")),
        row(
            "deepspeed/beside",
            "Torn: the states of the optimizer of data-parallel rank 1 of 2",
            nodes -> nodes.keySet().removeIf(n -> n.matches("global_step20/.*_rank_1_.*"))),
        row(
            "deepspeed/beside",
            "Torn: no states of a model are in it",
            remove("global_step20/mp_rank_00_model_states.pt")),
        row(
            "lightning/sharded",
            "Torn: meta.pt is missing",
            remove("epoch=0-step=20.ckpt/meta.pt")),
        row(
            "accelerate/safetensors",
            "Unknown: scheduler.bin is missing",
            remove("checkpoints/checkpoint_1/scheduler.bin")),
        row(
            "accelerate/safetensors",
            "Torn: random_states_0.pkl is missing",
            remove("checkpoints/checkpoint_1/random_states_0.pkl")),
        row(
            "accelerate/safetensors",
            "Unknown: random_states_1.pkl is missing, which checkpoint_0 has",
            copy(
                "checkpoints/checkpoint_0/random_states_0.pkl",
                "checkpoints/checkpoint_0/random_states_1.pkl")),
        row(
            "accelerate/safetensors",
            "Unknown: model_1.safetensors is missing, which checkpoint_0 has",
            copy(
                "checkpoints/checkpoint_0/model.safetensors",
                "checkpoints/checkpoint_0/model_1.safetensors")),
        row(
            "accelerate/safetensors",
            "Unknown: sampler_1.bin is missing, which checkpoint_0 has",
            copy(
                "checkpoints/checkpoint_0/optimizer.bin",
                "checkpoints/checkpoint_0/sampler_1.bin")),
        row(
            "huggingface/two-ranks",
            "Unknown: rng_state_2.pth is missing, which checkpoint-10 has",
            copy("checkpoint-10/rng_state_0.pth", "checkpoint-10/rng_state_2.pth")),
        row(
            "huggingface/beside",
            "Unknown: optimizer.pt is missing, which checkpoint-10 has",
            nodes ->
                nodes
                    .keySet()
                    .removeIf(n -> n.matches("checkpoint-20/(optimizer|scheduler|rng).*"))),
        row(
            "deepspeed/beside",
            "Unknown: layer_00-model_00-model_states.pt is missing, which global_step10 has",
            copy(
                "global_step10/mp_rank_00_model_states.pt",
                "global_step10/layer_00-model_00-model_states.pt")),
        row(
            "deepspeed/beside",
            "Unknown: expp_rank_1_mp_rank_00_optim_states.pt is missing, which global_step10 has",
            copy(
                "global_step10/mp_rank_00_model_states.pt",
                "global_step10/expp_rank_1_mp_rank_00_optim_states.pt")),
        row(
            "dcp/no-collectives",
            "Unknown: __1.metadata is missing, which step_10 has",
            nodes -> nodes.keySet().removeIf(n -> n.matches("step_20/__1[._].*"))),
        row(
            "nemo/beside",
            "Torn: weights/common.pt is missing",
            remove(NEMO + "/weights/common.pt")),
        row(
            "nemo/beside",
            "Torn: common.pt was written 3600 s after metadata.json",
            again(NEMO + "/weights/common.pt")),
        row(
            "nemo/beside",
            "Torn: weights is missing",
            nodes -> nodes.keySet().removeIf(n -> n.startsWith(NEMO + "/weights"))),
        row(
            "orbax/beside",
            "Torn: the checksum of manifest.ocdbt",
            flip("20/default/manifest.ocdbt", 30)),
        row("orbax/beside", "Torn: manifest.ocdbt has", cut("20/default/manifest.ocdbt", 1)));
  }

  @ParameterizedTest
  @MethodSource("damages")
  void seesWhatWasDone(String name, String expected, Damage damage, @TempDir Path root)
      throws IOException, URISyntaxException {
    var journal = show(name, root, damage);

    var result = new Scanner(root, Scanner.Settings.USUAL).scan();

    var newest = result.checkpoints().getFirst();
    assertThat(newest.step()).hasValue(journal.newStep().step());
    assertThat(newest.verdict().kind().word()).isEqualTo(expected.split("[ :]", -1)[0]);
    assertThat(newest.verdict().reason()).contains(expected.substring(expected.indexOf(": ") + 2));
    assertThat(result.error()).isEmpty();
  }

  /** What {@code save_model} leaves in the directory, an hour later. */
  @Test
  void chooseACheckpointOfTheTrainerWhereAModelLiesBesideIt(@TempDir Path root)
      throws IOException, URISyntaxException {
    var file =
        Objects.requireNonNull(
            DamageTest.class.getResource("/checkpoints/huggingface/two-ranks.zip"));
    var journal = CrashJournal.read(Path.of(file.toURI()));
    new CrashMirror(root).show(new CrashPoints(journal, root, 0).last());
    for (var name : new String[] {"model.safetensors", "training_args.bin", "trainer_state.json"}) {
      var saved = Files.copy(root.resolve("checkpoint-20").resolve(name), root.resolve(name));
      Files.setLastModifiedTime(saved, FileTime.from(Instant.now().plusSeconds(3600)));
    }

    var result = new Scanner(root, Scanner.Settings.USUAL).scan();

    assertThat(result.error()).isEmpty();
    assertThat(result.stepless()).isEmpty();
    assertThat(result.checkpoints()).hasSize(2).allMatch(one -> one.verdict().isValid());
  }

  /** A model for those who only use it, in a folder of its own. */
  @ParameterizedTest
  @ValueSource(strings = {"best_model", "checkpoint-best", "final"})
  void chooseACheckpointOfTheTrainerWhereAFolderOfAModelLiesBesideIt(
      String name, @TempDir Path root) throws IOException, URISyntaxException {
    var _ = show("huggingface/two-ranks", root, _ -> {});
    Files.createDirectory(root.resolve(name));
    for (var file : new String[] {"model.safetensors", "trainer_state.json"}) {
      Files.copy(root.resolve("checkpoint-20").resolve(file), root.resolve(name).resolve(file));
    }

    var result = new Scanner(root, Scanner.Settings.USUAL).scan();

    assertThat(result.error()).isEmpty();
    assertThat(result.checkpoints()).hasSize(2).allMatch(one -> one.verdict().isValid());
  }

  /** By default NeMo saves the context only at the end of the training. */
  @Test
  void knowsNeMoByItsWeightsAlone(@TempDir Path root) throws IOException, URISyntaxException {
    show(
        "nemo/beside",
        root,
        nodes -> {
          nodes.keySet().removeIf(path -> path.contains("/context"));
          for (var path : List.copyOf(nodes.keySet())) {
            nodes.put(path.replace("-last", ""), Objects.requireNonNull(nodes.remove(path)));
          }
        });

    var result = new Scanner(root, Scanner.Settings.USUAL).scan();

    assertThat(result.error()).isEmpty();
    assertThat(result.checkpoints()).hasSize(2).allMatch(one -> one.verdict().isValid());
    assertThat(result.checkpoints()).allMatch(one -> one.format().equals("nemo"));
  }

  /** Shows the last state of that journal, with the damage done to it. */
  private static CrashJournal show(String name, Path root, Damage damage)
      throws IOException, URISyntaxException {
    var file =
        Objects.requireNonNull(DamageTest.class.getResource("/checkpoints/" + name + ".zip"));
    var journal = CrashJournal.read(Path.of(file.toURI()));
    var state = new CrashPoints(journal, root, 0).last().copy();
    damage.to(state.nodes());
    new CrashMirror(root).show(state);
    return journal;
  }

  private static Arguments row(String journal, String expected, Damage damage) {
    return Arguments.of(journal, expected, damage);
  }

  private static Damage folder(String path) {
    return nodes -> nodes.put(path, new Node(Kind.FOLDER, new byte[0], "", 0, new byte[0]));
  }

  private static Damage put(String path, String text) {
    return nodes -> nodes.put(path, node(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Written an hour later than everything else. */
  private static Damage later(String path, String text) {
    return nodes -> {
      var data = text.getBytes(StandardCharsets.UTF_8);
      nodes.put(path, new Node(Kind.FILE, data, "", anHourLater(nodes), data));
    };
  }

  private static Damage again(String path) {
    return nodes -> {
      var old = Objects.requireNonNull(nodes.get(path), path);
      nodes.put(path, new Node(Kind.FILE, old.data(), "", anHourLater(nodes), old.data()));
    };
  }

  private static long anHourLater(Map<String, Node> nodes) {
    return nodes.values().stream().mapToLong(Node::micros).max().orElse(0) + 3_600_000_000L;
  }

  /** Weights as PEFT keeps those of an adapter that is not called default. */
  private static Damage adapter(String weights) {
    return nodes -> {
      var old = Objects.requireNonNull(nodes.remove(weights), weights);
      var folder = weights.substring(0, weights.lastIndexOf('/')) + "/policy";
      nodes.put(folder, new Node(Kind.FOLDER, new byte[0], "", old.micros(), new byte[0]));
      nodes.put(folder + "/adapter_model.safetensors", old);
    };
  }

  private static Damage copy(String path, String to) {
    return nodes -> nodes.put(to, Objects.requireNonNull(nodes.get(path), path));
  }

  private static Damage remove(String path) {
    return nodes -> assertThat(nodes.remove(path)).isNotNull();
  }

  private static Damage cut(String path, int bytes) {
    return change(path, data -> Arrays.copyOf(data, data.length - bytes));
  }

  private static Damage flip(String path, int at) {
    return change(
        path,
        data -> {
          var changed = data.clone();
          changed[at] ^= 1;
          return changed;
        });
  }

  private static Damage replace(String path, String from, String to) {
    return change(
        path,
        data -> {
          var text = new String(data, StandardCharsets.ISO_8859_1);
          assertThat(text).contains(from);
          return text.replaceFirst(Pattern.quote(from), to).getBytes(StandardCharsets.ISO_8859_1);
        });
  }

  private static Damage change(String path, UnaryOperator<byte[]> change) {
    return nodes -> {
      var old = Objects.requireNonNull(nodes.get(path), path);
      nodes.put(path, new Node(Kind.FILE, change.apply(old.data()), "", old.micros(), new byte[0]));
    };
  }

  private static Node node(byte[] data) {
    return new Node(Kind.FILE, data, "", 0, data);
  }
}
