#!/usr/bin/env python3
"""gemmtune table: commands on tables of AITER's kinds."""
import json

from harness import CommandTest, main

TABLE = """cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio
256,1,512,4096,ck,21,0,5.4,ck_a,0.78,194.57,0.0
256,2,512,4096,asm,22,0,0,asm_a,0,0,0.2
256,two,512,4096,asm,22,0,3,asm_a,0,0,0.0
"""


class Stats(CommandTest):
    def test_counts(self):
        self.write("t.csv", TABLE)
        result = self.succeed("table", "stats", "t.csv:t.csv", "--json")
        first, second = json.loads(result.stdout)
        self.assertEqual(first, second)
        self.assertEqual(first["kind"], "gemm")
        self.assertEqual([first[name] for name in ("rows", "keys", "timed", "layers")], [2, 2, 1, 1])
        self.assertEqual([first[name] for name in ("err_ratio_above_limit", "unusable_lines", "m")], [1, 1, [1, 2]])
        self.assertEqual(first["devices"], {"gfx950/256": 2})
        self.assertIn("t.csv:4:5: M: found 'two', expected a whole number above 0; the line is kept\n", result.stderr)

    def test_needs_a_table_that_is_there(self):
        self.fail_with(2, "table", "stats")
        self.assertIn("none.csv: No such file", self.fail_with(3, "table", "stats", "none.csv").stderr)

    def test_the_group_shows_its_page(self):
        self.assertEqual(self.fail_with(2, "table").stdout, self.succeed("table", "--help").stdout)


if __name__ == "__main__":
    main()
