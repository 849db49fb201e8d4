#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs what is built, packs it, and uses both: the program and the Python package from the
package, and driver/examples built against the installed libraries by CMake and by pkg-config.

usage: install_test.py ROOT BUILD
"""
import os
import pathlib
import subprocess
import sys
import tempfile

PLAIN = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/nonexistent"}
DEPENDS = ["libibverbs1", "ibverbs-providers", "libsystemc", "libc6"]
FILES = ["bin/roci", "bin/roci-verify", "lib/rocinante/libroci-verbs.so",
         "lib/rocinante/libroci-nic-512.so", "lib/rocinante/libroci-nic-64.so",
         "share/man/man1/roci.1", "share/bash-completion/completions/roci",
         "share/rocinante/captures/raw_index.json",
         "lib/python3/dist-packages/roci/pytest_plugin.py"]


def run(*command, status=0, **options):
    options.setdefault("env", PLAIN)
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def expect(text, word):
    if word not in text:
        sys.exit(f"no '{word}' in:\n{text}")


def check_program(prefix, folder, root):
    """The program in its new place: engines, provider, completion, an engine that is missing."""
    roci = prefix / "bin/roci"
    for name in FILES:
        if not (prefix / name).is_file():
            sys.exit(f"{prefix} has no {name}")
    expect(run(roci, "--version"), "roci 0.")
    expect(run("readelf", "-d", roci), "$ORIGIN/../lib/rocinante")
    run(roci, "demo", "--dir", folder / "demo")
    expect(run(roci, "transfer", root / "LICENSE", "--engine", "model"), "received")
    run(roci, "up", "--name", "installed", "--engine", "model")
    try:
        on_node = (roci, "exec", "--name", "installed", "n0")
        expect(run(*on_node, "--env"), str(prefix / "lib/rocinante"))
        expect(run(*on_node, "--", "ibv_devices"), "roci0")
    finally:
        run(roci, "down", "--name", "installed")
    (prefix / "lib/rocinante/libroci-nic-64.so").rename(folder / "moved.so")
    text = run(roci, "transfer", root / "LICENSE", "--width", "64", status=1)
    (folder / "moved.so").rename(prefix / "lib/rocinante/libroci-nic-64.so")
    expect(text, "roci-nic-64")
    if len(text.splitlines()) != 1:
        sys.exit(f"more than one line:\n{text}")
    expect(run(roci, "conform", "--engine", "model", "--id", "WIRE-16", cwd=folder), "hold")
    expect(run(roci, "soak", "--hostile", "--packets", "2000", "--engine", "model", cwd=folder),
           "witness")
    (prefix / "bin/roci-verify").rename(folder / "moved")
    expect(run(roci, "conform", status=1), "roci-verify")
    (folder / "moved").rename(prefix / "bin/roci-verify")
    completion = (f"source {prefix}/share/bash-completion/completions/roci\n"
                  "COMP_WORDS=(roci up --eng); COMP_CWORD=2; _roci; echo ${COMPREPLY[*]}")
    expect(run("bash", "-c", completion), "--engine")
    expect((prefix / "share/man/man1/roci.1").read_text(), "roci soak")


def check_examples(prefix, folder, root):
    """driver/examples, out of tree."""
    examples = root / "driver/examples"
    run("cmake", "-S", examples, "-B", folder / "examples", "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", folder / "examples")
    for engine in ("model", "rtl"):
        expect(run(folder / "examples/two_nodes", engine), "memory equal")
    roci = prefix / "bin/roci"
    run(roci, "up", "--name", "examples", "--engine", "model")
    try:
        on_node = (roci, "exec", "--name", "examples", "n0", "--")
        expect(run(*on_node, folder / "examples/write_to_peer"), "memory equal")
    finally:
        run(roci, "down", "--name", "examples")
    flags = run("pkg-config", "--cflags", "--libs", "rocinante-driver",
                env=dict(PLAIN, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))).split()
    run("c++", "-std=c++17", examples / "write_to_peer.cpp", *flags, "-o", folder / "by_pkg_config")
    flags = run("pkg-config", "--libs", "rocinante-testbench",
                env=dict(PLAIN, PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig"))).split()
    objects = list((folder / "examples").rglob("two_nodes.cpp.o"))
    run("c++", *objects, *flags, "-o", folder / "linked_by_pkg_config")
    expect(run(folder / "linked_by_pkg_config", "rtl"), "memory equal")


def check_suite(prefix, folder, root):
    """The tests of driver/examples/requests by the Python package; pytest finds its plugin."""
    packages = prefix / "lib/python3/dist-packages"
    environment = dict(PLAIN, PYTHONPATH=str(packages), PYTHONDONTWRITEBYTECODE="1",
                       ROCI=str(prefix / "bin/roci"),
                       REQUESTS=str(folder / "examples/requests/requests"))
    expect(run("/usr/bin/python3", "-c", "import importlib.metadata as m, roci\n"
               "print(m.version('rocinante') == roci.__version__)", env=environment), "True")
    text = run("/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider", "--basetemp",
               folder / "suite", root / "driver/examples/requests", env=environment, cwd=folder)
    expect(text, " passed in ")
    print(text.splitlines()[-1])


def main():
    root, build = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "prefix"
        run("cmake", "--install", build, "--prefix", prefix)
        check_program(prefix, folder, root)
        check_examples(prefix, folder, root)

        run("cpack", "--config", build / "CPackConfig.cmake", "-B", folder / "package", cwd=build)
        package = next((folder / "package").glob("rocinante_*.deb"))
        depends = run("dpkg-deb", "--field", package, "Depends")
        for word in DEPENDS:
            expect(depends, word)
        run("dpkg-deb", "--extract", package, folder / "root")
        check_program(folder / "root/usr", folder, root)
        check_suite(folder / "root/usr", folder, root)
        print(f"{package.name}: {os.path.getsize(package) // 1024} KiB\nDepends: {depends}all good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
