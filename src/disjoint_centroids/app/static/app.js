"use strict";
(() => {
  const token = document.querySelector("meta[name=token]").content;

  // Files go up as they are, piece by piece; the server answers with the page to go to.
  async function put(address, file, say) {
    say(`Reading ${file.name} …`);
    const answer = await fetch(address, {
      method: "PUT",
      body: file,
      headers: { "X-NDC-Token": token, "X-File-Name": encodeURIComponent(file.name), "Content-Type": "application/octet-stream" },
    }).catch(() => null);
    if (answer === null) {
      say("The app does not answer, or refused the file as too large. Is `ndc app` still running?", true);
      return;
    }
    const found = await answer.json().catch(() => ({ error: "The app gave no answer that can be read." }));
    if (!answer.ok) {
      say(found.error, true);
      return;
    }
    const next = new URL(found.location, location.href);
    const here = next.pathname === location.pathname;
    location.assign(next);
    if (here && next.hash) location.reload(); // a place on the same page would only be scrolled to
  }

  for (const zone of document.querySelectorAll("[data-drop]")) {
    const status = zone.querySelector(".upload");
    const say = (text, wrong = false) => {
      status.textContent = text;
      status.classList.toggle("wrong", wrong);
    };
    const take = (files) => {
      if (files.length > 1) say("One file at a time, please.", true);
      else if (files.length === 1) put(zone.dataset.drop, files[0], say);
    };
    const input = zone.querySelector("input[type=file]");
    input.addEventListener("change", () => take(input.files));
    zone.addEventListener("dragover", (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      zone.classList.remove("over");
      take(event.dataTransfer.files);
    });
  }
  // A file that misses its place must not replace the page.
  for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault());

  // Parts that take a moment come after the page.
  for (const place of document.querySelectorAll("[data-fill]")) {
    fetch(place.dataset.fill)
      .then((answer) => (answer.ok ? answer.text() : ""))
      .then((html) => {
        place.innerHTML = html;
      })
      .catch(() => {});
  }

  for (const input of document.querySelectorAll("input[data-put]")) {
    const note = document.createElement("p");
    note.className = "upload";
    note.setAttribute("role", "status");
    input.closest("label").after(note);
    input.addEventListener("change", () => {
      if (input.files.length) {
        put(input.dataset.put, input.files[0], (text, wrong = false) => {
          note.textContent = text;
          note.classList.toggle("wrong", wrong);
        });
      }
    });
  }

  for (const form of document.querySelectorAll("form[data-submit-on-change]")) {
    form.addEventListener("change", (event) => {
      sessionStorage.setItem("chosen", event.target.id);
      form.requestSubmit();
    });
  }
  // The page comes anew after a choice; whoever chose by the keyboard goes on where they were.
  document.getElementById(sessionStorage.getItem("chosen") ?? "")?.focus();
  sessionStorage.removeItem("chosen");

  // Tables that are wider than the page say so; those of a report have a script of their own.
  for (const box of document.getElementById("report-data") ? [] : document.querySelectorAll(".wide")) {
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = "Wider than the page: scroll sideways to see all of it \u2192";
    box.before(hint);
    const mark = () => {
      hint.hidden = box.scrollWidth <= box.clientWidth + 1;
    };
    new ResizeObserver(mark).observe(box);
    mark();
  }
  for (const button of document.querySelectorAll("button[data-confirm]")) {
    button.addEventListener("click", (event) => {
      if (!window.confirm(button.dataset.confirm)) event.preventDefault();
    });
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy).textContent;
      await navigator.clipboard.writeText(text).catch(() => selectText(button.dataset.copy));
      button.textContent = "Copied";
    });
  }

  function selectText(id) {
    const range = document.createRange();
    range.selectNodeContents(document.getElementById(id));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
  }

  // The command follows the form.
  const fit = document.getElementById("fit-form");
  if (fit) {
    const method = document.getElementById("method");
    const show = () => {
      for (const part of document.querySelectorAll(".panel-only")) part.hidden = method.value !== "panel";
    };
    show();
    let last = 0;
    fit.addEventListener("change", async (event) => {
      if (event.target.type === "file") return; // goes its own way; this form does not know of it yet
      show();
      const mine = ++last;
      const answer = await fetch(fit.dataset.command, { method: "POST", body: new URLSearchParams(new FormData(fit)) }).catch(() => null);
      if (answer === null || !answer.ok || mine !== last) return;
      const found = await answer.json();
      document.getElementById("command-text").textContent = found.commands.join("\n");
      const list = document.getElementById("list-command");
      if (list) list.textContent = found.list_command;
      const problem = document.getElementById("form-problem");
      problem.textContent = found.error;
      problem.hidden = !found.error;
    });
    fit.addEventListener("submit", () => {
      document.getElementById("fit").disabled = true;
    });
    window.addEventListener("pageshow", () => {
      document.getElementById("fit").disabled = false;
    });
  }

  // Progress.
  const running = document.getElementById("running");
  if (running) {
    const source = new EventSource(running.dataset.events);
    source.addEventListener("message", (event) => {
      const told = JSON.parse(event.data);
      if (["done", "failed", "cancelled"].includes(told.state)) {
        source.close();
        location.reload();
        return;
      }
      document.getElementById("stage").textContent = told.state === "waiting" ? "Waiting for its turn" : told.stage;
      const bar = document.getElementById("bar");
      bar.value = Math.max(bar.value, told.share);
      document.getElementById("left").textContent = left(told);
    });
    source.addEventListener("error", () => {
      document.getElementById("left").textContent = "The app does not answer at the moment. Is `ndc app` still running?";
    });
  }

  function left(told) {
    const share = `${Math.round(100 * told.share)}\u00a0%`;
    if (told.left === null || told.left === undefined) return `${share}, working …`;
    const seconds = Math.ceil(told.left);
    const words = seconds < 60 ? `${seconds} s` : seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
    return `${share}, about ${words} left`;
  }

  document.documentElement.dataset.loaded = "yes";
})();
