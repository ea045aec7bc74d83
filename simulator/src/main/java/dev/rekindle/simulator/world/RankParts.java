package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Inspection;
import dev.rekindle.detect.checkpoint.nvrx.NvrxLocalFormat;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Local checkpoints of NVIDIA's resiliency extension, as its LocalCheckpointManager keeps them. A
 * rank has a folder on the disk of its node. It saves its part there, under a name with ".dirty"
 * that it renames at the end, and with two copies its peer keeps one in the folder of its own rank.
 * Once all have saved each removes earlier steps from its folder. Its loader reads the folders of
 * the ranks on the nodes that they are on now, no others. The ranks of one pod are written and read
 * together.
 */
final class RankParts {
  private static final String SESSION = Storage.DIRECTORY + "/run";

  /**
   * What the folders of the ranks of one pod hold of the ranks of one pod.
   *
   * @param step the iteration
   * @param holder number of the pod in whose folders it is
   * @param owner number of the pod whose parts these are
   * @param pods how many pods have saved
   * @param gpus ranks of each
   * @param begun when the save began
   * @param whole when the file got its name, absent where its writer ended before
   * @param course which training has written it
   * @param torn since when one of them lacks some of its bytes
   */
  record Part(
      long step,
      int holder,
      int owner,
      int pods,
      int gpus,
      Instant begun,
      @Nullable Instant whole,
      long course,
      @Nullable Instant torn) {
    /** Whether it has its final name by then. */
    boolean named(Instant at) {
      return whole != null && !whole.isAfter(at);
    }

    boolean valid(Instant at) {
      return named(at) && (torn == null || torn.isAfter(at));
    }

    Instant modified() {
      return Optional.ofNullable(whole).orElse(begun);
    }

    private boolean isSameFile(Part other) {
      return step == other.step && holder == other.holder && owner == other.owner;
    }

    private Part tornAt(Instant now) {
      return new Part(step, holder, owner, pods, gpus, begun, whole, course, now);
    }
  }

  private final int copies;
  private final Map<String, List<Part>> byDisk = new HashMap<>();

  /** The disk of each pod, in the order of their ranks. */
  private List<String> disks = List.of();

  private int gpus;

  /**
   * @param copies of the part of each rank, 1 or 2
   */
  RankParts(int copies) {
    this.copies = copies;
  }

  void meets(List<String> disksByRank, int gpusPerPod) {
    disks = disksByRank;
    gpus = gpusPerPod;
  }

  /** Disks of the nodes on which the gang has met last. */
  List<String> disks() {
    return disks;
  }

  /** Ranks of the gang that has met last. */
  int ranks() {
    return disks.size() * gpus;
  }

  Stream<Part> on(String disk) {
    return byDisk.getOrDefault(disk, List.of()).stream();
  }

  /** All ranks have saved, each when its disk had it. */
  void written(long step, Instant begun, Function<String, Instant> end, long course) {
    for (int owner = 0; owner < disks.size(); owner++) {
      for (int holder : holders(owner)) {
        String disk = disks.get(holder);
        Part part = part(step, holder, owner, begun, end.apply(disk), course);
        replace(disk, part);
        files(disk).removeIf(p -> p.holder() == part.holder() && p.step() < step);
      }
    }
  }

  /** The ranks end in the middle of a save: some disks have it by now. */
  void cutOff(long step, Instant begun, Function<String, Instant> end, Instant now, long course) {
    for (int owner = 0; owner < disks.size(); owner++) {
      for (int holder : holders(owner)) {
        String disk = disks.get(holder);
        Instant whole = end.apply(disk);
        if (whole.isAfter(now)) {
          // Beside a file of the same step that another course has left.
          files(disk).removeIf(p -> p.whole() == null && p.holder() == holder);
          files(disk).add(part(step, holder, owner, begun, null, course));
        } else {
          replace(disk, part(step, holder, owner, begun, whole, course));
        }
      }
    }
  }

  private Part part(
      long step, int holder, int owner, Instant begun, @Nullable Instant whole, long course) {
    return new Part(step, holder, owner, disks.size(), gpus, begun, whole, course, null);
  }

  private List<Part> files(String disk) {
    return byDisk.computeIfAbsent(disk, _ -> new ArrayList<>());
  }

