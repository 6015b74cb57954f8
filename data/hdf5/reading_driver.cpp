// SPDX-License-Identifier: Apache-2.0
#include "data/hdf5/reading_driver.h"

#if __has_include(<H5FDdevelop.h>)  // since HDF5 1.13 drivers have a header of their own
#include <H5FDdevelop.h>
#endif

namespace cornerturn::h5 {
namespace {

H5FD_class_t usual_driver;

herr_t features(const H5FD_t* file, unsigned long* flags) {
    const herr_t status = usual_driver.query(file, flags);
    if (flags != nullptr) *flags &= ~static_cast<unsigned long>(H5FD_FEAT_ACCUMULATE_METADATA);
    return status;
}

/// The driver is known only by what it has opened.
hid_t register_driver(const std::string& path) {
    const Properties access(checked(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
    checked(H5Pset_fapl_sec2(access), "H5Pset_fapl_sec2");
    H5FD_t* const file = H5FDopen(path.c_str(), H5F_ACC_RDONLY, access, HADDR_UNDEF);
    if (file == nullptr) throw_failed("H5FDopen");
    usual_driver = *file->cls;
    checked(H5FDclose(file), "H5FDclose");
    H5FD_class_t driver = usual_driver;
    driver.name = "sec2 for reading";
    driver.query = features;
    return checked(H5FDregister(&driver), "H5FDregister");
}

}  // namespace

Properties reading_access(const std::string& path) {
    const Turn turn;
    static const hid_t driver = register_driver(path);
    Properties access(checked(H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate"));
    checked(H5Pset_driver(access, driver, nullptr), "H5Pset_driver");
    return access;
}

}  // namespace cornerturn::h5
