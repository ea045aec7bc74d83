package dev.rekindle.simulator.world;

import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.Inspection;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeIncidentHistory;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.PodView;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.detect.node.ConditionReading;
import dev.rekindle.simulator.api.ApiServer;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Collection;
import dev.rekindle.simulator.api.Kind;
import dev.rekindle.simulator.api.Meta;
import dev.rekindle.simulator.engine.Loop;
import dev.rekindle.simulator.setup.JobSetup;
import dev.rekindle.simulator.setup.NodeSetup;
import dev.rekindle.simulator.setup.Setup;
import dev.rekindle.simulator.setup.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** A cluster without Rekindle: its API server and everything that acts in it by itself. */
public final class World {
  private static final String POLICY = "default";

  private final Loop loop;
  private final Timing timing;
  private final RandomGenerator random;
  private final ApiServer api;
  private final Collection<JobObject> jobs;
  private final Collection<PodObject> pods;
  private final Collection<NodeObject> nodes;
  private final Collection<FaultObject> faults;
  private final Collection<RankObject> ranks;
  private final Collection<RecoveryObject> recoveries;
  private final Collection<OrderObject> orders;
  private final Collection<RestartObject> restarts;
  private final Collection<InspectorObject> inspectors;
  private final Collection<LeaseObject> leases;
  private final Collection<ConfigMapObject> configMaps;
  private final Collection<PolicyObject> policies;

  private final Map<String, Machine> machines = new LinkedHashMap<>();
  private final Map<String, Kubelet> kubelets = new HashMap<>();
  private final Map<String, Gang> gangs = new LinkedHashMap<>();
  private final Map<JobKey, List<String>> podKeysByJob = new HashMap<>();
  private final Operator operator = new Operator(this);
  private final Scheduler scheduler = new Scheduler(this);
  private final NodeLifecycle lifecycle = new NodeLifecycle(this);
  private final RankReporters reporters = new RankReporters(this);
  private final Hardware hardware = new Hardware(this);
  private final JobFaults jobFaults = new JobFaults(this);
  private final NodeAgents nodeAgents = new NodeAgents(this);
  private final Turnover turnover = new Turnover(this);
  private final Namespaces namespaces;
  private final List<Consumer<SimEvent>> listeners = new ArrayList<>();
  private TruthObserver witness = new TruthObserver() {};
  private Instant apiBack = Instant.MIN;
  private Instant operatorBack;
  private Instant schedulerBack;
  private boolean inspectorsStart = true;
  private double agentsLost;
  private double agentsUnheard;

  /** Makes everything that the setup names; nothing has moved yet. */
  public World(Setup setup, Loop loop, RandomGenerator random) {
    this.loop = loop;
    this.timing = setup.timing();
    this.random = random;
    this.namespaces = new Namespaces(loop);
    this.api = new ApiServer(loop);
    operatorBack = loop.instant();
    schedulerBack = loop.instant();
    jobs = api.install("pytorchjobs");
    pods =
        api.install(
            new Kind<>(
                "pods",
                Map.of("spec.nodeName", PodObject::node, "status.phase", World::phase),
                World::grace));
    nodes = api.install("nodes");
    faults = api.install("nodefaults");
    ranks = api.install("rankreports");
    recoveries = api.install("recoveries");
    orders = api.install("restartorders");
    restarts = api.install("restartreports");
    inspectors = api.install("jobs");
    leases = api.install("leases");
    configMaps = api.install("configmaps");
    policies = api.install("recoverypolicies");
    react();
    policies.create(new PolicyObject(Meta.draft("", POLICY, ""), setup.policy(), Scorecard.NONE));
    setup.nodes().forEach(this::add);
    setup.jobs().forEach(this::submit);
  }

  private static String phase(PodObject pod) {
    String name = pod.status().phase().name();
    return name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
  }

  /** A pod without a node, or one that has ended, has nobody to wait for. */
  private static Long grace(PodObject pod) {
    return pod.node().isEmpty() || !pod.live() ? 0L : (long) pod.graceSeconds();
  }

  /** What is asked about nodes, and about jobs that name nothing else. */
  Policy policy() {
    return policies.find(POLICY).map(PolicyObject::policy).orElse(Policy.DEFAULT);
  }

