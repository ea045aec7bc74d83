package dev.rekindle.simulator.world;

import dev.rekindle.api.NodeFaultSpec;
import dev.rekindle.api.NodeFaultStatus;
import dev.rekindle.controller.kubernetes.convert.FaultReader;
import dev.rekindle.controller.model.FaultView;
import dev.rekindle.detect.fault.FaultState;
import dev.rekindle.simulator.api.ApiObject;
import dev.rekindle.simulator.api.Meta;
import org.jspecify.annotations.Nullable;

/**
 * A NodeFault.
 *
 * @param meta metadata
 * @param state its spec and status
 * @param labelled whether it carries the label by which agents find their own
 * @param view what the controller keeps of it
 */
public record FaultObject(Meta meta, FaultState state, boolean labelled, FaultView view)
    implements ApiObject<FaultObject> {
  /** The object of that metadata and state. */
  public static FaultObject of(Meta meta, FaultState state, boolean labelled) {
    return new FaultObject(
        meta,
        state,
        labelled,
        FaultReader.view(meta.name(), state.spec(), state.status(), meta.written()));
  }

  @Override
  public FaultObject with(Meta newMeta) {
    return of(newMeta, state, labelled);
  }

  /** The same with another spec: what is no status is written apart. */
  public FaultObject with(NodeFaultSpec spec) {
    return of(meta, new FaultState(spec, state.status()), labelled);
  }

  /** The same with another status. */
  public FaultObject with(@Nullable NodeFaultStatus status) {
    return of(meta, new FaultState(state.spec(), status), labelled);
  }
}
