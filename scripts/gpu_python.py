# SPDX-License-Identifier: Apache-2.0
"""What a call of the Python module costs beside the chain on the GPU: images of arrays there, into arrays there.

Run through scripts/gpu-python, which names the program; its `bench pipeline` times the chain alone."""

import statistics
import subprocess
import sys
import time

import numpy

import cornerturn as ct

LINES, REPEAT = 4096, 50
RADAR = ct.Radar(
    prf_hz=1256.98,
    carrier_hz=5.3e9,
    near_range_m=993513.0,
    range_spacing_m=299792458 / (2 * 32.317e6),
    chirp_slope_hz_s=-0.72135e12,
    chirp_duration_s=41.74e-6,
    velocity_m_s=7062.0,
    doppler_centroid_hz=0.0,
)


def median_ms(call):
    times = []
    for _ in range(REPEAT):
        begin = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times)


def main():
    try:
        import cupy as arrays
    except ImportError:
        import torch as arrays

        arrays.asarray = lambda array: torch.from_numpy(array).cuda()  # noqa: the name of CuPy
        arrays.zeros = lambda shape, dtype: torch.zeros(shape, dtype=torch.complex64, device="cuda")
    random = numpy.random.default_rng(27)
    samples = random.standard_normal((LINES, LINES, 2), numpy.float32)
    for name, lines in (("complex64", samples.view(numpy.complex64)[..., 0]), ("int16", (1000 * samples).astype("i2"))):
        echo = ct.Echo.from_array(arrays.asarray(numpy.ascontiguousarray(lines)), RADAR)
        plan = ct.plan(echo, algorithm="rda")
        image = plan(echo)
        out = arrays.zeros(image.shape, "complex64")
        into = median_ms(lambda: plan(echo, out))
        report = plan(echo, out).report
        stages = {stage["name"]: 1e3 * stage["wall_s"] for stage in report["stages"]}
        alone = median_ms(lambda: plan(echo))
        print(f"{name}: plan(echo, out) {into:.3f} ms, plan(echo) {alone:.3f} ms, on {plan.device}")
        print("   ", ", ".join(f"{stage} {ms:.3f}" for stage, ms in stages.items()), "ms")
        print(f"    bytes over the bus: {report['uploaded_bytes']} up, {report['downloaded_bytes']} down")
        if len(sys.argv) > 1:
            size, kind = str(LINES), {"complex64": "c64"}.get(name, name)
            bench = [sys.argv[1], "bench", "pipeline", "--device", "cuda", "--padded", "--size", size, "--type", kind]
            print(subprocess.run(bench, capture_output=True, text=True, check=True).stdout, flush=True)


if __name__ == "__main__":
    main()
