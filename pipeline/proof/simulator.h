// SPDX-License-Identifier: Apache-2.0
// The echo of point targets in double precision, straight from the signal model (docs/theory.md): two-way delays,
// nothing stops and goes.
#pragma once

#include <cstdint>
#include <memory>

#include "pipeline/acquisition/acquisition.h"
#include "pipeline/echo/progress.h"
#include "pipeline/echo/source_and_sink.h"
#include "pipeline/proof/scene.h"

namespace cornerturn {

/// The whole acquisition: geometry, orbit, attitude, file's own Doppler (and velocity, of a straight flight), truth; no
/// samples.
Acquisition describe(const Scene& scene);

/// The echo of a scene. Threads 0: all cores; the result does not depend on it. Throws InputError for a scene that does
/// not validate, Interrupted on request. Integer samples are the model times amplitude_scale(scene), and so are the
/// amplitudes of the truth.
Echo simulate(const Scene& scene, const Progress& progress = {}, int threads = 0);

/// The same line by line as it is read, for echoes larger than memory.
class SimulatedEcho final : public EchoSource {
public:
    explicit SimulatedEcho(const Scene& scene, Progress progress = {}, int threads = 0);
    SimulatedEcho(const SimulatedEcho&) = default;
    ~SimulatedEcho() override;
    /// The same scene in another of its polarizations.
    SimulatedEcho other_polarization(std::size_t channel) const;
    const Acquisition& acquisition() const override { return acquisition_; }
    void read(std::int64_t first_line, std::int64_t lines, std::span<std::byte> to) override;
    /// samples_at_full_scale of all that was read.
    std::int64_t at_full_scale() const { return at_full_scale_; }
    double amplitude_scale() const;  ///< see below

private:
    struct Model;
    std::shared_ptr<const Model> model_;
    Acquisition acquisition_;
    std::size_t channel_ = 0;  ///< of the scene's polarizations
    Progress progress_;
    int threads_;
    std::int64_t at_full_scale_ = 0;
};

/// Factor from the scene's amplitudes to those stored: 1 for f32; for integers such that overlapping targets reach 100
/// of 127 levels (25000 of 32767) together with four standard deviations of noise.
double amplitude_scale(const Scene& scene);

/// Integer samples one of whose parts is the largest number stored (clipped there); 0 for f32. Only noise can lead
/// there.
std::int64_t samples_at_full_scale(const Echo& echo);

}  // namespace cornerturn
