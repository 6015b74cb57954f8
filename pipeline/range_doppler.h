// SPDX-License-Identifier: Apache-2.0
// The range-Doppler algorithm (Cumming & Wong 2005, ch. 6), for any squint that the hyperbola carries:
//
//   echo [line][sample]
//     range compression          FFT, matched filter (x secondary range compression at f_dc), inverse FFT
//   -> corner turn ->  [range][line]
//     azimuth FFT
//   (-> corner turn -> [azimuth bin][range]: secondary range compression in the 2-D frequency domain -> corner turn ->)
//     range cell migration correction, azimuth compression, inverse FFT
//   -> corner turn ->  image [zero-Doppler time][slant range]
//
// A GPU may run the same passes fused, one kernel each, or turn-free: the azimuth transform split so that all of it, migration included,
// works on the matrix as it lies, and no corner turn is needed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device.h"
#include "pipeline/acquisition.h"
#include "pipeline/image.h"
#include "pipeline/progress.h"

namespace cornerturn {

/// Which way through the passes.
enum class Chain {
    plain,     ///< FFT library and one kernel per hook, through corner turns; any length. What the CPU does, too.
    fused,     ///< one kernel per pass, through corner turns
    turn_free  ///< one kernel for range, three for azimuth, no corner turn
};

/// What lies between the passes.
enum class Precision {
    full,        ///< the device's own numbers
    half_middle  ///< halves with a scale per line (kernels/scaled_lines.h); everything is computed in full precision. Turn-free chain only
};
std::string_view name_of(Precision precision);
/// `full` or `half-middle`; throws InputError listing them.
Precision precision_named(std::string_view name);

/// How much of the image is made.
enum class ImageExtent {
    full,  ///< every point whose beam centre lies in the echo; transforms are padded so that nothing wraps
    valid  ///< only what the echo covers fully (whole chirp, whole aperture, all migration); transforms are as long as the echo
};
std::string_view name_of(ImageExtent extent);
/// `full` or `valid`; throws InputError listing them.
ImageExtent image_extent(std::string_view name);

struct FftLengths {
    std::int64_t range = 0;
    std::int64_t azimuth = 0;
};

/// What the algorithm is asked for, all of it resolved.
struct RangeDopplerParameters {
    double doppler_centroid_hz = 0;                      ///< absolute
    std::function<double(double range_m)> velocity_m_s;  ///< effective velocity at a closest range
    double azimuth_bandwidth_hz = 0;                     ///< processed, at most widest_azimuth_band_hz (pipeline/velocity.h)
    Window range_window;
    Window azimuth_window;
    int interpolation_taps = 16;
    ImageExtent extent = ImageExtent::full;
    Chain chain = Chain::plain;
    Precision precision = Precision::full;
    std::optional<FftLengths> fft_lengths = {};                     ///< instead of the chain's least that fit: what is too short wraps
    CornerTurnVariant corner_turn = CornerTurnVariant::production;  ///< all give the same image
};

/// Where secondary range compression is done.
enum class CouplingDomain { range_filter, two_dimensional };

/// Everything that follows from an acquisition and the parameters, before any sample is touched.
struct RangeDopplerPlan {
    RangeDopplerParameters parameters;
    ImageGrid grid;
    std::vector<double> velocity_m_s;     ///< per image column
    std::vector<Interval> covered_rows;   ///< per image column: rows whose beam centre lies in the echo; all of them in a valid image
    std::vector<Interval> valid_columns;  ///< per image row: fully compressed columns
    std::int64_t range_fft_length = 0;
    std::int64_t azimuth_fft_length = 0;
    std::int64_t range_reach_samples = 0;  ///< how far the range filter reaches beyond the chirp at either end
    std::int64_t azimuth_reach_lines = 0;  ///< how far the azimuth filter reaches beyond the aperture at either end
    double azimuth_fade_hz = 0;            ///< over which the azimuth filter ends at either edge of the band
    double aperture_lines = 0;             ///< longest synthetic aperture of the processed band
    double migration_cells = 0;            ///< largest range cell migration over the processed band
    CouplingDomain coupling = CouplingDomain::range_filter;
    double coupling_left_rad = 0;         ///< phase left at the corners of the band if SRC sat in the range filter
    double image_range_bandwidth_hz = 0;  ///< of a point in the image: the chirp's, widened by the skew of the support under squint
    double reference_range_m = 0;
    double range_mean_square_hz2 = 0;  ///< mean square of the range frequencies, weighted by the range window
    SincKernel kernel;
    std::size_t device_bytes = 0;     ///< peak: echo or two matrices, and the work lines
    double range_resolution_m = 0;    ///< -3 dB, without window 0.886 c / 2B
    double azimuth_resolution_m = 0;  ///< likewise 0.886 V / Ba, along the track of the hyperbola

