#!/usr/bin/env python3
"""Files that cannot be read, cannot be written, or belong to somebody else: exact messages and exit codes."""
import os
import unittest

from harness import CommandTest, main, shape_list

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
                       "with one of a16w16, a8w8, a8w8_blockscale, a8w8_bpreshuffle, a4w4, batched_a16w16, batched_a8w8",
                    "-i", "shapes.csv")

    def test_a_list_of_several_formats(self):
        self.write("shapes.csv", "M,N,K,problem\n1,2,4,1x2x4:a4w4\n2,2,4,2x2x4:bf16:bf16:bf16\n")
        self.expect(2, "gemmtune: shapes.csv: its problems are of several formats (a4w4, a16w16), and a table is of one: "
                       "put those of each format into a list of their own", "-i", "shapes.csv")

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
        self.assertIn("gemmtune: profile.csv:1:1: found columns a,b, expected those of a profile", result.stderr)

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


if __name__ == "__main__":
    main()
