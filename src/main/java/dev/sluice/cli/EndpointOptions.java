package dev.sluice.cli;

import java.util.Optional;
import picocli.CommandLine.Option;

/** Where health and metrics are served, and to whom. */
final class EndpointOptions {
  private static final String USER = "FC_ROUTER_AUTH_USER";
  private static final String PASSWORD = "FC_ROUTER_AUTH_PASS";
  private static final String OLD_USER = "AUTH_BASIC_USERNAME";
  private static final String OLD_PASSWORD = "AUTH_BASIC_PASSWORD";

  @Option(
      names = "--http",
      paramLabel = "HOST:PORT|off",
      description =
          "Where health and metrics are served. Default: 127.0.0.1:8080 for run, off for drain.")
  private Optional<String> http = Optional.empty();

  /** Who may ask for more than health and metrics. Its text form tells nothing. */
  record Login(String user, String password) {
    @Override
    public String toString() {
      return "Login[***]";
    }
  }

  /** The address as it was given. */
  String address(String otherwise) {
    return http.orElse(otherwise);
  }

  /**
   * The user and password of the environment; a command line would show them to everybody.
   *
   * @throws CommandException if one of them is set without the other
   */
  static Optional<Login> login(Console console) {
    Optional<String> user = console.environment(USER).or(() -> console.environment(OLD_USER));
    Optional<String> password =
        console.environment(PASSWORD).or(() -> console.environment(OLD_PASSWORD));
    if (user.isPresent() != password.isPresent()) {
      throw CommandException.usage(
          user.isPresent()
              ? USER + " is set, but not " + PASSWORD
              : PASSWORD + " is set, but not " + USER);
    }
    return user.map(name -> new Login(name, password.orElseThrow()));
  }
}
