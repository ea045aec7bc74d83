package dev.rekindle.detect.xid;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One XID as the driver printed it.
 *
 * @param code the XID
 * @param pci address of the GPU, {@code 0000:3b:00}: lower case, without function digit
 * @param gpuInstance MIG GPU instance the error is attributed to
 * @param computeInstance MIG compute instance the error is attributed to
 * @param pid process the driver named, in the host's numbering
 * @param process its name
 * @param text what follows, possibly empty
 * @param recoveryAction the new recovery action, for XID 154
 * @param causedBy the XID that this one follows, if the driver reports it
 */
public record XidEvent(
    int code,
    String pci,
    OptionalInt gpuInstance,
    OptionalInt computeInstance,
    OptionalLong pid,
    Optional<String> process,
    String text,
    Optional<RecoveryAction> recoveryAction,
    OptionalInt causedBy) {}
