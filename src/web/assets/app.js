// The shell: shows the page that the part of the address after # names. A page is a module of the folder `pages`
// whose `mount(place, params, link)` fills an element and returns a function that ends the page. A page can still wait for
// an answer when the next one is shown. So each has an element of its own, and `link`, which puts what it shows into the
// address, does nothing as soon as another page is wanted.

import { element } from "./dom.js";
import { keepKeys } from "./keys.js";

const PAGES = {
  play: { title: "Play", load: () => import("./pages/play.js") },
  ask: { title: "Ask", load: () => import("./pages/ask.js") },
  lab: { title: "Lab", load: () => import("./pages/lab.js") },
  losses: { title: "Losses", load: () => import("./pages/losses.js") },
  game: { title: "Recorded game", load: () => import("./pages/game.js") },
  runs: { title: "Runs", load: () => import("./pages/runs.js") },
  run: { title: "Run", load: () => import("./pages/run.js") },
  new: { title: "New campaign", load: () => import("./pages/new.js") },
  pruned: { title: "Which terms can go", load: () => import("./pages/pruned.js") },
};

/** Pages without a link of their own in the bar, and the page that they belong to. */
const UNDER = { run: "runs", new: "runs", game: "runs", pruned: "runs", losses: "lab" };

/** The page of an address such as `#/runs/mine?chart=fitness`, with its parameters. */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const params = Object.fromEntries(new URLSearchParams(query));
  const [name, ...rest] = path.split("/");
  if (name === "runs" && rest.length > 0) {
    return { page: "run", params: { ...params, name: rest.map(decodeURIComponent).join("/") } };
  }
  if (name === "pruned") return { page: "pruned", params: { name: rest.map(decodeURIComponent).join("/") } };
  return { page: Object.hasOwn(PAGES, name) ? name : "play", params };
}

let unmount = () => {};
let shown = 0;
/** The address as it was last read or written here. It differs from then on until the event of a change is handled. */
let known = null;

/** A new element in the place of the page before. */
function emptied() {
  const before = document.getElementById("main");
  const main = before.cloneNode(false);
  const hasFocus = document.activeElement === before;
  before.replaceWith(main);
  if (hasFocus) main.focus();
  return main;
}

async function show() {
  const turn = ++shown;
  known = location.hash;
  let wanted;
  try {
    wanted = parse(known);
  } catch {
    wanted = { page: "play", params: {} };
  }
  const { page, params } = wanted;
  const { title, load } = PAGES[page];
  for (const link of document.querySelectorAll("nav a")) {
    const isCurrent = link.dataset.page === (UNDER[page] ?? page);
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${title} – tiletune`;
  const link = (address) => {
    if (turn !== shown || location.hash !== known) return;
    try {
      history.replaceState(null, "", address);
      known = location.hash;
    } catch {
      // A browser refuses addresses that change too fast; the next one follows.
    }
  };
  try {
    const module = await load();
    if (turn !== shown) return;
    unmount();
    unmount = () => {};
    const ended = await module.mount(emptied(), params, link);
    if (turn !== shown) ended?.();
    else unmount = ended ?? (() => {});
  } catch (error) {
    if (turn !== shown) return;
    unmount();
    unmount = () => {};
    emptied().append(element("p", { class: "notice bad", role: "alert" }, String(error.message ?? error)));
  }
}

// The token of the address is kept as a cookie; it need not be seen any longer.
if (new URLSearchParams(location.search).has("token")) {
  history.replaceState(null, "", location.pathname + location.hash);
}
// The part of the address after # is the page, so this link cannot be a plain one.
document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
keepKeys();
addEventListener("hashchange", show);
show();
