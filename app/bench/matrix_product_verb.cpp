// SPDX-License-Identifier: Apache-2.0
// cornerturn bench matrix-product: every step of the matrix product's history, against cuBLAS on a GPU.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>

#include "app/bench/bench.h"
#include "app/bench/bench_report.h"
#include "app/bench/matrix_product_bench.h"
#include "app/console.h"
#include "app/number.h"
#include "app/verb.h"
#include "kernels/errors.h"
#include "kernels/host/thread_limit.h"

namespace cornerturn {
namespace {

struct MatrixProductArguments {
    BenchOptions bench;
    std::string type = "c64", a, b;
    std::int64_t rows = 2137, inner = 1055, columns = 108, size = 0;
};

constexpr std::int64_t longest_side = 1 << 24;

struct MatrixSize {
    std::int64_t rows, columns;
};

/// "2137x1055"
MatrixSize parse_size(const std::string& option, const std::string& text) {
    const auto cross = text.find('x');
    if (cross == std::string::npos)
        throw InputError(fmt::format("{} {}: expected ROWSxCOLS, such as 2137x1055", option, text));
    const auto part = [&](const std::string& number) {
        const double value = parse_number(option, number);
        if (!(value >= 1 && value <= longest_side && value == std::floor(value)))
            throw InputError(
                fmt::format("{} {}: rows and columns must be whole numbers from 1 to {}", option, text, longest_side));
        return static_cast<std::int64_t>(value);
    };
    return {part(text.substr(0, cross)), part(text.substr(cross + 1))};
}

ProductShape shape_of(const MatrixProductArguments& o) {
    if (o.size > 0) return {o.size, o.size, o.size};
    if (o.a.empty()) return {o.rows, o.inner, o.columns};
    const MatrixSize a = parse_size("--a", o.a), b = parse_size("--b", o.b);
    if (a.columns != b.rows)
        throw InputError(fmt::format(
            "bench matrix-product: {} x {} times {} x {} do not fit together: the first must have as many columns "
            "as the second has rows",
            a.rows, a.columns, b.rows, b.columns));
    return {a.rows, a.columns, b.columns};
}

SampleFormat element_format_of(const std::string& type) {
    return type == "f32" ? SampleFormat::float32 : type == "c64" ? SampleFormat::complex64 : SampleFormat::complex128;
}

int run_matrix_product(const MatrixProductArguments& o) {
    const ThreadLimit limit(o.bench.threads);
    const ProductShape shape = shape_of(o);
    check_bench_options(o.bench);
    const auto device = open_device(o.bench.device, o.bench.threads);
    const ProductRequest request{.shape = shape, .format = element_format_of(o.type), .repeat = o.bench.repeat};
    const std::string what = fmt::format("{} x {} times {} x {}", shape.m, shape.k, shape.k, shape.n);
    const BenchPage page{.what = fmt::format("{} {}", what, o.type),
                         .chosen = "production",
                         .comparator = "cublas",
                         .parameters = {{"rows", shape.m}, {"inner", shape.k}, {"columns", shape.n}, {"type", o.type}},
                         .chart_title = fmt::format("Matrix product, {} {}", what, o.type)};
    return tell(page, measure_matrix_products(*device, request, console_progress()), o.bench, device->info());
}

}  // namespace

void add_bench_matrix_product(const Verb& bench) {
    auto o = std::make_shared<MatrixProductArguments>();
    const Verb verb =
        bench.verb("matrix-product", "Times every step of the matrix product's history, on a GPU against cuBLAS");
    verb.footer(
        R"(Without sizes it takes the historic example, 2137 x 1055 times 1055 x 108. Each variant is checked first
against a product in double precision: exit code 1 if it is wrong. GB/s count each element of both factors and of the
product once; GFLOP/s count multiplications and additions of real numbers. cublas keeps the precision of the elements
(no TF32). A variant that would take longer than 20 s is left out or runs fewer times.

Examples:
  cornerturn bench matrix-product --size 4096 --type f32
  cornerturn bench matrix-product --rows 2137 --inner 1055 --cols 108 --json
  cornerturn bench matrix-product --a 2137x1055 --b 1055x108)");
    const Option rows =
        verb.option("--rows", o->rows, "Rows of the first factor").between(1, longest_side).shows_default();
    const Option inner =
        verb.option("--inner", o->inner, "Its columns, the second one's rows").between(1, longest_side).shows_default();
    const Option columns =
        verb.option("--cols", o->columns, "Columns of the second factor").between(1, longest_side).shows_default();
    const Option size = verb.option("--size", o->size, "All three at once").between(1, longest_side);
    const Option a = verb.option("--a", o->a, "Shape of the first factor").type("ROWSxCOLS");
    const Option b = verb.option("--b", o->b, "Shape of the second factor").type("ROWSxCOLS");
    a.needs(b), b.needs(a);
    for (const Option& option : {rows, inner, columns}) option.excludes(size).excludes(a).excludes(b);
    size.excludes(a).excludes(b);
    verb.option("--type", o->type, "Elements: c64 (complex64), f32 (float32) or c128 (complex128)")
        .one_of({"c64", "f32", "c128"})
        .shows_default();
    add_bench_options(verb, o->bench);
    add_svg_option(verb, o->bench);
    verb.runs([=] { return run_matrix_product(*o); });
}

}  // namespace cornerturn
