"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);

  // Specifications are made by Altair; here they only get their element. With `ast` no expression becomes code.
  const tooltip = { disableDefaultStyle: true }; // a style element of its own would need a laxer policy in the app
  const options = { actions: false, renderer: "svg", ast: true, defaultStyle: false, tooltip };
  const embed = (id) => window.vegaEmbed("#" + id, data.specs[id], options);

  const here = (id) => document.getElementById(id) !== null; // the app shows the sections on several pages
  const explanation = data.explanation;
  const byScore = explanation.kind === "score";
  const written = (value) =>
    value === null ? "" : Math.abs(value) >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(4)));

  function contributionRows(sample) {
    const own = explanation.classes.indexOf(sample.label);
    const shown = [...new Set([sample.order[0], sample.order[1], own])].filter((j) => j in sample.parts);
    return shown.flatMap((j, at) => {
      const rows = sample.parts[j].map(([feature, value, centroid, contribution, elsewhere, owner]) => ({
        feature: explanation.features[feature],
        owner: byScore ? explanation.classes[owner] : null,
        kind: !byScore || owner === j ? "own" : "other",
        value,
        centroid,
        elsewhere,
        contribution,
        key: `${at}f${data.names.features[feature]}`,
      }));
      return [...rows, ...remainder(sample, j, rows)].map((row, rank) => ({
        key: `${at}r${row.feature}`,
        ...row,
        order: 1000 * at + rank,
        role: data.roles[at],
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
    const row = (feature, contribution) => ({ feature, owner: "", kind: "rest", value: null, centroid: null, elsewhere: null, contribution });
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
        const names = byScore ? [row.class, row.feature, row.owner] : [row.class, row.feature];
        const means = byScore ? [written(row.centroid), written(row.elsewhere)] : [written(row.centroid)];
        for (const text of [...names, written(row.value), ...means, written(row.contribution)]) {
          const cell = line.insertCell();
          cell.textContent = text;
          if (line.cells.length > names.length) cell.className = "number";
        }
        return line;
      }),
    );
  }

  function fillLegend(rows) {
    const classes = new Map(rows.map((row) => [row.role, row.class]));
    const lines = [...classes].map(([role, name]) => {
      const line = document.createElement("li");
      line.textContent = `${role}: ${name}`;
      return line;
    });
    document.getElementById("roles").replaceChildren(...lines);
  }

  function verdict(sample) {
    const [first, second] = sample.order.slice(0, 2).map((j, at) => {
      const likely = byScore ? `, probability ${(100 * sample.likely[at]).toFixed(1)}\u00a0%` : "";
      return `“${explanation.classes[j]}” (${explanation.kind} ${written(sample.totals[j])}${likely})`;
    });
    const right = explanation.classes[sample.order[0]] === sample.label;
    const end = right ? "which is its label" : `but its label is “${sample.label}”`;
    return `“${sample.id}” goes to ${first}, ${end}; the second choice is ${second}.${whenHeldOut(sample)}`;
  }

  // The model explained here has seen the sample; this is what models said that had not.
  function whenHeldOut(sample) {
    const found = data.held_out[sample.row];
    if (!found) return "";
    const [predicted, wrong, repeats] = found;
    if (!wrong) return ` Held out, it was ${repeats === 1 ? "" : "always "}predicted correctly.`;
    const times = repeats === 1 ? "it" : `in ${wrong} of ${repeats} repeats it`;
    const as = predicted === sample.label ? "" : `, ${repeats === 1 ? "" : "most often "}as “${predicted}”`;
    return ` Held out, ${times} was predicted wrongly${as}.`;
  }

  const totalRows = (sample) =>
    explanation.classes.map((name, j) => ({
      class: data.names.classes[j],
      name,
      total: sample.totals[j],
      first: j === sample.order[0],
      rank: sample.order.indexOf(j),
    }));

  const charts = { "chart-totals": totalRows, "chart-contributions": contributionRows };
  const chooser = document.getElementById("sample");
  const chosen = () => explanation.samples[Number(chooser.value)];
  const address = (sample) => `#sample-${encodeURIComponent(sample.id)}`;

  function tell(sample) {
    document.getElementById("verdict").textContent = verdict(sample);
    document.getElementById("sample-link").setAttribute("href", address(sample));
    const rows = contributionRows(sample);
    fillLegend(rows);
    fillTable(rows);
  }

  async function redraw(sample) {
    for (const [id, rows] of Object.entries(charts)) {
      const { view } = await views[id];
      const drawn = rows(sample);
      await view.data("rows", drawn).height(data.row_height * drawn.length).resize().runAsync();
    }
  }

  // The address #sample-NAME opens the explanation of that sample; whether there was one to open.
  function openAddressed() {
    const asked = location.hash.startsWith("#sample-") ? decoded(location.hash.slice("#sample-".length)) : null;
    const at = asked === null ? -1 : explanation.samples.findIndex((sample) => sample.id === asked);
    if (at < 0) return false;
    chooser.value = String(at);
    return true;
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return null; // a percent sign that encodes nothing
    }
  }

  const showExplanation = () => document.getElementById("explanation").scrollIntoView({ behavior: "instant" });

  const addressed = here("sample") && openAddressed();
  // A chart without any row has no scale: the first sample's are there from the start.
  for (const [id, rows] of Object.entries(here("sample") ? charts : {})) {
    const drawn = rows(chosen());
    data.specs[id].datasets = { rows: drawn };
    data.specs[id].height = data.row_height * drawn.length;
  }
  if (here("sample")) tell(chosen());
  const views = Object.fromEntries(Object.keys(data.specs).filter(here).map((id) => [id, embed(id)]));
  chooser?.addEventListener("change", () => {
    history.replaceState(null, "", address(chosen()));
    tell(chosen());
    redraw(chosen());
  });
  window.addEventListener("hashchange", () => {
    if (!here("sample") || !openAddressed()) return;
    tell(chosen());
    redraw(chosen());
    showExplanation();
  });

  const tables = [];
  const TABLE_BOXES = ".dt-layout-table > .dt-layout-cell";

  // A report is one file: the script of its tables stands in it as text.
  function ownTableCode() {
    const code = JSON.parse(document.getElementById("table-code").textContent);
    return URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  }

  async function searchableTables() {
    if (!here("owner-table") && !here("sample-table")) return;
    const { default: DataTable } = await import(data.table_code ?? ownTableCode());
    const make = (id, filename, language, columnDefs) => {
      // With a byte order mark spreadsheets read names that are not English; a footer would be an empty line.
      const download = { extend: "csv", text: "Download CSV", filename, title: null, footer: false, bom: true };
      const table = new DataTable(id, {
        order: [],
        pageLength: 15,
        lengthMenu: [15, 50, 200, { label: "all", value: -1 }],
        autoWidth: false,
        columnDefs,
        layout: {
          topStart: { buttons: [download] },
          topEnd: { search: { text: "Search _INPUT_" } },
          bottomStart: ["pageLength", "info"],
          bottomEnd: "paging",
        },
        language,
      });
      tables.push(table);
      return table;
    };
    if (here("owner-table")) make("#owner-table", "features", {
      entries: { _: "features", 1: "feature" },
      zeroRecords: "No such feature or class",
    }, [{ targets: [0, 1, 2], type: "string" }]); // names such as f0 would be taken for amounts of money
    if (document.getElementById("sample-table")) {
      const samples = make("#sample-table", "samples", {
        entries: { _: "samples", 1: "sample" },
        zeroRecords: "No such sample",
      }, [{ targets: [0, 1, 2], type: "string" }, { targets: 3, type: "num", className: "dt-left" }]);
      const only = document.getElementById("only-wrong");
      only.addEventListener("change", () => samples.column(3).search(only.checked ? "wrong" : "").draw());
    }
    for (const box of document.querySelectorAll(TABLE_BOXES)) {
      const name = box.querySelector("table").getAttribute("aria-label");
      for (const [key, value] of Object.entries({ tabindex: "0", role: "region", "aria-label": name })) {
        box.setAttribute(key, value);
      }
    }
  }

  // Wherever something is wider than its box, the box says so, and fades on the side where it goes on.
  function showScrolling(box) {
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = "Wider than the page: scroll sideways to see all columns \u2192";
    if (box.matches("figure")) hint.textContent = "Wider than the page: scroll sideways to see all of it \u2192";
    hint.hidden = true;
    (box.closest(".dt-layout-table") ?? box).before(hint); // a row of DataTables would put it beside the table
    const mark = () => {
      const left = box.scrollLeft > 1;
      const right = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
      box.classList.toggle("more-left", left);
      box.classList.toggle("more-right", right);
      hint.hidden = !(left || right);
    };
    box.addEventListener("scroll", mark, { passive: true });
    new ResizeObserver(mark).observe(box);
    for (const child of box.children) new ResizeObserver(mark).observe(child);
    mark();
  }

  // Paper has no scroll bars, pages of tables or closed parts: all is opened, and put back afterwards.
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const onPaper = window.matchMedia("print");
  let before = null;

  function openForPaper() {
    if (before) return;
    before = {
      closed: [...document.querySelectorAll("details:not([open])")],
      lengths: tables.map((table) => table.page.len()),
      pages: tables.map((table) => table.page()),
    };
    for (const part of before.closed) part.open = true;
    for (const table of tables) table.page.len(-1).draw(false);
    theme();
  }

  function closeAgain() {
    if (!before) return;
    for (const part of before.closed) part.open = false;
    tables.forEach((table, at) => table.page.len(before.lengths[at]).page(before.pages[at]).draw(false));
    before = null;
    theme();
  }

  // The table's own style asks for a class; everything else follows the media query.
  function theme() {
    document.documentElement.classList.toggle("dark", dark.matches && !onPaper.matches && !before);
  }

  theme();
  dark.addEventListener("change", theme);
  window.addEventListener("beforeprint", openForPaper);
  window.addEventListener("afterprint", closeAgain);
  onPaper.addEventListener("change", () => (onPaper.matches ? openForPaper() : closeAgain()));

  Promise.all([searchableTables(), ...Object.values(views)]).then(() => {
    for (const box of document.querySelectorAll(`.wide, ${TABLE_BOXES}`)) showScrolling(box);
    if (onPaper.matches) openForPaper();
    if (addressed) showExplanation();
    window.reportViews = views; // the app lets its users download them
    document.documentElement.dataset.ready = "yes";
  });
})();
