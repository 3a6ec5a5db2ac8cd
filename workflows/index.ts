/** Bundle root: what the control worker serves. */

export { clean } from './aside/clean.js';
export { notification } from './aside/notification.js';
export { backlog } from './backlog/backlog.js';
export { batch } from './batch/batch.js';
export { budget } from './budget/ledger.js';
export { item } from './item/item.js';
export { landing } from './landing/landing.js';
export { mergeQueue as 'merge-queue' } from './merge-queue/merge-queue.js';
export { quotaGate as 'quota-gate' } from './quota/quota-gate.js';
export { run } from './run/run.js';
