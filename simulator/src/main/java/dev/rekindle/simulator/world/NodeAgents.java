package dev.rekindle.simulator.world;

import dev.rekindle.detect.fault.FaultObservation;
import dev.rekindle.detect.fault.FaultResolution;
import dev.rekindle.simulator.api.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The agents of all nodes: the events that trigger each, and their faults. */
public final class NodeAgents {
  private final World world;
  private final Map<String, NodeAgent> agents = new LinkedHashMap<>();

  /** The share of calls that are lost before their effect. */
  private double lost;

  /** The share of calls whose answer is lost. */
  private double unheard;

  NodeAgents(World world) {
    this.world = world;
  }

  private NodeAgent of(String node) {
    return agents.computeIfAbsent(node, name -> new NodeAgent(world, world.machine(name)));
  }

  // --- what they hear of --------------------------------------------------------------------

  void ordered(Change<OrderObject> change) {
    OrderObject order = change.object();
    for (PodObject pod : world.podsOf(order.job())) {
      if (!pod.node().isEmpty()) {
        of(pod.node()).wake();
      }
    }
    for (NodeAgent agent : List.copyOf(agents.values())) {
      if (agent.hasOrder(order.meta().uid())) {
        agent.wake();
      }
    }
  }

  void changed(Change<PodObject> change) {
    PodObject pod = change.object();
    if (pod.node().isEmpty()) {
      return;
    }
    if (change.after() == null && hasProcess(pod)) {
      of(pod.node()).wakeFor(pod);
    } else if (ordered(pod) || has(pod)) {
      of(pod.node()).wake();
    }
  }

  private boolean hasProcess(PodObject pod) {
    return world.gangs().get(pod.job(), pod.meta().owner()).processes().find(pod.meta().uid())
        != null;
  }

  private boolean ordered(PodObject pod) {
    for (OrderObject order : world.orders().all()) {
      if (order.spec().jobUid().equals(pod.meta().owner())) {
        return true;
      }
    }
    return false;
  }

  private boolean has(PodObject pod) {
    NodeAgent agent = agents.get(pod.node());
    return agent != null && agent.has(pod.meta().uid());
  }

  /** The node answers again. */
  void back(Machine machine) {
    NodeAgent agent = of(machine.name());
    agent.startsAgain();
    agent.goesOn();
  }

  /** The API server answers again then. */
  void apiBack(Instant then) {
    world.loop().at(then, () -> agents.values().forEach(NodeAgent::wakeIfRunning));
  }

  /** Whether the agent of that node runs, as far as it is the agent's own business. */
  public boolean lives(String node) {
    NodeAgent agent = agents.get(node);
    return agent == null || agent.lives();
  }

  /** Whether the agent of that node can report something. */
  boolean answers(String node) {
    return world.machine(node).answers() && !world.controlPlane().apiAway() && lives(node);
  }

  /** The kernel of that machine, or a driver, logs this. */
  void kernelSays(Machine machine, String text) {
    machine.log().kernel(text);
    of(machine.name()).hears();
  }

  /** A process on that machine writes this into the kernel log. */
  void processSays(Machine machine, String text) {
    machine.log().process(text);
    of(machine.name()).hears();
  }

  /** A detector of devices on that machine sees this. */
  void sees(Machine machine, FaultObservation observation) {
    of(machine.name()).sees(observation);
  }

  /** A detector of devices on that machine finds that something is over. */
  void resolved(Machine machine, FaultResolution resolution) {
    of(machine.name()).resolved(resolution);
  }

  /** The hardware of that machine was put right, and its log was emptied. */
  void forget(Machine machine) {
    machine.log().clear();
    of(machine.name()).forget();
  }

  // --- faults -------------------------------------------------------------------------------

  /** It is the agent of another machine, with another disk. */
  void exchanged(String node) {
    NodeAgent former = agents.remove(node);
    if (former != null) {
      former.retire();
    }
  }

  void powerLost(String node) {
    of(node).powerLost();
  }

  /** The agent of that node is killed, and back after that time. */
  public void dies(String node, Duration time) {
    of(node).dies(time);
  }

  /** It takes its time for so long. */
  public void slow(String node, Duration time) {
    of(node).slowUntil(world.now().plus(time));
  }

  /** It can freeze nothing for so long. */
  public void cannotFreeze(String node, Duration time) {
    of(node).cannotFreezeUntil(world.now().plus(time));
  }

  /** Its watches show nothing new for so long. */
  public void blind(String node, Duration time) {
    of(node).blindUntil(world.now().plus(time));
  }

  /** Its writes are refused for so long. */
  public void refused(String node, int code, Duration time) {
    of(node).refusedUntil(code, world.now().plus(time));
  }

  /** It can write nothing to its disk for so long. */
  public void diskFull(String node, Duration time) {
    of(node).diskFullUntil(world.now().plus(time));
  }

  /** Its wall clock steps. */
  public void clockSteps(String node, Duration by) {
    of(node).clockSteps(by);
  }

  /** So many of their calls are lost before their effect, so many after it. */
  public void loseCalls(double before, double after) {
    lost = before;
    unheard = after;
  }

  /** What becomes of one call of an agent. */
  enum CallOutcome {
    ANSWERED,
    LOST,
    UNHEARD
  }

  /** What becomes of the next call. */
  CallOutcome nextCall() {
    if (lost + unheard == 0) {
      return CallOutcome.ANSWERED;
    }
    double chance = world.chance();
    return chance < lost
        ? CallOutcome.LOST
        : chance < lost + unheard ? CallOutcome.UNHEARD : CallOutcome.ANSWERED;
  }

  /** Nothing is wrong with any of them any more. */
  public void calm() {
    lost = 0;
    unheard = 0;
    for (NodeAgent agent : List.copyOf(agents.values())) {
      agent.cannotFreezeUntil(Instant.MIN);
      agent.refusedUntil(0, Instant.MIN);
      agent.diskFullUntil(Instant.MIN);
      agent.clockIsSet();
    }
  }

  /** Ends all of them. */
  void close() {
    agents.values().forEach(NodeAgent::end);
  }
}
