package dev.sluice.compat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The claim statement of the Go program, run by it, with a clock of the test's. */
final class GoClaims implements AutoCloseable {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private final Process process;
  private final BufferedWriter requests;
  private final BufferedReader answers;

  GoClaims(ProcessBuilder command) throws IOException {
    process = command.start();
    requests = process.outputWriter();
    answers = process.inputReader();
  }

  /** What Go would claim now, in no order. It leaves the table as it was. */
  List<GoEvent.Claim> wouldClaim(String queue, long now, int max, long visibilitySeconds)
      throws IOException {
    requests.write(
        JSON.createObjectNode()
            .put("queue", queue)
            .put("now", now)
            .put("max", max)
            .put("visibility", visibilitySeconds)
            .toString());
    requests.newLine();
    requests.flush();
    String answer = answers.readLine();
    if (answer == null) {
      throw new IOException("the Go program has ended");
    }
    return claims(JSON.readTree(answer).path("claims"));
  }

  private static List<GoEvent.Claim> claims(@Nullable JsonNode array) throws IOException {
    List<GoEvent.Claim> claims = new ArrayList<>();
    if (array != null) {
      for (JsonNode claim : array) {
        claims.add(JSON.treeToValue(claim, GoEvent.Claim.class));
      }
    }
    return claims;
  }

  /** Ends it, and waits until it is gone. */
  @Override
  public void close() throws IOException {
    requests.close();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    answers.close();
  }
}
