/** Whose time a run took, as one picture, and the same facts as tables beside it. */
import { useState } from 'preact/hooks';
import type { Timeline as Told } from '../../client/views/timeline.js';
import { dollarsOr, lasting } from './amount.js';
import { Line } from './text.js';
import { drawTimeline, type Picture } from './timeline-shapes.js';
import {
  decisionWords,
  gateWords,
  LANE_WORDS,
  sinceBegin,
  spanWords,
  timelineWords,
  totalCost,
} from './timeline-words.js';

interface TimelineProps {
  readonly timeline: Told;
  /** The tables are open from the begin, for a reader who cannot be asked. */
  readonly isWhole?: boolean;
  /** How a time is shown: local where somebody looks, in UTC in a file. */
  readonly showTime: (iso: string) => string;
}

export function Timeline({ timeline, isWhole = false, showTime }: TimelineProps) {
  const { from, to, isOpen, totals, turns } = timeline;
  const picture = drawTimeline(timeline);
  const [begin, end] = [new Date(from).toISOString(), new Date(to).toISOString()];
  return (
    <section class="timeline">
      <h2>Whose time it took</h2>
      <div class="lanes">
        <ul>
          {picture.lanes.map((lane) => (
            <li key={lane}>
              <span class={`key lane-${lane}`} /> {LANE_WORDS[lane]} <span class="number">{lasting(totals[lane])}</span>
            </li>
          ))}
          {turns.length === 0 ? null : (
            <li>
              <span class="key lane-cost" /> cost <span class="number">{dollarsOr(totalCost(turns))}</span>
            </li>
          )}
        </ul>
        <Drawn picture={picture} label={timelineWords(timeline, picture.lanes)} />
      </div>
      <p class="axis quiet">
        <time dateTime={begin}>{showTime(begin)}</time>
        <span class="number">{lasting(to - from)}</span>
        <time dateTime={end}>{isOpen ? 'now' : showTime(end)}</time>
      </p>
      <Tables timeline={timeline} isWhole={isWhole} />
    </section>
  );
}

/** Most nodes of a long run are here, so they are made when somebody opens them. */
function Tables({ timeline, isWhole }: Omit<Required<TimelineProps>, 'showTime'>) {
  const [isShown, show] = useState(isWhole);
  return (
    <details open={isShown} onToggle={({ currentTarget }) => show(currentTarget.open)}>
      <summary>The same as tables</summary>
      {isShown ? (
        <div class="wide">
          <Spans timeline={timeline} />
          {timeline.gates.length === 0 ? null : <Gates timeline={timeline} />}
          {timeline.turns.length === 0 ? null : <Turns timeline={timeline} />}
        </div>
      ) : null}
    </details>
  );
}

/** Stretched to the width that there is; its strokes are not (style.css). Thousands of bars have no attribute more than they need. */
function Drawn({ picture, label }: { readonly picture: Picture; readonly label: string }) {
  const { width, height, bars, marks } = picture;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width="100%"
      height={`${height}px`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bars.map(({ key, isDashed, title, x, y, width: wide, height: high, class: name }) => (
        <rect key={key} class={isDashed ? `${name} open` : name} {...{ x, y, width: wide, height: high }}>
          <title>{title}</title>
        </rect>
      ))}
      {marks.map(({ key, title, x, class: name }) => (
        <line key={key} class={`mark ${name}`} {...{ x1: x, x2: x, y1: 0, y2: height }}>
          <title>{title}</title>
        </line>
      ))}
    </svg>
  );
}

function Spans({ timeline }: { readonly timeline: Told }) {
  return (
    <Table caption="Spans" columns={['since begin', 'lasted', 'whose', 'what']}>
      {timeline.spans.map((span) => (
        <tr key={span.from}>
          <td>{sinceBegin(timeline, span.from)}</td>
          <td>{lasting(span.to - span.from)}</td>
          <td>{LANE_WORDS[span.lane]}</td>
          <td>
            <Line text={spanWords(span)} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Gates({ timeline }: { readonly timeline: Told }) {
  return (
    <Table caption="Gates" columns={['since begin', 'gate', 'decision']}>
      {timeline.gates.map((gate) => (
        <tr key={`${gate.gate}.${gate.requestedAt}`}>
          <td>{sinceBegin(timeline, gate.requestedAt)}</td>
          <td>
            <Line text={gateWords(gate)} />
          </td>
          <td>
            <Line text={decisionWords(gate, timeline)} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

const TURN_COLUMNS = ['turn', 'stage', 'agent', 'outcome', 'time', 'tokens in', 'out', 'cost'];

function Turns({ timeline }: { readonly timeline: Told }) {
  return (
    <Table caption="Turns" columns={TURN_COLUMNS}>
      {timeline.turns.map(({ seq, stage, agent, outcome, durationMs, tokensIn, tokensOut, costMicroUsd }, index) => (
        <tr key={index}>
          <td>{seq ?? ''}</td>
          <td>
            <Line text={stage} />
          </td>
          <td>
            <Line text={agent} />
          </td>
          <td>
            <Line text={outcome.replaceAll('_', ' ')} />
          </td>
          <td>{durationMs === null ? 'unknown' : lasting(durationMs)}</td>
          <td>{tokensIn ?? 'unknown'}</td>
          <td>{tokensOut ?? 'unknown'}</td>
          <td>{dollarsOr(costMicroUsd)}</td>
        </tr>
      ))}
    </Table>
  );
}

interface TableProps {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly children: preact.JSX.Element[];
}

function Table({ caption, columns, children }: TableProps) {
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
