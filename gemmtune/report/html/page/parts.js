// What page.js builds on: numbers in words, tables, and what the report adds to Chart.js (error bars, and names beside
// points). Stands before page.js.
"use strict";
const reportParts = (() => {
  const number = (value, digits) => (value === null || value === undefined ? "–" : value.toFixed(digits));
  const rate = (value) => number(value, value >= 1000 ? 1 : value >= 1 ? 2 : 4);
  const times = (value) => (value === null || value === undefined ? "–" : `${value.toFixed(3)}×`);
  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  // A table that is not sorted. Columns: {name, text(row), number, long, code}.
  function plainTable(columns, rows) {
    const table = element("table");
    const head = table.createTHead().insertRow();
    for (const column of columns) {
      const cell = element("th", column.name, column.number ? "number" : "");
      cell.scope = "col";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      for (const column of columns) {
        const cell = line.insertCell();
        cell.className = column.number ? "number" : column.long ? "long" : "";
        if (column.code && column.text(row)) cell.append(element("code", column.text(row)));
        else cell.textContent = column.text(row);
      }
    }
    return table;
  }

  function duration(us) {
    return us < 1e3 ? `${us.toPrecision(4)} µs` : us < 1e6 ? `${(us / 1e3).toPrecision(4)} ms` : `${(us / 1e6).toPrecision(4)} s`;
  }

  const inkOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function eachPoint(chart, visit) {
    chart.data.datasets.forEach((set, i) => {
      if (!chart.isDatasetVisible(i)) return;
      const elements = chart.getDatasetMeta(i).data;
      set.data.forEach((raw, j) => visit(raw, elements[j]));
    });
  }

  // A line along a bar's value from `low` to `high`, for data that has both.
  const whiskers = {
    id: "whiskers",
    afterDatasetsDraw(chart) {
      const { ctx } = chart;
      const cap = 3;
      ctx.save();
      ctx.strokeStyle = inkOf("--text");
      ctx.lineWidth = 1.5;
      eachPoint(chart, (raw, bar) => {
        if (!raw || !raw.low || !raw.high || chart.options.indexAxis !== "y") return;
        const ends = [raw.low, raw.high].map((value) => chart.scales.x.getPixelForValue(value));
        ctx.beginPath();
        ctx.moveTo(ends[0], bar.y);
        ctx.lineTo(ends[1], bar.y);
        for (const x of ends) {
          ctx.moveTo(x, bar.y - cap);
          ctx.lineTo(x, bar.y + cap);
        }
        ctx.stroke();
      });
      ctx.restore();
    },
  };

  const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

  // The name that `of` gives a point, beside it, where no earlier name is in its way.
  const names = {
    id: "names",
    afterDatasetsDraw(chart, _, options) {
      if (!options.of) return;
      const { ctx, chartArea } = chart;
      const placed = [];
      ctx.save();
      ctx.font = "11px system-ui, sans-serif";
      ctx.fillStyle = inkOf("--faint");
      ctx.textBaseline = "middle";
      eachPoint(chart, (raw, point) => {
        const name = raw && options.of(raw);
        if (!name) return;
        const width = ctx.measureText(name).width;
        const left = point.x + 7 + width > chartArea.right ? point.x - 7 - width : point.x + 7;
        const box = { left, right: left + width, top: point.y - 6, bottom: point.y + 6 };
        if (placed.some((other) => overlaps(box, other))) return;
        placed.push(box);
        ctx.fillText(name, left, point.y);
      });
      ctx.restore();
    },
  };

  return { number, rate, times, plural, duration, element, plainTable, plugins: [whiskers, names] };
})();
