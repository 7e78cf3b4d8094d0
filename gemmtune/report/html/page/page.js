// Draws the report from the data in the page. Texts of the data go in as text, never as HTML.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const rowsAtFirst = 200;
  // Distinct for people who see colours differently (Okabe and Ito), and by shape too.
  const palette = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c6d31", "#b5a900", "#7f7f7f"];
  const pointStyles = ["circle", "triangle", "rect", "rectRot", "star", "crossRot", "cross", "rectRounded", "dash"];

  const { number, rate, times, plural, duration, element, plainTable } = reportParts;
  const at = (id) => document.getElementById(id);
  const colour = (backend) => palette[data.backends.indexOf(backend) % palette.length];
  const pointStyle = (backend) => pointStyles[data.backends.indexOf(backend) % pointStyles.length];
  // ---- the table of shapes

  const shapes = data.shapes;
  for (const shape of shapes) {
    // A backend may be called __proto__ or constructor, which plain objects have already.
    shape.best = Object.assign(Object.create(null), shape.best);
    shape.bestTflops = shape.winners.length ? shape.best[shape.winners[0]].tflops : null;
    const kernels = Object.values(shape.best).map((best) => best.kernel);
    shape.words = [shape.label, shape.layer, shape.device, ...kernels].join(" ").toLowerCase();
  }

  const columns = [
    { name: "M", number: true, value: (s) => s.m },
    { name: "N", number: true, value: (s) => s.n },
    { name: "K", number: true, value: (s) => s.k },
    ...(shapes.some((s) => s.batch > 1) ? [{ name: "batch", number: true, value: (s) => s.batch }] : []),
    ...(data.one_type ? [] : [{ name: "types", value: (s) => s.types }]),
    ...(data.one_device ? [] : [{ name: "device", value: (s) => s.device }]),
    ...(shapes.some((s) => s.layer) ? [{ name: "layer", value: (s) => s.layer }] : []),
    ...(shapes.some((s) => s.weight !== 1) ? [{ name: "calls", number: true, value: (s) => s.weight }] : []),
    ...data.backends.map((backend) => ({
      name: backend, number: true, backend,
      value: (s) => (s.best[backend] ? s.best[backend].tflops : null), text: rate,
    })),
    { name: "best", value: (s) => s.winners.join(" = ") || "none" },
    { name: `${data.primary} / best other`, number: true, value: (s) => s.ratio, text: times },
    { name: "kernel", long: true, value: (s) => (s.winners.length ? s.best[s.winners[0]].kernel : "") },
  ];
  const order = { column: null, descending: false };
  let shown = [];
  let showsAll = false;

  const shareText = (best) => (best.share === undefined ? "" : `, ${(best.share * 100).toFixed(1)} % of its roof`);

  function shapeRow(shape) {
    const line = document.createElement("tr");
    for (const column of columns) {
      const value = column.value(shape);
      const cell = line.insertCell();
      cell.textContent = column.text ? column.text(value) : value ?? "";
      cell.className = column.number ? "number" : column.long ? "kernel" : "";
      const best = column.backend && shape.best[column.backend];
      if (!best) continue;
      if (shape.winners.includes(column.backend)) cell.classList.add("wins");
      if (best.apart) cell.textContent += "~";
      else if (best.unproven) cell.textContent += "?";
      cell.title = `${best.apart ? "not timed together with the others, and not compared with them: " : ""}${best.unproven ? "not proven: " : ""}${best.kernel} ${best.us} µs${best.low ? ` (${best.low} to ${best.high})` : ""}${shareText(best)}, ${best.where}`;
    }
    return line;
  }

  function drawRows() {
    const rows = showsAll ? shown : shown.slice(0, rowsAtFirst);
    at("table").tBodies[0].replaceChildren(...rows.map(shapeRow));
    at("count").textContent = `${plural(shown.length, "shape")} of ${shapes.length}`;
    at("more").hidden = rows.length === shown.length;
    at("more").textContent = `Show all ${shown.length}`;
  }

  // What has no value comes last, whichever way.
  function compare(a, b) {
    const [x, y] = [order.column.value(a), order.column.value(b)];
    if (x === y) return 0;
    if (x === null || x === undefined) return 1;
    if (y === null || y === undefined) return -1;
    return (x < y ? -1 : 1) * (order.descending ? -1 : 1);
  }

  function isWanted(shape) {
    const words = at("find").value.toLowerCase().split(/\s+/);
    const chosen = (id, value) => at(id).value === "" || value === at(id).value;
    return words.every((word) => shape.words.includes(word))
      && (at("winner").value === "" || shape.winners.includes(at("winner").value)
        || (at("winner").value === "none" && shape.winners.length === 0))
      && chosen("types", shape.types) && chosen("device", shape.device)
      && (!at("lost").checked || (shape.best[data.primary] && shape.winners.length && !shape.winners.includes(data.primary)));
  }

  function refresh() {
    shown = shapes.filter(isWanted);
    if (order.column) shown.sort(compare);
    drawRows();
  }

  function sortBy(column) {
    order.descending = order.column === column ? !order.descending : Boolean(column.number && column.backend);
    order.column = column;
    at("table").querySelectorAll("th").forEach((cell, i) => {
      const direction = order.descending ? "descending" : "ascending";
      cell.setAttribute("aria-sort", columns[i] === column ? direction : "none");
    });
    refresh();
  }

  function drawHead() {
    const line = at("table").tHead.insertRow();
    for (const column of columns) {
      const cell = element("th", undefined, column.number ? "number" : "");
      cell.scope = "col";
      cell.setAttribute("aria-sort", "none");
      const button = element("button", column.name);
      button.type = "button";
      button.addEventListener("click", () => sortBy(column));
      cell.append(button);
      line.append(cell);
    }
  }

  function fillChoice(id, values) {
    const choice = at(id);
    choice.append(new Option("all", ""), ...values.map((value) => new Option(value, value)));
    choice.parentElement.hidden = values.length < 2;
  }

  function setUpTable() {
    const distinct = (of) => [...new Set(shapes.map(of))].sort();
    drawHead();
    fillChoice("winner", [...data.backends, ...(shapes.some((s) => !s.winners.length) ? ["none"] : [])]);
    fillChoice("types", distinct((s) => s.types));
    fillChoice("device", distinct((s) => s.device));
    at("primary").textContent = data.primary;
    at("filters").addEventListener("input", refresh);
    at("filters").addEventListener("submit", (event) => event.preventDefault());
    at("more").addEventListener("click", () => { showsAll = true; drawRows(); });
    refresh();
  }

  // ---- charts

  const charts = [];
  const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function axis(title, isLogarithmic, more = {}) {
    return { type: isLogarithmic ? "logarithmic" : "linear", title: { display: true, text: title }, grid: {}, ticks: {}, ...more };
  }

  function draw(section, config) {
    config.options = {
      animation: false, responsive: true, maintainAspectRatio: false, normalized: true,
      interaction: { mode: "nearest", intersect: true }, ...config.options,
    };
    const canvas = at(section).querySelector("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", at(section).querySelector("h2").textContent);
    config.plugins = reportParts.plugins;
    charts.push(new Chart(canvas, config));
  }

  function recolour() {
    for (const chart of charts) {
      chart.options.plugins.legend.labels.color = style("--text");
      for (const scale of Object.values(chart.options.scales)) {
        scale.title.color = scale.ticks.color = style("--faint");
        scale.grid.color = style("--line");
      }
      for (const set of chart.data.datasets) if (set.isRoof) set.borderColor = style("--text");
      chart.update("none");
    }
  }

  const points = (backend, list) => ({
    label: backend, data: list, pointStyle: pointStyle(backend), pointRadius: list.length > 1000 ? 2 : 4,
    borderColor: colour(backend), backgroundColor: `${colour(backend)}aa`, showLine: false,
  });
  const tooltip = (label) => ({ legend: { labels: { usePointStyle: true } }, tooltip: { callbacks: { label } } });
  // Names beside points, where there are few of them.
  const few = shapes.length <= 40;
  const named = (label, of) => ({ ...tooltip(label), names: few ? { of } : {} });

  // Horizontal bars: `rows` of them with a name each, and their error bars.
  function drawBars(section, rows, datasets, xAxis, label) {
    at(section).querySelector(".chart").style.height = `${5 + 1.6 * rows}rem`;
    draw(section, {
      type: "bar",
      data: { datasets },
      options: {
        indexAxis: "y",
        scales: { x: xAxis, y: axis("", false, { type: "category", ticks: { autoSkip: false } }) },
        plugins: tooltip(label),
      },
    });
  }

  const intervalText = (low, high, digits) => (low && high ? ` (${low.toFixed(digits)} to ${high.toFixed(digits)})` : "");

  function ratioPoint(shape) {
    const [own, other] = [shape.best[data.primary], shape.best[shape.alternative]];
    const interval = own.low && other.low ? { low: other.low / own.high, high: other.high / own.low } : {};
    return { x: shape.ratio, y: shape.label, shape, ...interval };
  }

  function drawSpeedupBars(ratios) {
    const others = [...new Set(ratios.map((s) => s.alternative))];
    const isWide = ratios[ratios.length - 1].ratio / ratios[0].ratio > 4;
    const order = { labels: ratios.map((s) => s.label) };
    const longest = Math.max(...ratios.map((s) => ratioPoint(s).high ?? s.ratio));
    drawBars("speedup", ratios.length, others.map((other) => ({
      label: `against ${other}`, base: 1, grouped: false, backgroundColor: colour(other),
      data: ratios.filter((s) => s.alternative === other).map(ratioPoint),
    })), axis(`${data.primary} / best other`, isWide, { suggestedMax: longest }),
    (item) => `${item.raw.shape.label}: ${times(item.raw.x)}${intervalText(item.raw.low, item.raw.high, 3)} ${item.dataset.label}`);
    Object.assign(charts[charts.length - 1].data, order);
  }

  function drawSpeedup() {
    const ratios = shapes.filter((s) => s.ratio !== null).sort((a, b) => a.ratio - b.ratio);
    if (!ratios.length) return false;
    const lost = ratios.filter((s) => !s.winners.includes(data.primary)).length;
    at("speedup-text").textContent = `TFLOPS of ${data.primary} by those of its best alternative, from the worst shape to the `
      + `best: ${data.primary} loses on ${lost} of ${plural(ratios.length, "shape")}.`;
    if (few) {
      drawSpeedupBars(ratios);
      return true;
    }
    const bySet = new Map();
    ratios.forEach((s, i) => {
      if (!bySet.has(s.alternative)) bySet.set(s.alternative, []);
      bySet.get(s.alternative).push({ x: i + 1, y: s.ratio, shape: s });
    });
    draw("speedup", {
      type: "scatter",
      data: { datasets: [
        ...[...bySet].map(([alternative, list]) => ({ ...points(alternative, list), label: `against ${alternative}` })),
        { label: "equal", type: "line", isRoof: true, data: [{ x: 1, y: 1 }, { x: ratios.length, y: 1 }], borderWidth: 1, pointRadius: 0 },
      ] },
      options: {
        scales: { x: axis("shapes, by speed-up", false, { ticks: { display: false } }), y: axis(`${data.primary} / best other`, true) },
        plugins: tooltip((item) => (item.raw.shape ? `${item.raw.shape.label}: ${times(item.raw.y)}` : "equal")),
      },
    });
    return true;
  }

  const gainName = (g) => (g.layer ? `${g.label}, ${g.layer}` : g.label);
  const withInterval = (g, value, low, high) => ({ x: value, y: gainName(g), of: g, ...(low && high ? { low, high } : {}) });

  // Times as shares of the default's, so that long and short shapes can stand side by side.
  function drawGainBars(gains) {
    const part = (us, g) => us / g.default_us;
    drawBars("gain", 1.6 * gains.length, [
      { label: "default choice", backgroundColor: "#9aa0a6",
        data: gains.map((g) => withInterval(g, 1, part(g.default_low, g), part(g.default_high, g))) },
      { label: "chosen", backgroundColor: palette[2],
        data: gains.map((g) => withInterval(g, part(g.us, g), part(g.low, g), part(g.high, g))) },
    ], axis("time, default choice = 1", false, { min: 0, max: widestEnd(gains) }), (item) => {
      const g = item.raw.of;
      return item.datasetIndex ? `${g.winner}: ${duration(g.us)}` : `${g.default}: ${duration(g.default_us)}`;
    });
  }

  // A tick beyond the longest error bar.
  function widestEnd(gains) {
    const ends = gains.flatMap((g) => [1, g.default_high / g.default_us, g.us / g.default_us, g.high / g.default_us]);
    return Math.ceil(Math.max(...ends) * 10 + 0.1) / 10;
  }

  function drawGainPoints(gains) {
    draw("gain", {
      type: "scatter",
      data: { datasets: [
        { label: "gain", data: gains.map((g, i) => ({ x: i + 1, y: g.gain, of: g })), borderColor: palette[2], backgroundColor: palette[2] },
        { label: "equal", type: "line", isRoof: true, data: [{ x: 1, y: 1 }, { x: gains.length, y: 1 }], borderWidth: 1, pointRadius: 0 },
      ] },
      options: {
        scales: { x: axis("shapes, by gain", false, { ticks: { display: false } }), y: axis("default / chosen", true) },
        plugins: tooltip((item) => (item.raw.of
          ? `${item.raw.of.label}: ${times(item.raw.y)}, ${item.raw.of.winner} instead of ${item.raw.of.default}` : "equal")),
      },
    });
  }

  const savedUs = (g) => g.weight * (g.default_us - g.us);

  function listGains(gains) {
    const any = (of) => gains.some(of);
    at("gain-list").append(plainTable([
      { name: "shape", text: (g) => g.label },
      ...(any((g) => g.layer) ? [{ name: "layer", text: (g) => g.layer }] : []),
      ...(any((g) => g.weight !== 1) ? [{ name: "calls", number: true, text: (g) => g.weight }] : []),
      { name: "default choice", text: (g) => g.default, long: true },
      { name: "its time", number: true, text: (g) => duration(g.default_us) },
      { name: "chosen", text: (g) => (g.winner === g.default ? "the default" : g.winner), long: true },
      { name: "its time", number: true, text: (g) => duration(g.us) },
      { name: "gain", number: true, text: (g) => times(g.gain) },
      { name: "saved by all calls", number: true, text: (g) => duration(Math.max(savedUs(g), 0)) },
    ], [...gains].sort((a, b) => savedUs(b) - savedUs(a)).slice(0, rowsAtFirst)));
  }

  function drawGain() {
    const gains = [...data.gains].sort((a, b) => a.gain - b.gain);
    if (!gains.length) return false;
    const mean = Math.exp(gains.reduce((sum, g) => sum + Math.log(g.gain), 0) / gains.length);
    at("gain-text").textContent = "The chosen kernel against the default choice, which one has without tuning. Both were timed in the "
      + `same turns; lines show 95 % intervals. ${mean.toFixed(2)}× in the geometric mean of ${plural(gains.length, "shape")}.`;
    if (gains.length <= 40) drawGainBars(gains);
    else drawGainPoints(gains);
    listGains(gains);
    return true;
  }

  const roofWords = {
    given: () => "The roof is as given. ",
    remembered: () => "The roof is as measured by gemmtune bench roofline. ",
    reached: () => `The roof is the fastest and the widest that was measured here${data.one_device ? "" : ", of all devices together"}: an estimate from below. `,
  };

  function roofLine(roof, measured) {
    const { peak_tflops: peak, peak_gbps: bandwidth } = roof;
    const knee = (peak * 1000) / bandwidth;
    const ends = measured.map((p) => p.x);
    const from = Math.min(...ends, knee) / 1.5;
    const to = Math.max(...ends, knee) * 1.5;
    return { label: roof.label, type: "line", isRoof: true, pointRadius: 0, borderWidth: 1.5,
      data: [{ x: from, y: (from * bandwidth) / 1000 }, { x: knee, y: peak }, { x: to, y: peak }] };
  }

  function roofLines(measured) {
    const roofs = data.roofs.filter((roof) => roof.peak_tflops && roof.peak_gbps);
    if (!roofs.length) return [];
    const one = ({ label, peak_tflops: peak, peak_gbps: bandwidth }) =>
      `${roofs.length > 1 ? `${label}: ` : ""}${rate(peak)} TFLOPS, ${bandwidth.toFixed(0)} GB/s`;
    at("roofline-text").textContent = roofWords[roofs[0].source]()
      + `${roofs.map(one).join("; ")}. Bytes are those that a kernel must move, with scales.`;
    return roofs.map((roof) => roofLine(roof, measured));
  }

  function drawRoofline() {
    const sets = data.backends.map((backend) => points(backend, shapes
      .filter((s) => s.best[backend] && s.intensity)
      .map((s) => ({ x: s.intensity, y: s.best[backend].tflops, shape: s, best: s.best[backend] }))));
    const all = sets.flatMap((set) => set.data);
    if (!all.length) return false;
    draw("roofline", {
      type: "scatter",
      data: { datasets: [...sets.filter((set) => set.data.length), ...roofLines(all)] },
      options: {
        scales: { x: axis("operations a byte", true), y: axis("TFLOPS", true) },
        plugins: named((item) => (item.raw.shape
          ? `${item.dataset.label}, ${item.raw.shape.label}: ${rate(item.raw.y)} TFLOPS${shareText(item.raw.best)}, ${item.raw.best.kernel}`
          : item.dataset.label), (raw) => (raw.shape && raw.y === raw.shape.bestTflops ? raw.shape.label : "")),
      },
    });
    return true;
  }

  function drawWhere() {
    const sets = data.backends.map((backend) => points(backend, shapes
      .filter((s) => s.winners[0] === backend)
      .map((s) => ({ x: s.n * s.k, y: s.m, shape: s })))).filter((set) => set.data.length);
    if (!sets.length) return false;
    draw("where", {
      type: "scatter",
      data: { datasets: sets },
      options: {
        scales: { x: axis("N·K", true), y: axis("M", true) },
        plugins: named((item) => `${item.raw.shape.label}: ${item.raw.shape.winners.join(" = ")}, ${rate(item.raw.shape.bestTflops)} TFLOPS`, (raw) => raw.shape.label),
      },
    });
    return true;
  }

  const percent = (value) => `${(100 * value).toFixed(2)} %`;

  function drawRegret() {
    const regret = data.backend_regret;
    at("regret-text").textContent = "What is lost by always taking one backend's best kernel instead of the best of all, over the shapes "
      + "that it can do."
      + (data.search_regret.length ? " Below: what would be lost had each search stopped earlier, by the share of its cost." : "");
    at("backend-regret").append(plainTable([
      { name: "always", text: (r) => r.backend },
      { name: "shapes", number: true, text: (r) => r.shapes },
      { name: "mean", number: true, text: (r) => percent(r.mean) },
      { name: "95 % below", number: true, text: (r) => percent(r.p95) },
      { name: "worst", number: true, text: (r) => percent(r.worst) },
    ], regret));
    const canvas = at("regret").querySelector(".chart");
    canvas.hidden = !data.search_regret.length;
    if (canvas.hidden) return regret.length > 0;
    const line = (label, key, dash, hue) => ({ label, type: "line", data: data.search_regret.map((p) => ({ x: 100 * p.share, y: 100 * p[key] })),
      borderColor: palette[hue], backgroundColor: palette[hue], borderDash: dash, pointRadius: 0, borderWidth: 2 });
    draw("regret", {
      type: "line",
      data: { datasets: [line("mean", "mean", [], 0), line("95 % below", "p95", [6, 3], 1), line("worst", "worst", [2, 2], 3)] },
      options: {
        interaction: { mode: "index", intersect: false },
        scales: { x: axis("% of a shape's tuning cost", false, { min: 0, max: 100 }), y: axis("regret, %", false, { min: 0 }) },
        plugins: tooltip((item) => `${item.dataset.label}: ${item.raw.y.toFixed(2)} %`),
      },
    });
    return true;
  }

  function drawCost() {
    if (!data.cost.length) return false;
    const parts = [["kernel_s", "kernels"], ["prepare_s", "prepare"], ["operands_s", "operands"], ["reference_s", "reference"], ["verify_s", "verify"]];
    draw("cost", {
      type: "bar",
      data: {
        labels: data.cost.map((c) => `${c.backend}, ${plural(c.trials, "trial")}`),
        datasets: parts.map(([key, label], i) => ({ label, data: data.cost.map((c) => c[key]), backgroundColor: palette[i] })),
      },
      options: {
        indexAxis: "y",
        scales: { x: axis("seconds", false, { stacked: true }), y: axis("", false, { type: "category", stacked: true }) },
        plugins: tooltip((item) => `${item.dataset.label}: ${item.raw.toFixed(2)} s`),
      },
    });
    return true;
  }

  function drawNoise() {
    if (!data.noise.length) return false;
    const throttled = data.noise.filter((n) => n.throttled).length;
    at("noise-text").textContent = "Dispersion (1.4826 · median absolute deviation / median) of what was confirmed, by its time. "
      + (throttled ? `${throttled} of ${plural(data.noise.length, "measurement")} were throttled: larger points.` : "None was throttled.");
    const sets = data.backends.map((backend) => {
      const list = data.noise.filter((n) => n.backend === backend).map((n) => ({ x: n.us, y: 100 * n.dispersion, of: n }));
      return { ...points(backend, list), pointRadius: list.map((p) => (p.of.throttled ? 8 : 3)) };
    }).filter((set) => set.data.length);
    draw("noise", {
      type: "scatter",
      data: { datasets: sets },
      options: {
        scales: { x: axis("µs", true), y: axis("dispersion, %") },
        plugins: tooltip((item) => `${item.raw.of.kernel}, ${item.raw.of.label}: ${item.raw.y.toFixed(2)} %`
          + (item.raw.of.clock_mhz ? `, ${item.raw.of.clock_mhz.toFixed(0)} MHz` : "") + (item.raw.of.throttled ? ", throttled" : "")),
      },
    });
    return true;
  }

  // ---- texts

  // What tuning gained, or else how the primary backend does against the others.
  function headline() {
    if (data.gains.length) {
      const sum = (of) => data.gains.reduce((total, gain) => total + of(gain), 0);
      const mean = Math.exp(sum((gain) => Math.log(gain.gain)) / data.gains.length);
      const [before, after] = [sum((gain) => gain.weight * gain.default_us), sum((gain) => gain.weight * gain.us)];
      const calls = data.gains.some((gain) => gain.weight !== 1) ? "all calls of the list" : "one call of each";
      const where = data.provenance.length ? ` On ${data.provenance[0].device}.` : "";
      return `Tuned kernels are ${mean.toFixed(2)}× as fast as the default choices over ${plural(data.gains.length, "shape")} `
        + `(geometric mean); ${calls}: ${duration(before)} → ${duration(after)}.${where}`;
    }
    const won = shapes.filter((s) => s.winners.includes(data.primary)).length;
    const compared = shapes.filter((s) => s.ratio !== null);
    if (!compared.length) return "";
    const mean = Math.exp(compared.reduce((total, s) => total + Math.log(s.ratio), 0) / compared.length);
    return `${data.primary} is the fastest on ${won} of ${plural(shapes.length, "shape")}, and ${mean.toFixed(2)}× as fast as the best of the `
      + `others (geometric mean of ${compared.length}).`;
  }

  function drawSummary() {
    at("caption").textContent = data.caption;
    const tiles = [
      [shapes.length, shapes.length === 1 ? "shape" : "shapes"],
      ...data.backends.map((b) => [shapes.filter((s) => s.winners.length === 1 && s.winners[0] === b).length, `won by ${b}`]),
      [shapes.filter((s) => s.winners.length > 1).length, "tied"], [shapes.filter((s) => !s.winners.length).length, "without a winner"],
      [data.skipped, "measurements left out"],
    ];
    at("headline").textContent = headline();
    for (const [value, label] of tiles.filter((tile) => tile[0])) {
      const tile = element("div", undefined, "tile");
      tile.append(element("b", value), element("span", label));
      at("tiles").append(tile);
    }
    at("pairs").hidden = !data.pairs.length;
    at("pairs").append(plainTable([
      { name: "speed-up of", text: (p) => `${p.first} / ${p.second}` },
      { name: "shapes", number: true, text: (p) => p.shapes },
      { name: "faster", number: true, text: (p) => p.faster },
      { name: "slower", number: true, text: (p) => p.slower },
      { name: "tied", number: true, text: (p) => p.tied },
      ...["min", "max", "mean", "geometric_mean"].map((key) => ({ name: key.replace("_", " "), number: true, text: (p) => times(p[key]) })),
    ], data.pairs));
  }

  function drawFailures() {
    at("failures-text").textContent = `${data.skipped} of ${plural(data.measurements, "measurement")}, by backend and reason. `
      + "Commands run one candidate alone, where a debugger can watch it.";
    at("failure-list").append(plainTable([
      { name: "backend", text: (f) => f.backend },
      { name: "what", text: (f) => f.what },
      { name: "times", number: true, text: (f) => f.count },
      { name: "why", text: (f) => f.why, long: true },
      { name: "for one", text: (f) => `${f.shape} ${f.kernel}`, long: true },
      { name: "reproduce", text: (f) => f.reproducer, long: true, code: true },
    ], data.failures));
    return data.failures.length > 0;
  }

  function drawFleet() {
    at("fleet-list").append(plainTable([
      { name: "device", text: (d) => d.device },
      { name: "shards", number: true, text: (d) => d.shards },
      { name: "shapes", number: true, text: (d) => d.shapes },
      { name: "failed", number: true, text: (d) => d.failures },
      { name: "busy, s", number: true, text: (d) => d.busy_s.toFixed(0) },
      { name: "calibrations, us", text: (d) => d.calibrations.map((us) => us.toPrecision(4)).join(", ") },
      { name: "set aside", text: (d) => d.set_aside, long: true },
    ], data.fleet));
    return data.fleet.length > 0;
  }

  function drawProvenance() {
    at("provenance-list").append(plainTable([
      { name: "device", text: (p) => p.device, long: true },
      { name: "driver", text: (p) => p.driver, long: true },
      { name: "trials", number: true, text: (p) => p.trials },
      { name: "measured", text: (p) => `${p.first_utc} to ${p.last_utc}`, long: true },
      { name: "kernels of", text: (p) => p.libraries.join(", "), long: true },
      { name: "measured by", text: (p) => p.policies.join("; "), long: true },
    ], data.provenance));
    at("provenance-list").hidden = !data.provenance.length;
    at("sources").append(...data.sources.map((text) => element("li", text)), ...data.notes.map((text) => element("li", text)));
  }

  function listContents() {
    for (const section of document.querySelectorAll("main section")) {
      if (section.hidden) continue;
      const link = element("a", section.querySelector("h2").textContent);
      link.href = `#${section.id}`;
      const item = element("li");
      item.append(link);
      at("contents").append(item);
    }
  }

  // ---- light and dark, paper

  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    at("theme").setAttribute("aria-pressed", String(theme === "dark"));
    recolour();
  }

  function setUpTheme() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const current = () => document.documentElement.dataset.theme;
    at("theme").addEventListener("click", () => setTheme(current() === "dark" ? "light" : "dark"));
    dark.addEventListener("change", (event) => setTheme(event.matches ? "dark" : "light"));
    setTheme(dark.matches ? "dark" : "light");
    let before = "";
    window.addEventListener("beforeprint", () => {
      before = current();
      showsAll = true;
      drawRows();
      setTheme("light");
      for (const chart of charts) chart.resize();
    });
    window.addEventListener("afterprint", () => setTheme(before));
  }

  drawSummary();
  setUpTable();
  at("speedup").hidden = !drawSpeedup();
  at("gain").hidden = !drawGain();
  at("roofline").hidden = !drawRoofline();
  at("where").hidden = !drawWhere();
  at("regret").hidden = !drawRegret();
  at("cost").hidden = !drawCost();
  at("noise").hidden = !drawNoise();
  at("failures").hidden = !drawFailures();
  at("fleet").hidden = !drawFleet();
  drawProvenance();
  listContents();
  setUpTheme();
  document.documentElement.dataset.ready = "true";
})();
