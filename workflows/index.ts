/** Bundle root: what the control worker serves. */
export { batch } from './batch.js';
export { clean } from './clean.js';
export { budget } from './ledger.js';
export { notification } from './notification.js';
export { quotaGate as 'quota-gate' } from './quota-gate.js';
export { run } from './run.js';
