// SPDX-License-Identifier: Apache-2.0
#include "app/bench/matrix_product_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "app/bench/bench_input.h"
#include "app/bench/product_check.h"
#include "app/bench/timing.h"
#include "kernels/device/device_bench.h"
#include "kernels/errors.h"

namespace cornerturn {
namespace {

constexpr double patience_ms = 20000;  // for one variant; the CPU's naive one needs minutes for 4096 x 4096

template <class T>
std::vector<T> random_elements(std::int64_t count, std::uint64_t seed) {
    std::vector<T> elements(static_cast<std::size_t>(count));
    if constexpr (std::is_same_v<T, Complex128>) {
        const std::vector<float> numbers = random_numbers(2 * elements.size(), seed);
        for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = {numbers[2 * i], numbers[2 * i + 1]};
    } else {
        const std::vector<float> numbers = random_numbers(elements.size() * sizeof(T) / sizeof(float), seed);
        std::memcpy(elements.data(), numbers.data(), elements.size() * sizeof(T));
    }
    return elements;
}

template <class T>
class MatrixProductMeasurement {
public:
    MatrixProductMeasurement(Device& device, const ProductRequest& request)
        : device_(device),
          request_(request),
          a_(random_elements<T>(request.shape.m * request.shape.k, 1)),
          b_(random_elements<T>(request.shape.k * request.shape.n, 2)),
          check_(a_, b_, request.shape) {
        const auto [m, k, n] = request.shape;
        a_matrix_ = upload(a_, m, k);
        b_matrix_ = upload(b_, k, n);
        c_matrix_ = device.allocate(request.format, m, n);
    }

    BenchResult run(const Progress& progress) {
        const auto variants = device_.bench().matrix_product_variants();
        for (std::size_t i = 0; i < variants.size() && bench_.wrong.empty(); ++i) {
            if (progress) progress(name_of(variants[i]), static_cast<double>(i) / static_cast<double>(variants.size()));
            measure(variants[i]);
        }
        if (bench_.wrong.empty()) hold_against_copy();
        if (bench_.wrong.empty())
            add_endurance(
                bench_.step("production"), device_, [&] { multiply(MatrixProductVariant::production); },
                request_.repeat);
        if (progress) progress("done", 1);
        return std::move(bench_);
    }

private:
    Matrix upload(const std::vector<T>& elements, std::int64_t rows, std::int64_t columns) {
        Matrix matrix = device_.allocate(request_.format, rows, columns);
        device_.upload(std::as_bytes(std::span(elements)), matrix);
        return matrix;
    }

    void measure(MatrixProductVariant variant) {
        BenchStep step{.name = std::string(name_of(variant))};
        try {
            const double expected_ms = estimate_ms(variant);
            if (variant != MatrixProductVariant::production && expected_ms > patience_ms) {
                bench_.left_out.push_back(
                    fmt::format("matrix product '{}': would take about {:.0f} s", step.name, expected_ms / 1000));
                return;
            }
            step.check_db = checked_db(variant);
            if (!bench_.wrong.empty()) return;
            step.median_ms = median_ms(
                device_, [&] { multiply(variant); }, affordable_runs(variant, expected_ms));
        } catch (const DeviceError& error) {
            if (variant != MatrixProductVariant::cublas) throw;
            bench_.left_out.emplace_back(error.what());
            return;
        }
        step.gflops = 1e-6 * request_.operations() / step.median_ms;
        bench_.steps.push_back(step);
    }

    void multiply(MatrixProductVariant variant) { device_.matrix_product(a_matrix_, b_matrix_, c_matrix_, variant); }

    /// From the time of the first few rows.
    double estimate_ms(MatrixProductVariant variant) {
        const std::int64_t rows = std::min<std::int64_t>(request_.shape.m, 32);
        const Matrix a = a_matrix_.reshaped(rows, request_.shape.k);
        Matrix c = c_matrix_.reshaped(rows, request_.shape.n);
        const double ms = device_.bench().time_ms([&] { device_.matrix_product(a, b_matrix_, c, variant); }, 1);
        return ms * static_cast<double>(request_.shape.m) / static_cast<double>(rows);
    }

    /// A few rows alone may be slow for what they are: before runs are saved, one is timed.
    int affordable_runs(MatrixProductVariant variant, double expected_ms) {
        if (expected_ms * request_.repeat <= patience_ms) return request_.repeat;
        const double ms = device_.bench().time_ms([&] { multiply(variant); }, 1);
        return static_cast<int>(std::clamp(patience_ms / ms, 1.0, static_cast<double>(request_.repeat)));
    }

    /// From an output full of NaN: what is not written shows.
    double checked_db(MatrixProductVariant variant) {
        std::vector<T> c(static_cast<std::size_t>(request_.shape.m * request_.shape.n));
        std::memset(static_cast<void*>(c.data()), 0xff, c.size() * sizeof(T));
        device_.upload(std::as_bytes(std::span(c)), c_matrix_);
        multiply(variant);
        device_.download_as_stored(c_matrix_, std::as_writable_bytes(std::span(c)));
        const ProductVerdict verdict = check_(c);
        if (!verdict.wrong.empty()) bench_.wrong.push_back(fmt::format("{}: {}", name_of(variant), verdict.wrong));
        return verdict.db;
    }

    void hold_against_copy() {
        const auto half = std::max<std::int64_t>(1, static_cast<std::int64_t>(request_.shape.elements() / 2));
        const Matrix from = device_.allocate(request_.format, 1, half);
        Matrix to = device_.allocate(request_.format, 1, half);
        bench_.copy_gbytes_per_s = copy_gbytes_per_s(device_, from, to, request_.repeat);
        for (BenchStep& step : bench_.steps) bench_.rate(step, request_.bytes());
    }

    Device& device_;
    ProductRequest request_;
    std::vector<T> a_, b_;
    ProductCheck<T> check_;
    Matrix a_matrix_, b_matrix_, c_matrix_;
    BenchResult bench_;
};

}  // namespace

BenchResult measure_matrix_products(Device& device, const ProductRequest& request, const Progress& progress) {
    const DeviceInfo info = device.info();
    const int copies = info.shares_host_memory ? 4 : 2;  // on the host the numbers lie there more than once
    require_memory(info, copies * request.bytes(),
                   fmt::format("bench matrix-product of {} x {} times {} x {}", request.shape.m, request.shape.k,
                               request.shape.k, request.shape.n));
    if (request.format == SampleFormat::float32) return MatrixProductMeasurement<float>(device, request).run(progress);
    if (request.format == SampleFormat::complex64)
        return MatrixProductMeasurement<Complex64>(device, request).run(progress);
    return MatrixProductMeasurement<Complex128>(device, request).run(progress);
}

}  // namespace cornerturn
