package dev.sluice.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/** A time as it is given on the command line: seconds, or with a unit as in 500ms, 15m, 2h. */
record Seconds(Duration duration) {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,3})?)(ms|s|m|h)?");

  static Seconds parse(String text) {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is no time: give seconds, or a unit as in 500ms, 15m, 2h");
    }
    BigDecimal millis = new BigDecimal(form.group(1)).multiply(unitMillis(form.group(2)));
    return new Seconds(Duration.ofMillis(millis.longValue()));
  }

  private static BigDecimal unitMillis(@org.jspecify.annotations.Nullable String unit) {
    return switch (unit == null ? "s" : unit) {
      case "ms" -> BigDecimal.ONE;
      case "m" -> BigDecimal.valueOf(60_000);
      case "h" -> BigDecimal.valueOf(3_600_000);
      default -> BigDecimal.valueOf(1_000);
    };
  }
}
