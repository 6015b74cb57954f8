// SPDX-License-Identifier: Apache-2.0
#include "pipeline/acquisition/ground/geoid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <proj.h>

#include <array>
#include <cmath>
#include <vector>

#include "kernels/errors.h"
#include "pipeline/acquisition/degree.h"
#include "pipeline/acquisition/proj_context.h"

namespace cornerturn {
namespace {

/// As PROJ-data has them, and as proj-datumgrid had them before.
std::array<const char*, 2> grids_of(GeoidModel model) {
    if (model == GeoidModel::egm96) return {"us_nga_egm96_15.tif", "egm96_15.gtx"};
    return {"us_nga_egm08_25.tif", "egm08_25.gtx"};
}

}  // namespace

std::string_view name_of(GeoidModel model) { return model == GeoidModel::egm96 ? "EGM96" : "EGM2008"; }
std::string grid_names(GeoidModel model) { return fmt::format("{}", fmt::join(grids_of(model), " or ")); }

struct Geoid::Proj {
    std::string grid;
    PJ_CONTEXT* context = new_proj_context();
    PJ* shift = nullptr;

    explicit Proj(const char* name) : grid(name) {
        // Forwards, heights above the geoid become such above the ellipsoid.
        shift = proj_create(context, fmt::format("+proj=vgridshift +grids={} +multiplier=1", name).c_str());
    }
    ~Proj() {
        proj_destroy(shift);
        proj_context_destroy(context);
    }
    Proj(const Proj&) = delete;
    Proj& operator=(const Proj&) = delete;
};

Geoid::Geoid(std::unique_ptr<Proj> proj) : proj_(std::move(proj)) {}
Geoid::~Geoid() = default;

std::unique_ptr<Geoid> Geoid::find(GeoidModel model) {
    for (const char* name : grids_of(model))
        if (auto proj = std::make_unique<Proj>(name); proj->shift != nullptr)
            return std::unique_ptr<Geoid>(new Geoid(std::move(proj)));
    return nullptr;
}

const std::string& Geoid::grid() const { return proj_->grid; }

void Geoid::heights_m(double latitude_deg, std::span<const double> longitude_deg, std::span<double> height_m) const {
    std::vector<PJ_COORD> places;
    for (const double one_deg : longitude_deg)
        places.push_back(proj_coord(std::remainder(one_deg, 360) * degree, latitude_deg * degree, 0, 0));
    proj_trans_array(proj_->shift, PJ_FWD, places.size(), places.data());
    for (std::size_t i = 0; i < places.size(); ++i) {
        height_m[i] = places[i].xyz.z;
        if (!std::isfinite(height_m[i]))
            throw InputError(fmt::format("{}: has no height at latitude {} and longitude {}", proj_->grid, latitude_deg,
                                         longitude_deg[i]));
    }
}

}  // namespace cornerturn
