package dev.rekindle.detect.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListingTest {
  private static final String BEGIN =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          + "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
  private static final String END = "</ListBucketResult>";

  private static Listing read(String xml) throws IOException {
    return Listing.read(xml.getBytes(StandardCharsets.UTF_8));
  }

  /** The example of the API reference of AWS, with a page behind it and a folder. */
  @Test
  void shouldReadAPage() throws IOException {
    var page =
        read(
            BEGIN
                + """
                <Name>bucket</Name><Prefix>a</Prefix><KeyCount>2</KeyCount><MaxKeys>1000</MaxKeys>
                <Contents><Key>my+image%2B1.jpg</Key>
                <LastModified>2009-10-12T17:50:30.000Z</LastModified>
                <ETag>"fba9dede5f27731c9771645a39863328"</ETag><Size>434234</Size>
                <StorageClass>STANDARD</StorageClass><Owner><ID>1</ID></Owner></Contents>
                <CommonPrefixes><Prefix>photos/&amp;/</Prefix></CommonPrefixes>
                <IsTruncated>true</IsTruncated><EncodingType>url</EncodingType>
                <NextContinuationToken>1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J</NextContinuationToken>
                """
                + END);

    assertThat(page.objects())
        .containsExactly(
            new Listing.Stored(
                "my image+1.jpg",
                434_234,
                Instant.parse("2009-10-12T17:50:30Z"),
                "\"fba9dede5f27731c9771645a39863328\""));
    assertThat(page.prefixes()).containsExactly("photos/&/");
    assertThat(page.next()).isEqualTo("1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J");
  }

  @Test
  void shouldEndWhereItIsNotCutOff() throws IOException {
    var page = read(BEGIN + "<NextContinuationToken>x</NextContinuationToken>" + END);

    assertThat(page.objects()).isEmpty();
    assertThat(page.next()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "<a/>",
        "<Error><Code>x</Code></Error>",
        "<!DOCTYPE a [<!ENTITY x \"y\">]><ListBucketResult>&x;</ListBucketResult>",
        "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><ListBucketResult/>",
        "<ListBucketResult>&undeclared;</ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>-1</Size>"
            + "<LastModified>2009-10-12T17:50:30Z</LastModified></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>x</Size></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key>a</Key><Size>1</Size>"
            + "<LastModified>yesterday</LastModified></Contents></ListBucketResult>",
        "<ListBucketResult><Contents><Key><b/></Key></Contents></ListBucketResult>",
        "<ListBucketResult><EncodingType>url</EncodingType>"
            + "<CommonPrefixes><Prefix>%4</Prefix></CommonPrefixes></ListBucketResult>",
        "<ListBucketResult>",
      })
  void shouldRefuseWhatIsNoListing(String xml) {
    assertThatThrownBy(() -> read(xml)).isInstanceOf(IOException.class);
  }

  @Test
  void shouldStopAtItsBounds() throws IOException {
    assertThatThrownBy(() -> read(BEGIN + "<CommonPrefixes/>" + prefixes(1_001) + END))
        .hasMessageContaining("more than 1000 names");
    assertThatThrownBy(() -> read(BEGIN + "<x>".repeat(17) + "</x>".repeat(17) + END))
        .hasMessageContaining("nested deeper");
    assertThatThrownBy(
            () -> read(BEGIN + "<EncodingType>" + "u".repeat(20_000) + "</EncodingType>" + END))
        .hasMessageContaining("longer than");
    assertThat(read(BEGIN + object("k".repeat(1_024), "t".repeat(256)) + END).objects()).hasSize(1);
    assertThatThrownBy(() -> read(BEGIN + object("k".repeat(1_025), "t") + END))
        .hasMessage("a key of the listing is longer than 1024");
    assertThatThrownBy(() -> read(BEGIN + object("k", "t".repeat(257)) + END))
        .hasMessageContaining("longer than 256");
  }

  private static String object(String key, String tag) {
    return "<Contents><Key>%s</Key><Size>1</Size><LastModified>2009-10-12T17:50:30Z</LastModified>"
            .formatted(key)
        + "<ETag>%s</ETag></Contents>".formatted(tag);
  }

  /** Stores differ in what they encode. */
  @Test
  void shouldDecodeKeysWithCharactersThatStandForThemselves() throws IOException {
    var page =
        read(BEGIN + "<EncodingType>url</EncodingType>" + object("a%20\uD83D\uDE00é+b", "t") + END);

    assertThat(page.objects().getFirst().key()).isEqualTo("a \uD83D\uDE00é b");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "a\nb", "a\u0000b", "\u0085"})
  void shouldTakeNoNameThatNoFileShouldHave(String name) {
    assertThat(Keys.isName(name)).isFalse();
    assertThat(Keys.isPath("a/" + name)).isFalse();
  }

  private static String prefixes(int count) {
    return "<CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes>".repeat(count);
  }
}