  private void react() {
    jobs.watch(
        change -> {
          if (change.after() == null) {
            return;
          }
          operator.changed(change.object().key());
        });
    pods.watch(
        change -> {
          PodObject pod = change.object();
          index(change.key(), pod, change.after() != null);
          operator.changed(change);
          scheduler.changed();
          if (!pod.node().isEmpty()) {
            kubelet(pod.node()).changed(change);
          }
          nodeAgents.changed(change);
          if (pod.rank() == 0 && change.after() != null && pod.status().ready()) {
            masterReady(change, pod);
          }
        });
    nodes.watch(_ -> scheduler.changed());
    orders.watch(this::ordered);
    inspectors.watch(
        change -> {
          if (change.before() == null && change.after() != null) {
            startInspector(change.after());
          }
        });
  }

  private void ordered(Change<OrderObject> change) {
    OrderObject order = change.object();
    Gang gang = gangs.get(order.spec().jobUid());
    if (gang != null) {
      if (change.after() == null) {
        gang.withdrawn(order);
      } else {
        String attempt =
            jobs.find(order.job().toString()).map(j -> j.template().attempt()).orElse("");
        gang.ordered(order, attempt);
      }
    }
    nodeAgents.ordered(change);
  }

  /** Workers wait for the name of their master, which is there once it is ready. */
  private void masterReady(Change<PodObject> change, PodObject master) {
    PodObject before = change.before();
    if (before == null || !before.status().ready()) {
      for (PodObject pod : podsOf(master.job())) {
        if (pod.rank() > 0 && !pod.node().isEmpty()) {
          kubelet(pod.node()).masterReady(pod);
        }
      }
    }
  }

  private void index(String key, PodObject pod, boolean there) {
    List<String> keys = podKeysByJob.computeIfAbsent(pod.job(), _ -> new ArrayList<>());
    if (!there) {
      keys.remove(key);
    } else if (!keys.contains(key)) {
      keys.add(key);
    }
  }

  private void add(NodeSetup node) {
    Machine machine = new Machine(node, loop);
    machines.put(node.name(), machine);
    kubelets.put(node.name(), new Kubelet(this, machine));
    machine.nodeUid =
        nodes.create(NodeObject.draft(node, machine.bootId(), Readiness.READY, now())).meta().uid();
  }

  /** A user submits a job. */
  public JobObject submit(JobSetup setup) {
    return submit(JobObject.draft(setup));
  }

  /** A user submits a copy of a job, with all its annotations, under another name. */
  public JobObject copy(JobObject job, JobKey name) {
    return submit(job.copy(name));
  }

  private JobObject submit(JobObject draft) {
    JobObject job = jobs.create(draft);
    Gang gang = new Gang(this, job.setup());
    gangs.put(job.meta().uid(), gang);
    reporters.follow(gang, job);
    return job;
  }

  /** The owner of a job asks for another number of ranks. */
  public void resize(JobObject job, int ranks) {
    JobSetup next = job.setup().sized(ranks);
    var _ = jobs.patch(job.meta().key(), j -> j.withSetup(next));
    gang(job.meta().uid()).resized(next);
  }

  /** The owner of a job edits its replica templates: pods that are made from now on have it. */
  public void edit(JobObject job, JobSetup next) {
    var _ = jobs.patch(job.meta().key(), j -> j.withSetup(next));
  }

  /** A gang has come to a stand: its agents look more often. */
  void standing(JobKey job) {
    jobs.find(job.toString()).ifPresent(j -> reporters.stands(gang(j.meta().uid()), j));
  }

  /** The script of a rank has asked for a restart: its agent reports it at once. */
  void restartAsked(JobKey job) {
    jobs.find(job.toString()).ifPresent(j -> reporters.asks(gang(j.meta().uid()), j));
  }

  private void startInspector(InspectorObject inspector) {
    if (!inspectorsStart) {
      return;
    }
    loop.after(
        jitter(timing.podStart().plus(Duration.ofMillis(700))),
        () -> {
          boolean room =
              machines.values().stream()
                  .anyMatch(
                      m ->
                          m.answers()
                              && nodes.find(m.name()).filter(n -> !n.unschedulable()).isPresent());
          if (!room) {
            startInspector(inspector);
          } else if (inspectors
              .find(inspector.meta().key())
              .filter(i -> i.meta().uid().equals(inspector.meta().uid()))
              .isPresent()) {
            inspectors.patch(inspector.meta().key(), i -> i.since(now()));
          }
        });
  }

