/**
 * An open gate or question, and what decides it, by click and by key. A key counts only on a card that had the focus for a second, so that none which was
 * meant for something else decides what opened under the hand.
 */

import { useState } from 'preact/hooks';
import type { GateCard as Gate } from '../../client/http/shapes.js';
import { printableLine } from '../../protocol/text/printable.js';
import { useDraft } from '../state/drafts.js';
import type { Outcome } from '../state/send.js';
import { Facts } from './facts.js';
import { Told, useSending } from './message-form.js';
import { Line } from './text.js';
import { Ago, Left, useLasting } from './time.js';

/** **Unit** ms. */
const KEYS_COUNT_AFTER_MS = 1_000;

interface CardProps {
  readonly runId: string;
  readonly gate: Gate;
  /** Of whatever was said to it, also once the card is gone. */
  readonly tell: (outcome: Outcome) => void;
}

export function GateCard({ runId, gate, tell }: CardProps) {
  const [isFocused, focus] = useState(false);
  const keysCount = useLasting(isFocused, KEYS_COUNT_AFTER_MS);
  const deciding = useDeciding(runId, gate, tell);
  const { note, setNote, outcome } = deciding;
  const onKey = (event: KeyboardEvent) => {
    const isTyping = event.target !== event.currentTarget;
    if (isTyping || !keysCount || deciding.isSending || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'a' && !gate.question) void deciding.decide('approve');
    if (event.key === 'r') void deciding.decide('reject');
  };
  return (
    <section
      class="card gate"
      tabIndex={0}
      aria-label={printableLine(`${gate.question ? 'Question' : 'Gate'} ${gate.id}, ${gate.boundary}`)}
      onFocus={(event) => focus(event.target === event.currentTarget)}
      onBlur={() => focus(false)}
      onKeyDown={onKey}
    >
      <h2>
        {gate.question ? 'Question' : 'Gate'} {gate.boundary} <Risk risk={gate.risk} />
      </h2>
      <p class="asks">
        <Line text={gate.asks} />
      </p>
      <GateFacts gate={gate} />
      <label>
        {gate.question ? 'Your answer' : 'A note (needed to request changes)'}
        <textarea rows={2} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
      </label>
      <Buttons gate={gate} deciding={deciding} />
      <p class="quiet">
        {keysCount ? 'The keys a and r decide now.' : 'Keys count once this card has had the focus for a second.'}
      </p>
      <Told outcome={outcome} />
    </section>
  );
}

/** From a file it may be any text, of which no class is made. */
function Risk({ risk }: { readonly risk: string }) {
  return (
    <span class={/^[a-z]{1,20}$/.test(risk) ? `risk ${risk}` : 'risk'}>
      risk <Line text={risk} />
    </span>
  );
}

type Deciding = ReturnType<typeof useDeciding>;

/** Each decision names the gate, when it was opened, and the commit that are shown. */
function useDeciding(runId: string, gate: Gate, told: CardProps['tell']) {
  const [note, setNote, forget] = useDraft(`${runId}.${gate.of}.${gate.id}.${gate.createdAt}`);
  const { isSending, outcome, sendNow } = useSending(told);
  const owner = `/api/${gate.of === 'run' ? 'runs' : 'landings'}/${runId}`;
  return {
    note,
    setNote,
    isSending,
    outcome,
    async decide(decision: 'approve' | 'reject' | 'request_changes') {
      const argument = {
        gate: gate.id,
        openedAt: gate.createdAt,
        commit: gate.commit,
        decision,
        ...(note.trim() === '' ? {} : { note }),
      };
      if (await sendNow(`${owner}/approve`, argument)) forget(note);
    },
    async answer(text: string) {
      if (
        text.trim() !== '' &&
        (await sendNow(`${owner}/answer`, { promptId: gate.id, openedAt: gate.createdAt, text }))
      )
        forget(text);
    },
  };
}

function Buttons({ gate, deciding }: { readonly gate: Gate; readonly deciding: Deciding }) {
  const { note, isSending, decide, answer } = deciding;
  const isMute = isSending || note.trim() === '';
  return (
    <div class="buttons">
      {gate.question ? (
        <button type="button" class="yes" disabled={isMute} onClick={() => void answer(note)}>
          Answer
        </button>
      ) : (
        <button type="button" class="yes" disabled={isSending} onClick={() => void decide('approve')}>
          Approve <kbd>a</kbd>
        </button>
      )}
      {(gate.options ?? []).map((option) => (
        <button key={option} type="button" disabled={isSending} onClick={() => void answer(option)}>
          <Line text={option} />
        </button>
      ))}
      {gate.changesGoTo === null ? null : (
        <button type="button" disabled={isMute} onClick={() => void decide('request_changes')}>
          Request changes
        </button>
      )}
      <button type="button" class="no" disabled={isSending} onClick={() => void decide('reject')}>
        Reject <kbd>r</kbd>
      </button>
    </div>
  );
}

function GateFacts({ gate }: { readonly gate: Gate }) {
  const { asks, reason, askedBy, createdAt, commit, files, expiresAt } = gate;
  return (
    <Facts
      facts={[
        ['reason', reason === asks ? null : reason],
        [
          'asked by',
          <>
            <Line text={askedBy} />, <Ago since={createdAt} />
          </>,
        ],
        [
          'commit',
          commit === null ? null : (
            <code>
              <Line text={commit.slice(0, 12)} />
            </code>
          ),
        ],
        ['files', files.length === 0 ? null : <FileList files={files} />],
        ['expires', expiresAt === null ? null : <Left until={expiresAt} />],
      ]}
    />
  );
}

function FileList({ files }: { readonly files: readonly string[] }) {
  return (
    <ul class="files">
      {files.map((file) => (
        <li key={file}>
          <Line text={file} />
        </li>
      ))}
    </ul>
  );
}
