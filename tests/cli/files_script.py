#!/usr/bin/env python3
"""Files that cannot be read, cannot be written, or belong to somebody else: exact messages and exit codes."""
import os
import pathlib
import subprocess
import unittest

from harness import PATIENCE_S, PROGRAM, CommandTest, main, shape_list

SMALL = shape_list([(1, 16, 16)])


class BadInput(CommandTest):
    def expect(self, code, message, *arguments):
        result = self.fail_with(code, "tune", *arguments)
        self.assertIn(message, result.stderr.splitlines())

    def test_a_list_that_is_not_there(self):
        self.expect(3, "gemmtune: missing_bf16.csv: No such file or directory", "-i", "missing_bf16.csv")

    def test_an_empty_list(self):
        self.write("bf16.csv", "")
        self.expect(3, "gemmtune: bf16.csv:1:1: the file is empty, expected a header line", "-i", "bf16.csv")

    def test_a_list_without_sizes(self):
        self.write("bf16.csv", "token,model_dim\n1,2\n")
        self.expect(3, "gemmtune: bf16.csv:1:1: found columns token,model_dim, expected M, N and K among them",
                    "-i", "bf16.csv", "--format", "a16w16")

    def test_a_list_of_which_no_line_can_be_used(self):
        self.write("bf16.csv", "M,N,K\n1,2x,3\n")
        self.expect(3, "gemmtune: bf16.csv:2:3: N: found '2x', expected a whole number above 0", "-i", "bf16.csv")

    def test_a_list_for_no_clear_format(self):
        self.write("shapes.csv", "M,N,K\n1,2,3\n")
        self.expect(2, "gemmtune: shapes.csv: neither its name nor its columns say which format it is for: add --format "
                       "with one of a16w16, a8w8, a8w8_blockscale, a8w8_bpreshuffle, a4w4, batched_a16w16, batched_a8w8, "
                       "a16w4, a8w4, a16w4_nvfp4, a8w4_nvfp4, a8wq4, a8wq8, mxfp8, a16w8, a16w8_blockscale, "
                       "a16w4_fp8",
                    "-i", "shapes.csv")

    def test_a_table_of_another_format(self):
        self.write("bf16.csv", SMALL)
        text = "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
        self.write("out.csv", text)
        result = self.fail_with(3, "tune", "-i", "bf16.csv", "-o", "out.csv")
        self.assertIn("gemmtune: out.csv:1:1: found columns cu_num,M,N,K,kernelId", result.stderr)
        self.assertEqual(self.read("out.csv"), text)

    def test_a_profile_of_another_kind(self):
        self.write("bf16.csv", SMALL)
        self.write("profile.csv", "a,b\n")
        result = self.fail_with(3, "tune", "-i", "bf16.csv", "-o2", "profile.csv")
        self.assertIn("gemmtune: profile.csv:1:1: found columns a,b, expected those of an a16w16 table", result.stderr)

    def test_a_store_that_is_none(self):
        self.write("bf16.csv", SMALL)
        self.write("store.db", "this is no database\n" * 100)
        result = self.fail_with(3, "tune", "-i", "bf16.csv", "--store", "store.db")
        self.assertIn("gemmtune: store.db is not a trials store", result.stderr)

    def test_bad_lines_are_named_and_the_others_tuned(self):
        self.write("bf16.csv", SMALL + "1,2,x,False,,,,\n")
        result = self.fail_with(1, "tune", "-i", "bf16.csv", "-o", "out.csv", "--libtype", "cpu_reference", "--in-process")
        self.assertIn("bf16.csv:3:5: K: found 'x', expected a whole number above 0", result.stderr)
        self.assertIn("1 tuned, 0 failed, 0 skipped, 1 lines rejected", result.stdout)
        self.assertEqual(len(self.rows("out.csv")), 1)


