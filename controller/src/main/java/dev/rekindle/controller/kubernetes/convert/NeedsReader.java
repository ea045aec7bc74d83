package dev.rekindle.controller.kubernetes.convert;

import dev.rekindle.controller.model.Labels;
import dev.rekindle.controller.model.PodNeeds;
import dev.rekindle.controller.model.PodNeeds.Condition;
import dev.rekindle.controller.model.PodNeeds.Term;
import dev.rekindle.controller.model.PodNeeds.Toleration;
import dev.rekindle.controller.network.NetworkWish;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads what the pods of a template need of a node. Never throws, whatever the template holds. */
final class NeedsReader {
  /** The template is the tenant's: of longer lists the rest counts for nothing. */
  private static final int MOST = 64;

  /** Of the values in the conditions of a template, which are kept for as long as its job. */
  private static final int MOST_VALUES = 1_024;

  private static final int LONGEST_NAME = 253;

  /** Of an object: labels of a domain, as far as it matters here. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-.a-z0-9]*[a-z0-9])?");

  private int values;

  private NeedsReader() {}

  /**
   * What they need.
   *
   * @param ours our part of the affinity, which is about to be another one
   */
  static PodNeeds of(@Nullable PodTemplateSpec template, AffinityPatch ours) {
    PodSpec spec = template == null ? null : template.getSpec();
    if (template == null || spec == null) {
      return PodNeeds.NONE;
    }
    return new PodNeeds(
        AmountsReader.of(spec),
        selector(spec),
        new NeedsReader().terms(spec.getAffinity(), ours),
        orEmpty(spec.getTolerations()).stream()
            .filter(Objects::nonNull)
            .limit(MOST)
            .map(
                t ->
                    new Toleration(
                        Texts.cut(t.getKey()),
                        "Exists".equals(t.getOperator()),
                        Texts.cut(t.getValue()),
                        Texts.cut(t.getEffect())))
            .toList(),
        onePerNode(spec.getAffinity()),
        networks(template),
        claims(spec),
        List.of());
  }

  /**
   * Names of the claims. What is no name of an object is left out: it would be read by a path of
   * the API, and no pod has it.
   */
  private static List<String> claims(PodSpec spec) {
    return orEmpty(spec.getVolumes()).stream()
        .filter(v -> v != null && v.getPersistentVolumeClaim() != null)
        .map(v -> v.getPersistentVolumeClaim().getClaimName())
        .filter(name -> name != null && name.length() <= LONGEST_NAME)
        .filter(name -> NAME.matcher(name).matches())
        .distinct()
        .limit(MOST)
        .toList();
  }

  /** Whether all of it counts: of a longer one the rest would be no alternative any more. */
  static boolean isReadWhole(NodeSelector selector) {
    List<NodeSelectorTerm> terms = orEmpty(selector.getNodeSelectorTerms());
    int values = 0;
    for (NodeSelectorTerm term : terms) {
      if (term == null) {
        continue;
      }
      List<NodeSelectorRequirement> conditions =
          Stream.of(term.getMatchExpressions(), term.getMatchFields())
              .flatMap(given -> orEmpty(given).stream())
              .filter(Objects::nonNull)
              .toList();
      for (NodeSelectorRequirement condition : conditions) {
        values += orEmpty(condition.getValues()).size();
      }
      if (conditions.size() > MOST) {
        return false;
      }
    }
    return terms.size() <= MOST && values <= MOST_VALUES;
  }

  private static NetworkWish networks(PodTemplateSpec template) {
    return template.getMetadata() == null || template.getMetadata().getAnnotations() == null
        ? NetworkWish.NONE
        : WishReader.of(template.getMetadata().getAnnotations());
  }

  private static Map<String, String> selector(PodSpec spec) {
    Map<String, String> selector = new HashMap<>();
    Objects.requireNonNullElse(spec.getNodeSelector(), Map.<String, String>of()).entrySet().stream()
        .filter(e -> e.getKey() != null && e.getValue() != null)
        .limit(MOST)
        .forEach(e -> selector.put(Texts.cut(e.getKey()), Texts.cut(e.getValue())));
    return selector;
  }

  private List<Term> terms(@Nullable Affinity affinity, AffinityPatch ours) {
    if (affinity == null
        || affinity.getNodeAffinity() == null
        || affinity.getNodeAffinity().getRequiredDuringSchedulingIgnoredDuringExecution() == null) {
      return List.of();
    }
    List<NodeSelectorTerm> given =
        affinity
            .getNodeAffinity()
            .getRequiredDuringSchedulingIgnoredDuringExecution()
            .getNodeSelectorTerms();
    List<Term> terms =
        orEmpty(given).stream()
            .filter(Objects::nonNull)
            .limit(MOST)
            .filter(t -> !isOnlyOurs(t, ours))
            .map(
                t ->
                    new Term(
                        conditions(t.getMatchExpressions(), ours),
                        conditions(t.getMatchFields(), AffinityPatch.NOTHING)))
            .toList();
    return terms;
  }

  private static boolean isOnlyOurs(NodeSelectorTerm term, AffinityPatch ours) {
    return orEmpty(term.getMatchFields()).isEmpty()
        && !orEmpty(term.getMatchExpressions()).isEmpty()
        && new NeedsReader().conditions(term.getMatchExpressions(), ours).isEmpty();
  }

  private List<Condition> conditions(
      @Nullable List<NodeSelectorRequirement> given, AffinityPatch ours) {
    return orEmpty(given).stream()
        .filter(r -> r != null && r.getKey() != null && r.getOperator() != null)
        .limit(MOST)
        .map(r -> new Condition(Texts.cut(r.getKey()), Texts.cut(r.getOperator()), values(r)))
        .filter(c -> !ours.isExclusion(c.key(), c.operator(), c.values()))
        .toList();
  }

  private List<String> values(NodeSelectorRequirement requirement) {
    List<String> kept =
        orEmpty(requirement.getValues()).stream()
            .filter(Objects::nonNull)
            .limit(MOST_VALUES - values)
            .map(Texts::cut)
            .toList();
    values += kept.size();
    return kept;
  }

  /** Whom the anti-affinity selects is not read: as a rule the pods of the job itself. */
  private static boolean onePerNode(@Nullable Affinity affinity) {
    return affinity != null
        && affinity.getPodAntiAffinity() != null
        && orEmpty(
                affinity.getPodAntiAffinity().getRequiredDuringSchedulingIgnoredDuringExecution())
            .stream()
            .anyMatch(t -> t != null && Labels.HOSTNAME.equals(t.getTopologyKey()));
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return Objects.requireNonNullElse(list, List.of());
  }
}
