package dev.rekindle.detect.restart;

import dev.rekindle.api.RestartReport;
import dev.rekindle.api.RestartReportSpec;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.jspecify.annotations.Nullable;

/** The RestartReports of one node, as the API server stores them. */
public interface RestartReports {
  /**
   * The report of this node for an order; null when there is none.
   *
   * @throws KubernetesClientException when it cannot be read
   */
  @Nullable RestartReport read(Order order);

  /**
   * Writes a report in one call.
   *
   * @param before what is stored; null to create it
   * @throws KubernetesClientException when it cannot be written
   */
  RestartReport write(Order order, @Nullable RestartReport before, RestartReportSpec spec);
}
