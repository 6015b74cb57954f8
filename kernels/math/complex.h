// SPDX-License-Identifier: Apache-2.0
// Our own complex number: std::complex compiles silently to nothing in device code under C++20.
#pragma once

#include "kernels/math/host_device.h"

namespace cornerturn {

/// Same layout as std::complex<Real>, HDF5 {r, i}, float2 and fftw_complex.
template <class Real>
struct alignas(2 * sizeof(Real)) Complex {
    Real re;
    Real im;
};

using Complex64 = Complex<float>;
using Complex128 = Complex<double>;

template <class Real>
CT_HOST_DEVICE Complex<Real> operator*(Complex<Real> a, Complex<Real> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class Real>
CT_HOST_DEVICE Complex<Real> operator*(Real scale, Complex<Real> a) {
    return {scale * a.re, scale * a.im};
}

template <class Real>
CT_HOST_DEVICE Complex<Real> operator+(Complex<Real> a, Complex<Real> b) {
    return {a.re + b.re, a.im + b.im};
}

/// sum + a * b: one multiply-add for real, four for complex numbers.
template <class Real>
CT_HOST_DEVICE Real multiply_add(Real sum, Real a, Real b) {
    return sum + a * b;
}
template <class Real>
CT_HOST_DEVICE Complex<Real> multiply_add(Complex<Real> sum, Complex<Real> a, Complex<Real> b) {
    return {sum.re + a.re * b.re - a.im * b.im, sum.im + a.re * b.im + a.im * b.re};
}

template <class Real>
CT_HOST_DEVICE Complex<Real> conj(Complex<Real> a) {
    return {a.re, -a.im};
}

template <class To, class From>
CT_HOST_DEVICE Complex<To> complex_cast(Complex<From> a) {
    return {static_cast<To>(a.re), static_cast<To>(a.im)};
}

}  // namespace cornerturn
