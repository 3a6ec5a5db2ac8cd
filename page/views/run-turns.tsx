/** The turns of a run: who worked, how it ended, and what was asked and said, piece by piece. */
import { useState } from 'preact/hooks';
import type { RunPage, TextPiece, Turn } from '../../client/http/shapes.js';
import { elapsed } from '../../client/views/waiting-text.js';
import { dollars } from '../parts/amount.js';
import { Opened } from '../parts/opened.js';
import { Block, Line } from '../parts/text.js';
import { AskFailed, ask } from '../state/ask.js';
import { useLive } from '../state/use-live.js';

export function Turns({ id, turns }: { readonly id: string; readonly turns: RunPage['turns'] }) {
  if (turns.length === 0) return null;
  return (
    <section>
      <h2>
        Turns <span class="count">{turns.length}</span>
      </h2>
      <ul class="rows">
        {turns.toReversed().map((turn) => (
          <li key={turn.n} class="turn">
            <TurnHead turn={turn} />
            {turn.endedAt === null ? <LiveWords id={id} n={turn.n} /> : null}
            <TurnText id={id} n={turn.n} part="output">
              What it said
            </TurnText>
            <TurnText id={id} n={turn.n} part="prompt">
              What it was asked
            </TurnText>
          </li>
        ))}
      </ul>
    </section>
  );
}

function TurnHead({ turn }: { readonly turn: Turn }) {
  const { n, stage, round, agent, startedAt, endedAt, end, costMicroUsd } = turn;
  const took = startedAt === null || endedAt === null ? null : elapsed(Date.parse(endedAt) - Date.parse(startedAt));
  const facts = [
    `turn ${n}`,
    ...(round === null || round === 0 ? [] : [`round ${round}`]),
    ...(agent === null ? [] : [agent]),
    endedAt === null ? 'at work' : (end ?? 'ended').replaceAll('_', ' '),
    ...(took === null ? [] : [took]),
    ...(costMicroUsd === null ? [] : [dollars(costMicroUsd)]),
  ];
  return (
    <p>
      <strong>{stage}</strong> <Line text={facts.join(' · ')} />
    </p>
  );
}

/** Followed while it is open. */
function LiveWords({ id, n }: { readonly id: string; readonly n: number }) {
  const [isOpen, open] = useState(false);
  return (
    <details onToggle={(event) => open(event.currentTarget.open)}>
      <summary>What it says now</summary>
      {isOpen ? <Words id={id} n={n} /> : null}
    </details>
  );
}

function Words({ id, n }: { readonly id: string; readonly n: number }) {
  const text = useLive(`live:${id}/${n}`, ({ texts }) => texts.get(`${id}/${n}`)?.text ?? null);
  return text === null ? <p class="quiet">Nothing yet.</p> : <Block text={text} />;
}

interface TextProps {
  readonly id: string;
  readonly n: number;
  readonly part: 'output' | 'prompt';
  readonly children: string;
}

function TurnText({ id, n, part, children }: TextProps) {
  const path = `/api/runs/${id}/turns/${n}/${part}`;
  return (
    <Opened<TextPiece> summary={children} path={`${path}/0`}>
      {(first) => <Pieces first={first} path={path} />}
    </Opened>
  );
}

function Pieces({ first, path }: { readonly first: TextPiece; readonly path: string }) {
  const [{ text, next }, show] = useState(first);
  const [failure, tell] = useState<string | null>(null);
  const more = async () => {
    try {
      const piece = await ask<TextPiece>(`${path}/${next}`);
      show({ text: text + piece.text, next: piece.next });
    } catch (error) {
      tell(error instanceof AskFailed ? error.message : String(error));
    }
  };
  return (
    <>
      <Block text={text} />
      {next === null ? null : (
        <button type="button" onClick={() => void more()}>
          More
        </button>
      )}
      {failure === null ? null : (
        <p class="warning">
          <Line text={failure} />
        </p>
      )}
    </>
  );
}
