# SPDX-License-Identifier: Apache-2.0
"""Echoes and images in the memory of a GPU. Needs one, with CuPy or PyTorch; skipped elsewhere."""

import numpy
import pytest

import cornerturn as ct
from echo_test import radar_of

gpus = [device["name"] for device in ct.devices() if device["name"].startswith("cuda")]
if not gpus:
    pytest.skip("no GPU", allow_module_level=True)


class Cupy:
    def __init__(self):
        self.module = pytest.importorskip("cupy")

    def put(self, array):
        return self.module.asarray(array)

    def get(self, array):
        return self.module.asnumpy(array)

    def empty(self, shape):
        return self.module.empty(shape, self.module.complex64)

    def seen(self, image):
        return self.module.from_dlpack(image)

    def stream(self):
        return self.module.cuda.Stream(non_blocking=True)

    def busy(self, array):
        """Work that takes a while, and leaves the array as it was, but for zeros in between."""
        kept = array.copy()
        array[...] = 0
        for _ in range(40):
            big = self.module.ones((2048, 2048), self.module.float32)
            big @ big
        array[...] = kept


class Torch(Cupy):
    def __init__(self):
        self.module = pytest.importorskip("torch")
        if not self.module.cuda.is_available():
            pytest.skip("PyTorch without CUDA")

    def put(self, array):
        return self.module.from_numpy(numpy.ascontiguousarray(array)).cuda()

    def get(self, array):
        return array.cpu().numpy()

    def empty(self, shape):
        return self.module.empty(shape, dtype=self.module.complex64, device="cuda")

    def seen(self, image):
        return self.module.from_dlpack(image)

    def stream(self):
        return self.module.cuda.stream(self.module.cuda.Stream())

    def busy(self, array):
        kept = array.clone()
        array.zero_()
        for _ in range(40):
            big = self.module.ones((2048, 2048), device="cuda")
            big @ big
        array.copy_(kept)


@pytest.fixture(params=[Cupy, Torch], ids=["cupy", "torch"])
def arrays(request):
    return request.param()


@pytest.fixture
def radar(scene):
    return radar_of(scene)


@pytest.fixture
def by_host(echo, radar):
    """From host memory to host memory."""
    return ct.focus(ct.Echo.from_array(echo[:], radar), device="cuda:0", algorithm="rda").numpy()


def test_nothing_goes_over_the_bus(arrays, echo, radar, by_host):
    own = ct.Echo.from_array(arrays.put(echo[:]), radar)
    plan = ct.plan(own, algorithm="rda")
    assert plan.device == "cuda:0"  # where the echo lies
    image = plan(own)
    assert image.device == "cuda:0" and image.__dlpack_device__() == (2, 0)
    assert image.report["uploaded_bytes"] == 0 and image.report["downloaded_bytes"] == 0
    assert numpy.array_equal(arrays.get(arrays.seen(image)), by_host)
    assert numpy.array_equal(image.numpy(), by_host)
    with pytest.raises(TypeError, match="cuda:0"):
        numpy.asarray(image)
    with pytest.raises(TypeError, match="cuda:0"):
        image[0]


def test_integers_on_the_gpu(arrays, echo, radar):
    lines = echo[:].view(numpy.float32).reshape(512, 512, 2)
    whole = numpy.round(lines * (100 / abs(lines).max())).astype(numpy.int16)
    expected = ct.focus(ct.Echo.from_array(whole, radar), device="cuda:0", algorithm="rda").numpy()
    made = ct.focus(ct.Echo.from_array(arrays.put(whole), radar), algorithm="rda")
    assert numpy.array_equal(made.numpy(), expected)


def test_an_image_goes_into_an_array_of_the_callers(arrays, echo, radar, by_host):
    room = arrays.empty(by_host.shape)
    for lines in (echo[:], arrays.put(echo[:])):  # from the host, too
        room[...] = 0
        made = ct.focus(ct.Echo.from_array(lines, radar), room, device="cuda:0", algorithm="rda")
        assert numpy.array_equal(arrays.get(room), by_host)
        assert made.device == "cuda:0" and numpy.array_equal(made.numpy(), by_host)
    aside = arrays.empty((by_host.size + 1,))[1:].reshape(by_host.shape)  # not where allocated memory begins
    ct.focus(ct.Echo.from_array(arrays.put(echo[:]), radar), aside, algorithm="rda")
    assert numpy.array_equal(arrays.get(aside), by_host)
    with pytest.raises(ct.InputError, match="shape"):
        ct.focus(ct.Echo.from_array(echo[:], radar), arrays.empty((3, 3)), device="cuda:0", algorithm="rda")


def test_jobs_wait_for_the_streams_of_others(arrays, echo, radar, by_host):
    lines = arrays.put(echo[:])
    own = ct.Echo.from_array(lines, radar)
    plan = ct.plan(own, algorithm="rda")
    for _ in range(5):
        with arrays.stream():
            arrays.busy(lines)
            image = plan(own)
            assert numpy.array_equal(arrays.get(arrays.seen(image)), by_host)


def test_images_keep_their_memory(arrays, echo, radar, by_host):
    own = ct.Echo.from_array(arrays.put(echo[:]), radar)
    plan = ct.plan(own, algorithm="rda")
    seen = [arrays.seen(plan(own)) for _ in range(4)]
    silent = ct.Echo.from_array(arrays.put(numpy.zeros_like(echo[:])), radar)
    assert not arrays.get(arrays.seen(plan(silent))).any()
    for one in seen:
        assert numpy.array_equal(arrays.get(one), by_host)
    plan.release()
    assert numpy.array_equal(arrays.get(seen[0]), by_host)
    assert numpy.array_equal(plan(own).numpy(), by_host)


def test_what_lies_elsewhere_is_refused(arrays, echo, radar, by_host):
    own = ct.Echo.from_array(arrays.put(echo[:]), radar)
    with pytest.raises(ct.InputError, match="cuda:0"):
        ct.focus(own, device="cpu")
    with pytest.raises(ct.InputError, match="cuda:0"):
        ct.focus(ct.Echo.from_array(echo[:], radar), arrays.empty(by_host.shape), device="cpu", algorithm="rda")


def test_images_on_the_gpu_are_measured_and_written(arrays, echo, radar, by_host, tmp_path):
    own = ct.Echo.from_array(arrays.put(echo[:]), radar)
    assert numpy.array_equal(own[100:200], echo[100:200])  # copied to the host
    image = ct.focus(own, algorithm="rda")
    image.write(tmp_path / "slc.h5")
    assert numpy.array_equal(ct.open(tmp_path / "slc.h5").numpy(), by_host)
    assert image.quality["sharpness"] > 100
    assert image._repr_html_()


def test_a_sample_that_is_no_number_is_counted_and_one_that_overflows_is_refused(arrays, echo, radar):
    lines = echo[:].copy()
    lines[7, 9] = numpy.nan
    image = ct.focus(ct.Echo.from_array(arrays.put(lines), radar), algorithm="rda")
    assert image.quality["non_finite_samples"] == 1
    lines[...] = 3e38
    with pytest.raises(ct.DeviceError, match="no finite number"):
        ct.focus(ct.Echo.from_array(arrays.put(lines), radar), algorithm="rda")
