// SPDX-License-Identifier: Apache-2.0
// What a back end can do. Pipelines are written against this interface and cannot tell which device runs.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/backprojection.h"
#include "kernels/corner_turn_variant.h"
#include "kernels/matrix.h"
#include "kernels/matrix_product_variant.h"
#include "kernels/passes/pass.h"
#include "kernels/streaming.h"

namespace cornerturn {

struct DeviceInfo {
    std::string name;                               ///< "cpu", "cpu-double", "cuda:0"
    std::string description;                        ///< model, threads or multiprocessors
    std::size_t memory_bytes = 0;                   ///< of the whole device
    std::size_t memory_free_bytes = 0;              ///< usable now
    SampleFormat native = SampleFormat::complex64;  ///< what it computes in
    std::string driver = {};                        ///< of a GPU, with the CUDA version that it offers; "" otherwise
    double clock_mhz = 0;                           ///< highest of the processors of a GPU; 0: not known
    double memory_clock_mhz = 0;                    ///< likewise
    bool fused_passes = false;                      ///< has Method::fused
};

/// Two ways to copy on a device; which is faster depends on the size.
enum class CopyMethod { library, kernel };

/// A pass made ready for one shape: FFT plans made, tables on the device. Running it allocates nothing.
class PassPlan {
public:
    virtual ~PassPlan() = default;
    /// Runs the pass over all lines. Shapes are those of the pass (see its header); in and out must not share storage
    /// unless the pass says so.
    virtual void run(const Matrix& in, Matrix& out) = 0;
    /// Range compression only: takes the tables of another echo of the same format. False: this plan cannot, make another one.
    virtual bool decode_as(const EchoDecoding& /*decoding*/) { return false; }
    /// Range compression only: `in` holds the echo lines from first_line on, as many as it has rows; their rows of `out`, which is the
    /// whole matrix, are written. Blocks of any size give what run gives. Throws std::logic_error for any other pass.
    virtual void run_lines(const Matrix& /*in*/, std::int64_t /*first_line*/, Matrix& /*out*/) {
        throw std::logic_error("this pass does not run over blocks of lines");
    }
};

/// Work that a device was told once, to be asked for again as a whole.
class Recording {
public:
    virtual ~Recording() = default;
    virtual void replay() = 0;
};

class Device {
public:
    virtual ~Device() = default;

