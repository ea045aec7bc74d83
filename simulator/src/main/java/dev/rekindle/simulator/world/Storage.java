package dev.rekindle.simulator.world;

import dev.rekindle.controller.model.Inspection;
import dev.rekindle.simulator.world.CheckpointDisk.File;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of one job: on the shared file system, on a volume that some nodes reach, a copy
 * of each on every node that its gang is on, or the parts of its ranks on their nodes. Of copies
 * one counts that is complete and of one save on all nodes on which the gang has met last, of parts
 * one that these nodes have together.
 */
public final class Storage {
  static final String DIRECTORY = "/ckpt";
  private static final String SHARED = "";

  private final boolean eachNode;
  private final Map<String, CheckpointDisk> disks = new TreeMap<>();
  private Set<String> used = Set.of(SHARED);
  private List<CheckpointDisk> usedDisks = List.of();
  private long course;
  private boolean everShown;
  private List<String> homes = List.of();
  private @Nullable Tracker tracker;

  /** Where ranks keep their parts; what is of a checkpoint as a whole is in the one disk then. */
  private final @Nullable RankParts parts;

  /** On a file system that all nodes share. */
  Storage() {
    this(false, 0);
  }

  /**
   * @param eachNode whether each node of the gang keeps a copy of its own
   * @param partCopies copies of the part of each rank, 0 where the ranks keep none
   */
  Storage(boolean eachNode, int partCopies) {
    this.eachNode = eachNode;
    this.parts = partCopies == 0 ? null : new RankParts(partCopies);
    use(used);
  }

  /** Whether each node of the gang keeps a copy, or parts, of its own. */
  public boolean isOnEachNode() {
    return eachNode || parts != null;
  }

  /** The script finds its newest checkpoint by a tracker. */
  void track() {
    tracker = new Tracker();
  }

  /** Absent where the script lists its files. */
  public Optional<Tracker> tracker() {
    return Optional.ofNullable(tracker);
  }

  /** From now on they are on a volume of those nodes, and were there all the time. */
  void keepOn(List<String> nodes) {
    homes = List.copyOf(nodes);
  }

  /** The nodes through which they are reached; empty where all reach them. */
  public List<String> homes() {
    return homes;
  }

  /**
   * Another machine is in the place of that one; of a volume with a second copy nothing is lost.
   */
  void exchanged(String node) {
    if (homes.equals(List.of(node))) {
      on(SHARED).files().clear();
    }
  }

  /**
   * The gang has met on these machines.
   *
   * @param gpus GPUs of each of its pods
   */
  void meets(List<Machine> machines, int gpus) {
    if (parts != null) {
      parts.meets(machines.stream().map(Storage::diskOf).toList(), gpus);
    } else if (eachNode) {
      Set<String> met = new TreeSet<>();
      machines.forEach(machine -> met.add(diskOf(machine)));
      use(met);
    }
  }

  private void use(Set<String> names) {
    used = names;
    usedDisks = names.stream().map(this::on).toList();
  }

  /** Another training begins to write. */
  void begins() {
    course++;
  }

  private CheckpointDisk on(String disk) {
    return disks.computeIfAbsent(disk, _ -> new CheckpointDisk());
  }

  /** A good checkpoint that was written to its end. */
  void written(long step, Instant begun, Instant whole) {
    written(step, begun, whole, null);
  }

  /** The same of one that may be poisoned. */
  void written(long step, Instant begun, Instant whole, @Nullable Poison poison) {
    for (String disk : used) {
      File file = new File(step, begun, SaveTimes.end(disk, step, begun, whole), course);
      file.poison = poison;
      on(disk).replace(file);
    }
    if (parts != null) {
      parts.written(step, begun, disk -> SaveTimes.end(disk, step, begun, whole), course);
    }
    if (tracker != null) {
      tracker.saved(step);
    }
  }

  /** So many of the newest complete checkpoints are not what they seem. */
  void poisonNewest(Poison poison, int count, Instant now) {
    poison(poison, 0, count, now);
  }

  /** Poisons the complete checkpoint at that position before the newest. */
  void poison(Poison poison, int before, Instant now) {
    poison(poison, before, 1, now);
  }

