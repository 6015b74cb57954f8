# SPDX-License-Identifier: Apache-2.0
"""Under which licences a program (ELF), a Debian package (.deb) or a wheel (.whl) may be handed on: every library that
it is linked with, down to the last one, is looked up in a list that people have read, and in Debian's copyright file
where it comes from a package here. With CUDA inside, whose libraries are proprietary, none may be under the GPL alone.

Exit code 0: all known, and none under the GPL where there is CUDA (with --strict: none at all); 1: not so."""

import argparse
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

GPL = "GPL"
# Libraries by the beginning of their names: licence, as its source has it. "or" is a choice of who takes it, and the
# exception of GCC's run-time library lets it be linked with anything. Only what is under the GPL alone is marked so.
LICENCES = {
    "ld-linux": "LGPL-2.1+", "libc": "LGPL-2.1+", "libm": "LGPL-2.1+", "libdl": "LGPL-2.1+", "librt": "LGPL-2.1+",
    "libpthread": "LGPL-2.1+", "libresolv": "LGPL-2.1+", "libmvec": "LGPL-2.1+", "libutil": "LGPL-2.1+",
    "libgcc_s": "GPL-3+ with GCC's exception", "libstdc++": "GPL-3+ with GCC's exception",
    "libgomp": "GPL-3+ with GCC's exception",
    # what cornerturn asks for
    "libhdf5": "BSD-3", "libproj": "MIT", "libtiff": "libtiff (as MIT)", "libpng16": "libpng", "libz": "zlib",
    "libdeflate": "MIT", "libpugixml": "MIT", "libfmt": "MIT", "libspdlog": "MIT", "libyaml-cpp": "MIT",
    "libzip": "BSD-3", "libcrypto": "Apache-2.0", "libfftw3": f"{GPL}-2+", "libmpi": "BSD-3",
    "libcornerturn": "Apache-2.0",
    # what these ask for
    "libsqlite3": "public domain", "libbz2": "bzip2 (as BSD)", "libjbig": f"{GPL}-2+", "libjpeg": "IJG, BSD-3, zlib",
    "libwebp": "BSD-3", "libsharpyuv": "BSD-3", "libLerc": "Apache-2.0", "liblzma": "public domain", "libzstd": "BSD-3 or GPL-2",
    "libaec": "BSD-2", "libsz": "BSD-2", "libcurl": "curl (as MIT)", "libssl": "Apache-2.0", "libnghttp2": "MIT",
    "libidn2": "LGPL-3+ or GPL-2+", "libunistring": "LGPL-3+ or GPL-2+", "librtmp": "LGPL-2.1+", "libssh": "LGPL-2.1+",
    "libssh2": "BSD-3", "libpsl": "MIT", "libgmp": "LGPL-3+ or GPL-2+", "libnettle": "LGPL-3+ or GPL-2+",
    "libhogweed": "LGPL-3+ or GPL-2+", "libgnutls": "LGPL-2.1+", "libtasn1": "LGPL-2.1+", "libp11-kit": "BSD-3",
    "libffi": "MIT", "libgssapi_krb5": "MIT (Kerberos)", "libkrb5": "MIT (Kerberos)", "libk5crypto": "MIT (Kerberos)",
    "libcom_err": "MIT", "libkeyutils": "LGPL-2.1+", "libldap": "OpenLDAP", "liblber": "OpenLDAP", "libsasl2": "BSD-4",
    "libbrotli": "MIT", "libopen-": "BSD-3", "libhwloc": "BSD-3", "libevent": "BSD-3", "libudev": "LGPL-2.1+",
    "libcap": "BSD-3 or GPL-2", "libpmix": "BSD-3",
    # traps: what some builds of the above would bring along
    "libgdal": "MIT, but its Debian build loads libpoppler: GPL-2+", "libpoppler": f"{GPL}-2+", "libgsl": f"{GPL}-3+",
    "libreadline": f"{GPL}-3+",
}  # fmt: skip
# Whose copyright file says GPL of the whole source package, and something else of the folder that makes the library.
OTHER_THAN_ITS_PACKAGE = {"libcom_err": "lib/et"}
# A machine's own, on every Linux: not handed on with a wheel (manylinux has them in its list).
OF_ANY_LINUX = r"(ld-linux.*|libc|libm|libdl|librt|libpthread|libresolv|libutil|libgcc_s|libstdc\+\+|libz)"


def stem(library):
    """libhdf5_serial-1234abcd.so.103.3.0 -> libhdf5_serial"""
    return re.sub(r"(-[0-9a-f]{8})?\.so.*", "", Path(library).name)


def licence_of(library):
    """Of the longest name in the list that this one begins with and that is not a part of a longer word; None where there
    is none."""
    name = stem(library)
    found = [key for key in LICENCES if name == key or re.match(re.escape(key) + r"([^a-z]|$)", name)]
    found += [key for key in LICENCES if len(key) > 5 and name.startswith(key)]
    return LICENCES[max(found, key=len)] if found else None


def under_gpl(licence):
    return licence.startswith(GPL) and "exception" not in licence or "loads libpoppler" in licence


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def is_elf(path):
    with open(path, "rb") as file:
        return path.is_file() and file.read(4) == b"\x7fELF"


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "-d", str(path)))


