# SPDX-License-Identifier: Apache-2.0
"""The plain range-Doppler algorithm (Cumming & Wong 2005, chapter 6) by the array libraries that a user would pick:
filters and index tables in double precision, made beforehand, and the chain of each library over them. For
scripts/compare-peers.
"""

import numpy as np
import scipy
import scipy.fft

C_M_S = 299792458.0


class Geometry:
    """Of a stripmap radar at broadside, SI units. Defaults: the preset `spaceborne`."""

    def __init__(
        self,
        carrier_hz=5.3e9,
        prf_hz=1256.98,
        sample_rate_hz=32.317e6,
        near_range_m=993513.0,
        chirp_slope_hz_s=-0.72135e12,
        chirp_duration_s=41.74e-6,
        velocity_m_s=7062.0,
    ):
        self.carrier_hz = carrier_hz
        self.prf_hz = prf_hz
        self.sample_rate_hz = sample_rate_hz
        self.near_range_m = near_range_m
        self.chirp_slope_hz_s = chirp_slope_hz_s
        self.chirp_duration_s = chirp_duration_s
        self.velocity_m_s = velocity_m_s

    @property
    def wavelength_m(self):
        return C_M_S / self.carrier_hz

    @property
    def range_spacing_m(self):
        return C_M_S / (2 * self.sample_rate_hz)

    def range_m(self, columns):
        return self.near_range_m + self.range_spacing_m * np.arange(columns)

    def migration_factor(self, bins):
        """D(f_eta), eq. 5.29."""
        f = np.fft.fftfreq(bins, 1 / self.prf_hz)
        return np.sqrt(1 - (self.wavelength_m * f / (2 * self.velocity_m_s)) ** 2)


def range_filter(g, length):
    """Matched filter conj(S)/|S|^2 over the chirp's band: a point becomes a sinc. S from a replica sampled 16 times
    as finely.
    """
    fine = 16
    t = np.arange(int(g.chirp_duration_s * fine * g.sample_rate_hz)) / (fine * g.sample_rate_hz)
    replica = np.exp(1j * np.pi * g.chirp_slope_hz_s * (t - g.chirp_duration_s / 2) ** 2)
    spectrum = np.fft.fft(replica, fine * length)
    f = np.fft.fftfreq(length, 1 / g.sample_rate_hz)
    s = spectrum[np.round(f / g.sample_rate_hz * length).astype(int)]
    inside = np.abs(f) <= abs(g.chirp_slope_hz_s) * g.chirp_duration_s / 2
    h = np.zeros(length, complex)
    h[inside] = np.conj(s[inside]) / np.abs(s[inside]) ** 2
    return h.astype(np.complex64)


def azimuth_filter(g, columns, bins):
    """columns x bins: eq. 6.26 less the phase 4 pi R0 / lambda that an image keeps, with the amplitude of stationary
    phase. Lines have the times when their pulses begin to leave; a target is nearest when the middle of a
    pulse is there, R0 / c and half a pulse later.
    """
    d = g.migration_factor(bins)[None, :]
    f = np.fft.fftfreq(bins, 1 / g.prf_hz)[None, :]
    r0 = g.range_m(columns)[:, None]
    out = np.empty((columns, bins), np.complex64)
    for first in range(0, columns, 256):  # in double, but not all at once
        part = slice(first, first + 256)
        cycles = 2 * r0[part] / g.wavelength_m * (d - 1) - f * (r0[part] / C_M_S + g.chirp_duration_s / 2)
        fm_rate = 2 * g.velocity_m_s**2 * d**3 / (g.wavelength_m * r0[part])
        out[part] = np.sqrt(fm_rate) * np.exp(2j * np.pi * (cycles - np.round(cycles)))
    return out


FRACTIONS = 4096  # steps of the table of interpolation weights: an error of 1e-4


def sinc_table(taps):
    """FRACTIONS x taps: Kaiser-windowed sinc."""
    fraction = (np.arange(FRACTIONS) + 0.5) / FRACTIONS
    distance = np.arange(taps)[None, :] - taps // 2 + 1 - fraction[:, None]
    window = np.i0(2.5 * np.sqrt(np.maximum(0, 1 - (distance / (taps / 2)) ** 2))) / np.i0(2.5)
    return (np.sinc(distance) * window).astype(np.float32)