  private void poison(Poison poison, int before, int count, Instant now) {
    List<Long> steps =
        usedDisks
            .getFirst()
            .newestFirst()
            .filter(f -> isWhole(f, now) && !f.givenUp)
            .map(f -> f.step)
            .skip(before)
            .limit(count)
            .toList();
    usedDisks.stream()
        .flatMap(disk -> disk.files().stream())
        .filter(f -> steps.contains(f.step))
        .forEach(f -> f.poison = poison);
  }

  /** What is wrong with the checkpoint of that step; null where nothing is. */
  public @Nullable Poison poison(long step) {
    return usedDisks.stream()
        .flatMap(disk -> disk.of(step).stream())
        .map(f -> f.poison)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** The reports on a generation show what is wrong with the checkpoint that it was to load. */
  void shows(long step, String generation, long furthest) {
    everShown = true;
    // Before the first restart by a recovery there is none, and no recovery that counts it
    // (seed 9691).
    if (!generation.isEmpty()) {
      usedDisks.forEach(disk -> disk.of(step).ifPresent(f -> f.shows(generation, furthest)));
    }
  }

  /** A generation has printed what one prints from an unusable checkpoint, and has none. */
  void seemsUnusable() {
    everShown = true;
  }

  /** Whether any generation has ever shown that, or seemed to. */
  public boolean everShown() {
    return everShown;
  }

  /** Steps of the checkpoints that generations have shown to be unusable, in their order. */
  public List<Long> shownSteps() {
    return usedDisks.stream()
        .flatMap(disk -> disk.files().stream())
        .filter(f -> !f.shown.isEmpty())
        .map(f -> f.step)
        .distinct()
        .sorted()
        .toList();
  }

  /** Whether that was shown of the step since the job had come that far, and no further. */
  public boolean isShownSince(long step, long furthest) {
    return usedDisks.stream()
        .flatMap(disk -> disk.of(step).stream())
        .anyMatch(f -> f.furthest >= furthest);
  }

  /** The generations that have shown that the checkpoint of that step is poisoned. */
  public Set<String> shown(long step) {
    Set<String> shown = new HashSet<>();
    usedDisks.forEach(disk -> disk.of(step).ifPresent(f -> shown.addAll(f.shown)));
    return shown;
  }

  /** No record is left of what generations have shown. */
  public void forgetShown() {
    disks.values().forEach(disk -> disk.files().forEach(f -> f.shown.clear()));
  }

  /** A file whose writer ended in the middle of it. */
  void cutOff(long step, Instant begun) {
    usedDisks.forEach(disk -> disk.replace(new File(step, begun, null, course)));
  }

  /**
   * Writers that end in the middle of a save, of which each has a disk of its own.
   *
   * @param whole when the slowest would have been done
   * @param torn whether a file is there before it is complete
   */
  void cutOff(long step, Instant begun, Instant whole, Instant now, boolean torn) {
    if (parts != null) {
      parts.cutOff(step, begun, disk -> SaveTimes.end(disk, step, begun, whole), now, course);
      if (on(SHARED).of(step).isEmpty()) {
        on(SHARED).replace(new File(step, begun, begun, course));
      }
      return;
    }
    for (String disk : used) {
      Instant end = SaveTimes.end(disk, step, begun, whole);
      if (!end.isAfter(now)) {
        on(disk).replace(new File(step, begun, end, course));
      } else if (torn) {
        on(disk).replace(new File(step, begun, null, course));
      }
    }
  }

  /** The newest complete checkpoint loses a part of its bytes; of copies one does. */
  void tearNewest(Instant now) {
    if (parts != null) {
      parts.tear(newestValid(now), now);
      return;
    }
    int chosen = (int) Math.floorMod(now.toEpochMilli(), (long) usedDisks.size());
    usedDisks.get(chosen).tearNewest(now);
  }

  /**
   * Step of the newest complete one, 0 when there is none. Those of a course that was given up
   * count only where there is no other.
   */
  public long newestValid(Instant at) {
    return newestBefore(Long.MAX_VALUE, at)
        .orElseGet(
            () ->
                usedDisks
                    .getFirst()
                    .newestFirst()
                    .filter(f -> isWhole(f, at))
                    .mapToLong(f -> f.step)
                    .findFirst()
                    .orElse(0));
  }

  /** The same of before a step; the newest of all where there is none. */
  public long newestValidBefore(long step, Instant at) {
    return newestBefore(step, at).orElseGet(() -> newestValid(at));
  }

  private OptionalLong newestBefore(long step, Instant at) {
    return usedDisks
        .getFirst()
        .newestFirst()
        .filter(f -> f.step < step && !f.givenUp && isWhole(f, at))
        .mapToLong(f -> f.step)
        .findFirst();
  }

  /**
   * Training goes back to that step on purpose; what is of later ones stays, and counts no more.
   */
  public void goBack(long step) {
    disks.values().stream()
        .flatMap(disk -> disk.files().stream())
        .filter(f -> f.step > step)
        .forEach(f -> f.givenUp = true);
  }

  /** No record is left that training ever went back. */
  public void forgetGoingBack() {
    disks.values().forEach(disk -> disk.files().forEach(f -> f.givenUp = false));
  }

  /**
   * Step of the newest file, complete or not, 0 when there is none. Where each node has a copy the
   * ranks agree on the newest that all of them have.
   */
  long newest(Instant at) {
    return tracker != null ? tracker.step() : newestFile(at).map(f -> f.step).orElse(0L);
  }

  private Optional<File> newestFile(Instant at) {
    return usedDisks
        .getFirst()
        .newestFirst()
        .filter(f -> parts == null || parts.finds(f.step, at))
        .filter(f -> usedDisks.stream().allMatch(disk -> isBegun(disk, f.step, at)))
        .findFirst();
  }

  private static boolean isBegun(CheckpointDisk disk, long step, Instant at) {
    return disk.of(step).filter(f -> !f.begun.isAfter(at)).isPresent();
  }

  /** Whether a script without a pinned checkpoint would resume from an abandoned one. */
  public boolean newestGivenUp(Instant at) {
    return newestFile(at).filter(f -> f.givenUp).isPresent();
  }

  /** Whether the checkpoint of that step can be loaded; step 0 needs none. */
  public boolean valid(long step, Instant at) {
    return step == 0
        || (parts == null
            ? usedDisks.stream().allMatch(disk -> disk.valid(step, at))
            : parts.loads(step, at));
  }

  /** Whether it can be, and is of one save. */
  private boolean isWhole(File file, Instant at) {
    return isOnEachNode() ? copies(at).isOneSave(disks(), file.step) : file.valid(at);
  }

  /** Whether no disk but that one has any checkpoint. */
  public boolean isOnlyOn(String disk) {
    return disks.entrySet().stream()
        .allMatch(e -> e.getKey().equals(disk) || e.getValue().files().isEmpty());
  }

  /** Names of the disks of the nodes on which the gang has met last. */
  public Set<String> disks() {
    return parts == null ? used : new LinkedHashSet<>(parts.disks());
  }

  /** The ranks that have saved parts last; 0 where they save otherwise. */
  public int ranks() {
    return parts == null ? 0 : parts.ranks();
  }

  /** What nodes keep each for itself, at one moment. */
  public StoredCopies copies(Instant at) {
    return parts == null ? new NodeCopies(disks, at) : new StoredParts(parts, on(SHARED), at);
  }

  /** What an inspector that scans at that moment finds, newest first. */
  List<Inspection.Checkpoint> judged(Instant at) {
    return judged(at, at);
  }

  /** The same of one that takes a while. */
  List<Inspection.Checkpoint> judged(Instant listed, Instant done) {
    return usedDisks.getFirst().judged(listed, done, tracker != null);
  }

  /** The same of one that scans the disk of a machine. */
  List<Inspection.Checkpoint> judged(Machine machine, Instant listed, Instant done) {
    return parts == null
        ? on(diskOf(machine)).judged(listed, done, tracker != null)
        : parts.judged(diskOf(machine), listed, done);
  }

  /** The disk of a machine: another one of the name of a node has a disk of its own. */
  public static String diskOf(Machine machine) {
    return machine.number() == 0 ? machine.name() : machine.name() + "#" + machine.number();
  }

  /** Path of a checkpoint. */
  static String path(long step) {
    return "%s/step-%08d.pt".formatted(DIRECTORY, step);
  }
}
