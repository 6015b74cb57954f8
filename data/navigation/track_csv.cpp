// SPDX-License-Identifier: Apache-2.0
// Tracks as CSV: names in the first line, numbers below, commas between them.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <vector>

#include "data/files/refusal.h"
#include "data/files/trimmed.h"
#include "data/navigation/track_file.h"
#include "kernels/host/letter_case.h"
#include "kernels/host/number_text.h"

namespace cornerturn {
namespace {

constexpr std::string_view utc_column = "utc", byte_order_mark = "\xef\xbb\xbf";
constexpr std::size_t longest_line = 1 << 16;

std::string_view without_blanks(std::string_view text) {
    text = trimmed(text);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    return text;
}

std::vector<std::string_view> fields_of(std::string_view line) {
    std::vector<std::string_view> fields;
    for (std::size_t from = 0;;) {
        const std::size_t comma = line.find(',', from);
        fields.push_back(without_blanks(line.substr(from, comma - from)));
        if (comma == std::string_view::npos) return fields;
        from = comma + 1;
    }
}

/// A CSV file that is being read, line by line.
class CsvFile {
public:
    explicit CsvFile(const std::string& path) : path_(path), in_(path, std::ios::binary), line_(longest_line) {}

    /// Of the next line that holds something but a comment; false at the end.
    bool next(std::vector<std::string_view>& fields) {
        while (in_.getline(line_.data(), static_cast<std::streamsize>(line_.size())) || in_.gcount() > 0) {
            ++number_;
            if (in_.fail())
                complain(fmt::format("has more than {} characters, expected a line of a CSV file", longest_line));
            std::string_view text(line_.data());
            if (number_ == 1 && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
            if (without_blanks(text).empty() || without_blanks(text).front() == '#') continue;
            fields = fields_of(text);
            return true;
        }
        return false;
    }

    [[noreturn]] void complain(const std::string& what) const {
        refuse(path_, fmt::format("line {} {}", number_, what));
    }

private:
    const std::string& path_;
    std::ifstream in_;
    std::vector<char> line_;
    std::int64_t number_ = 0;
};

double number_in(std::string_view field, const std::string& column, const CsvFile& file) {
    const auto value = finite_number_from(field);
    if (!value) file.complain(fmt::format("has '{}' as {}, expected a number", shown(field), column));
    return *value;
}

/// In lower case, each once.
std::vector<std::string> header_of(CsvFile& file, const std::string& path) {
    std::vector<std::string_view> fields;
    if (!file.next(fields))
        refuse(path, "is empty, expected a track: CSV with a header such as time_s,x_m,y_m,z_m, or HDF5");
    std::vector<std::string> names;
    for (const std::string_view field : fields) names.push_back(lower(std::string(field)));
    for (auto name = names.begin(); name != names.end(); ++name)
        if (!name->empty() && std::find(names.begin(), name, *name) != name)
            file.complain(fmt::format("has the column {} twice; leave one of them out", shown(*name)));
    const auto known = [](const std::string& name) { return name == utc_column || is_track_column(name); };
    if (std::none_of(names.begin(), names.end(), known))
        file.complain(
            fmt::format("is '{}', expected names of columns with commas between them, such as "
                        "time_s,x_m,y_m,z_m or utc,latitude_deg,longitude_deg,height_m",
                        shown(names.front())));
    return names;
}

}  // namespace

TrackColumns read_csv_track(const std::string& path) {
    CsvFile file(path);
    const std::vector<std::string> names = header_of(file, path);
    TrackColumns columns;
    std::vector<std::vector<double>*> numbers;  // of each column; of others none
    std::size_t utc = names.size();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool known = is_track_column(names[i]);
        numbers.push_back(known ? &columns.numbers[names[i]] : nullptr);
        if (names[i] == utc_column)
            utc = i;
        else if (!known)
            columns.others.push_back(names[i].empty() ? "a column without a name" : shown(names[i]));
    }
    if (utc < names.size()) {
        if (columns.numbers.contains(track_time_column))
            refuse(path, "holds times twice, as time_s and as utc; leave one of them out");
        numbers[utc] = &columns.numbers[track_time_column];
    }
    std::vector<std::string_view> fields;
    while (file.next(fields)) {
        if (fields.size() != names.size())
            file.complain(fmt::format("has {} fields, expected {} as in the header", fields.size(), names.size()));
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (numbers[i] == nullptr) continue;
            if (i != utc) {
                numbers[i]->push_back(number_in(fields[i], names[i], file));
                continue;
            }
            const auto time = parse_epoch(fields[i]);
            if (!time)
                file.complain(fmt::format("has '{}' as utc, expected YYYY-MM-DDThh:mm:ss.sss", shown(fields[i])));
            if (!columns.epoch) columns.epoch = Epoch{time->seconds, 0};
            numbers[i]->push_back(time->seconds_since(*columns.epoch));
        }
    }
    return columns;
}

}  // namespace cornerturn
