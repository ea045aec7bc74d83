package dev.rekindle.controller.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rekindle.api.CauseReason;
import dev.rekindle.api.ResumeResult;
import dev.rekindle.controller.network.RdmaProof;
import dev.rekindle.detect.knowledge.Kind;
import dev.rekindle.detect.knowledge.Knowledge;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each word that the controller writes has an entry, and each entry a word. */
class KnowledgeTest {
  private static final Knowledge KNOWLEDGE = Knowledge.shipped();

  @Test
  void shouldExplainEachEvent() {
    var words = Stream.of(Reason.values()).map(Reason::word).toList();
    assertThat(KNOWLEDGE.gaps(Kind.EVENT, words)).isEmpty();
  }

  @Test
  void shouldExplainEachCauseThatIsNoFault() {
    var words = Stream.of(CauseReason.values()).map(CauseReason::word).toList();
    assertThat(KNOWLEDGE.gaps(Kind.CAUSE, words)).isEmpty();
  }

  @Test
  void shouldExplainEachReasonOfACondition() {
    var words =
        Stream.of(
                Stream.of(PolicyAcceptance.Reason.values()).map(PolicyAcceptance.Reason::word),
                Stream.of(RdmaProof.Finding.values()).map(RdmaProof.Finding::word),
                Stream.of(ResumeResult.values()).map(ResumeResult::word),
                // Of the condition Approved.
                Stream.of("Approved", "Expired"))
            .flatMap(Function.identity())
            .toList();
    assertThat(KNOWLEDGE.gaps(Kind.CONDITION, words)).isEmpty();
  }
}
