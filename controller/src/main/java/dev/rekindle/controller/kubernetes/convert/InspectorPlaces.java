package dev.rekindle.controller.kubernetes.convert;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Where in the inspector a volume may be mounted: at a plain path, beside its program and what its
 * Java runtime reads. The admission policy of the chart refuses the others.
 */
final class InspectorPlaces {
  private static final Pattern ODD = Pattern.compile("//|/[.][.]?/");
  private static final Set<String> ABOVE = Set.of("/", "/opt/", "/dev/");
  private static final List<String> OWN =
      List.of("/app/", "/opt/jre/", "/lib/", "/lib64/", "/usr/", "/etc/", "/proc/", "/sys/");

  private InspectorPlaces() {}

  static boolean areBeside(String mountPath) {
    String place = mountPath.endsWith("/") ? mountPath : mountPath + "/";
    return place.startsWith("/")
        && !ODD.matcher(place).find()
        && !ABOVE.contains(place)
        && OWN.stream().noneMatch(place::startsWith);
  }
}
