#!/usr/bin/env python3
"""AITER's flags in both spellings do the same, and flags that make no sense are refused."""
from harness import CommandTest, main, shape_list

TWO = shape_list([(4, 32, 16), (1, 16, 16)])


class Spellings(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("bf16_untuned.csv", TWO)

    def tune_and_read(self, *arguments):
        self.tune("--in-process", "--store", "store.db", *arguments)
        return self.read("out.csv"), self.rows("profile.csv")

    def test_files(self):
        expected = self.tune_and_read("-i", "bf16_untuned.csv", "-o", "out.csv", "-o2", "profile.csv")
        self.assertEqual(len(expected[1]), 2)
        for spelling in (
            ("--untune_file", "bf16_untuned.csv", "--tune_file", "out.csv", "--profile_file", "profile.csv"),
            ("--untune-file", "bf16_untuned.csv", "--tune-file", "out.csv", "--profile-file", "profile.csv"),
            ("--input_file", "bf16_untuned.csv", "--tuned_file", "out.csv", "-o2=profile.csv"),
        ):
            with self.subTest(spelling=spelling):
                for name in ("out.csv", "profile.csv"):
                    (self.folder / name).unlink()
                self.assertEqual(self.tune_and_read(*spelling), expected)  # the store has the trials

    def test_numbers_and_switches(self):
        for spelling in (
            ("--errRatio", "0.1", "--mp", "1", "--batch", "10", "--warmup", "1", "--iters", "2", "--timeout", "60", "-k", "-v"),
            ("--err-ratio", "0.1", "--split-k", "--verbose"),
            ("--err_ratio", "0.1", "--splitK"),
        ):
            with self.subTest(spelling=spelling):
                self.tune("-i", "bf16_untuned.csv", "-o", "out.csv", "--all", "--in_process", *spelling)

    def test_nan_is_no_number(self):
        for command in (
            ("tune", "-i", "bf16_untuned.csv", "-o", "out.csv", "--errRatio"),
            ("tune", "-i", "bf16_untuned.csv", "-o", "out.csv", "--max-gflop"),
            ("table", "lint", "bf16_untuned.csv", "--err-ratio"),
            ("analyze", "bf16_untuned.csv", "--err-ratio"),
        ):
            for number in ("nan", "NaN"):
                with self.subTest(command=command, number=number):
                    self.assertIn("expected a number", self.fail_with(2, *command, number).stderr)
        self.assertFalse((self.folder / "out.csv").exists())

    def test_numbers_that_are_too_large_are_refused(self):
        """They would count as the largest number that there is."""
        for command in (
            ("tune", "-i", "bf16_untuned.csv", "-o", "out.csv", "--iters"),
            ("tune", "-i", "bf16_untuned.csv", "-o", "out.csv", "--seed"),
            ("tune", "-i", "bf16_untuned.csv", "-o", "out.csv", "--timeout"),
            ("analyze", "bf16_untuned.csv", "--peak-tflops"),
            ("shapes", "from-model", "config.json", "--m"),
        ):
            for number in ("1" + "0" * 400, "-1" + "0" * 400, "99999999999999999999999"):
                if "--timeout" in command or "--peak-tflops" in command:
                    number = "1e999" if number.startswith("1") else "-1e999"
                with self.subTest(command=command, number=number):
                    self.assertIn("expected", self.fail_with(2, *command, number).stderr)
        self.assertFalse((self.folder / "out.csv").exists())

    def test_cold_instructions_are_refused_on_a_cpu(self):
        for command in (
            ("tune", "-i", "bf16_untuned.csv", "-o", "out.csv"),
            ("bench", "-i", "bf16_untuned.csv"),
        ):
            for spelling in ("--cold_instructions", "--cold-instructions"):
                with self.subTest(command=command[0], spelling=spelling):
                    result = self.fail_with(2, *command, "--device", "cpu", "--in-process", spelling)
                    self.assertIn("--cold_instructions on cpu:0: a CPU's kernels", result.stderr)
        self.assertFalse((self.folder / "out.csv").exists())
        self.assertFalse((self.folder / "out.trials.db").exists())

    def test_sort_is_a_flag_and_takes_a_value(self):
        sizes = lambda: [(row["M"], row["N"]) for row in self.rows("out.csv")]
        for flags, expected in (
            (("--sort", "False"), [("4", "32"), ("1", "16")]),
            (("--sort", "True"), [("1", "16"), ("4", "32")]),
            (("--sort", "--all"), [("1", "16"), ("4", "32")]),
            ((), [("1", "16"), ("4", "32")]),
        ):
            with self.subTest(flags=flags):
                (self.folder / "out.csv").unlink(missing_ok=True)
                self.tune("-i", "bf16_untuned.csv", "-o", "out.csv", "--in-process", *flags)
                self.assertEqual(sizes(), expected)

    def test_the_default_output_is_named_after_the_list(self):
        self.tune("-i", "bf16_untuned.csv", "--in-process")
        self.assertEqual(len(self.rows("bf16_tuned.csv")), 2)
        self.assertTrue((self.folder / "bf16_tuned.trials.db").exists())

    def test_types_can_be_overridden(self):
        self.write("bf16_sizes.csv", "M,N,K\n4,32,16\n")
        self.tune("-i", "bf16_sizes.csv", "-o", "out.csv", "--in-process", "--indtype", "f16", "--outdtype", "f32")
        row = self.rows("out.csv")[0]
        self.assertEqual((row["dtype"], row["outdtype"]), ("torch.float16", "torch.float32"))


class Usage(CommandTest):
    def expect(self, message, *arguments):
        self.write("bf16.csv", TWO)
        result = self.fail_with(2, *arguments)
        self.assertIn(message, result.stderr)
        self.assertEqual(result.stdout, "")

    def test_what_makes_no_sense_is_refused(self):
        tune = ("tune", "-i", "bf16.csv")
        self.expect("gemmtune: no shapes: name a list (-i LIST), or a model's folder (--model_dir DIR)", "tune")
        self.expect("gemmtune: --format: found 'fp1', expected one of a16w16", *tune, "--format", "fp1")
        self.expect("gemmtune: --search: found 'luck', expected one of race, screen, exhaustive", *tune, "--search", "luck")
        self.expect("gemmtune: --budget: found '5 minutes', expected a duration", *tune, "--budget", "5 minutes")
        self.expect("gemmtune: --libtype: ck is AITER's, and needs a worker that runs its kernels", *tune, "--libtype", "ck")
        self.expect("gemmtune: --sort: found 'up', expected True or False", *tune, "--sort", "up")
        self.expect("gemmtune: --in-dtype: found 'f7', expected a type", *tune, "--in-dtype", "f7")
        self.expect("gemmtune: --max-gflop: ", *tune, "--max-gflop", "-1")
        self.expect("--no-such-flag", *tune, "--no-such-flag")

    def test_an_unknown_device_has_its_own_code(self):
        self.write("bf16.csv", TWO)
        result = self.fail_with(4, "tune", "-i", "bf16.csv", "--device", "cuda:7")
        self.assertIn('gemmtune: there is no device "cuda:7"; there is: cpu:0', result.stderr)


if __name__ == "__main__":
    main()