def migration(g, columns, bins, cells, taps):
    """First cell that the interpolation reads (int32) and index into the table of weights (int16), each columns x
    bins.
    """
    position = (g.range_m(columns)[:, None] / g.migration_factor(bins)[None, :] - g.near_range_m) / g.range_spacing_m
    base = np.floor(position)
    fraction = ((position - base) * FRACTIONS).astype(np.int16)
    first = np.clip(base - taps // 2 + 1, 0, cells - taps).astype(np.int32)
    return first, fraction


class ScipyChain:
    """scipy.fft with all cores; `turned` turns the matrix as cornerturn does, else the azimuth transforms run down
    the columns.
    """

    name = "SciPy"

    def __init__(self, tables, turned, threads):
        self.h, self.filter, self.rcmc = tables
        self.turned = turned or self.rcmc is not None
        self.threads = threads
        if not self.turned:
            self.filter = np.ascontiguousarray(self.filter.T)

    def place(self, x):
        return x.copy()

    def run(self, x):
        with scipy.fft.set_workers(self.threads):
            x = scipy.fft.fft(x, axis=1, overwrite_x=True)
            x *= self.h
            x = scipy.fft.ifft(x, axis=1, overwrite_x=True)
            if self.turned:
                x = np.ascontiguousarray(x.T)
            axis = 1 if self.turned else 0
            x = scipy.fft.fft(x, axis=axis, overwrite_x=True)
            if self.rcmc is not None:
                x = self.correct(x)
            x *= self.filter
            return scipy.fft.ifft(x, axis=axis, overwrite_x=True)

    def correct(self, x):
        first, fraction, table = self.rcmc
        y = np.zeros((first.shape[0], x.shape[1]), np.complex64)
        for tap in range(table.shape[1]):
            y += table[fraction, tap] * np.take_along_axis(x, first + tap, axis=0)
        return y

    def fetch(self, y):
        return y if self.turned else y.T

    def wait(self):
        pass


class CupyChain:
    name = "CuPy"

    def __init__(self, tables, cupy):
        self.cupy = cupy
        self.h, self.filter = cupy.asarray(tables[0]), cupy.asarray(tables[1])
        self.rcmc = tables[2] and [cupy.asarray(table) for table in tables[2]]

    def place(self, x):
        return self.cupy.asarray(x)

    def run(self, x):
        fft, ifft = self.cupy.fft.fft, self.cupy.fft.ifft
        x = fft(x, axis=1)
        x *= self.h
        x = self.cupy.ascontiguousarray(ifft(x, axis=1).T)
        x = fft(x, axis=1)
        if self.rcmc is not None:
            first, fraction, table = self.rcmc
            y = self.cupy.zeros((first.shape[0], x.shape[1]), self.cupy.complex64)
            for tap in range(table.shape[1]):
                y += table[fraction, tap] * self.cupy.take_along_axis(x, first + tap, axis=0)
            x = y
        x *= self.filter
        return ifft(x, axis=1)

    def fetch(self, y):
        return self.cupy.asnumpy(y)

    def wait(self):
        self.cupy.cuda.Device().synchronize()


class TorchChain:
    name = "PyTorch"

    def __init__(self, tables, torch, device, threads):
        self.torch, self.device = torch, device
        if device == "cpu":
            torch.set_num_threads(threads)
        self.h, self.filter = (torch.from_numpy(table).to(device) for table in tables[:2])
        self.rcmc = None
        if tables[2] is not None:
            first, fraction, table = tables[2]
            self.rcmc = [
                torch.from_numpy(first.astype(np.int64)).to(device),
                torch.from_numpy(fraction.astype(np.int64)).to(device),
                torch.from_numpy(table).to(device),
            ]

    def place(self, x):
        return self.torch.from_numpy(x.copy()).to(self.device)

    def run(self, x):
        torch = self.torch
        with torch.no_grad():
            x = torch.fft.fft(x, dim=1)
            x *= self.h
            x = torch.fft.ifft(x, dim=1).T.contiguous()
            x = torch.fft.fft(x, dim=1)
            if self.rcmc is not None:
                first, fraction, table = self.rcmc
                y = torch.zeros((first.shape[0], x.shape[1]), dtype=torch.complex64, device=self.device)
                for tap in range(table.shape[1]):
                    y += table[:, tap][fraction] * torch.gather(x, 0, first + tap)
                x = y
            x *= self.filter
            return torch.fft.ifft(x, dim=1)

    def fetch(self, y):
        return y.cpu().numpy()

    def wait(self):
        if self.device != "cpu":
            self.torch.cuda.synchronize()


def tables_of(g, columns, bins, cells, taps):
    """Range filter, azimuth filter and, with migration correction, its index tables."""
    rcmc = None
    if taps:
        rcmc = (*migration(g, columns, bins, cells, taps), sinc_table(taps))
    return range_filter(g, cells), azimuth_filter(g, columns, bins), rcmc
