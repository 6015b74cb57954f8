// SPDX-License-Identifier: Apache-2.0
// Output files: complete under their name, or not there at all.
#include "data/files/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "data/files/file_descriptor.h"
#include "data/files/file_lock.h"
#include "data/files/file_names.h"
#include "data/files/unfinished.h"
#include "data/hdf5/at_exit.h"
#include "data/hdf5/hdf5_writer.h"
#include "product_fixture.h"
#include "tests/support/stopped_job.h"

namespace {

/// What the calls below were about: "sync NAME", "rename NAME".
std::vector<std::string> calls;
int sync_error = 0, lock_error = 0;
bool locks_need_writing = false;  ///< as on NFS

std::string last_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

}  // namespace

/// In place of the C library's, so that a test sees the order and can let them fail.
extern "C" int fsync(int file) {
    calls.push_back("sync " + last_name(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file))));
    if (sync_error == 0) return static_cast<int>(syscall(SYS_fsync, file));
    errno = sync_error;
    return -1;
}
extern "C" int flock(int file, int operation) noexcept {
    errno = lock_error;
    if (locks_need_writing && (syscall(SYS_fcntl, file, F_GETFL) & O_ACCMODE) == O_RDONLY) errno = EBADF;
    return errno == 0 ? static_cast<int>(syscall(SYS_flock, file, operation)) : -1;
}
extern "C" int rename(const char* from, const char* to) noexcept {
    calls.push_back("rename " + last_name(from));
    return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace cornerturn {
namespace {

using OutputFileTest = ProductTest;

void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string read_text(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(OutputFileTest, AppearsWhenComplete) {
    write_text(path("a.txt"), "old");
    {
        OutputFile file(path("a.txt"));
        write_text(file.temporary_path(), "new");
        EXPECT_EQ(read_text(path("a.txt")), "old");
        EXPECT_EQ(left().size(), 2u);
        file.commit();
    }
    EXPECT_EQ(read_text(path("a.txt")), "new");
    EXPECT_EQ(left(), std::vector<std::string>{"a.txt"});
}

TEST_F(OutputFileTest, LeavesNothingUnlessCommitted) {
    {
        OutputFile file(path("a.txt"));
        write_text(file.temporary_path(), "half");
    }
    EXPECT_TRUE(left().empty());
}

/// Threads of one process that write one path: each whole by itself, and the last one stays.
TEST_F(OutputFileTest, TwoOfOnePathDoNotTouchEachOther) {
    std::string first_name;
    {
        OutputFile first(path("a.txt")), second(path("a.txt"));
        first_name = first.temporary_path();
        EXPECT_NE(first_name, second.temporary_path());
        write_text(first.temporary_path(), "first");
        write_text(second.temporary_path(), "second");
        check_output_path(path("a.txt"));
        first.commit();
        EXPECT_EQ(read_text(path("a.txt")), "first");
        second.commit();
        EXPECT_EQ(read_text(path("a.txt")), "second");
    }
    EXPECT_EQ(left(), std::vector<std::string>{"a.txt"});
    EXPECT_EQ(OutputFile(path("a.txt")).temporary_path(), first_name) << "names that are free are used again";
}

TEST_F(OutputFileTest, BringsTheDataToTheDiskBeforeTheName) {
    OutputFile file(path("a.txt"));
    write_text(file.temporary_path(), "new");
    calls.clear();
    file.commit();
    const std::string temporary = last_name(file.temporary_path()),
                      folder = last_name(path("").substr(0, path("").size() - 1));
    EXPECT_EQ(calls, (std::vector<std::string>{"sync " + temporary, "rename " + temporary, "sync " + folder}));
}

TEST_F(OutputFileTest, ReportsADiskThatLosesData) {
    write_text(path("a.txt"), "old");
    sync_error = EIO;
    {
        OutputFile file(path("a.txt"));
        write_text(file.temporary_path(), "new");
        EXPECT_THROW(file.commit(), DeviceError);
    }
    EXPECT_EQ(read_text(path("a.txt")), "old");
    EXPECT_EQ(left(), std::vector<std::string>{"a.txt"});
    sync_error = EINVAL;  // not a failure, but a file system without such a thing
    OutputFile file(path("a.txt"));
    write_text(file.temporary_path(), "new");
    EXPECT_NO_THROW(file.commit());
    sync_error = 0;
    EXPECT_EQ(read_text(path("a.txt")), "new");
}

TEST_F(OutputFileTest, LeavesNothingWhereTheProgramEndsAtOnce) {
    write_text(path("done.txt"), "old");
    OutputFile done(path("done.txt")), half(path("half.txt")), not_begun(path("not-begun.txt"));
    write_text(done.temporary_path(), "new");
    done.commit();
    write_text(half.temporary_path(), "half");
    std::filesystem::create_directory(path("scratch"));
    for (const char* name : {"scratch", "scratch/a"}) remember_unfinished(path(name));
    write_text(path("scratch/a"), "x");
    remove_unfinished();
    EXPECT_EQ(left(), std::vector<std::string>{"done.txt"});
    EXPECT_EQ(read_text(path("done.txt")), "new");
}

TEST_F(OutputFileTest, WritesThroughALink) {
    write_text(path("target.txt"), "old");
    std::filesystem::create_symlink(path("target.txt"), path("link.txt"));
    OutputFile file(path("link.txt"));
    write_text(file.temporary_path(), "new");
    file.commit();
    EXPECT_TRUE(std::filesystem::is_symlink(path("link.txt")));
    EXPECT_EQ(read_text(path("target.txt")), "new");
}

TEST_F(OutputFileTest, RefusesPathsThatCannotBe) {
    write_text(path("file"), "x");
    expect_refused([&] { check_output_path(path("no/such/out.h5")); }, {"no/such", "No such file or directory"});
    expect_refused([&] { check_output_path(path("file") + "/out.h5"); }, {"not a folder"});
    expect_refused([&] { check_output_path(path("")); }, {"folder"});
    expect_refused([&] { check_output_path(path("").substr(0, path("").size() - 1)); }, {"is a folder"});
    expect_refused([&] { check_output_path(""); }, {"empty"});
    expect_refused([&] { check_output_path("/dev/null"); }, {"not a regular file"});
    expect_refused([&] { check_output_path("/proc/out.h5"); }, {"/proc"});
}

TEST_F(OutputFileTest, RefusesTheInputUnderAnyName) {
    write_text(path("in.h5"), "x");
    std::filesystem::create_symlink(path("in.h5"), path("soft.h5"));
    std::filesystem::create_hard_link(path("in.h5"), path("hard.h5"));
    for (const char* name : {"in.h5", "soft.h5", "hard.h5", "./in.h5"})
        expect_refused([&] { check_output_path(path(name), path("in.h5")); }, {"same file"});
    EXPECT_NO_THROW(check_output_path(path("other.h5"), path("in.h5")));
}

/// What a run on another node is writing, and HDF5 has locked; and what one that was killed has left.
TEST_F(OutputFileTest, RemovesNothingThatMayBeInUse) {
    const auto removed_with = [&](int error, bool as_nfs) {
        write_text(path(".slc.h5.partial-1"), "left");
        write_text(path(".slc.h5.partial-2"), "half");
        const int held = open(path(".slc.h5.partial-2").c_str(), O_RDWR);
        EXPECT_EQ(syscall(SYS_flock, held, LOCK_EX), 0);
        lock_error = error, locks_need_writing = as_nfs;
        remove_abandoned(path("slc.h5"));
        lock_error = 0, locks_need_writing = false;
        close(held);
        EXPECT_TRUE(std::filesystem::exists(path(".slc.h5.partial-2"))) << error;
        return !std::filesystem::exists(path(".slc.h5.partial-1"));
    };
    EXPECT_TRUE(removed_with(0, false));
    EXPECT_TRUE(removed_with(0, true)) << "it must ask with a descriptor for writing";
    for (const int error : {ENOLCK, EBADF, EIO, EINVAL, ENOSYS, EOPNOTSUPP, EINTR})
        EXPECT_FALSE(removed_with(error, false));
}

/// Only what means that another holds it keeps anybody waiting.
TEST_F(OutputFileTest, TellsAHeldLockFromAFailedOne) {
    write_text(path("file"), "x");
    const FileDescriptor one(path("file"), O_RDWR), other(path("file"), O_RDWR), reading(path("file"), O_RDONLY);
    EXPECT_EQ(try_lock(one), LockAttempt::taken);
    EXPECT_EQ(try_lock(other), LockAttempt::by_another);
    EXPECT_EQ(try_lock_byte(one, 7), LockAttempt::taken);
    EXPECT_EQ(try_lock_byte(other, 7), LockAttempt::by_another);
    EXPECT_EQ(try_lock_byte(other, 8), LockAttempt::taken);
    EXPECT_EQ(try_lock_byte(reading, 9), LockAttempt::unknown) << "EBADF";
    for (const int error : {ENOLCK, EIO, EINVAL, ENOSYS}) {
        lock_error = error;
        EXPECT_EQ(try_lock(other), LockAttempt::unknown) << error;
    }
    lock_error = 0;
    write_text(unfinished_name(path("slc.h5")), "half");
    lock_error = EWOULDBLOCK;
    expect_refused([&] { OutputFile(path("slc.h5"), 0, Unfinished::kept); }, {"another run is making it"});
    lock_error = ENOLCK;
    EXPECT_NO_THROW(OutputFile(path("slc.h5"), 0, Unfinished::kept));
    lock_error = 0;
}

TEST_F(OutputFileTest, TellsTwoNamesOfOneFile) {
    write_text(path("in.h5"), "x");
    write_text(path("old.h5"), "x");
    std::filesystem::create_directory(path("folder"));
    std::filesystem::create_directory_symlink(path("folder"), path("way"));
    std::filesystem::create_symlink(path("in.h5"), path("soft.h5"));
    std::filesystem::create_hard_link(path("in.h5"), path("hard.h5"));
    const std::string in = path("in.h5");
    for (const char* name : {"in.h5", "soft.h5", "hard.h5", "./in.h5", "folder/../in.h5"})
        expect_refused([&] { check_outputs({path(name)}, {in}); }, {name, "output and input", "same file"});
    const auto together = [&](const char* one, const char* other) {
        check_outputs({path(one), "", path(other)}, {in});
    };
    expect_refused([&] { together("new.h5", "new.h5"); }, {"two outputs"});
    expect_refused([&] { together("new.h5", "./new.h5"); }, {"./new.h5", "two outputs", "new.h5)"});
    expect_refused([&] { together("folder/new.h5", "way/new.h5"); }, {"two outputs"});
    std::filesystem::create_hard_link(path("old.h5"), path("old-too.h5"));
    expect_refused([&] { together("old.h5", "old-too.h5"); }, {"two outputs"});
    EXPECT_NO_THROW(together("folder/new.h5", "new.h5"));
    EXPECT_NO_THROW(together("new.h5", "NEW.h5"));

    FileNames files;
    files.add({.path = path("later/slc.h5"), .written = true, .by = "a"});
    EXPECT_EQ(files.find(path("later/x/../slc.h5"))->by, "a") << "of folders that are not there yet";
    std::filesystem::create_directory(path("later"));
    files.add({.path = path("later/b.h5"), .written = true, .by = "b"});
    write_text(path("later/b.h5"), "made since");
    EXPECT_EQ(files.find(path("later/b.h5"))->by, "b");
    EXPECT_EQ(files.find(path("later/c.h5")), nullptr);
}

TEST_F(OutputFileTest, NoticesALackOfRoomBeforeTheWork) {
    EXPECT_THROW(OutputFile(path("a"), std::uint64_t{1} << 60), DeviceError);
    EXPECT_TRUE(left().empty());
}

/// Runs `work` in a process of its own that may write files of `limit` bytes; returns its exit code, or minus the
/// signal.
[[maybe_unused]] const bool as_the_program = (h5::leave_nothing_to_exit(), true);

int run_limited(rlim_t limit, const std::function<void()>& work) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        const rlimit both{limit, limit};
        setrlimit(RLIMIT_FSIZE, &both);
        std::signal(SIGXFSZ, SIG_IGN);  // as the program does
        try {
            work();
        } catch (const DeviceError&) {
            std::exit(3);  // as the program ends: with the libraries' handlers
        }
        std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

TEST_F(OutputFileTest, SurvivesAFileSizeLimitAtAnyMoment) {
    const auto write = [&] {
        h5::Writer file(path("a.h5"), 0);  // says nothing of its size, so that the limit strikes in the middle
        for (int i = 0; i < 4; ++i) file.numbers("/g/before" + std::to_string(i), std::vector<double>(2000, 1.0), "m");
        const std::vector<float> matrix(256 * 256, 1.0f);
        file.matrix("/g/matrix", H5T_IEEE_F32LE, 256, 256, matrix.data());
        for (int i = 0; i < 4; ++i) file.numbers("/g/after" + std::to_string(i), std::vector<double>(2000, 1.0), "m");
        file.commit();
    };
    for (const rlim_t limit : {0, 50, 1000, 4096, 30'000, 70'000, 200'000, 330'000, 390'000}) {
        EXPECT_EQ(run_limited(limit, write), 3) << limit;
        EXPECT_TRUE(left().empty()) << limit;
    }
    EXPECT_EQ(run_limited(1'000'000, write), 0);
    EXPECT_EQ(left(), std::vector<std::string>{"a.h5"});
}

TEST_F(OutputFileTest, InterruptionLeavesNothing) {
    const std::vector<float> matrix(256 * 256, 1.0f);
    const auto write = [&] {
        h5::Writer file(path("a.h5"), 0);
        stop_job();
        file.matrix("/g/matrix", H5T_IEEE_F32LE, 256, 256, matrix.data());
        file.commit();
    };
    EXPECT_THROW(write(), Interrupted);
    EXPECT_TRUE(left().empty());
}

/// SIGKILL in the middle of replace_file leaves its temporary file.
TEST_F(OutputFileTest, WhatKilledRunsLeftOfAFileIsRemovedWithoutListingItsFolderAgain) {
    replace_file(path("other"), "2");
    std::filesystem::create_directory(path("below"));
    for (const char* name : {".state.partial-4194305", ".state.partial-4194306", ".state2.partial-4194305",
                             ".other.partial-4194305", "below/.state.partial-4194305"})
        std::ofstream(path(name)) << "half";
    AbandonedFiles abandoned;
    abandoned.remove_of(path("state"));
    EXPECT_EQ(left(),
              (std::vector<std::string>{".other.partial-4194305", ".state2.partial-4194305", "below", "other"}));
    std::ofstream(path(".state.partial-4194307")) << "of a run that goes on";
    abandoned.remove_of(path("state"));
    EXPECT_TRUE(std::filesystem::exists(path(".state.partial-4194307")));
    abandoned.remove_of(path("other"));
    abandoned.remove_of(path("below/state"));
    EXPECT_EQ(left(),
              (std::vector<std::string>{".state.partial-4194307", ".state2.partial-4194305", "below", "other"}));
    EXPECT_TRUE(std::filesystem::is_empty(path("below")));
    remove_abandoned(path("state"));
    EXPECT_FALSE(std::filesystem::exists(path(".state.partial-4194307")));
}

}  // namespace
}  // namespace cornerturn
