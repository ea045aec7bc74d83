package dev.rekindle.simulator.world;

import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.controller.model.JobView.OptIn;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.world.RankProcess.State;
import dev.rekindle.simulator.world.SimEvent.Kind;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The training of one job: synchronous, so that it moves only while every rank does. Steps are not
 * events; how many were made follows from the time that the gang was whole.
 */
public final class Gang {
  /** Until a rank that waits at a store notices that the store is gone. */
  private static final Duration HEARS_RESET = Duration.ofMillis(200);

  private static final int KILLED = 137;

  /** A time in which the same processes train together. */
  private static final class Epoch {
    private final List<RankProcess> members;
    private final long startStep;

    /** Rank 0 sets the pace and writes the checkpoints. */
    private final JobSetup program;

    private long trained;
    private long movingSince = -1;
    private long written;

    private Epoch(List<RankProcess> members, long startStep) {
      this.members = members;
      this.startStep = startStep;
      this.program = members.getFirst().program;
    }
  }

  private final World world;
  private JobSetup setup;
  private final Storage storage = new Storage();
  private final Map<String, RankProcess> processes = new HashMap<>();
  private final Map<Integer, Integer> failingStarts = new HashMap<>();

  private final Generations generations = new Generations();

  /** By generation, the step that it was seen to make, at least. */
  private final Map<String, Long> reached = new HashMap<>();

  private @Nullable Epoch epoch;
  private long step;
  private Instant stepTime;
  private Instant firstStepTime;
  private long stood;
  private long trainedMicros;

  public Gang(World world, JobSetup setup) {
    this.world = world;
    this.setup = setup;
    this.stepTime = world.now();
    this.firstStepTime = world.now();
  }

  /** Another number of ranks makes the gang whole. */
  void resized(JobSetup next) {
    setup = next;
  }

  // --- processes ----------------------------------------------------------------------------

  /** The container of the pod has started. */
  void start(PodObject pod, Machine machine) {
    RankProcess process = new RankProcess(pod, machine, generations.next(pod));
    process.early = generations.early(pod, process.generation);
    processes.put(pod.meta().uid(), process);
    tellRunning();
    world.loop().after(world.jitter(world.timing().processStart()), () -> started(process));
  }

  /** Tells what runs, now that more does. */
  void tellRunning() {
    world.witness().runs(setup.key(), running());
  }

  private void started(RankProcess process) {
    if (process.state != State.STARTING) {
      return;
    }
    if (!process.runs()) {
      // Goes on where it was when the machine does, or its agent lets it.
      world.loop().after(Duration.ofSeconds(1), () -> started(process));
      return;
    }
    if (failingStarts.getOrDefault(process.rank, 0) > 0) {
      failingStarts.merge(process.rank, -1, Integer::sum);
      exit(process, 1);
      return;
    }
    if (process.machine.gpuBroken) {
      exit(process, 1);
      return;
    }
    process.state = State.WAITING;
    lookForStore(process);
    meet();
  }

  /** A rank that finds the store of an old leader waits there, and dies with it. */
  private void lookForStore(RankProcess process) {
    for (RankProcess leader : processes.values()) {
      if (process.rank > 0
          && leader.rank == 0
          && !leader.orphaned
          && !leader.early
          && leader.machine.powered
          && leader.state != State.STARTING
          && !leader.generation.equals(process.generation)
          && !(process.early && generations.stands(leader.generation))) {
        process.foundOldStore = leader;
        boolean survivor =
            world
                .pods()
                .find(process.podKey)
                .filter(pod -> generations.survivor(pod, process.generation))
                .isPresent();
        world.witness().findsOldStore(setup.key(), process.podKey, survivor);
      }
    }
  }

  /** When every rank waits, they begin together: those that found the store of one rank 0. */
  private void meet() {
    RankProcess[] there = new RankProcess[setup.ranks()];
    int count = 0;
    RankProcess first = waiting(0, null);
    if (first == null) {
      return;
    }
    for (int rank = 0; rank < there.length; rank++) {
      RankProcess next = rank == 0 ? first : waiting(rank, first.generation);
      if (next == null) {
        return;
      }
      there[count++] = next;
    }
    begin(List.of(there));
  }

