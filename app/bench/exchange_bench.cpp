// SPDX-License-Identifier: Apache-2.0
#include "app/bench/exchange_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>
#include <utility>

#include "app/bench/bench_input.h"
#include "app/bench/timing.h"
#include "kernels/device/exchange.h"

namespace cornerturn {
namespace {

using Sample = std::complex<float>;

class ExchangeMeasurement {
public:
    ExchangeMeasurement(std::span<Device* const> devices, const ExchangeRequest& request)
        : devices_(devices),
          request_(request),
          rows_{request.rows, static_cast<int>(devices.size())},
          columns_{request.columns, static_cast<int>(devices.size())},
          pool_(static_cast<std::size_t>(request.columns + most_offset)) {
        std::minstd_rand random(1);
        for (Sample& sample : pool_)
            sample = {static_cast<float>(random() % 65536), static_cast<float>(random() % 65536)};
        exchange_ = devices.front()->exchange_among(devices, request.carrier);
        result_.carrier = exchange_->carrier();
        const int matrices = exchange_->has_copies() ? 3 : 2;
        for (std::size_t i = 0; i < devices.size(); ++i) {
            Device& device = *devices[i];
            require_memory(device.info(), matrices * slab_bytes(),
                           fmt::format("bench exchange of {} x {}", request.rows, request.columns));
            in_.push_back(device.allocate(SampleFormat::complex64, rows_.size(part(i)), request.columns));
            out_.push_back(device.allocate(SampleFormat::complex64, columns_.size(part(i)), request.rows));
            if (exchange_->has_copies())
                spare_.push_back(device.allocate(SampleFormat::complex64, request.columns, rows_.size(part(i))));
            fill(i);
        }
    }

    ExchangeResult run(const Progress& progress) {
        std::vector<Way> ways;
        const bool peers = exchange_->carrier() == Carrier::peer, copies = exchange_->has_copies();
        if (peers || !copies) ways.push_back({"turn", [this] { exchange_->turn(in_, out_); }, true});
        if (copies) {
            if (peers)
                ways.push_back({"turn, then copies", [this] { exchange_->packed_turn(in_, spare_, out_); }, true});
            ways.push_back({"blocks sent", [this] { send_blocks(); }, false});
            if (exchange_->has_nccl())
                ways.push_back({"pieces by NCCL", [this] { exchange_->nccl_pieces(in_, out_); }, false});
            ways.push_back({"copies of pieces", [this] { exchange_->copy_pieces(in_, out_); }, false});
        }
        for (std::size_t i = 0; i < ways.size() && result_.wrong.empty(); ++i) {
            if (progress) progress(ways[i].name, static_cast<double>(i) / static_cast<double>(ways.size()));
            measure(ways[i]);
        }
        if (progress) progress("done", 1);
        return std::move(result_);
    }

private:
    static constexpr std::int64_t most_offset = 1 << 20;

    struct Way {
        const char* name;
        std::function<void()> work;
        bool turns;
    };

    static int part(std::size_t i) { return static_cast<int>(i); }
    double slab_bytes() const {
        return static_cast<double>(std::max(rows_.largest() * columns_.rows, columns_.largest() * rows_.rows)) *
               sizeof(Sample);
    }

    /// Any row begins somewhere else in the random numbers.
    const Sample* row_of(std::int64_t row) const {
        return pool_.data() + static_cast<std::int64_t>((static_cast<std::uint64_t>(row) * 0x9E3779B97F4A7C15u) >> 44);
    }
    void fill(std::size_t device) {
        constexpr std::int64_t at_a_time = 256;
        const std::int64_t first = rows_.first(part(device)), count = rows_.size(part(device));
        for (std::int64_t begin = 0; begin < count; begin += at_a_time) {
            Matrix some = in_[device].rows_from(begin, std::min(at_a_time, count - begin));
            std::vector<Sample> samples;
            for (std::int64_t row = 0; row < some.rows; ++row) {
                const Sample* const from = row_of(first + begin + row);
                samples.insert(samples.end(), from, from + some.columns);
            }
            devices_[device]->upload(std::as_bytes(std::span(samples)), some);
        }
    }

    bool turned() {
        constexpr int looks = 16;
        for (std::size_t device = 0; device < out_.size(); ++device)
            for (int look = 0; look < std::min<std::int64_t>(looks, out_[device].rows); ++look) {
                const std::int64_t row =
                    (out_[device].rows - 1) * look /
                    std::max<std::int64_t>(1, std::min<std::int64_t>(looks, out_[device].rows) - 1);
                std::vector<Sample> got(static_cast<std::size_t>(request_.rows));
                devices_[device]->download(out_[device].rows_from(row, 1), std::span(got));
                const std::int64_t column = columns_.first(part(device)) + row;
                for (std::int64_t i = 0; i < request_.rows; ++i)
                    if (got[static_cast<std::size_t>(i)] != row_of(i)[column]) {
                        result_.wrong.push_back(fmt::format("row {} of column {} is wrong", i, column));
                        return false;
                    }
            }
        return true;
    }

    void clear() {
        std::vector<std::byte> zeros(static_cast<std::size_t>(request_.rows) * sizeof(Sample) * 64);
        for (std::size_t device = 0; device < out_.size(); ++device)
            for (std::int64_t row = 0; row < out_[device].rows; row += 64) {
                Matrix some = out_[device].rows_from(row, std::min<std::int64_t>(64, out_[device].rows - row));
                devices_[device]->upload(std::span(zeros).first(some.bytes()), some);
            }
    }

    /// What a frame over several devices does between range and azimuth: nothing is turned.
    void send_blocks() {
        exchange_->meet();
        for (std::size_t k = 1; k < devices_.size(); ++k)
            for (std::size_t from = 0; from < devices_.size(); ++from) {
                const std::size_t to = (from + k) % devices_.size();
                Matrix cells = out_[to];
                std::swap(cells.rows, cells.columns);
                const Interval columns{static_cast<std::int32_t>(columns_.first(part(to))),
                                       static_cast<std::int32_t>(columns_.first(part(to) + 1))};
                exchange_->send({from, in_[from], columns, to, cells, rows_.first(part(from))});
            }
        exchange_->meet();
    }

    void measure(const Way& way) {
        const auto once = [&] {
            way.work();
            exchange_->wait();
        };
        if (way.turns) {
            clear();
            once();
            if (!turned()) {
                result_.wrong.back() = fmt::format("{}: {}", way.name, result_.wrong.back());
                return;
            }
        }
        for (int i = 0; i < 3; ++i) once();
        const double median_ms = median_wall_ms(once, request_.repeat), devices = static_cast<double>(devices_.size());
        const double sent_bytes =
            static_cast<double>(request_.rows * request_.columns) * sizeof(Sample) / devices * (devices - 1) / devices;
        result_.steps.push_back({way.name, median_ms, 1e-6 * sent_bytes / median_ms});
    }

    std::span<Device* const> devices_;
    ExchangeRequest request_;
    Slabs rows_, columns_;
    std::vector<Sample> pool_;
    std::unique_ptr<ExchangeBench> exchange_;
    std::vector<Matrix> in_, out_, spare_;
    ExchangeResult result_;
};

}  // namespace

ExchangeResult measure_exchange(std::span<Device* const> devices, const ExchangeRequest& request,
                                const Progress& progress) {
    return ExchangeMeasurement(devices, request).run(progress);
}

}  // namespace cornerturn
