// One stream, as the two threads that use it see it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "contree/v1/play_service.grpc.pb.h"

/// One stream and the seats it has. All methods may be called from any thread.
class Session {
 public:
  using Stream = grpc::ClientReaderWriter<contree::v1::PlayRequest, contree::v1::PlayResponse>;

  explicit Session(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {}

  /// For the one thread that reads.
  Stream& stream() { return *stream_; }

  /// Sends one batch. That it fails is noticed by whoever reads the stream.
  void say(const contree::v1::PlayRequest& batch) {
    std::lock_guard lock(mutex_);
    if (batch.messages_size() > 0 && !finished_) stream_->Write(batch);
  }

  /// Ends the stream in good order.
  void finish() {
    std::lock_guard lock(mutex_);
    if (!finished_) stream_->WritesDone();
    finished_ = true;
  }

  /// Counts the batches that are being thought about. When the server is about to stop and all that
  /// was owed is answered, the stream ends.
  void pending(int change, bool leaving = false) {
    bool over = false;
    {
      std::lock_guard lock(mutex_);
      thinking_ += change;
      leaving_ = leaving_ || leaving;
      over = leaving_ && thinking_ == 0;
    }
    if (over) finish();
  }

  bool leaving() {
    std::lock_guard lock(mutex_);
    return leaving_;
  }

  void welcome() {
    std::lock_guard lock(mutex_);
    welcomed_ = true;
  }

  bool welcomed() {
    std::lock_guard lock(mutex_);
    return welcomed_;
  }

  void seat(const contree::v1::SeatAssigned& assigned) {
    std::lock_guard lock(mutex_);
    seats_[assigned.seat_ref()] = assigned.match_id() + " " + std::to_string(assigned.seat());
  }

  void unseat(unsigned ref) {
    std::lock_guard lock(mutex_);
    seats_.erase(ref);
  }

  /// Names a seat for longer than a stream lasts.
  std::string seat_name(unsigned ref) {
    std::lock_guard lock(mutex_);
    auto found = seats_.find(ref);
    return found == seats_.end() ? "seat " + std::to_string(ref) : found->second;
  }

  std::vector<unsigned> seat_refs() {
    std::lock_guard lock(mutex_);
    std::vector<unsigned> refs;
    for (const auto& [ref, name] : seats_) refs.push_back(ref);
    return refs;
  }

 private:
  std::unique_ptr<Stream> stream_;
  std::mutex mutex_;
  std::map<unsigned, std::string> seats_;  // by seat_ref
  int thinking_ = 0;
  bool leaving_ = false;
  bool welcomed_ = false;
  bool finished_ = false;
};