  private @Nullable RankProcess waiting(int rank, @Nullable String generation) {
    for (RankProcess p : processes.values()) {
      if (p.rank == rank
          && p.state == State.WAITING
          && !p.orphaned
          && p.able()
          && p.foundOldStore == null
          && (generation == null || p.generation.equals(generation))) {
        return p;
      }
    }
    return null;
  }

  private void begin(List<RankProcess> members) {
    Instant now = world.now();
    long from = resumeStep(members.getFirst(), now);
    if (!storage.valid(from, now)) {
      world.tell(
          Kind.TRAINING, setup.key().toString(), "cannot load the checkpoint of step " + from);
      members.forEach(p -> p.state = State.BLOCKED);
      members.forEach(p -> exit(p, 1));
      return;
    }
    Epoch next = new Epoch(members, from);
    epoch = next;
    members.forEach(p -> p.state = State.TRAINING);
    // Until the first step is made: the step of the old processes is none of theirs.
    step = from;
    RankProcess leader = members.getFirst();
    world.witness().begins(setup.key(), leader.generation, leader.template, from);
    world
        .loop()
        .after(
            world.timing().load().plus(next.program.step()),
            () -> {
              if (next.equals(epoch)) {
                next.trained = next.program.step().toNanos() / 1_000;
                members.forEach(p -> p.firstStep = from + 1);
                firstStepTime = world.now();
                step = from + 1;
                stepTime = world.now();
                reached.merge(leader.generation, step, Math::max);
                look();
                world.tell(Kind.TRAINING, setup.key().toString(), "trains from step " + (from + 1));
              }
            });
  }

  /** What the script of rank 0 resumes from: what it is told, or the newest file there is. */
  private long resumeStep(RankProcess first, Instant now) {
    return first.template.resumeStep() >= 0 ? first.template.resumeStep() : storage.newest(now);
  }

  /** A process ends by itself. */
  private void exit(RankProcess process, int code) {
    if (process.state != State.DEAD) {
      end(process);
      world.kubelet(process.machine.name()).exited(process, code);
    }
  }

  /** The kubelet has ended the process, or it is gone with its machine. */
  void end(RankProcess process) {
    if (process.state == State.DEAD) {
      return;
    }
    process.state = State.DEAD;
    processes.remove(process.podUid, process);
    leave(process);
    look();
    Epoch current = epoch;
    if (current != null && current.members.contains(process)) {
      epoch = null;
      current.members.forEach(this::block);
    }
  }

  /** Who waited at its store hears that it is gone. */
  private void leave(RankProcess leader) {
    for (RankProcess p : all()) {
      if (leader.equals(p.foundOldStore)) {
        p.foundOldStore = null;
        world.loop().after(world.jitter(HEARS_RESET), () -> exit(p, 1));
      }
    }
  }

  /** Looks at everything that decides whether the gang moves; called whenever any of it changed. */
  void look() {
    Epoch current = epoch;
    if (current == null) {
      meet();
      return;
    }
    boolean able = current.trained > 0 && current.members.stream().allMatch(RankProcess::able);
    if (able && current.movingSince < 0) {
      current.movingSince = world.loop().micros();
      stood++;
      finishLater(current);
    } else if (!able && current.movingSince >= 0) {
      settle(current);
      long mine = ++stood;
      world.standing(setup.key());
      world.tell(Kind.TRAINING, setup.key().toString(), "stands at step " + step);
      world.loop().after(world.timing().peers(), () -> giveUp(current, mine));
    }
  }

  private void giveUp(Epoch waiting, long mine) {
    if (waiting.equals(epoch) && mine == stood && waiting.movingSince < 0) {
      if (waiting.members.stream().anyMatch(p -> p.frozen)) {
        // Nobody's time runs while he is frozen.
        world.loop().after(world.timing().peers(), () -> giveUp(waiting, mine));
        return;
      }
      List<RankProcess> members = List.copyOf(waiting.members);
      members.stream().filter(RankProcess::able).forEach(p -> exit(p, 1));
    }
  }

  private void block(RankProcess process) {
    if (process.state != State.TRAINING) {
      return;
    }
    process.state = State.BLOCKED;
    abortLater(process);
  }

