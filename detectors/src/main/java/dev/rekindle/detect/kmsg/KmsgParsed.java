package dev.rekindle.detect.kmsg;

/** What came of reading one record: the record, or why it is none. */
sealed interface KmsgParsed permits KmsgRecord, KmsgParsed.Malformed {
  /**
   * Bytes that are no record.
   *
   * @param reason what is wrong with them, one clause
   */
  record Malformed(String reason) implements KmsgParsed {}
}
