/** Heads on their way to a base, and the merge queues that take them there. */
import type { LandingsPage } from '../../client/http/shapes.js';
import { Link } from '../parts/link.js';
import { ActionButton } from '../parts/message-form.js';
import { Line } from '../parts/text.js';
import { Age } from '../parts/time.js';
import { useLive } from '../state/use-live.js';

export function Landings() {
  const page = useLive('landings', ({ landings }) => landings);
  if (page === null) return <p class="quiet">Looking for landings…</p>;
  return (
    <>
      <h1>Landings</h1>
      {page.queues.map((queue) => (
        <Queue key={queue.workflowId} queue={queue} />
      ))}
      {page.landings.length === 0 ? (
        <p class="quiet">
          Nothing has landed yet. Land a run on its page, or with <code>sluice land &lt;run&gt;</code>.
        </p>
      ) : null}
      <ul class="rows">
        {page.landings.map((landing) => (
          <Landing key={landing.runId} landing={landing} />
        ))}
      </ul>
    </>
  );
}

function Queue({ queue: { workflowId, view } }: { readonly queue: LandingsPage['queues'][number] }) {
  if (view === null)
    return (
      <p class="warning">
        No worker answers for the queue <Line text={workflowId} />.
      </p>
    );
  const isPaused = view.state === 'paused';
  const isKept = view.use !== null && view.ready > 0;
  return (
    <section class="card">
      <h2>
        Merge queue of <Line text={view.branch} />: {view.state}
      </h2>
      {view.why === null ? null : (
        <p>
          <Line text={view.why} />
        </p>
      )}
      <p>
        {view.waiting.length - view.ready} in the queue, {view.ready} ready{isKept ? ', but ' : ''}
        {isKept ? <Line text={view.use ?? ''} /> : null}
      </p>
      <ActionButton path={`/api/queues/${encodeURIComponent(workflowId)}/${isPaused ? 'resume' : 'pause'}`}>
        {isPaused ? 'Resume' : 'Pause'}
      </ActionButton>
    </section>
  );
}

function Landing({ landing }: { readonly landing: LandingsPage['landings'][number] }) {
  const { runId, base, why, pull, closedAt, startedAt } = landing;
  return (
    <li class="row short">
      <span class={`state ${stateOf(landing)}`}>{stateOf(landing)}</span>
      <span class="title">
        <Link to={`/runs/${runId}`}>
          <Line text={runId} />
        </Link>
        <span class="quiet">
          {base === null ? null : (
            <>
              onto <Line text={base} />{' '}
            </>
          )}
          <Line text={placeOf(landing)} />
          {pull === null ? null : `, pull request ${pull.number}`}
        </span>
        {why === null ? null : (
          <span class="quiet">
            <Line text={why} />
          </span>
        )}
      </span>
      <span class="number">
        <Age since={closedAt ?? startedAt} />
      </span>
    </li>
  );
}

function stateOf({ merge, gate, paused }: LandingsPage['landings'][number]): string {
  if (merge === 'merged') return 'merged';
  if (merge === 'abandoned') return 'given-up';
  if (paused) return 'paused';
  return gate === null ? 'lands' : 'waits';
}

function placeOf({ gate, entry, repair }: LandingsPage['landings'][number]): string {
  if (gate !== null) return `waits for you: ${gate.replaceAll('_', ' ')}`;
  return repair === null ? (entry ?? '') : `mended by ${repair}`;
}
