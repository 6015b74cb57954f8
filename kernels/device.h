// SPDX-License-Identifier: Apache-2.0
// What a back end can do. Pipelines are written against this interface and cannot tell which device runs.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/backprojection.h"
#include "kernels/matrix.h"
#include "kernels/passes/pass.h"

namespace cornerturn {

struct DeviceInfo {
    std::string name;                    ///< "cpu", "cpu-double", "cuda:0"
    std::string description;             ///< model, threads or multiprocessors
    std::size_t memory_bytes = 0;        ///< of the whole device
    std::size_t memory_free_bytes = 0;   ///< usable now
    SampleFormat native = SampleFormat::complex64;  ///< what it computes in
};

/// Bytes that went over the bus (or would have, on a CPU).
struct TransferCount {
    std::uint64_t uploaded_bytes = 0;
    std::uint64_t downloaded_bytes = 0;
};

/// Reductions over an echo.
struct EchoStatistics {
    std::int64_t non_finite = 0;               ///< samples that were NaN or infinite
    double mean_power = 0;                     ///< of the decoded samples
    std::complex<double> lag1;                 ///< sum over lines and samples of conj(x[line]) * x[line + 1], decoded (gain applied), not normalised
};

/// A pass made ready for one shape: FFT plans made, tables on the device. Running it allocates nothing.
class PassPlan {
public:
    virtual ~PassPlan() = default;
    /// Runs the pass over all lines. Shapes are those of the pass (see its header); in and out must not share storage
    /// unless the pass says so.
    virtual void run(const Matrix& in, Matrix& out) = 0;
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
    /// out[c][r] = in[r][c], native format, any shape; not in place.
    virtual void corner_turn(const Matrix& in, Matrix& out) = 0;
    virtual std::unique_ptr<PassPlan> plan(const Pass& pass) = 0;
    virtual EchoStatistics statistics(const Matrix& echo, const EchoDecoding& decoding) = 0;
    /// Time-domain back-projection in double precision; see kernels/backprojection.h.
    virtual std::vector<std::complex<double>> backproject(const Matrix& echo, const EchoDecoding& decoding, const BackprojectionChip& chip) = 0;
    /// c = a * b in the native format; a is m x k, b is k x n, c is m x n. Throws std::logic_error naming both shapes if they do not fit.
    virtual void matrix_product(const Matrix& a, const Matrix& b, Matrix& c) = 0;
    /// Waits until everything asked for is done.
    virtual void synchronize() = 0;
    virtual TransferCount transferred() const = 0;
};

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
