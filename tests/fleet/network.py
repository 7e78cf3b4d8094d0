"""Hosts for tests of the fleet: network namespaces with addresses, ssh daemons and folders of their own."""
import os
import pathlib
import shutil
import subprocess
import time


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True, **options)


def why_not():
    """Why this machine cannot make such hosts; "" if it can."""
    if os.geteuid() != 0:
        return "only root can make network namespaces"
    for program in ("ip", "ssh", "ssh-keygen", "mount"):
        if not shutil.which(program):
            return f"{program} is not installed"
    if not pathlib.Path("/usr/sbin/sshd").exists():
        return "sshd is not installed"
    name = f"gtprobe{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode != 0:
        return "this machine lets nobody make network namespaces"
    subprocess.run(["ip", "netns", "del", name], capture_output=True)
    return ""


class Network:
    """A bridge on this machine, and behind it one namespace for each host."""

    def __init__(self, folder, names, disks=None):
        """`disks`: folders that are file systems of so many megabytes. They are made first: a namespace does not see
        what is mounted later."""
        self.folder = pathlib.Path(folder)
        self.tag = f"{os.getpid() % 60000:04x}"
        self.bridge = f"gtb{self.tag}"
        self.subnet = f"10.{100 + os.getpid() % 100}.{os.getpid() // 100 % 250}"
        self.numbers = {name: i + 2 for i, name in enumerate(names)}
        self.daemons = []
        self.mounts = []
        for path, megabytes in (disks or {}).items():
            self.small_disk(path, megabytes)
        self.make_keys()
        run("ip", "link", "add", self.bridge, "type", "bridge")
        run("ip", "addr", "add", f"{self.subnet}.1/24", "dev", self.bridge)
        run("ip", "link", "set", self.bridge, "up")
        for name in names:
            self.make_host(name)

    def make_keys(self):
        for key in ("client", "server"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.folder / key))
        shutil.copy(self.folder / "client.pub", self.folder / "authorized")
        os.chmod(self.folder / "authorized", 0o600)
        (self.folder / "ssh_config").write_text(
            f"Host *\n  IdentityFile {self.folder}/client\n  IdentitiesOnly yes\n  UserKnownHostsFile {self.folder}/known\n"
            "  StrictHostKeyChecking accept-new\n  User root\n  LogLevel ERROR\n")

    def address(self, name):
        return f"{self.subnet}.{self.numbers[name]}"

    def namespace(self, name):
        return f"gt{self.tag}n{self.numbers[name]}"

    def link(self, name):
        return f"gt{self.tag}v{self.numbers[name]}"

    def make_host(self, name):
        namespace, link, inner = self.namespace(name), self.link(name), f"gt{self.tag}i{self.numbers[name]}"
        home = self.folder / "homes" / name
        home.mkdir(parents=True)
        run("ip", "netns", "add", namespace)
        run("ip", "link", "add", link, "type", "veth", "peer", "name", inner)
        run("ip", "link", "set", inner, "netns", namespace)
        run("ip", "link", "set", link, "master", self.bridge, "up")
        run("ip", "-n", namespace, "addr", "add", f"{self.address(name)}/24", "dev", inner)
        run("ip", "-n", namespace, "link", "set", inner, "up")
        run("ip", "-n", namespace, "link", "set", "lo", "up")
        os.makedirs("/run/sshd", exist_ok=True)
        config = self.folder / f"sshd_{self.numbers[name]}"
        config.write_text(
            f"ListenAddress {self.address(name)}\nHostKey {self.folder}/server\nAuthorizedKeysFile {self.folder}/authorized\n"
            f"StrictModes no\nUsePAM no\nPermitRootLogin yes\nMaxStartups 100\nMaxSessions 100\nPidFile none\n"
            f"SetEnv HOME={home}\n")
        with open(self.folder / f"sshd_{self.numbers[name]}.log", "w", encoding="utf-8") as log:
            self.daemons.append(subprocess.Popen(
                ["ip", "netns", "exec", namespace, "/usr/sbin/sshd", "-D", "-e", "-f", str(config)], stderr=log))
        self.wait_for(name)

    def wait_for(self, name):
        for _ in range(50):
            if subprocess.run(["ssh", "-F", str(self.folder / "ssh_config"), self.address(name), "true"],
                              capture_output=True).returncode == 0:
                return
            time.sleep(0.2)
        log = (self.folder / f"sshd_{self.numbers[name]}.log").read_text()
        raise RuntimeError(f"the ssh daemon of {name} does not answer: {log}")

    def cut_off(self, name):
        run("ip", "link", "set", self.link(name), "down")

    def connect(self, name):
        run("ip", "link", "set", self.link(name), "up")

    def small_disk(self, folder, megabytes):
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder))
        self.mounts.append(folder)

    def close(self):
        for name in self.numbers:
            pids = subprocess.run(["ip", "netns", "pids", self.namespace(name)], capture_output=True, text=True).stdout
            for pid in pids.split():
                subprocess.run(["kill", "-9", pid], capture_output=True)
        for daemon in self.daemons:
            daemon.kill()
            daemon.wait()
        for folder in self.mounts:
            subprocess.run(["umount", "-l", str(folder)], capture_output=True)
        for name in self.numbers:
            subprocess.run(["ip", "netns", "del", self.namespace(name)], capture_output=True)
            subprocess.run(["ip", "link", "del", self.link(name)], capture_output=True)
        subprocess.run(["ip", "link", "del", self.bridge], capture_output=True)
