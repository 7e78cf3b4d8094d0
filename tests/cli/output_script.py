#!/usr/bin/env python3
"""What every command owes to its output: nothing is cut off unsaid, and nothing foreign reaches the terminal raw."""
import json
import resource
import signal
import subprocess

from harness import PATIENCE_S, PROGRAM, CommandTest, main

HEADER = "gfx,cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
ROW = "gfx950,256,{m},512,4096,21,0,5.4,{name},0.78,194.57,0.0\n"
# Clears the screen, sets the title, does both in one character, turns the line around, and is no UTF-8.
FOREIGN = b"\x1b[2J\x1b]0;title\x07\xc2\x9b31m\xe2\x80\xae\xff\x80end"
CONFIG = {"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 512, "intermediate_size": 1024,
          "num_attention_heads": 8, "vocab_size": 1000}


def controls_in(output):
    text = output.decode("utf-8")  # fails for what is no UTF-8
    return [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) <= 0x9f or c == "\u202e"]


class OutputTest(CommandTest):
    def start(self, arguments, **options):
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, timeout=PATIENCE_S, **options)

    def write_table(self, name, rows=1, kernel=b"kernel"):
        lines = [HEADER.encode()]
        for m in range(1, rows + 1):
            lines.append(ROW.format(m=m, name="KERNEL").encode().replace(b"KERNEL", kernel))
        (self.folder / name).write_bytes(b"".join(lines))
        return name


