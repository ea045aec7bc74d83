package dev.rekindle.simulator.world;

import dev.rekindle.api.RestartInstruction;
import dev.rekindle.api.RestartOrderSpec;
import dev.rekindle.api.RestartReportSpec;
import dev.rekindle.api.RestartReportSpec.PodRestart;
import dev.rekindle.api.RestartReportSpec.State;
import dev.rekindle.controller.cluster.JobView.OptIn;
import dev.rekindle.simulator.Happening.Kind;
import dev.rekindle.simulator.api.Change;
import dev.rekindle.simulator.api.Meta;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the node agents do on the word of orders: each freezes, kills and confirms for the pods of
 * its own node. What it froze it has noted on its disk before, so that its death loses nothing but
 * time. While its node cannot reach the API server it only thaws when the order's time is over.
 */
final class RestartAgents {
  /** From what changed to the first thing done about it. */
  private static final Duration REACTS = Duration.ofMillis(120);

  /** From freezing or killing to the proof that it worked. */
  private static final Duration CONFIRMS = Duration.ofMillis(60);

  private static final Duration TRIES_AGAIN = Duration.ofSeconds(1);

  private static final String HOW = "cgroup-v2";

  /** What an agent knows of one container that it has to do with. */
  private static final class Note {
    private final PodObject pod;
    private @Nullable RankProcess container;
    private int restarts;
    private State state = State.KILLED;

    /** It was ended on the word of the order: what runs next is wanted. */
    private boolean ended;

    private Note(PodObject pod) {
      this.pod = pod;
    }

    private PodRestart told() {
      return new PodRestart(
          pod.meta().name(),
          pod.meta().uid(),
          container == null ? "" : container.containerId(),
          restarts,
          container == null ? "" : HOW,
          state);
    }
  }

  /** One order on one node. */
  private static final class Duty {
    private OrderObject order;
    private final Map<String, Note> notes = new TreeMap<>();
    private @Nullable RestartInstruction done;
    private String problem = "";
    private boolean over;

    private Duty(OrderObject order) {
      this.order = order;
    }

    private void reached(RestartInstruction instruction) {
      if (done == null || done.compareTo(instruction) < 0) {
        done = instruction;
      }
    }
  }

  private static final class Agent {
    private final Machine machine;
    private final Map<String, Duty> duties = new TreeMap<>();
    private Instant back = Instant.MIN;
    private Instant swift = Instant.MIN;
    private Instant freezes = Instant.MIN;
    private boolean asked;

    private Agent(Machine machine) {
      this.machine = machine;
    }
  }

  private final World world;
  private final Map<String, Agent> agents = new HashMap<>();

  RestartAgents(World world) {
    this.world = world;
  }

  private Agent of(String node) {
    return agents.computeIfAbsent(node, name -> new Agent(world.machine(name)));
  }

  // --- what it hears of ---------------------------------------------------------------------

  void ordered(Change<OrderObject> change) {
    OrderObject order = change.object();
    for (PodObject pod : world.podsOf(order.job())) {
      if (!pod.node().isEmpty()) {
        wake(pod.node());
      }
    }
    for (Agent agent : agents.values()) {
      if (agent.duties.containsKey(order.meta().uid())) {
        wake(agent.machine.name());
      }
    }
  }

  void changed(Change<PodObject> change) {
    PodObject pod = change.object();
    if (pod.node().isEmpty()) {
      return;
    }
    boolean gone = change.after() == null && process(pod) != null;
    if (gone || ordered(pod) || has(pod)) {
      wake(pod.node());
    }
  }

  private boolean ordered(PodObject pod) {
    for (OrderObject order : world.orders().all()) {
      if (order.spec().jobUid().equals(pod.meta().owner())) {
        return true;
      }
    }
    return false;
  }

  /** Whether the agent of its node has to do with it. */
  private boolean has(PodObject pod) {
    Agent agent = agents.get(pod.node());
    return agent != null
        && agent.duties.values().stream().anyMatch(d -> d.notes.containsKey(pod.meta().uid()));
  }

  /** The node answers again. */
  void back(Machine machine) {
    wake(machine.name());
  }

  private void wake(String node) {
    Agent agent = of(node);
    boolean slow = agent.swift.isAfter(world.now());
    Duration reacts = world.timing().watchLag().plus(REACTS);
    wake(agent, world.jitter(slow ? reacts.multipliedBy(30) : reacts));
  }

  private void wake(Agent agent, Duration after) {
    if (!agent.asked) {
      agent.asked = true;
      world.loop().after(after, () -> awake(agent));
    }
  }

  private void awake(Agent agent) {
    agent.asked = false;
    if (agent.back.isAfter(world.now())) {
      agent.asked = true;
      world.loop().at(agent.back, () -> awake(agent));
    } else if (agent.machine.runs()) {
      if (world.apiAway()) {
        wake(agent, world.jitter(TRIES_AGAIN));
      }
      look(agent);
    }
  }

  /** Whether its process is there. */
  boolean lives(String node) {
    Agent agent = agents.get(node);
    return agent == null || !agent.back.isAfter(world.now());
  }

