// Cuvier host shim: runs the threads of one block, one fiber each, switching at barriers and warp operations.
//
// A block runs in passes. In a pass every thread that can run has one turn, in the chosen order; a turn ends when the
// thread waits or returns. Between passes the scheduler completes what can be completed. A thread that never waits needs
// no fiber of its own: the worker that ran its predecessor runs it on the same stack.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "../shim_warp.h"
#include "context.h"
#include "order.h"

namespace cuvier_shim {

enum class State : unsigned char { unstarted, ready, at_barrier, at_warp, done };

struct Thread {
    uint3 index{};
    State state = State::unstarted;
    Fiber *fiber = nullptr;
    const char *operation = "";  // what it waits for, and where
    Site site{};
    unsigned mask = 0;                  // of a warp operation
    int source = 0;                     // the lane to read from; `vote` when every lane's predicate is wanted
    unsigned long long sent = 0, received = 0;
};

// One launch's code: `run(call)` executes the current thread.
struct Body {
    void (*run)(const void *call) = nullptr;
    const void *call = nullptr;
    const char *kernel = "";
    Site site{};
};

class Block {
public:
    Thread *current = nullptr;
    std::size_t shared_bytes = 0;       // in use by the block
    Meeting met{};                      // at the last barrier
    std::size_t barriers = 0;           // completed by the block
    Body body;

    void prepare(dim3 size);
    void begin();
    void run();
    void wait(State state, const char *operation, Site site);

private:
    std::vector<Thread> threads_;
    std::vector<unsigned> turns_;
    std::size_t position_ = 0, finished_ = 0;
    Fiber main_;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Fiber *> idle_;

