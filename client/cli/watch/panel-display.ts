/** The live panel on a terminal: keeps what is known of a watched run and draws it anew on every change and every second. */
import type { JournalEvent } from '../../../protocol/messages/journal.js';
import type { LiveWork } from '../../../protocol/messages/live-work.js';
import type { RunView } from '../../../protocol/messages/run-view.js';
import { countStageUse } from '../../../protocol/messages/stage-use.js';
import type { Stage } from '../../../protocol/run/stages.js';
import { NO_STORY, storyOfView, tellEvent } from '../../../protocol/views/stage-story.js';
import { type Retrying, retryText } from '../../calls/retrying.js';
import { agentLabel } from '../../views/agent-label.js';
import { clockOf } from '../../views/local-time.js';
import { usedText } from '../../views/stage-costs.js';
import { pauseText, roundText } from '../../views/waiting-text.js';
import type { ShownGate } from '../gates/gate-block.js';
import { foreign, type Io } from '../terminal/io.js';
import { sentenceOf } from '../terminal/plain-lines.js';
import { createRedraw } from '../terminal/redraw.js';
import { type Display, skipTwiceTold } from './display.js';
import { type PanelState, renderPanel } from './panel.js';

export interface ShownRun {
  readonly runId: string;
  readonly title: string;
  readonly stages: readonly Stage[];
  readonly startedAt: string;
}

/** **Unit** ms: the clock of the panel ticks in seconds. */
const TICK_MS = 1_000;

export function panelDisplay(io: Io, run: ShownRun): Display {
  const state = createPanelState(run);
  const panel = createRedraw(io);
  let ended = false;
  let away = 0;
  const draw = () => {
    if (ended || away > 0) return;
    panel.draw(
      renderPanel(state.current(), { now: Date.now(), columns: io.columns(), rows: io.rows(), colors: io.colors }),
    );
  };
  const timer = setInterval(draw, TICK_MS);
  const offResize = io.onResize(draw);
  draw();
  const thenDraw =
    <Told>(fold: (told: Told) => void) =>
    (told: Told) => {
      fold(told);
      draw();
    };
  return {
    event: thenDraw(state.event),
    view: thenDraw(state.view),
    work: thenDraw(state.work),
    notice: thenDraw(state.notice),
    retrying: thenDraw(state.retrying),
    gate: thenDraw(state.gate),
    note: thenDraw((text: string) => state.line(foreign(text))),
    async giveWay(work) {
      away += 1;
      panel.erase();
      await work().finally(() => (away -= 1));
      draw();
    },
    end() {
      if (ended) return;
      clearInterval(timer);
      offResize();
      panel.erase();
      ended = true;
    },
  };
}

/** Folds events and views into what the panel shows. */
export function createPanelState(run: ShownRun) {
  let state = initialState(run);
  const use = countStageUse();
  const isToldElsewhere = skipTwiceTold();
  const addLine = (text: string) => {
    state = { ...state, lines: [...state.lines.slice(-20), text] };
  };
  return {
    line: addLine,
    current: (): PanelState => state,
    event(event: JournalEvent) {
      state = { ...state, story: tellEvent(state.story, event) };
      if (event.type === 'turn.completed' || event.type === 'turn.failed') {
        use.add(event);
        state = { ...state, used: usedText(use.all()) };
      }
      if (!isToldElsewhere(event)) addLine(foreign(`${clockOf(event.timestamp)} ${sentenceOf(event)}`));
    },
    view(view: RunView) {
      state = {
        ...state,
        title: foreign(view.title),
        story: state.story.stages.size === 0 ? storyOfView(view) : state.story,
        agent: view.agent === null ? null : foreign(agentLabel(view.agent)),
        waiting: view.waiting,
        round: roundText(view),
        pause: pauseText(view),
        startedAt: view.startedAt,
      };
    },
    work(work: LiveWork | null) {
      state = { ...state, work: work === null ? null : { ...work, ...shownWork(work) } };
    },
    gate(gate: ShownGate | null) {
      state = { ...state, gate };
    },
    notice(text: string | null) {
      state = { ...state, notice: text };
    },
    retrying(retrying: Retrying | null) {
      state = {
        ...state,
        retrying: retrying === null ? null : foreign(`${retrying.activity} fails: ${retryText(retrying)}`),
      };
    },
  };
}

/** Its host made it printable; the file may be anybody's. */
function shownWork({ command, lines }: LiveWork): Pick<LiveWork, 'command' | 'lines'> {
  return { command: command === null ? null : foreign(command), lines: lines.map(foreign) };
}

function initialState({ runId, title, stages, startedAt }: ShownRun): PanelState {
  return {
    runId: foreign(runId),
    title: foreign(title),
    stages,
    startedAt,
    story: NO_STORY,
    agent: null,
    waiting: null,
    round: null,
    pause: null,
    gate: null,
    work: null,
    used: null,
    lines: [],
    notice: null,
    retrying: null,
  };
}