  private void replace(String disk, Part part) {
    files(disk).removeIf(p -> p.isSameFile(part));
    files(disk).add(part);
  }

  /** The pods that keep the parts of one: itself, and its peer. */
  private List<Integer> holders(int owner) {
    int pods = disks.size();
    int peer = pods % 2 == 0 ? owner ^ 1 : (owner + 1) % pods;
    return copies < 2 || peer == owner ? List.of(owner) : List.of(owner, peer);
  }

  /** One file of that step loses a part of its bytes. */
  void tear(long step, Instant now) {
    for (int i = 0; i < disks.size(); i++) {
      String disk = disks.get((int) Math.floorMod(now.toEpochMilli() + i, (long) disks.size()));
      List<Part> files = files(disk);
      for (int f = 0; f < files.size(); f++) {
        if (files.get(f).step() == step && files.get(f).valid(now)) {
          files.set(f, files.get(f).tornAt(now));
          return;
        }
      }
    }
  }

  /** What the ranks of a pod see in their folders, by the names of files. */
  private Stream<Part> seen(int pod, long step, Instant at) {
    return on(disks.get(pod))
        .filter(p -> p.step() == step && p.holder() == pod && p.named(at) && p.gpus() == gpus)
        .filter(p -> copies > 1 || p.owner() == pod);
  }

  /** Whether the ranks together see a part of each, and of no others. */
  boolean finds(long step, Instant at) {
    Set<Integer> owners = new HashSet<>();
    for (int pod = 0; pod < disks.size(); pod++) {
      seen(pod, step, at).forEach(p -> owners.add(p.owner()));
    }
    return owners.size() == disks.size() && owners.stream().allMatch(o -> o < disks.size());
  }

  /**
   * Whether what they load then is whole: each its own file, or else the first that another has.
   */
  boolean loads(long step, Instant at) {
    return finds(step, at)
        && Stream.iterate(0, pod -> pod < disks.size(), pod -> pod + 1)
            .allMatch(pod -> loaded(pod, step, at).filter(p -> p.valid(at)).isPresent());
  }

  private Optional<Part> loaded(int owner, long step, Instant at) {
    Optional<Part> own = seen(owner, step, at).filter(p -> p.owner() == owner).findFirst();
    return own.or(
        () ->
            Stream.iterate(0, pod -> pod < disks.size(), pod -> pod + 1)
                .flatMap(pod -> seen(pod, step, at))
                .filter(p -> p.owner() == owner)
                .findFirst());
  }

  /** What an inspector finds on a disk, newest first. */
  List<Inspection.Checkpoint> judged(String disk, Instant listed, Instant done) {
    List<Part> there =
        on(disk)
            .filter(p -> !p.begun().isAfter(listed))
            .sorted(Comparator.comparingLong(Part::step).reversed())
            .toList();
    Duration each = Duration.between(listed, done).dividedBy(Math.max(1, there.size()));
    List<Inspection.Checkpoint> judged = new ArrayList<>();
    for (int i = 0; i < there.size(); i++) {
      Part part = there.get(i);
      for (int gpu = 0; gpu < part.gpus(); gpu++) {
        judged.add(judged(part, gpu, listed.plus(each.multipliedBy(i))));
      }
    }
    return judged;
  }

  private static Inspection.Checkpoint judged(Part part, int gpu, Instant at) {
    boolean named = part.named(at);
    boolean torn = named && !part.valid(at) && gpu == part.step() % part.gpus();
    int rank = part.owner() * part.gpus() + gpu;
    String path =
        "%s/%d/iter_%07d_%d_local%s.pt"
            .formatted(
                SESSION,
                part.holder() * part.gpus() + gpu,
                part.step(),
                rank,
                named ? "" : ".dirty");
    return new Inspection.Checkpoint(
        path,
        part.step(),
        1 << 20,
        part.modified().plusNanos(gpu),
        named && !torn ? "Unknown" : "Torn",
        named ? "L3" : "L1",
        !named
            ? "a file .dirty was not renamed: the save did not end"
            : torn ? "no end of the archive" : "the part of rank " + rank + " is whole",
        NvrxLocalFormat.NAME,
        0);
  }
}
