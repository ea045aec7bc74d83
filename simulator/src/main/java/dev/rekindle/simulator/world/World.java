package dev.rekindle.simulator.world;

import dev.rekindle.api.Scorecard;
import dev.rekindle.controller.model.ClusterEvent;
import dev.rekindle.controller.model.JobKey;
import dev.rekindle.controller.model.NodeView.Readiness;
import dev.rekindle.controller.model.Policy;
import dev.rekindle.simulator.api.ApiServer;
import dev.rekindle.simulator.api.Collection;
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
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** A cluster without Rekindle: its API server and all of its own components. */
public final class World {
  private static final String POLICY = "default";

  private final Loop loop;
  private final Timing timing;
  private final RandomGenerator random;
  private final ClusterObjects objects;

  private final Map<String, Machine> machines = new LinkedHashMap<>();
  private final Map<String, Kubelet> kubelets = new HashMap<>();
  private final Gangs gangs = new Gangs();
  private final PodIndex podIndex = new PodIndex();
  private final RankReporters rankReporters = new RankReporters(this);
  private final Hardware hardware = new Hardware(this);
  private final PastFaults pastFaults = new PastFaults(this);
  private final JobFaults jobFaults = new JobFaults(this);
  private final AgentLies agentLies = new AgentLies(this);
  private final NodeAgents nodeAgents = new NodeAgents(this);
  private final NodeReplacement turnover = new NodeReplacement(this);
  private final NodeOutages nodeOutages = new NodeOutages(this);
  private final NodeConditions nodeConditions = new NodeConditions(this);
  private final ControlPlane controlPlane = new ControlPlane(this);
  private final InspectorPods inspectorPods = new InspectorPods(this);
  private final Namespaces namespaces;
  private final Queueing queueing;
  private final Spiderpool spiderpool;
  private final PodGroups podGroups;
  private final Devices devices;
  private final List<Consumer<SimEvent>> listeners = new ArrayList<>();
  private final Set<ClusterEvent> events = new HashSet<>();
  private boolean sparesRequested;
  private TruthObserver witness = new TruthObserver() {};

  /** Makes everything that the setup names; nothing has moved yet. */
  public World(Setup setup, Loop loop, RandomGenerator random) {
    this.loop = loop;
    this.timing = setup.timing();
    this.random = random;
    this.namespaces = new Namespaces(loop);
    ApiServer api = new ApiServer(loop);
    objects = ClusterObjects.installedIn(api);
    queueing = new Queueing(this, api.install("workloads"), api.install("clusterqueues"));
    spiderpool = new Spiderpool(this, api.install("spiderippools"));
    podGroups = new PodGroups(this, api.install("podgroups"));
    devices = Devices.of(this, api, setup.devices());
    new Reactions(this, podIndex).watch();
    policies().create(new PolicyObject(Meta.draft("", POLICY, ""), setup.policy(), Scorecard.NONE));
    if (setup.quota() > 0) {
      queueing.install(setup.quota());
    }
    if (setup.rails().rails() > 0) {
      spiderpool.install(setup.rails());
    }
    setup.nodes().forEach(this::add);
    setup.jobs().forEach(this::submit);
  }

  /** The policy for nodes, and for jobs that name no other one. */
  Policy policy() {
    return policies().find(POLICY).map(PolicyObject::policy).orElse(Policy.DEFAULT);
  }

  private void add(NodeSetup node) {
    Machine machine = new Machine(node, loop);
    machines.put(node.name(), machine);
    kubelets.put(node.name(), new Kubelet(this, machine));
    machine.nodeUid =
        nodes()
            .create(NodeObject.draft(node, machine.bootId(), Readiness.READY, now()))
            .meta()
            .uid();
    devices.begin(machine);
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
    JobObject job = jobs().create(draft);
    sparesRequested |= job.setup().spares() > 0;
    Gang gang = new Gang(this, job.setup());
    gangs.add(job.meta().uid(), gang);
    rankReporters.follow(gang, job);
    if (queueing.isInstalled()) {
      queueing.queue(job);
    }
    return job;
  }

  /** The owner of a job requests another number of ranks. */
  public void resize(JobObject job, int ranks) {
    JobSetup next = job.setup().sized(ranks);
    var _ = jobs().patch(job.meta().key(), j -> j.withSetup(next));
    gangs.get(job.meta().uid()).resized(next);
  }

  /** The owner of a job edits its replica templates: pods that are made from now on have it. */
  public void edit(JobObject job, JobSetup next) {
    var _ = jobs().patch(job.meta().key(), j -> j.withSetup(next));
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
    return objects.jobs();
  }

  /** Pods of training jobs. */
  public Collection<PodObject> pods() {
    return objects.pods();
  }

  /** Nodes. */
  public Collection<NodeObject> nodes() {
    return objects.nodes();
  }

  /** Node faults. */
  public Collection<FaultObject> faults() {
    return objects.faults();
  }

  /** Rank reports. */
  public Collection<RankObject> ranks() {
    return objects.ranks();
  }

