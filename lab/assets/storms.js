// The part of the API that only Storm uses.

import { answered, ask, get, posting, read } from "./api.js";

/** The stories of storms, and the sliders that vary them. */
export const stories = () => get("/api/storms");

/** Simulates a storm, and yields its events, each as `[kind, data]`. The storm ends when
    the reader stops reading. */
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

/** Cancels a storm; its events report when it has ended. */
export const cancel = (id) => ask(`/api/storms/${encodeURIComponent(id)}`, { method: "DELETE" });

/** The address of a storm's report. */
export const reportPath = (id) => `/api/storms/${encodeURIComponent(id)}/report`;
