// Who is connected: for list_clients, kill_client and the connection limit.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace wherestar::xproto {

struct ClientInfo {
  uint64_t id = 0;
  std::string user;  // empty before login
  std::string host;
};

class ClientRegistry {
 public:
  // `kill` ends the connection; it may be called from any thread, while it is registered.
  uint64_t add(std::string host, std::function<void()> kill);
  void remove(uint64_t id);
  void set_user(uint64_t id, std::string user);
  std::vector<ClientInfo> list() const;
  bool kill(uint64_t id);  // false: nobody has it
  size_t size() const;

 private:
  struct Entry {
    ClientInfo info;
    std::function<void()> kill;
  };
  mutable std::mutex mutex_;
  uint64_t next_id_ = 1;               // guarded by mutex_
  std::map<uint64_t, Entry> clients_;  // guarded by mutex_
};

}  // namespace wherestar::xproto