  private void abortLater(RankProcess process) {
    world
        .loop()
        .after(
            world.timing().peers(),
            () -> {
              if (process.state != State.BLOCKED || process.stuck) {
                return;
              }
              if (process.runs()) {
                exit(process, 1);
              } else {
                abortLater(process);
              }
            });
  }

  private void finishLater(Epoch current) {
    if (setup.steps() >= Long.MAX_VALUE / 2) {
      return;
    }
    long left = microsFor(current, setup.steps()) - trained(current);
    long mine = stood;
    world
        .loop()
        .after(
            Duration.ofNanos(Math.max(0, left) * 1_000),
            () -> {
              if (current.equals(epoch) && mine == stood && current.movingSince >= 0) {
                settle(current);
                epoch = null;
                List.copyOf(current.members).forEach(p -> exit(p, 0));
              }
            });
  }

  // --- progress -----------------------------------------------------------------------------

  private static long stepMicros(Epoch e) {
    return Math.max(1, e.program.step().toNanos() / 1_000);
  }

  private static long cycleMicros(Epoch e) {
    return stepMicros(e) * e.program.checkpointEvery()
        + e.program.checkpointWrite().toNanos() / 1_000;
  }

  private static long microsFor(Epoch e, long target) {
    long steps = Math.max(0, target - e.startStep);
    long writes = steps / e.program.checkpointEvery();
    return steps * stepMicros(e) + writes * (e.program.checkpointWrite().toNanos() / 1_000);
  }

  private long trained(Epoch e) {
    return e.trained + (e.movingSince < 0 ? 0 : world.loop().micros() - e.movingSince);
  }

  private static long stepsIn(Epoch e, long micros) {
    long inCycle = micros % cycleMicros(e);
    return micros / cycleMicros(e) * e.program.checkpointEvery()
        + Math.min(e.program.checkpointEvery(), inCycle / stepMicros(e));
  }

  /** Brings step and checkpoints up to now. */
  private void reckon() {
    Epoch e = epoch;
    if (e == null || e.movingSince < 0) {
      return;
    }
    long micros = trained(e);
    Instant now = world.now();
    step = Math.max(e.startStep + 1, e.startStep + stepsIn(e, micros));
    long sinceStep = micros % cycleMicros(e) % stepMicros(e);
    stepTime = now.minusNanos(sinceStep * 1_000);
    long cycles = micros / cycleMicros(e);
    for (long c = Math.max(e.written + 1, cycles - 3); c <= cycles; c++) {
      Instant whole = now.minusNanos((micros - c * cycleMicros(e)) * 1_000);
      storage.written(
          e.startStep + c * e.program.checkpointEvery(),
          whole.minus(e.program.checkpointWrite()),
          whole);
      e.written = c;
    }
  }

  /** The gang stands: what was made is made, and a checkpoint under way is cut off. */
  private void settle(Epoch e) {
    if (e.movingSince < 0) {
      return;
    }
    reckon();
    reached.merge(e.members.getFirst().generation, step, Math::max);
    long micros = trained(e);
    trainedMicros += micros - e.trained;
    e.trained = micros;
    e.movingSince = -1;
    long inCycle = micros % cycleMicros(e);
    long steps = stepMicros(e) * e.program.checkpointEvery();
    if (inCycle >= steps && inCycle > 0 && !e.program.atomicWrite()) {
      storage.cutOff(
          e.startStep + (micros / cycleMicros(e) + 1) * e.program.checkpointEvery(),
          world.now().minusNanos((inCycle - steps) * 1_000));
    }
  }

  // --- what others see of it ----------------------------------------------------------------

  /** The checkpoints. */
  public Storage storage() {
    reckon();
    return storage;
  }

  /** How it stands. */
  public TrainingView view() {
    reckon();
    Epoch e = epoch;
    TreeSet<String> nodes = new TreeSet<>();
    if (e != null) {
      e.members.forEach(p -> nodes.add(p.machine.name()));
    }
    return new TrainingView(
        moving(),
        step,
        storage.newestValid(world.now()),
        e == null ? "" : e.members.getFirst().generation,
        nodes);
  }

