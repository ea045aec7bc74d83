package dev.rekindle.watch;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.deser.std.NumberDeserializers;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects as an API server stores them. A list is read as a whole, and what cannot be read in
 * one object of it hides all others: nothing is refused here that an API server accepts.
 *
 * <ul>
 *   <li>An integer beyond 32 bits is the largest or smallest one: {@code format: int32} in the
 *       schema of a resource bounds nothing.
 *   <li>A time that no clock shows, {@code 2026-11-27T10:00:00+99:99}, is none: {@code format:
 *       date-time} is a pattern to the API server.
 *   <li>A word of a closed vocabulary that this release does not know is none: CRDs are upgraded
 *       first, and a newer controller or agent may write it.
 *   <li>A name may be as long as its object. Keys of a {@code nodeSelector} in the template of a
 *       job are a tenant's, and nothing bounds them.
 *   <li>Names are not kept. By default the newest 6,000 are, to read them faster: of long ones that
 *       is more than the memory of a controller.
 * </ul>
 */
public final class StoredJson {
  private static final BigInteger LEAST = BigInteger.valueOf(Integer.MIN_VALUE);
  private static final BigInteger MOST = BigInteger.valueOf(Integer.MAX_VALUE);

  /** No API server stores one of more digits. */
  private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,20}");

  private StoredJson() {}

  /** Knows all types that the client library finds. */
  public static KubernetesSerialization ofAllTypes() {
    return new KubernetesSerialization(mapper(), true);
  }

  /** Knows those types alone that are requested or registered. */
  public static KubernetesSerialization ofRequestedTypes() {
    return new KubernetesSerialization(mapper(), false);
  }

  private static JsonMapper mapper() {
    return JsonMapper.builder(
            JsonFactory.builder()
                .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                .streamReadConstraints(
                    StreamReadConstraints.builder().maxNameLength(Integer.MAX_VALUE).build())
                .build())
        .addModule(
            new SimpleModule("integers")
                .addDeserializer(Integer.TYPE, new Within32Bits(Integer.TYPE))
                .addDeserializer(Integer.class, new Within32Bits(Integer.class)))
        .addHandler(new Refused())
        .build();
  }

  private static int within32Bits(BigInteger number) {
    return number.max(LEAST).min(MOST).intValue();
  }

  /** An integer of Java, whatever its size in the text. */
  private static final class Within32Bits extends StdScalarDeserializer<Integer> {
    private static final long serialVersionUID = 1;

    private final transient JsonDeserializer<?> usual;

    Within32Bits(Class<Integer> type) {
      super(type);
      usual = NumberDeserializers.find(type, type.getName());
    }

    @Override
    public @Nullable Integer deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return parser.hasToken(JsonToken.VALUE_NUMBER_INT)
          ? within32Bits(parser)
          : (Integer) usual.deserialize(parser, context);
    }

    @Override
    public @Nullable Integer getNullValue(DeserializationContext context)
        throws JsonMappingException {
      return (Integer) usual.getNullValue(context);
    }

    private static int within32Bits(JsonParser parser) throws IOException {
      return parser.getNumberType() == JsonParser.NumberType.INT
          ? parser.getIntValue()
          : StoredJson.within32Bits(parser.getBigIntegerValue());
    }
  }

  /** What a usual reader refuses. */
  private static final class Refused extends DeserializationProblemHandler {
    @Override
    public @Nullable Object handleWeirdStringValue(
        DeserializationContext context, Class<?> target, String text, String problem)
        throws IOException {
      if (target.equals(Instant.class) || target.isEnum()) {
        return null;
      }
      // Beans of the library come by here: it reads some of them from a tree of texts.
      return target.equals(Integer.class) && INTEGER.matcher(text).matches()
          ? within32Bits(new BigInteger(text))
          : super.handleWeirdStringValue(context, target, text, problem);
    }
  }
}
