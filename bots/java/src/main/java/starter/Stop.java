package starter;

/** Why there is no way to go on, in one sentence for people. */
final class Stop extends Exception {
  private static final long serialVersionUID = 1;

  Stop(String sentence) {
    super(sentence);
  }
}
