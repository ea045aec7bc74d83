package dev.rekindle.testbed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A training job to be: testbed/job.yaml with settings, and edited where a test needs more. Opted
 * in, with its checkpoint directory, unless set otherwise.
 */
final class JobRequest {
  private static final String COUNTS_STEPS =
      """
      trap 'exit 143' TERM
      mkdir -p /ckpt/.light
      step=$(cat /ckpt/.light/$HOSTNAME 2> /dev/null || echo 0)
      while :; do
        step=$((step + 1))
        echo $step > /ckpt/.light/$HOSTNAME
        echo "step $step loss 1.0"
        sleep 0.2
      done
      """;

  private final Scene scene;
  private final String name;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final Map<String, String> annotations = new LinkedHashMap<>();
  private final List<Consumer<ObjectNode>> edits = new ArrayList<>();
  private String folder = "";
  private Path volume;

  JobRequest(Scene scene, String name) {
    this.scene = scene;
    this.name = name;
    volume = Testbed.RUN.resolve("ckpt").resolve(name);
    workers(1);
    annotation("rekindle.dev/recover", "true");
    annotation("rekindle.dev/checkpoint", "/ckpt");
    // Its nodes are one machine.
    annotation("rekindle.dev/checkpoint-shared", "true");
    // What most tests are about; the others request another way.
    annotation("rekindle.dev/restart", "rebuild");
  }

  /** Ranks beside the master. */
  JobRequest workers(int workers) {
    return set("WORKERS", Integer.toString(workers));
  }

  /** Restart policy of all replicas. */
  JobRequest restartPolicy(String policy) {
    return set("RESTART_POLICY", policy);
  }

  /** A setting of testbed/job.sh. */
  JobRequest set(String setting, String value) {
    settings.put(setting, value);
    return this;
  }

  /** A script of examples/pytorchjob, instead of train.py. */
  JobRequest script(String file) {
    return set("SCRIPT", file);
  }

  /** Restarted as the policy has it: with the annotations alone that every job needs. */
  JobRequest asThePolicyHasIt() {
    annotations.remove("rekindle.dev/restart");
    return this;
  }

  /**
   * The worker goes to that node while nothing keeps it off. The master avoids it: the ranks of a
   * job share no node, so that a master there would keep the worker away.
   */
  JobRequest workerPrefers(String node) {
    return edit(
        job -> {
          nodeAffinity(job, "Worker")
              .putArray("preferredDuringSchedulingIgnoredDuringExecution")
              .addObject()
              .put("weight", 100)
              .set("preference", hostname(job, "In", node));
          nodeAffinity(job, "Master")
              .putObject("requiredDuringSchedulingIgnoredDuringExecution")
              .putArray("nodeSelectorTerms")
              .add(hostname(job, "NotIn", node));
        });
  }

  private static ObjectNode nodeAffinity(ObjectNode job, String replica) {
    return ((ObjectNode)
            job.at("/spec/pytorchReplicaSpecs/%s/template/spec/affinity".formatted(replica)))
        .putObject("nodeAffinity");
  }

  private static ObjectNode hostname(ObjectNode job, String operator, String node) {
    ObjectNode term = job.objectNode();
    term.putArray("matchExpressions")
        .addObject()
        .put("key", "kubernetes.io/hostname")
        .put("operator", operator)
        .putArray("values")
        .add(node);
    return term;
  }

  /** Its ranks go to these nodes only. */
  JobRequest onNodes(List<String> nodes) {
    return onNodes(nodes, nodes);
  }

  /** Its ranks go to these nodes only, and to some of them first. */
  JobRequest onNodes(List<String> nodes, List<String> first) {
    return editTemplates(
        template -> {
          ObjectNode affinity = template.withObject("/spec/affinity/nodeAffinity");
          in(
              nodes,
              affinity
                  .putObject("requiredDuringSchedulingIgnoredDuringExecution")
                  .putArray("nodeSelectorTerms")
                  .addObject());
          in(
              first,
              affinity
                  .putArray("preferredDuringSchedulingIgnoredDuringExecution")
                  .addObject()
                  .put("weight", 100)
                  .putObject("preference"));
        });
  }

  private static void in(List<String> nodes, ObjectNode term) {
    ArrayNode values =
        term.putArray("matchExpressions")
            .addObject()
            .put("key", "kubernetes.io/hostname")
            .put("operator", "In")
            .putArray("values");
    nodes.forEach(values::add);
  }

  /** Its ranks go to nodes with that label only. */
  JobRequest onNodesWith(String label, String value) {
    return editTemplates(template -> template.withObject("/spec/nodeSelector").put(label, value));
  }

  /** An annotation of the job. */
  JobRequest annotation(String key, String value) {
    annotations.put(key, value);
    return this;
  }

  /** To be restarted in place wherever that is possible, however lately its containers ended. */
  JobRequest inPlace() {
    return annotation("rekindle.dev/restart", "inPlace");
  }

  /** Without a single annotation. */
  JobRequest notOptedIn() {
    annotations.clear();
    return this;
  }

  /** Changes the whole object. */
  JobRequest edit(Consumer<ObjectNode> edit) {
    edits.add(edit);
    return this;
  }

  /** Changes both templates. */
  JobRequest editTemplates(Consumer<ObjectNode> edit) {
    return edit(
        job -> {
          for (JsonNode replica : job.at("/spec/pytorchReplicaSpecs")) {
            edit.accept((ObjectNode) replica.get("template"));
          }
        });
  }

  /** A variable in the environment of every rank, also where the template sets another value. */
  JobRequest env(String variable, String value) {
    return editTemplates(
        template -> {
          ArrayNode env = (ArrayNode) template.at("/spec/containers/0/env");
          env.removeIf(set -> set.path("name").asText().equals(variable));
          env.addObject().put("name", variable).put("value", value);
        });
  }

