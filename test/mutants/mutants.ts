/** Every mutant, in the order of the page. */

import { ABSENCE_MUTANTS } from './lists/absences.js';
import { ACTOR_MUTANTS } from './lists/actors.js';
import { AGENT_MUTANTS } from './lists/agents.js';
import { ANSWER_MUTANTS } from './lists/answers.js';
import { BACKLOG_MUTANTS } from './lists/backlog.js';
import { BACKLOG_CHAIN_MUTANTS } from './lists/backlog-chain.js';
import { BACKLOG_SLOT_MUTANTS } from './lists/backlog-slots.js';
import { COMMAND_MUTANTS } from './lists/commands.js';
import { DEDUP_MUTANTS } from './lists/dedup.js';
import { DOORBELL_MUTANTS } from './lists/doorbell.js';
import { EARLY_QUERY_MUTANTS } from './lists/early-queries.js';
import { ENGINE_MUTANTS } from './lists/engine.js';
import { FIGURE_MUTANTS } from './lists/figures.js';
import { FIRST_DAY_MUTANTS } from './lists/first-day.js';
import { FORGE_MUTANTS } from './lists/forge.js';
import { GIT_MUTANTS } from './lists/git.js';
import { GUARD_MUTANTS } from './lists/guard.js';
import { JOURNAL_MUTANTS } from './lists/journal.js';
import { LANDING_MUTANTS } from './lists/landing.js';
import { LANDING_CHECKS_MUTANTS } from './lists/landing-checks.js';
import { LANDING_GATE_MUTANTS } from './lists/landing-gates.js';
import { LIMIT_MUTANTS } from './lists/limits.js';
import { LIVE_TEXT_MUTANTS } from './lists/live-text.js';
import { MESSAGE_MUTANTS } from './lists/messages.js';
import { PEOPLE_MUTANTS } from './lists/people.js';
import { POLICY_MUTANTS } from './lists/policy.js';
import { REPORT_MUTANTS } from './lists/report.js';
import { SANDBOX_MUTANTS } from './lists/sandbox.js';
import { SCREEN_MUTANTS } from './lists/screens.js';
import { SECRET_MUTANTS } from './lists/secrets.js';
import { STEPS_MUTANTS } from './lists/steps.js';
import { TURN_END_MUTANTS } from './lists/turn-ends.js';
import { WAIT_MUTANTS } from './lists/waits.js';
import { WALL_MUTANTS } from './lists/walls.js';
import { WEB_MUTANTS } from './lists/web.js';
import { WORD_MUTANTS } from './lists/words.js';
import type { Mutant } from './mutant.js';

export const MUTANTS: readonly Mutant[] = [
  ...ENGINE_MUTANTS,
  ...GUARD_MUTANTS,
  ...GIT_MUTANTS,
  ...JOURNAL_MUTANTS,
  ...MESSAGE_MUTANTS,
  ...POLICY_MUTANTS,
  ...AGENT_MUTANTS,
  ...SECRET_MUTANTS,
  ...LIMIT_MUTANTS,
  ...FIGURE_MUTANTS,
  ...ACTOR_MUTANTS,
  ...REPORT_MUTANTS,
  ...SANDBOX_MUTANTS,
  ...WALL_MUTANTS,
  ...WORD_MUTANTS,
  ...TURN_END_MUTANTS,
  ...WAIT_MUTANTS,
  ...COMMAND_MUTANTS,
  ...ANSWER_MUTANTS,
  ...EARLY_QUERY_MUTANTS,
  ...PEOPLE_MUTANTS,
  ...SCREEN_MUTANTS,
  ...FIRST_DAY_MUTANTS,
  ...BACKLOG_MUTANTS,
  ...BACKLOG_CHAIN_MUTANTS,
  ...STEPS_MUTANTS,
  ...DEDUP_MUTANTS,
  ...BACKLOG_SLOT_MUTANTS,
  ...LANDING_CHECKS_MUTANTS,
  ...LANDING_MUTANTS,
  ...LANDING_GATE_MUTANTS,
  ...FORGE_MUTANTS,
  ...ABSENCE_MUTANTS,
  ...DOORBELL_MUTANTS,
  ...WEB_MUTANTS,
  ...LIVE_TEXT_MUTANTS,
];
