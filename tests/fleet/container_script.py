#!/usr/bin/env python3
"""`--container` with a real Podman: the program is in the image alone, so that what runs runs in the container."""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from fleet_case import FleetTest
from harness import PROGRAM, main, shape_list

IMAGE = "localhost/gemmtune-test:1"
SIZES = [(m, 16, 32) for m in range(4, 10)]

# Where Podman cannot do as it likes: other limits, and a runtime for machines with both versions of cgroups.
CONFIGURATIONS = ("", '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n'
                      '[engine]\nruntime = "runc"\ncgroup_manager = "cgroupfs"\n')


def libraries_of(program):
    words = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.split()
    return {word for word in words if word.startswith("/")}


class Podman:
    """Its own storage, with one image that is made of files of this machine."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "storage.conf").write_text(
            f'[storage]\ndriver = "vfs"\ngraphroot = "{folder}/graph"\nrunroot = "{folder}/run"\n')
        self.variables = {"CONTAINERS_STORAGE_CONF": str(folder / "storage.conf"),
                          "CONTAINERS_CONF": str(folder / "containers.conf")}

    def said(self, *words):
        return subprocess.run(["podman", *words], env=os.environ | self.variables, capture_output=True, text=True,
                              timeout=500)

    def import_image(self):
        root = self.folder / "root"
        for name in ("tmp", "etc", "proc", "dev", "sys", "opt"):
            (root / name).mkdir(parents=True)
        for source, target in [(PROGRAM, "opt/gemmtune"), ("/bin/sh", "bin/sh")] + \
                [(path, path[1:]) for path in libraries_of(PROGRAM) | libraries_of("/bin/sh")]:
            (root / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, root / target)
        subprocess.run(["tar", "-C", str(root), "-cf", str(self.folder / "image.tar"), "."], check=True)
        return self.said("import", str(self.folder / "image.tar"), IMAGE)

    def why_not(self):
        """Why this machine runs no container; "" if it does."""
        (self.folder / "containers.conf").write_text("")
        imported = self.import_image()
        if imported.returncode != 0:
            return f"podman imports no image: {imported.stderr[-300:]}"
        for text in CONFIGURATIONS:
            (self.folder / "containers.conf").write_text(text)
            tried = self.said("run", "--rm", "--network", "host", "--entrypoint", "", IMAGE, "/bin/sh", "-c", "exit 7")
            if tried.returncode == 7:
                return ""
        return f"podman runs no container: {tried.stderr[-300:]}"


class InContainers(FleetTest):
    podman = None

    def setUp(self):
        super().setUp()
        environment = ", ".join(f"{name} = \"{value}\"" for name, value in self.podman.variables.items())
        self.write("hosts.toml", f"address = \"local\"\ndevices = [\"cpu\"]\nprogram = \"/opt/gemmtune\"\n"
                                 f"container_engine = \"podman\"\ncontainer_shm = \"64m\"\n"
                                 f"environment = {{ {environment} }}\n"
                                 f"[here]\nfolder = \"{self.folder}/it's work\"\n")

    def arguments(self):
        return ("tune", "-i", "list.csv", "-o", "fleet.csv", "--hosts", "hosts.toml", "--container", IMAGE, "--libtype",
                "cpu_reference", "--format", "a16w16", "--calibration_pct", "0")

    def containers(self):
        return self.podman.said("ps", "--format", "{{.Names}}").stdout.split()

    def test_the_program_runs_in_the_image(self):
        self.write("list.csv", shape_list(SIZES))
        checked = self.succeed("hosts", "check", "hosts.toml", "--container", IMAGE).stdout
        self.assertRegex(checked, r"(?m)^here +ready")
        self.assertFalse(pathlib.Path("/opt/gemmtune").exists())
        self.succeed(*self.arguments())
        self.assertEqual([int(row["M"]) for row in self.rows("fleet.csv")], [m for m, _, _ in SIZES])
        self.assertEqual(self.containers(), [])

    def test_ctrl_c_ends_the_container(self):
        self.write("list.csv", shape_list([(2048 + m, 2048, 2048) for m in range(6)]))
        with self.running(*self.arguments()) as process:
            deadline = time.monotonic() + 150
            while not any(name.startswith("gemmtune-") and not name.endswith("inspect") for name in self.containers()):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            output, log = process.communicate(timeout=90)
        self.assertEqual(process.returncode, 130, output + log)
        self.assertEqual(self.containers(), [])


if __name__ == "__main__":
    if not shutil.which("podman"):
        print("skipped: podman is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="gemmtune_podman_") as name:
        InContainers.podman = Podman(pathlib.Path(name))
        if why := InContainers.podman.why_not():
            print(f"skipped: {why}")
            sys.exit(77)
        main()
