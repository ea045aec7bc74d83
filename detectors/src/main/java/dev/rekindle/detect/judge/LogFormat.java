package dev.rekindle.detect.judge;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.rekindle.detect.judge.LogLine.Kind;
import dev.rekindle.detect.kmsg.KmsgRecord;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes off a line what the tool that printed it has put before the kernel's message: {@code dmesg}
 * in its time formats, with facility and level, {@code journalctl} in its output formats, syslog
 * files, and raw records of {@code /dev/kmsg}. Forms may be mixed. Of a journal's lines only those
 * of the kernel are taken: what a process prints is no word of a driver, nor what it writes into
 * {@code /dev/kmsg}, where the facility shows it.
 */
final class LogFormat {
  private static final List<String> MONTHS =
      List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

  private static final Pattern RAW = Pattern.compile("^\\d{1,6},\\d{1,18},\\d{1,18},[^;]{0,200};");
  private static final Pattern LEVEL =
      Pattern.compile("^(?:<(\\d{1,3})>|([a-z0-9]{2,8}) *: ?[a-z]{2,6} *: ?)");

  /** What a process writes into {@code /dev/kmsg} has one of these, and never {@code kern}. */
  private static final Pattern OTHER_FACILITY =
      Pattern.compile(
          "^(?:user|mail|daemon|auth|syslog|lpr|news|uucp|cron|authpriv|ftp|local[0-7])$");

  private static final Pattern CALLER = Pattern.compile("^\\[ *[TC]\\d{1,10}\\] ?");

  /** {@code [ 123.456789]}, {@code [ 123.456789 < 0.000012>]}. */
  private static final Pattern SECONDS =
      Pattern.compile("^\\[ *(\\d{1,10}(?:\\.\\d{1,9})?)(?: *< *\\d{1,10}\\.\\d{1,9}>)?\\] ?");

  /** {@code [ +0.000012]}, {@code [< 0.000012>]}. */
  private static final Pattern DELTA =
      Pattern.compile("^\\[(?: *\\+|< *)(\\d{1,10}\\.\\d{1,9})>?\\] ?");

  private static final String DAY_TIME = "(\\d\\d):(\\d\\d):(\\d\\d)(?:[.,]\\d{1,9})?";

  /** {@code [Fri Nov 21 10:00:00 2026]}. */
  private static final Pattern CTIME =
      Pattern.compile(
          "^\\[[A-Z][a-z]{2} ([A-Z][a-z]{2}) +(\\d{1,2}) " + DAY_TIME + " (\\d{4})\\] ?");

  /** {@code [Nov21 10:00]}. */
  private static final Pattern MINUTE =
      Pattern.compile("^\\[([A-Z][a-z]{2}) ?(\\d{1,2}) (\\d\\d):(\\d\\d)\\] ?");

  /** {@code Nov 21 10:00:00}. */
  private static final Pattern SHORT =
      Pattern.compile("^([A-Z][a-z]{2}) +(\\d{1,2}) " + DAY_TIME + " ");

  /** {@code 2026-11-21T10:00:00.123456+00:00}, and with a comma, a space, or no zone. */
  private static final Pattern ISO =
      Pattern.compile(
          "^(?:[A-Z][a-z]{2} )?(\\d{4}-\\d\\d-\\d\\d)[T ](\\d\\d:\\d\\d:\\d\\d)(?:[.,](\\d{1,9}))?"
              + "(?: ?(Z|UTC|[+-]\\d\\d:?\\d\\d))? ");

  private static final Pattern UNIX = Pattern.compile("^(\\d{9,11}\\.\\d{1,9}) ");

  /** Host and tag of the kernel, or the tag alone. */
  private static final Pattern KERNEL_TAG =
      Pattern.compile("^(?:[^ ]{1,255} )?kernel(?:\\[\\d+\\])?: ?");

  /** Host, and tag and id of a process; the kernel on a process that died has no host here. */
  private static final Pattern OTHER_TAG =
      Pattern.compile("^[^ ]{1,255} [^ ]{1,255}\\[\\d+\\]: (?:[^s]|s[^e]|$)");

  private static final Pattern MARK = Pattern.compile("^-- (?:Boot|Reboot)\\b");

  private boolean raw;
  private boolean othersMessage;

  /** Reads the next line, without its line break. */
  LogLine read(String line) {
    var text = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    if (text.startsWith("{")) {
      raw = false;
      return JournalJson.read(text);
    }
    if (RAW.matcher(text).find()) {
      raw = true;
      return raw(text);
    }
    if (raw && text.startsWith(" ")) {
      return LogLine.other(new Stamp.None()); // A line of the record's dictionary.
    }
    raw = false;
    if (MARK.matcher(text).find()) {
      return new LogLine(Kind.BOOT, new Stamp.None(), "", "");
    }
    return stamped(text);
  }

  private static LogLine raw(String text) {
    var kmsg = KmsgRecord.read(text.getBytes(StandardCharsets.UTF_8));
    return kmsg.isEmpty() || !kmsg.get().isOfKernel()
        ? LogLine.other(new Stamp.None())
        : LogLine.kernel(
            new Stamp.SinceBoot(Duration.ofNanos(kmsg.get().microsSinceBoot() * 1000)),
            kmsg.get().text());
  }

