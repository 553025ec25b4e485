package dev.sluice.queue;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;

/**
 * The characters that Go's {@code encoding/json} escapes beyond those that JSON asks for: what HTML
 * and JavaScript would stumble over.
 */
final class GoEscapes extends CharacterEscapes {
  private static final long serialVersionUID = 1L;
  private static final SerializedString LINE_SEPARATOR = new SerializedString("\\u2028");
  private static final SerializedString PARAGRAPH_SEPARATOR = new SerializedString("\\u2029");

  private final int[] ascii = standardAsciiEscapesForJSON();

  GoEscapes() {
    ascii['<'] = ESCAPE_STANDARD;
    ascii['>'] = ESCAPE_STANDARD;
    ascii['&'] = ESCAPE_STANDARD;
  }

  @Override
  public int[] getEscapeCodesForAscii() {
    return ascii;
  }

  @Override
  public @Nullable SerializableString getEscapeSequence(int character) {
    return switch (character) {
      case 0x2028 -> LINE_SEPARATOR;
      case 0x2029 -> PARAGRAPH_SEPARATOR;
      default -> null;
    };
  }
}
