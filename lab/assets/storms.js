// The part of the API that only Storm needs.

import { answered, ask, get, posting, read } from "./api.js";

/** The stories of storms, and the sliders that vary them. */
export const stories = () => get("/api/storms");

/** Simulates a storm: its news, each as `[kind, data]`, while they come. Whoever stops
    reading ends it. */
export async function* simulate(order) {
  const response = await answered("/api/storms", posting(order));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        const [, kind, data] = event.match(/^event: (.*)\ndata: (.*)$/);
        yield [kind, read(data)];
      }
    }
  } finally {
    reader.cancel();
  }
}

/** Cancels a storm; that it has ended, its news tell. */
export const cancel = (id) => ask(`/api/storms/${encodeURIComponent(id)}`, { method: "DELETE" });

/** Where the report of a storm is. */
export const reportPath = (id) => `/api/storms/${encodeURIComponent(id)}/report`;
