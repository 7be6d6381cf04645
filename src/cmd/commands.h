// The subcommands of `berth`, one function each: it declares the command's help, flags and
// arguments, and what it runs.
//
// `registry` has the plugins that configurations may enable; it must outlive the command.
#pragma once

#include <string>

namespace berth::flags {
struct Command;
}
namespace berth::scheduler::framework {
class Registry;
}

namespace berth::cmd {

using scheduler::framework::Registry;

void AddApiServer(flags::Command& berth);
void AddBench(flags::Command& berth, const Registry& registry);
void AddCheck(flags::Command& berth, const Registry& registry);
void AddConfig(flags::Command& berth, const Registry& registry);
void AddConformance(flags::Command& berth);
void AddDashboard(flags::Command& berth, const Registry& registry);
void AddReplay(flags::Command& berth, const Registry& registry);
void AddSchedule(flags::Command& berth, const Registry& registry);
void AddSimtest(flags::Command& berth);
void AddMan(flags::Command& berth);
void AddUp(flags::Command& berth, const Registry& registry);
void AddVersion(flags::Command& berth);
void AddWhy(flags::Command& berth, const Registry& registry);

// Returns "berth 0.1.0 (kube-scheduler v1.36)".
std::string VersionLine();

// The help of --paranoid, which several commands have.
inline constexpr const char* kParanoidHelp =
    "Recompute each decision from scratch and with the reference implementation; stop at the first "
    "mismatch";

}  // namespace berth::cmd