  /** Recoveries. */
  public Collection<RecoveryObject> recoveries() {
    return objects.recoveries();
  }

  /** Orders to restart in place. */
  public Collection<OrderObject> orders() {
    return objects.orders();
  }

  /** What agents report on such orders. */
  public Collection<RestartObject> restarts() {
    return objects.restarts();
  }

  /** Checkpoint inspectors. */
  public Collection<InspectorObject> inspectors() {
    return objects.inspectors();
  }

  /** Warm spares. */
  public Collection<SpareObject> spares() {
    return objects.spares();
  }

  /**
   * Whether a job has requested warm spares so far, even one that is deleted: it may be submitted
   * again while the same processes watch (seed 92312144).
   */
  public boolean sparesRequested() {
    return sparesRequested;
  }

  /** Leases. */
  public Collection<LeaseObject> leases() {
    return objects.leases();
  }

  /** ConfigMaps. */
  public Collection<ConfigMapObject> configMaps() {
    return objects.configMaps();
  }

  /** Recovery policies. */
  public Collection<PolicyObject> policies() {
    return objects.policies();
  }

  /** Pods of exactly this job, terminating ones too. */
  public List<PodObject> podsOf(JobObject job) {
    return podIndex.pods(pods(), job);
  }

  /** Pods by the label of their job, of any job UID. */
  public List<PodObject> podsOf(JobKey job) {
    return podIndex.pods(pods(), job);
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

  /** The training of every job that was ever submitted. */
  public Gangs gangs() {
    return gangs;
  }

  /** The training of the job of that UID. */
  public Gang gang(String jobUid) {
    return gangs.get(jobUid);
  }

  TruthObserver witness() {
    return witness;
  }

  /** What breaks in the machines. */
  public Hardware hardware() {
    return hardware;
  }

  /** What was broken in them before the run began. */
  public PastFaults pastFaults() {
    return pastFaults;
  }

  /** What goes wrong in jobs. */
  public JobFaults jobFaults() {
    return jobFaults;
  }

  RankReporters rankReporters() {
    return rankReporters;
  }

  /** The agents of all nodes. */
  public NodeAgents nodeAgents() {
    return nodeAgents;
  }

  /** What a stolen agent makes of the reports on the pods of its node. */
  public AgentLies agentLies() {
    return agentLies;
  }

  /** Which nodes have power and are connected. */
  public NodeOutages nodeOutages() {
    return nodeOutages;
  }

  /** What node monitors write on nodes. */
  public NodeConditions nodeConditions() {
    return nodeConditions;
  }

  /** Outages of the control plane. */
  public ControlPlane controlPlane() {
    return controlPlane;
  }

  /** Pods of checkpoint inspectors. */
  public InspectorPods inspectorPods() {
    return inspectorPods;
  }

  /** Nodes that are deleted and come again. */
  public NodeReplacement turnover() {
    return turnover;
  }

  /** Kueue, which is not there unless it is installed. */
  public Queueing queueing() {
    return queueing;
  }

  /** Addresses of pods. */
  public Spiderpool spiderpool() {
    return spiderpool;
  }

  /** Groups of pods that are placed together. */
  public PodGroups podGroups() {
    return podGroups;
  }

  /** Those who say how devices are. */
  public Devices devices() {
    return devices;
  }

  /** Which namespaces are being deleted. */
  public Namespaces namespaces() {
    return namespaces;
  }

  /** Writes an Event; false where it is there already. */
  public boolean write(ClusterEvent event) {
    return events.add(event);
  }

  /** Whether the Event is there. */
  public boolean isWritten(ClusterEvent event) {
    return events.contains(event);
  }

  /** Replaces the observer of what no object shows. */
  public void witness(TruthObserver next) {
    witness = next;
  }

  /** Adds a listener to everything that happens from now on. */
  public void listen(Consumer<SimEvent> listener) {
    listeners.add(listener);
  }

  /** Passes on that something happened. */
  public void emit(SimEvent.Kind kind, String subject, String text) {
    if (!listeners.isEmpty()) {
      SimEvent happening = new SimEvent(now(), kind, subject, text);
      listeners.forEach(listener -> listener.accept(happening));
    }
  }

  /** Whether an event has a listener. Where it has none, its text need not be built. */
  public boolean hasListeners() {
    return !listeners.isEmpty();
  }

  /** Between three quarters and five quarters of it. */
  public Duration jitter(Duration mean) {
    long nanos = mean.toNanos();
    return Duration.ofNanos(nanos - nanos / 4 + (long) (nanos / 2.0 * random.nextDouble()));
  }

  /** From zero to one. */
  double chance() {
    return random.nextDouble();
  }

  /** Either, by chance. */
  boolean heads() {
    return random.nextBoolean();
  }

  /** Ends what runs on threads of its own. */
  public void close() {
    nodeAgents.close();
  }

  /** Whether the node is Ready for the scheduler. */
  public boolean ready(String node) {
    return nodes().find(node).filter(n -> n.readiness() == Readiness.READY).isPresent();
  }
}
