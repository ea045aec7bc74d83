package dev.rekindle.simulator.world;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.setup.JobSetup;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The steps and checkpoints of one gang. Steps are not events: they are counted whenever a caller
 * asks, from the time in which the gang was moving.
 */
public final class TrainingProgress {
  private static final double LOSS = 2;
  private static final int MOST_FIRST_STEPS = 16;

  private final Loop loop;
  private final Storage storage;
  private final PrintHabits habits = new PrintHabits();

  /** By generation, the step that it was seen to make, at least. */
  private final Map<String, Long> reached = new HashMap<>();

  /** By generation, the first steps of each time in which it trained; the newest of many. */
  private final Map<String, List<FirstStep>> firstSteps = new HashMap<>();

  private final boolean rankZeroSaves;
  private @Nullable TrainingPeriod epoch;
  private long step;
  private long furthest;
  private Instant stepTime;
  private Instant firstStepTime;
  private long trainedMicros;
  private boolean savesFail;

  TrainingProgress(Loop loop, JobSetup setup) {
    this.loop = loop;
    this.storage = new Storage(setup.eachNode(), setup.partCopies());
    this.rankZeroSaves = setup.rankZeroSaves();
    if (setup.tracked()) {
      storage.track();
    }
    this.stepTime = loop.instant();
    this.firstStepTime = loop.instant();
  }

  // --- its epochs ---------------------------------------------------------------------------

  /** Those processes search for checkpoints together. */
  void meets(List<RankProcess> members) {
    storage.meets(
        members.stream().filter(p -> p.rank == 0 || !rankZeroSaves).map(p -> p.machine).toList(),
        members.getFirst().program.gpusPerRank());
  }

  /** Another machine is in the place of that one. */
  void exchanged(String node) {
    if (storage.homes().contains(node)) {
      update();
      storage.exchanged(node);
    }
  }

  /** The nodes through which its checkpoints are reached; empty where all reach them. */
  public List<String> homes() {
    return storage.homes();
  }

  /** Whether the checkpoint of that step is complete. */
  boolean canLoad(long checkpoint) {
    return storage.valid(checkpoint, loop.instant());
  }

  /** The step of the newest checkpoint there is a file of, complete or not. */
  long newestCheckpoint() {
    return storage.newest(loop.instant());
  }

  /** Those processes load the checkpoint of that step. */
  TrainingPeriod begin(List<RankProcess> members, long from) {
    TrainingPeriod next = new TrainingPeriod(members, from, storage.poison(from));
    storage.begins();
    epoch = next;
    // Until the first step is made: the step of the old processes is none of theirs.
    step = next.startStep();
    return next;
  }

  @Nullable TrainingPeriod epoch() {
    return epoch;
  }

  boolean isCurrent(TrainingPeriod other) {
    return other.equals(epoch);
  }

  /** The current epoch has made its first step. */
  void firstStep(TrainingPeriod e) {
    e.trained = e.program().step().toNanos() / 1_000;
    step = e.startStep() + 1;
    e.members().forEach(p -> p.firstStep = step);
    firstStepTime = loop.instant();
    stepTime = loop.instant();
    reached.merge(e.generation(), step, Math::max);
    List<FirstStep> firsts = firstSteps.computeIfAbsent(e.generation(), _ -> new ArrayList<>());
    firsts.add(new FirstStep(step, firstStepTime));
    if (firsts.size() > MOST_FIRST_STEPS) {
      firsts.removeFirst();
    }
  }

  /** Steps are made from now on. */
  void move(TrainingPeriod e) {
    e.movingSince = loop.micros();
  }

  /** The gang stands: what was made is made, and a checkpoint under way is cut off. */
  void stop(TrainingPeriod e) {
    if (!e.moving()) {
      return;
    }
    update();
    reached.merge(e.generation(), step, Math::max);
    long micros = e.trained(loop.micros());
    trainedMicros += micros - e.trained;
    e.trained = micros;
    e.movingSince = -1;
    long inCycle = micros % e.cycleMicros();
    long steps = e.stepsMicros();
    if (inCycle >= steps && inCycle > 0 && !savesFail) {
      cutOff(e, micros, inCycle - steps);
    }
  }

