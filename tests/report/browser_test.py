#!/usr/bin/env python3
"""The report's page in a real browser: browser_test.py GEMMTUNE. Skipped (77) where there is none."""
import html
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
SKIPPED = 77
SHAPES = 3000
LOAD_MS, SORT_MS = 4000, 1500  # on a busy machine; idle it takes a quarter of this

# Runs in the page of a small run: what is drawn where shapes are few.
SMALL_PROBE = """
const chartOf = (section) => Chart.getChart(document.querySelector(`#${section} canvas`));
const gain = chartOf("gain");
const scroll = document.querySelector("#shapes .scroll");
const cells = (list) => [...document.querySelectorAll(`#${list} tbody tr`)].map((row) => [...row.cells].map((cell) => cell.textContent));
const result = document.createElement("pre");
result.id = "seen";
result.textContent = JSON.stringify({
  errors: window.pageErrors,
  headline: document.getElementById("headline").textContent,
  tiles: [...document.querySelectorAll("#tiles .tile")].map((tile) => [tile.querySelector("b").textContent, tile.querySelector("span").textContent]),
  gain_type: gain.config.type,
  gain_names: gain.scales.y.ticks.map((tick) => tick.label),
  error_bars: gain.data.datasets.map((set) => set.data.filter((bar) => bar.low > 0 && bar.high >= bar.low).length),
  gains: cells("gain-list"),
  provenance: cells("provenance-list"),
  heads: [...document.querySelectorAll("#table th")].map((cell) => cell.textContent),
  cut: scroll.scrollWidth - scroll.clientWidth,
});
document.body.append(result);
"""

# Runs in the page after its own script, and leaves what it saw in the document.
PROBE = """
const seen = { errors: window.pageErrors };
const rows = () => [...document.querySelectorAll("#table tbody tr")];
const column = (name) => [...document.querySelectorAll("#table th button")].find((b) => b.textContent === name);
const index = (name) => [...document.querySelectorAll("#table th")].findIndex((c) => c.textContent.trim() === name);
const cells = (name) => rows().map((row) => row.cells[index(name)].textContent);
seen.ready = document.documentElement.dataset.ready;
seen.load_ms = performance.now();
seen.sections = [...document.querySelectorAll("main section")].filter((s) => !s.hidden).map((s) => s.id);
seen.rows = rows().length;
seen.headline = document.getElementById("headline").textContent;
seen.tiles = [...document.querySelectorAll("#tiles b")].map((b) => b.textContent);
seen.count = document.getElementById("count").textContent;
const before = performance.now();
column("asm").click();
seen.sort_ms = performance.now() - before;
seen.descending = cells("asm").map(Number);
seen.sorted = document.querySelectorAll("#table th")[index("asm")].getAttribute("aria-sort");
column("asm").click();
seen.ascending = cells("asm").map(Number);
column("M").click();
seen.m = cells("M").map(Number);
document.getElementById("winner").value = "ck";
document.getElementById("filters").dispatchEvent(new Event("input"));
seen.won_by_ck = new Set(cells("best")).size === 1 ? cells("best")[0] : "mixed";
document.getElementById("winner").value = "";
document.getElementById("find").value = "nothing_has_this";
document.getElementById("filters").dispatchEvent(new Event("input"));
seen.none = rows().length;
document.getElementById("find").value = "";
document.getElementById("filters").dispatchEvent(new Event("input"));
document.getElementById("more").click();
seen.all = rows().length;
const theme = () => document.documentElement.dataset.theme;
seen.themes = [theme()];
document.getElementById("theme").click();
seen.themes.push(theme());
seen.inks = Object.values(Chart.instances).map((chart) => chart.options.plugins.legend.labels.color);
window.dispatchEvent(new Event("beforeprint"));
seen.printed = [theme(), rows().length];
window.dispatchEvent(new Event("afterprint"));
seen.after_print = theme();
const chart = Chart.getChart(document.querySelector("#roofline canvas"));
const point = chart.getDatasetMeta(0).data[0];
const box = chart.canvas.getBoundingClientRect();
chart.canvas.dispatchEvent(new MouseEvent("mousemove", { bubbles: true, clientX: box.left + point.x, clientY: box.top + point.y }));
setTimeout(() => {
  seen.tooltip = chart.tooltip.body ? chart.tooltip.body.flatMap((b) => b.lines).join(" ") : "";
  const result = document.createElement("pre");
  result.id = "seen";
  result.textContent = JSON.stringify(seen);
  document.body.append(result);
}, 300);
"""
CATCHER = """<script>
window.pageErrors = [];
window.addEventListener("error", (event) => window.pageErrors.push(String(event.message)));
const say = console.error;
console.error = (...words) => { window.pageErrors.push(words.join(" ")); say(...words); };
</script>"""


def browser():
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if shutil.which(name):
            return name
    return None


