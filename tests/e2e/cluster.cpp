#include "cluster.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "core/file.h"
#include "os/subprocess.h"

namespace rooftune::e2e {
namespace {

using namespace std::chrono_literals;

constexpr int nodes = 3;

/// Where Debian puts daemons is on nobody's PATH.
std::optional<std::string> daemon(const std::string& name) {
  for (const std::string place : {"", "/usr/sbin/", "/usr/local/sbin/"})
    if (const auto found = find_program(place + name)) return found->string();
  return std::nullopt;
}

/// This computer's, up to its first dot.
std::string host_name() {
  char host[256] = "";
  REQUIRE(gethostname(host, sizeof host - 1) == 0);
  const std::string name = host;
  return name.substr(0, name.find('.'));
}

/// Ports that nobody uses now; all are taken before the first is given back.
std::vector<int> free_ports(int count) {
  std::vector<Descriptor> sockets;
  std::vector<int> ports;
  for (int n = 0; n < count; ++n) {
    sockets.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(bind(sockets.back().get(), plain, size) == 0);
    REQUIRE(getsockname(sockets.back().get(), plain, &size) == 0);
    ports.push_back(ntohs(address.sin_port));
  }
  return ports;
}

/// Without authentication: whoever reaches the loopback device may submit jobs meanwhile.
std::string configuration(const std::filesystem::path& folder) {
  const std::string name = host_name();
  const std::vector<int> ports = free_ports(nodes + 1);
  std::string text = fmt::format(R"(ClusterName=rooftune
SlurmctldHost={0}(127.0.0.1)
SlurmctldPort={1}
SlurmUser=root
AuthType=auth/none
CredType=cred/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={2}/state
SlurmdSpoolDir={2}/%n
SlurmctldPidFile={2}/slurmctld.pid
SlurmdPidFile={2}/%n.pid
SlurmctldLogFile={2}/slurmctld.log
SlurmdLogFile={2}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SwitchType=switch/none
MpiDefault=none
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
KillWait=5
AuthInfo=cred_expire=5
ReturnToService=2
)",
                                 name, ports[0], folder.string());
  for (int n = 1; n <= nodes; ++n)
    text += fmt::format("NodeName=n{} NodeHostname={} NodeAddr=127.0.0.1 Port={} CPUs=2\n", n, name,
                        ports[static_cast<std::size_t>(n)]);
  return text + "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n";
}

}  // namespace

std::string Cluster::missing() {
  for (const char* name : {"slurmctld", "slurmd"})
    if (!daemon(name)) return std::string(name) + " is not installed";
  for (const char* name : {"sbatch", "squeue", "scancel", "sinfo"})
    if (!find_program(name)) return std::string(name) + " is not installed";
  if (const std::string name = host_name(); !gethostbyname(name.c_str()))
    return name + ", this computer's name, has no address (/etc/hosts)";
  return geteuid() == 0 ? "" : "slurmd starts jobs for root only";
}

Cluster::Cluster() {
  // Daemons and what jobs start carry the mark of this process, and end with it when it is killed.
  start_guard();
  setenv((guard_marker() + "cluster").c_str(), "1", 1);
  // slurmstepd loses the mark and would wait for its controller: it ends with the node's namespace.
  Command command;
  command.argv = {"unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "true"};
  if (const auto unshare = find_program("unshare"); unshare && execute(command).status.ok())
    alone_ = {unshare->string(), "--pid", "--fork", "--mount-proc", "--kill-child"};
  std::filesystem::create_directories(folder_.path() / "state");
  write_atomically(folder_.path() / "slurm.conf", configuration(folder_.path()));
  start_controller();
  for (int n = 1; n <= nodes; ++n) {
    const std::string name = fmt::format("n{}", n);
    std::vector<std::string> words = alone_;
    words.insert(words.end(), {*daemon("slurmd"), "-D", "-N", name});
    nodes_[name] = start_daemon(std::move(words));
  }
  bool ready = false;
  for (int look = 0; look < 300 && !ready; ++look, std::this_thread::sleep_for(100ms))
    ready = is_ready();
  INFO(text_if_readable(folder_.path() / "slurmctld.log"));
  REQUIRE(ready);
}

Cluster::~Cluster() {
  for (const pid_t daemon : daemons_) {
    kill(daemon, SIGKILL);
    waitpid(daemon, nullptr, 0);
  }
}

pid_t Cluster::start_daemon(std::vector<std::string> words) {
  words.insert(words.end(), {"-f", (folder_.path() / "slurm.conf").string()});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (int standard = 0; standard < 3; ++standard)
    posix_spawn_file_actions_addopen(&files, standard, "/dev/null", O_RDWR, 0);
  pid_t child = -1;
  REQUIRE(posix_spawn(&child, argv[0], &files, nullptr, argv.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&files);
  daemons_.push_back(child);
  return child;
}

void Cluster::start_controller() { controller_ = start_daemon({*daemon("slurmctld"), "-D"}); }

bool Cluster::answers() const {
  for (int look = 0; look < 300; ++look, std::this_thread::sleep_for(100ms))
    if (slurm({"scontrol", "ping"}).find("is UP") != std::string::npos) return true;
  return false;
}

void Cluster::kill_controller() { end(controller_); }

void Cluster::kill_node(const std::string& node) {
  end(nodes_.at(node));
  slurm({"scontrol", "update", "nodename=" + node, "state=down", "reason=killed"});
}

void Cluster::end(pid_t daemon) {
  kill(daemon, SIGKILL);
  waitpid(daemon, nullptr, 0);
  std::erase(daemons_, daemon);
}

std::string Cluster::node_of(const std::string& task) const {
  const std::string node = slurm({"squeue", "-h", "-r", "-t", "RUNNING", "-j", task, "-o", "%N"});
  return node.substr(0, node.find('\n'));
}

std::string Cluster::state() const {
  const std::string log = text_if_readable(folder_.path() / "slurmctld.log");
  return slurm({"squeue", "-r", "-o", "%i %j %T %r %N %S"}) +
         slurm({"sinfo", "-N", "-o", "%N %T %E"}) +
         log.substr(log.size() - std::min<std::size_t>(log.size(), 6000));
}

std::map<std::string, std::string> Cluster::environment() const {
  return {{"SLURM_CONF", (folder_.path() / "slurm.conf").string()}};
}

std::string Cluster::slurm(const std::vector<std::string>& words) const {
  Command command;
  command.argv = words;
  command.environment = environment();
  return execute(command).output;
}

bool Cluster::is_ready() const {
  return slurm({"sinfo", "-h", "-t", "idle", "-o", "%D"}) == fmt::format("{}\n", nodes);
}

std::string Cluster::queue() const { return slurm({"squeue", "-h", "-r"}); }

}  // namespace rooftune::e2e