  /** What the newest report in the inspector's log says. */
  public Inspection inspection(String key) {
    InspectorObject inspector = inspectors.find(key).orElse(null);
    if (inspector == null) {
      return new Inspection.Absent();
    }
    Instant since = inspector.scanning();
    if (since == null) {
      return new Inspection.Pending("the inspector's pod is Pending");
    }
    long scans = Duration.between(since, now()).dividedBy(timing.scan());
    if (scans < 1) {
      return new Inspection.Pending("the first scan is under way");
    }
    Instant begun = since.plus(timing.scan().multipliedBy(scans - 1));
    Storage storage = gang(jobs.get(inspector.job().toString()).meta().uid()).training().storage();
    return new Inspection.Report(scans, storage.judged(begun, begun.plus(timing.scan())), "");
  }

  // --- its parts ----------------------------------------------------------------------------

  Loop loop() {
    return loop;
  }

  Timing timing() {
    return timing;
  }

  Instant now() {
    return loop.instant();
  }

  /** Jobs. */
  public Collection<JobObject> jobs() {
    return jobs;
  }

  /** Pods of training jobs. */
  public Collection<PodObject> pods() {
    return pods;
  }

  /** Nodes. */
  public Collection<NodeObject> nodes() {
    return nodes;
  }

  /** Node faults. */
  public Collection<FaultObject> faults() {
    return faults;
  }

  /** Rank reports. */
  public Collection<RankObject> ranks() {
    return ranks;
  }

  /** Recoveries. */
  public Collection<RecoveryObject> recoveries() {
    return recoveries;
  }

  /** Orders to restart in place. */
  public Collection<OrderObject> orders() {
    return orders;
  }

  /** What agents report on such orders. */
  public Collection<RestartObject> restarts() {
    return restarts;
  }

  /** Checkpoint inspectors. */
  public Collection<InspectorObject> inspectors() {
    return inspectors;
  }

  /** Leases. */
  public Collection<LeaseObject> leases() {
    return leases;
  }

  /** ConfigMaps. */
  public Collection<ConfigMapObject> configMaps() {
    return configMaps;
  }

  /** Recovery policies. */
  public Collection<PolicyObject> policies() {
    return policies;
  }

  /** Pods of exactly this job, terminating ones too. */
  public List<PodObject> podsOf(JobObject job) {
    List<PodObject> of = new ArrayList<>();
    for (PodObject pod : podsOf(job.key())) {
      if (pod.meta().owner().equals(job.meta().uid())) {
        of.add(pod);
      }
    }
    return of;
  }

  /** Pods by the label of their job, of any job UID. */
  public List<PodObject> podsOf(JobKey job) {
    List<PodObject> of = new ArrayList<>();
    for (String key : podKeysByJob.getOrDefault(job, List.of())) {
      pods.find(key).ifPresent(of::add);
    }
    return of;
  }

  /** The hardware of a node. */
  public Machine machine(String node) {
    return Objects.requireNonNull(machines.get(node), node);
  }

  /** All hardware. */
  public java.util.Collection<Machine> machines() {
    return machines.values();
  }

  Kubelet kubelet(String node) {
    return Objects.requireNonNull(kubelets.get(node), node);
  }

  /** The training of the job of that UID. */
  public Gang gang(String jobUid) {
    return Objects.requireNonNull(gangs.get(jobUid), jobUid);
  }

  /** The same, where there was one. */
  public Optional<Gang> gangOf(String jobUid) {
    return Optional.ofNullable(gangs.get(jobUid));
  }

  Gang gang(JobKey job, String jobUid) {
    return Objects.requireNonNull(gangs.get(jobUid), job::toString);
  }

  java.util.Collection<Gang> gangs() {
    return gangs.values();
  }

  TruthObserver witness() {
    return witness;
  }

  /** What breaks in the machines. */
  public Hardware hardware() {
    return hardware;
  }

  /** What goes wrong in jobs. */
  public JobFaults jobFaults() {
    return jobFaults;
  }

  NodeAgents nodeAgents() {
    return nodeAgents;
  }

  /** Nodes that are deleted and come again. */
  public Turnover turnover() {
    return turnover;
  }

  /** Which namespaces are being deleted. */
  public Namespaces namespaces() {
    return namespaces;
  }

