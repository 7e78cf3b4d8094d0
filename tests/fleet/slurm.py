"""A Slurm for tests: munged, slurmctld, and a slurmd for each node, all on this machine and in one folder."""
import os
import pathlib
import shutil
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "scontrol")


def why_not():
    """Why this machine cannot run it; "" if it can."""
    if os.geteuid() != 0:
        return "only root can start Slurm's daemons"
    for program in PROGRAMS:
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin"):
            return f"{program} is not installed"
    return ""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Slurm:
    def __init__(self, folder, nodes):
        self.folder = pathlib.Path(folder)
        self.nodes = nodes
        self.daemons = {}
        for name in ("state", "spool", "munge"):
            (self.folder / name).mkdir(mode=0o755)
        self.write_configuration()
        self.conf = str(self.folder / "slurm.conf")
        self.environment = os.environ | {"SLURM_CONF": self.conf, "PATH": os.environ["PATH"] + ":/usr/sbin"}
        self.start("munged", "munged", "--foreground", "--force", f"--socket={self.folder}/munge/socket",
                   f"--key-file={self.folder}/munge.key", f"--pid-file={self.folder}/munge/pid",
                   f"--seed-file={self.folder}/munge/seed", f"--log-file={self.folder}/munge/log")
        self.start("slurmctld", "slurmctld", "-D", "-f", self.conf)
        for node in nodes:
            self.start_node(node)
        self.wait_for(f"{len(nodes)} idle", lambda: self.states().count("idle") == len(nodes))

    def write_configuration(self):
        host = socket.gethostname()
        ports = free_ports(len(self.nodes) + 1)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        lines = [f"ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={ports[0]}\nSlurmUser=root\n"
                 f"AuthType=auth/munge\nAuthInfo=socket={self.folder}/munge/socket\nCredType=cred/munge\n"
                 f"StateSaveLocation={self.folder}/state\nSlurmdSpoolDir={self.folder}/spool/%n\n"
                 f"SlurmctldPidFile={self.folder}/ctld.pid\nSlurmdPidFile={self.folder}/%n.pid\n"
                 f"SlurmctldLogFile={self.folder}/ctld.log\nSlurmdLogFile={self.folder}/%n.log\n"
                 "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSwitchType=switch/none\n"
                 "JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n"
                 "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nReturnToService=2\nSlurmdTimeout=10\n"
                 "SlurmctldTimeout=10\nKillWait=10\nMinJobAge=600\nSchedulerParameters=sched_interval=2,bf_interval=2\n"
                 "JobRequeue=1\nRebootProgram=/bin/true\n"]
        for node, port in zip(self.nodes, ports[1:]):
            lines.append(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=100 State=UNKNOWN\n")
        lines.append(f"PartitionName=all Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP\n")
        (self.folder / "slurm.conf").write_text("".join(lines))

    def start(self, name, *command):
        with open(self.folder / f"{name}.out", "w", encoding="utf-8") as log:
            self.daemons[name] = subprocess.Popen(command, env=self.environment, stdout=log, stderr=log)

    def start_node(self, node):
        self.start(node, "slurmd", "-D", "-N", node, "-f", self.conf)

    def said(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60)

    def states(self):
        return self.said("sinfo", "--noheader", "--Node", "--format=%T").stdout.split()

    def wait_for(self, what, is_so):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if is_so():
                return
            time.sleep(0.3)
        logs = "".join(path.read_text()[-3000:] for path in self.folder.glob("*.log")) + \
            "".join(path.read_text()[-3000:] for path in self.folder.glob("*.out"))
        raise RuntimeError(f"Slurm does not get to: {what}; nodes are {self.states()}; {logs}")

    def start_requeued(self):
        """Slurm lets two minutes pass before it starts a requeued task again."""
        for line in self.said("squeue", "--noheader", "--array", "--format=%i %r").stdout.splitlines():
            task, reason = line.split(maxsplit=1)
            if reason == "BeginTime":
                self.said("scontrol", "update", f"JobId={task}", "StartTime=now")

    def set_down(self, node):
        """As an administrator does with a node that has failed: its jobs are requeued elsewhere."""
        subprocess.run(["scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=test"], env=self.environment, check=True)

    def set_up(self, node):
        self.said("scontrol", "update", f"NodeName={node}", "State=RESUME")

    def close(self):
        self.said("scancel", "--state=RUNNING,PENDING", "--user=root")
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(15)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
