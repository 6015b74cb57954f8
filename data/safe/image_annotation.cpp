// SPDX-License-Identifier: Apache-2.0
// Of an annotation, what is told of the samples and how they were made.
#include "data/safe/annotation.h"
#include "data/safe/ground_grid.h"
#include "pipeline/acquisition/geometry.h"

namespace cornerturn::safe {
namespace {

void write_information(const NewElement& image, const ProductFacts& facts, const BurstStack& stack) {
    const GroundView middle = view_of(stack, stack.bursts[stack.bursts.size() / 2], stack.lines / 2, stack.samples / 2);
    const NewElement information = image.in("imageInformation");
    information.text("productFirstLineUtcTime", utc(facts.epoch, stack.first_time_s()));
    information.text("productLastLineUtcTime", utc(facts.epoch, stack.last_time_s()));
    information.text("ascendingNodeTime", utc(facts.epoch, facts.node_s));
    information.text("anchorTime", utc(facts.epoch, stack.first_time_s()));
    information.text("productComposition", "Individual");
    information.count("sliceNumber", 0);
    information.in("sliceList").with("count", std::int64_t{0});
    information.number("slantRangeTime", stack.delay_s(0));
    information.text("pixelValue", "Complex");
    information.text("outputPixels", "16 bit Signed Integer");
    information.number("rangePixelSpacing", stack.first().grid.range_spacing_m);
    information.number("azimuthPixelSpacing", middle.ground_track_velocity_m_s * stack.line_spacing_s());
    information.number("azimuthTimeInterval", stack.line_spacing_s());
    information.number("azimuthFrequency", 1 / stack.line_spacing_s());
    information.count("numberOfSamples", stack.samples);
    information.count("numberOfLines", stack.all_lines());
    information.number("zeroDopMinusAcqTime", stack.first_time_s() - stack.acquisition().first_pulse_time_s);
    information.number("incidenceAngleMidSwath", middle.incidence_deg);
}

/// Where it is none of the schema's windows there is no name for it.
void write_band(const NewElement& to, const char* name, const Window& window, double total_hz, double processed_hz) {
    const NewElement processing = to.in(name);
    const bool hamming = window.kind == Window::Kind::hamming, kaiser = window.kind == Window::Kind::kaiser;
    processing.text("windowType", hamming ? "Hamming" : kaiser ? "Kaiser" : "None");
    processing.number("windowCoefficient", hamming ? 0.54 : kaiser ? window.beta : 0);
    processing.number("totalBandwidth", total_hz);
    processing.number("processingBandwidth", processed_hz);
    processing.number("lookBandwidth", processed_hz);
    processing.count("numberOfLooks", 1);
    processing.number("lookOverlap", 0);
}

void write_processing(const NewElement& image, const BurstStack& stack, double step) {
    const ProcessingRecord& done = stack.first().processing;
    const Acquisition& acquisition = stack.acquisition();
    const NewElement processing = image.in("processingInformation");
    for (const char* none :
         {"rawDataAnalysisUsed", "attitudeDataFileUsed", "rxVariationCorrectionApplied",
          "antennaElevationPatternApplied", "antennaAzimuthPatternApplied", "rangeSpreadingLossCompensationApplied",
          "srgrConversionApplied", "detectionPerformed", "thermalNoiseCorrectionPerformed"})
        processing.text(none, "false");
    processing.text("chirpSource", "Nominal");
    const NewElement parameters =
        processing.in("swathProcParamsList").with("count", std::int64_t{1}).in("swathProcParams");
    parameters.text("swath", stack.swath().swath);
    write_band(parameters, "rangeProcessing", done.range_window, acquisition.chirp.bandwidth_hz(),
               done.range_bandwidth_hz);
    write_band(parameters, "azimuthProcessing", done.azimuth_window,
               acquisition.azimuth_bandwidth_hz.value_or(done.azimuth_bandwidth_hz), done.azimuth_bandwidth_hz);
    parameters.number("processorScalingFactor", 1 / step);
    processing.text("ellipsoidName", "WGS84");
    processing.number("ellipsoidSemiMajorAxis", wgs84_equatorial_radius_m);
    processing.number("ellipsoidSemiMinorAxis", wgs84_polar_radius_m);
    processing.text("bistaticDelayCorrectionApplied", "true");
    processing.text("topsFilterConvention", "Only Echo Lines");
}

}  // namespace

void write_image(const NewElement& product, const ProductFacts& facts, const BurstStack& stack, double step) {
    const NewElement image = product.in("imageAnnotation");
    write_information(image, facts, stack);
    write_processing(image, stack, step);
}

}  // namespace cornerturn::safe
