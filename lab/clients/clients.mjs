// JavaScript clients: `node clients.mjs got` does one task with got.
//
// A library that has retries has them enabled, as its documentation shows. All other
// settings are the defaults. Each function gets the URL, and for a POST the body as JSON. It
// returns the status, a function that reads a header, and the body as text.

const JSON_TYPE = { "Content-Type": "application/json" };

const post = (body) => (body ? { method: "POST", headers: JSON_TYPE, body } : {});

const ofFetch = async (response) => [
  response.status,
  (name) => response.headers.get(name),
  await response.text(),
];

const CLIENTS = {
  fetch: async (url, body) => ofFetch(await fetch(url, post(body))),

  async "undici-fetch"(url, body) {
    const { Agent, fetch, interceptors } = await import("undici");
    const dispatcher = new Agent().compose(interceptors.retry());
    return ofFetch(await fetch(url, { dispatcher, ...post(body) }));
  },

  async "undici-agent"(url, body) {
    const { Agent, RetryAgent, request } = await import("undici");
    const dispatcher = new RetryAgent(new Agent());
    try {
      const { statusCode, headers, body: read } = await request(url, {
        dispatcher,
        ...post(body),
      });
      return [statusCode, (name) => headers[name], await read.text()];
    } catch (error) {
      if (!error.statusCode) throw error;
      return [error.statusCode, (name) => error.headers?.[name], ""];
    }
  },

  async "node-fetch"(url, body) {
    const { default: fetch } = await import("node-fetch");
    return ofFetch(await fetch(url, post(body)));
  },

  async "fetch-retry"(url, body) {
    const { default: retrying } = await import("fetch-retry");
    return ofFetch(await retrying(fetch)(url, { retryOn: [429, 503, 504], ...post(body) }));
  },

  async "make-fetch-happen"(url, body) {
    const { default: fetch } = await import("make-fetch-happen");
    return ofFetch(await fetch(url, { retry: 3, ...post(body) }));
  },

  async axios(url, body, prepare = () => {}) {
    const { default: axios } = await import("axios");
    await prepare(axios);
    const { status, headers, data } = await axios({
      url,
      method: body ? "POST" : "GET",
      headers: body ? JSON_TYPE : {},
      data: body,
    }).catch((error) => {
      if (!error.response) throw error;
      return error.response;
    });
    return [status, (name) => headers[name], JSON.stringify(data)];
  },

  "axios-retry": (url, body) =>
    CLIENTS.axios(url, body, async (axios) => {
      const { default: axiosRetry } = await import("axios-retry");
      axiosRetry(axios, { retries: 3, retryDelay: axiosRetry.exponentialDelay });
    }),

  async got(url, body) {
    const { default: got, HTTPError } = await import("got");
    const { statusCode, headers, body: text } = await got(url, post(body)).catch((error) => {
      if (!(error instanceof HTTPError)) throw error;
      return error.response;
    });
    return [statusCode, (name) => headers[name], text];
  },

  async ky(url, body) {
    const { default: ky, HTTPError } = await import("ky");
    const response = await ky(url, post(body)).catch((error) => {
      if (!(error instanceof HTTPError)) throw error;
      return error.response;
    });
    // ky has read the body of an error.
    if (response.bodyUsed) return [response.status, (name) => response.headers.get(name), ""];
    return ofFetch(response);
  },

  async ofetch(url, body) {
    const { ofetch } = await import("ofetch");
    const response = await ofetch.raw(url, { responseType: "text", ...post(body) }).catch((error) => {
      if (!error.response) throw error;
      return error.response;
    });
    return [response.status, (name) => response.headers.get(name), response._data];
  },

  async superagent(url, body) {
    const { default: superagent } = await import("superagent");
    const request = body ? superagent.post(url).set(JSON_TYPE).send(body) : superagent.get(url);
    const { status, headers, text } = await request.retry(3).catch((error) => {
      if (!error.response) throw error;
      return error.response;
    });
    return [status, (name) => headers[name], text];
  },

  async needle(url, body) {
    const { default: needle } = await import("needle");
    const { statusCode, headers, raw } = body
      ? await needle("post", url, body, { headers: JSON_TYPE })
      : await needle("get", url);
    return [statusCode, (name) => headers[name], raw.toString()];
  },
};

async function result({ LAB_TASK: task, LAB_URL: url }, client) {
  const body = task === "post-once" ? JSON.stringify({ task: "resize" }) : undefined;
  try {
    const [status, header, text] = await client(url, body);
    if (status === 200) return JSON.parse(text);
    if (status < 400) return { status };
    const seconds = header("retry-after") ?? "";
    const retry_after = /^\d+$/.test(seconds) ? Number(seconds) : null;
    return { error: "refused", status, retry_after };
  } catch (error) {
    return { error: String(error.cause ?? error) };
  }
}

const printed = await result(process.env, CLIENTS[process.argv[2]]);
console.log(JSON.stringify(printed));
process.exitCode = "error" in printed ? 1 : 0;
