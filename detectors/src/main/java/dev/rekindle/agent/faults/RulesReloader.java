package dev.rekindle.agent.faults;

import dev.rekindle.agent.telemetry.AgentMetrics;
import dev.rekindle.detect.rules.Judge;
import dev.rekindle.detect.rules.Rules;
import dev.rekindle.detect.rules.RulesFile;
import dev.rekindle.detect.sxid.SxidCatalog;
import dev.rekindle.detect.xid.XidCatalog;
import dev.rekindle.logging.LogKey;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The judge of this agent: reads the file of rules now and then, and takes them up. */
public final class RulesReloader {
  /** Between two checks of the file. */
  public static final Duration EVERY = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(RulesReloader.class);

  private final RulesFile file;
  private final AgentMetrics metrics;
  private Instant next = Instant.MIN;
  private volatile Judge judge = new Judge(Rules.shipped(), XidCatalog.load(), SxidCatalog.load());

  /** The rules that ship, until the file is first read. */
  public RulesReloader(RulesFile file, AgentMetrics metrics) {
    this.file = file;
    this.metrics = metrics;
  }

  /** The judge with the rules in force; from any thread. */
  public Judge judge() {
    return judge;
  }

  /** Reads the file where the last check is long enough ago. */
  public void check(Instant now) {
    if (now.isBefore(next)) {
      return;
    }
    next = now.plus(EVERY);
    switch (file.check()) {
      case RulesFile.Check.Unchanged _ -> {}
      case RulesFile.Check.Changed changed -> {
        judge = judge.with(file.rules());
        metrics.rulesTaken();
        LOG.atInfo()
            .addKeyValue(LogKey.COUNT.key(), file.rules().rules().size())
            .log("Rules reloaded");
      }
      case RulesFile.Check.Wrong wrong -> {
        metrics.rulesRefused();
        LOG.atError()
            .addKeyValue(LogKey.REASON.key(), wrong.reason())
            .log("Invalid rules; keeping the previous ones");
      }
    }
  }
}