    std::int64_t matrix_samples(const Acquisition& acquisition) const;      ///< of the resident matrix that holds the image
    std::int64_t compressed_samples(const Acquisition& acquisition) const;  ///< of that which holds the range compressed echo
};

/// Throws InputError where the parameters do not fit the acquisition, Unsupported where the chain has no transforms of its lengths.
RangeDopplerPlan plan_range_doppler(const Acquisition& acquisition, const RangeDopplerParameters& parameters);

/// The same plan with other rows: an image that covers more time, on a grid that `first_time_s` continues. For frames that share an axis.
RangeDopplerPlan with_rows(RangeDopplerPlan plan, const Acquisition& acquisition, double first_time_s, std::int64_t rows);

/// The passes of a plan and how a device is to run them.
struct PlannedPass {
    Pass pass;
    Method method;
};
/// `block_lines`: of the blocks that range compression takes at a time; 0: all lines.
std::vector<PlannedPass> passes_of(const Acquisition& acquisition, const RangeDopplerPlan& plan, std::int64_t block_lines = 0);

/// Throws InputError if the device has no such corner turn as the plan asks for, or if it cannot turn one of the plan's matrices.
void check_corner_turns(const Device& device, const Acquisition& acquisition, const RangeDopplerPlan& plan);

/// Told after each stage: its name, the matrix and what its rows and columns are.
using StageObserver = std::function<void(std::string_view stage, const Matrix& matrix, std::string_view rows, std::string_view columns)>;

/// A step of a chain behind range compression: reads one of the resident matrices and leaves its result in the other.
struct ChainStage {
    std::string_view name, rows, columns;  ///< of the step, and what the rows and columns of its result are
    double done;                           ///< of the whole chain, behind it
    Matrix result;
    std::function<void(Matrix& result)> run;
};

/// The chain made ready for one shape on one device: FFT plans, tables and matrices are made once and serve frame after frame.
class RangeDopplerProcessor {
public:
    /// The device must outlive the processor. Throws InputError as check_corner_turns does.
    /// `block_lines`: that compress_range mostly gets; 0: all.
    RangeDopplerProcessor(Device& device, const Acquisition& acquisition, const RangeDopplerPlan& plan, std::int64_t block_lines = 0);

    /// Makes it ready for another frame of the same kind, planned with the same options: all that differs is how samples are decoded.
    /// False: it is of another kind.
    bool prepare(const Acquisition& acquisition, const RangeDopplerPlan& plan, std::int64_t block_lines);

    /// Takes the lines of a frame that begin with `first_line`, as stored; the blocks of a frame may have any sizes and come in any order.
    void compress_range(const Matrix& lines, std::int64_t first_line) { compress_range_->run_lines(lines, first_line, a_); }
    /// The rest of the chain, once all lines were compressed. Returns the image, grid.rows x grid.columns, in storage that the next frame
    /// takes again.
    Matrix finish(const Progress& progress, const StageObserver& observer);

    /// The steps that finish takes, one behind the other; the last one's result is the image.
    std::vector<ChainStage>& stages();
    /// The whole chain over a frame that lies on the device, recorded to be replayed; the frame and the processor must outlive it.
    std::unique_ptr<Recording> record(const Matrix& echo);

private:
    std::unique_ptr<PassPlan>& plan_of(const Pass& pass);
    std::vector<ChainStage> stages_through_corner_turns() const;

    Device& device_;
    Acquisition acquisition_;
    RangeDopplerPlan plan_;
    std::int64_t block_lines_;
    std::unique_ptr<PassPlan> compress_range_, transform_azimuth_, compress_secondary_, compress_azimuth_, compress_unturned_;
    // Two matrices stay resident; the stages pass the data to and fro between them. The second one comes with the first use of it: until
    // then an echo may lie in its place.
    Matrix a_, b_;
    std::vector<ChainStage> stages_;
};

/// Focuses an echo that lies on the device (lines x samples as stored). Returns the image on the device: grid.rows x grid.columns.
/// The echo's memory is given up as soon as it has been range compressed.
Matrix focus_range_doppler(Device& device, const Acquisition& acquisition, const RangeDopplerPlan& plan, Matrix echo,
                           const Progress& progress, const StageObserver& observer);

}  // namespace cornerturn