  /**
   * A script that can be given another checkpoint where it is: variables that refer to annotations.
   */
  JobRequest resumesByAnnotation() {
    return editTemplates(
        template -> {
          ArrayNode env = (ArrayNode) template.at("/spec/containers/0/env");
          Map.of("REKINDLE_RESUME_FROM", "resume-from", "REKINDLE_ATTEMPT", "resume-attempt")
              .forEach(
                  (variable, annotation) ->
                      env.addObject()
                          .put("name", variable)
                          .putObject("valueFrom")
                          .putObject("fieldRef")
                          .put(
                              "fieldPath",
                              "metadata.annotations['rekindle.dev/" + annotation + "']"));
        });
  }

  /** Rank 0 saves on a disk of that node, and so runs there; the others keep off it. */
  JobRequest checkpointsOnADiskOf(String node) {
    LocalVolume.create(scene, name, volume, node);
    annotations.remove("rekindle.dev/checkpoint-shared");
    return edit(
        job -> {
          LocalVolume.claim((ObjectNode) job.at("/spec/pytorchReplicaSpecs/Master/template"), name);
          nodeAffinity(job, "Worker")
              .putObject("requiredDuringSchedulingIgnoredDuringExecution")
              .putArray("nodeSelectorTerms")
              .add(hostname(job, "NotIn", node));
        });
  }

  /** Checkpoints on a path of the host that is another disk on each node. */
  JobRequest checkpointsOnDisksOfNodes() {
    volume = NodeDisks.inPods(name);
    scene.onCleanUp(() -> NodeDisks.delete(name));
    annotations.remove("rekindle.dev/checkpoint-shared");
    return this;
  }

  /** Rank 0 goes to a node with that label first, and the others to one without it. */
  JobRequest masterPrefers(String label, String value) {
    return edit(
        job -> {
          prefers(job, "Master", label, "In", value);
          prefers(job, "Worker", label, "NotIn", value);
        });
  }

  private static void prefers(
      ObjectNode job, String replica, String label, String operator, String value) {
    ObjectNode term =
        nodeAffinity(job, replica)
            .putArray("preferredDuringSchedulingIgnoredDuringExecution")
            .addObject()
            .put("weight", 50);
    term.putObject("preference")
        .putArray("matchExpressions")
        .addObject()
        .put("key", label)
        .put("operator", operator)
        .putArray("values")
        .add(value);
  }

  /** Ranks go each on a node of its own where they can, and share one where they cannot. */
  JobRequest sharingNodes() {
    return editTemplates(
        template -> {
          ObjectNode affinity = (ObjectNode) template.at("/spec/affinity/podAntiAffinity");
          ArrayNode terms =
              (ArrayNode) affinity.remove("requiredDuringSchedulingIgnoredDuringExecution");
          affinity
              .putArray("preferredDuringSchedulingIgnoredDuringExecution")
              .addObject()
              .put("weight", 100)
              .set("podAffinityTerm", terms.get(0));
        });
  }

  /**
   * Without PyTorch: a script that counts steps, continues where it was, and starts at once. For
   * what does not depend on who trains.
   */
  JobRequest light() {
    return editTemplates(
        template ->
            ((ObjectNode) template.at("/spec/containers/0"))
                .putArray("command")
                .add("sh")
                .add("-c")
                .add(COUNTS_STEPS));
  }

  /** Creates a copy of another job under its own name, as a person does with kubectl. */
  TrainingJob startAs(GenericKubernetesResource original) {
    KubernetesSerialization json = new KubernetesSerialization();
    ObjectNode job = json.convertValue(original, ObjectNode.class);
    job.remove("status");
    ObjectNode metadata = (ObjectNode) job.get("metadata");
    metadata.remove(
        List.of("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"));
    metadata.put("name", name);
    TrainingJob training = new TrainingJob(scene, name, volume);
    scene.started(training);
    training.create(json.convertValue(job, GenericKubernetesResource.class));
    return training;
  }

  /** Saves its checkpoints in a folder of that name, within the volume. */
  JobRequest checkpointsIn(String name) {
    folder = name;
    return annotation("rekindle.dev/checkpoint", "/ckpt/" + name)
        .env("CHECKPOINT_DIR", "/ckpt/" + name);
  }

  /** Creates it. */
  TrainingJob start() {
    GenericKubernetesResource job = object();
    TrainingJob training = new TrainingJob(scene, name, volume.resolve(folder));
    scene.started(training);
    training.create(job);
    return training;
  }

  /** What the API server would store if it were created. */
  GenericKubernetesResource stored() {
    return scene.client().resource(object()).inNamespace(Testbed.NAMESPACE).dryRun().create();
  }

  private GenericKubernetesResource object() {
    set("NAME", name);
    set("NAMESPACE", Testbed.NAMESPACE);
    set("CKPT_DIR", volume.toString());
    set("ANNOTATIONS", Serialization.asJson(annotations).replace("\n", " "));
    List<String> program =
        new ArrayList<>(List.of(Testbed.ROOT.resolve("testbed/job.sh").toString()));
    settings.forEach((key, value) -> program.add(key + "=" + value));
    String yaml = Command.run(Duration.ofMinutes(2), program.toArray(String[]::new));
    // The YAML has an alias, which a parser that builds a tree directly would leave unresolved.
    KubernetesSerialization json = new KubernetesSerialization();
    ObjectNode job =
        json.convertValue(json.unmarshal(yaml, GenericKubernetesResource.class), ObjectNode.class);
    edits.forEach(edit -> edit.accept(job));
    return json.convertValue(job, GenericKubernetesResource.class);
  }
}
