/** One run in full. */
import { Component } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FilePatch, GateCard as GateShown, JournalLine, RunPage } from '../../client/http/shapes.js';
import { Facts } from '../parts/facts.js';
import { GateCard } from '../parts/gate-card.js';
import { LiveTimeline } from '../parts/live-timeline.js';
import { ActionButton, MessageForm } from '../parts/message-form.js';
import { Opened } from '../parts/opened.js';
import { Patch } from '../parts/patch.js';
import { SaveReport } from '../parts/save-report.js';
import { Block, Line } from '../parts/text.js';
import { Ago, Clock, Left, Running } from '../parts/time.js';
import { AskFailed, ask } from '../state/ask.js';
import { runOf } from '../state/live.js';
import type { Outcome } from '../state/send.js';
import { useStore } from '../state/store.js';
import { followTopic, live } from '../state/stream.js';
import { type Changed, ChangeLine, Results } from './run-results.js';
import { Turns } from './run-turns.js';

interface RunProps {
  readonly id: string;
}

export function Run({ id }: RunProps) {
  useEffect(() => followTopic(`run:${id}`), [id]);
  const [refusal, keepRefusal] = useState<Refusal | null>(null);
  const changes = useStore(live, (value) => runOf(value, id).changes);
  // A turn that lasts has a folder once it is at work, and no event tells that.
  const isAtWork = useStore(live, (value) => runOf(value, id).work !== null);
  const [page, failure] = useRunPage(id, `${changes} ${isAtWork}`);
  if (page === null)
    return failure === null ? (
      <p class="quiet">Looking…</p>
    ) : (
      <p class="warning">
        <Line text={failure} />
      </p>
    );
  const open = page.gates.filter(({ status }) => status === 'pending');
  return (
    <>
      <h1>
        <Line text={page.row.title ?? id} />
      </h1>
      {failure === null ? null : (
        <p class="warning">
          <Line text={failure} />; this is what it was before.
        </p>
      )}
      {page.told === 'run' ? null : (
        <p class="warning">
          The run does not answer just now; this is what it last {page.told === 'file' ? 'wrote' : 'told the server'},{' '}
          <Ago since={page.updatedAt} />.
        </p>
      )}
      {page.leftOut.length === 0 ? null : <p class="warning">Not all is shown here. {page.leftOut.join('; ')}.</p>}
      {page.runDir === null ? <Elsewhere host={page.row.host} /> : null}
      {open.map((gate) => (
        <GateCard key={keyOf(gate)} runId={id} gate={gate} tell={(outcome) => keepRefusal(refusalOf(gate, outcome))} />
      ))}
      <Refused refusal={refusal} gates={page.gates} />
      <Overview page={page} />
      <Work runId={id} />
      <LiveTimeline runId={id} />
      <Results page={page} change={(file, place) => <OpenedChange page={page} file={file} place={place} />} />
      <Turns id={id} turns={page.turns} />
      <Messages id={id} page={page} />
      {page.runDir === null ? null : <SaveReport id={id} />}
      <Story id={id} />
    </>
  );
}

const keyOf = ({ of, id, createdAt }: GateShown) => `${of}.${id}.${createdAt}`;

/** What somebody said to a gate and was not taken. */
interface Refusal {
  readonly gate: GateShown;
  readonly text: string;
}

const refusalOf = (gate: GateShown, { isTaken, text }: Outcome): Refusal | null => (isTaken ? null : { gate, text });

/** Told here once the card that was clicked is gone, since somebody else decided: it would look as if one's own word had counted. */
function Refused({ refusal, gates }: { readonly refusal: Refusal | null; readonly gates: readonly GateShown[] }) {
  const now = refusal === null ? undefined : gates.find((gate) => keyOf(gate) === keyOf(refusal.gate));
  if (refusal === null || now?.status === 'pending') return null;
  return (
    <p class="warning" role="status">
      <Line text={`${refusal.gate.id}, ${refusal.gate.boundary}: ${refusal.text}`} />
      {now === undefined ? null : (
        <>
          {' '}
          It is {now.status.replaceAll('_', ' ')}
          {now.resolvedBy === null ? '' : ' by '}
          <Line text={now.resolvedBy ?? ''} />.
        </>
      )}
    </p>
  );
}

