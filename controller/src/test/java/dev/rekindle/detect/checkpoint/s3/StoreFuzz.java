package dev.rekindle.detect.checkpoint.s3;

import dev.rekindle.detect.checkpoint.Scanner;
import dev.rekindle.detect.checkpoint.files.Budget;
import dev.rekindle.detect.checkpoint.files.Place;
import dev.rekindle.detect.checkpoint.files.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Feeds answers to the reader of object stores: one page, and whole listings that are scanned. */
public final class StoreFuzz {
  private static final String URL = "s3://bucket/run";

  /** So many requests a scan: an endless listing ends by this alone. */
  private static final int REQUESTS = 60;

  private StoreFuzz() {}

  /** A page of a listing. */
  public static void page(byte[] input) {
    try {
      var page = Listing.read(input);
      if (page.objects().size() + page.prefixes().size() > Listing.MOST) {
        throw new AssertionError("a page of " + page.objects().size());
      }
      for (var object : page.objects()) {
        if (object.bytes() < 0 || object.key().length() > Keys.LONGEST) {
          throw new AssertionError("an object that cannot be: " + object);
        }
      }
    } catch (IOException refused) {
      bounded(String.valueOf(refused.getMessage()));
    }
  }

  /** Pages with NULs between them, answered one after another, and from the first again. */
  public static void scan(byte[] input) {
    var pages = new ArrayList<byte[]>();
    for (int from = 0, at = 0; at <= input.length; at++) {
      if (at == input.length || input[at] == 0) {
        pages.add(Arrays.copyOfRange(input, from, at));
        from = at + 1;
      }
    }
    for (var flat : List.of(true, false)) {
      var result = new Scanner(place(pages, flat), Scanner.Settings.USUAL).scan();
      bounded(result.error());
      for (var found : result.checkpoints()) {
        path(found.path());
        bounded(found.verdict().reason());
      }
      result.stepless().forEach(found -> path(found.path()));
    }
  }

  private static Place place(List<byte[]> pages, boolean flat) {
    var credentials = new Credentials("AKIA", "secret", "");
    return new Place() {
      @Override
      public Storage open(Budget budget) throws IOException {
        return S3Storage.of(
            new Requests(
                new ScriptedClient(pages),
                S3Url.parse(URL),
                Endpoint.parse("http://store.example:9000", "us-east-1", "bucket"),
                new Signature(credentials, "us-east-1", "s3"),
                InstantSource.fixed(Instant.EPOCH),
                budget,
                REQUESTS),
            S3Url.parse(URL),
            flat);
      }

      @Override
      public String text() {
        return URL;
      }
    };
  }

  private static void path(String path) {
    if (!path.equals(URL) && !path.startsWith(URL + "/")) {
      throw new AssertionError("outside of the prefix: " + path);
    }
    for (var part : path.substring(URL.length()).split("/", -1)) {
      if (part.equals(".") || part.equals("..") || part.chars().anyMatch(Character::isISOControl)) {
        throw new AssertionError("no path: " + path);
      }
    }
  }

  private static void bounded(String text) {
    if (text.length() > 600 || text.chars().anyMatch(Character::isISOControl)) {
      throw new AssertionError("a reason of " + text.length() + ": " + text);
    }
  }

  private static String page(String more, String... keys) {
    var page = new StringBuilder("<ListBucketResult>").append(more);
    for (var key : keys) {
      page.append("<Contents><Key>")
          .append(key)
          .append("</Key><LastModified>2026-01-01T00:00:00Z</LastModified><Size>4096</Size>")
          .append("<ETag>\"a\"</ETag></Contents>");
    }
    return page.append("</ListBucketResult>").toString();
  }

  /** Pages, complete and hostile. */
  public static List<byte[]> pages() {
    return seeds(
        page("<EncodingType>url</EncodingType>", "run/step-30.pt", "run/a%2Fb+c", "run/%00%0A"),
        page("<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>"),
        "<ListBucketResult><CommonPrefixes><Prefix>run/x/</Prefix></CommonPrefixes></ListBucketResult>",
        "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b"
            + " \"&a;&a;&a;\">]><ListBucketResult>&b;</ListBucketResult>",
        "<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><ListBucketResult/>",
        page("", "run/&amp;&#x41;&lt;<![CDATA[x]]>", "run/../../etc/passwd", "run//x", "other/y"),
        "<a>".repeat(40),
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?><ListBucketResult/>");
  }

  /** Listings of several pages. */
  public static List<byte[]> listings() {
    var more = "<IsTruncated>true</IsTruncated><NextContinuationToken>%s</NextContinuationToken>";
    return seeds(
        page("", "run/step-00000030.pt", "run/step-00000040.pt")
            + "\0"
            + page("", "run/step-00000050.pt"),
        page(more.formatted("a"), "run/step-00000030.pt")
            + "\0"
            + page(more.formatted("b"), "run/step-00000040.pt"),
        page("", "run/iter_0000030/metadata.json", "run/latest_checkpointed_iteration.txt"),
        page("", "run/checkpoint-30/../x", "run/checkpoint-30/trainer_state.json"),
        "<ListBucketResult><CommonPrefixes><Prefix>run/checkpoint-30/</Prefix></CommonPrefixes>"
            + "<CommonPrefixes><Prefix>run/../</Prefix></CommonPrefixes></ListBucketResult>");
  }

  private static List<byte[]> seeds(String... texts) {
    return Arrays.stream(texts).map(text -> text.getBytes(StandardCharsets.UTF_8)).toList();
  }
}
