/** What there is to see and to do just now: which runs wait for somebody, which work, what came out. */
import type { RunRow } from '../../client/http/shapes.js';
import { dollars } from '../parts/amount.js';
import { Link } from '../parts/link.js';
import { Line } from '../parts/text.js';
import { Age } from '../parts/time.js';
import { useStore } from '../state/store.js';
import { live } from '../state/stream.js';

const GROUPS: readonly { readonly group: RunRow['group']; readonly title: string; readonly none: string | null }[] = [
  { group: 'yours', title: 'Needs you', none: 'Nothing waits for you.' },
  { group: 'working', title: 'Working', none: null },
  { group: 'queued', title: 'Queued', none: null },
  { group: 'ready', title: 'Ready to land', none: null },
  { group: 'done', title: 'Done', none: null },
];

/** Of what is done; more are in `sluice list --all`. */
const SHOWN_DONE = 100;

export function Now() {
  const rows = useStore(live, (value) => value.rows);
  if (rows === null) return <p class="quiet">Looking for runs…</p>;
  const all = [...rows.values()].toSorted((a, b) => b.startedAt.localeCompare(a.startedAt));
  return (
    <>
      <h1>Now</h1>
      {all.length === 0 ? (
        <p class="quiet">
          No runs yet. Start one with <code>sluice run "&lt;task&gt;"</code>.
        </p>
      ) : (
        GROUPS.map(({ group, title, none }) => (
          <Group
            key={group}
            title={title}
            none={none}
            rows={all.filter((row) => row.group === group)}
            most={group === 'done' ? SHOWN_DONE : Number.POSITIVE_INFINITY}
          />
        ))
      )}
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly none: string | null;
  readonly rows: readonly RunRow[];
  /** How many are shown. */
  readonly most: number;
}

function Group({ title, none, rows, most }: GroupProps) {
  if (rows.length === 0) return none === null ? null : <p class="quiet">{none}</p>;
  const shown = rows.slice(0, most);
  return (
    <section>
      <h2>
        {title} <span class="count">{rows.length}</span>
      </h2>
      <ul class="rows">
        {shown.map((row) => (
          <Row key={row.runId} row={row} />
        ))}
      </ul>
      {rows.length > shown.length ? <p class="quiet">{rows.length - shown.length} more: sluice list --all</p> : null}
    </section>
  );
}

function Row({ row }: { readonly row: RunRow }) {
  return (
    <li class={`row ${row.group}`}>
      <span class={`state ${row.state.replace(' ', '-')}`}>{row.state}</span>
      <span class="title">
        <Link to={`/runs/${row.runId}`}>
          <Line text={row.title ?? row.runId} />
        </Link>
        <span class="quiet">
          <Line text={row.runId} />
        </span>
      </span>
      <span class="where">
        <Line text={row.retrying === null ? row.where : `tried again: ${row.retrying}`} />
      </span>
      <span class="number">{row.costMicroUsd === null ? '' : dollars(row.costMicroUsd)}</span>
      <span class="number">
        <Age since={row.since} />
      </span>
    </li>
  );
}
