# SPDX-License-Identifier: Apache-2.0
"""Manners of jobs: the GIL, signals, progress, several at once."""

import _thread
import concurrent.futures
import signal
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
    assert counted > 50


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


def test_what_progress_raises_stops_the_job(echo):
    def refuse(stage, fraction):
        raise LookupError(stage)

    with pytest.raises(LookupError):
        ct.focus(echo, device="cpu", algorithm="rda", progress=refuse)


def test_a_bar_needs_tqdm_and_does_without(echo, capsys):
    ct.focus(echo, device="cpu", algorithm="rda", progress=True)


def test_nothing_is_left_of_a_file_that_was_not_finished(echo, tmp_path):
    with pytest.raises(ct.InputError):
        echo.write(tmp_path / "no_such_folder" / "raw.h5")
    assert list(tmp_path.iterdir()) == []
