package starter;

import contree.v1.PlayServiceOuterClass.ClientMessage;
import contree.v1.PlayServiceOuterClass.PlayRequest;
import contree.v1.PlayServiceOuterClass.SeatAssigned;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One stream and the seats it has. Its methods may be called from any thread. */
final class Session {
  private final Map<Integer, String> seats = new HashMap<>(); // by seat_ref
  private StreamObserver<PlayRequest> outbox; // null once this side has ended the stream
  private int thinking; // batches that are not answered yet
  private boolean leaving; // the server is about to stop
  private boolean welcomed;

  synchronized void open(StreamObserver<PlayRequest> requests) {
    outbox = requests;
  }

  /** Sends one batch. That it fails is noticed by whoever reads the stream. */
  synchronized void say(List<ClientMessage> messages) {
    if (outbox != null && !messages.isEmpty()) {
      outbox.onNext(PlayRequest.newBuilder().addAllMessages(messages).build());
    }
  }

  /** Ends the stream in good order. */
  synchronized void finish() {
    if (outbox != null) {
      outbox.onCompleted();
      outbox = null;
    }
  }

  /** The stream is over: nothing more can be said on it. */
  synchronized void ended() {
    outbox = null;
  }

  /** A batch wants thought. */
  synchronized void ask() {
    thinking += 1;
  }

  /** A batch is answered. When the server is about to stop and that was the last, the stream ends. */
  synchronized void answered() {
    thinking -= 1;
    endIfLeft();
  }

  /** The server is about to stop: the stream ends when all that is owed is answered. */
  synchronized void leave() {
    leaving = true;
    endIfLeft();
  }

  private void endIfLeft() {
    if (leaving && thinking == 0) {
      finish();
    }
  }

  synchronized boolean leaving() {
    return leaving;
  }

  synchronized void welcome() {
    welcomed = true;
  }

  synchronized boolean welcomed() {
    return welcomed;
  }

  synchronized void seat(SeatAssigned seat) {
    seats.put(seat.getSeatRef(), seat.getMatchId() + " " + seat.getSeat());
  }

  synchronized void unseat(int seatRef) {
    seats.remove(seatRef);
  }

  synchronized List<Integer> seatRefs() {
    return new ArrayList<>(seats.keySet());
  }

  /** Names a seat for longer than a stream lasts. */
  synchronized String seatName(int seatRef) {
    return seats.getOrDefault(seatRef, "seat " + seatRef);
  }
}
