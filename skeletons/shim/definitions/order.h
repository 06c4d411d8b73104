// Cuvier host shim: the order in which blocks, and the threads of a block, take their turns (CUVIER_SHIM_ORDER).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include "error.h"

namespace cuvier_shim {

enum class Order { forward, reverse, random };

struct OrderSetting {
    Order order = Order::forward;
    std::uint64_t state = 1;  // of the random numbers
};

// Reads forward | reverse | random[:seed]; anything else ends the program.
inline OrderSetting read_order() {
    const char *text = std::getenv("CUVIER_SHIM_ORDER");
    if (!text || !*text || std::strcmp(text, "forward") == 0) return {};
    if (std::strcmp(text, "reverse") == 0) return {Order::reverse, 1};
    if (std::strcmp(text, "random") == 0) return {Order::random, 1};
    char *end = nullptr;
    if (std::strncmp(text, "random:", 7) == 0) {
        const std::uint64_t seed = std::strtoull(text + 7, &end, 10);
        if (text[7] >= '0' && text[7] <= '9' && *end == '\0') return {Order::random, seed};
    }
    fatal("CUVIER_SHIM_ORDER is '%s': say forward, reverse, random or random:<seed>", text);
}

inline OrderSetting &setting() {
    static OrderSetting chosen = read_order();
    return chosen;
}

// A random number below `limit` (SplitMix64; the small bias of the remainder does no harm here).
inline std::uint64_t random_below(std::uint64_t limit) {
    std::uint64_t z = setting().state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % limit;
}

// The order of a block's threads for its next pass: 0..count-1 permuted, in place.
inline void arrange(std::vector<unsigned> &turns, std::size_t count) {
    const Order order = setting().order;
    if (turns.size() != count) {
        turns.resize(count);
        std::iota(turns.begin(), turns.end(), 0u);
        if (order == Order::reverse) std::iota(turns.rbegin(), turns.rend(), 0u);
    }
    if (order != Order::random) return;
    for (std::size_t i = count; i > 1; --i) std::swap(turns[i - 1], turns[random_below(i)]);
}

// A permutation of 0..count-1 that needs no memory: i -> step * i + start, modulo count, with step prime to count.
class BlockOrder {
public:
    explicit BlockOrder(std::uint64_t count) : count_(count) {
        const Order order = setting().order;
        if (order == Order::reverse) step_ = start_ = count - 1;
        if (order != Order::random) return;
        start_ = random_below(count);
        do step_ = 1 + random_below(count);
        while (std::gcd(step_, count) != 1);
    }

    std::uint64_t operator()(std::uint64_t i) const {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::uint64_t>((static_cast<Wide>(step_) * i + start_) % count_);
    }

private:
    std::uint64_t count_, step_ = 1, start_ = 0;
};

}  // namespace cuvier_shim