class FoldersThatCannotBeWritten(CommandTest):
    def test_the_table(self):
        self.write("bf16.csv", SMALL)
        result = self.fail_with(5, "tune", "-i", "bf16.csv", "-o", "/proc/gemmtune_out.csv", "--store", "store.db")
        self.assertRegex(result.stderr, r"gemmtune: /proc/\S*gemmtune_out.csv\S*: ")

    def test_the_store_beside_it(self):
        self.write("bf16.csv", SMALL)
        result = self.fail_with(5, "tune", "-i", "bf16.csv", "-o", "nowhere/out.csv")
        self.assertIn("gemmtune: cannot open the trials store nowhere/out.trials.db: there is no folder ", result.stderr)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_read_only_folder(self):
        self.write("bf16.csv", SMALL)
        (self.folder / "locked").mkdir(mode=0o555)
        result = self.fail_with(5, "tune", "-i", "bf16.csv", "-o", "locked/out.csv")
        self.assertIn("Permission denied", result.stderr)


class OutputsThatAreNoPlainFiles(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("bf16.csv", SMALL)

    def tune_into(self, output, *more):
        return self.tune("-i", "bf16.csv", "-o", str(output), "--store", "store.db", "--fresh", *more)

    def test_a_link_stays_a_link_and_its_file_keeps_its_mode(self):
        (self.folder / "real").mkdir()
        target = self.folder / "real" / "tuned.csv"
        target.write_text("")
        target.chmod(0o664)
        (self.folder / "link.csv").symlink_to("real/tuned.csv")
        self.tune_into("link.csv")
        self.assertTrue((self.folder / "link.csv").is_symlink())
        self.assertEqual(target.stat().st_mode & 0o777, 0o664)
        self.assertEqual(len(self.rows("real/tuned.csv")), 1)

    def test_a_fifo_is_written_once(self):
        os.mkfifo(self.folder / "fifo")
        os.mkfifo(self.folder / "profile")
        with self.running("tune", "-i", "bf16.csv", "-o", "fifo", "-o2", "profile", "--libtype", "cpu_reference",
                          "--store", "store.db"):
            table = (self.folder / "fifo").read_text().splitlines()
            profile = (self.folder / "profile").read_text().splitlines()
        self.assertEqual(len(table), 2, table)
        self.assertEqual(len(profile), 2, profile)
        self.assertTrue((self.folder / "fifo").is_fifo())

    def test_a_device_is_not_replaced(self):
        self.tune_into("/dev/null", "-o2", "/dev/null")
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())

    def test_a_device_that_takes_nothing_is_an_error_soon(self):
        result = self.fail_with(5, "tune", "-i", "bf16.csv", "-o", "/dev/full", "--libtype", "cpu_reference",
                                "--store", "store.db")
        self.assertIn("gemmtune: /dev/full: No space left on device", result.stderr)

    def test_stdout_by_its_name(self):
        lines = self.tune_into("/dev/stdout").stdout.splitlines()
        self.assertRegex(lines[0], "^gfx,cu_num,M,N,K,|^cu_num,M,N,K,")
        self.assertIn("cpu_reference", lines[1])

    def test_an_endless_list(self):
        result = self.fail_with(3, "tune", "-i", "/dev/zero", "--format", "a16w16")
        self.assertIn("gemmtune: /dev/zero: found more than 512 MiB", result.stderr)


class OneFileOfSeveralRuns(CommandTest):
    def test_no_row_is_lost(self):
        processes = []
        for run, m in enumerate((16, 32, 48)):
            self.write(f"bf16_{run}.csv", shape_list([(m + i, 64, 64) for i in range(4)]))
            processes.append(subprocess.Popen(
                [PROGRAM, "tune", "-i", f"bf16_{run}.csv", "-o", "t.csv", "-o2", "p.csv", "--libtype", "cpu_reference",
                 "--store", f"{run}.db"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        for process in processes:
            self.assertEqual(process.wait(PATIENCE_S), 0)
        expected = [m + i for m in (16, 32, 48) for i in range(4)]
        self.assertEqual(sorted(int(row["M"]) for row in self.rows("t.csv")), expected)
        self.assertEqual(sorted({int(row["M"]) for row in self.rows("p.csv")}), expected)
        self.assertEqual([path.name for path in self.folder.glob("t.csv?*")], [], "something was left behind")


if __name__ == "__main__":
    main()
