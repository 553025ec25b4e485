package dev.sluice.queue;

import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An operation on a queue failed. The message names the operation and the queue, and the SQL state
 * where the database gave one; never a payload or a password.
 */
public class QueueException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final @Nullable String sqlState;

  public QueueException(String message) {
    super(message);
    this.sqlState = null;
  }

  public QueueException(String operation, String queue, SQLException cause) {
    super(operation + " on queue '" + queue + "' failed: " + reason(cause) + state(cause), cause);
    this.sqlState = cause.getSQLState();
  }

  /** The database's five-character code, if the failure came from it. */
  public Optional<String> sqlState() {
    return Optional.ofNullable(sqlState);
  }

  /** Whether the connection was lost or refused, so that the same call may succeed later. */
  public boolean isConnectionFailure() {
    return isConnectionState(sqlState);
  }

  /** Whether a table that the statement reads is not there. */
  public boolean isMissingTable() {
    return "42P01".equals(sqlState);
  }

  /** Whether a row broke a constraint of its table, such as that of its key. */
  public boolean isConstraintViolated() {
    return sqlState != null && sqlState.startsWith("23");
  }

  /** Whether this SQL state says that the server went away or cannot take us now. */
  public static boolean isConnectionState(@Nullable String state) {
    // 08: connection; 57P0x: shutdown and start-up; 53300: too many connections.
    return state != null
        && (state.startsWith("08") || state.startsWith("57P") || state.equals("53300"));
  }

  // A server message can quote the row in further lines ("Detail: Failing row contains ..."): only
  // its first line is ours to print.
  private static String reason(SQLException cause) {
    String message = cause.getMessage();
    if (message == null) {
      return cause.getClass().getSimpleName();
    }
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }

  private static String state(SQLException cause) {
    return cause.getSQLState() == null ? "" : " (SQL state " + cause.getSQLState() + ")";
  }
}