    Thread *next_thread();
    Fiber *idle_fiber();
    Fiber &enter(Thread *thread);
    void work();
    bool release_warps();
    bool release_warp(Thread *first, unsigned count);
    static bool together(const Thread &one, const Thread &other);
    const Thread &absent_from(const Thread &waiting) const;
    bool release_barrier();
    [[noreturn]] void report_divergence(const Thread &one, const Thread &other);
    static void worker();
};

inline Block block;

inline void Block::prepare(dim3 size) {
    threads_.resize(std::size_t{size.x} * size.y * size.z);
    std::size_t i = 0;
    for (unsigned z = 0; z < size.z; ++z)
        for (unsigned y = 0; y < size.y; ++y)
            for (unsigned x = 0; x < size.x; ++x) threads_[i++].index = {x, y, z};
}

inline void Block::begin() {
    for (Thread &thread : threads_) thread.state = State::unstarted;
    finished_ = 0;
    barriers = 0;
    shared_bytes = 0;
    ++block_serial;
}

inline void Block::run() {
    do {
        arrange(turns_, threads_.size());
        position_ = 0;
        switch_fiber(main_, enter(next_thread()));
    } while (finished_ < threads_.size() && (release_warps() || release_barrier()));
}

// The next thread of this pass that has a turn; none at the end of the pass.
inline Thread *Block::next_thread() {
    while (position_ < turns_.size()) {
        Thread &thread = threads_[turns_[position_++]];
        if (thread.state == State::unstarted || thread.state == State::ready) return &thread;
    }
    return nullptr;
}

inline Fiber *Block::idle_fiber() {
    if (idle_.empty()) {
        fibers_.push_back(std::make_unique<Fiber>());
        prepare_fiber(*fibers_.back(), worker, fibers_.size());
        return fibers_.back().get();
    }
    Fiber *fiber = idle_.back();
    idle_.pop_back();
    return fiber;
}

// Makes `thread` the current one; the fiber to switch to for it, or the scheduler's for no thread.
inline Fiber &Block::enter(Thread *thread) {
    if (!thread) return main_;
    if (thread->state == State::unstarted) thread->fiber = idle_fiber();
    current = thread;
    thread_index = thread->index;
    return *thread->fiber;
}

// Ends the current thread's turn; returns in its next one.
inline void Block::wait(State state, const char *operation, Site site) {
    Thread &self = *current;
    self.state = state;
    self.operation = operation;
    self.site = site;
    switch_fiber(*self.fiber, enter(next_thread()));
}

inline void Block::worker() {
    after_switch(nullptr);
    block.work();
}

// A worker's life: run the current thread, then go on with the next unstarted one, or hand over and rest.
inline void Block::work() {
    for (;;) {
        Fiber *const self = current->fiber;
        body.run(body.call);
        current->state = State::done;
        ++finished_;
        Thread *const next = next_thread();
        idle_.push_back(self);
        Fiber &target = enter(next);
        if (&target != self) switch_fiber(*self, target);
    }
}

inline bool Block::release_warps() {
    bool progress = false;
    for (std::size_t first = 0; first < threads_.size(); first += lanes) {
        const std::size_t left = threads_.size() - first;
        progress |= release_warp(&threads_[first], static_cast<unsigned>(left < lanes ? left : lanes));
    }
    return progress;
}

// Completes the warp operations for which every living thread of the mask has arrived, with the same mask and kind.
inline bool Block::release_warp(Thread *first, unsigned count) {
    bool progress = false;
    for (unsigned lane = 0; lane < count; ++lane) {
        const Thread &leader = first[lane];
        if (leader.state != State::at_warp) continue;
        unsigned members = 0, predicates = 0;
        bool complete = true;
        for (unsigned other = 0; other < count; ++other) {
            const Thread &peer = first[other];
            if (!(leader.mask >> other & 1u) || peer.state == State::done) continue;
            complete &= peer.state == State::at_warp && peer.mask == leader.mask &&
                        std::strcmp(peer.operation, leader.operation) == 0;
            members |= 1u << other;
            predicates |= static_cast<unsigned>(peer.sent != 0) << other;
        }
        if (!complete) continue;
        progress = true;
        for (unsigned other = 0; other < count; ++other) {
            Thread &peer = first[other];
            if (!(members >> other & 1u)) continue;
            peer.state = State::ready;
            if (peer.source == vote) peer.received = predicates;
            else if (members >> peer.source & 1u) peer.received = first[peer.source].sent;
            else peer.received = 0x7FFC7FFC7FFC7FFCu;  // undefined in CUDA; a NaN as float and double
        }
    }
    return progress;
}

// Do both threads wait in the same call?
inline bool Block::together(const Thread &one, const Thread &other) {
    return one.state == other.state && one.mask == other.mask && one.site.line == other.site.line &&
           std::strcmp(one.operation, other.operation) == 0 && std::strcmp(one.site.file, other.site.file) == 0;
}

// A thread that the warp operation of `waiting` waits for in vain.
inline const Thread &Block::absent_from(const Thread &waiting) const {
    const std::size_t first = static_cast<std::size_t>(&waiting - threads_.data()) / lanes * lanes;
    for (std::size_t i = first; i < threads_.size() && i < first + lanes; ++i) {
        const bool member = waiting.mask >> (i - first) & 1u;
        if (member && threads_[i].state != State::done && !together(waiting, threads_[i])) return threads_[i];
    }
    return waiting;
}

// Completes the block's barrier; threads that have returned are not waited for. Ends the program when the threads wait
// for different things: none of them would ever go on.
inline bool Block::release_barrier() {
    const Thread *first = nullptr;
    met = {};
    for (const Thread &thread : threads_) {
        if (thread.state == State::done) continue;
        if (!first) first = &thread;
        if (first->state == State::at_warp) report_divergence(*first, absent_from(*first));
        if (!together(*first, thread)) report_divergence(*first, thread);
        ++met.arrived;
        met.positive += thread.sent != 0;
    }
    for (Thread &thread : threads_)
        if (thread.state == State::at_barrier) thread.state = State::ready;
    ++barriers;
    return true;
}

inline void Block::report_divergence(const Thread &one, const Thread &other) {
    fatal("barrier divergence in block (%u,%u,%u) of kernel %s launched at %s:%d: thread (%u,%u,%u) waits in %s at "
          "%s:%d, thread (%u,%u,%u) in %s at %s:%d",
          block_index.x, block_index.y, block_index.z, body.kernel, body.site.file, body.site.line, one.index.x,
          one.index.y, one.index.z, one.operation, one.site.file, one.site.line, other.index.x, other.index.y,
          other.index.z, other.operation, other.site.file, other.site.line);
}

}  // namespace cuvier_shim