/** **Unit** ms. */
const ASKS_AGAIN_MS = 5_000;

/** No event tells when who did not answer does, nor what a landing waits for. */
function isMoving({ told, outcome, isLandingHeard, landing, row }: RunPage): boolean {
  return (told !== 'run' && outcome === null) || !isLandingHeard || (landing !== null && row.group !== 'done');
}

/** Asked for again when it changed, and now and then while that may not be told; what was there before stays until the answer comes. */
function useRunPage(id: string, changes: string): readonly [RunPage | null, string | null] {
  const [page, show] = useState<RunPage | null>(null);
  const [failure, tell] = useState<string | null>(null);
  const [times, askAgain] = useState(0);
  useEffect(() => {
    const left = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Not by a clock that goes on while an answer is under way: one that takes longer would never be taken.
    const askLater = () => {
      timer = setTimeout(() => askAgain((before) => before + 1), ASKS_AGAIN_MS);
    };
    ask<RunPage>(`/api/runs/${id}`, { signal: left.signal }).then(
      (answer) => {
        if (left.signal.aborted) return;
        show(answer);
        tell(null);
        if (isMoving(answer)) askLater();
      },
      (error: unknown) => {
        if (left.signal.aborted) return;
        tell(error instanceof AskFailed ? error.message : String(error));
        askLater();
      },
    );
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, [id, changes, times]);
  return [page, failure];
}

function Overview({ page }: { readonly page: RunPage }) {
  const { row } = page;
  return (
    <section>
      <p class="lead">
        <span class={`state ${row.state.replace(' ', '-')}`}>{row.state}</span> {page.status.replaceAll('_', ' ')}
        <Waits page={page} />
        {page.pause === 'asked' ? ' · pauses at the next stage boundary' : null}
      </p>
      <Facts
        facts={[
          ['stage', page.stage],
          ['rounds', page.rounds],
          ['reason', page.error ?? page.blockedReason],
          ['agent', page.agent],
          ['review', page.review],
          ['verification', page.verification],
          ['landing', page.landing],
          ['budget', page.budget],
          ['repository', page.repo],
          ['branch', page.branch],
          ['base', page.base],
          ['head', page.headSha?.slice(0, 12) ?? null],
          ['worktree', page.worktree],
          ['host', row.host],
        ]}
      />
      <details>
        <summary>Task</summary>
        <Block text={page.task} />
      </details>
    </section>
  );
}

interface ChangeProps {
  readonly page: RunPage;
  readonly file: Changed;
  readonly place: number;
}

function OpenedChange({ page: { row, headSha }, file, place }: ChangeProps) {
  return (
    // Of another head the place may be that of another file, and the patch that is open is an old one.
    <Opened<FilePatch>
      key={`${headSha} ${file.path}`}
      path={`/api/runs/${row.runId}/diff/${headSha}/${place}`}
      summary={<ChangeLine file={file} />}
    >
      {({ patch, isCut }) => <Patch patch={patch} isCut={isCut} />}
    </Opened>
  );
}

function Elsewhere({ host }: { readonly host: string | null }) {
  return (
    <p class="quiet">
      Its journal, turns and texts are on the machine where it works{host === null ? '' : ': '}
      <Line text={host ?? ''} />.
    </p>
  );
}

function Waits({ page: { waits } }: { readonly page: RunPage }) {
  if (waits === null) return null;
  return (
    <>
      {' '}
      · waits for <Line text={waits.text} />
      {waits.until === null ? null : (
        <>
          , <Left until={waits.until} />
        </>
      )}
    </>
  );
}

function Work({ runId }: { readonly runId: string }) {
  const work = useStore(live, (value) => runOf(value, runId).work);
  if (work === null) return null;
  return (
    <section aria-label="At work">
      <h2>
        At work: {work.kind} <Running since={work.since} />
      </h2>
      {work.command === null ? null : (
        <p>
          <code>
            <Line text={work.command} />
          </code>
        </p>
      )}
      <Block text={work.lines.join('\n')} />
    </section>
  );
}

function Messages({ id, page }: { readonly id: string; readonly page: RunPage }) {
  if (page.outcome !== null) return <LandingMessages id={id} page={page} />;
  const isPaused = page.pause !== 'none';
  return (
    <section>
      <h2>Say something</h2>
      <MessageForm name={`${id}.steer`} label="For the next turn" path={`/api/runs/${id}/steer`} field="text">
        Steer
      </MessageForm>
      <details>
        <summary>Another title</summary>
        <MessageForm name={`${id}.rename`} label="Title" path={`/api/runs/${id}/rename`} field="title">
          Rename
        </MessageForm>
      </details>
      <div class="buttons">
        <ActionButton path={`/api/runs/${id}/${isPaused ? 'resume' : 'pause'}`}>
          {isPaused ? 'Resume' : 'Pause'}
        </ActionButton>
        <ActionButton path={`/api/runs/${id}/abort`} asks="Abort this run? Its worktree, branch and artifacts stay.">
          Abort
        </ActionButton>
      </div>
    </section>
  );
}

/** Of a closed run: its head may land, or is on its way. */
function LandingMessages({ id, page }: { readonly id: string; readonly page: RunPage }) {
  const { group, state } = page.row;
  if (group === 'ready' && page.landing === null)
    return (
      <section>
        <h2>Land it</h2>
        <ActionButton path={`/api/landings/${id}/land`}>
          Land on <Line text={page.base ?? 'its base'} />
        </ActionButton>
      </section>
    );
  if (page.landing === null || group === 'done') return null;
  const isPaused = state === 'paused';
  return (
    <section>
      <h2>Its landing</h2>
      <div class="buttons">
        <ActionButton path={`/api/landings/${id}/${isPaused ? 'resume' : 'pause'}`}>
          {isPaused ? 'Resume' : 'Pause'}
        </ActionButton>
        <ActionButton path={`/api/landings/${id}/abort`} asks="Give its head up? The branch stays.">
          Give up
        </ActionButton>
      </div>
    </section>
  );
}

function Story({ id }: { readonly id: string }) {
  const events = useStore(live, (value) => runOf(value, id).events);
  const [isWhole, showAll] = useState(false);
  if (events.length === 0) return null;
  const shown = isWhole ? events : events.slice(-LINES_SHOWN);
  return (
    <section>
      <h2>What happened</h2>
      <ul class="story">
        {shown.toReversed().map((event) => (
          <StoryLine key={event.seq} event={event} />
        ))}
      </ul>
      {shown.length === events.length ? null : (
        <button type="button" onClick={() => showAll(true)}>
          Show all {events.length} lines
        </button>
      )}
    </section>
  );
}

/** The newest, until somebody wants all of them: more than anybody reads, and drawn at once. */
const LINES_SHOWN = 500;

interface StoryLineProps {
  readonly event: JournalLine;
}

/** A line never changes: what was drawn is not compared again whenever another comes. */
class StoryLine extends Component<StoryLineProps> {
  override shouldComponentUpdate({ event }: StoryLineProps): boolean {
    return event !== this.props.event;
  }

  override render({ event: { seq, timestamp, type, message } }: StoryLineProps) {
    return (
      // As the number of the item a browser would count all of them anew for each.
      <li data-seq={seq}>
        <Clock at={timestamp} /> <Line text={type} class="quiet" /> <Line text={message} />
      </li>
    );
  }
}
