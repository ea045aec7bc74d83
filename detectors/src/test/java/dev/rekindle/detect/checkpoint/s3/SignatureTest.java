package dev.rekindle.detect.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The vectors that AWS publishes: the examples of "Authenticating Requests: Using the Authorization
 * Header" of the S3 API, and of the suite aws-sig-v4-test-suite.
 */
class SignatureTest {
  private static final Signature OF_S3 =
      new Signature(
          new Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""),
          "us-east-1",
          "s3");
  private static final Signature OF_SUITE =
      new Signature(
          new Credentials("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""),
          "us-east-1",
          "service");

  private static Map<String, String> headers(String... more) {
    var headers = new TreeMap<String, String>();
    headers.put("Host", "examplebucket.s3.amazonaws.com");
    headers.put("x-amz-content-sha256", Signature.NO_BODY);
    headers.put("x-amz-date", "20130524T000000Z");
    for (int i = 0; i < more.length; i += 2) {
      headers.put(more[i], more[i + 1]);
    }
    return headers;
  }

  @Test
  void signsAReadOfARangeAsAwsDoes() {
    assertThat(OF_S3.of("GET", "/test.txt", "", headers("Range", "bytes=0-9"), Signature.NO_BODY))
        .isEqualTo(
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
  }

  @Test
  void signsAListingAsAwsDoes() {
    assertThat(OF_S3.of("GET", "/", "max-keys=2&prefix=J", headers(), Signature.NO_BODY))
        .endsWith("=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    assertThat(OF_S3.of("GET", "/", "lifecycle=", headers(), Signature.NO_BODY))
        .endsWith("=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
  }

  @Test
  void signsAPathThatIsEncodedOnce() {
    var headers = headers("Date", "Fri, 24 May 2013 00:00:00 GMT");
    headers.put("x-amz-storage-class", "REDUCED_REDUNDANCY");
    var hash = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
    headers.put("x-amz-content-sha256", hash);

    assertThat(OF_S3.of("PUT", "/" + Keys.encode("test$file.text", true), "", headers, hash))
        .endsWith("=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
  }

  @ParameterizedTest
  @CsvSource({
    "'', 5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    "Param1=value1&Param2=value2,"
        + " b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  })
  void signsAsTheSuiteDoes(String query, String signature) {
    var headers = Map.of("Host", "example.amazonaws.com", "X-Amz-Date", "20150830T123600Z");

    assertThat(OF_SUITE.of("GET", "/", query, headers, Signature.NO_BODY))
        .endsWith("=" + signature);
  }

  @Test
  void trimsWhatAHeaderSaysAsTheSuiteDoes() {
    var headers =
        Map.of(
            "Host",
            "example.amazonaws.com",
            "My-Header1",
            " value1",
            "My-Header2",
            " \"a   b   c\"",
            "X-Amz-Date",
            "20150830T123600Z");

    assertThat(OF_SUITE.of("GET", "/", "", headers, Signature.NO_BODY))
        .endsWith("=acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736");
  }

  @Test
  void writesTimesInUtc() {
    assertThat(Signature.time(Instant.parse("2015-08-30T12:36:00.999Z")))
        .isEqualTo("20150830T123600Z");
  }
}
