"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);

  // Specifications are made by Altair; here they only get their element. With `ast` no expression becomes code.
  const options = { actions: false, renderer: "svg", ast: true, defaultStyle: false };
  const embed = (id) => window.vegaEmbed("#" + id, data.specs[id], options);

  const explanation = data.explanation;
  const byScore = explanation.kind === "score";
  const written = (value) =>
    value === null ? "" : Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));

  function contributionRows(sample) {
    const own = explanation.classes.indexOf(sample.label);
    const shown = [...new Set([sample.order[0], sample.order[1], own])].filter((j) => j in sample.parts);
    return shown.flatMap((j, at) => {
      const rows = sample.parts[j].map(([feature, value, centroid, contribution, elsewhere]) => ({
        feature: explanation.features[feature],
        value,
        centroid,
        elsewhere,
        contribution,
        key: `${at}f${explanation.features[feature]}`,
      }));
      return [...rows, ...remainder(sample, j, rows)].map((row, rank) => ({
        key: `${at}r${row.feature}`,
        ...row,
        order: 1000 * at + rank,
        role: `${data.roles[at]}: ${explanation.classes[j]}`,
        class: explanation.classes[j],
      }));
    });
  }

  // What is left of a score beside the features that are shown, so that all of it adds up.
  function remainder(sample, j, rows) {
    if (!byScore) return [];
    const start = explanation.starts[j];
    const others = explanation.counts[j] - rows.length;
    const left = rows.reduce((sum, row) => sum - row.contribution, sample.totals[j] - start);
    const row = (feature, contribution) => ({ feature, value: null, centroid: null, elsewhere: null, contribution });
    return [
      ...(others ? [row(`(${others} other feature${others === 1 ? "" : "s"})`, Number(left.toPrecision(3)))] : []),
      ...(Math.abs(start) > 1e-9 ? [row("(start)", start)] : []),
    ];
  }

  function fillTable(rows) {
    const body = document.querySelector("#contributions tbody");
    body.replaceChildren(
      ...rows.map((row) => {
        const line = document.createElement("tr");
        const means = byScore ? [written(row.centroid), written(row.elsewhere)] : [written(row.centroid)];
        for (const text of [row.class, row.feature, written(row.value), ...means, written(row.contribution)]) {
          const cell = line.insertCell();
          cell.textContent = text;
          if (line.cells.length > 2) cell.className = "number";
        }
        return line;
      }),
    );
  }

  function verdict(sample) {
    const [first, second] = sample.order.slice(0, 2).map((j, at) => {
      const likely = byScore ? `, probability ${(100 * sample.likely[at]).toFixed(1)}\u00a0%` : "";
      return `“${explanation.classes[j]}” (${explanation.kind} ${written(sample.totals[j])}${likely})`;
    });
    const right = explanation.classes[sample.order[0]] === sample.label;
    const end = right ? "and so it is labelled" : `but it is labelled “${sample.label}”`;
    return `“${sample.id}” goes to ${first}, ${end}; the second choice is ${second}.`;
  }

  const totalRows = (sample) =>
    explanation.classes.map((name, j) => ({
      class: name,
      total: sample.totals[j],
      first: j === sample.order[0],
      rank: sample.order.indexOf(j),
    }));

  const charts = { "chart-totals": totalRows, "chart-contributions": contributionRows };
  const chooser = document.getElementById("sample");
  const chosen = () => explanation.samples[Number(chooser.value)];

  function tell(sample) {
    document.getElementById("verdict").textContent = verdict(sample);
    fillTable(contributionRows(sample));
  }

  async function redraw(sample) {
    for (const [id, rows] of Object.entries(charts)) {
      const { view } = await views[id];
      const drawn = rows(sample);
      await view.data("rows", drawn).height(data.row_height * drawn.length).resize().runAsync();
    }
  }

  // A chart without any row has no scale: the first sample's are there from the start.
  for (const [id, rows] of Object.entries(charts)) {
    const drawn = rows(chosen());
    data.specs[id].datasets = { rows: drawn };
    data.specs[id].height = data.row_height * drawn.length;
  }
  tell(chosen());
  const views = Object.fromEntries(Object.keys(data.specs).map((id) => [id, embed(id)]));
  chooser.addEventListener("change", () => {
    tell(chosen());
    redraw(chosen());
  });

  async function ownerTable() {
    const code = JSON.parse(document.getElementById("table-code").textContent);
    const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const { default: DataTable } = await import(address);
    URL.revokeObjectURL(address);
    // With a byte order mark spreadsheets read names that are not English; a footer would be an empty line.
    const download = { extend: "csv", text: "Download CSV", filename: "features", title: null, footer: false, bom: true };
    new DataTable("#owner-table", {
      order: [],
      pageLength: 15,
      lengthMenu: [15, 50, 200, { label: "all", value: -1 }],
      autoWidth: false,
      layout: {
        topStart: { buttons: [download] },
        topEnd: { search: { text: "Search _INPUT_" } },
        bottomStart: ["pageLength", "info"],
        bottomEnd: "paging",
      },
      language: { entries: { _: "features", 1: "feature" }, zeroRecords: "No such feature or class" },
    });
  }

  Promise.all([ownerTable(), ...Object.values(views)]).then(() => {
    document.documentElement.dataset.ready = "yes";
  });
})();
