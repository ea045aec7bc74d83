package dev.rekindle.simulator.drill;

import dev.rekindle.controller.model.JobView.RestartPolicy;
import dev.rekindle.controller.model.RestartMode;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The faults to choose from. Each only breaks something; what follows is up to the controller. */
enum Scenario {
  GPU_LOST("gpu-lost", "a GPU falls off the bus (XID 79) and its rank stops answering") {
    @Override
    void strike(DrillCluster scene) {
      scene.levers().gpuLost(scene.victim().node());
    }
  },
  ECC("ecc", "a GPU reports memory errors that it cannot contain (XID 95) and its rank dies") {
    @Override
    void strike(DrillCluster scene) {
      scene.levers().eccError(scene.victim().node());
    }
  },
  NIC_DOWN("nic-down", "a node loses the link of its NIC; all ranks wait for it") {
    @Override
    void strike(DrillCluster scene) {
      scene.levers().nicDown(scene.victim().node());
    }
  },
  LEAF_DOWN("leaf-down", "a leaf switch dies, and four nodes lose their network at once") {
    @Override
    void strike(DrillCluster scene) {
      scene.levers().leafDown(scene.leafOf(scene.victim().node()));
    }
  },
  NODE_DEAD("node-dead", "a node loses power: no fault is reported, its pods never end") {
    @Override
    void strike(DrillCluster scene) {
      scene.levers().nodeDies(scene.victim().node());
    }
  },
  HANG("hang", "one rank hangs while every pod shows Running, and steps stand") {
    @Override
    void strike(DrillCluster scene) {
      scene.levers().rankHangs(scene.job(), scene.victim().rank());
    }
  },
  TORN_CHECKPOINT(
      "torn-checkpoint", "the newest checkpoint is torn, then a GPU falls off the bus") {
    @Override
    void strike(DrillCluster scene) {
      scene.levers().tearNewestCheckpoint(scene.job());
      scene.levers().gpuLost(scene.victim().node());
    }
  },
  CRASH_LOOP(
      "crash-loop", "a rank dies, and dies again at its next two starts (restartPolicy Never)") {
    @Override
    RestartPolicy restart() {
      return RestartPolicy.NEVER;
    }

    @Override
    void strike(DrillCluster scene) {
      scene.levers().rankDiesAtStart(scene.job(), scene.victim().rank(), 2);
      scene.levers().rankDies(scene.job(), scene.victim().rank(), 1);
    }
  },
  REBUILD(
      "rebuild", "a GPU falls off the bus, and the job has asked never to be restarted in place") {
    @Override
    RestartMode way() {
      return RestartMode.REBUILD;
    }

    @Override
    void strike(DrillCluster scene) {
      scene.levers().gpuLost(scene.victim().node());
    }
  },
  AGENT_KILLED(
      "agent-killed", "a GPU falls off the bus; the agent of another node dies amid the restart") {
    @Override
    void strike(DrillCluster scene) {
      scene.levers().gpuLost(scene.victim().node());
      if (scene.until(scene::halfStopped)) {
        scene.levers().agentDies(scene.bystander(), AGENT_BACK);
      }
    }
  },
  CONTROLLER_KILLED(
      "controller-killed", "a GPU falls off the bus; the leading controller dies amid it, twice") {
    @Override
    void strike(DrillCluster scene) {
      scene.levers().gpuLost(scene.victim().node());
      if (scene.until(scene::halfStopped)) {
        scene.levers().controllerDies();
      }
      if (scene.until(scene::startsAgain)) {
        scene.levers().controllerDies();
      }
    }
  };

  private static final Duration AGENT_BACK = Duration.ofSeconds(5);

  private final String word;
  private final String what;

  Scenario(String word, String what) {
    this.word = word;
    this.what = what;
  }

  /** Its name on the command line. */
  String word() {
    return word;
  }

  /** What happens, for the list. */
  String what() {
    return what;
  }

  /** How the job wants to be brought back; absent for the policy's way. */
  @Nullable RestartMode way() {
    return null;
  }

  /** The job's restart policy. */
  RestartPolicy restart() {
    return RestartPolicy.ON_FAILURE;
  }

  /** Breaks something. */
  abstract void strike(DrillCluster scene);

  static List<String> words() {
    return Arrays.stream(values()).map(Scenario::word).toList();
  }

  /** Reads a name from the command line. */
  static final class Converter implements ITypeConverter<Scenario> {
    @Override
    public Scenario convert(String word) {
      return Arrays.stream(values())
          .filter(s -> s.word.equals(word))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'" + word + "' is none of " + String.join(", ", words())));
    }
  }

  /** The names, to complete. */
  static final class Words implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return words().iterator();
    }
  }
}
