// SPDX-License-Identifier: Apache-2.0
// Scenes for batch, and what it leaves of them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "data/files/sha256.h"
#include "tests/app/image_program.h"

namespace cornerturn {

/// Small scenes in work/raw, their images in work/out. Whatever is made at another time is the same.
class BatchTest : public ImageProgramTest {
protected:
    BatchTest() {
        setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
        setenv("XDG_CACHE_HOME", path("streams").c_str(), 1);
        std::filesystem::create_directory(file("raw"));
    }
    ~BatchTest() override { unsetenv("SOURCE_DATE_EPOCH"); }

    void simulate(const std::string& name, int seed = 1) {
        const Outcome outcome = run({"simulate", scene_of(seed), "-o", file("raw/" + name + ".h5"), "-q"});
        ASSERT_EQ(outcome.code, 0) << outcome.err;
    }
    std::string scene_of(int seed) const {
        write("scene.yaml", "preset: spaceborne\nlines: 1000\nsamples: 2000\nsample_type: int8\nnoise_db: 0\nseed: " +
                                std::to_string(seed) + "\n");
        return file("scene.yaml");
    }
    void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
    Words batch(const std::string& list, const Words& more = {}, const std::string& device = "cpu") const {
        Words words{"batch", file(list), "-o", file("out"), "--device", device, "--threads", "1"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    nlohmann::json status(const std::string& scene) const {
        std::ifstream in(file("out/" + scene + ".status.json"));
        return nlohmann::json::parse(in, nullptr, false);
    }
    std::string sum(const std::string& name) const { return sha256_of_file(file(name)); }
    /// What batch tells of a scene with --json.
    static nlohmann::json scene_in(const nlohmann::json& result, const std::string& name) {
        for (const nlohmann::json& scene : result.at("scenes"))
            if (scene.at("scene") == name) return scene;
        return {};
    }
    nlohmann::json resumed(const std::string& list, const Words& more = {}) {
        Words words = batch(list, {"--resume", "--json"});
        words.insert(words.end(), more.begin(), more.end());
        return json_of(words);
    }
    bool done_before(const nlohmann::json& result, const std::string& name) const {
        return scene_in(result, name).at("done_before");
    }
    /// But for status files.
    Words images() const {
        Words names;
        for (const auto& entry : std::filesystem::directory_iterator(file("out")))
            if (const std::string name = entry.path().filename();
                !name.ends_with(".status.json") && name != ".batch.lock")
                names.push_back(name);
        std::sort(names.begin(), names.end());
        return names;
    }
};

}  // namespace cornerturn