  // --- what befalls it ----------------------------------------------------------------------

  /** The agent of that node is killed, and back after that time. */
  void dies(String node, Duration back) {
    of(node).back = world.now().plus(back);
    wake(node);
  }

  /** It takes its time until then. */
  void slow(String node, Instant until) {
    of(node).swift = until;
  }

  /** It can freeze nothing until then. */
  void cannotFreeze(String node, Instant until) {
    of(node).freezes = until;
  }

  // --- what it does -------------------------------------------------------------------------

  private void look(Agent agent) {
    if (hears(agent)) {
      hear(agent);
      endWhatIsGone(agent);
    }
    for (Duty duty : List.copyOf(agent.duties.values())) {
      carryOut(agent, duty);
    }
  }

  /** Whether it can reach the API server; where that does not answer it tries again. */
  private boolean hears(Agent agent) {
    return agent.machine.connected && !world.apiAway();
  }

  /** Reads the orders: new ones, what they say now, and those that are gone. */
  private void hear(Agent agent) {
    for (OrderObject order : world.orders().all()) {
      Duty duty = agent.duties.get(order.meta().uid());
      if (duty != null) {
        duty.order = order;
      } else if (concerns(agent, order)) {
        agent.duties.put(order.meta().uid(), new Duty(order));
        Instant until = order.spec().until();
        if (until != null) {
          world.loop().at(until, () -> wake(agent, Duration.ZERO));
        }
      }
    }
    for (Duty duty : List.copyOf(agent.duties.values())) {
      OrderObject there = world.orders().find(duty.order.meta().key()).orElse(null);
      if (there == null || !there.meta().uid().equals(duty.order.meta().uid())) {
        duty.notes.values().forEach(this::letGo);
        agent.duties.remove(duty.order.meta().uid());
      }
    }
  }

  private boolean concerns(Agent agent, OrderObject order) {
    boolean optedIn =
        world
            .jobs()
            .find(order.job().toString())
            .filter(job -> job.meta().uid().equals(order.spec().jobUid()))
            .filter(job -> job.optIn() instanceof OptIn.Yes)
            .isPresent();
    return optedIn && world.podsOf(order.job()).stream().anyMatch(p -> isOurs(agent, order, p));
  }

  /** A pod of the old generation on its node. */
  private static boolean isOurs(Agent agent, OrderObject order, PodObject pod) {
    return pod.node().equals(agent.machine.name())
        && pod.meta().owner().equals(order.spec().jobUid())
        && !order.isOlderThan(pod);
  }

  /** The order is gone: what is frozen runs on, unless its pod is to end. */
  private void letGo(Note note) {
    RankProcess container = note.container;
    if (container == null || !container.frozen) {
      return;
    }
    if (isToEnd(note.pod)) {
      kill(note.pod, container);
    } else {
      gang(note.pod).thaw(container);
    }
  }

  private void carryOut(Agent agent, Duty duty) {
    RestartOrderSpec spec = duty.order.spec();
    for (Note note : duty.notes.values()) {
      RankProcess container = note.container;
      if (container != null && container.frozen && hears(agent) && isToEnd(note.pod)) {
        kill(note.pod, container);
        note.state = State.KILLED;
      }
    }
    boolean restartsAll = spec.instruction() == RestartInstruction.RESTART_ALL;
    Instant until = spec.until();
    if (!restartsAll && until != null && !world.now().isBefore(until)) {
      duty.over = true;
      duty.notes.values().forEach(this::thaw);
    }
    if (!hears(agent)) {
      return;
    }
    if (!duty.over && !restartsAll && freezesMore(agent, duty)) {
      wake(agent, world.jitter(CONFIRMS));
      return;
    }
    if (!duty.over && duty.problem.isEmpty()) {
      duty.reached(RestartInstruction.FREEZE);
    }
    if (!duty.over && spec.instruction() == RestartInstruction.RESTART_LEADER) {
      restartLeader(agent, duty);
    }
    if (restartsAll) {
      restartAll(agent, duty);
    }
    report(agent, duty);
  }

  private void thaw(Note note) {
    RankProcess container = note.container;
    if (container != null && container.frozen) {
      gang(note.pod).thaw(container);
      note.state = State.THAWED;
    }
  }

  /** Freezes what runs and is not frozen; whether there was something. */
  private boolean freezesMore(Agent agent, Duty duty) {
    boolean froze = false;
    for (PodObject pod : world.podsOf(duty.order.job())) {
      if (!isOurs(agent, duty.order, pod)) {
        continue;
      }
      Note note = duty.notes.computeIfAbsent(pod.meta().uid(), _ -> new Note(pod));
      RankProcess process = process(pod);
      if (process == null) {
        if (note.state == State.FROZEN) {
          note.state = State.KILLED;
        }
        if (note.container == null) {
          note.restarts = pod.status().restarts();
        }
      } else if (!process.frozen && !note.ended) {
        if (agent.freezes.isAfter(world.now())) {
          duty.problem = "not all processes of pod %s freeze".formatted(pod.meta().name());
          continue;
        }
        world.witness().freezes(duty.order, pod);
        note.container = process;
        note.restarts = process.restarts;
        note.state = State.FROZEN;
        gang(pod).freeze(process);
        froze = true;
      }
    }
    return froze;
  }

