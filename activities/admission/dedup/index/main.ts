/** The thread of an index: it answers one request after the other. What fails leaves an index that nobody may trust, so that its owner ends it and begins another. */
import { parentPort, workerData } from 'node:worker_threads';
import { type IndexRequest, TaskIndex } from './task-index.js';

// Its owner alone starts it, with the place of an index.
const index = new TaskIndex(workerData);

parentPort?.on('message', (request: IndexRequest) => {
  try {
    parentPort?.postMessage({ kind: 'answer', answer: index.answer(request) });
  } catch (error) {
    parentPort?.postMessage({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
  }
});
