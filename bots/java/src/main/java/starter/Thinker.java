package starter;

import com.google.protobuf.ByteString;
import contree.v1.EventOuterClass.MatchEnded;
import contree.v1.MatchOuterClass.EndReason;
import contree.v1.Observation.Action;
import contree.v1.Observation.Decision;
import contree.v1.Observation.PlayCard;
import contree.v1.PlayServiceOuterClass.Act;
import contree.v1.PlayServiceOuterClass.ActResult;
import contree.v1.PlayServiceOuterClass.ActStatus;
import contree.v1.PlayServiceOuterClass.ClientMessage;
import contree.v1.PlayServiceOuterClass.SeatMatchEnded;
import contree.v1.PlayServiceOuterClass.ServerMessage;
import contree.v1.PlayServiceOuterClass.Turn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Decides in a thread of its own, so that heartbeats never wait for a bot that thinks. */
final class Thinker {
  private record Given(ByteString decisionId, Action action) {}

  private final String name;
  private final Decider decider;
  private final Map<String, Given> given = new HashMap<>(); // by seat, for a turn sent again
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          run -> {
            Thread made = new Thread(run, "thinker");
            made.setDaemon(true);
            return made;
          });

  Thinker(String name, Decider decider) {
    this.name = name;
    this.decider = decider;
  }

  /** Takes what wants thought of one batch of the server, and answers it with a batch. */
  void ask(Session session, List<ServerMessage> messages) {
    session.ask();
    thread.execute(
        () -> {
          try {
            List<ClientMessage> answers = new ArrayList<>();
            for (ServerMessage message : messages) {
              answer(session, message, answers);
            }
            session.say(answers);
          } catch (RuntimeException failure) {
            failure.printStackTrace();
            Connection.exit(1);
          }
          session.answered();
        });
  }

  private void answer(Session session, ServerMessage message, List<ClientMessage> answers) {
    switch (message.getMessageCase()) {
      case WELCOME -> {
        if (message.getWelcome().getSeatsOwed() == 0) {
          given.clear();
        }
      }
      case TURN -> answers.add(act(session, message.getTurn()));
      case ACT_RESULT -> actAgain(session, message.getActResult(), answers);
      case MATCH_ENDED -> {
        SeatMatchEnded ended = message.getMatchEnded();
        given.remove(session.seatName(ended.getSeatRef()));
        session.unseat(ended.getSeatRef());
        String how = endOf(ended.getMatchEnded());
        System.out.printf("%s: match %s over, %s%n", name, ended.getMatchId(), how);
      }
      default -> {}
    }
  }

  private ClientMessage act(Session session, Turn turn) {
    String seat = session.seatName(turn.getSeatRef());
    ByteString id = turn.getDecision().getId();
    Given answer = given.get(seat);
    if (answer == null || !answer.decisionId().equals(id)) {
      answer = new Given(id, decider.decide(turn.getView(), turn.getDecision()));
      given.put(seat, answer);
    }
    return act(turn.getSeatRef(), id, answer.action());
  }

  /**
   * Reports an answer that was not taken. After an illegal one it plays anything legal, so that the
   * game goes on.
   */
  private void actAgain(Session session, ActResult result, List<ClientMessage> answers) {
    ActStatus status = result.getStatus();
    if (status == ActStatus.ACT_STATUS_ACCEPTED || status == ActStatus.ACT_STATUS_DUPLICATE) {
      return;
    }
    String what = status.name().replace("ACT_STATUS_", "");
    System.err.printf("%s: %s action: %s%n", name, what, result.getReason());
    if (status != ActStatus.ACT_STATUS_ILLEGAL || !result.hasDecision()) {
      return;
    }
    Decision decision = result.getDecision();
    Action.Builder action = Action.newBuilder();
    if (decision.getCardsCount() > 0) {
      action.setPlay(PlayCard.newBuilder().setCard(decision.getCards(0)));
    } else {
      action.setCall(decision.getCalls(0));
    }
    Given answer = new Given(decision.getId(), action.build());
    given.put(session.seatName(result.getSeatRef()), answer);
    answers.add(act(result.getSeatRef(), answer.decisionId(), answer.action()));
  }

  static ClientMessage act(int seatRef, ByteString decisionId, Action action) {
    Act.Builder act = Act.newBuilder().setSeatRef(seatRef).setDecisionId(decisionId);
    return ClientMessage.newBuilder().setAct(act.setAction(action)).build();
  }

  private static String endOf(MatchEnded ended) {
    EndReason reason = ended.getReason();
    String why = reason.name().replace("END_REASON_", "").toLowerCase(Locale.ROOT);
    String text = why.replace('_', ' ');
    if (!ended.hasScores()) {
      return text;
    }
    return text
        + ": "
        + ended.getScores().getNorthSouth()
        + "-"
        + ended.getScores().getEastWest();
  }
}
