// Requests to the server. Errors have messages that can be shown.

/** Milliseconds until a request is repeated whose answer needs a computation that takes long. */
const AGAIN = 1000;

/** What the server computes for each request that waits. */
const waiting = new Map();

/** Shows what the server computes before it can answer; nothing if no request waits. */
function tell() {
  const status = document.getElementById("preparing");
  status.textContent = [...waiting.values()].at(-1) ?? "";
  status.classList.toggle("hidden", waiting.size === 0);
}

function pause(signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(new DOMException("ended", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, AGAIN);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

/** The signal of requests of which only the newest counts: each ends the one before. */
export class Newest {
  #controller = new AbortController();

  get signal() {
    return this.#controller.signal;
  }

  /** The signal of another request. */
  next() {
    this.end();
    this.#controller = new AbortController();
    return this.signal;
  }

  /** Ends the last request. */
  end() {
    this.#controller.abort();
  }
}

/** An action that does nothing while its last call is at work: a double click is one. */
export function single(action) {
  let isBusy = false;
  return async (...given) => {
    if (isBusy) return null;
    isBusy = true;
    try {
      return await action(...given);
    } finally {
      isBusy = false;
    }
  };
}

/** The answer to a request as JSON. `signal` ends the request, and with it the search for it. A request that needs what the
 * server is still computing, such as the solution of a board, waits for it. */
export async function ask(path, body, signal) {
  const request = Symbol(path);
  try {
    for (;;) {
      const { answer, contents } = await asked(path, body, signal);
      if (answer.ok) return contents;
      if (!contents?.preparing) throw new Error(contents?.error ?? `The server answered ${answer.status}.`);
      waiting.set(request, contents.error);
      tell();
      await pause(signal);
    }
  } finally {
    if (waiting.delete(request)) tell();
  }
}

async function asked(path, body, signal) {
  const options = { signal, headers: { Accept: "application/json" } };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is `tiletune serve` still running?");
  }
  let contents;
  try {
    contents = await answer.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(`The server answered ${answer.status} without an explanation.`);
  }
  return { answer, contents };
}

/** Whether an error says only that its request was ended. */
export const isAborted = (error) => error?.name === "AbortError";
