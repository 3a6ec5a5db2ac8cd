/** Words and numbers that stand in files, histories and pages: held by themselves, since a list that is compared with itself agrees with every slip. */
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_SETUP_INPUTS } from '../../../config/keys/keys.js';
import { BACKLOG_SIGNALS } from '../../../protocol/actors/backlog.js';
import { PULL_KINDS } from '../../../protocol/actors/decide-pull.js';
import { ITEM_DRIVERS, ITEM_REASONS, ITEM_STATES } from '../../../protocol/actors/item.js';
import { LANDING_GATES, LANDING_SIGNALS } from '../../../protocol/actors/landing.js';
import { ENTRY_STATES, QUEUE_SIGNALS } from '../../../protocol/actors/merge-queue.js';
import { FAILURES } from '../../../protocol/failures.js';
import * as limits from '../../../protocol/limits.js';
import { EVENT_TYPES } from '../../../protocol/messages/journal.js';
import { GATE_DECISIONS, RUN_MESSAGES } from '../../../protocol/messages/message-rows.js';
import { NOTIFICATION_KINDS } from '../../../protocol/messages/notification.js';
import { SEARCH_ATTRIBUTES } from '../../../protocol/names.js';
import { DISPOSITIONS, FINDING_CATEGORIES, SEVERITIES } from '../../../protocol/run/finding.js';
import { GATE_SOURCES, GATE_STATUSES, RISK_LEVELS } from '../../../protocol/run/gate.js';
import {
  DIFF_RULES,
  REVIEW_DECISIONS,
  RUN_OUTCOMES,
  VERDICTS,
  VERIFICATION_DECISIONS,
} from '../../../protocol/run/outcomes.js';
import { ADAPTERS, MODEL_PROVIDERS, PERMISSION_MODES, TOOL_LEVELS } from '../../../protocol/run/policy.js';
import { STAGE_LISTS, STAGES } from '../../../protocol/run/stages.js';

const TURN_EVENTS = 'turn.started turn.completed turn.failed turn.retried turn.fallback step.changed';
const CHECK_EVENTS = 'validation.started validation.command.completed review.decision verification.decision';
const GATE_EVENTS =
  'approval.requested approval.approved approval.rejected approval.changes_requested approval.expired approval.reminded approval.escalated';
const MESSAGE_EVENTS =
  'run.pause_requested run.resume_requested run.abort_requested run.steered run.renamed message.refused';
const RUN_EVENTS = 'run.created run.completed run.failed run.aborted run.paused run.resumed run.rewound state.changed';
const OTHER_EVENTS =
  'git.worktree.created git.committed worktree.setup.completed notification.sent notification.failed repository.changed policy.violation sandbox.chosen network.refused budget.limit usage_limit.waiting usage_limit.cleared merge.changed';

const ITEM_MESSAGES = 'approve reject answer run stop pause resume set done remove';
const ITEM_GATES = 'start plan classify_failed plan_failed low_confidence clarification_limit possible_duplicate';
const PARKED =
  'step_failed executor_error blocked stopped agent_gone no_commits unmerged dependency_failed repository_changed run_gone';
const CLOSED = 'merged no_changes forced rejected deleted aborted expired duplicate';

const EXHAUSTED = 'conflict red unchecked nothing_left base_rewritten base_busy not_ready refused';
const LEFT_TO_PEOPLE =
  'no_answer not_merge_ready no_base host_away withdrawn needs listed repair_failed unresolved pull_closed pull_retargeted';
const BY_A_FORGE = 'pushed_by_other changes_requested checks_failed checks_timed_out given_back landed_red forge';
const PULL_WAITS = 'changes_requested checks_failed checks_pending checks_timed_out draft review unknown ready';

