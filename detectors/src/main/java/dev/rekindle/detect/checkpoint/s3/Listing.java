package dev.rekindle.detect.checkpoint.s3;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * One page of ListObjectsV2. What stands in it is the store's, and the names are a tenant's: no
 * document type is read, no entity but the five of XML, nothing outside of the page, and no more
 * than a page has.
 *
 * @param objects the objects of the page
 * @param prefixes what is below a delimiter
 * @param next token of the next page; empty on the last one
 */
record Listing(List<Stored> objects, List<String> prefixes, String next) {
  /** Names that S3 gives in one page. */
  static final int MOST = 1_000;

  /** Bytes that a page has: 1,000 keys of 1,024 characters, each as up to nine bytes. */
  static final int MOST_BYTES = 10 * 1024 * 1024;

  private static final int LONGEST = 16 * 1024;
  private static final int LONGEST_TAG = 256;
  private static final int DEEPEST = 16;

  /**
   * An object.
   *
   * @param key its key
   * @param bytes its size
   * @param modified when it was uploaded, to the second; of a large one when its upload began
   * @param tag its ETag, as it was given
   */
  record Stored(String key, long bytes, Instant modified, String tag) {}

  /**
   * Reads a page.
   *
   * @throws IOException where it is none; the message is a clause
   */
  static Listing read(byte[] page) throws IOException {
    XMLStreamReader xml = null;
    try {
      xml = factory().createXMLStreamReader(new ByteArrayInputStream(page));
      return new Reader(xml).read();
    } catch (XMLStreamException | RuntimeException e) {
      throw new IOException("the listing makes no sense", e);
    } finally {
      close(xml);
    }
  }

  private static void close(@org.jspecify.annotations.Nullable XMLStreamReader xml) {
    try {
      if (xml != null) {
        xml.close();
      }
    } catch (XMLStreamException e) {
      // It holds bytes in memory, and no file.
      return;
    }
  }

  private static XMLInputFactory factory() {
    var factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
    factory.setProperty(XMLInputFactory.IS_VALIDATING, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, false);
    return factory;
  }

  /** Walks one page. */
  private static final class Reader {
    private final XMLStreamReader xml;
    private final List<Stored> objects = new ArrayList<>();
    private final List<String> prefixes = new ArrayList<>();
    private boolean encoded;
    private boolean truncated;
    private String next = "";

    Reader(XMLStreamReader xml) {
      this.xml = xml;
    }

    Listing read() throws XMLStreamException, IOException {
      if (xml.nextTag() != XMLStreamConstants.START_ELEMENT
          || !xml.getLocalName().equals("ListBucketResult")) {
        throw new IOException("the answer is no listing");
      }
      while (xml.nextTag() == XMLStreamConstants.START_ELEMENT) {
        switch (xml.getLocalName()) {
          case "Contents" -> object();
          case "CommonPrefixes" -> prefix();
          case "EncodingType" -> encoded = text().equals("url");
          case "IsTruncated" -> truncated = text().equals("true");
          case "NextContinuationToken" -> next = text();
          default -> skip();
        }
        if (objects.size() + prefixes.size() > MOST) {
          throw new IOException("a page of the listing has more than " + MOST + " names");
        }
      }
      if (truncated && next.isEmpty()) {
        throw new IOException("the listing is cut off and has no token to continue");
      }
      var keyed = new ArrayList<Stored>();
      for (var o : objects) {
        keyed.add(new Stored(decoded(o.key()), o.bytes(), o.modified(), o.tag()));
      }
      var folders = new ArrayList<String>();
      for (var prefix : prefixes) {
        folders.add(decoded(prefix));
      }
      return new Listing(keyed, folders, truncated ? next : "");
    }

    /** The encoding may be named after the keys. */
    private String decoded(String text) throws IOException {
      var key = encoded ? Keys.decode(text) : text;
      if (key.length() > Keys.LONGEST) {
        // A listing of many pages is kept whole.
        throw new IOException("a key of the listing is longer than " + Keys.LONGEST);
      }
      return key;
    }

    private void object() throws XMLStreamException, IOException {
      var key = "";
      var tag = "";
      var bytes = -1L;
      var modified = Instant.MIN;
      while (xml.nextTag() == XMLStreamConstants.START_ELEMENT) {
        switch (xml.getLocalName()) {
          case "Key" -> key = text();
          case "Size" -> bytes = Long.parseLong(text());
          case "LastModified" -> modified = time(text());
          case "ETag" -> tag = text(LONGEST_TAG);
          default -> skip();
        }
      }
      if (key.isEmpty() || bytes < 0 || modified.equals(Instant.MIN)) {
        throw new IOException("an object of the listing lacks its key, size or time");
      }
      objects.add(new Stored(key, bytes, modified, tag));
    }

    private void prefix() throws XMLStreamException, IOException {
      while (xml.nextTag() == XMLStreamConstants.START_ELEMENT) {
        if (xml.getLocalName().equals("Prefix")) {
          prefixes.add(text());
        } else {
          skip();
        }
      }
    }

    private static Instant time(String text) throws IOException {
      try {
        return Instant.parse(text);
      } catch (DateTimeException e) {
        throw new IOException("an object of the listing has no time", e);
      }
    }

    /** The text of an element that holds nothing else. */
    private String text() throws XMLStreamException, IOException {
      return text(LONGEST);
    }

    private String text(int longest) throws XMLStreamException, IOException {
      var text = new StringBuilder();
      while (xml.next() != XMLStreamConstants.END_ELEMENT) {
        if (xml.getEventType() == XMLStreamConstants.CHARACTERS
            || xml.getEventType() == XMLStreamConstants.CDATA) {
          text.append(xml.getText());
        } else {
          throw new IOException("the listing has something else where a text should be");
        }
        if (text.length() > longest) {
          throw new IOException("a text of the listing is longer than " + longest);
        }
      }
      return text.toString();
    }

    private void skip() throws XMLStreamException, IOException {
      for (int depth = 1; depth > 0; ) {
        switch (xml.next()) {
          case XMLStreamConstants.START_ELEMENT -> depth++;
          case XMLStreamConstants.END_ELEMENT -> depth--;
          case XMLStreamConstants.ENTITY_REFERENCE, XMLStreamConstants.DTD ->
              throw new IOException("the listing has an entity or a document type");
          default -> {}
        }
        if (depth > DEEPEST) {
          throw new IOException("the listing is nested deeper than " + DEEPEST);
        }
      }
    }
  }
}
