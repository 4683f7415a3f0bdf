// What the environment says.
#pragma once

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

/// Why there is no way to go on, in one sentence for people.
struct Stop : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Settings {
  std::vector<std::string> servers;
  std::string name;
  std::string instance;  // the same after each loss
  bool returns;          // a later process may come back for the seats
  std::string token;
  unsigned capacity = 0;
};

inline std::string environment(const char* name, const std::string& otherwise = "") {
  const char* text = std::getenv(name);
  return text && *text ? text : otherwise;
}

inline std::string trimmed(const std::string& text) {
  const char* blank = " \t\r\n";
  auto first = text.find_first_not_of(blank);
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// The content of the file that a variable names; empty when it names none.
inline std::string file_of(const char* variable) {
  std::string path = environment(variable);
  if (path.empty()) return "";
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Stop(std::string(variable) + " cannot be read: " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline std::string random_id() {
  std::random_device random;
  std::ostringstream text;
  for (int part = 0; part < 4; ++part) text << std::hex << random();
  return text.str();
}

inline Settings settings_from_environment(const std::string& name) {
  Settings settings;
  settings.name = environment("CONTREE_BOT", name);
  settings.returns = !environment("CONTREE_INSTANCE").empty();
  settings.instance = environment("CONTREE_INSTANCE", random_id());
  settings.token = environment("CONTREE_TOKEN");
  if (settings.token.empty()) settings.token = file_of("CONTREE_TOKEN_FILE");
  settings.token = trimmed(settings.token);
  std::istringstream servers(environment("CONTREE_SERVER", "127.0.0.1:50051"));
  for (std::string one; std::getline(servers, one, ',');) settings.servers.push_back(trimmed(one));
  std::string capacity = environment("CONTREE_CAPACITY", "0");
  if (capacity.size() > 9 || !std::all_of(capacity.begin(), capacity.end(), [](unsigned char c) {
        return c >= '0' && c <= '9';
      })) {
    throw Stop("CONTREE_CAPACITY is not a number of seats");
  }
  settings.capacity = static_cast<unsigned>(std::stoul(capacity));
  return settings;
}

/// A channel to HOST:PORT, or with TLS to tls://HOST:PORT; for that CONTREE_CA, CONTREE_CERT and
/// CONTREE_CERT_KEY name files, all optional.
inline std::shared_ptr<grpc::Channel> open_channel(const std::string& server) {
  grpc::ChannelArguments arguments;
  // Each stream dials anew; gRPC must not wait longer between tries than this program does.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  const std::string tls = "tls://";
  if (server.rfind(tls, 0) != 0) {
    return grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), arguments);
  }
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = file_of("CONTREE_CA");
  options.pem_cert_chain = file_of("CONTREE_CERT");
  options.pem_private_key = file_of("CONTREE_CERT_KEY");
  return grpc::CreateCustomChannel(server.substr(tls.size()), grpc::SslCredentials(options),
                                   arguments);
}