class WhatCannotBeWritten(OutputTest):
    def commands(self):
        self.write_table("a4w4.csv")
        self.write_table("b4w4.csv", rows=2)
        self.write("config.json", json.dumps(CONFIG))
        self.write("list.csv", "M,N,K\n1,512,512\n")
        return [["--help"], ["--version"], ["problem", "16x64x64:a16w16"], ["families"], ["devices"], ["devices", "--json"],
                ["status"], ["status", "--json"], ["shapes", "from-model", "config.json", "--m", "1"],
                ["shapes", "stats", "list.csv"], ["shapes", "stats", "list.csv", "--json"],
                ["table", "lint", "a4w4.csv"], ["table", "lint", "a4w4.csv", "--json"], ["table", "lint", "--list"],
                ["table", "stats", "a4w4.csv"], ["table", "stats", "a4w4.csv", "--json"],
                ["table", "merge", "a4w4.csv"], ["table", "filter", "a4w4.csv", "--m", "1"],
                ["table", "diff", "a4w4.csv", "b4w4.csv"], ["table", "diff", "a4w4.csv", "b4w4.csv", "--json"],
                ["lookup", "1x512x4096:a4w4", "--gfx", "gfx950", "--cu_num", "256", "--table", "a4w4.csv"],
                ["analyze", "a4w4.csv"], ["analyze", "a4w4.csv", "--json"], ["analyze", "a4w4.csv", "--csv"]]

    def test_a_full_disk(self):
        for arguments in self.commands():
            with self.subTest(arguments), open("/dev/full", "wb") as full:
                result = self.start(arguments, stdout=full, stderr=subprocess.PIPE)
                self.assertIn(b"cannot write to stdout: No space left on device", result.stderr)
                self.assertEqual(result.returncode, 5)

    def test_a_stdout_that_was_closed(self):
        for arguments in self.commands():
            with self.subTest(arguments):
                result = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', PROGRAM, *arguments], cwd=self.folder,
                                        timeout=PATIENCE_S, stderr=subprocess.PIPE)
                self.assertIn(b"cannot write to stdout: Bad file descriptor", result.stderr)
                self.assertEqual(result.returncode, 5)

    def test_a_reader_that_has_seen_enough(self):
        """Quiet, and ended by SIGPIPE, also where the caller ignores that signal."""
        def ignore_it():
            signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        self.write_table("a4w4.csv", rows=3000)
        for preparation in (None, ignore_it):
            reader = subprocess.Popen(["head", "-1"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            result = self.start(["table", "merge", "a4w4.csv"], stdout=reader.stdin, stderr=subprocess.PIPE,
                                preexec_fn=preparation)
            reader.stdin.close()
            reader.wait()
            self.assertEqual(result.returncode, -signal.SIGPIPE)
            self.assertNotIn(b"cannot", result.stderr)

    def test_a_limit_within_the_output(self):
        """The last piece alone does not fit: a file of 64 KiB and a table that is a little longer."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        self.write_table("a4w4.csv", rows=1250)
        self.assertGreater((self.folder / "a4w4.csv").stat().st_size, 65536)
        with open(self.folder / "merged.csv", "wb") as file:
            result = self.start(["table", "merge", "a4w4.csv"], stdout=file, stderr=subprocess.PIPE, preexec_fn=limit)
        self.assertIn(b"cannot write to stdout: File too large", result.stderr)
        self.assertEqual(result.returncode, 5)


class ForeignText(OutputTest):
    def assert_shown(self, *arguments, codes=(0,)):
        result = self.start(list(arguments), capture_output=True)
        self.assertIn(result.returncode, codes, result)
        for output in (result.stdout, result.stderr):
            self.assertEqual(controls_in(output), [], (arguments, output))
        return result

    def test_names_of_kernels(self):
        self.write_table("a4w4.csv", kernel=FOREIGN)
        self.write_table("b4w4.csv", rows=2, kernel=b"other" + FOREIGN)
        lookup = ["lookup", "1x512x4096:a4w4", "--gfx", "gfx950", "--cu_num", "256", "--table", "a4w4.csv"]
        quoted = b"\\x1b[2J\\x1b]0;title\\x07\\u{009b}31m\\u{202e}\\xff\\x80end"
        self.assertIn(quoted, self.assert_shown(*lookup).stdout)
        self.assertIn(b"other" + quoted, self.assert_shown("table", "diff", "a4w4.csv", "b4w4.csv", codes=(0, 1)).stdout)
        self.assert_shown("analyze", "a4w4.csv", "b4w4.csv", "--verbose")
        self.assert_shown("table", "stats", "a4w4.csv")
        self.assert_shown("table", "lint", "a4w4.csv", "b4w4.csv", codes=(0, 1))
        self.assert_shown("table", "merge", "a4w4.csv", "b4w4.csv", "-o", "merged.csv", "--verbose")
        for arguments in (lookup, ["table", "diff", "a4w4.csv", "b4w4.csv"], ["analyze", "a4w4.csv", "b4w4.csv"],
                          ["table", "stats", "a4w4.csv"], ["table", "lint", "a4w4.csv", "b4w4.csv"]):
            json.loads(self.assert_shown(*arguments, "--json", codes=(0, 1)).stdout)

    def test_what_is_written_for_programs_stays_as_it_is(self):
        self.write_table("a4w4.csv", kernel=FOREIGN)
        self.assertIn(FOREIGN, self.start(["table", "merge", "a4w4.csv"], capture_output=True).stdout)

    def test_cells_that_messages_quote(self):
        """Wherever a message says what it found."""
        foreign = FOREIGN.replace(b"\n", b"")
        (self.folder / "bad_a4w4.csv").write_bytes(
            HEADER.encode() + b"gfx950,256,x" + foreign + b",512,4096,21,0,5.4,k,0.78,194.57,0.0\n")
        self.assert_shown("table", "lint", "bad_a4w4.csv", codes=(1,))
        self.assert_shown("table", "merge", "bad_a4w4.csv", "-o", "merged.csv", codes=(0, 3))
        (self.folder / "list.csv").write_bytes(b"M,N,K,dtype\n1,512,512," + foreign + b"\n")
        self.assert_shown("shapes", "stats", "list.csv", codes=(0, 1, 3))
        (self.folder / "recording.csv").write_bytes(
            b"device_kind,device,problem,family,candidate,params,split_k,memory_bytes,failed,overhead_us,screen_us,confirm_us\n"
            b"cpu,an invented machine,1x1024x1024:bf16:bf16:bf16,a family with a name,a candidate with a long name,t=2,1,x"
            + foreign + b",,1,2,3\n")
        result = self.assert_shown("replay", "--trials", "recording.csv", codes=(3,))
        self.assertIn(b"recording.csv:2:", result.stderr)

    def test_names_of_files_and_arguments(self):
        name = b"x" + FOREIGN + b".csv"
        self.assert_shown("table", "lint", name, codes=(1,))
        self.assert_shown("table", "merge", name, codes=(3,))
        self.assert_shown("problem", FOREIGN, codes=(2, 3))
        self.assert_shown(FOREIGN, codes=(2,))

    def test_a_model(self):
        config = dict(CONFIG, model_type="\x1b[2J", quantization_config={"quant_method": "\x1b[2J\u009b"})
        self.write("config.json", json.dumps(config))
        self.assert_shown("shapes", "from-model", "config.json", "--m", "1", codes=(3,))
        self.write("config.json", json.dumps(dict(CONFIG, hidden_size="\x1b[2J" * 5000)))
        result = self.assert_shown("shapes", "from-model", "config.json", "--m", "1", codes=(3,))
        self.assertIn(b"bytes)", result.stderr)
        self.assertLess(len(result.stderr), 1000)  # cut, with a count


class Inputs(OutputTest):
    """-o never replaces what is read."""

    def refused(self, name, *arguments):
        before = (self.folder / name).read_bytes()
        self.assertIn("which are never changed", self.fail_with(2, *arguments).stderr)
        self.assertEqual((self.folder / name).read_bytes(), before)

    def test_they_are_not_overwritten(self):
        self.write("config.json", json.dumps(CONFIG))
        self.refused("config.json", "shapes", "from-model", "config.json", "--m", "1", "-o", "config.json")
        self.write("capture.csv", self.capture())
        self.refused("capture.csv", "shapes", "from-capture", "capture.csv", "-o", "capture.csv")
        self.write("list-1-of-2.csv", "M,N,K\n1,512,512\n2,512,512\n")
        self.refused("list-1-of-2.csv", "shapes", "split", "2", "list-1-of-2.csv", "-o", "list")
        self.write_table("a4w4.csv")
        (self.folder / "same.csv").symlink_to("a4w4.csv")
        self.refused("a4w4.csv", "analyze", "a4w4.csv", "-o", "a4w4.csv")
        self.refused("a4w4.csv", "analyze", "a4w4.csv", "-o", "same.csv")
        self.refused("a4w4.csv", "analyze", "a4w4.csv", "--html", "a4w4.csv")
        self.refused("a4w4.csv", "table", "merge", "a4w4.csv", "-o", "a4w4.csv")

    @staticmethod
    def capture():
        return ("gfx,cu_num,M,N,K,problem,match,calls,tuned_m,expected_us\n"
                "cpu,2,1,512,512,1x512x512:f32:f32:f32,fallback,3,0,0\n")


if __name__ == "__main__":
    main()