  /** Another machine is in the place of the one that the node had. */
  void exchanged(String node) {
    kubelet(node).exchanged();
    nodeAgents.exchanged(node);
  }

  /** The machine of a node that was registered anew. */
  void answers(Machine machine) {
    kubelet(machine.name()).back();
    lifecycle.answers(machine);
    each(Gang::look);
  }

  /** Tells the given from now on. */
  public void witness(TruthObserver next) {
    witness = next;
  }

  /** Tells the listener what happens from now on. */
  public void listen(Consumer<SimEvent> listener) {
    listeners.add(listener);
  }

  /** Tells listeners that something happened. */
  public void tell(SimEvent.Kind kind, String subject, String text) {
    if (!listeners.isEmpty()) {
      SimEvent happening = new SimEvent(now(), kind, subject, text);
      listeners.forEach(listener -> listener.accept(happening));
    }
  }

  /** Whether anybody listens: else a text need not be made. */
  public boolean heard() {
    return !listeners.isEmpty();
  }

  /** Between three quarters and five quarters of it. */
  public Duration jitter(Duration mean) {
    long nanos = mean.toNanos();
    return Duration.ofNanos(nanos - nanos / 4 + (long) (nanos / 2.0 * random.nextDouble()));
  }

  /** Either, by chance. */
  boolean heads() {
    return random.nextBoolean();
  }

  boolean apiAway() {
    return apiBack.isAfter(now());
  }

  /** Whether the agent of a node can say something. */
  boolean agentAnswers(String node) {
    return machine(node).answers() && !apiAway() && nodeAgents.lives(node);
  }

  boolean operatorAway() {
    return operatorBack.isAfter(now());
  }

  Instant operatorBack() {
    return operatorBack;
  }

  boolean schedulerAway() {
    return schedulerBack.isAfter(now());
  }

  Instant schedulerBack() {
    return schedulerBack;
  }

  // --- what befalls it ----------------------------------------------------------------------

  /** Agents cannot reach the API server until then. */
  public void apiAwayUntil(Instant until) {
    apiBack = until;
    nodeAgents.apiBack(until);
  }

  /** The operator does nothing until then. */
  public void operatorAwayUntil(Instant until) {
    operatorBack = until;
  }

  /** The scheduler does nothing until then. */
  public void schedulerAwayUntil(Instant until) {
    schedulerBack = until;
  }

  /** Whether inspectors' pods can start: their image can be pulled. */
  public void inspectorsStart(boolean can) {
    inspectorsStart = can;
  }

  /** Somebody who looks after nodes sets a condition on it. */
  public void condition(String node, String type, String status, String reason) {
    if (nodes.find(node).isPresent()) {
      nodes.patch(
          node,
          n -> n.with(new ConditionReading(type, status, reason, reason + " on " + node, now())));
    }
  }

  /** Nothing is wrong any more for those who look after nodes. */
  public void conditionsEnd(String node) {
    for (ConditionReading condition :
        nodes.find(node).map(NodeObject::conditions).orElse(List.of())) {
      if (!condition.status().equals("False")) {
        condition(node, condition.type(), "False", "Over");
      }
    }
  }

  /** The node was in trouble twice in the weeks before the time that is told. */
  public void troubledHistory(String node) {
    String text =
        new NodeIncidentHistory(List.of())
            .and(now().minus(Duration.ofDays(20)), "fault/first")
            .and(now().minus(Duration.ofDays(10)), "fault/second")
            .format();
    nodes.patch(node, n -> n.withTroubles(text));
  }

  /** The node loses its power. */
  public void powerOff(String node) {
    Machine machine = machine(node);
    if (machine.powered) {
      machine.powered = false;
      machine.frozen = false;
      kubelet(node).powerLost();
      nodeAgents.powerLost(node);
      lifecycle.silent(machine);
      each(Gang::look);
    }
  }

  /** The node is started again after that time. */
  public void rebooted(String node, Duration time) {
    loop.after(time, () -> back(node));
  }

  /** From now on the kubelet of the node calls it Ready at once after a boot. */
  public void bootsQuietly(String node) {
    machine(node).bootsQuietly = true;
  }

  /** Kubelet and processes of the node stop where they are. */
  public void freeze(String node) {
    Machine machine = machine(node);
    if (machine.powered && !machine.frozen) {
      machine.frozen = true;
      lifecycle.silent(machine);
      each(Gang::look);
    }
  }

