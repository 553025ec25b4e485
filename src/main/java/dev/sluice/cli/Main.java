package dev.sluice.cli;

/** Where the program starts. */
public final class Main {
  private Main() {}

  /** Runs one command and ends the process with its exit code. */
  public static void main(String[] args) {
    Console console = Console.system();
    LogConfigurator.take(console);
    System.exit(new Cli(console).run(args));
  }
}
