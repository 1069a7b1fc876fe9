"use strict";
// Figures of an answer can be saved: charts as SVG, pictures as PNG.
(() => {
  const button = (text) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "quiet save";
    made.textContent = text;
    return made;
  };

  function save(blob, name) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // Colours of charts are names of the page's; a file of its own has the colours themselves, on white.
  function standalone(svg) {
    const probe = document.createElement("div");
    probe.className = "light-colours";
    document.body.append(probe);
    const style = getComputedStyle(probe);
    const coloured = svg.replace(/var\(--([\w-]+)\)/g, (_, name) => style.getPropertyValue(`--${name}`).trim());
    probe.remove();
    return coloured.replace(/(<svg[^>]*>)/, '$1<rect width="100%" height="100%" fill="#fff"/>');
  }

  async function addButtons() {
    for (const [id, embedded] of Object.entries(window.reportViews)) {
      const { view } = await embedded;
      const made = button("Save as SVG");
      made.setAttribute("aria-label", `Save the figure ${id.replace("chart-", "")} as SVG`);
      made.addEventListener("click", async () => {
        save(new Blob([standalone(await view.toSVG())], { type: "image/svg+xml" }), `${id.replace("chart-", "")}.svg`);
      });
      const chart = document.getElementById(id);
      (chart.closest(".wide") ?? chart).after(made);
    }
    for (const picture of document.querySelectorAll("figure img[src^='data:image/png']")) {
      const figure = picture.closest("figure");
      const name = (figure.getAttribute("aria-label") || "figure").toLowerCase().replace(/[^a-z]+/g, "-");
      const made = button("Save as PNG");
      made.setAttribute("aria-label", `Save the figure ${name} as PNG`);
      made.addEventListener("click", () => {
        const bytes = Uint8Array.from(atob(picture.src.split(",")[1]), (letter) => letter.charCodeAt(0));
        save(new Blob([bytes], { type: "image/png" }), `${name}.png`);
      });
      figure.after(made);
    }
    document.documentElement.dataset.saveable = "yes";
  }

  const ready = () => document.documentElement.dataset.ready === "yes";
  if (ready()) addButtons();
  else {
    new MutationObserver((_, observer) => {
      if (!ready()) return;
      observer.disconnect();
      addButtons();
    }).observe(document.documentElement, { attributes: true, attributeFilter: ["data-ready"] });
  }
})();
