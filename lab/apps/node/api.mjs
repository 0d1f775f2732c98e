// The API of a small shop: `node api.mjs 9000` serves it on 127.0.0.1.

import { createServer } from "node:http";

const orders = new Map([["1", { id: "1", item: "lamp" }]]);

function answer(response, status, value) {
  response.writeHead(status, { "Content-Type": "application/json" });
  response.end(JSON.stringify(value));
}

const server = createServer(async (request, response) => {
  const [, , , id] = request.url.split("/");
  if (request.url === "/v1/orders" && request.method === "GET") {
    return answer(response, 200, [...orders.values()]);
  }
  if (request.url === "/v1/orders" && request.method === "POST") {
    let body = "";
    for await (const part of request) body += part;
    const order = { id: String(orders.size + 1), ...JSON.parse(body) };
    orders.set(order.id, order);
    return answer(response, 201, order);
  }
  const order = orders.get(id);
  return order ? answer(response, 200, order) : answer(response, 404, { error: "no such order" });
});

server.listen(Number(process.argv[2]), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
