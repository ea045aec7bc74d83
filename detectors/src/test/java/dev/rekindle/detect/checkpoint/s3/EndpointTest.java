package dev.rekindle.detect.checkpoint.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
  @ParameterizedTest
  @CsvSource({
    "'', b-1, https://b-1.s3.eu-1.amazonaws.com, true",
    "'', b.1, https://s3.eu-1.amazonaws.com, false",
    "https://minio.example.com, b, https://minio.example.com, false",
    "https://minio.example.com:443/, b, https://minio.example.com, false",
    "http://minio.storage.svc:9000, b, http://minio.storage.svc:9000, false",
    "https://{bucket}.oss-cn-hangzhou.aliyuncs.com, b, https://b.oss-cn-hangzhou.aliyuncs.com,"
        + " true",
    "'https://[fd00::1]:9000', b, 'https://[fd00::1]:9000', false",
  })
  void shouldSayWhereTheServerIs(String text, String bucket, String url, boolean inHost) {
    var endpoint = Endpoint.parse(text, "eu-1", bucket);

    assertThat(endpoint).hasToString(url);
    assertThat(endpoint.bucketInHost()).isEqualTo(inHost);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "minio",
        "ftp://minio",
        "file:///etc/passwd",
        "https://",
        "https://a b",
        "https://user:word@minio",
        "https://minio/path",
        "https://minio?x=1",
        "https://minio#x",
        "https://minio:70000",
        "https://minio\r\nX-Evil: 1",
        "javascript:alert(1)"
      })
  void shouldRefuseWhatIsNoServer(String text) {
    assertThatThrownBy(() -> Endpoint.parse(text, "eu-1", "b"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://169.254.169.254",
        "http://[fe80::1]",
        "http://[::ffff:169.254.169.254]",
        "http://[fd00:ec2::254]",
        "http://100.100.100.200",
        "http://0.0.0.0:80",
        "http://224.0.0.1"
      })
  void shouldNotAskWhereCloudsKeepTheirOwnCredentials(String text) {
    assertThat(Endpoint.parse(text, "eu-1", "b").refusal()).contains("none of a store");
  }

  @Test
  void shouldAskServersInPrivateNetworksAndOnThisMachine() {
    assertThat(Endpoint.parse("http://10.1.2.3:9000", "r", "b").refusal()).isEmpty();
    assertThat(Endpoint.parse("http://127.0.0.1:9000", "r", "b").refusal()).isEmpty();
    assertThat(Endpoint.parse("https://no-such-host.invalid", "r", "b").refusal())
        .contains("not known");
  }

  @ParameterizedTest
  @CsvSource({
    "s3://b-1/run/7, b-1, run/7",
    "s3://b-1/run/7/, b-1, run/7",
    "s3://b-1, b-1, ''",
    "s3://b-1/, b-1, ''",
    "s3://a.b_C/x y, a.b_C, x y",
  })
  void shouldReadUrls(String text, String bucket, String prefix) {
    assertThat(S3Url.parse(text)).isEqualTo(new S3Url(bucket, prefix));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/run",
        "s3:/b/x",
        "s3://",
        "s3:///x",
        "s3://b",
        "s3://a..b/x",
        "s3://-ab/x",
        "s3://abc//x",
        "s3://abc/x/../y",
        "s3://abc/./y",
        "s3://a@b.c/x",
        "s3://abc/x\ny"
      })
  void shouldRefuseOtherUrls(String text) {
    assertThatThrownBy(() -> S3Url.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