    virtual DeviceInfo info() const = 0;
    /// Uninitialised matrix. Throws DeviceError when memory does not suffice.
    virtual Matrix allocate(SampleFormat format, std::int64_t rows, std::int64_t columns) = 0;
    /// Copies packed host samples of the matrix's own format.
    virtual void upload(std::span<const std::byte> samples, Matrix& to) = 0;
    /// Copies a matrix of the native format to the host, as complex64 or complex128 whatever the native one is.
    virtual void download(const Matrix& from, std::span<std::complex<float>> to) = 0;
    virtual void download(const Matrix& from, std::span<std::complex<double>> to) = 0;
    /// Copies a matrix of any format to the host, bit for bit.
    virtual void download_as_stored(const Matrix& from, std::span<std::byte> to) = 0;
    /// As complex64, in pieces of whole rows, in order: the next piece is on its way while `take` works on one.
    using TakeRows = std::function<void(std::int64_t first_row, std::span<const std::complex<float>> rows)>;
    virtual void download_rows(const Matrix& from, const TakeRows& take) = 0;
    /// A place for up to `rows` lines of `columns` samples on their way to the device.
    virtual std::unique_ptr<StagedLines> stage(SampleFormat format, std::int64_t rows, std::int64_t columns) = 0;
    /// Host memory that upload, download and StagedLines::send_from reach without a detour (page-locked on a GPU).
    virtual std::shared_ptr<std::byte> host_memory(std::size_t bytes) = 0;
    /// Of copies of that size: the best of a few.
    virtual BusRate bus_rate(std::size_t bytes) = 0;
    virtual std::unique_ptr<DeviceStopwatch> stopwatch() = 0;
    /// out[c][r] = in[r][c], any shape, bit for bit; `out` takes the shape columns x rows and must have the format of `in`: the native
    /// one or any of 4 bytes a sample (float32 among them). Not in place, but for the variant inplace: that turns
    /// square matrices, and copies first where `out` is another storage. `columns`: only so many, the first; what is behind them pads the
    /// rows of `in`, which can make a turn faster. 0: all. Throws InputError for what require_corner_turn refuses.
    virtual void corner_turn(const Matrix& in, Matrix& out, CornerTurnVariant variant = CornerTurnVariant::production,
                             std::int64_t columns = 0) = 0;
    virtual std::vector<CornerTurnVariant> corner_turn_variants() const = 0;
    /// Copies a matrix of the same size.
    virtual void copy(const Matrix& from, Matrix& to, CopyMethod method = CopyMethod::library) = 0;
    /// Samples that differ, bit for bit, between `expected` and its turn, which may be one of its first columns, or, not turned, its copy.
    virtual std::int64_t count_differences(const Matrix& expected, const Matrix& got, bool turned) = 0;
    /// Throws Unsupported, with the reason, where the device has no such method for this pass or not at this length. A CPU pass is fused
    /// by nature: it has Method::plain alone.
    virtual std::unique_ptr<PassPlan> plan(const Pass& pass, Method method = Method::plain) = 0;
    /// Statistics of an echo of `lines` lines of `samples` samples that comes in pieces.
    virtual std::unique_ptr<EchoReduction> reduction(std::int64_t lines, std::int64_t samples, const EchoDecoding& decoding) = 0;
    /// Of an echo that is there.
    EchoStatistics statistics(const Matrix& echo, const EchoDecoding& decoding) {
        const auto sums = reduction(echo.rows, echo.columns, decoding);
        sums->add(echo, 0, echo.rows);
        return sums->result();
    }
    /// Time-domain back-projection in double precision; see kernels/backprojection.h.
    virtual std::vector<std::complex<double>> backproject(const Matrix& echo, const EchoDecoding& decoding,
                                                          const BackprojectionChip& chip) = 0;
    /// c = a * b; a is m x k, b is k x n, c is m x n, all float32, all complex64 or all complex128 on any device. Throws std::logic_error
    /// naming the shapes if they do not fit together, InputError for a variant that the device lacks.
    virtual void matrix_product(const Matrix& a, const Matrix& b, Matrix& c,
                                MatrixProductVariant variant = MatrixProductVariant::production) = 0;
    virtual std::vector<MatrixProductVariant> matrix_product_variants() const = 0;
    /// Notes what `work` asks of the device (passes, corner turns, copies of matrices) without doing it: on a GPU a CUDA graph, on a CPU
    /// the work itself. Matrices and plans that it names must outlive the recording.
    virtual std::unique_ptr<Recording> record(const std::function<void()>& work) = 0;
    /// Waits until everything asked for is done.
    virtual void synchronize() = 0;
    virtual TransferCount transferred() const = 0;
    /// Milliseconds that `count` runs of `work` take one behind the other: by events on a GPU (after one that is not counted), by the
    /// clock on a CPU.
    virtual double time_ms(const std::function<void()>& work, int count) = 0;
};

/// Throws InputError if the device has no such corner turn, or if it cannot turn a matrix of this shape. `pitch`: elements from row to row;
/// 0: packed.
void require_corner_turn(const Device& device, CornerTurnVariant variant, std::int64_t rows, std::int64_t columns, std::int64_t pitch = 0);

/// Opens `auto`, `cpu`, `cpu-double` (the reference: same passes in double precision), `cuda` or `cuda:N`.
/// `auto` takes the first CUDA device, or the CPU where there is none. `threads` 0: all cores.
/// Throws InputError for an unknown name, DeviceError for a CUDA device that is not there.
std::unique_ptr<Device> open_device(const std::string& name, int threads = 0);

/// One line per device that can be opened, and for CUDA why not where none can.
struct DeviceList {
    std::vector<DeviceInfo> devices;
    std::string cuda_status;  ///< "" if there is a CUDA device, else the reason
};
DeviceList list_devices();

}  // namespace cornerturn
