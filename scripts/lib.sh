# SPDX-License-Identifier: Apache-2.0
# What the scripts share: they work from any folder, use what the machine has, and speak on standard error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\n== %s\n' "$*" >&2; }
fail() {
    printf '%s: %s\n' "$(basename "$0")" "$1" >&2
    exit "${2:-1}"
}
have() { command -v "$1" >/dev/null 2>&1; }

# How many compilers may run at once: one per processor, but each wants about 1.5 GB (this machine's, or the
# container's).
build_jobs() {
    local cores kilobytes limit jobs
    cores=$(nproc)
    kilobytes=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
    limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || echo max)
    if [[ $limit =~ ^[0-9]+$ ]] && ((limit / 1024 < kilobytes)); then kilobytes=$((limit / 1024)); fi
    jobs=$((kilobytes / 1500000))
    if ((jobs > cores)); then jobs=$cores; fi
    echo $((jobs < 1 ? 1 : jobs))
}

# bare_system RELEASE FOLDER [OPTIONS of debootstrap...]: of Debian, or of Ubuntu by its own archive.
bare_system() {
    local release=$1 folder=$2 more=()
    have debootstrap || PATH+=:/usr/sbin
    have debootstrap || fail "makes the chroot by debootstrap, which is not here; apt-get install debootstrap"
    ((EUID == 0)) || fail "only root can make a chroot"
    # A release that this debootstrap is too old for is one of Ubuntu, if it is none of Debian.
    if [[ ! -e /usr/share/debootstrap/scripts/$release ]]; then
        more=(http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy)
    fi
    debootstrap --variant=minbase "${@:3}" "$release" "$folder" "${more[@]}" >"$folder.log" 2>&1 ||
        fail "debootstrap failed: $(tail -n 3 "$folder.log")"
    rm "$folder.log"
    cp /etc/resolv.conf "$folder/etc" 2>/dev/null || true
}

# build PRESET [OPTIONS of cmake --build...]: configures and builds; build_folder is then where. ccache is used where it
# is installed. Further options of configuring are taken from the array `configure`.
configure=()
build() {
    local preset=$1 launcher=()
    shift
    if have ccache; then
        # Compiled for the processor of this machine: a cache shared with other machines must not mix them up.
        export CCACHE_NAMESPACE="cornerturn $(awk -F: '/^(model name|CPU part)/ { print $2; exit }' /proc/cpuinfo)"
        export CCACHE_BASEDIR=$PWD
        launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
    fi
    build_folder=build
    if [[ $preset != default ]]; then build_folder=build-$preset; fi
    say "build (preset $preset, folder $build_folder, $(build_jobs) at a time)"
    cmake --preset "$preset" "${launcher[@]}" "${configure[@]}" >&2 ||
        fail "configuring failed; if $build_folder was made by other means, remove it and try again"
    cmake --build --preset "$preset" --parallel "$(build_jobs)" "$@" >&2
}

# run_tests PRESET [CTEST OPTIONS...]: sets tests_outcome to ctest's exit code, and what count_tests sets. Fails where no
# test ran.
run_tests() {
    local folder=build report
    if [[ $1 != default ]]; then folder=build-$1; fi
    report=$PWD/$folder/tests.xml
    rm -f "$report"
    tests_outcome=0
    # One more than there are processors: some tests wait, for a moment to come or for mpirun to end.
    ctest --preset "$1" --parallel $(($(nproc) + 1)) --output-junit "$report" "${@:2}" || tests_outcome=$?
    [[ -f $report ]] && count_tests "$report"
}

# What a report of ctest (JUnit) counts: number_in REPORT NAME; count_tests REPORT sets tests_passed, _failed, _skipped.
number_in() { grep -m1 -oE "\b$2=\"[0-9]+\"" "$1" | grep -oE '[0-9]+'; }
count_tests() {
    tests_failed=$(number_in "$1" failures)
    tests_skipped=$(($(number_in "$1" skipped) + $(number_in "$1" disabled)))
    tests_passed=$(($(number_in "$1" tests) - tests_failed - tests_skipped))
}

# failed_in REPORT: the names of the tests that failed, the first twenty with how their output begins and ends; without
# the lines that GoogleTest writes around every test.
failed_in() {
    awk '
        function plain(text) {
            gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "\047", text)
            gsub(/&amp;/, "\\&", text)
            return text
        }
        function take(line) {
            if (line ~ /^ *$|^Running main|^Note: Google Test|^ *[0-9]+ FAILED TESTS?$/) return
            if (line !~ /^\[(=+|-+| RUN +|  FAILED  |  PASSED  )\]/) lines[++count] = plain(line)
        }
        function tell(i) {
            printf "FAILED %s (%.1f s)\n", name, seconds
            if (++told > 20) return
            if (count == 0) print "    without a word"
            for (i = 1; i <= count; ++i) {
                if (i <= 8 || i > count - 4) print "    " substr(lines[i], 1, 240)
                else if (i == 9) print "    ..."
            }
        }
        /^\t*<testcase / {
            name = plain(name_in($0)); seconds = $0; sub(/.* time="/, "", seconds); sub(/".*/, "", seconds)
            count = 0; failed = /status="fail"/; idle = /status="notrun"/
        }
        # What ctest could not start has not been skipped.
        idle && /<skipped / && !/message="SKIP_/ { failed = 1 }
        inside && /<\/system-out>/ { sub(/<\/system-out>.*/, ""); take($0); inside = 0 }
        inside { take($0) }
        /<system-out>/ {
            inside = !/<\/system-out>/; sub(/.*<system-out>/, ""); sub(/<\/system-out>.*/, ""); take($0)
        }
        /^\t*<\/testcase>/ { if (failed) tell(); failed = idle = 0 }
        function name_in(line) { sub(/.*<testcase name="/, "", line); sub(/".*/, "", line); return line }
    ' "$1"
}
