# SPDX-License-Identifier: Apache-2.0
"""Phase histories of AFRL's Gotcha Volumetric SAR Data Set 1.0 (data_3dsar_passN_azNNN_PP.mat, one degree of a circle
each) as a raw file that cornerturn focuses:

    scripts/gotcha-to-raw data_3dsar_pass1_az00{1,2,3,4}_HH.mat -o gotcha.h5
    cornerturn focus gotcha.h5 -o lot.h5 --algorithm backprojection --grid local --spacing 0.2 --png lot.png

A file holds, for each pulse, the antenna's place (x, y, z; the scene's centre is the origin) and a spectrum fp(f), for
a point at distance R exp(-j 4 pi f (R - r0) / c), deramped to the distance r0 of the scene's centre. What the radar
would have recorded of that with a chirp s, sampled from a fixed delay on, follows from it:

- the compressed line c(t) = sum over f of fp(f) exp(j 2 pi ((f - f0) t - f 2 r0 / c)) at the samples' delays t, f0 the
  middle of the
  band. It repeats every 1 / df (102 m of range); what is farther than half of that from r0 is none of it and is zero;
- the echo is c folded with s: its spectrum times the chirp's transfer function, the Fourier integral of exp(j pi K (u -
  T/2)^2) in closed
  form (Fresnel integrals), of a chirp that sweeps just the band of the data. Range compression divides by the same
  function.

The data are of pulses that stop and go: one place for the whole way of a pulse. cornerturn's antenna goes on while a
pulse flies, so time is stretched: one pulse a second. In the 68 us to the scene and back the antenna then moves 0.07 mm
across and far less along the line of sight; that is below 1e-4 cycles of the carrier, and Doppler shifts are below 1
Hz. Doppler frequencies and times of the raw file are those of this slow flight and mean nothing else. Velocities are
differences of neighbouring places.

Files of co-polar channels carry AFRL's autofocus: r0 + r_correct, and fp times exp(j ph_correct). It is applied unless
--no-autofocus says otherwise; over few degrees it hardly sharpens the image, but puts it where AFRL's own targets
lie."""

import argparse
import sys

import h5py
import numpy as np
from scipy.io import loadmat
from scipy.special import fresnel

C = 299792458.0
PULSE_SECONDS = 2e-6  # of the chirp that is made up
OVERSAMPLING = 1.25  # of the echo over its band
PULSE_RATE_HZ = 1.0


def read_degree(path, autofocus):
    """Places (pulses, 3), distances of the scene's centre, frequencies, spectra (frequencies, pulses)."""
    try:
        data = loadmat(path, squeeze_me=True, struct_as_record=False)["data"]
        fp, frequency = np.asarray(data.fp, complex), np.asarray(data.freq, float)
        place = np.stack([np.asarray(getattr(data, axis), float) for axis in "xyz"], axis=1)
        centre = np.linalg.norm(place, axis=1)  # r0 is the same, rounded to single precision
        if np.abs(centre - data.r0).max() > 0.01:
            raise ValueError(
                f"r0 differs from the distance of the origin by up to {np.abs(centre - data.r0).max():.3f} m"
            )
        if autofocus:
            if not hasattr(data, "af") or not hasattr(data.af, "r_correct"):
                raise ValueError("holds no autofocus (cross-polar channels have none); give --no-autofocus")
            centre = centre + np.asarray(data.af.r_correct, float)
            fp = fp * np.exp(1j * np.asarray(data.af.ph_correct, float))
    except (OSError, KeyError, AttributeError, ValueError) as error:
        sys.exit(f"gotcha-to-raw: {path}: {error}")
    return place, centre, frequency, fp


def chirp_spectrum(frequency, rate, seconds):
    """Fourier integral of exp(j pi K (u - T/2)^2), 0 <= u < T."""

    def z(x):
        sine, cosine = fresnel(x)
        return cosine + 1j * sine

    root = np.sqrt(2 * rate)
    half = z(root * (seconds / 2 - frequency / rate)) + z(root * (seconds / 2 + frequency / rate))
    return half / root * np.exp(-1j * np.pi * (frequency * seconds + frequency**2 / rate))