  private LogLine stamped(String line) {
    var level = LEVEL.matcher(line);
    var levelled = level.find();
    if (levelled && isOfProcess(level)) {
      othersMessage = true;
      return LogLine.other(new Stamp.None());
    }
    var text = levelled ? line.substring(level.end()) : line;
    for (var pattern : List.of(SECONDS, CTIME, DELTA, MINUTE)) {
      var stamp = pattern.matcher(text);
      if (stamp.find()) {
        othersMessage = false;
        var rest = without(KERNEL_TAG, without(CALLER, text.substring(stamp.end())));
        return LogLine.kernel(bracketed(pattern, stamp), unescape(rest));
      }
    }
    for (var pattern : List.of(SHORT, ISO, UNIX)) {
      var stamp = pattern.matcher(text);
      if (stamp.find()) {
        return journal(pattern, stamp, text.substring(stamp.end()));
      }
    }
    // The rest of a message of several lines is indented, and whose it is was said before.
    if (text.startsWith(" ") && othersMessage) {
      return LogLine.other(new Stamp.None());
    }
    othersMessage = false;
    var rest = without(KERNEL_TAG, text.stripLeading());
    var stamp = SECONDS.matcher(rest);
    return stamp.find()
        ? LogLine.kernel(bracketed(SECONDS, stamp), unescape(rest.substring(stamp.end())))
        : LogLine.kernel(new Stamp.None(), unescape(rest));
  }

  private static boolean isOfProcess(Matcher level) {
    var priority = level.group(1);
    return priority == null
        ? OTHER_FACILITY.matcher(level.group(2)).matches()
        : Integer.parseInt(priority) > 7;
  }

  private LogLine journal(Pattern pattern, Matcher stamp, String rest) {
    var time = time(pattern, stamp);
    var tag = KERNEL_TAG.matcher(rest);
    if (tag.find()) {
      othersMessage = false;
      // A syslog file may have the kernel's own stamp as well.
      return LogLine.kernel(time, unescape(without(SECONDS, rest.substring(tag.end()))));
    }
    // dmesg prints this form too, without host and tag.
    othersMessage = !pattern.equals(ISO) || OTHER_TAG.matcher(rest).find();
    return othersMessage ? LogLine.other(time) : LogLine.kernel(time, unescape(rest));
  }

  private static Stamp bracketed(Pattern pattern, Matcher stamp) {
    if (pattern.equals(SECONDS)) {
      return new Stamp.SinceBoot(seconds(stamp.group(1)));
    }
    if (pattern.equals(DELTA)) {
      return new Stamp.Later(seconds(stamp.group(1)));
    }
    if (pattern.equals(MINUTE)) {
      return yearless(stamp.group(1), stamp.group(2), stamp.group(3), stamp.group(4), "00");
    }
    var time =
        yearless(stamp.group(1), stamp.group(2), stamp.group(3), stamp.group(4), stamp.group(5));
    try {
      return time instanceof Stamp.Yearless yearless
          ? new Stamp.Moment(
              yearless.time().withYear(Integer.parseInt(stamp.group(6))).toInstant(ZoneOffset.UTC))
          : time;
    } catch (DateTimeException e) {
      return new Stamp.None();
    }
  }

  private static Stamp time(Pattern pattern, Matcher stamp) {
    if (pattern.equals(SHORT)) {
      return yearless(
          stamp.group(1), stamp.group(2), stamp.group(3), stamp.group(4), stamp.group(5));
    }
    if (pattern.equals(UNIX)) {
      return new Stamp.Moment(Instant.EPOCH.plus(seconds(stamp.group(1))));
    }
    try {
      var fraction = stamp.group(3) == null ? "" : "." + stamp.group(3);
      return new Stamp.Moment(
          OffsetDateTime.parse(
                  stamp.group(1) + "T" + stamp.group(2) + fraction + zone(stamp.group(4)))
              .toInstant());
    } catch (DateTimeException e) {
      return new Stamp.None();
    }
  }

  private static String zone(@Nullable String zone) {
    if (zone == null || zone.equals("UTC")) {
      return "Z";
    }
    return zone.length() == 5 ? zone.substring(0, 3) + ":" + zone.substring(3) : zone;
  }

  private static Stamp yearless(
      String month, String day, String hour, String minute, String second) {
    try {
      return new Stamp.Yearless(
          LocalDateTime.of(
              2000,
              MONTHS.indexOf(month) + 1,
              Integer.parseInt(day),
              Integer.parseInt(hour),
              Integer.parseInt(minute),
              Math.min(59, Integer.parseInt(second))));
    } catch (DateTimeException e) {
      return new Stamp.None();
    }
  }

  private static Duration seconds(String number) {
    return Duration.ofNanos(new BigDecimal(number).movePointRight(9).longValue());
  }

  private static String without(Pattern prefix, String text) {
    var found = prefix.matcher(text);
    return found.find() ? text.substring(found.end()) : text;
  }

  /** Line breaks as dmesg, journald and rsyslog write them. */
  private static String unescape(String message) {
    var text = message.stripTrailing();
    if (text.indexOf('\\') < 0 && text.indexOf('#') < 0) {
      return text;
    }
    return text.replace("\\x0a", "\n").replace("#012", "\n");
  }
}