  /** The step that the first processes of a generation to train have made; 0 for none. */
  public long reached(String generation) {
    reckon();
    Epoch e = epoch;
    boolean trains =
        e != null && e.trained > 0 && e.members.getFirst().generation.equals(generation);
    return Math.max(trains ? step : 0, reached.getOrDefault(generation, 0L));
  }

  /** When the last step was made; when the job came where none was. */
  public Instant lastStep() {
    reckon();
    return stepTime;
  }

  /** Whether steps are being made. */
  public boolean moving() {
    Epoch e = epoch;
    return e != null && e.movingSince >= 0;
  }

  /** Since when steps have been made without a break; absent while they are not. */
  public Optional<Instant> movingSince() {
    Epoch e = epoch;
    return e == null || e.movingSince < 0
        ? Optional.empty()
        : Optional.of(Loop.T0.plus(e.movingSince, ChronoUnit.MICROS));
  }

  /** Time in which steps were made, in microseconds; steps that were lost again count too. */
  public long trainedMicros() {
    Epoch e = epoch;
    return trainedMicros + (e == null || e.movingSince < 0 ? 0 : trained(e) - e.trained);
  }

  /** What the agent on the node would print of the process of that pod. */
  record Progress(
      @Nullable Long first,
      @Nullable Long last,
      @Nullable Instant firstTime,
      @Nullable Instant lastTime) {
    static final Progress NONE = new Progress(null, null, null, null);
  }

  Progress progress(String podUid) {
    RankProcess process = processes.get(podUid);
    if (process == null || process.firstStep < 0 || step < process.firstStep) {
      return Progress.NONE;
    }
    reckon();
    return new Progress(
        process.firstStep,
        Math.max(process.firstStep, step + process.forged),
        firstStepTime,
        stepTime);
  }

  @Nullable RankProcess process(String podUid) {
    return processes.get(podUid);
  }

  Collection<RankProcess> all() {
    return List.copyOf(processes.values());
  }

  /**
   * Generations of processes that compute or are about to. Some find their peers gone and count
   * only where they make steps: a process that outlives its pod object for some seconds, because
   * its machine was silent when the object was removed by force or had just woken up; one that was
   * thawed because its agent heard no more; one that a kubelet started while the gang was frozen.
   */
  Map<String, Integer> running() {
    Map<String, Integer> attempts = new HashMap<>();
    for (RankProcess p : processes.values()) {
      boolean steps = p.state == State.TRAINING && moving();
      boolean gone =
          p.orphanedUnheard
              || (p.orphaned
                  && (p.state == State.BLOCKED
                      || p.state == State.TRAINING
                      || p.machine.justWoken(world.now())));
      boolean wanted = p.machine.connected && !gone && !p.thawed && !p.early;
      if (p.runs() && (wanted || steps)) {
        attempts.merge(p.generation, 1, Integer::sum);
      }
    }
    return attempts;
  }

  /** Whether agents have to do with it. */
  boolean isOptedIn() {
    return world
        .jobs()
        .find(setup.key().toString())
        .filter(job -> job.optIn() instanceof OptIn.Yes)
        .filter(job -> equals(world.gang(job.meta().uid())))
        .isPresent();
  }

  // --- restart in place ---------------------------------------------------------------------

  /** An order is there, or says more than before. */
  void ordered(OrderObject order, String attempt) {
    if (generations.ordered(order, attempt)) {
      all().stream()
          .filter(p -> p.generation.equals(order.generation()))
          .forEach(p -> p.early = false);
      tellRunning();
    }
  }

  /** An order is gone: what is left of its gang is one again, whatever of it was restarted. */
  void withdrawn(OrderObject order) {
    generations
        .withdrawn(order)
        .ifPresent(
            attempt ->
                all().stream()
                    .filter(p -> !p.orphaned && p.template.attempt().equals(attempt))
                    .forEach(p -> belongs(p, order)));
    look();
  }

  private static void belongs(RankProcess process, OrderObject order) {
    process.generation = order.generation();
    process.early = false;
    process.thawed = false;
    process.foundOldStore = null;
  }

  void freeze(RankProcess process) {
    if (process.state != State.DEAD && !process.frozen) {
      process.frozen = true;
      process.thawed = false;
      look();
    }
  }