  /** The node can no longer reach the API server; what runs on it runs on. */
  public void cutOff(String node) {
    Machine machine = machine(node);
    if (machine.connected) {
      machine.connected = false;
      lifecycle.silent(machine);
    }
  }

  /** The node has power again, goes on, and is connected. */
  public void back(String node) {
    Machine machine = machine(node);
    if (machine.answers() || machine.absent) {
      return;
    }
    // Its processes go on at once; its kubelet ends within seconds what is no longer wanted.
    if (!machine.powered) {
      machine.boots();
    }
    machine.powered = true;
    machine.connected = true;
    machine.frozen = false;
    machine.woken = now();
    if (machine.gpuDead) {
      hardware.gpuLost(node);
    }
    kubelet(node).back();
    nodeAgents.back(machine);
    lifecycle.answers(machine);
    each(Gang::look);
    each(Gang::tellRunning);
  }

  /** The agent of the node dies, and is started again after that time. */
  public void agentDies(String node, Duration back) {
    nodeAgents.dies(node, back);
  }

  /** The agent of the node is slow for so long. */
  public void agentSlow(String node, Duration time) {
    nodeAgents.slow(node, time);
  }

  /** The agent of the node can freeze nothing for so long. */
  public void agentCannotFreeze(String node, Duration time) {
    nodeAgents.cannotFreeze(node, time);
  }

  /** The watches of the agent of the node show it nothing new for so long. */
  public void agentBlind(String node, Duration time) {
    nodeAgents.blind(node, time);
  }

  /** What the agent of the node writes is refused with that status for so long. */
  public void agentRefused(String node, int code, Duration time) {
    nodeAgents.refused(node, code, time);
  }

  /** The agent of the node can write nothing to its disk for so long. */
  public void agentDiskFull(String node, Duration time) {
    nodeAgents.diskFull(node, time);
  }

  /** The wall clock of the node steps. */
  public void clockSteps(String node, Duration by) {
    nodeAgents.clockSteps(node, by);
  }

  /** Nothing is wrong with any agent any more. */
  public void agentsCalm() {
    agentsLost = 0;
    agentsUnheard = 0;
    nodeAgents.calm();
  }

  /** So many of the calls of agents are lost before their effect, so many after it. */
  public void agentCalls(double lost, double unheard) {
    agentsLost = lost;
    agentsUnheard = unheard;
  }

  /** What becomes of one call of an agent. */
  enum AgentFate {
    ANSWERED,
    LOST,
    UNHEARD
  }

  AgentFate agentFate() {
    if (agentsLost + agentsUnheard == 0) {
      return AgentFate.ANSWERED;
    }
    double chance = random.nextDouble();
    return chance < agentsLost
        ? AgentFate.LOST
        : chance < agentsLost + agentsUnheard ? AgentFate.UNHEARD : AgentFate.ANSWERED;
  }

  /** Ends what runs on threads of its own. */
  public void close() {
    nodeAgents.close();
  }

  /** What is frozen on any node heeds no signal at all: control groups of version 1. */
  public void freezesDeaf() {
    machines.values().forEach(machine -> machine.freezesDeaf = true);
  }

  /** The hardware of the node is put right; what its agent stated is deleted. */
  public void repair(String node) {
    Machine machine = machine(node);
    machine.gpuBroken = false;
    machine.gpuDead = false;
    machine.flaky = false;
    machine.networkBroken = false;
    nodeAgents.forget(machine);
    conditionsEnd(node);
    for (FaultObject fault : faults.list()) {
      if (fault.view().node().equals(node)) {
        faults.delete(fault.meta().key(), "", null);
      }
    }
    back(node);
    each(Gang::look);
  }

  void each(Consumer<Gang> change) {
    List.copyOf(gangs.values()).forEach(change);
  }

  /** Whether the container of that pod has a process, whatever the API says of the pod. */
  public boolean hasProcess(PodView pod) {
    Gang gang = gangs.get(pod.jobUid());
    return gang != null && gang.processes().find(pod.uid()) != null;
  }

  /** Whether the node is Ready for the scheduler. */
  public boolean ready(String node) {
    return nodes.find(node).filter(n -> n.readiness() == Readiness.READY).isPresent();
  }
}