def write_inputs(folder):
    """Benchmarks of five backends with many holes, and a small run with its store."""
    rng = random.Random(7)
    lines = ["gfx,cu_num,problem,M,N,K,asm_us,ck_us,triton_us,__proto___us,constructor_us"]
    for i in range(SHAPES):
        m, n, k = 1 + i % 60, 128 * (1 + i // 60), 256 * (1 + i % 7)
        times = [round(rng.uniform(1, 90), 3) if rng.random() < share else "" for share in (0.9, 0.9, 1, 0.01, 0.01)]
        lines.append(f"gfx950,256,{m}x{n}x{k}:a4w4,{m},{n},{k}," + ",".join(map(str, times)))
    (folder / "bench.csv").write_text("\n".join(lines) + "\n")
    header = "M,N,K,bias,dtype,outdtype,scaleAB,bpreshuffle,weight,layer\n"
    shape = "{},32,32,False,torch.float32,torch.float32,False,False,{},qkv\n"
    (folder / "list.csv").write_text(header + shape.format(8, 30) + shape.format(16, 2))
    environment = {**os.environ, "GEMMTUNE_STATE": str(folder / "state")}
    subprocess.run([PROGRAM, "tune", "--libtype", "cpu_tile", "-i", "list.csv", "-o", "tuned.csv"], cwd=folder, check=True,
                   capture_output=True, env=environment)


def look(page, folder):
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--window-size=1280,900",
               "--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom", page.as_uri()]
    result = subprocess.run(command, capture_output=True, text=True, timeout=200)
    found = re.search(r'<pre id="seen">(.*?)</pre>', result.stdout, re.S)
    assert found, f"the page did not come to its end:\n{result.stderr[-3000:]}"
    consoled = [line for line in result.stderr.splitlines() if "CONSOLE" in line]
    return json.loads(html.unescape(found.group(1))), consoled


def check(seen, consoled):
    assert seen["errors"] == [] and consoled == [], (seen["errors"], consoled)
    assert seen["ready"] == "true"
    everything = ["summary", "shapes", "speedup", "gain", "roofline", "where", "regret", "cost", "noise", "provenance"]
    assert [s for s in seen["sections"] if s != "failures"] == everything, seen["sections"]
    assert seen["rows"] == 200 and seen["count"] == f"{SHAPES + 2} shapes of {SHAPES + 2}", seen["count"]
    assert re.search(r"Tuned kernels are [\d.]+× as fast as the default choices over \d+ shape", seen["headline"]), seen["headline"]
    assert "0" not in seen["tiles"], seen["tiles"]
    assert seen["sorted"] == "descending"
    assert seen["descending"] == sorted(seen["descending"], reverse=True)
    assert seen["ascending"] == sorted(seen["ascending"]) and seen["ascending"] != seen["descending"]
    assert seen["m"] == sorted(seen["m"])
    assert seen["won_by_ck"] == "ck" and seen["none"] == 0 and seen["all"] == SHAPES + 2
    assert sorted(seen["themes"]) == ["dark", "light"] and len(set(seen["inks"])) == 1
    assert seen["printed"] == ["light", SHAPES + 2] and seen["after_print"] == seen["themes"][1]
    assert "TFLOPS" in seen["tooltip"], seen["tooltip"]
    assert seen["load_ms"] < LOAD_MS and seen["sort_ms"] < SORT_MS, (seen["load_ms"], seen["sort_ms"])


def check_small(seen):
    assert seen["errors"] == [], seen["errors"]
    assert re.search(r"all calls of the list: [\d.]+ . ?.*→ .*On .*units", seen["headline"]), seen["headline"]
    (count, what), *shares = seen["tiles"]
    assert (count, what) == ("2", "shapes") and sum(int(number) for number, _ in shares) == 2, seen["tiles"]
    assert seen["gain_type"] == "bar" and sorted(seen["gain_names"]) == ["16x32x32, qkv", "8x32x32, qkv"], seen["gain_names"]
    assert seen["error_bars"] == [2, 2], seen["error_bars"]
    assert len(seen["gains"]) == 2 and {row[1] for row in seen["gains"]} == {"qkv"} and {row[2] for row in seen["gains"]} == {"30", "2"}
    assert len(seen["provenance"]) == 1 and "cpu_tile" in seen["provenance"][0][4], seen["provenance"]
    assert "calls" in seen["heads"] and "layer" in seen["heads"], seen["heads"]
    assert seen["cut"] <= 0, f"the table is {seen['cut']} pixels wider than its place"


def probed(text, probe):
    return text.replace("<head>", "<head>" + CATCHER, 1).replace("</body>", f"<script>{probe}</script></body>", 1)


def main():
    if not browser():
        print("skipped: no Chromium here")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="gemmtune_browser_") as name:
        folder = pathlib.Path(name)
        write_inputs(folder)
        made = subprocess.run([PROGRAM, "analyze", ".", "--primary", "asm", "--html", "report.html"], cwd=folder, capture_output=True, text=True)
        if "no chart library" in made.stderr:
            print("skipped: this build has no chart library")
            return SKIPPED
        assert made.returncode == 0, made.stderr
        text = (folder / "report.html").read_text()
        page = folder / "probed.html"
        page.write_text(probed(text, PROBE))
        seen, consoled = look(page, folder)
        check(seen, consoled)
        subprocess.run([PROGRAM, "analyze", "tuned.trials.db", "--html", "small.html"], cwd=folder, capture_output=True, check=True)
        page.write_text(probed((folder / "small.html").read_text(), SMALL_PROBE))
        check_small(look(page, folder)[0])
        print(f"{len(text)} bytes, loaded in {seen['load_ms']:.0f} ms, sorted in {seen['sort_ms']:.0f} ms; hovered: {seen['tooltip']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