describe('the words', () => {
  it.each<[string, readonly string[], string]>([
    ['stages', STAGES, 'planning architecting executing validating reviewing fixing verifying'],
    ['the express list', STAGE_LISTS.express, 'executing validating reviewing verifying'],
    ['the list of a plan', STAGE_LISTS['plan-only'], 'planning'],
    ['decisions of a review', REVIEW_DECISIONS, 'APPROVED CHANGES_REQUESTED BLOCKED'],
    ['decisions of a verification', VERIFICATION_DECISIONS, 'PASSED FAILED NEEDS_HUMAN'],
    ['outcomes of a run', RUN_OUTCOMES, 'merge_ready no_changes blocked failed aborted'],
    ['verdicts', VERDICTS, 'verified partially_verified unverified unsafe blocked'],
    ['rules of the diff check', DIFF_RULES, 'outside_path secret_file token_shape block'],
    ['severities', SEVERITIES, 'low medium high'],
    [
      'categories of findings',
      FINDING_CATEGORIES,
      'correctness architecture security tests performance maintainability product policy',
    ],
    ['answers to a finding', DISPOSITIONS, 'accept fix rebut defer needs-human'],
    ['decisions at a gate', GATE_DECISIONS, 'approve reject request_changes'],
    ['ends of a gate', GATE_STATUSES, 'pending approved rejected changes_requested expired'],
    ['who opens a gate', GATE_SOURCES, 'policy agent budget completion diff'],
    ['risks', RISK_LEVELS, 'low medium high'],
    ['permissions, strictest first', PERMISSION_MODES, 'read-only ask accept-edits auto'],
    ['tools, fewest first', TOOL_LEVELS, 'read edit run'],
    ['adapters', ADAPTERS, 'command scripted claude-code codex opencode acp model'],
    ['providers of a model', MODEL_PROVIDERS, 'anthropic openai openai-compatible'],
    ['attributes of the server', SEARCH_ATTRIBUTES, 'SluiceProject SluiceStatus SluiceWaiting SluicePreset'],
    [
      'notifications',
      NOTIFICATION_KINDS,
      'gate_opened gate_reminder gate_escalated run_closed landing_closed validation_failed agent_failed budget_reached usage_limit',
    ],
    [
      'failures',
      Object.values(FAILURES),
      'BadInput RepositoryNotServed RunExists RunChanged RepositoryChanged BadRepository BadConfig NotTrusted BadAgent MessageRefused MessageBusy MessageUnchanged',
    ],
    ['states of an item', ITEM_STATES, 'admitting clarifying gated queued running parked closed'],
    ['who drives an item', ITEM_DRIVERS, `create ${ITEM_MESSAGES} dedup classify plan dedup dedup.forced engine`],
    ['why an item rests', ITEM_REASONS, `dedup classify plan questions ${ITEM_GATES} ${PARKED} ${CLOSED}`],
    ['signals of a backlog', BACKLOG_SIGNALS, 'create compare pause resume abort set itemChanged'],
    ['signals of a queue', QUEUE_SIGNALS, 'enqueue withdraw pause resume abort look take'],
    ['states of an entry', ENTRY_STATES, 'waiting landing ready watched merged exhausted withdrawn'],
    [
      'signals of a landing',
      LANDING_SIGNALS,
      'land abort pause resume look approve answer entryChanged runChanged quota',
    ],
    ['why a landing waits for a person', LANDING_GATES, `${EXHAUSTED} ${LEFT_TO_PEOPLE} ${BY_A_FORGE}`],
    ['what a pull request is', PULL_KINDS, `merged closed retargeted pushed queued conflict ${PULL_WAITS}`],
  ])('%s', (_what, list, words) => {
    expect(list).toEqual(words.split(' '));
  });

  it('messages', () => {
    expect([...RUN_MESSAGES].sort()).toEqual('abort answer approve pause rename resume steer'.split(' '));
  });

  it('events of the journal', () => {
    const all = [RUN_EVENTS, TURN_EVENTS, CHECK_EVENTS, GATE_EVENTS, MESSAGE_EVENTS, OTHER_EVENTS];

    expect([...EVENT_TYPES].sort()).toEqual(all.join(' ').split(' ').sort());
  });

  it('files that set-up depends on', () => {
    expect(DEFAULT_SETUP_INPUTS.map((glob) => glob.replace('**/', ''))).toEqual([
      'package-lock.json',
      'npm-shrinkwrap.json',
      'yarn.lock',
      'pnpm-lock.yaml',
      'bun.lock',
      'go.sum',
      'Cargo.lock',
      'poetry.lock',
      'uv.lock',
      'requirements*.txt',
      'Gemfile.lock',
      'composer.lock',
    ]);
  });
});

describe('the numbers', () => {
  it('that several parts agree on', () => {
    expect({ ...limits }).toEqual({
      MAX_JOURNAL_EVENTS: 2000,
      FULL_HISTORY: { events: 25_600, bytes: 26_214_400 },
      LAST_HISTORY: { events: 40_960, bytes: 41_943_040 },
      MAX_TASK_BYTES: 262_144,
      DEFAULT_CONTEXT_BYTES: 200_000,
      MAX_TITLE_CHARS: 120,
      MAX_TURN_RESULT_BYTES: 8192,
      MAX_SENTENCE_CHARS: 300,
      MAX_LOST_STARTS: 3,
      MAX_READ_ONLY_VIOLATIONS: 2,
      ABORT_CLOSE_WAIT: '30 seconds',
      PICK_HOST_WAIT: '30 seconds',
      LAST_FREE_JOURNAL_EVENTS: 1900,
      MAX_NOTE_CHARS: 4000,
      MAX_BY_CHARS: 200,
      MAX_REQUEST_ID_CHARS: 200,
      MAX_WAITING_NOTES: 50,
      MAX_KNOWN_REQUESTS: 200,
      WORKFLOW_TASK_TIMEOUT: '5 seconds',
      MAX_REFUSED_LINES: 100,
      MAX_ROUNDS: 20,
      MAX_REMINDERS: 10,
      MAX_FINDINGS: 50,
      MAX_BATCH_TASKS: 500,
      MAX_BATCH_CHARS: 400_000,
    });
  });
});
