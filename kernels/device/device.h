// SPDX-License-Identifier: Apache-2.0
// Interface of a back end. Pipelines are written against it and cannot tell which device runs.
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

#include "kernels/back_projection/chip.h"
#include "kernels/device/carrier.h"
#include "kernels/device/lowering.h"
#include "kernels/device/matrix_product_variant.h"
#include "kernels/device/memory_place.h"
#include "kernels/device/recording.h"
#include "kernels/device/staging.h"
#include "kernels/steps/work_cost.h"

namespace cornerturn {

struct Accumulation;
class DeviceBench;
class ExchangeBench;

struct DeviceInfo {
    std::string name;                               ///< "cpu", "cpu-double", "cuda:0"
    std::string description;                        ///< model, threads or multiprocessors
    std::size_t memory_bytes = 0;                   ///< of the whole device
    std::size_t memory_free_bytes = 0;              ///< usable now; 0: not known (of a GPU that is listed, not open)
    SampleFormat native = SampleFormat::complex64;  ///< what it computes in
    bool shares_host_memory = false;                ///< its matrices lie in the memory of the host
    std::string driver = {};                        ///< of a GPU, with the CUDA version that it offers; "" otherwise
    double clock_mhz = 0;                           ///< highest of the processors of a GPU; 0: not known
    double memory_clock_mhz = 0;                    ///< likewise
    WorkRates rates = {};                           ///< for choices among algorithms; nothing else rests on them
};

/// One thread at a time uses a device and what it made: nothing here is re-entrant. Another device object, of the same
/// GPU too, may be used by another thread. Memory that StagedLines::host and host_memory give may be filled by any
/// thread.
class Device {
public:
    virtual ~Device() = default;

    virtual DeviceInfo info() const = 0;
    /// Memory that its matrices lie in, and samples that others have put there.
    virtual MemoryPlace place() const = 0;
    /// The stream that its work goes on in, as DLPack hands it around: a cudaStream_t, 0 where there is none.
    virtual std::uintptr_t stream() const { return 0; }
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
    /// Copies a matrix of the native format into one of complex64 in its own memory, and is done when it returns.
    /// False: a number is not finite. A matrix that is its own place is only looked through.
    virtual bool copy_finite(const Matrix& from, Matrix& to) = 0;
    /// A place for up to `rows` lines of `columns` samples on their way to the device.
    virtual std::unique_ptr<StagedLines> stage(SampleFormat format, std::int64_t rows, std::int64_t columns) = 0;
    /// Host memory that upload, download and StagedLines::send_from reach without a detour (page-locked on a GPU).
    virtual std::shared_ptr<std::byte> host_memory(std::size_t bytes) = 0;
    virtual std::unique_ptr<DeviceStopwatch> stopwatch() = 0;
    /// How the device would go through the steps; throws InputError for hints that it cannot follow.
    virtual LoweringReport probe(const Algorithm& algorithm, const LoweringHints& hints) = 0;
    /// How fast it would sum pixels: where tiles do not hold for a scene, less than its WorkRates have. Some tiles are
    /// looked at, which takes a moment.
    virtual double pixel_pulses_per_s(const Accumulation&) { return info().rates.pixel_pulses_per_s; }
    /// Makes the steps ready, as probe says. A faster way that turns out not to hold is left out, and the report
    /// says why; a lack of memory for one way is a reason to take another.
    virtual Lowered lower(const Algorithm& algorithm, const LoweringHints& hints) = 0;
    /// Of an echo, in gaps too.
    virtual std::unique_ptr<NonFiniteCounter> non_finite_counter(const EchoDecoding& decoding) = 0;
    /// Time-domain back-projection in double precision; see kernels/back_projection/chip.h.
    virtual std::vector<std::complex<double>> backproject(const Matrix& echo, const EchoDecoding& decoding,
                                                          const BackprojectionChip& chip) = 0;
    /// c = a * b; a is m x k, b is k x n, c is m x n, all float32, all complex64 or all complex128 on any device.
    /// Throws std::logic_error naming the shapes if they do not fit together, InputError for a variant that the device
    /// lacks.
    virtual void matrix_product(const Matrix& a, const Matrix& b, Matrix& c,
                                MatrixProductVariant variant = MatrixProductVariant::production) = 0;
    /// Notes what `work` asks of the device (passes, corner turns, copies of matrices) without doing it: on a GPU a
    /// CUDA graph, on a CPU the work itself. Matrices and plans that it names must outlive the recording.
    virtual std::unique_ptr<Recording> record(const std::function<void()>& work) = 0;
    /// Between devices of the same kind, this one among them; they must outlive it. Throws InputError where they do not
    /// go together, or CPUs are to go by a carrier between GPUs; DeviceError where the carrier is not there.
    virtual std::unique_ptr<ExchangeBench> exchange_among(std::span<Device* const> devices, Carrier carrier) = 0;
    /// Waits until everything asked for is done.
    virtual void synchronize() = 0;
    /// Waits for what others in this process have asked of its memory, too: another device object, another library.
    virtual void synchronize_with_others() { synchronize(); }
    virtual TransferCount transferred() const = 0;
    /// When the bus was busy since this was last asked (of very many copies, with the first of them); nothing where
    /// there is none. Waits for what is still on it.
    virtual BusSpans take_bus_spans() { return {}; }
    /// What benches and tests ask of it beside.
    virtual DeviceBench& bench() = 0;
};

/// Opens `auto`, `cpu`, `cpu-double` (the reference: same passes in double precision), `cuda` or `cuda:N`.
/// `auto` takes the first CUDA device that can be opened, or the CPU where there is none. `threads` 0: all cores.
/// Throws InputError for an unknown name and for several, DeviceError for a CUDA device that is not there.
std::unique_ptr<Device> open_device(const std::string& name, int threads = 0);

/// Each by itself of several that are separated by commas: "cuda:0,1", "cuda:all" (those that are there), "cpu,cpu"; or
/// one as above. Throws InputError where one is missing beside a comma, DeviceError where cuda:all are none.
std::vector<std::string> device_names(const std::string& names);

/// Several, as device_names tells them. Where `threads` is 0, those of kind CPU share the cores; else each has as many.
std::vector<std::unique_ptr<Device>> open_devices(const std::string& names, int threads = 0);

/// One line per device that is here, and for CUDA why not where none is. Opens none of them.
struct DeviceList {
    std::vector<DeviceInfo> devices;
    std::string cuda_status;  ///< "" if there is a CUDA device, else the reason
};
DeviceList list_devices();

}  // namespace cornerturn
