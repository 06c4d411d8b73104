// Records what the threads of kernels ask device memory for; it is linked in place of the host shim's library, which
// it contains.
#include "cuda_runtime.h"
#include "definitions/all.h"
#include "file.h"

#include <map>
#include <string>

namespace {

using namespace cuvier_shim;

constexpr std::uint32_t block_starts = 0xffffffff, barrier = 0xfffffffe;
constexpr std::uint64_t alignment = 512;  // of what cudaMalloc gives

struct Launch {
    std::uint64_t records = 0, next_block = 0, limit = 0, step = 0;
    std::uint64_t cores = 1, recorded_cores = 1;
    std::size_t barriers = 0;
    std::uint64_t serial = ~std::uint64_t{0};
    bool wanted = false, takes_block = false, full = false;
} launch;

struct Known {
    Address first = 0, end = 0;
    std::uint64_t moved = 0;
} known;

std::map<Address, std::uint64_t> moved_to;
std::uint64_t next_address = std::uint64_t{1} << 32;
std::map<std::string, unsigned> launches;
unsigned launches_wanted = 1;

// Where an allocation lies in the trace: one after the other in the order of their first use, the same in every run.
bool find(Address address) {
    const auto found = find_allocation(address, 0);
    if (found == allocations().end()) return false;
    const auto [place, fresh] = moved_to.try_emplace(found->first, next_address);
    if (fresh) next_address += (found->second.size + alignment - 1) / alignment * alignment;
    known = {found->first, found->first + found->second.size, place->second};
    return true;
}

void put(std::uint64_t address, std::uint32_t reference, unsigned kind, unsigned thread) {
    cuvier_write(address, reference, static_cast<std::uint16_t>(kind), static_cast<std::uint16_t>(thread));
    if (++launch.records < launch.limit) return;
    launch.full = launch.recorded_cores == 1;
    launch.recorded_cores = (launch.recorded_cores + 1) / 2;  // the others go on
    launch.limit += launch.step;
}

// The first access of a block: blocks without any come before it.
void enter_block() {
    const dim3 grid = grid_size;
    const std::uint64_t number = (std::uint64_t{block_index.z} * grid.y + block_index.y) * grid.x + block_index.x;
    launch.serial = block_serial;
    launch.takes_block = !launch.full && number % launch.cores < launch.recorded_cores;
    launch.barriers = 0;
    for (; launch.next_block <= number; ++launch.next_block) put(launch.next_block, block_starts, 0, 0);
}

void recorded(void *pointer, std::size_t size, int write, void *code) {
    if (!launch.wanted || !block.current) return;
    const Address address = reinterpret_cast<Address>(pointer);
    if ((address < known.first || address >= known.end) && !find(address)) return;
    if (launch.serial != block_serial) enter_block();
    if (!launch.takes_block) return;
    for (; launch.barriers < block.barriers; ++launch.barriers) put(0, barrier, 0, 0);
    const unsigned thread = (thread_index.z * block_size.y + thread_index.y) * block_size.x + thread_index.x;
    const unsigned kind = static_cast<unsigned>(size) | (write ? unsigned{CUVIER_WRITE} : 0);
    put(address - known.first + known.moved, cuvier_place(code), kind, thread);
}

void end_launch() {
    if (launch.wanted)
        std::fprintf(cuvier_lines, "records %llu cores %llu full %d\n", static_cast<unsigned long long>(launch.records),
                     static_cast<unsigned long long>(launch.recorded_cores), launch.full);
    launch.wanted = false;
}

void begin_launch(const Configuration &configuration) {
    end_launch();
    const dim3 g = configuration.grid, b = configuration.threads;
    const unsigned number = launches[configuration.kernel]++;
    std::fprintf(cuvier_lines, "launch %u,%u,%u %u,%u,%u %d %s\n", g.x, g.y, g.z, b.x, b.y, b.z,
                 number < launches_wanted, configuration.kernel);
    launch = {};
    launch.wanted = number < launches_wanted;
    launch.limit = std::strtoull(std::getenv("CUVIER_RECORDER_LIMIT"), nullptr, 10);
    launch.step = launch.limit / 2;
    launch.cores = launch.recorded_cores = std::strtoull(std::getenv("CUVIER_RECORDER_CORES"), nullptr, 10);
}

const struct Recorder {
    Recorder() {
        cuvier_open_files();
        launches_wanted = static_cast<unsigned>(std::strtoul(std::getenv("CUVIER_RECORDER_LAUNCHES"), nullptr, 10));
        observer = begin_launch;
    }
    ~Recorder() { end_launch(); }
} recorder;

}  // namespace

extern "C" {
#include "calls.h"
}