  private void cutOff(TrainingPeriod e, long micros, long writing) {
    long saving = e.checkpointStep(micros / e.cycleMicros() + 1);
    Instant begun = loop.instant().minusNanos(writing * 1_000);
    if (storage.isOnEachNode()) {
      storage.cutOff(
          saving,
          begun,
          begun.plus(e.program().checkpointWrite()),
          loop.instant(),
          !e.program().atomicWrite());
    } else if (!e.program().atomicWrite()) {
      storage.cutOff(saving, begun);
    }
  }

  /** Saves fail from now on, as on a full disk, and the training continues without them. */
  void failSaves() {
    update();
    savesFail = true;
  }

  /** What the log of a process says of its saves; null where it names none. */
  @Nullable LoggedSaves saves(@Nullable RankProcess process) {
    update();
    TrainingPeriod e = epoch;
    return e == null || process == null || !e.members().contains(process) ? null : e.saves();
  }

  /** Its processes no longer train together. */
  void end() {
    epoch = null;
  }

  /** Brings step and checkpoints up to now. */
  private void update() {
    TrainingPeriod e = epoch;
    if (e == null || !e.moving()) {
      return;
    }
    long micros = e.trained(loop.micros());
    Instant now = loop.instant();
    step = e.stepAfter(micros);
    if (e.poison == null) {
      furthest = Math.max(furthest, step);
    }
    long inCycle = micros % e.cycleMicros();
    // While a checkpoint is written no step is made.
    long sinceStep =
        inCycle < e.stepsMicros() ? inCycle % e.stepMicros() : inCycle - e.stepsMicros();
    stepTime = now.minusNanos(sinceStep * 1_000);
    long cycles = micros / e.cycleMicros();
    for (long c = Math.max(e.written + 1, cycles - 3); c <= cycles; c++) {
      Instant whole = now.minusNanos((micros - c * e.cycleMicros()) * 1_000);
      if (!savesFail) {
        storage.written(
            e.checkpointStep(c),
            whole.minus(e.program().checkpointWrite()),
            whole,
            e.poison == Poison.GIVES_NAN ? e.poison : null);
        e.saved(c, whole);
      }
      e.written = c;
    }
  }

  // --- what others see of it ----------------------------------------------------------------

  /** How its ranks differ in what they print. */
  PrintHabits habits() {
    return habits;
  }

  /** The checkpoints. */
  public Storage storage() {
    update();
    return storage;
  }

  /** How it stands. */
  public TrainingView view() {
    update();
    TrainingPeriod e = epoch;
    TreeSet<String> nodes = new TreeSet<>();
    if (e != null) {
      e.members().forEach(p -> nodes.add(p.machine.name()));
    }
    return new TrainingView(
        moving(),
        step,
        storage.newestValid(loop.instant()),
        e == null ? "" : e.generation(),
        nodes);
  }

  /** The furthest step that was ever made with a loss that is a number. */
  public long furthest() {
    update();
    return furthest;
  }

  /** What the lines of a process say of its loss; null while it has printed no step. */
  @Nullable Loss loss(@Nullable RankProcess process) {
    RankProgress printed = printed(process);
    TrainingPeriod e = epoch;
    if (e == null || printed.first() == null || printed.last() == null) {
      return null;
    }
    long steps = step - printed.first() + 1;
    boolean own = process != null && habits.isNotFinite(process.rank);
    return own || e.poison == Poison.GIVES_NAN
        ? new Loss(null, Math.clamp(steps, 1, 1_000))
        : new Loss(LOSS, 0);
  }