  void thaw(RankProcess process) {
    if (process.frozen) {
      process.frozen = false;
      process.thawed = generations.anyStands();
      tellRunning();
      look();
    }
  }

  /** Its agent kills it, frozen or not. */
  void kill(RankProcess process) {
    process.frozen = false;
    exit(process, KILLED);
  }

  /** What the container of the pod runs next belongs to the generation that the order starts. */
  void restarts(String podUid, OrderObject order) {
    generations.restarts(podUid, order);
  }

  /** The new container of the pod was seen. */
  void adopt(RankProcess process, OrderObject order) {
    if ((process.early || !process.generation.equals(order.generation()))
        && !generations.isLater(process.generation, order)) {
      restarts(process.podUid, order);
      belongs(process, order);
      tellRunning();
      look();
    }
  }

  /** Pods whose process is frozen. */
  public List<String> frozen() {
    return processes.values().stream().filter(p -> p.frozen).map(p -> p.podKey).sorted().toList();
  }

  /**
   * Those of them whose machine runs: on one that hangs there is no agent that could thaw them.
   *
   * @param connected those whose agent hears of orders, or those whose agent must wait until theirs
   *     runs out
   */
  public List<String> thawable(boolean connected) {
    return processes.values().stream()
        .filter(p -> p.frozen && p.machine.runs() && p.machine.connected == connected)
        .map(p -> p.podKey)
        .sorted()
        .toList();
  }

  /** Pods whose process executes, is wanted, and belongs to another generation than the given. */
  public List<String> unfrozen(String generation) {
    return processes.values().stream()
        .filter(p -> p.runs() && p.machine.connected)
        .filter(p -> !p.orphaned && !p.thawed && !p.early)
        .filter(p -> !p.generation.equals(generation))
        .map(p -> p.podKey)
        .sorted()
        .toList();
  }

  /** Pods whose process is of another generation than the given, whatever it does. */
  public List<String> others(String generation) {
    return processes.values().stream()
        .filter(p -> !p.orphaned && !p.early && !p.generation.equals(generation))
        .map(p -> p.podKey)
        .sorted()
        .toList();
  }

  /** Whether an old leader still has a process that serves a store. */
  public boolean oldLeader(String generation) {
    return processes.values().stream()
        .anyMatch(
            p ->
                p.rank == 0
                    && !p.orphaned
                    && !p.early
                    && !p.thawed
                    && !p.generation.equals(generation));
  }

  // --- what befalls it ----------------------------------------------------------------------

  void hang(int rank) {
    processes.values().stream().filter(p -> p.rank == rank).forEach(p -> p.stuck = true);
    look();
  }

  void die(int rank, int code) {
    all().stream()
        .filter(p -> p.rank == rank && (p.runs() || (code == KILLED && p.machine.runs())))
        .forEach(p -> exit(p, code));
  }

  /** The script of a rank asks for a restart, and trains on. */
  void ask(int rank, @Nullable Long stepsBack) {
    reckon();
    Long before = stepsBack == null ? null : Math.max(0, step - stepsBack);
    processes.values().stream()
        .filter(p -> p.rank == rank && p.runs() && p.state == State.TRAINING)
        .forEach(p -> p.asked = new RestartAsked("loss spike", before, world.now()));
  }

  /** What a rank prints is off by so much from now on. */
  void forgeSteps(int rank, long by) {
    processes.values().stream().filter(p -> p.rank == rank).forEach(p -> p.forged = by);
  }

  /** Whether a process has asked for a restart that it has not got. */
  public boolean asks() {
    return processes.values().stream().anyMatch(p -> p.asked != null);
  }

  void failStarts(int rank, int times) {
    failingStarts.put(rank, times);
  }

  void tearNewest() {
    reckon();
    storage.tearNewest(world.now());
  }

  /** The device of these processes is gone: some die of it, some wait for ever. */
  void deviceLost(Machine machine, boolean dies) {
    for (RankProcess p : all()) {
      if (p.machine.equals(machine)) {
        if (dies && !p.frozen) {
          exit(p, 134);
        } else {
          p.stuck = true;
        }
      }
    }
    look();
  }
}
