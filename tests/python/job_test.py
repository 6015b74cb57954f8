# SPDX-License-Identifier: Apache-2.0
"""Manners of jobs: the GIL, signals, progress, several at once."""

import _thread
import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import cornerturn as ct


@pytest.fixture(scope="module")
def long_echo():
    """Whose image by sums over pulses takes minutes, were it not stopped."""
    return ct.simulate("spaceborne", lines=1400, samples=3000)


def stop_after(seconds, what):
    timer = threading.Timer(seconds, what)
    timer.start()
    return timer


@pytest.fixture
def control_c():
    """Ignored by processes that a shell put into the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_control_c_stops_a_job(long_echo, control_c):
    plan = ct.plan(long_echo, device="cpu", algorithm="backprojection")
    stop_after(0.3, _thread.interrupt_main)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        plan(long_echo)
    assert time.monotonic() - began < 20  # a machine that is busy; alone it is a tenth of a second


def test_after_it_the_plan_works_again(echo, image):
    plan = ct.plan(echo, device="cpu", algorithm="rda")
    stop = ct.StopRequest()
    stop.request()
    with pytest.raises(KeyboardInterrupt):
        plan(echo, stop=stop)
    assert numpy.array_equal(plan(echo).numpy(), image.numpy())


def test_a_request_stops_a_job_of_another_thread(long_echo):
    stop = ct.StopRequest()
    stop_after(0.3, stop.request)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        job = pool.submit(ct.focus, long_echo, device="cpu", algorithm="backprojection", stop=stop)
        with pytest.raises(KeyboardInterrupt):
            job.result()
    assert stop.requested


def test_signals_are_handled_meanwhile(long_echo):
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(time.monotonic()))
    try:
        stop = ct.StopRequest()
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        stop_after(1.0, stop.request)
        with pytest.raises(KeyboardInterrupt):
            ct.focus(long_echo, device="cpu", algorithm="backprojection", stop=stop)
        assert len(seen) == 1  # a handler that does not raise stops nothing
    finally:
        signal.signal(signal.SIGALRM, before)


def test_the_gil_is_free_meanwhile(long_echo):
    stop, counted = ct.StopRequest(), 0
    job = threading.Thread(
        target=lambda: pytest.raises(
            KeyboardInterrupt, ct.focus, long_echo, device="cpu", algorithm="backprojection", stop=stop
        )
    )
    job.start()
    until = time.monotonic() + 0.5
    while time.monotonic() < until:
        counted += 1
        time.sleep(0.001)
    stop.request()
    job.join()
    assert counted > 5  # of 500, on a machine that is busy; held, it is one or none


def test_two_jobs_at_once_make_the_images_that_they_make_alone(echo, image):
    def focused(_):
        return ct.focus(echo, device="cpu", algorithm="rda", threads=1).numpy()

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for made in pool.map(focused, range(4)):
            assert numpy.array_equal(made, image.numpy())


def test_progress_is_told(echo):
    told = []
    ct.focus(echo, device="cpu", algorithm="rda", progress=lambda stage, fraction: told.append((stage, fraction)))
    assert {"set_up", "range_compression"} <= {stage for stage, _ in told}
    assert all(0 <= fraction <= 1 for _, fraction in told)


def test_writing_an_echo_tells_how_far_it_is(echo, tmp_path):
    told = []
    echo.write(tmp_path / "raw.h5", progress=lambda stage, fraction: told.append((stage, fraction)))
    assert told and {stage for stage, _ in told} == {"write"} and all(0 < fraction <= 1 for _, fraction in told)
    assert numpy.array_equal(ct.open(tmp_path / "raw.h5")[:], echo[:])


def test_analysis_tells_of_each_point_and_of_the_scene(image):
    told = []
    ct.analyze(image, scene=True, progress=lambda stage, fraction: told.append((stage, fraction)))
    assert [stage for stage, _ in told[:1]] == ["scene"] and {stage for stage, _ in told} == {"scene", "points"}
    assert all(0 <= fraction <= 1 for _, fraction in told)
    told.clear()
    ct.analyze(image, peaks=1, progress=lambda stage, fraction: told.append((stage, fraction)))
    assert told == [("points", 1.0)]


def test_a_plan_takes_no_progress_that_it_would_not_tell(echo):
    with pytest.raises(ct.InputError, match=r"progress: of plan\(\) there is none to tell; .* plan\(echo, progress="):
        ct.plan(echo, device="cpu", algorithm="rda", progress=print)
    ct.plan(echo, device="cpu", algorithm="rda", progress=None)


def test_what_progress_raises_stops_the_job(echo, tmp_path):
    def refuse(stage, fraction):
        raise LookupError(stage)

    with pytest.raises(LookupError):
        ct.focus(echo, device="cpu", algorithm="rda", progress=refuse)
    with pytest.raises(LookupError):
        echo.write(tmp_path / "raw.h5", progress=refuse)
    with pytest.raises(LookupError):
        ct.analyze(ct.focus(echo, device="cpu", algorithm="rda"), progress=refuse)
    assert list(tmp_path.iterdir()) == []


def test_a_plan_cannot_be_asked_from_within_its_own_job(echo, image):
    """It would wait for itself for ever; other plans answer."""
    plan, other = (ct.plan(echo, device="cpu", algorithm="rda") for _ in range(2))
    complaints, seen = [], []

    def ask(stage, fraction):
        if complaints:
            return
        for use in (lambda: plan(echo), plan.release):
            with pytest.raises(ct.InputError, match="this plan is at work, .* make another plan") as raised:
                use()
            complaints.append(raised)
        seen.append((plan.algorithm, plan.memory["blocks"], other(echo).shape))

    assert numpy.array_equal(plan(echo, progress=ask).numpy(), image.numpy())
    assert len(complaints) == 2 and seen == [("rda", 1, image.shape)]


def test_who_waits_for_his_turn_can_be_stopped(long_echo, control_c):
    plan, stop = ct.plan(long_echo, device="cpu", algorithm="backprojection"), ct.StopRequest()
    job = threading.Thread(target=lambda: pytest.raises(KeyboardInterrupt, plan, long_echo, stop=stop))
    job.start()
    time.sleep(0.2)
    stop_after(0.3, _thread.interrupt_main)
    with pytest.raises(KeyboardInterrupt):
        plan(long_echo)
    assert not stop.requested and job.is_alive()  # whose turn it is goes on
    own = ct.StopRequest()
    own.request()
    with pytest.raises(KeyboardInterrupt):
        plan(long_echo, stop=own)
    stop.request()
    job.join()


def test_a_bar_needs_tqdm_and_does_without(echo, capsys):
    ct.focus(echo, device="cpu", algorithm="rda", progress=True)


def test_nothing_is_left_of_a_file_that_was_not_finished(echo, tmp_path):
    with pytest.raises(ct.InputError):
        echo.write(tmp_path / "no_such_folder" / "raw.h5")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options, complaint",
    [
        ({"threads": 1.5}, "threads is 1.5, but must be a whole number"),
        ({"threads": "2"}, "threads is '2'"),
        ({"threads": -1}, "threads is -1"),
        ({"stop": 3}, "stop is 3, but must be a cornerturn.StopRequest"),
        ({"progress": 3}, "progress is 3, but must be True or a callable"),
    ],
)
def test_wishes_that_cannot_be_are_refused(echo, options, complaint):
    with pytest.raises(ct.InputError, match=complaint):
        ct.plan(echo, device="cpu", algorithm="rda", **options)


def test_tuples_and_slices_are_options_with_commas_and_colons(echo):
    of_text = ct.focus(echo, device="cpu", algorithm="rda", lines="100:200", doppler_centroid="0")
    of_slice = ct.focus(echo, device="cpu", algorithm="rda", lines=slice(100, 200), doppler_centroid=(0,))
    assert numpy.array_equal(of_text.numpy(), of_slice.numpy())
    with pytest.raises(ct.InputError, match="bbox=\"11,47,12,48\": lies outside"):
        ct.focus(echo, device="cpu", algorithm="rda", bbox=(11, 47, 12, 48))


def test_an_image_is_not_written_over_the_echo_that_is_read(echo, scene):
    lines = echo[:].copy()
    radar = ct.Radar(**{field: scene[field] for field in ("prf_hz", "carrier_hz", "near_range_m", "chirp_slope_hz_s",
                                                          "chirp_duration_s", "velocity_m_s", "doppler_centroid_hz",
                                                          "azimuth_bandwidth_hz")},
                     range_spacing_m=299792458 / (2 * scene["sample_rate_hz"]))
    own = ct.Echo.from_array(lines, radar)
    plan = ct.plan(own, device="cpu", algorithm="rda")
    for out in (lines, lines[:]):
        with pytest.raises(ct.InputError, match="memory of the echo's samples"):
            plan(own, out)
    assert plan(own, numpy.empty_like(lines)).shape == lines.shape


def test_a_plan_of_an_array_may_live_until_python_ends():
    script = """
import numpy, cornerturn as ct
radar = ct.Radar(prf_hz=400, carrier_hz=9.65e9, near_range_m=3000, range_spacing_m=1.5, chirp_slope_hz_s=36e12,
                 chirp_duration_s=2e-6, velocity_m_s=120, doppler_centroid_hz=0, azimuth_bandwidth_hz=180)
plan = ct.plan(ct.Echo.from_array(numpy.ones((256, 400), "complex64"), radar), device="cpu", algorithm="rda")
print("done")
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")


def test_a_forked_process_makes_plans_of_its_own(echo, image):
    plan = ct.plan(echo, device="cpu", algorithm="rda")

    def in_child():
        signal.alarm(60)
        with pytest.raises(ct.InputError, match="make a plan in each process"):
            plan(echo)
        return numpy.array_equal(ct.focus(echo, device="cpu", algorithm="rda").numpy(), image.numpy())

    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if in_child() else 2
            del plan  # without its thread
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert numpy.array_equal(plan(echo).numpy(), image.numpy())


def test_threads_may_be_a_number_of_numpys(echo, image):
    made = ct.focus(echo, device="cpu", algorithm="rda", threads=numpy.int64(1))
    assert numpy.array_equal(made.numpy(), image.numpy())