  /** Notes where what is reported of a process shows that its checkpoint is poisoned. */
  void reported(@Nullable RankProcess process) {
    TrainingPeriod e = epoch;
    if (e == null || process == null || !e.members().contains(process)) {
      return;
    }
    Loss loss = loss(process);
    boolean sure = loss != null && (loss.notFinite() >= Loss.SURE || e.startStep() < e.meant);
    if (e.poison != null && sure) {
      storage.shows(e.meant, e.generation(), furthest);
    } else if (sure && e.members().stream().allMatch(p -> habits.isNotFinite(p.rank))) {
      // As where a job is scaled down to the rank that prints such a loss (seed 95290227).
      storage.seemsUnusable();
    }
  }

  /** The step that was made last, or that the processes have loaded. */
  long step() {
    update();
    return step;
  }

  /** The step that the first processes of a generation to train have made; 0 for none. */
  public long reached(String generation) {
    update();
    TrainingPeriod e = epoch;
    boolean trains = e != null && e.hasTrained() && e.generation().equals(generation);
    return Math.max(trains ? step : 0, reached.getOrDefault(generation, 0L));
  }

  /** The first steps that a generation has made, one for each time in which it began to train. */
  public List<FirstStep> firstSteps(String generation) {
    return firstSteps.getOrDefault(generation, List.of());
  }

  /** When its first step of this run was made. */
  public Instant firstStepTime() {
    return firstStepTime;
  }

  /** When the last step was made; when the job came where none was. */
  public Instant lastStep() {
    update();
    return stepTime;
  }

  /** Whether the current steps are worthless, because their checkpoint was unusable. */
  public boolean poisoned() {
    TrainingPeriod e = epoch;
    return e != null && e.poison != null;
  }

  /** Whether steps are being made. */
  public boolean moving() {
    TrainingPeriod e = epoch;
    return e != null && e.moving();
  }

  /** Since when steps have been made without a break; absent while they are not. */
  public Optional<Instant> movingSince() {
    TrainingPeriod e = epoch;
    return e == null || !e.moving()
        ? Optional.empty()
        : Optional.of(Loop.T0.plus(e.movingSince, ChronoUnit.MICROS));
  }

  /** Time in which steps were made, in microseconds; steps that were lost again count too. */
  public long trainedMicros() {
    TrainingPeriod e = epoch;
    return trainedMicros + (e == null || !e.moving() ? 0 : e.trained(loop.micros()) - e.trained);
  }

  /**
   * What the agent measures of the steps of a process: each takes the same time, but for those that
   * wait for a checkpoint.
   */
  @Nullable Pace pace(@Nullable RankProcess process) {
    TrainingPeriod e = epoch;
    RankProgress printed = printed(process);
    if (e == null || printed.first() == null || printed.last() == null) {
      return null;
    }
    int intervals = (int) (step - printed.first());
    long millis = e.stepMicros() / 1_000;
    long write = e.program().checkpointWrite().toMillis();
    boolean hasPaused = intervals > e.program().checkpointEvery();
    boolean often = hasPaused && e.program().checkpointEvery() < 100;
    Instant last = Objects.requireNonNullElse(printed.lastTime(), stepTime);
    return new Pace(
        intervals,
        intervals,
        often ? millis + write : millis,
        hasPaused ? millis + write : millis,
        e.trained(loop.micros()) / 1_000_000,
        Duration.between(last, loop.instant()).toSeconds(),
        false);
  }

  /** What the process has printed of its steps. */
  RankProgress printed(@Nullable RankProcess process) {
    if (process == null || process.firstStep < 0 || step < process.firstStep) {
      return RankProgress.NONE;
    }
    if (process.read != null) {
      return process.read;
    }
    update();
    Instant first = firstStepTime.plus(habits.late(process.rank));
    if (first.isAfter(loop.instant())) {
      return RankProgress.NONE;
    }
    return new RankProgress(
        process.firstStep,
        Math.max(process.firstStep, step + process.forged),
        first,
        stepTime.isBefore(first) ? first : stepTime);
  }
}