  private void restartLeader(Agent agent, Duty duty) {
    Note note = duty.notes.get(duty.order.spec().leaderUid());
    if (note == null) {
      return;
    }
    if (ends(duty, note)) {
      wake(agent, world.jitter(CONFIRMS));
    } else {
      duty.reached(RestartInstruction.RESTART_LEADER);
    }
  }

  private void restartAll(Agent agent, Duty duty) {
    boolean ended = false;
    boolean all = true;
    for (Note note : duty.notes.values()) {
      if (note.state == State.THAWED) {
        all = false;
        continue;
      }
      ended |= ends(duty, note);
      RankProcess now = process(note.pod);
      if (now != null && !now.equals(note.container)) {
        note.state = State.RESTARTED;
        gang(note.pod).adopt(now, duty.order);
      } else if (!isToEnd(note.pod)) {
        all = false;
      }
    }
    if (ended) {
      wake(agent, world.jitter(CONFIRMS));
    } else if (all) {
      duty.reached(RestartInstruction.RESTART_ALL);
    }
  }

  /** Ends the container, once; whether it has just done so and has yet to see that it worked. */
  private boolean ends(Duty duty, Note note) {
    if (note.ended) {
      return false;
    }
    note.ended = true;
    note.state = State.KILLED;
    gang(note.pod).restarts(note.pod.meta().uid(), duty.order);
    // Also what a kubelet has started since: it may have met the old generation.
    RankProcess newest = process(note.pod);
    if (newest == null) {
      return false;
    }
    note.container = newest;
    note.restarts = newest.restarts;
    kill(note.pod, newest);
    return true;
  }

  private void kill(PodObject pod, RankProcess container) {
    gang(pod).kill(container);
    world.kubelet(pod.node()).killed(container);
  }

  /** Its pod is being deleted, or is gone. */
  private boolean isToEnd(PodObject pod) {
    return world
        .pods()
        .find(pod.meta().key())
        .filter(p -> p.meta().uid().equals(pod.meta().uid()))
        .filter(p -> !p.meta().terminating())
        .isEmpty();
  }

  /** Ends what runs for a pod that the API server no longer has. */
  private void endWhatIsGone(Agent agent) {
    for (Gang gang : world.gangs()) {
      for (RankProcess process : gang.all()) {
        if (process.machine.equals(agent.machine) && process.orphaned && gang.isOptedIn()) {
          gang.kill(process);
        }
      }
    }
  }

  private @Nullable RankProcess process(PodObject pod) {
    return gang(pod).process(pod.meta().uid());
  }

  private Gang gang(PodObject pod) {
    return world.gang(pod.job(), pod.meta().owner());
  }

  // --- what it says -------------------------------------------------------------------------

  /** One write for each instruction carried out, and one for what ends in between. */
  private void report(Agent agent, Duty duty) {
    OrderObject order = duty.order;
    String name = order.meta().name() + "." + agent.machine.name();
    String key = order.meta().namespace() + "/" + name;
    RestartObject before = world.restarts().find(key).orElse(null);
    RestartReportSpec spec =
        new RestartReportSpec(
            order.meta().name(),
            order.meta().uid(),
            agent.machine.name(),
            order.spec().job(),
            duty.done,
            duty.problem,
            duty.notes.values().stream().map(Note::told).toList(),
            world.now());
    if (before != null && !before.spec().orderUid().equals(order.meta().uid())) {
      world.restarts().remove(key, before.meta().uid());
      before = null;
    }
    if (before == null) {
      if (duty.done != null || !duty.problem.isEmpty()) {
        Meta draft = Meta.draft(order.meta().namespace(), name, order.meta().uid());
        world.restarts().create(new RestartObject(draft, spec));
        tell(agent, spec);
      }
    } else if (isNews(before.spec(), spec)) {
      world.restarts().patch(key, r -> new RestartObject(r.meta(), spec));
      tell(agent, spec);
    }
  }

  /** What becomes of containers on the way to the next instruction is not told. */
  private static boolean isNews(RestartReportSpec before, RestartReportSpec now) {
    boolean onTheWay =
        now.done() != null
            && now.pods().stream()
                .anyMatch(p -> p.state() == State.KILLED || p.state() == State.RESTARTED)
            && Objects.equals(before.done(), now.done());
    boolean same =
        Objects.equals(before.done(), now.done()) && before.problem().equals(now.problem());
    return !same || (!onTheWay && !before.pods().equals(now.pods()));
  }

  private void tell(Agent agent, RestartReportSpec spec) {
    if (world.heard()) {
      world.tell(
          Kind.AGENT,
          agent.machine.name(),
          "reports on %s: %s%s %s"
              .formatted(
                  spec.order(),
                  spec.done() == null ? "nothing done" : spec.done(),
                  spec.problem().isEmpty() ? "" : ", " + spec.problem(),
                  spec.pods().stream()
                      .map(p -> p.pod() + " " + p.state() + " " + p.restartCount())
                      .toList()));
    }
  }
}
