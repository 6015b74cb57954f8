# SPDX-License-Identifier: Apache-2.0
"""Brings a source package of PyPI's to this machine: NAME VERSION SHA256 FOLDER. What FOLDER then holds is the content
of the archive's one folder. `pip download` would build the package's metadata first, with all that this needs, for
minutes; pip's own index is asked for the file instead, as pip is set up here."""

import hashlib
import io
import sys
import tarfile
import tempfile
from pathlib import Path

from pip._internal.commands import create_command
from pip._vendor.packaging.specifiers import SpecifierSet


def archive_of(name, version):
    """The bytes of the package's tar.gz."""
    command = create_command("download")
    options, _ = command.parse_args(["--no-binary=:all:", "--no-deps", name])
    with command.main_context():
        session = command.get_default_session(options)
        finder = command._build_package_finder(options, session)
        candidate = finder.find_best_candidate(name, SpecifierSet(f"=={version}")).best_candidate
        if candidate is None:
            sys.exit(f"{name} {version} has no source package in pip's index")
        answer = session.get(candidate.link.url_without_fragment)
        answer.raise_for_status()
        return answer.content


def main(name, version, sha256, folder):
    archive = archive_of(name, version)
    found = hashlib.sha256(archive).hexdigest()
    if found != sha256:
        sys.exit(f"{name} {version}: the SHA-256 of its source package is {found}, but must be {sha256}; not unpacked")
    folder = Path(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            for member in tar.getmembers():
                if member.name.startswith("/") or ".." in Path(member.name).parts:
                    sys.exit(f"{name} {version}: {member.name} lies outside its folder; not unpacked")
            tar.extractall(scratch, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        (inside,) = Path(scratch).iterdir()
        inside.rename(folder)


main(*sys.argv[1:])