def echo_of(centre, frequency, fp):
    """Samples (pulses, samples), the range of the first, the sample rate, the carrier and the band."""
    step = (frequency[-1] - frequency[0]) / (len(frequency) - 1)
    band, carrier = len(frequency) * step, 0.5 * (frequency[0] + frequency[-1])
    rate = OVERSAMPLING * band
    near = centre.min() - C / (4 * step)
    compressed_samples = int(np.ceil((centre.max() + C / (4 * step) - near) * 2 * rate / C)) + 1
    delay = 2 * near / C + np.arange(compressed_samples) / rate
    turned = fp * np.exp(-4j * np.pi * np.outer(frequency, centre) / C)
    compressed = turned.T @ np.exp(2j * np.pi * np.outer(frequency - carrier, delay)) / len(frequency)
    compressed[np.abs(delay * C / 2 - centre[:, None]) >= C / (4 * step)] = 0
    samples = compressed_samples + int(np.ceil(PULSE_SECONDS * rate))
    length = 1 << int(np.ceil(np.log2(2 * samples)))
    chirp = chirp_spectrum(np.fft.fftfreq(length, 1 / rate), band / PULSE_SECONDS, PULSE_SECONDS)
    echo = np.fft.ifft(np.fft.fft(compressed, length, axis=1) * (band * chirp), axis=1)[:, :samples]
    return echo.astype(np.complex64), near, rate, carrier, band


def write_raw(path, place, echo, near, rate, carrier, band):
    pulses, samples = echo.shape
    times = np.arange(pulses) / PULSE_RATE_HZ
    complex_type = np.dtype([("r", "<f4"), ("i", "<f4")])
    with h5py.File(path, "w") as file:

        def put(name, value, units=None, description=None):
            data = file.create_dataset(name, data=value)
            if units:
                data.attrs["units"] = np.bytes_(units)
            if description:
                data.attrs["description"] = np.bytes_(description)

        since = "seconds since 2006-01-01T00:00:00"
        file.attrs["title"] = np.bytes_(
            "NISAR L0B layout, made of AFRL's Gotcha data by cornerturn's scripts/gotcha-to-raw"
        )
        who = "/science/LSAR/identification/"
        put(who + "missionId", np.bytes_("GOTCHA"))
        put(who + "productType", np.bytes_("RRSD"))
        put(who + "lookDirection", np.bytes_("left"))  # counter-clockwise about the scene
        transmit = "/science/LSAR/RRSD/swaths/frequencyA/txH/"
        put(transmit + "UTCtime", times, since, "Slow flight: one pulse a second stands for one that stops and goes")
        put(transmit + "nominalAcquisitionPRF", PULSE_RATE_HZ, "Hz")
        put(transmit + "calType", np.zeros(pulses, np.uint8), None, "HPA=0: all are echo")
        put(transmit + "slantRange", near + np.arange(samples) * C / (2 * rate), "meters")
        put(transmit + "slantRangeSpacing", C / (2 * rate), "meters")
        put(transmit + "centerFrequency", carrier, "Hz")
        put(transmit + "chirpSlope", band / PULSE_SECONDS, "Hz / second")
        put(transmit + "chirpDuration", PULSE_SECONDS, "seconds")
        put(transmit + "rangeBandwidth", band, "Hz")
        put(transmit + "numberOfSubSwaths", np.uint8(1))
        put(transmit + "validSamplesSubSwath1", np.tile(np.array([0, samples], np.int32), (pulses, 1)))
        put(transmit + "rxH/HH", np.ascontiguousarray(echo).view(complex_type).reshape(pulses, samples), "1")
        track = "/science/LSAR/RRSD/lowRateTelemetry/orbit"
        put(track + "/time", times, since)
        put(track + "/position", place, "meters", "x and y level, z up, from the scene's centre")
        put(track + "/velocity", np.gradient(place, times, axis=0), "meters / second")
        put(track + "/interpMethod", np.bytes_("Hermite"))
        put(track + "/orbitType", np.bytes_("Custom"))
        file[track].attrs["frame"] = np.bytes_("local")


def main():
    parser = argparse.ArgumentParser(
        prog="gotcha-to-raw", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("degrees", nargs="+", metavar="FILE.mat", help="in the order of the flight")
    parser.add_argument("-o", "--output", required=True, metavar="RAW.h5")
    parser.add_argument("--no-autofocus", action="store_true", help="leave AFRL's corrections of range and phase out")
    arguments = parser.parse_args()
    degrees = [read_degree(path, not arguments.no_autofocus) for path in arguments.degrees]
    frequency = degrees[0][2]
    for path, degree in zip(arguments.degrees, degrees):
        if not np.array_equal(degree[2], frequency):
            sys.exit(
                f"gotcha-to-raw: {path}: has other frequencies than {arguments.degrees[0]}; make a raw file of each"
            )
    place, centre = (np.concatenate([degree[i] for degree in degrees]) for i in (0, 1))
    echo = echo_of(centre, frequency, np.concatenate([degree[3] for degree in degrees], axis=1))
    write_raw(arguments.output, place, *echo)
    samples, near, rate, carrier, band = echo
    print(
        f"{arguments.output}: {samples.shape[0]} pulses of {samples.shape[1]} samples from {near:.2f} m, {carrier / 1e9:.4f} GHz, "
        f"{band / 1e6:.2f} MHz in {PULSE_SECONDS * 1e6:g} us, sampled at {rate / 1e6:.2f} MHz",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
