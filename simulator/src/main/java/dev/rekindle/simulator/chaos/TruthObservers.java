package dev.rekindle.simulator.chaos;

import dev.rekindle.controller.model.JobKey;
import dev.rekindle.simulator.world.JobObject;
import dev.rekindle.simulator.world.OrderObject;
import dev.rekindle.simulator.world.PodObject;
import dev.rekindle.simulator.world.TruthObserver;
import java.util.List;
import java.util.Map;

/**
 * Forwards facts that no object shows.
 *
 * @param to the observers
 */
record TruthObservers(List<? extends TruthObserver> to) implements TruthObserver {
  @Override
  public void runs(JobKey job, Map<String, Integer> running) {
    to.forEach(w -> w.runs(job, running));
  }

  @Override
  public void begins(JobKey job, String generation, JobObject.Template template, long from) {
    to.forEach(w -> w.begins(job, generation, template, from));
  }

  @Override
  public void findsOldStore(JobKey job, String pod, boolean survivor) {
    to.forEach(w -> w.findsOldStore(job, pod, survivor));
  }

  @Override
  public void looksAt(JobKey job, int rank, Standing standing, boolean dumped, boolean lies) {
    to.forEach(w -> w.looksAt(job, rank, standing, dumped, lies));
  }

  @Override
  public void freezes(OrderObject order, PodObject pod) {
    to.forEach(w -> w.freezes(order, pod));
  }
}
