// Server-sent events of an answer to a POST, which `EventSource` cannot send.

/** Asks, and calls `handlers[name]` with the data of each event, until the answer or `signal` ends. */
export async function listen(path, body, handlers, signal) {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream" };
  let answer;
  try {
    answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is `tiletune serve` still running?");
  }
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? `The server answered ${answer.status}.`);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const fields = Object.fromEntries(part.split("\n").map((line) => line.split(/: ?(.*)/s, 2)));
      if (fields.event === "failed") throw new Error(JSON.parse(fields.data).error);
      if (fields.event) handlers[fields.event]?.(JSON.parse(fields.data));
    }
  }
}
