// SPDX-License-Identifier: Apache-2.0
#include "kernels/host/fftw/wisdom.h"

#include <fftw3.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include "kernels/host/processor_name.h"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;

/// Empty if the user has no cache folder that can be written.
fs::path cache_folder() {
    const auto folder_named = [](const char* variable) {
        const char* value = std::getenv(variable);
        return value && *value == '/' ? fs::path(value) : fs::path();
    };
    fs::path folder = folder_named("XDG_CACHE_HOME");
    if (const fs::path home = folder_named("HOME"); folder.empty() && !home.empty()) folder = home / ".cache";
    if (folder.empty()) return {};
    folder /= "cornerturn";
    std::error_code error;
    fs::create_directories(folder, error);
    return access(folder.c_str(), W_OK) == 0 ? folder : fs::path();
}

}  // namespace

// Plans suit a processor; FFTW itself refuses wisdom of another version or instruction set. Every line is transformed
// by one thread, so their number does not matter.
fs::path fftw_wisdom_file() {
    const fs::path folder = cache_folder();
    std::string processor = processor_name();
    for (char& c : processor)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '-';
    return folder.empty() ? folder : folder / fmt::format("fftw-float-{}.wisdom", processor);
}

bool recall_fftw_wisdom() {
    static const bool kept = [] {
        const fs::path path = fftw_wisdom_file();
        std::ifstream file(path);
        const std::string text(std::istreambuf_iterator<char>(file), {});
        if (!text.empty()) fftwf_import_wisdom_from_string(text.c_str());
        return !path.empty();
    }();
    return kept;
}

void keep_fftw_wisdom() {
    const std::unique_ptr<char, decltype(&std::free)> text(fftwf_export_wisdom_to_string(), &std::free);
    const fs::path path = fftw_wisdom_file();
    if (!text || path.empty()) return;
    const fs::path partial = fmt::format("{}.{}", path.string(), getpid());
    std::ofstream file(partial);
    file << text.get();
    file.close();
    std::error_code error;
    if (file) fs::rename(partial, path, error);
    if (!file || error) fs::remove(partial, error);
}

}  // namespace cornerturn