def has_cuda(path):
    """nvcc puts what runs on a GPU into a section of its own."""
    return ".nv_fatbin" in output_of("readelf", "-SW", str(path))


def closure(path):
    """Libraries that a program loads here, by where they lie."""
    text = output_of("ldd", str(path))
    missing = re.findall(r"(\S+) => not found", text)
    if missing:
        sys.exit(f"{path}: {', '.join(missing)} not found here; install what it depends on, then look again")
    return sorted({Path(place) for place in re.findall(r"(/\S+) \(0x", text)})


def packages_of(libraries):
    """Debian's package of each file here that is of one; asked once for all, as that reads the lists of every package."""
    names = {}
    for library in libraries:
        for name in (library, library.resolve(), Path("/usr") / str(library).lstrip("/")):
            names[str(name)] = library
    try:
        answer = subprocess.run(["dpkg-query", "-S", *names], capture_output=True, text=True).stdout
    except FileNotFoundError:
        return {}
    found = re.findall(r"^([^:,\s]+)[^\n]*?: (/.*)$", answer, re.M)
    return {names[path]: package for package, path in found if path in names}


def main_licence_in(copyright_file, files):
    """What a copyright file in Debian's format says of these files; nothing where it has none or another format."""
    text = copyright_file.read_text(errors="replace") if copyright_file.exists() else ""
    stanza = re.search(rf"^Files: ?{re.escape(files)}(.*?)(?:\n\n|\Z)", text, re.S | re.M)
    licence = re.search(r"^License: *(.*)$", stanza.group(1), re.M) if stanza else None
    return licence.group(1).strip() if licence else ""


def contradicts(ours, debians):
    """Whether Debian says GPL, without a choice or an exception, of what the list calls free of it."""
    plain = re.match(r"GPL[-0-9.+ ]*$", debians)
    return bool(plain) and not ours.startswith("GPL") and "GPL" not in ours


class Findings:
    def __init__(self):
        self.lines, self.faults, self.gpl, self.cuda = {}, [], set(), False

    def add(self, library, where, package=""):
        licence = licence_of(library)
        if licence is None:
            self.faults.append(f"{where}: nobody has read the licence of {Path(library).name}; do, then add it to the list")
            return
        files = OTHER_THAN_ITS_PACKAGE.get(stem(library), "*")
        debians = main_licence_in(Path("/usr/share/doc") / package / "copyright", files) if package else ""
        if contradicts(licence, debians):
            self.faults.append(f"{Path(library).name}: the list says {licence}, {package}'s copyright file {debians}")
        if under_gpl(licence):
            self.gpl.add(Path(library).name)
        self.lines[Path(library).name] = f"  {Path(library).name:40} {licence:40} {package or where}"


def look_into_program(path, findings):
    findings.cuda |= has_cuda(path)
    libraries = closure(path)
    packages = packages_of(libraries)
    for library in libraries:
        findings.add(library, "this machine", packages.get(library, ""))


def look_into_package(package, findings):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["dpkg-deb", "-x", str(package), folder], check=True)
        for path in sorted(Path(folder).rglob("*")):
            if path.is_symlink() or not path.is_file():
                continue
            if is_elf(path):
                look_into_program(path, findings)
            elif path.suffix == ".a":
                findings.cuda |= ".nv_fatbin" in output_of("readelf", "-SW", str(path))


def look_into_wheel(wheel, findings):
    """What is inside, and that it asks the machine for nothing but what every Linux has."""
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        objects = [path for path in sorted(Path(folder).rglob("*.so*")) if is_elf(path)]
        inside = {path.name for path in objects}
        for path in objects:
            findings.cuda |= has_cuda(path)
            if ".libs" in path.parent.name:
                findings.add(path.name, "in the wheel")
            for library in needed(path):
                if library in inside:
                    continue
                findings.add(library, "any Linux")
                if not re.fullmatch(OF_ANY_LINUX, stem(library)):
                    findings.faults.append(f"{path.name} needs {library}, which is neither in the wheel nor on every Linux")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strict", action="store_true", help="nothing under the GPL without CUDA, either")
    parser.add_argument("--list", action="store_true", help="only that all are known, for what is not handed on")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    options = parser.parse_args()
    failed = False
    for file in options.files:
        findings = Findings()
        look = {".deb": look_into_package, ".whl": look_into_wheel}.get(file.suffix, look_into_program)
        look(file, findings)
        if findings.gpl and not options.list and (findings.cuda or options.strict):
            together = "together with CUDA" if findings.cuda else "which --strict forbids"
            findings.faults.append(f"under the GPL, {together}: {', '.join(sorted(findings.gpl))}")
        print(f"{file}: {'with' if findings.cuda else 'without'} CUDA, {len(findings.lines)} libraries")
        print("\n".join(findings.lines[name] for name in sorted(findings.lines)))
        for fault in findings.faults:
            print(f"  FAULT: {fault}")
        failed |= bool(findings.faults)
    sys.exit(1 if failed else 0)


main()
