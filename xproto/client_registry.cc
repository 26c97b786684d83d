#include "xproto/client_registry.h"

namespace wherestar::xproto {

uint64_t ClientRegistry::add(std::string host, std::function<void()> kill) {
  std::lock_guard lock(mutex_);
  uint64_t id = next_id_++;
  clients_[id] = {.info = {.id = id, .user = "", .host = std::move(host)}, .kill = std::move(kill)};
  return id;
}

void ClientRegistry::remove(uint64_t id) {
  std::lock_guard lock(mutex_);
  clients_.erase(id);
}

void ClientRegistry::set_user(uint64_t id, std::string user) {
  std::lock_guard lock(mutex_);
  if (auto found = clients_.find(id); found != clients_.end()) {
    found->second.info.user = std::move(user);
  }
}

std::vector<ClientInfo> ClientRegistry::list() const {
  std::lock_guard lock(mutex_);
  std::vector<ClientInfo> result;
  for (const auto& [id, entry] : clients_) result.push_back(entry.info);
  return result;
}

bool ClientRegistry::kill(uint64_t id) {
  std::lock_guard lock(mutex_);
  auto found = clients_.find(id);
  if (found == clients_.end()) return false;
  found->second.kill();
  return true;
}

size_t ClientRegistry::size() const {
  std::lock_guard lock(mutex_);
  return clients_.size();
}

}  // namespace wherestar::xproto
