// Thrown where the user's wish to end (Ctrl-C) cuts work short: nothing is known of that work. Who
// catches it records nothing. It is no std::exception, so that no one who turns faults into results
// takes it for a fault.
#pragma once

namespace rooftune {

struct Interrupted {};

}  // namespace rooftune
