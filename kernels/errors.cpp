// SPDX-License-Identifier: Apache-2.0
#include "kernels/errors.h"

#include <new>

namespace cornerturn {

KnownFailure known_failure(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Interrupted& e) {
        return {FailureKind::interrupted, e.what()};
    } catch (const InputError& e) {
        return {FailureKind::input, e.what()};
    } catch (const DeviceError& e) {
        return {FailureKind::device, e.what()};
    } catch (const std::bad_alloc&) {
        return {FailureKind::device, "out of memory; process a smaller scene or free memory"};
    } catch (const std::exception& e) {
        return {FailureKind::other, e.what()};
    }
}

}  // namespace cornerturn
