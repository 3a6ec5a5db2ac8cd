/** The batches: which are at work, and one with each of its tasks. */
import type { BatchPage } from '../../client/http/shapes.js';
import { Link } from '../parts/link.js';
import { ActionButton } from '../parts/message-form.js';
import { Line } from '../parts/text.js';
import { Age } from '../parts/time.js';
import { useLive } from '../state/use-live.js';

export function Batches() {
  const list = useLive('batches', ({ batches }) => batches);
  if (list === null) return <p class="quiet">Looking for batches…</p>;
  return (
    <>
      <h1>Batches</h1>
      {list.batches.length === 0 ? (
        <p class="quiet">
          No batches yet. Start one with <code>sluice batch tasks.jsonl</code>.
        </p>
      ) : null}
      <ul class="rows">
        {list.batches.map(({ workflowId, name, isOpen, startedAt, closedAt }) => (
          <li key={workflowId} class="row short">
            <span class="state">{isOpen ? 'works' : 'done'}</span>
            <Link to={`/batches/${encodeURIComponent(workflowId)}`}>
              <Line text={name} />
            </Link>
            <span class="number">
              <Age since={closedAt ?? startedAt} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

export function Batch({ id }: { readonly id: string }) {
  const told = useLive(`batch:${id}`, ({ batch }) => batch.get(id) ?? null);
  if (told === null) return <p class="quiet">Looking…</p>;
  const { page, why } = told;
  return (
    <>
      <h1>
        Batch <Line text={id.replace(/^batch:/, '')} />
      </h1>
      {why === null ? null : (
        <p class="warning">
          It does not answer: <Line text={why} />
          {page === null ? '.' : '; this is what it was before.'}
        </p>
      )}
      {page === null ? null : <Tasks id={id} page={page} />}
    </>
  );
}

function Tasks({ id, page }: { readonly id: string; readonly page: BatchPage }) {
  const isOpen = page.rows.some(({ state }) => state === 'waiting' || state === 'running');
  return (
    <>
      <p>{countsOf(page)}</p>
      <ul class="rows">
        {page.rows.map((row) => (
          <TaskRow key={row.runId} row={row} />
        ))}
      </ul>
      {isOpen && !page.aborted ? (
        <ActionButton
          path={`/api/batches/${encodeURIComponent(id)}/abort`}
          asks="Abort this batch? Its open runs are aborted; what is done stays."
        >
          Abort the batch
        </ActionButton>
      ) : null}
    </>
  );
}

function TaskRow({ row }: { readonly row: BatchPage['rows'][number] }) {
  const isStarted = row.state !== 'waiting' && row.state !== 'not_started' && row.state !== 'refused';
  return (
    <li class="row short">
      <span class={`state ${row.outcome ?? row.state}`}>{(row.outcome ?? row.state).replaceAll('_', ' ')}</span>
      <span class="title">
        {isStarted ? (
          <Link to={`/runs/${row.runId}`}>
            <Line text={row.title} />
          </Link>
        ) : (
          <Line text={row.title} />
        )}
        {row.error === null ? null : (
          <span class="bad">
            <Line text={row.error} />
          </span>
        )}
      </span>
      <span class="quiet">
        <Line text={row.branch ?? ''} />
      </span>
    </li>
  );
}

/** `3 of 5 done, 1 at work; aborted`. */
function countsOf({ rows, aborted }: BatchPage): string {
  const count = (...states: readonly string[]) => rows.filter(({ state }) => states.includes(state)).length;
  const done = rows.length - count('waiting', 'running');
  return `${done} of ${rows.length} done, ${count('running')} at work${aborted ? '; aborted' : ''}`;
}
