# SPDX-License-Identifier: Apache-2.0
"""Builds the guest: a stock Debian kernel and an initramfs with Soft-RoCE and the verbs tools.

Everything comes from Debian packages. The kernel is fetched with `apt-get download`, which changes
nothing on the host; programs are those installed here, with the libraries they need. What was built
is kept, and built again when an input changed.
"""
import hashlib
import lzma
import pathlib
import re
import shutil
import struct
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
AGENT = HERE.parent / "conform/agent"

# Commands of the guest, and the package that has each.
PROGRAMS = {
    "ip": "iproute2", "rdma": "iproute2", "busybox": "busybox-static",
    "ibv_devinfo": "ibverbs-utils", "ibv_rc_pingpong": "ibverbs-utils",
    "ibv_srq_pingpong": "ibverbs-utils", "ibv_uc_pingpong": "ibverbs-utils",
    "ibv_ud_pingpong": "ibverbs-utils",
    "rping": "rdmacm-utils", "ucmatose": "rdmacm-utils", "udaddy": "rdmacm-utils",
    "cmtime": "rdmacm-utils", "mckey": "rdmacm-utils",
    "ib_write_bw": "perftest", "ib_write_lat": "perftest", "ib_read_bw": "perftest",
    "ib_read_lat": "perftest", "ib_send_bw": "perftest", "ib_send_lat": "perftest",
    "ib_atomic_bw": "perftest", "ib_atomic_lat": "perftest",
}
# Modules that are loaded, in this order, each after those it depends on.
MODULES = ["virtio_pci", "virtio_console", "virtio_net", "crc32_generic", "ib_uverbs", "rdma_ucm",
           "rdma_rxe"]


class Missing(Exception):
    """Something that must be installed is not; the text says what to do."""


def find_program(name):
    path = shutil.which(name, path="/usr/bin:/usr/sbin:/bin:/sbin:/usr/local/bin")
    if not path:
        raise Missing(f"{name} is missing: apt-get install {PROGRAMS.get(name, name)}")
    return pathlib.Path(path)


def libraries(path):
    """Shared objects that a program needs, the loader included."""
    listing = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
    return [pathlib.Path(found) for found in re.findall(r"(/\S+) \(0x", listing)]


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        text = done.stderr.strip() or done.stdout.strip()
        raise Missing(f"{' '.join(map(str, command))}: {text}")
    return done.stdout


def kernel_package(cache):
    """Folder with the unpacked kernel package that Debian calls the current one."""
    depends = run(["apt-cache", "depends", "linux-image-amd64"])
    names = re.findall(r"Depends: (linux-image-\S+)", depends)
    if not names:
        kept = sorted(cache.glob("linux-image-*/boot/vmlinuz-*"))
        if kept:
            return kept[-1].parent.parent
        raise Missing("no package linux-image-amd64 is known: apt-get update")
    folder = cache / names[0]
    if not folder.exists():
        fresh = cache / "download"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        run(["apt-get", "download", "-q", names[0]], cwd=fresh)
        run(["dpkg-deb", "-x", next(fresh.glob("*.deb")), fresh / "unpacked"])
        (fresh / "unpacked").rename(folder)
        shutil.rmtree(fresh)
    return folder


def unpacked_kernel(image):
    """The ELF file inside a bzImage: an emulated processor would unpack it for seconds."""
    data = image.read_bytes()
    (offset, length) = struct.unpack_from("<II", data, 0x248)
    start = (data[0x1F1] + 1) * 512 + offset
    payload = data[start:start + length]
    if payload[:6] != b"\xfd7zXZ\x00":
        raise Missing(f"{image}: not compressed with xz")
    return lzma.LZMADecompressor().decompress(payload)


def module_order(tree):
    """Paths of MODULES and of what they depend on, in the order in which they are loaded."""
    paths = {path.name[:-3].replace("-", "_"): path for path in tree.rglob("*.ko")}
    order = []

    def add(name):
        if name not in paths:
            raise Missing(f"{tree}: no module {name}")
        wanted = re.search(rb"\0depends=([^\0]*)\0", paths[name].read_bytes()).group(1).decode()
        for other in filter(None, wanted.split(",")):
            add(other.replace("-", "_"))
        if paths[name] not in order:
            order.append(paths[name])

    for module in MODULES:
        add(module)
    return order


def copy(source, root, target=None):
    place = root / str(target or source).lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, place)


def compiled(program, source, headers):
    """The program of a C source on libibverbs, built when it is older than that."""
    newest = max(path.stat().st_mtime for path in (source, *headers))
    if not program.exists() or program.stat().st_mtime < newest:
        run(["gcc", "-std=gnu11", "-O2", "-Wall", "-Wextra", "-o", program, source, "-libverbs"])
    return program


def build(cache):
    """(kernel, initramfs, kernel release) in `cache`."""
    cache = pathlib.Path(cache)
    cache.mkdir(parents=True, exist_ok=True)
    package = kernel_package(cache)
    image = next((package / "boot").glob("vmlinuz-*"))
    release = image.name[len("vmlinuz-"):]
    peer = compiled(cache / "peer", HERE / "peer.c", HERE.glob("peer_*.h"))
    agent = compiled(cache / "agent", AGENT / "agent.c", AGENT.glob("*.h"))

    programs = {name: find_program(name) for name in PROGRAMS}
    providers = sorted(pathlib.Path("/usr/lib").glob("*/libibverbs/librxe-rdmav*.so"))
    if not providers:
        raise Missing("no verbs provider of Soft-RoCE: apt-get install ibverbs-providers")
    inputs = [image, peer, agent, HERE / "init", HERE / "image.py", *programs.values(), *providers]
    stamp = hashlib.sha256(
        "".join(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}\n" for path in inputs)
        .encode()).hexdigest()
    kernel, initramfs, built = cache / "vmlinux", cache / "initramfs", cache / "stamp"
    if built.exists() and built.read_text() == stamp:
        return kernel, initramfs, release

    built.unlink(missing_ok=True)
    kernel.write_bytes(unpacked_kernel(image))
    root = cache / "root"
    shutil.rmtree(root, ignore_errors=True)
    copy(HERE / "init", root, "init")
    (root / "init").chmod(0o755)
    copy(peer, root, "usr/local/bin/peer")
    copy(agent, root, "usr/local/bin/agent")
    copy(programs["busybox"], root, "bin/busybox")
    (root / "bin/sh").symlink_to("busybox")
    needed = set(libraries(peer)) | set(libraries(agent))
    needed.update(pathlib.Path("/usr/lib").glob("*/libgcc_s.so.1"))  # for pthread_exit()
    for name, path in programs.items():
        if name == "busybox":
            continue
        copy(path, root, f"usr/bin/{name}")
        needed.update(libraries(path))
    for provider in providers:
        copy(provider, root)
        needed.update(libraries(provider))
    for library in needed:
        copy(library.resolve(), root, library)
    copy("/etc/libibverbs.d/rxe.driver", root)
    order = module_order(package / "lib/modules" / release)
    for module in order:
        copy(module, root, f"modules/{module.name}")
    (root / "modules/order").write_text("".join(f"/modules/{m.name}\n" for m in order))
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    with open(initramfs, "wb") as archive:
        done = subprocess.run([programs["busybox"], "cpio", "-o", "-H", "newc"], cwd=root,
                              input=names.encode(), stdout=archive, stderr=subprocess.PIPE,
                              check=False)
    if done.returncode:
        raise Missing(f"cpio: {done.stderr.decode().strip()}")
    built.write_text(stamp)
    return kernel, initramfs, release
