package dev.rekindle.controller.model;

import dev.rekindle.api.LoggedSaves;
import dev.rekindle.api.RankReportStatus.LoadError;
import dev.rekindle.api.RankReportStatus.Loss;
import dev.rekindle.api.RankReportStatus.Pace;
import dev.rekindle.api.RankReportStatus.RestartAsked;
import dev.rekindle.api.Transport;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What the controller keeps of a RankReport.
 *
 * @param job the job
 * @param pod pod name
 * @param podUid pod UID
 * @param node node of the agent that wrote it
 * @param restartCount run of the container the steps belong to
 * @param firstStep first step of this run
 * @param lastStep newest step
 * @param firstStepTime when the first was printed
 * @param lastStepTime when the number last grew
 * @param observedTime when the agent last read the log
 * @param asked the restart of the gang that its script requests, absent when it requests none
 * @param pace how its steps follow each other, absent where it is not measured
 * @param stepless whether it has printed lines for some minutes, none of which names a step
 * @param silent whether its container has printed nothing for some minutes
 * @param loadError the newest line that says that a checkpoint cannot be loaded, absent where a
 *     step was made since
 * @param loss what the lines of this run say of the loss, absent where none names one
 * @param saves how it saves, by its lines, absent where none names a save
 * @param transport what carries NCCL's data, by its INFO lines, absent where none names a network
 */
@RecordBuilder
public record RankView(
    JobKey job,
    String pod,
    String podUid,
    String node,
    int restartCount,
    @Nullable Long firstStep,
    @Nullable Long lastStep,
    @Nullable Instant firstStepTime,
    @Nullable Instant lastStepTime,
    @Nullable Instant observedTime,
    @Nullable RestartAsked asked,
    @Nullable Pace pace,
    boolean stepless,
    boolean silent,
    @Nullable LoadError loadError,
    @Nullable Loss loss,
    @Nullable LoggedSaves saves,
    @Nullable Transport transport)
    implements RankViewBuilder.With {}
