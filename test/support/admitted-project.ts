/** A project on a real host whose tasks are judged and planned first, by a scripted agent. */
import type { ScriptedTurn } from '../../activities/agent/scripted/fixture.js';
import { openProject } from './backlog-project.js';
import type { TestHost } from './test-host.js';

export const JUDGED = {
  classification: 'small',
  confidence: 0.9,
  reason: 'one line of one file',
  needs_clarification: false,
  clarifying_questions: [],
  reject_reason: null,
};

export const STEP = {
  verb: 'modify',
  target_file: 'a.txt',
  symbols: ['a'],
  acceptance: 'a.txt says changed',
  depends_on: [],
  description: 'change the line',
};

export const PLANNED = { plan: [STEP], files_affected: ['a.txt'], symbols_affected: [] };

export const say = (answer: unknown): ScriptedTurn => ({ text: `Here it is.\n\n${JSON.stringify(answer)}` });

export interface Asked {
  readonly classify?: ScriptedTurn | readonly ScriptedTurn[];
  readonly plan?: ScriptedTurn | readonly ScriptedTurn[];
  /** More lines of that section. */
  readonly admission?: string;
  readonly more?: string;
}

/** Without more said a task is small, and planned in one step that changes a.txt. */
export function openAdmitted(
  host: TestHost,
  project: string,
  { classify = say(JUDGED), plan = say(PLANNED), admission = '', more = '' }: Asked = {},
) {
  const executing = { run: 'echo changed > a.txt', text: 'Changed.' };
  return openProject(host, project, {
    config: `admission:\n  order: [[classify, plan]]${admission}\nstageList: [planning, executing, validating]\n${more}`,
    fixture: { ledger: 'ledger.txt', stages: { executing }, asks: { classify, plan } },
  });
}

/** The same by the preset alone. */
export function openSkep(host: TestHost, project: string, asks: Pick<Asked, 'classify' | 'plan'>) {
  const executing = { run: 'echo changed > a.txt; me="$(basename "$PWD")"; echo it > "$me.txt"', text: 'Changed.' };
  return openProject(host, project, {
    config: 'preset: skep\n',
    fixture: { ledger: 'ledger.txt', stages: { executing }, asks },
  });
}
