"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);

  // Specifications are made by Altair; here they only get their element. With `ast` no expression becomes code.
  const options = { actions: false, renderer: "svg", ast: true, defaultStyle: false };
  const embed = (id) => window.vegaEmbed("#" + id, data.specs[id], options);

  const explanation = data.explanation;
  const written = (value) =>
    value === null ? "" : Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));

  function contributionRows(sample) {
    const own = explanation.classes.indexOf(sample.label);
    const shown = [...new Set([sample.order[0], sample.order[1], own])].filter((j) => j in sample.parts);
    return shown.flatMap((j, at) =>
      sample.parts[j].map(([feature, value, centroid, contribution], rank) => ({
        key: at + explanation.features[feature],
        order: 1000 * at + rank,
        role: `${data.roles[at]}: ${explanation.classes[j]}`,
        class: explanation.classes[j],
        feature: explanation.features[feature],
        value,
        centroid,
        contribution,
      })),
    );
  }

  function fillTable(rows) {
    const body = document.querySelector("#contributions tbody");
    body.replaceChildren(
      ...rows.map((row) => {
        const line = document.createElement("tr");
        for (const text of [row.class, row.feature, written(row.value), written(row.centroid), written(row.contribution)]) {
          const cell = line.insertCell();
          cell.textContent = text;
          if (line.cells.length > 2) cell.className = "number";
        }
        return line;
      }),
    );
  }

  function verdict(sample) {
    const [first, second] = sample.order.map((j) => `“${explanation.classes[j]}” (distance ${written(sample.distances[j])})`);
    const right = explanation.classes[sample.order[0]] === sample.label;
    const end = right ? "and so it is labelled" : `but it is labelled “${sample.label}”`;
    return `“${sample.id}” is nearest to ${first}, ${end}; the next nearest is ${second}.`;
  }

  const distanceRows = (sample) =>
    explanation.classes.map((name, j) => ({
      class: name,
      distance: sample.distances[j],
      nearest: j === sample.order[0],
    }));

  const charts = { "chart-distances": distanceRows, "chart-contributions": contributionRows };
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
