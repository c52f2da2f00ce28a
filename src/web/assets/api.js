// Requests to the server. Errors have messages that can be shown.

/** The answer to a request as JSON. `signal` ends the request, and with it the search for it. */
export async function ask(path, body, signal) {
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
  if (!answer.ok) throw new Error(contents?.error ?? `The server answered ${answer.status}.`);
  return contents;
}

/** Whether an error says only that its request was ended. */
export const isAborted = (error) => error?.name === "AbortError";
