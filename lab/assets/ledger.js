// The requests of a run as seen on the wire.

import { byId, el, memo } from "./dom.js";
import { table } from "./table.js";

/** The most requests to list; the counts include all. */
const MOST = 200;

export function ledgerPanel() {
  return memo((run) => {
    const sides = run?.sides.filter((side) => side.wire) ?? [];
    byId("ledger").hidden = sides.length === 0;
    byId("ledgers").replaceChildren(...sides.flatMap(({ client, wire, view }) => {
      const { columns, rows } = view.requests;
      const who = run.sides.length > 1 ? `${client}: ` : "";
      const more = rows.length > MOST ? `, of which ${MOST} are listed` : "";
      return [
        el("p", { class: "terms" }, `${who}the service saw ${wire.total} request${wire.total === 1 ? "" : "s"}${more}`),
        ...view.facts.map((fact) => el("p", { class: "terms" }, fact)),
        table(`${who}requests in the order they arrived`, columns, rows.slice(0, MOST)),
      ];
    }));
  });
}
