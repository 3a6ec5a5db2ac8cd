/** The one data converter of every client and worker: JSON, redacted. */
import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { RedactingCodec } from './redacting-codec.js';

/** Bundled into the workflows too, see worker/bundle.ts. */
export const FAILURE_CONVERTER_PATH = fileURLToPath(new URL('./redacting-failure-converter.js', import.meta.url));

export const DATA_CONVERTER: DataConverter = {
  payloadCodecs: [new RedactingCodec()],
  failureConverterPath: FAILURE_CONVERTER_PATH,
};
